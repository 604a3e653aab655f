// What a loop's clauses and its place say of its body.
#include <tweed.hpp>
#include <cstdio>
#include <omp.h>

#ifdef _OPENMP /* tweed-port: some loops are OpenMP's */
#include <omp.h>
#endif

/* omp_get_thread_num() */
static inline int port_thread_num(void)
{
    int worker = tweed_worker_index();

#ifdef _OPENMP /* tweed-port: some loops are OpenMP's */
    if (worker < 0)
        return omp_get_thread_num();
#endif
    return worker < 0 ? 0 : worker;
}


int main()
{
    int own[100], bad = 0;

    #pragma omp parallel for schedule(static)
    for (int i = 0; i < 100; i++)
        own[i] = port_thread_num();
    for (int i = 1; i < 100; i++)
        bad += own[i] < own[i - 1];
    #pragma omp parallel for
    for (int i = 0; i < 2; i++)
        std::puts(__func__);
    std::printf("%d\n", bad);
}

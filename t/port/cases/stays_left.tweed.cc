// What a loop's clauses and its place say of its body.
#include <cstdio>
#include <omp.h>

int main()
{
    int own[100], bad = 0;

    #pragma omp parallel for schedule(static)
    for (int i = 0; i < 100; i++)
        own[i] = omp_get_thread_num();
    for (int i = 1; i < 100; i++)
        bad += own[i] < own[i - 1];
    #pragma omp parallel for
    for (int i = 0; i < 2; i++)
        std::puts(__func__);
    std::printf("%d\n", bad);
}

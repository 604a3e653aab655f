/* pipes_left.c - a thread waits by a call of the kernel for what another one does. */
#include <tweed.h>
#include <stdio.h>
#include <unistd.h>
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

/* omp_get_num_threads() */
static inline int port_num_threads(void)
{
#ifdef _OPENMP /* tweed-port: some loops are OpenMP's */
    if (tweed_worker_index() < 0)
        return omp_get_num_threads();
#endif
    return tweed_worker_index() < 0 ? 1 : tweed_pool_num_workers(NULL);
}


int main(void)
{
    int fd[2], woken = 0;

    if (pipe(fd))
        return 1;
#pragma omp parallel
    {
        char c = 'x';
        int t = port_thread_num(), of = port_num_threads();

        if (t == of - 1) {
            for (int k = 0; k < of - 1; k++)
                if (write(fd[1], &c, 1) != 1)
                    woken = -100;
        } else if (read(fd[0], &c, 1) == 1) {
            (void)__atomic_fetch_add(&woken, 1, __ATOMIC_RELAXED);
        }
#pragma omp barrier
#pragma omp single
        woken = woken == of - 1;
    }
    printf("%d\n", woken);
    return 0;
}

/*
 * A loop calls functions with a region that is left alone: its threads have OpenMP's numbers.
 */
#include <tweed.h>
#include <omp.h>
#include <stdio.h>

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


enum { ROWS = 24, N = 97 };

static int x[ROWS][N];

static void inner(int *row)
{
#pragma omp parallel
    {
        int me = port_thread_num(), all = port_num_threads();

        for (int round = 0; round < 3; round++) {
            for (int i = me; i < N; i += all)
                row[i]++;
#pragma omp barrier
        }
    }
}

static void row_of(int k)
{
    if (k >= 0)
        inner(x[k]);
}

int main(void)
{
    int bad = 0;

#pragma omp parallel for
    for (int k = 0; k < ROWS; k++)
        row_of(k);
    for (int k = 0; k < ROWS; k++)
        for (int i = 0; i < N; i++)
            bad += x[k][i] != 3;
    printf("%d\n", bad);
    return 0;
}

/* What a loop's text does not show: left alone, but for the last two loops. */
#include <tweed.h>
#include <stdio.h>
#include <stdlib.h>
#include "outside.h"

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


static _Thread_local int mine;

static int my_number(void)
{
    return port_thread_num();
}

static int count_up(int i)
{
    mine += i;
    return i;
}

static int by_number(const int *x, int n)
{
    int got[2] = { 0, 0 };

    #pragma omp parallel for num_threads(2)
    for (int i = 0; i < n; i++)
        got[my_number()] += x[i];
    return got[0] + got[1];
}

TWEED_LOOP(main_loop, i, int, kept, int *, x, int *, y)
{
    kept = x[i];
    y[i] += kept;
}

TWEED_LOOP(main_loop_2, i, int *, x)
{
    x[i] += port_thread_num() * 0;
}

int main(void)
{
    enum { N = 60 };
    int x[N], y[N], sum = 0, total = 0, k = 1, kept = 0;

    SHARE
    for (int i = 0; i < N; i++)
        x[i] = i;
    _Pragma("omp parallel for")
    for (int i = 0; i < N; i++)
        y[i] = x[i];
    #pragma omp parallel for reduction(+: sum)
    for (int i = 0; i < N; i++)
        sum += number_of_mine(i);
    #pragma omp parallel for reduction(+: sum)
    for (int i = 0; i < N; i++)
        sum += count_up(i);
    #pragma omp parallel for
    for (int i = 0; i < N; i++)
        y[i] += MY_NUMBER * 0;
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
        ALONE
        total += x[i];
    }
    #pragma omp parallel
    {
        int at = mine - mine;

        #pragma omp for
        for (int i = 0; i < N; i++)
            y[i] += at;
    }
    #pragma omp parallel for firstprivate(k)
    for (int i = 0; i < N; i++) {
        y[i] += k * 0;
        k = i;
    }
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
        #pragma omp critical
        total += y[i];
    }
    main_loop(0, N, kept, x, y);
    #pragma omp parallel num_threads(2)
    {
        #pragma omp single
        kept = omp_get_num_threads() <= 2;
        #pragma omp for
        for (int i = 0; i < N; i++)
            y[i] += i;
    }
    #pragma omp parallel for
    for (int i = 0; i < N; i++)
        x[i] += __LINE__ > 0;
    main_loop_2(0, N, x);
    printf("%d %d %d %d %d %d %d\n", kept, sum, total, k, by_number(x, N), x[7], y[8]);
    return 0;
}

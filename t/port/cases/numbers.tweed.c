/*
 * numbers.c - omp_set_num_threads(): the pool is started anew where the number is another one.
 * num_threads(omp_get_max_threads()) says what is so without it.
 */
#include <tweed.h>
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

/* omp_set_num_threads() */
static inline void port_set_num_threads(int n)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;

    o.num_workers = n;
    if (tweed_pool_num_workers(NULL) != n) {
        (void)tweed_default_pool_shutdown();
        if (tweed_default_pool_configure(&o))
            o.num_workers = 0;
    }
}


enum { N = 1000 };

TWEED_SUM(long, sum_loop, i, const int *, of)
{
    return of[i];
}

static long sum(const int *of)
{
    long all = 0;

    all += sum_loop(0, N, of);
    return all;
}

TWEED_SUM(long, most_loop, i, const int *, of)
{
    return of[i];
}

TWEED_SUM(int, most_loop_2, i, const int *, of)
{
    return of[i] % 2;
}

TWEED_SUM(int, most_loop_3, i)
{
    return port_thread_num() < tweed_pool_num_workers(NULL);
}

static long most(const int *of)
{
    long all = 0;
    int known = 0, low = 0;

    all += most_loop(0, N, of);
    {
        known += most_loop_2(0, N, of);
    }
    low += most_loop_3(0, N);
    return all + known + low;
}

int main(void)
{
    int of[N];

    for (int i = 0; i < N; i++)
        of[i] = i;
    for (int n = 1; n <= 4; n++)
        for (int again = 0; again < 3; again++) {
            port_set_num_threads(n);
            printf("%d %ld %ld\n", tweed_pool_num_workers(NULL), sum(of), most(of));
        }
    return 0;
}

/* numbers.c - omp_set_num_threads(): the pool is started anew where the number is another one. */
#include <tweed.h>
#include <stdio.h>

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

int main(void)
{
    int of[N];

    for (int i = 0; i < N; i++)
        of[i] = i;
    for (int n = 1; n <= 4; n++)
        for (int again = 0; again < 3; again++) {
            port_set_num_threads(n);
            printf("%d %ld\n", tweed_pool_num_workers(NULL), sum(of));
        }
    return 0;
}

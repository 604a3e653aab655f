/*
 * overhead.c - what an empty loop and an index cost, beside OpenMP.
 *
 * SPDX-License-Identifier: MIT
 *
 * usage: overhead [rounds]
 *
 * Every figure is measured in each of `rounds` rounds, all runtimes in turn, with
 * 15 ms of silence (an idle OpenMP runtime spins into its neighbour's time) and a
 * warming loop before the clock starts.  Printed are the median and, as the
 * spread, the quartiles.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tweed.h>

#define INDICES 4000000 /* of a loop that shows the cost of an index */
#define EMPTY_LOOPS 20000
#define MOST_ROUNDS 101

typedef void loop_fn(int64_t n);

static tweed_pool *membarrier_pool, *exchange_pool;
static tweed_index_fn *volatile body; /* the compiler must not see through */

__attribute__((noinline)) static void nothing(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
    __asm__ __volatile__("");
}

__attribute__((noinline)) static void nothings(int64_t begin, int64_t end,
                                               void *arg)
{
    (void)arg;
    for (int64_t i = begin; i < end; i++)
        __asm__ __volatile__("");
}

static void serial(int64_t n)
{
    tweed_index_fn *f = body;

    for (int64_t i = 0; i < n; i++)
        f(i, NULL);
}

static void tweed_index_membarrier(int64_t n)
{
    tweed_parallel_for_with(membarrier_pool, NULL, 0, n, body, NULL);
}

static void tweed_range_membarrier(int64_t n)
{
    tweed_parallel_for_range_with(membarrier_pool, NULL, 0, n, nothings, NULL);
}

static void tweed_index_exchange(int64_t n)
{
    tweed_parallel_for_with(exchange_pool, NULL, 0, n, body, NULL);
}

static void tweed_range_exchange(int64_t n)
{
    tweed_parallel_for_range_with(exchange_pool, NULL, 0, n, nothings, NULL);
}

#ifdef _OPENMP
static void openmp_static(int64_t n)
{
    tweed_index_fn *f = body;

#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        f(i, NULL);
}

static void openmp_inlined(int64_t n)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        __asm__ __volatile__("");
}

static void openmp_dynamic(int64_t n)
{
    tweed_index_fn *f = body;

#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t i = 0; i < n; i++)
        f(i, NULL);
}
#endif

static const struct runtime {
    const char *name;
    loop_fn *loop;
    int64_t indices;
} runtimes[] = {
    { "serial, through a pointer", serial, INDICES },
    { "tweed index, membarrier", tweed_index_membarrier, INDICES },
    { "tweed index, exchange", tweed_index_exchange, INDICES },
    { "tweed range, membarrier", tweed_range_membarrier, INDICES },
    { "tweed range, exchange", tweed_range_exchange, INDICES },
#ifdef _OPENMP
    { "OpenMP static, through a pointer", openmp_static, INDICES },
    { "OpenMP static, inlined", openmp_inlined, INDICES },
    { "OpenMP dynamic,1, through a pointer", openmp_dynamic, INDICES / 10 },
#endif
};
#define RUNTIMES ((int)(sizeof runtimes / sizeof *runtimes))

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ns a loop of n indices, `loops` of them back to back. */
static double measure(const struct runtime *r, int64_t n, int loops)
{
    struct timespec silence = { 0, 15000000 };
    double start;

    nanosleep(&silence, NULL);
    r->loop(n);
    start = now();
    for (int k = 0; k < loops; k++)
        r->loop(n);
    return (now() - start) / loops;
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void print(double *figures, int n, const char *unit)
{
    qsort(figures, (size_t)n, sizeof *figures, ascending);
    printf("  %10.2f %s (%.2f to %.2f)", figures[n / 2], unit, figures[n / 4],
           figures[n - 1 - n / 4]);
}

int main(int argc, char **argv)
{
    static double index[RUNTIMES][MOST_ROUNDS], empty[RUNTIMES][MOST_ROUNDS];
    tweed_pool_options o = { .size = sizeof o };
    int rounds = argc > 1 ? atoi(argv[1]) : 9;

    if (rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "usage: overhead [rounds, 1 to %d]\n", MOST_ROUNDS);
        return 1;
    }
    body = nothing;
    o.fence = TWEED_FENCE_MEMBARRIER;
    if (tweed_pool_create(&membarrier_pool, &o) != TWEED_OK)
        return 1;
    o.fence = TWEED_FENCE_EXCHANGE;
    if (tweed_pool_create(&exchange_pool, &o) != TWEED_OK)
        return 1;
    for (int k = 0; k < rounds; k++)
        for (int r = 0; r < RUNTIMES; r++) {
            int64_t n = runtimes[r].indices;

            index[r][k] = measure(&runtimes[r], n, 3) / (double)n;
            empty[r][k] = measure(&runtimes[r], 2, EMPTY_LOOPS) / 1e3;
        }
    printf("%d workers, medians of %d rounds (quartiles)\n",
           tweed_pool_num_workers(membarrier_pool), rounds);
    for (int r = 0; r < RUNTIMES; r++) {
        printf("%-36s", runtimes[r].name);
        print(index[r], rounds, "ns an index");
        print(empty[r], rounds, "us a loop of 2");
        printf("\n");
    }
    return 0;
}

/*
 * runtime_tweed.c - tweed, as it is and in the mode without membarrier.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nothing is tuned: every option but the number of workers has its default.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tweed.h>

#include "bench.h"
#include "inlined.h"

/* The order of schedules[]. */
enum { DEFAULT, EXCHANGE, POOLS };

static tweed_pool *pools[POOLS];

static void version(char *text, size_t size)
{
    snprintf(text, size, "%s", tweed_version());
}

static int start(int workers)
{
    tweed_pool_options o = { .size = sizeof o, .num_workers = workers };

    if (tweed_pool_create(&pools[DEFAULT], &o) != TWEED_OK)
        return -1;
    o.fence = TWEED_FENCE_EXCHANGE;
    if (tweed_pool_create(&pools[EXCHANGE], &o) != TWEED_OK)
        return -1;
    /* fewer threads than asked for would be another measurement */
    return tweed_pool_num_workers(pools[DEFAULT]) == workers &&
                   tweed_pool_num_workers(pools[EXCHANGE]) == workers
               ? 0
               : -1;
}

/* A loop that was refused has not run: not to be measured. */
static void must(int code)
{
    if (code != TWEED_OK) {
        fprintf(stderr, "tweed: %s\n", tweed_strerror(code));
        abort();
    }
}

static void index_loop(int schedule, int64_t lo, int64_t hi, bench_index_fn *fn,
                       void *arg)
{
    must(tweed_parallel_for_with(pools[schedule], NULL, lo, hi, fn, arg));
}

static void inlined_loop(int schedule, enum bench_inlined body, int64_t lo,
                         int64_t hi, void *arg)
{
    static tweed_range_fn *const ranges[] = {
        [BENCH_NOOP] = bench_noops,
        [BENCH_TRIAD] = bench_triads,
        [BENCH_SAXPY] = bench_saxpys,
    };

    must(tweed_parallel_for_range_with(pools[schedule], NULL, lo, hi,
                                       ranges[body], arg));
}

static void counts(int schedule, struct bench_counts *c)
{
    tweed_stats s = { .size = sizeof s };

    must(tweed_stats_get(pools[schedule], -1, &s));
    c->loops = (double)s.loops;
    c->steals = (double)(s.steals_near + s.steals_far);
    c->fences = (double)s.heavy_fences;
    c->proposals = (double)s.proposals;
    c->returns = (double)s.returns;
}

static const char *const schedules[] = { "default", "exchange", NULL };

const struct bench_runtime bench_runtime = {
    .name = "tweed",
    .schedules = schedules,
    .nests = true,
    .callers = true,
    .version = version,
    .start = start,
    .index = index_loop,
    .inlined = inlined_loop,
    .worker = tweed_worker_index,
    .counts = counts,
};

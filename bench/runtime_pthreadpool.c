/*
 * runtime_pthreadpool.c - pthreadpool: shares of equal length, then steals of
 * one index (or tile) at a time.
 *
 * SPDX-License-Identifier: MIT
 *
 * Its indices are size_t and begin at 0, so lo is added here.  It has no form
 * of its own for an inlined body; a tile with the loop in it is what its users
 * write.  A body that starts a loop deadlocks.
 */
#include <pthreadpool.h>
#include <stdatomic.h>
#include <stdio.h>

#include "bench.h"
#include "inlined.h"

/* Enough tiles that a slow one can be made up for, few enough to be cheap. */
#define TILES_PER_WORKER 8

struct loop {
    int64_t lo;
    union {
        bench_index_fn *index;
        bench_range_fn *range;
    } body;
    void *arg;
};

static pthreadpool_t pool;

/*
 * No version that Debian has hands a thread's number to a body, so its threads
 * draw one when they are asked first.  Whoever starts a loop takes part in it
 * and is 0; loops run one after another, so nobody else is.
 */
static _Thread_local int number = -1;
static atomic_int numbers = 1;

static void version(char *text, size_t size)
{
    /* neither its header nor its library names one */
    snprintf(text, size, "(no version)");
}

static int start(int workers)
{
    pool = pthreadpool_create((size_t)workers);
    return pool && pthreadpool_get_threads_count(pool) == (size_t)workers ? 0
                                                                          : -1;
}

static size_t length(int64_t lo, int64_t hi)
{
    return hi > lo ? (size_t)(hi - lo) : 0;
}

static void call_index(void *arg, size_t i)
{
    const struct loop *loop = arg;

    loop->body.index(loop->lo + (int64_t)i, loop->arg);
}

static void call_range(void *arg, size_t begin, size_t indices)
{
    const struct loop *loop = arg;
    int64_t first = loop->lo + (int64_t)begin;

    loop->body.range(first, first + (int64_t)indices, loop->arg);
}

static void index_loop(int schedule, int64_t lo, int64_t hi, bench_index_fn *fn,
                       void *arg)
{
    struct loop loop = { .lo = lo, .body.index = fn, .arg = arg };

    (void)schedule;
    number = 0;
    pthreadpool_parallelize_1d(pool, call_index, &loop, length(lo, hi), 0);
}

static void range_loop(int schedule, int64_t lo, int64_t hi, bench_range_fn *fn,
                       void *arg)
{
    struct loop loop = { .lo = lo, .body.range = fn, .arg = arg };
    size_t tiles = TILES_PER_WORKER * pthreadpool_get_threads_count(pool);
    size_t indices = length(lo, hi);
    size_t tile = indices / tiles;

    (void)schedule;
    number = 0;
    pthreadpool_parallelize_1d_tile_1d(pool, call_range, &loop, indices,
                                       tile ? tile : 1, 0);
}

static void inlined_loop(int schedule, enum bench_inlined body, int64_t lo,
                         int64_t hi, void *arg)
{
    static bench_range_fn *const ranges[] = {
        [BENCH_NOOP] = bench_noops,
        [BENCH_TRIAD] = bench_triads,
        [BENCH_SAXPY] = bench_saxpys,
    };

    range_loop(schedule, lo, hi, ranges[body], arg);
}

static int worker(void)
{
    if (number < 0)
        number = atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed);
    return number;
}

static const char *const schedules[] = { "default", NULL };

const struct bench_runtime bench_runtime = {
    .name = "pthreadpool",
    .schedules = schedules,
    .nests = false,
    .callers = true,
    .version = version,
    .start = start,
    .index = index_loop,
    .inlined = inlined_loop,
    .worker = worker,
};

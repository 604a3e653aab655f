/*
 * pools.h - what tests of loops have in common: a watchdog, pools, what these count, and
 * loops of which every index is counted, as the proof that loops work here.
 *
 * SPDX-License-Identifier: MIT
 *
 * For C and C++.
 */
#ifndef TWEED_T_POOLS_H
#define TWEED_T_POOLS_H

#include "tap.h"
#include "watchdog.h"

#include <dirent.h>
#ifndef __cplusplus
#include <stdatomic.h>
#endif
#include <tweed.h>

static inline void nap_us(long us)
{
    struct timespec t = { us / 1000000, us % 1000000 * 1000 };

    nanosleep(&t, NULL);
}

static inline uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- pools ---- */

/* A pool of exactly so many workers. */
static inline tweed_pool *pool_with(tweed_pool_options o)
{
    tweed_pool *pool = NULL;

    o.size = sizeof o;
    if (tweed_pool_create(&pool, &o) != TWEED_OK)
        bail_out("no pool");
    if (o.num_workers && tweed_pool_num_workers(pool) != o.num_workers)
        bail_out("the system gives fewer threads than this test needs");
    return pool;
}

/* By default a pool of more workers than CPUs has another fence mode in loops: of these pools
   each second one has it. */
static inline tweed_pool *pool_of(int workers)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;

    o.num_workers = workers;
    o.fence = workers % 2 ? TWEED_FENCE_MEMBARRIER : TWEED_FENCE_DEFAULT;
    return pool_with(o);
}

static inline tweed_pool *pool_fenced(int workers, int fence)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;

    o.num_workers = workers;
    o.fence = fence;
    return pool_with(o);
}

/* With stacks of 8 MiB, as main()'s usually is; musl's other threads have 128 KiB. */
static inline tweed_pool *pool_deep(int workers, int fence)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;

    o.num_workers = workers;
    o.fence = fence;
    o.stack_bytes = 8 << 20;
    return pool_with(o);
}

static inline tweed_pool *pool_named(int workers, const char *name)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;

    o.num_workers = workers;
    o.name = name;
    return pool_with(o);
}

/* What all workers of a pool have stolen since it was created. */
static inline uint64_t steals(tweed_pool *pool)
{
    tweed_stats s = TWEED_STATS_INIT;

    must(tweed_stats_get(pool, -1, &s));
    return s.steals_near + s.steals_far;
}

/* How many threads this process has. */
static inline int count_threads(void)
{
    DIR *dir = opendir("/proc/self/task");
    struct dirent *entry;
    int n = 0;

    while (dir && (entry = readdir(dir)))
        n += entry->d_name[0] != '.';
    if (dir)
        closedir(dir);
    return n;
}

/* ---- loops ---- */

static inline void empty_body(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
}

#define COUNT_MOST 1000 /* fits on the smallest stack */

static inline void count_each(int64_t i, void *arg)
{
    unsigned char *count = (unsigned char *)arg;

    count[i]++;
}

static inline void count_range(int64_t begin, int64_t end, void *arg)
{
    unsigned char *count = (unsigned char *)arg;

    for (int64_t i = begin; i < end; i++)
        count[i]++;
}

/* A loop of n indices, n <= COUNT_MOST, by both calls: true if every index was
   executed once and nothing else. */
static inline int loops_are_right(tweed_pool *pool, int n)
{
    unsigned char count[COUNT_MOST + 2];

    for (int by_range = 0; by_range <= 1; by_range++) {
        int code;

        memset(count, 0, sizeof count);
        code = by_range
                   ? tweed_parallel_for_range_with(pool, NULL, 1, n + 1,
                                                   count_range, count)
                   : tweed_parallel_for_with(pool, NULL, 1, n + 1, count_each,
                                             count);
        if (code != TWEED_OK || count[0] || count[n + 1])
            return 0;
        for (int i = 1; i <= n; i++)
            if (count[i] != 1)
                return 0;
    }
    return 1;
}

#endif

/*
 * handle.c - every call notices a pool that was destroyed, and one that never was.
 *
 * SPDX-License-Identifier: MIT
 *
 * The handle of a pool that was destroyed stays a handle's memory, and for 256 more
 * pools it is no other's.
 */
#include "child.h"
#include "pools.h"

#include <errno.h>

#define KEPT 256       /* as tweed_pool_destroy() says */
#define CROWD 600      /* pools at the same time, more than handles at hand */
#define SUCCESSION 3000 /* pools one after the other */

/* The calls with arguments that are good but for the pool, and what came of them:
   1 if each said so and nothing was done. */
static int is_none(tweed_pool *pool)
{
    static unsigned char count[COUNT_MOST];
    tweed_loop_options o = { .size = sizeof o };
    tweed_stats s = { .size = sizeof s };
    FILE *f = tmpfile();
    int good = f != NULL;

    errno = 4321;
    good = good &&
           tweed_parallel_for_with(pool, NULL, 0, 9, count_each, count) ==
               TWEED_ENOPOOL &&
           tweed_parallel_for_range_with(pool, &o, 0, 9, count_range, count) ==
               TWEED_ENOPOOL &&
           tweed_parallel_for_with(pool, NULL, 5, 5, count_each, count) ==
               TWEED_ENOPOOL &&
           tweed_pool_num_workers(pool) == TWEED_ENOPOOL &&
           tweed_stats_get(pool, -1, &s) == TWEED_ENOPOOL &&
           tweed_stats_get(pool, 0, &s) == TWEED_ENOPOOL &&
           tweed_pool_dump(pool, fileno(f)) == TWEED_ENOPOOL &&
           tweed_pool_destroy(pool) == TWEED_ENOPOOL && errno == 4321;
    good = good && lseek(fileno(f), 0, SEEK_END) == 0;
    for (int i = 0; i < COUNT_MOST; i++)
        good &= count[i] == 0;
    if (f)
        fclose(f);
    return good;
}

/* Wrong arguments are told first, as with a pool. */
static int is_wrong(tweed_pool *pool)
{
    tweed_loop_options o = { .size = 1 };

    return tweed_parallel_for_with(pool, NULL, 0, 9, NULL, NULL) ==
               TWEED_EINVAL &&
           tweed_parallel_for_with(pool, &o, 0, 9, count_each, NULL) ==
               TWEED_EINVAL &&
           tweed_stats_get(pool, 0, NULL) == TWEED_EINVAL;
}

/* A pool that has run a loop and was destroyed. */
static tweed_pool *gone(int workers)
{
    tweed_pool *pool = pool_of(workers);

    if (!pool || tweed_pool_num_workers(pool) != workers ||
        !loops_are_right(pool, 100) ||
        tweed_pool_destroy(pool) != TWEED_OK)
        return NULL;
    return pool;
}

/* Pools come and go meanwhile, and none has its address. */
static int stays_none(tweed_pool *pool)
{
    int good = 1;

    for (int i = 0; i < KEPT; i++)
        good &= gone(1) != pool && is_none(pool);
    return good;
}

static int by_address(const void *a, const void *b)
{
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

    return (x > y) - (x < y);
}

static int distinct(uintptr_t *addresses, int n)
{
    int count = n > 0;

    qsort(addresses, (size_t)n, sizeof *addresses, by_address);
    for (int i = 1; i < n; i++)
        count += addresses[i] != addresses[i - 1];
    return count;
}

/* All at the same time; those that are left work on while others are destroyed. */
static int crowd(void)
{
    static uintptr_t addresses[CROWD];
    static tweed_pool *pools[CROWD];
    int good = 1;

    for (int i = 0; i < CROWD; i++) {
        pools[i] = pool_of(1);
        addresses[i] = (uintptr_t)pools[i];
        good &= pools[i] && loops_are_right(pools[i], 10);
    }
    good &= distinct(addresses, CROWD) == CROWD;
    for (int i = 0; i < CROWD; i += 2)
        good &= tweed_pool_destroy(pools[i]) == TWEED_OK;
    for (int i = 1; i < CROWD; i += 2)
        good &= loops_are_right(pools[i], 10) &&
                tweed_pool_num_workers(pools[i]) == 1;
    for (int i = 1; i < CROWD; i += 2)
        good &= tweed_pool_destroy(pools[i]) == TWEED_OK;
    for (int i = 0; i < CROWD; i++)
        good &= is_none(pools[i]);
    return good;
}

/* One after the other: their handles are used again. */
static int addresses_of_succession(void)
{
    static uintptr_t addresses[SUCCESSION];

    for (int i = 0; i < SUCCESSION; i++) {
        tweed_pool *pool = pool_of(1);

        addresses[i] = (uintptr_t)pool;
        if (!pool || tweed_pool_num_workers(pool) != 1 ||
            !loops_are_right(pool, 3) ||
            tweed_pool_destroy(pool) != TWEED_OK)
            return SUCCESSION + 1;
    }
    return distinct(addresses, SUCCESSION);
}

static int in_child(void *pool)
{
    return is_none(pool) && loops_are_right(NULL, 10) && is_none(pool) ? 0 : 1;
}

static int never_was(int byte)
{
    static union {
        unsigned char bytes[4096];
        max_align_t aligned;
    } memory;

    memset(&memory, byte, sizeof memory);
    if (!is_none((tweed_pool *)(void *)&memory))
        return 0;
    for (size_t i = 0; i < sizeof memory; i++)
        if (memory.bytes[i] != byte)
            return 0;
    return 1;
}

int main(void)
{
    tweed_pool *pool;
    int n;

    plan(10);
    watchdog();
    pool = gone(3);
    ok(pool && is_none(pool), "destroyed: TWEED_ENOPOOL from every call");
    ok(pool && is_wrong(pool), "wrong arguments are TWEED_EINVAL all the same");
    ok(loops_are_right(NULL, 100) && is_none(pool), "beside the default pool");
    ok(stays_none(pool), "and while %d others come and go", KEPT);
    ok(never_was(0) && never_was(0xff) && never_was('p'),
       "memory that never was a pool: TWEED_ENOPOOL, untouched");
    ok(crowd(), "%d pools at the same time", CROWD);
    n = addresses_of_succession();
    if (!ok(n <= CROWD + KEPT + 2, "%d pools in turn have few addresses",
            SUCCESSION))
        diag("%d addresses", n);
    pool = gone(2);
    ok(pool && is_none(pool), "destroyed, with the handle of a smaller pool");
    ok(stays_none(pool), "and while %d others come and go", KEPT);
    if (TWEED_HAVE_TSAN)
        skip(1, "ThreadSanitizer forbids threads in such a child");
    else
        ok(child_exited(child_run(in_child, pool), 0), "in a child, too");
    return done_testing();
}

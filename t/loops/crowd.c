/*
 * crowd.c - a crowd of thieves around one busy owner pays one fence a proposal.
 *
 * SPDX-License-Identifier: MIT
 *
 * The heavy fence is wrapped and takes as long as on a large machine.  Thieves
 * that take a proposal over from each other all pay one, and none gets anything.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "pools.h"
#include "base/tsan.h"

#include <stdbool.h>

bool __real_tweed__fence_heavy(void);
bool __wrap_tweed__fence_heavy(void);

static long fence_us;
static atomic_int fences;

bool __wrap_tweed__fence_heavy(void)
{
    atomic_fetch_add(&fences, 1);
    nap_us(fence_us);
    return __real_tweed__fence_heavy();
}

#define INDICES 4000

static atomic_uchar count[INDICES];
static atomic_int done, in_vain;

/* The first index lasts until all others are done: all of them are stolen from
   under it, or not at all. */
static void body(int64_t i, void *arg)
{
    (void)arg;
    atomic_fetch_add(&count[i], 1);
    if (i == 0)
        for (int k = 0; k < 600000 && atomic_load(&done) < INDICES - 1; k++)
            nap_us(100);
    if (i == 0 && atomic_load(&done) < INDICES - 1)
        atomic_store(&in_vain, 1);
    atomic_fetch_add(&done, 1);
}

static void crowd(int workers, long us, int rounds)
{
    tweed_pool *pool = pool_fenced(workers, TWEED_FENCE_MEMBARRIER);
    tweed_stats s = { .size = sizeof s };
    int good = 1;

    fence_us = us;
    atomic_store(&fences, 0);
    for (int r = 0; r < rounds; r++) {
        atomic_store(&done, 0);
        good &= tweed_parallel_for_with(pool, NULL, 0, INDICES, body, NULL) ==
                TWEED_OK;
        for (int i = 0; i < INDICES; i++)
            good &= atomic_exchange(&count[i], 0) == 1;
    }
    good &= !atomic_load(&in_vain);
    /* a thief counts a fence before it makes it, and its loop may end in between */
    for (int k = 0; k < 10000; k++) {
        must(tweed_stats_get(pool, -1, &s));
        if ((uint64_t)atomic_load(&fences) == s.heavy_fences)
            break;
        nap_us(1000);
    }
    ok(good, "%d workers, fences of %ld us: each index once", workers, us);
    if (atomic_load(&fences) == 0)
        skip(1, "no membarrier here");
    else if (!ok((uint64_t)atomic_load(&fences) == s.heavy_fences &&
                     s.heavy_fences <= 4 * s.proposals,
                 "%d workers, fences of %ld us: about one a proposal", workers,
                 us) ||
             getenv("VERBOSE"))
        diag("%llu fences for %llu proposals",
             (unsigned long long)s.heavy_fences,
             (unsigned long long)s.proposals);
    tweed_pool_destroy(pool);
}

int main(void)
{
    plan(6);
    watchdog();
    crowd(3, 50, 5);
    crowd(8, 50, 5);
    crowd(8, 200, 5);
    return done_testing();
}

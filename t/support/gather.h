/*
 * gather.h - all workers of a pool in bodies at the same time.
 *
 * SPDX-License-Identifier: MIT
 *
 * Shows that all are there, and that their threads have started: AddressSanitizer
 * allocates at the start of a thread, and its allocator does not survive a fork()
 * meanwhile.  A file that includes this defines TWEED_CALLS_APART_, since bodies meet.
 */
#ifndef TWEED_T_GATHER_H
#define TWEED_T_GATHER_H

#include <sched.h>
#include <stdatomic.h>
#include <tweed.h>

struct gathering {
    int workers;
    atomic_int arrived;
};

static void gather_body(int64_t i, void *arg)
{
    struct gathering *g = arg;

    (void)i;
    for (g->arrived++; g->arrived < g->workers;)
        sched_yield();
}

static inline int gather(tweed_pool *pool, int workers)
{
    struct gathering g = { .workers = workers };

    return tweed_parallel_for_with(pool, NULL, 0, workers, gather_body, &g) ==
           TWEED_OK;
}

#endif

/*
 * helped.h - a task that must be stolen, and one that only a join can help with.
 *
 * SPDX-License-Identifier: MIT
 *
 * Bodies meet here, as those of a program must not: a task that nobody steals then hangs
 * the test, and the watchdog ends it.
 */
#ifndef TWEED_T_HELPED_H
#define TWEED_T_HELPED_H

#include "meet.h"

#include <sched.h>

static atomic_int outer_begun, inner_begun;

TWEED_TASK(void, inner)
{
    atomic_store(&inner_begun, 1);
}

/* Of two workers the one that waits for this may have what it spawns, and nobody else. */
TWEED_TASK(void, outer, int, has_more)
{
    if (has_more)
        TWEED_SPAWN(inner);
    atomic_store(&outer_begun, 1);
    if (has_more) {
        until(&inner_begun, 1);
        TWEED_SYNC(inner);
    }
}

TWEED_TASK(void, waits, int, has_more)
{
    TWEED_SPAWN(outer, has_more);
    until(&outer_begun, 1);
    TWEED_SYNC(outer);
}

/* In a pool of two workers: the other one steals `outer`, and the caller `inner`, if there
   is more. */
static inline void run_stolen(tweed_pool *pool, int has_more)
{
    atomic_store(&outer_begun, 0);
    atomic_store(&inner_begun, 0);
    TWEED_RUN_ON(pool, waits, has_more);
}

#endif

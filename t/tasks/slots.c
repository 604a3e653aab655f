/*
 * slots.c - TWEED_RUN() while other calls have all slots of the pool.
 *
 * SPDX-License-Identifier: MIT
 *
 * One thread helps with a tree of tasks that is over already: it is still on its way there.
 * The next call gets the slot of that tree, and no other one is free.  So the call goes on
 * alone, and the helper must find nothing of it.
 *
 * What the helper does first and last, tweed__arena_begin() and tweed__arena_trim(),
 * is wrapped.
 */
/* Each loop is published: what is called through the library remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "child.h"
#include "meet.h"
#include "range/arena.h"
#include "pool/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define LEAVES 5000 /* more than the records that are open at first */

static tweed_pool *pool;
static atomic_int holds, arrived, full, first_over, spawned, left, over;
static _Thread_local int is_late;

bool __real_tweed__arena_begin(struct tweed__arena *r);
bool __wrap_tweed__arena_begin(struct tweed__arena *r);
void __real_tweed__arena_trim(struct tweed__arena *r);
void __wrap_tweed__arena_trim(struct tweed__arena *r);

bool __wrap_tweed__arena_begin(struct tweed__arena *r)
{
    if (is_late) {
        atomic_store(&arrived, 1);
        until(&spawned, 1);
    }
    return __real_tweed__arena_begin(r);
}

void __wrap_tweed__arena_trim(struct tweed__arena *r)
{
    __real_tweed__arena_trim(r);
    if (is_late && atomic_load(&spawned))
        atomic_store(&left, 1);
}

static void run_loop(void (*body)(int64_t i, void *arg), void *arg)
{
    tweed_loop_options o = { .size = sizeof o, .grain = 1 };

    must(tweed_parallel_for_with(pool, &o, 0, 2, body, arg));
}

/* ---- the tree that is helped too late ---- */

TWEED_TASK(void, nothing)
{
}

TWEED_TASK(void, first)
{
    TWEED_SPAWN(nothing); /* wakes the caller of the loop that this is in */
    until(&arrived, 1);
    until(&full, 1);
    TWEED_SYNC(nothing);
}

/* The pool's one thread has this tree; the caller has nothing to do, and helps. */
static void hold(int64_t i, void *arg)
{
    (void)i, (void)arg;
    if (tweed_worker_index() == 0) {
        until(&holds, 1);
        return;
    }
    atomic_store(&holds, 1);
    TWEED_RUN_ON(pool, first);
    atomic_store(&first_over, 1);
    until(&over, 1);
}

static void *wait_for_loop(void *arg)
{
    is_late = 1;
    run_loop(hold, NULL);
    return arg;
}

/* ---- all other slots ---- */

static void nest(int64_t i, void *arg)
{
    int *levels = arg;

    if (i > 0)
        return;
    if (--*levels > 0) {
        run_loop(nest, arg);
    } else {
        atomic_store(&full, 1);
        until(&over, 1);
    }
}

static void *take_slots(void *arg)
{
    int levels = TWEED__SLOTS - 2;

    until(&arrived, 1);
    run_loop(nest, &levels);
    return arg;
}

/* ---- the call that is alone ---- */

TWEED_TASK(int64_t, leaf, int64_t, k)
{
    return k;
}

TWEED_TASK(int64_t, second)
{
    int64_t sum = 0;

    for (int k = 0; k < LEAVES; k++)
        TWEED_SPAWN(leaf, k);
    atomic_store(&spawned, 1);
    until(&left, 1);
    for (int k = 0; k < LEAVES; k++)
        sum += TWEED_SYNC(leaf);
    return sum;
}

static int run_alone(void *arg)
{
    tweed_pool_options o = { .size = sizeof o, .num_workers = 2 };
    pthread_t waits, takes;
    int64_t sum;

    (void)arg;
    if (tweed_pool_create(&pool, &o) != TWEED_OK || tweed_pool_num_workers(pool) != 2 ||
        pthread_create(&waits, NULL, wait_for_loop, NULL) != 0 ||
        pthread_create(&takes, NULL, take_slots, NULL) != 0)
        return 2;
    until(&first_over, 1);
    sum = TWEED_RUN_ON(pool, second);
    atomic_store(&over, 1);
    pthread_join(waits, NULL);
    pthread_join(takes, NULL);
    return tweed_pool_destroy(pool) != TWEED_OK || sum != (int64_t)LEAVES * (LEAVES - 1) / 2;
}

int main(void)
{
    plan(1);
    ok(child_exited(child_run(run_alone, NULL), 0),
       "a helper that comes late to a slot leaves the next call's tasks alone");
    return done_testing();
}

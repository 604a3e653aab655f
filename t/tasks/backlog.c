/*
 * backlog.c - nobody who waits carries about what others have to do.
 *
 * SPDX-License-Identifier: MIT
 *
 * A hundred thousand tasks of one group are pending, and the pool's only thread is in a
 * task of another one.  How much a call does beside them is counted where it locks
 * something or asks for memory; both are wrapped.
 */
/* Each loop is published: what is called through the library remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "asleep.h"
#include "pools.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define PENDING 100000
#define MOST 1000 /* steps of a call */
#define FEW 10    /* ... after which what it waits for is over */

static tweed_pool *pool;
static atomic_int held, released, ran, steps, caller, calls;
static _Thread_local int is_counted;

int __real_pthread_mutex_unlock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock);
void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);

int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock)
{
    atomic_fetch_add(&steps, is_counted);
    return __real_pthread_mutex_unlock(lock);
}

void *__wrap_malloc(size_t bytes)
{
    atomic_fetch_add(&steps, is_counted);
    return __real_malloc(bytes);
}

/* ---- what is pending, and the group beside it ---- */

static tweed_group others = TWEED_GROUP_INIT, own = TWEED_GROUP_INIT;

static int note(void *arg)
{
    (void)arg;
    atomic_fetch_add(&ran, 1);
    return 0;
}

/* Until the call that waits for it has done little, or sleeps. */
static int hold(void *arg)
{
    (void)arg;
    atomic_store(&held, 1);
    while (!atomic_load(&calls))
        nap_us(500);
    while (atomic_load(&steps) < FEW && !thread_is_asleep(atomic_load(&caller)))
        sched_yield();
    return 0;
}

static int hold_on(void *arg)
{
    (void)arg;
    atomic_store(&held, 1);
    while (!atomic_load(&released))
        nap_us(500);
    return 0;
}

static void begin(tweed_task_fn *task)
{
    pool = pool_of(2);
    others = own = (tweed_group)TWEED_GROUP_INIT;
    others.pool = own.pool = pool;
    atomic_store(&held, 0);
    atomic_store(&released, 0);
    atomic_store(&calls, 0);
    atomic_store(&ran, 0);
    atomic_store(&steps, 0);
    atomic_store(&caller, thread_number());
    must(tweed_group_spawn(&own, task, NULL));
    while (!atomic_load(&held))
        nap_us(100);
    for (int k = 0; k < PENDING; k++)
        must(tweed_group_spawn(&others, note, NULL));
}

/* All of both are executed in the end. */
static int end(void)
{
    atomic_store(&released, 1);
    must(tweed_group_sync(&own));
    must(tweed_group_sync(&others));
    must(tweed_pool_destroy(pool));
    return atomic_load(&ran) == PENDING;
}

/* ---- the calls ---- */

static void run_loop(void)
{
    tweed_loop_options o = { .size = sizeof o, .grain = 1 };

    must(tweed_parallel_for_with(pool, &o, 0, 2, empty_body, NULL));
}

static void sync_own(void)
{
    must(tweed_group_sync(&own));
}

static void try_one(void)
{
    if (tweed_pool_try_one(pool) != 1)
        bail_out("there is no task to try");
}

static void measure(const char *what, tweed_task_fn *task, void (*call)(void))
{
    int n;

    begin(task);
    is_counted = 1;
    atomic_store(&calls, 1);
    call();
    is_counted = 0;
    n = atomic_load(&steps);
    if (!ok(n < MOST, "%s: a few steps beside %d tasks of another group", what, PENDING))
        diag("%d locks and allocations", n);
    ok(end(), "... all of which are executed, once");
}

int main(void)
{
    plan(3 * 2);
    watchdog();
    measure("a loop", hold_on, run_loop);
    measure("sync of one task", hold, sync_own);
    measure("tweed_pool_try_one()", hold_on, try_one);
    return done_testing();
}

/*
 * registry.c - all pools of the process: their handles, fork and exit.
 *
 * SPDX-License-Identifier: MIT
 *
 * The registry is a list under one mutex.  The mutex is taken to start, to create and
 * to destroy pools, by fork() and at exit; never by a loop on a pool that runs.
 *
 * FORK.  The child has none of its parent's threads, and the words of the parent's teams
 * may have any values there.  So in the child every pool loses its team, and starts a new
 * one, with a heavy fence registered anew, when the pool is next used.  The old team's
 * memory is freed, unless fork() was called from a function that tweed has called: a
 * body, a task, a condition, a hook, weights, a report of progress.  tweed's call of that
 * function still stands on the thread's stack, and may use the team if the function
 * returns.
 *
 * HANDLES.  A program may use a handle after it has destroyed the pool.  So handles
 * are not given back to the heap.  The memory stays a handle's, its mark says that the
 * handle is no pool, and it is used for another pool only after MOST_RETIRED other handles
 * have been destroyed.  A program must not use a pool that is just being destroyed: the
 * team's memory is freed.
 *
 * EXIT.  Threads are not stopped at exit: bodies may be running, and exit() may
 * have been called by one of them.  Threads end with the process, and dlclose() does not
 * take the code away from under them (pin.c).
 */
#include "config.h"

#include "base/check.h"
#include "base/number.h"
#include "base/options.h"
#include "base/print.h"
#include "base/shield.h"
#include "log/label.h"
#include "pool/above.h"
#include "pool/here.h"
#include "pool/pool.h"
#include "range/fence.h"
#include "system/topology.h"

#include <stdlib.h>

static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static tweed_pool *pools; /* under registry, as all below */

/* A signal handler that interrupts a thread with the lock would wait for ever. */
static void lock(void)
{
    if (unlikely(tweed__self.locks))
        tweed__handler_called();
    pthread_mutex_lock(&registry);
    tweed__self.locks = true;
}

static void unlock(void)
{
    tweed__self.locks = false;
    pthread_mutex_unlock(&registry);
}

/* How many times the handlers below are in force for this thread's fork(): they
   may have been registered more than once, see tweed__registry_lock(). */
static _Thread_local int handlers;

static void before_fork(void)
{
    if (handlers++ == 0) {
        lock();
        tweed__trace_before_fork();
        tweed__label_before_fork();
    }
}

static void after_fork_in_parent(void)
{
    if (--handlers == 0) {
        tweed__label_after_fork();
        tweed__trace_after_fork(false);
        unlock();
    }
}

static void after_fork_in_child(void)
{
    bool called = is_called();

    if (--handlers > 0)
        return;
    tweed__fence_after_fork();
    /* relaxed, all: the child has one thread so far */
    for (int k = 0; k < TWEED__AWAKE_PARTS; k++)
        store_relaxed(&tweed__awake[k].threads, 0);
    for (tweed_pool *p = pools; p; p = p->next) {
        struct tweed__team *team = load_relaxed(&p->team);

        store_relaxed(&p->team, NULL);
        store_relaxed(&p->closing, 0);
        if (team && called)
            store_relaxed(&team->stop, 1); /* if this thread is the team's it ends */
        else if (team)
            tweed__team_free(team);
    }
    if (!called) {
        tweed__self.worker = NULL; /* the team is no more */
        tweed__trace_worker(NULL);
    }
    tweed__number_after_fork();
    tweed__label_after_fork();
    tweed__profile_forget();
    tweed__trace_after_fork(true);
    unlock();
}

/* 1: fork() calls the handlers. */
static _Atomic uint32_t forks_are_followed;

/* The handlers of fork() are registered before the lock is taken for the first time: else
   a fork() in between would leave the child with a lock that no thread opens.  (If fork()
   comes before the word is written the child registers again, and has the handlers twice;
   so has a process of which two threads come here at the same time.)  If there is no
   memory for them, no team starts, and the next call tries again. */
void tweed__registry_lock(void)
{
    /* acquire, release: a thread that sees the word has the handlers */
    if (!load_acquire(&forks_are_followed) &&
        pthread_atfork(before_fork, after_fork_in_parent,
                       after_fork_in_child) == 0)
        store_release(&forks_are_followed, 1);
    lock();
}

void tweed__registry_unlock(void)
{
    unlock();
}

bool tweed__registry_follows_forks(void)
{
    return load_relaxed(&forks_are_followed); /* relaxed: the lock was taken first */
}

/* ---- the list ---- */

void tweed__registry_add(tweed_pool *pool)
{
    pool->next = pools;
    pools = pool;
}

bool tweed__registry_has(const tweed_pool *pool)
{
    const tweed_pool *p = pools;

    while (p && p != pool)
        p = p->next;
    return p != NULL;
}

tweed_pool *tweed__registry_next(const tweed_pool *pool)
{
    return pool ? pool->next : pools;
}

void tweed__registry_remove(tweed_pool *pool)
{
    tweed_pool **at = &pools;

    while (*at != pool)
        at = &(*at)->next;
    *at = pool->next;
}

/* ---- handles ---- */

#define MOST_RETIRED 256

/* Handles of pools that were destroyed, the oldest first. */
static tweed_pool *retired, **last_retired = &retired;
static int num_retired;

/* The first ones need no memory. */
tweed_pool *tweed__handle_new(void)
{
    static tweed_pool first[MOST_RETIRED];
    static int used;
    tweed_pool *pool = retired;

    if (used < MOST_RETIRED)
        return &first[used++];
    if (num_retired <= MOST_RETIRED)
        return calloc(1, sizeof *pool);
    retired = pool->next; /* there are more: last_retired stays right */
    num_retired--;
    return pool;
}

void tweed__handle_retire(tweed_pool *pool)
{
    store_relaxed(&pool->mark, 0); /* see pool_is_known() */
    free(pool->settings.cpus);
    pool->settings.cpus = NULL;
    store_relaxed(&pool->team, NULL);
    pool->progress = NULL;
    pool->next = NULL; /* closing stays: a call may be about to look at it */
    *last_retired = pool;
    last_retired = &pool->next;
    num_retired++;
}

/* ---- the end of the process ---- */

/* Prints the tables of TWEED_STATS=1, and what was left undone.  Other threads may be anywhere, in a loop or
   starting a pool; the lock is never held for long, nor while bodies run. */
__attribute__((destructor)) static void at_exit(void)
{
    struct shield shield = shield_up();

    tweed__registry_lock();
    tweed__topology_close();
    if (pools && tweed__option(TWEED__STATS)->number)
        for (tweed_pool *p = pools; p; p = p->next) {
            struct tweed__team *team = load_relaxed(&p->team); /* the mutex */

            if (!team)
                continue;
            tweed__table_print(team, p->settings.name, tweed__stderr());
            tweed__table_undone(team, p->settings.name, tweed__stderr());
        }
    if (tweed__profile_was_asked())
        tweed__table_print_loops(tweed__stderr());
    tweed__registry_unlock();
    shield_down(shield);
}

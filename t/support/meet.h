/*
 * meet.h - threads and bodies that wait for each other.
 *
 * SPDX-License-Identifier: MIT
 *
 * A file that includes this, and in which bodies meet, defines TWEED_CALLS_APART_ first: what
 * is called through the library remembers no cost, and so each loop is published.
 */
#ifndef TWEED_T_MEET_H
#define TWEED_T_MEET_H

#include "pools.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static inline void until(atomic_int *count, int least)
{
    while (atomic_load(count) < least)
        sched_yield();
}

/*
 * All workers of a pool in bodies at the same time.  Shows that all are there, and that
 * their threads have started: AddressSanitizer allocates at the start of a thread, and its
 * allocator does not survive a fork() meanwhile.
 */
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

/*
 * Keeps every worker of a pool inside a body, a thread of its own being worker
 * 0: a loop that is started meanwhile gets no help.
 *
 * Each worker that joins claims its own share of one block first and does not
 * come out of it, so there is never anybody to steal: all do come.
 */
struct occupier {
    tweed_pool *pool;
    atomic_int inside, leave;
    pthread_t thread;
};

static inline void occupier_body(int64_t i, void *arg)
{
    struct occupier *o = arg;

    (void)i;
    atomic_fetch_add(&o->inside, 1);
    while (!atomic_load(&o->leave))
        nap_us(200);
}

static inline void *occupier_main(void *arg)
{
    struct occupier *o = arg;

    must(tweed_parallel_for_with(o->pool, NULL, 0,
                                 tweed_pool_num_workers(o->pool), occupier_body,
                                 o));
    return NULL;
}

static inline void occupy(struct occupier *o, tweed_pool *pool)
{
    o->pool = pool;
    atomic_init(&o->inside, 0);
    atomic_init(&o->leave, 0);
    if (pthread_create(&o->thread, NULL, occupier_main, o) != 0)
        bail_out("no thread");
    while (atomic_load(&o->inside) < tweed_pool_num_workers(pool))
        nap_us(200);
}

static inline void occupier_end(struct occupier *o)
{
    atomic_store(&o->leave, 1);
    pthread_join(o->thread, NULL);
}

#endif

/*
 * pools.h - what tests of loops have in common: pools, a watchdog, and a way to
 * keep all workers of a pool busy.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_POOLS_H
#define TWEED_T_POOLS_H

#include "tap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <tweed.h>
#include <unistd.h>

__attribute__((__noreturn__)) static inline void bail_out(const char *why)
{
    printf("Bail out! %s\n", why);
    exit(99);
}

/* Kills a test that hangs; far more than it needs on a slow machine under a
   slow sanitizer. */
static inline void watchdog(void)
{
    alarm(300);
}

static inline void nap_us(long us)
{
    struct timespec t = { 0, us * 1000 };

    nanosleep(&t, NULL);
}

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

static inline tweed_pool *pool_of(int workers, int fence)
{
    return pool_with((tweed_pool_options){ .num_workers = workers,
                                           .fence = fence });
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

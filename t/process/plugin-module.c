/*
 * plugin-module.c - a plugin that has the library inside, for plugin.c.
 *
 * SPDX-License-Identifier: MIT
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "plugin.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define INDICES 100

struct loop {
    atomic_int arrived, workers;
    unsigned char count[INDICES];
};

/* The first body of each worker waits for the others: all come. */
static void body(int64_t i, void *arg)
{
    struct loop *l = arg;

    l->count[i]++;
    for (l->arrived++; l->arrived < l->workers;)
        sched_yield();
}

/* On a pool whose threads spin for a second after it, and which is left as it is. */
int plugin_run(void)
{
    tweed_pool_options o = { .size = sizeof o, .num_workers = 3 };
    struct loop l = { .workers = 3 };
    tweed_pool *pool;
    int good;

    o.spin_ns = 1000000000;
    if (tweed_pool_create(&pool, &o) != TWEED_OK)
        return 0;
    l.workers = tweed_pool_num_workers(pool);
    good = tweed_parallel_for_with(pool, NULL, 0, INDICES, body, &l) ==
           TWEED_OK;
    for (int i = 0; i < INDICES; i++)
        good &= l.count[i] == 1;
    return good;
}

int plugin_rest(void)
{
    return tweed_worker_index() == -1;
}

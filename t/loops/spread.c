/*
 * spread.c - workers spread over the loops of several callers.
 *
 * SPDX-License-Identifier: MIT
 *
 * All workers of a pool that has run one loop come at the same time to the loops of three
 * callers, whose bodies wait.  So each loop keeps the workers that have come to it, and they
 * can be counted.
 */
#define TWEED_CALLS_APART_ 1 /* bodies wait for each other */
#include "pools.h"

#include <pthread.h>
#include <sched.h>

#define WORKERS 7 /* and as many indices, so that a loop has a place for each */
#define CALLERS 3
#define ROUNDS 4

static tweed_pool *pool;
static atomic_int callers, inside[CALLERS], held, go;
static int came[CALLERS]; /* what was inside when all had come */

struct loop {
    int number;
    pthread_t thread;
};

/* Counts itself, and stays until all are there. */
static void stay(int64_t i, void *arg)
{
    const struct loop *l = arg;

    (void)i;
    if (tweed_worker_index() > 0)
        inside[l->number]++;
    else
        callers++;
    while (!go)
        sched_yield();
}

static void *call(void *arg)
{
    must(tweed_parallel_for_with(pool, NULL, 0, WORKERS, stay, arg));
    return NULL;
}

static void hold(int64_t i, void *arg)
{
    (void)i, (void)arg;
    held++;
    while (callers < CALLERS)
        sched_yield();
}

static void *hold_all(void *unused)
{
    must(tweed_parallel_for_with(pool, NULL, 0, WORKERS, hold, NULL));
    return unused;
}

static int sum(void)
{
    int n = 0;

    for (int k = 0; k < CALLERS; k++)
        n += inside[k];
    return n;
}

/* While all workers are in another loop three are begun. */
static void come(void)
{
    struct loop loops[CALLERS];
    pthread_t holder;

    callers = held = go = 0;
    for (int k = 0; k < CALLERS; k++)
        inside[k] = 0;
    must(pthread_create(&holder, NULL, hold_all, NULL));
    while (held < WORKERS)
        sched_yield();
    for (int k = 0; k < CALLERS; k++) {
        loops[k].number = k;
        must(pthread_create(&loops[k].thread, NULL, call, &loops[k]));
    }
    while (sum() < WORKERS - 1)
        sched_yield();
    for (int k = 0; k < CALLERS; k++)
        came[k] = inside[k];
    go = 1;
    pthread_join(holder, NULL);
    for (int k = 0; k < CALLERS; k++)
        pthread_join(loops[k].thread, NULL);
}

int main(void)
{
    watchdog();
    plan(ROUNDS);
    for (int r = 0; r < ROUNDS; r++) {
        pool = pool_of(WORKERS);
        come();
        /* (who comes while the loop before is about to end goes by four loops) */
        ok(came[0] > 0 && came[1] > 0 && came[2] > 0,
           "six workers come to three loops: %d, %d and %d", came[0], came[1], came[2]);
        must(tweed_pool_destroy(pool));
    }
    return done_testing();
}

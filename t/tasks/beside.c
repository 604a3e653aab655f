/*
 * beside.c - groups beside each other: in several pools, of several loops, by several
 * callers.
 *
 * SPDX-License-Identifier: MIT
 */
#define TWEED_CALLS_APART_ 1 /* bodies meet */
#include "config.h"

#include "pool/sleep.h"

#include "../support/pools.h"
#include "../support/tap.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

static tweed_group group_on(tweed_pool *pool)
{
    tweed_group g = TWEED_GROUP_INIT;

    g.pool = pool;
    return g;
}

static _Atomic int ran;

static int note(void *arg)
{
    (void)arg;
    atomic_fetch_add(&ran, 1);
    return 0;
}

/* ---- two pools ---- */

/* The caller is in a task of one pool, and comes to another and back. */
static int use_other(void *arg)
{
    tweed_group g = group_on(arg);

    must(tweed_group_spawn(&g, note, NULL));
    return tweed_group_sync(&g);
}

static bool to_another_pool(int workers)
{
    tweed_pool *pool = pool_of(workers), *other = pool_of(workers);
    tweed_group g = group_on(pool);

    atomic_store(&ran, 0);
    for (int i = 0; i < 50; i++)
        must(tweed_group_spawn(&g, use_other, other));
    must(tweed_group_sync(&g));
    must(tweed_pool_destroy(other));
    return tweed_pool_destroy(pool) == TWEED_OK && atomic_load(&ran) == 50;
}

/* ---- a group that outlives the loop in whose body it was made ---- */

static tweed_group longer;

static void wait_a_little(int64_t i, void *arg)
{
    (void)i, (void)arg;
    nap_us(100);
}

static int run_a_loop(void *arg)
{
    return tweed_parallel_for_with(arg, NULL, 0, 4, wait_a_little, NULL);
}

/* When that loop is over: makes a group of its own, whose task runs a loop, in the slot
   that the other one had. */
static int sync_another(void *arg)
{
    tweed_group g = group_on(arg);

    must(tweed_group_spawn(&g, run_a_loop, arg));
    return tweed_group_sync(&g);
}

static void spawn_first(int64_t i, void *arg)
{
    if (i == 0)
        must(tweed_group_spawn(&longer, note, arg));
    nap_us(500);
}

static bool outlives_its_loop(void)
{
    bool right = true;

    for (int round = 0; round < 20; round++) {
        tweed_pool *pool = pool_of(4);

        longer = group_on(pool);
        must(tweed_parallel_for_with(pool, NULL, 0, 16, spawn_first, pool));
        must(tweed_group_spawn(&longer, sync_another, pool));
        right &= tweed_group_sync(&longer) == TWEED_OK;
        right &= tweed_pool_destroy(pool) == TWEED_OK;
    }
    return right;
}

/* ---- more groups than there are families for ---- */

#define GROUPS 140000

static tweed_group groups[GROUPS];

static bool very_many(void)
{
    tweed_pool *pool = pool_of(2);

    atomic_store(&ran, 0);
    for (int i = 0; i < GROUPS; i++) {
        groups[i] = group_on(pool);
        must(tweed_group_spawn(&groups[i], note, NULL));
    }
    for (int i = 0; i < GROUPS; i++)
        must(tweed_group_sync(&groups[i]));
    return tweed_pool_destroy(pool) == TWEED_OK && atomic_load(&ran) == GROUPS;
}

/* ---- all who sleep are woken ---- */

static _Atomic int inside, met;

/* All are there at the same time: or nobody comes out of it. */
static int meet(void *arg)
{
    const int *n = arg;

    atomic_fetch_add(&inside, 1);
    while (!atomic_load(&met))
        if (atomic_load(&inside) >= *n)
            atomic_store(&met, 1);
        else
            nap_us(100);
    return note(NULL);
}

static bool all_come(int workers)
{
    tweed_pool *pool = pool_fenced(workers, workers == 4 ? TWEED_FENCE_EXCHANGE : 0);
    tweed_group g = group_on(pool);

    atomic_store(&ran, 0);
    for (int round = 0; round < 10; round++) {
        atomic_store(&inside, 0);
        atomic_store(&met, 0);
        nap_us(5000); /* they fall asleep */
        for (int i = 0; i < 3 * workers; i++)
            must(tweed_group_spawn(&g, meet, &workers));
        must(tweed_group_sync(&g));
    }
    return tweed_pool_destroy(pool) == TWEED_OK && atomic_load(&ran) == 30 * workers;
}

/* ---- jobs behind others ---- */

static tweed_group hidden, other;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int spawned;

/* Spawns one for another group, then one for the caller's, and waits for the caller's lock:
   the caller comes to the second one. */
static int spawn_both(void *arg)
{
    (void)arg;
    must(tweed_group_spawn(&other, note, NULL));
    must(tweed_group_spawn(&hidden, note, NULL));
    atomic_store(&spawned, 1);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

static bool behind_another(void)
{
    bool right = true;

    for (int round = 0; round < 50; round++) {
        tweed_pool *pool = pool_of(2);

        other = group_on(pool);
        hidden = group_on(pool);
        atomic_store(&spawned, 0);
        pthread_mutex_lock(&lock);
        must(tweed_pool_submit(pool, spawn_both, NULL));
        while (!atomic_load(&spawned))
            nap_us(50);
        right &= tweed_group_sync(&hidden) == TWEED_OK;
        pthread_mutex_unlock(&lock);
        right &= tweed_group_sync(&other) == TWEED_OK && tweed_pool_drain(pool) == TWEED_OK;
        right &= tweed_pool_destroy(pool) == TWEED_OK;
    }
    return right;
}

/* ---- who is counted as awake ---- */

static _Atomic int begun, let;

static int until_let(void *arg)
{
    (void)arg;
    atomic_store(&begun, 1);
    while (!atomic_load(&let))
        sched_yield();
    return 0;
}

/* The worker sleeps in the other pool, whose worker has the task: then one is awake. */
static void sync_or_watch(int64_t i, void *arg)
{
    (void)i;
    if (tweed_worker_index() > 0) {
        atomic_store(&begun, 2);
        must(tweed_group_sync(arg));
        return;
    }
    while (atomic_load(&begun) < 2 || awake_all() != 1)
        sched_yield();
    atomic_store(&let, 1);
}

/* (A worker that is taken for a thread from outside is counted on.  Then this hangs.) */
static bool counts_those_awake(void)
{
    tweed_pool *here = pool_of(2), *there = pool_of(2);
    tweed_group g = group_on(there);

    must(tweed_group_spawn(&g, until_let, NULL));
    while (!atomic_load(&begun))
        sched_yield();
    must(tweed_parallel_for_with(here, NULL, 0, 2, sync_or_watch, &g));
    must(tweed_group_sync(&g));
    return tweed_pool_destroy(here) == TWEED_OK && tweed_pool_destroy(there) == TWEED_OK;
}

int main(void)
{
    watchdog();
    plan(8);
    ok(counts_those_awake(), "a worker that sleeps in another pool is not awake");
    ok(to_another_pool(1) && to_another_pool(2), "to another pool, and back");
    ok(outlives_its_loop(), "a group that outlives the loop it was made in");
    ok(very_many(), "%d groups", GROUPS);
    ok(all_come(2), "2 workers that slept meet");
    ok(all_come(4), "4 workers that slept meet");
    ok(all_come(8), "8 workers that slept meet");
    ok(behind_another(), "a job that lies behind one of another group");
    return done_testing();
}

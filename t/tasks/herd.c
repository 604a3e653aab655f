/*
 * herd.c - a submitted task wakes one that may execute it, and not all who sleep.
 *
 * SPDX-License-Identifier: MIT
 *
 * Many threads sync groups of theirs, whose tasks are being executed: they may not execute
 * what is submitted.  One worker is free.  How many threads each task wakes is counted where
 * the system is called for that, which is wrapped.
 */
#include "config.h"

#include "dozing.h"
#include "pool/pool.h"
#include "pools.h"

#include <pthread.h>

#define HERD 24
#define JOBS 20
#define MOST 4 /* threads that a task may wake, on average */

static tweed_pool *pool;
static atomic_int woken, held, over, jobs;

int __real_tweed__futex_wake(_Atomic uint32_t *word, int n, uint32_t mask);
int __wrap_tweed__futex_wake(_Atomic uint32_t *word, int n, uint32_t mask);

int __wrap_tweed__futex_wake(_Atomic uint32_t *word, int n, uint32_t mask)
{
    int some = __real_tweed__futex_wake(word, n, mask);

    atomic_fetch_add(&woken, some > 0 ? some : 0);
    return some;
}

static int hold(void *arg)
{
    (void)arg;
    atomic_fetch_add(&held, 1);
    while (!atomic_load(&over))
        nap_us(2000);
    return 0;
}

static void *wait_for_one(void *arg)
{
    tweed_group g = { .pool = pool };

    must(tweed_group_spawn(&g, hold, NULL));
    while (atomic_load(&held) < HERD)
        nap_us(1000);
    must(tweed_group_sync(&g));
    return arg;
}

static int job(void *arg)
{
    (void)arg;
    atomic_fetch_add(&jobs, 1);
    return 0;
}

static void until_all_sleep(void)
{
    while (threads_dozing(tweed__pool_team(pool)) < HERD + 1)
        nap_us(100);
    nap_us(1000); /* they have said so, and are about to */
}

static void submit_some(void)
{
    for (int k = 1; k <= JOBS; k++) {
        until_all_sleep();
        must(tweed_pool_submit(pool, job, NULL));
        while (atomic_load(&jobs) < k)
            nap_us(100);
    }
    until_all_sleep();
}

int main(void)
{
    pthread_t threads[HERD];
    int n;

    plan(1);
    watchdog();
    pool = pool_with((tweed_pool_options){ .num_workers = 1 + HERD + 1, .spin_ns = -1 });
    for (int i = 0; i < HERD; i++)
        if (pthread_create(&threads[i], NULL, wait_for_one, NULL) != 0)
            bail_out("no thread");
    while (atomic_load(&held) < HERD)
        nap_us(1000);
    until_all_sleep();
    atomic_store(&woken, 0);
    submit_some();
    n = atomic_load(&woken);
    if (!ok(n <= MOST * JOBS, "of %d who sleep few are woken for a task that one may have",
            HERD + 1))
        diag("%d tasks, %d threads woken", JOBS, n);
    atomic_store(&over, 1);
    for (int i = 0; i < HERD; i++)
        pthread_join(threads[i], NULL);
    must(tweed_pool_destroy(pool));
    return done_testing();
}

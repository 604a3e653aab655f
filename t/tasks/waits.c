/*
 * waits.c - whoever waits helps with what is inside of that, again and again, and wakes
 * nobody for nothing.
 *
 * SPDX-License-Identifier: MIT
 *
 * Bodies meet here, as those of a program must not: a task that nobody begins hangs the
 * test, and the watchdog of its process ends that.
 */
/* Each loop is published: what is called through the library remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "sanitized.h"
#define CHILD_SECONDS (HAVE_RUNTIME_SANITIZER ? 100 : 20)
#include "asleep.h"
#include "child.h"
#include "dozing.h"
#include "meet.h"
#include "pool/pool.h"
#include "range/arena.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static tweed_pool *pool;

/* Where a worker is when it was woken, and who helps with tasks when it has found none. */
void __real_tweed__futex_wait(_Atomic uint32_t *word, uint32_t value, uint32_t mask);
void __wrap_tweed__futex_wait(_Atomic uint32_t *word, uint32_t value, uint32_t mask);
void __real_tweed__arena_trim(struct tweed__arena *r);
void __wrap_tweed__arena_trim(struct tweed__arena *r);
static atomic_int holds_woken, opened, looked, spawned;
static _Thread_local int is_waiter;

void __wrap_tweed__futex_wait(_Atomic uint32_t *word, uint32_t value, uint32_t mask)
{
    __real_tweed__futex_wait(word, value, mask);
    while (atomic_load(&holds_woken) && tweed__self.worker)
        sched_yield();
}

void __wrap_tweed__arena_trim(struct tweed__arena *r)
{
    __real_tweed__arena_trim(r);
    if (is_waiter) {
        atomic_store(&looked, 1);
        until(&spawned, 1);
    }
}

static void begin(int workers)
{
    tweed_pool_options o = { .size = sizeof o, .num_workers = workers, .spin_ns = -1 };

    must(tweed_pool_create(&pool, &o));
    if (tweed_pool_num_workers(pool) != workers)
        exit(2);
}

static void run_loop(int max_workers, void (*body)(int64_t i, void *arg))
{
    tweed_loop_options o = { .size = sizeof o, .grain = 1, .max_workers = max_workers };

    must(tweed_parallel_for_with(pool, &o, 0, 2, body, NULL));
}

/* ---- tasks inside, two of which are always executed at the same time ---- */

#define PAIRS 50

static atomic_int met, begun, waiter;

static int meet(void *arg)
{
    int me = atomic_fetch_add(&met, 1) + 1;

    (void)arg;
    until(&met, me + me % 2);
    return 0;
}

static void sync_pairs(void)
{
    tweed_group g = { .pool = pool };

    atomic_store(&opened, 1);

    for (int k = 0; k < 2 * PAIRS; k++)
        must(tweed_group_spawn(&g, meet, NULL));
    must(tweed_group_sync(&g));
}

TWEED_TASK(void, leaf)
{
    atomic_fetch_add(&begun, 1);
}

/* The first one is spawned when the other thread has looked for it, the others when that
   sleeps, which has to steal them. */
TWEED_TASK(void, one_by_one)
{
    atomic_store(&opened, 1);
    while (!atomic_load(&looked) && !thread_is_asleep(atomic_load(&waiter)))
        sched_yield();
    for (int k = 1; k <= 5; k++) {
        if (k > 1)
            until_asleep(atomic_load(&waiter));
        TWEED_SPAWN(leaf);
        atomic_store(&spawned, 1);
        until(&begun, k);
        TWEED_SYNC(leaf);
    }
}

static void (*what)(void);

static void run_tree(void)
{
    TWEED_RUN_ON(pool, one_by_one);
}

/* By the worker; the caller has nothing to do but to wait. */
static void on_worker(int64_t i, void *arg)
{
    (void)i, (void)arg;
    if (tweed_worker_index() == 0)
        until(&opened, 1);
    else
        what();
}

static int in_loop(void *arg)
{
    (void)arg;
    begin(2);
    atomic_store(&waiter, thread_number());
    is_waiter = 1;
    run_loop(0, on_worker);
    return tweed_pool_destroy(pool) != TWEED_OK;
}

static int task_on_worker(void *arg)
{
    (void)arg;
    what();
    return 0;
}

static int in_group(void *arg)
{
    tweed_group g = TWEED_GROUP_INIT;

    (void)arg;
    begin(2);
    g.pool = pool;
    atomic_store(&waiter, thread_number());
    is_waiter = 1;
    must(tweed_group_spawn(&g, task_on_worker, NULL));
    until(&opened, 1);
    must(tweed_group_sync(&g));
    return tweed_pool_destroy(pool) != TWEED_OK;
}

static int passes(int (*scenario)(void *arg), void (*inner)(void))
{
    what = inner;
    return child_exited(child_run(scenario, NULL), 0);
}

/* ---- who was woken for a task, and is about something else ---- */

static atomic_int job_begun;

static int job(void *arg)
{
    (void)arg;
    atomic_store(&job_begun, 1);
    return 0;
}

static void wait_for_job(int64_t i, void *arg)
{
    (void)i, (void)arg;
    atomic_store(&holds_woken, 0); /* they find the loop first */
    until(&job_begun, 1);
}

static void until_sleepers(unsigned n)
{
    while (threads_dozing(tweed__pool_team(pool)) < n)
        sched_yield();
}

/* Each worker has one, and falls asleep when it is over: this one last. */
static void fall_asleep(int64_t i, void *last)
{
    static atomic_int there;
    int all = (atomic_fetch_add(&there, 1) / 3 + 1) * 3;

    (void)i;
    until(&there, all);
    if (tweed_worker_index() == *(int *)last)
        until_sleepers(1);
}

static int passed_on(void *arg)
{
    (void)arg;
    begin(3);
    for (int round = 0; round < 10; round++) {
        int last = 1 + round % 2;

        must(tweed_parallel_for_with(pool, NULL, 0, 3, fall_asleep, &last));
        until_sleepers(2);
        atomic_store(&job_begun, 0);
        atomic_store(&holds_woken, 1);
        must(tweed_pool_submit(pool, job, NULL));
        run_loop(2, wait_for_job);
        must(tweed_pool_drain(pool));
    }
    return tweed_pool_destroy(pool) != TWEED_OK;
}

int main(void)
{
    plan(5);
    ok(passes(in_loop, sync_pairs), "the caller of a loop helps with each task of a group");
    ok(passes(in_loop, run_tree), "... of TWEED_TASK(), also when it sleeps");
    ok(passes(in_group, sync_pairs), "who syncs a group helps with each task of another one");
    ok(passes(in_group, run_tree), "... of TWEED_TASK(), also when it sleeps");
    ok(child_exited(child_run(passed_on, NULL), 0),
       "who was woken for a task and is in a loop has passed that on");
    return done_testing();
}

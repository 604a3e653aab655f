/*
 * woken.c - a thread that was woken, and executes nothing, holds up nobody else.
 *
 * SPDX-License-Identifier: MIT
 *
 * The first worker that is woken for a task stays where the system has woken it, which is
 * wrapped, as it would where others have its CPU.  Another worker sleeps.  So that has to be
 * woken for the tasks that come later.
 *
 * Or the threads that are woken are in tweed_pool_run_until(), and find their conditions true.
 * Which of those who sleep are woken is the system's choice: here it wakes these, and no
 * worker.  So the worker has to be woken by them.
 */
#include "config.h"

#include "sanitized.h"
#define CHILD_SECONDS (HAVE_RUNTIME_SANITIZER ? 100 : 20)
#include "child.h"
#include "dozing.h"
#include "pools.h"
#include "pool/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define TASKS 200

static tweed_pool *pool;
static atomic_int armed, stuck, ran;

void __real_tweed__futex_wait(_Atomic uint32_t *word, uint32_t value, uint32_t mask);
void __wrap_tweed__futex_wait(_Atomic uint32_t *word, uint32_t value, uint32_t mask);

void __wrap_tweed__futex_wait(_Atomic uint32_t *word, uint32_t value, uint32_t mask)
{
    __real_tweed__futex_wait(word, value, mask);
    if (!atomic_load(&armed) || !tweed__self.worker || atomic_exchange(&stuck, 1))
        return;
    while (atomic_load(&armed))
        nap_us(500);
}

/* ---- tweed_pool_run_until() ---- */

#define UNTILS 2

static atomic_int is_set, lie, swallows;

int __real_tweed__futex_wake(_Atomic uint32_t *word, int n, uint32_t mask);
int __wrap_tweed__futex_wake(_Atomic uint32_t *word, int n, uint32_t mask);
void __wrap_tweed__futex_wait_for(_Atomic uint32_t *word, uint32_t value, uint32_t mask,
                                  uint64_t ns);

/* Of those who wait for a condition: they do not look at it before they are woken. */
void __wrap_tweed__futex_wait_for(_Atomic uint32_t *word, uint32_t value, uint32_t mask,
                                  uint64_t ns)
{
    (void)mask, (void)ns;
    atomic_fetch_add(&lie, 1);
    while (atomic_load(word) == value)
        nap_us(500);
}

int __wrap_tweed__futex_wake(_Atomic uint32_t *word, int n, uint32_t mask)
{
    if (mask & TWEED__WAKE_UNTIL && atomic_exchange(&swallows, 0))
        return UNTILS;
    return __real_tweed__futex_wake(word, n, mask);
}

static int is_true(void *arg)
{
    (void)arg;
    return atomic_load(&is_set);
}

static void *wait_until(void *arg)
{
    must(tweed_pool_run_until(pool, is_true, NULL));
    return arg;
}

static int note(void *arg)
{
    (void)arg;
    atomic_fetch_add(&ran, 1);
    return 0;
}

static int submit(tweed_group *g)
{
    (void)g;
    return tweed_pool_submit(pool, note, NULL);
}

static int spawn(tweed_group *g)
{
    return tweed_group_spawn(g, note, NULL);
}

static int (*bring)(tweed_group *g);

static int without_the_first(void *arg)
{
    tweed_pool_options o = { .size = sizeof o, .num_workers = 3, .spin_ns = -1 };
    tweed_group g = TWEED_GROUP_INIT;

    (void)arg;
    must(tweed_pool_create(&pool, &o));
    if (tweed_pool_num_workers(pool) != 3)
        return 2;
    g.pool = pool;
    while (threads_dozing(tweed__pool_team(pool)) < 2)
        sched_yield();
    nap_us(500);
    atomic_store(&armed, 1);
    for (int k = 0; k < TASKS; k++)
        must(bring(&g));
    while (atomic_load(&ran) < TASKS)
        nap_us(500);
    atomic_store(&armed, 0);
    must(tweed_group_sync(&g));
    must(tweed_pool_drain(pool));
    return tweed_pool_destroy(pool) != TWEED_OK;
}

static int by_others(void *arg)
{
    tweed_pool_options o = { .size = sizeof o, .num_workers = 2, .spin_ns = -1 };
    tweed_group g = TWEED_GROUP_INIT;
    pthread_t untils[UNTILS];

    (void)arg;
    must(tweed_pool_create(&pool, &o));
    if (tweed_pool_num_workers(pool) != 2)
        return 2;
    g.pool = pool;
    for (int k = 0; k < UNTILS; k++)
        must(pthread_create(&untils[k], NULL, wait_until, NULL));
    while (atomic_load(&lie) < UNTILS || threads_dozing(tweed__pool_team(pool)) < UNTILS + 1)
        sched_yield();
    nap_us(500);
    atomic_store(&is_set, 1);
    atomic_store(&swallows, 1);
    must(bring(&g));
    for (int k = 0; k < UNTILS; k++)
        must(pthread_join(untils[k], NULL));
    while (!atomic_load(&ran))
        nap_us(500);
    must(tweed_group_sync(&g));
    must(tweed_pool_drain(pool));
    return tweed_pool_destroy(pool) != TWEED_OK;
}

static int is_executed(int (*by)(tweed_group *g))
{
    bring = by;
    return child_exited(child_run(by_others, NULL), 0);
}

static int go_on(int (*by)(tweed_group *g))
{
    bring = by;
    return child_exited(child_run(without_the_first, NULL), 0);
}

int main(void)
{
    plan(4);
    ok(go_on(submit), "submitted tasks are executed without the worker that was woken first");
    ok(go_on(spawn), "tasks of a group, too");
    ok(is_executed(submit), "so is one for which threads were woken that had to return");
    ok(is_executed(spawn), "of a group, too");
    return done_testing();
}

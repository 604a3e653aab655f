/*
 * woken.c - a worker that was woken, and gets no CPU, holds up nobody else.
 *
 * SPDX-License-Identifier: MIT
 *
 * The first worker that is woken for a task stays where the system has woken it, which is
 * wrapped, as it would where others have its CPU.  Another worker sleeps.  So that has to be
 * woken for the tasks that come later.
 */
#include "config.h"

#include "sanitized.h"
#define CHILD_SECONDS (HAVE_RUNTIME_SANITIZER ? 100 : 20)
#include "child.h"
#include "dozing.h"
#include "pool.h"
#include "tap.h"

#include <sched.h>
#include <stdatomic.h>

#define TASKS 200

static tweed_pool *pool;
static atomic_int armed, stuck, ran;

void __real_tweed__futex_wait(_Atomic uint32_t *word, uint32_t value, uint32_t mask);
void __wrap_tweed__futex_wait(_Atomic uint32_t *word, uint32_t value, uint32_t mask);

static void nap(void)
{
    struct timespec t = { 0, 500000 };

    nanosleep(&t, NULL);
}

void __wrap_tweed__futex_wait(_Atomic uint32_t *word, uint32_t value, uint32_t mask)
{
    __real_tweed__futex_wait(word, value, mask);
    if (!atomic_load(&armed) || !tweed__self.worker || atomic_exchange(&stuck, 1))
        return;
    while (atomic_load(&armed))
        nap();
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
    return tweed_submit(pool, note, NULL);
}

static int spawn(tweed_group *g)
{
    return tweed_spawn(g, note, NULL);
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
    nap();
    atomic_store(&armed, 1);
    for (int k = 0; k < TASKS; k++)
        must(bring(&g));
    while (atomic_load(&ran) < TASKS)
        nap();
    atomic_store(&armed, 0);
    must(tweed_sync(&g));
    must(tweed_pool_drain(pool));
    return tweed_pool_destroy(pool) != TWEED_OK;
}

static int go_on(int (*by)(tweed_group *g))
{
    bring = by;
    return child_exited(child_run(without_the_first, NULL), 0);
}

int main(void)
{
    plan(2);
    ok(go_on(submit), "submitted tasks are executed without the worker that was woken first");
    ok(go_on(spawn), "tasks of a group, too");
    return done_testing();
}

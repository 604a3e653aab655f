/*
 * owed.c - whoever waits says what is over before it is about something else.
 *
 * SPDX-License-Identifier: MIT
 *
 * An outer group has two tasks.  One syncs an inner group, whose task the thread executes
 * that syncs the outer one.  The other task runs a loop meanwhile, of which that thread has
 * a part.  The bodies wait for the end of the inner group: they hang if that thread has not
 * said that the inner task is over.
 */
/* Each loop is published: what is called through the library remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "sanitized.h"
#define CHILD_SECONDS (HAVE_RUNTIME_SANITIZER ? 100 : 20)
#include "child.h"
#include "meet.h"

static tweed_pool *pool;
static atomic_int spawned, inner_begun, loop_begun, inner_synced;

/* Its thread comes to the loop when this is over, and not before. */
static int inner(void *arg)
{
    (void)arg;
    atomic_store(&inner_begun, 1);
    until(&loop_begun, 1);
    return 0;
}

static int sync_inner(void *arg)
{
    tweed_group f = { .pool = pool };

    (void)arg;
    must(tweed_group_spawn(&f, inner, NULL));
    atomic_fetch_add(&spawned, 1);
    until(&inner_begun, 1);
    must(tweed_group_sync(&f));
    atomic_store(&inner_synced, 1);
    return 0;
}

static void wait_for_inner(int64_t i, void *arg)
{
    (void)i, (void)arg;
    atomic_store(&loop_begun, 1);
    until(&inner_synced, 1);
}

static int run_loop(void *arg)
{
    tweed_loop_options o = { .size = sizeof o, .grain = 1 };

    (void)arg;
    atomic_fetch_add(&spawned, 1);
    until(&inner_begun, 1);
    must(tweed_parallel_for_with(pool, &o, 0, 2, wait_for_inner, NULL));
    return 0;
}

static int sync_outer(void *arg)
{
    tweed_group g = { .pool = pool };

    (void)arg;
    atomic_store(&spawned, 0);
    atomic_store(&inner_begun, 0);
    atomic_store(&loop_begun, 0);
    atomic_store(&inner_synced, 0);
    must(tweed_group_spawn(&g, run_loop, NULL));
    must(tweed_group_spawn(&g, sync_inner, NULL));
    until(&spawned, 2); /* the other threads have them */
    return tweed_group_sync(&g);
}

static void in_body(int64_t i, void *arg)
{
    (void)i;
    must(sync_outer(arg));
}

static int from_outside(void *arg)
{
    tweed_pool_options o = { .size = sizeof o, .num_workers = 3 };
    int in_loop = *(int *)arg;

    if (tweed_pool_create(&pool, &o) != TWEED_OK || tweed_pool_num_workers(pool) != 3)
        return 2;
    if (in_loop)
        must(tweed_parallel_for_with(pool, NULL, 0, 1, in_body, NULL));
    else
        must(sync_outer(NULL));
    return tweed_pool_destroy(pool) != TWEED_OK;
}

int main(void)
{
    int yes = 1, no = 0;

    plan(2);
    ok(child_exited(child_run(from_outside, &no), 0),
       "an inner group is synced while its executor is in a loop of the outer one");
    ok(child_exited(child_run(from_outside, &yes), 0), "the same in a body");
    return done_testing();
}

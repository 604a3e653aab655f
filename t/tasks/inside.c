/*
 * inside.c - what is over has nothing inside of it any more.
 *
 * SPDX-License-Identifier: MIT
 *
 * A group may live longer than the task, or the loop, in which it was made.  What comes
 * after that, in the same memory, may be inside of a submitted task; the group is not.
 * The test asks by tweed_pool_submit() on a closed pool, which takes tasks from inside of
 * submitted tasks only.
 *
 * Both tests fail if next_outer() of within.c does not compare `uses`.
 */
#include "config.h"

/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "pools.h"
#include "unserved.h"

#include <sched.h>
#include <stdbool.h>

static tweed_group longer;
static atomic_int ran;

static tweed_group group_on(tweed_pool *pool)
{
    tweed_group g = TWEED_GROUP_INIT;

    g.pool = pool;
    return g;
}

static int note(void *arg)
{
    (void)arg;
    ran++;
    return 0;
}

static int is_refused(void *arg)
{
    return tweed_pool_submit(arg, note, NULL) == TWEED_ECLOSED ? 0 : 1;
}

static int is_taken(void *arg)
{
    return tweed_pool_submit(arg, note, NULL) == TWEED_OK ? 0 : 1;
}

/* ---- made in a task ---- */

static tweed_group another;

static int make_longer(void *arg)
{
    longer = group_on(arg);
    return tweed_group_spawn(&longer, note, NULL);
}

static int make_another(void *arg)
{
    another = group_on(arg);
    return tweed_group_spawn(&another, note, NULL);
}

/* The group in which `longer` was made is over, and `another` has its memory. */
static bool made_in_task(void)
{
    tweed_pool *pool = unserved(pool_of(1)); /* nobody else begins a task */
    tweed_group first = group_on(pool);
    bool right;

    ran = 0;
    must(tweed_group_spawn(&first, make_longer, pool));
    must(tweed_group_sync(&first));
    must(tweed_pool_submit(pool, make_another, pool));
    must(tweed_pool_drain(pool));
    must(tweed_pool_close(pool));
    must(tweed_group_spawn(&longer, is_refused, pool));
    right = tweed_group_sync(&longer) == TWEED_OK;
    must(tweed_group_spawn(&another, is_taken, pool));
    right &= tweed_group_sync(&another) == TWEED_OK && tweed_pool_drain(pool) == TWEED_OK;
    return tweed_pool_destroy(pool) == TWEED_OK && ran == 3 && right;
}

/* ---- made in a loop ---- */

static atomic_int inside, leave;

/* All two are in bodies, so the loop is one of both. */
static void meet(int64_t i, void *arg)
{
    if (i == 0)
        must(make_longer(arg));
    inside++;
    while (inside < 2)
        sched_yield();
}

static void stay(int64_t i, void *arg)
{
    (void)i, (void)arg;
    inside++;
    while (!leave)
        nap_us(100);
}

static int run_loop(void *arg)
{
    return tweed_parallel_for_with(arg, NULL, 0, 2, stay, NULL);
}

/* Another loop, of a submitted task, has the slot of the one in which `longer` was made. */
static bool made_in_loop(void)
{
    tweed_pool *pool = pool_of(2);
    bool right;

    ran = inside = leave = 0;
    must(tweed_parallel_for_with(pool, NULL, 0, 2, meet, pool));
    inside = 0;
    must(tweed_pool_submit(pool, run_loop, pool));
    while (inside < 1)
        nap_us(100);
    must(tweed_pool_close(pool));
    must(tweed_group_spawn(&longer, is_refused, pool));
    right = tweed_group_sync(&longer) == TWEED_OK;
    leave = 1;
    right &= tweed_pool_drain(pool) == TWEED_OK;
    return tweed_pool_destroy(pool) == TWEED_OK && ran == 1 && right;
}

int main(void)
{
    watchdog();
    plan(2);
    ok(made_in_task(), "a group that lives longer than the task that has made it");
    ok(made_in_loop(), "a group that lives longer than the loop in which it was made");
    return done_testing();
}

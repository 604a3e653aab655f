/*
 * join.c - what is stolen, and whom a join helps.
 *
 * SPDX-License-Identifier: MIT
 *
 * Bodies meet here, as those of a program must not: a task that nobody steals then hangs
 * the test, and the watchdog ends it.
 */
/* Each loop is published: what is called through the library remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "pools.h"
#include "sanitized.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

static atomic_int arrived;

static void meet(int n)
{
    for (arrived++; arrived < n;)
        sched_yield();
}

/* ---- a thief takes what a busy owner has ---- */

TWEED_TASK(int, meets, int, n)
{
    meet(n);
    return tweed_worker_index();
}

/* The owner is in a body that spawns nothing when the thief comes. */
TWEED_TASK(int, is_busy)
{
    int mine, its;

    TWEED_SPAWN(meets, 2);
    mine = TWEED_CALL(meets, 2);
    its = TWEED_SYNC(meets);
    return mine != its;
}

/* Of n that were spawned together each is begun before the first is over. */
TWEED_TASK(int, all_meet, int, n)
{
    uint64_t seen = 0;

    for (int i = 1; i < n; i++)
        TWEED_SPAWN(meets, n);
    seen |= UINT64_C(1) << TWEED_CALL(meets, n);
    for (int i = 1; i < n; i++)
        seen |= UINT64_C(1) << TWEED_SYNC(meets);
    return seen == (UINT64_C(1) << n) - 1;
}

/* The same after a silence, so that all have to be woken. */
static int meet_often(tweed_pool *pool, int n, int times)
{
    int good = 0;

    for (int k = 0; k < times; k++) {
        arrived = 0;
        good += TWEED_RUN_ON(pool, is_busy);
        arrived = 0;
        good += TWEED_RUN_ON(pool, all_meet, n);
        nap_us(k % 10 == 0 ? 2000 : 0);
    }
    return good == 2 * times;
}

/* ---- who waits runs nothing that is not the thief's ---- */

static _Thread_local int holds;
static atomic_int violations, inner;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

TWEED_TASK(int, below, int, n)
{
    int b;

    inner++;
    if (n == 0) {
        for (volatile int i = 0; i < 200; i++)
            ;
        return 1;
    }
    TWEED_SPAWN(below, n - 1);
    b = TWEED_CALL(below, n - 1);
    return TWEED_SYNC(below) + b;
}

/* Joins with the lock held.  On a stack that holds it another one would hang. */
TWEED_TASK(int, locks, int, n)
{
    int sum;

    if (holds) {
        violations++;
        return 0;
    }
    pthread_mutex_lock(&lock);
    holds = 1;
    sum = TWEED_CALL(below, n);
    holds = 0;
    pthread_mutex_unlock(&lock);
    return sum;
}

TWEED_TASK(int, many_lock, int, n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        TWEED_SPAWN(locks, 6);
    for (int i = 0; i < n; i++)
        sum += TWEED_SYNC(locks);
    return sum;
}

/* ---- how deep a stack gets ---- */

static _Thread_local int depth;
static atomic_int too_deep;

TWEED_TASK(int, deep, int, level, int, levels)
{
    int sum;

    depth++;
    if (depth > level + 1)
        too_deep++;
    if (level == levels) {
        for (volatile int i = 0; i < 50; i++)
            ;
        sum = 1;
    } else {
        TWEED_SPAWN(deep, level + 1, levels);
        sum = TWEED_CALL(deep, level + 1, levels);
        sum += TWEED_SYNC(deep);
    }
    depth--;
    return sum;
}

/* ---- who waits helps the loops of the thief ---- */

static void meet_in_loop(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
    meet(3);
}

static tweed_pool *two;

TWEED_TASK(int, runs_loop)
{
    meet(1); /* stolen: the owner is about to wait */
    return tweed_parallel_for_with(two, NULL, 0, 2, meet_in_loop, NULL);
}

TWEED_TASK(int, waits_for_loop)
{
    int code;

    TWEED_SPAWN(runs_loop);
    while (arrived < 1)
        sched_yield();
    code = TWEED_SYNC(runs_loop);
    return code;
}

static int loops_are_helped(int times)
{
    int good = 0;

    for (int k = 0; k < times; k++) {
        arrived = 0;
        good += TWEED_RUN_ON(two, waits_for_loop) == TWEED_OK && arrived == 3;
    }
    return good == times;
}

/* ---- who waits for a loop helps the tasks that were run in it ---- */

static void runs_tasks(int64_t i, void *arg)
{
    (void)arg;
    if (tweed_worker_index() == 0)
        return;
    (void)i;
    nap_us(5000); /* its caller sleeps */
    arrived = 0;
    if (!TWEED_RUN_ON(two, is_busy)) /* hangs without the caller */
        violations++;
}

static int tasks_are_helped(int times)
{
    int good = 0;

    for (int k = 0; k < times; k++)
        good += tweed_parallel_for_with(two, NULL, 0, 2, runs_tasks, NULL) == TWEED_OK;
    return good == times && violations == 0;
}

/* ---- more than one group of workers (slot.c), and the first is busy ---- */

enum { CROWD = 24, FIRST_GROUP = 16 };

static tweed_pool *crowd;
static atomic_int here, held, released;

static void holds_some(int64_t i, void *arg)
{
    int me = tweed_worker_index();

    (void)i;
    (void)arg;
    for (here++; here < CROWD;)
        sched_yield();
    if (me > 0 && me < FIRST_GROUP)
        for (held++; !released;)
            nap_us(500);
}

static void *holder(void *arg)
{
    (void)arg;
    return tweed_parallel_for_with(crowd, NULL, 0, CROWD, holds_some, NULL) == TWEED_OK
               ? &held
               : NULL;
}

static int far_group_steals(int fence)
{
    pthread_t thread;
    void *done = NULL;
    int good = 0;

    here = held = released = 0;
    crowd = pool_fenced(CROWD, fence);
    if (pthread_create(&thread, NULL, holder, NULL) != 0)
        bail_out("no thread");
    while (held < FIRST_GROUP - 1)
        nap_us(500);
    for (int k = 0; k < 10; k++) {
        arrived = 0;
        good += TWEED_RUN_ON(crowd, is_busy); /* hangs if nobody steals */
    }
    released = 1;
    pthread_join(thread, &done);
    tweed_pool_destroy(crowd);
    return good == 10 && done;
}

static void in_mode(int fence, const char *name)
{
    tweed_pool *pool = pool_fenced(4, fence);
    int slow = HAVE_RUNTIME_SANITIZER ? 10 : 1, sum;

    inner = 0;
    ok(meet_often(pool, 4, 200 / slow), "a busy owner's tasks are stolen, %s", name);
    sum = TWEED_RUN_ON(pool, many_lock, 300 / slow);
    ok(sum == 300 / slow * 64 && violations == 0 && inner == 300 / slow * 127,
       "a join with a lock runs nothing that takes it");
    sum = TWEED_RUN_ON(pool, deep, 0, 14);
    ok(sum == 1 << 14 && too_deep == 0, "no stack is deeper than the tree");
    tweed_pool_destroy(pool);
    two = pool_fenced(2, fence);
    ok(loops_are_helped(200 / slow), "a join helps with the thief's loops");
    ok(tasks_are_helped(20), "a loop's caller helps with tasks run in it");
    tweed_pool_destroy(two);
    ok(far_group_steals(fence), "any worker finds the tasks of any other");
}

int main(void)
{
    plan(12);
    watchdog();
    in_mode(TWEED_FENCE_DEFAULT, "heavy fences");
    in_mode(TWEED_FENCE_EXCHANGE, "exchange mode");
    return done_testing();
}

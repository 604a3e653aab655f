/*
 * pools.c - tasks of several pools in one another, and pools that end.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fib.h"
#include "pools.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

/* ---- A runs B runs C runs A ---- */

enum { POOLS = 4 };

static tweed_pool *pools[POOLS]; /* the last is the default one */
static atomic_int leaves;

TWEED_TASK(long, round, int, depth, int, step)
{
    long b;

    if (depth == 0) {
        leaves++;
        return 1;
    }
    TWEED_SPAWN(round, depth - 1, step);
    b = TWEED_RUN_ON(pools[depth * step % POOLS], round, depth - 1, step);
    return TWEED_SYNC(round) + b;
}

static int rounds_are_right(int depth)
{
    int good = 1;

    for (int step = 1; step < POOLS; step++)
        for (int k = 0; k < POOLS; k++) {
            leaves = 0;
            good &= TWEED_RUN_ON(pools[k], round, depth, step) == 1 << depth &&
                    leaves == 1 << depth;
        }
    return good;
}

/* ---- many callers, each from another pool's tasks ---- */

static void *call(void *arg)
{
    int *k = arg;

    for (int n = 0; n < 5; n++)
        if (TWEED_RUN_ON(pools[*k % POOLS], round, 7, 1 + *k % (POOLS - 1)) != 1 << 7)
            return NULL;
    return arg;
}

static int callers_are_right(void)
{
    enum { CALLERS = 20 };
    pthread_t threads[CALLERS];
    int number[CALLERS], good = 1;

    for (int k = 0; k < CALLERS; k++) {
        number[k] = k;
        if (pthread_create(&threads[k], NULL, call, &number[k]) != 0)
            bail_out("no thread");
    }
    for (int k = 0; k < CALLERS; k++) {
        void *result = NULL;

        pthread_join(threads[k], &result);
        good &= result != NULL;
    }
    return good;
}

/* ---- pools that end ---- */

static atomic_int arrived;
static _Thread_local bool spawns;

/* Nobody can end a pool that he, or anybody else, is in a task of.  A spawn that finds no
   memory for a record executes its task at once: nobody else comes then. */
TWEED_TASK(int, tries, tweed_pool *, pool, int, meet)
{
    if (spawns)
        arrived += meet;
    for (arrived++; arrived < meet;)
        sched_yield();
    return tweed_pool_destroy(pool) == TWEED_EBUSY;
}

TWEED_TASK(int, both_try, tweed_pool *, pool)
{
    int good;

    spawns = true;
    TWEED_SPAWN(tries, pool, 2); /* it is stolen */
    spawns = false;
    good = TWEED_CALL(tries, pool, 2);
    return TWEED_SYNC(tries) & good;
}

static int is_busy(int fence)
{
    tweed_pool *pool = pool_fenced(2, fence);
    int good;

    arrived = 0;
    good = TWEED_RUN_ON(pool, both_try, pool);
    arrived = 0;
    good &= TWEED_RUN_ON(pools[0], tries, pools[0], 1);
    good &= fib_is_right(pool, 15);
    return tweed_pool_destroy(pool) == TWEED_OK && good;
}

static atomic_int leave;

TWEED_TASK(int, stays)
{
    for (arrived++; !leave;)
        nap_us(200);
    return 1;
}

static void *stay(void *pool)
{
    return TWEED_RUN_ON(pool, stays) ? pool : NULL;
}

static int is_busy_elsewhere(void)
{
    tweed_pool *pool = pool_of(2);
    pthread_t thread;
    int good;

    arrived = leave = 0;
    if (pthread_create(&thread, NULL, stay, pool) != 0)
        bail_out("no thread");
    while (!arrived)
        nap_us(200);
    good = tweed_pool_destroy(pool) == TWEED_EBUSY && fib_is_right(pool, 12);
    leave = 1;
    pthread_join(thread, NULL);
    return tweed_pool_destroy(pool) == TWEED_OK && good;
}

/* A task makes a pool, uses it, and ends it, deep in a tree of them. */
TWEED_TASK(int, makes, int, depth)
{
    int good;

    if (depth == 0) {
        tweed_pool *pool = pool_of(2);

        good = fib_is_right(pool, 10) && tweed_pool_destroy(pool) == TWEED_OK;
        return good && fib_is_right(pool, 10); /* now the caller alone */
    }
    TWEED_SPAWN(makes, depth - 1);
    good = TWEED_CALL(makes, depth - 1);
    return TWEED_SYNC(makes) & good;
}

/* The same of the default pool, which starts anew. */
TWEED_TASK(int, shuts_down)
{
    return tweed_default_pool_shutdown() == TWEED_EBUSY;
}

static int default_pool_ends(int times)
{
    int good = 1;

    for (int k = 0; k < times; k++)
        good &= TWEED_RUN(shuts_down) && fib_is_right(NULL, 12) &&
                tweed_default_pool_shutdown() == TWEED_OK;
    return good && fib_is_right(NULL, 12);
}

int main(void)
{
    int good = 1;

    plan(8);
    watchdog();
    pools[0] = pool_of(2);
    pools[1] = pool_fenced(3, TWEED_FENCE_EXCHANGE);
    pools[2] = pool_of(1);
    ok(rounds_are_right(8), "four pools in one another");
    ok(callers_are_right(), "the same, from twenty threads");
    ok(is_busy(TWEED_FENCE_DEFAULT), "no task can end its pool");
    ok(is_busy(TWEED_FENCE_EXCHANGE), "the same, exchange mode");
    ok(is_busy_elsewhere(), "nor can anybody while another thread is in a task");
    ok(TWEED_RUN_ON(pools[0], makes, 4) && TWEED_RUN_ON(pools[2], makes, 2),
       "pools begin and end in tasks");
    ok(default_pool_ends(20), "the default pool ends, and starts anew");
    for (int k = 0; k < POOLS - 1; k++)
        good &= tweed_pool_destroy(pools[k]) == TWEED_OK;
    ok(good, "all pools end");
    return done_testing();
}

/*
 * deep.c - deep trees on small stacks.
 *
 * SPDX-License-Identifier: MIT
 *
 * No stack has more frames of tasks than the longest chain of them, whoever steals from
 * whom and whatever joins help with: so what fits on a stack serially fits on each.
 */
#include "pools.h"

#include "sanitized.h"

#include <limits.h>
#include <pthread.h>

#define SMALL 65536 /* or the system's least */
#define CHAIN 48  /* tasks on top of each other on a small stack, with -O0, too */
#define LONG 4000 /* on main()'s */

static atomic_int visited;

/* Like a comb: at each level a leaf, and the next level. */
TWEED_TASK(int, comb, int, n)
{
    int sum;

    visited++;
    if (n == 0)
        return 1;
    TWEED_SPAWN(comb, n - 1);
    sum = TWEED_CALL(comb, 0);
    return TWEED_SYNC(comb) + sum;
}

/* The other way round: the long part is called, the leaf is stolen. */
TWEED_TASK(int, rake, int, n)
{
    int sum;

    visited++;
    if (n == 0)
        return 1;
    TWEED_SPAWN(rake, 0);
    sum = TWEED_CALL(rake, n - 1);
    return TWEED_SYNC(rake) + sum;
}

/* Combs of combs: joins wait in them at every depth. */
TWEED_TASK(int, bush, int, n, int, width)
{
    int sum = 0;

    visited++;
    if (n == 0)
        return 1;
    for (int k = 1; k < width; k++)
        TWEED_SPAWN(bush, n - 1 - k % n, width);
    sum = TWEED_CALL(bush, n - 1, 1);
    for (int k = 1; k < width; k++)
        sum += TWEED_SYNC(bush);
    return sum;
}

static int leaves_of(int n, int width)
{
    int sum = 1;

    if (n == 0)
        return 1;
    for (int k = 1; k < width; k++)
        sum += leaves_of(n - 1 - k % n, width);
    return sum;
}

static int all_fit(tweed_pool *pool, int n, int times)
{
    int good = 1, bushes = leaves_of(14, 3);

    for (int k = 0; k < times; k++) {
        visited = 0;
        good &= TWEED_RUN_ON(pool, comb, n) == n + 1 && visited == 2 * n + 1;
        visited = 0;
        good &= TWEED_RUN_ON(pool, rake, n) == n + 1 && visited == 2 * n + 1;
        good &= TWEED_RUN_ON(pool, bush, 14, 3) == bushes;
    }
    return good;
}

static tweed_pool *on_small_stacks(int workers, int fence)
{
    return pool_with((tweed_pool_options){ .num_workers = workers, .fence = fence,
                                           .stack_bytes = SMALL });
}

struct call {
    tweed_pool *pool;
    int good;
};

static void *calls(void *arg)
{
    struct call *c = arg;

    c->good = all_fit(c->pool, CHAIN, 50);
    return NULL;
}

/* The caller's stack is small as well. */
static int fits(tweed_pool *pool)
{
    struct call c = { pool, 0 };
    long least = sysconf(_SC_THREAD_STACK_MIN);
    pthread_attr_t attr;
    pthread_t thread;

    pthread_attr_init(&attr);
    if (pthread_attr_setstacksize(&attr, least > SMALL ? (size_t)least : SMALL) != 0 ||
        pthread_create(&thread, &attr, calls, &c) != 0)
        bail_out("no thread");
    pthread_attr_destroy(&attr);
    pthread_join(thread, NULL);
    return c.good;
}

int main(void)
{
    static const int fences[] = { TWEED_FENCE_DEFAULT, TWEED_FENCE_EXCHANGE };
    static const char *const names[] = { "heavy fences", "exchange mode" };

    if (HAVE_RUNTIME_SANITIZER)
        skip_all("a sanitizer's frames are larger");
    plan(2 * 3);
    watchdog();
    for (int k = 0; k < 2; k++) {
        tweed_pool *small = on_small_stacks(8, fences[k]), *large = pool_deep(3, fences[k]);

        ok(fits(small), "64 KiB for each thread, 8 workers, %s", names[k]);
        ok(all_fit(small, CHAIN, 50), "the same, from main()");
        ok(all_fit(large, LONG, 20), "%d tasks on top of each other", LONG);
        tweed_pool_destroy(small);
        tweed_pool_destroy(large);
    }
    return done_testing();
}

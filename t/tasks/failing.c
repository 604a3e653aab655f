/*
 * failing.c - tasks of a group that fail, and groups that are cancelled.
 *
 * SPDX-License-Identifier: MIT
 */
#include "../support/pools.h"
#include "../support/tap.h"

#include <stdatomic.h>
#include <stdbool.h>

#define MANY 2000

static _Atomic int runs[MANY], failed;

static int note(void *arg)
{
    atomic_fetch_add((_Atomic int *)arg, 1);
    return 0;
}

static int fail(void *arg)
{
    (void)note(arg);
    atomic_fetch_add(&failed, 1);
    return 1000 + (int)((_Atomic int *)arg - runs);
}

/* How many ran; *once: none of them twice.  Forgets them. */
static int count(bool *once)
{
    int sum = 0;

    for (int i = 0; i < MANY; i++) {
        int n = atomic_exchange(&runs[i], 0);

        sum += n;
        *once &= n <= 1;
    }
    return sum;
}

static tweed_group group_on(tweed_pool *pool, unsigned flags)
{
    tweed_group g = TWEED_GROUP_INIT;

    g.pool = pool;
    g.flags = flags;
    return g;
}

/* One fails: the others run on. */
static bool one(tweed_pool *pool)
{
    tweed_group g = group_on(pool, 0);
    bool right = true;

    for (int i = 0; i < MANY; i++)
        must(tweed_group_spawn(&g, i == 77 ? fail : note, &runs[i]));
    right &= tweed_group_sync(&g) == 1077 && tweed_group_sync(&g) == TWEED_OK;
    return count(&right) == MANY && right;
}

/* All fail: the result is one of theirs. */
static bool all(tweed_pool *pool)
{
    tweed_group g = group_on(pool, 0);
    bool right = true;
    int code;

    atomic_store(&failed, 0);
    for (int i = 0; i < MANY; i++)
        must(tweed_group_spawn(&g, fail, &runs[i]));
    code = tweed_group_sync(&g);
    right &= code >= 1000 && code < 1000 + MANY && atomic_load(&failed) == MANY;
    return count(&right) == MANY && right;
}

/* Each spawns the next, and fails. */
struct next {
    tweed_group *group;
    int i;
};

static int fail_first(void *arg)
{
    struct next *n = arg;

    (void)note(&runs[n->i]);
    n->i++;
    if (n->i < 10)
        must(tweed_group_spawn(n->group, fail_first, n));
    return 5;
}

static int fail_late(void *arg)
{
    (void)arg;
    return 9;
}

static bool skipped(tweed_pool *pool)
{
    tweed_group g = group_on(pool, TWEED_GROUP_SKIP);
    bool right = true;

    must(tweed_group_spawn(&g, fail_late, NULL));
    right &= tweed_group_sync(&g) == 9;
    for (int i = 0; i < MANY; i++)
        must(tweed_group_spawn(&g, i == 0 ? fail : note, &runs[i]));
    right &= tweed_group_sync(&g) == 1000;
    (void)count(&right);
    for (int i = 0; i < MANY; i++) /* as new: all run */
        must(tweed_group_spawn(&g, note, &runs[i]));
    right &= tweed_group_sync(&g) == TWEED_OK;
    return count(&right) == MANY && right;
}

/* The next one is spawned before the failure is known: it runs or not; what comes after
   the return of the one before does not. */
static bool chain(tweed_pool *pool)
{
    tweed_group g = group_on(pool, TWEED_GROUP_SKIP);
    struct next n = { &g, 0 };
    bool right = true;
    int ran;

    must(tweed_group_spawn(&g, fail_first, &n));
    right &= tweed_group_sync(&g) == 5;
    ran = count(&right);
    return ran >= 1 && ran <= 10 && right;
}

static int cancel(void *arg)
{
    return tweed_group_cancel(arg);
}

static bool cancelled(tweed_pool *pool)
{
    tweed_group g = group_on(pool, 0);
    bool right = true;

    must(tweed_group_spawn(&g, cancel, &g));
    right &= tweed_group_sync(&g) == TWEED_ESTOPPED;
    must(tweed_group_spawn(&g, note, &runs[0]));
    must(tweed_group_cancel(&g));
    for (int i = 1; i < MANY; i++)
        must(tweed_group_spawn(&g, note, &runs[i]));
    right &= tweed_group_sync(&g) == TWEED_ESTOPPED;
    return count(&right) <= 1 && right;
}

/* What a nested group has met is the task's own affair. */
static int contains(void *arg)
{
    tweed_group g = group_on(arg, TWEED_GROUP_SKIP);

    must(tweed_group_spawn(&g, fail, &runs[1]));
    return tweed_group_sync(&g) == 1001 ? note(&runs[0]) : 1;
}

static bool contained(tweed_pool *pool)
{
    tweed_group g = group_on(pool, TWEED_GROUP_SKIP);
    bool right = true;

    must(tweed_group_spawn(&g, contains, pool));
    right &= tweed_group_sync(&g) == TWEED_OK;
    return count(&right) == 2 && right;
}

int main(void)
{
    static const int sizes[] = { 1, 2, 4 };

    watchdog();
    plan(3 * 6);
    for (int k = 0; k < 3; k++) {
        int n = sizes[k];
        tweed_pool *pool = pool_fenced(n, n == 4 ? TWEED_FENCE_EXCHANGE : 0);

        ok(one(pool), "%d workers: one fails, and the others run", n);
        ok(all(pool), "%d workers: all fail, and the first is told", n);
        ok(skipped(pool), "%d workers: the others are skipped, and then the group is new", n);
        ok(chain(pool), "%d workers: so are those that they spawn", n);
        ok(cancelled(pool), "%d workers: a group is cancelled", n);
        ok(contained(pool), "%d workers: a failure that the task deals with", n);
        (void)tweed_pool_destroy(pool);
    }
    return done_testing();
}

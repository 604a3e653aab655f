/*
 * group.c - tasks in groups: each is executed once, and sync waits for all.
 *
 * SPDX-License-Identifier: MIT
 */
#include "../support/pools.h"
#include "../support/tap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MANY 20000

static _Atomic int runs[MANY];

static int note(void *arg)
{
    atomic_fetch_add_explicit((_Atomic int *)arg, 1, memory_order_relaxed);
    return 0;
}

/* Was each of the first n executed so many times?  Forgets them. */
static bool each(int n, int times)
{
    bool right = true;

    for (int i = 0; i < MANY; i++)
        right &= atomic_exchange(&runs[i], 0) == (i < n ? times : 0);
    return right;
}

/* ---- one group ---- */

static bool many(tweed_pool *pool, int n)
{
    tweed_group g = TWEED_GROUP_INIT;

    g.pool = pool;
    for (int i = 0; i < n; i++)
        if (tweed_group_spawn(&g, note, &runs[i]) != TWEED_OK)
            return false;
    return tweed_group_sync(&g) == TWEED_OK && each(n, 1);
}

static bool again(tweed_pool *pool)
{
    tweed_group g = TWEED_GROUP_INIT;
    bool right = true;

    g.pool = pool;
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 10; i++)
            right &= tweed_group_spawn(&g, note, &runs[i]) == TWEED_OK;
        right &= tweed_group_sync(&g) == TWEED_OK && tweed_group_sync(&g) == TWEED_OK;
    }
    return right && each(10, 200);
}

/* ---- trees ---- */

struct node {
    tweed_group *group; /* of all tasks */
    tweed_pool *pool;
    int first, n; /* the runs that are below it */
};

/* Each task has a group of its own. */
static int divide(void *arg)
{
    const struct node *whole = arg;
    tweed_group g = TWEED_GROUP_INIT;
    struct node halves[2] = { *whole, *whole };

    if (whole->n == 1)
        return note(&runs[whole->first]);
    g.pool = whole->pool;
    halves[0].n /= 2;
    halves[1].n -= halves[0].n;
    halves[1].first += halves[0].n;
    for (int i = 0; i < 2; i++)
        if (tweed_group_spawn(&g, divide, &halves[i]) != TWEED_OK)
            return 1;
    return tweed_group_sync(&g);
}

static bool tree(tweed_pool *pool, int n)
{
    struct node root = { NULL, pool, 0, n };

    return divide(&root) == TWEED_OK && each(n, 1);
}

/* All spawn into one. */
static int divide_and_free(void *arg)
{
    struct node *whole = arg;
    tweed_group *g = whole->group;

    while (whole->n > 1) {
        struct node *half = malloc(sizeof *half);

        if (!half)
            return 1;
        *half = *whole;
        half->n /= 2;
        whole->first += half->n;
        whole->n -= half->n;
        if (tweed_group_spawn(g, divide_and_free, half) != TWEED_OK)
            return 1;
    }
    note(&runs[whole->first]);
    free(whole);
    return 0;
}

static bool flat_tree(tweed_pool *pool, int n)
{
    tweed_group g = TWEED_GROUP_INIT;
    struct node *root = malloc(sizeof *root);

    if (!root)
        return false;
    g.pool = pool;
    *root = (struct node){ &g, pool, 0, n };
    return tweed_group_spawn(&g, divide_and_free, root) == TWEED_OK && tweed_group_sync(&g) == TWEED_OK &&
           each(n, 1);
}

/* ---- groups beside each other ---- */

/* Spawned in turn, joined in the other order. */
static bool interleaved(tweed_pool *pool)
{
    tweed_group g[3] = { TWEED_GROUP_INIT, TWEED_GROUP_INIT, TWEED_GROUP_INIT };
    bool right = true;

    for (int k = 0; k < 3; k++)
        g[k].pool = pool;
    for (int i = 0; i < 3000; i++)
        right &= tweed_group_spawn(&g[i % 3], note, &runs[i]) == TWEED_OK;
    for (int k = 0; k < 3; k++) {
        right &= tweed_group_sync(&g[k]) == TWEED_OK;
        for (int i = k; i < 3000; i += 3)
            right &= atomic_load(&runs[i]) == 1;
    }
    return each(3000, 1) && right;
}

static int interleaved_in_task(void *arg)
{
    return interleaved(arg) ? 0 : 1;
}

static bool in_task(int (*fn)(void *), tweed_pool *pool)
{
    tweed_group g = TWEED_GROUP_INIT;

    g.pool = pool;
    return tweed_group_spawn(&g, fn, pool) == TWEED_OK && tweed_group_sync(&g) == TWEED_OK;
}

/* ---- loops and groups in each other ---- */

static void count_index(int64_t i, void *arg)
{
    (void)note((_Atomic int *)arg + i);
}

static int loop_in_task(void *arg)
{
    return tweed_parallel_for_with(arg, NULL, 0, 1000, count_index, runs);
}

static bool loops_in_tasks(tweed_pool *pool)
{
    tweed_group g = TWEED_GROUP_INIT;
    bool right = true;

    g.pool = pool;
    for (int i = 0; i < 20; i++)
        right &= tweed_group_spawn(&g, loop_in_task, pool) == TWEED_OK;
    return tweed_group_sync(&g) == TWEED_OK && right && each(1000, 20);
}

static void group_in_body(int64_t i, void *arg)
{
    tweed_group g = TWEED_GROUP_INIT;

    g.pool = arg;
    for (int64_t k = 0; k < 100; k++)
        if (tweed_group_spawn(&g, note, &runs[100 * i + k]) != TWEED_OK)
            return;
    if (tweed_group_sync(&g) == TWEED_OK)
        for (int64_t k = 0; k < 100; k++) /* are they over? */
            if (atomic_load(&runs[100 * i + k]) == 1)
                (void)note(&runs[100 * i + k]);
}

static bool groups_in_bodies(tweed_pool *pool)
{
    return tweed_parallel_for_with(pool, NULL, 0, 50, group_in_body, pool) == TWEED_OK &&
           each(5000, 2);
}

/* Spawned in the bodies of a loop, joined by who has started it. */
static void spawn_in_body(int64_t i, void *arg)
{
    (void)tweed_group_spawn(arg, note, &runs[i]);
}

static bool spawned_in_bodies(tweed_pool *pool)
{
    tweed_group g = TWEED_GROUP_INIT;

    g.pool = pool;
    return tweed_parallel_for_with(pool, NULL, 0, 5000, spawn_in_body, &g) == TWEED_OK &&
           tweed_group_sync(&g) == TWEED_OK && each(5000, 1);
}

TWEED_TASK(long, with_group, tweed_pool *, pool, int, depth)
{
    tweed_group g = TWEED_GROUP_INIT;
    long sum;

    g.pool = pool;
    if (depth == 0)
        return 1;
    TWEED_SPAWN(with_group, pool, depth - 1);
    if (tweed_group_spawn(&g, note, &runs[depth]) != TWEED_OK)
        return -1000;
    sum = TWEED_CALL(with_group, pool, depth - 1);
    if (tweed_group_sync(&g) != TWEED_OK)
        sum = -1000;
    return sum + TWEED_SYNC(with_group);
}

static bool in_spawned_tasks(tweed_pool *pool)
{
    long sum = TWEED_RUN_ON(pool, with_group, pool, 8);
    bool right = sum == 256;

    for (int depth = 1; depth <= 8; depth++)
        right &= atomic_exchange(&runs[depth], 0) == 1 << (8 - depth);
    return right;
}

/* ---- pools and threads ---- */

static int other_pool(void *arg)
{
    return many(arg, 100) ? 0 : 1;
}

static bool in_two_pools(tweed_pool *pool, tweed_pool *other)
{
    tweed_group g = TWEED_GROUP_INIT;

    g.pool = other;
    return tweed_group_spawn(&g, other_pool, pool) == TWEED_OK && tweed_group_sync(&g) == TWEED_OK;
}

/* Pools without threads: nobody else comes to what this thread has spawned. */
static int other_pool_first(void *arg)
{
    tweed_pool **pools = arg;
    tweed_group here = TWEED_GROUP_INIT, there = TWEED_GROUP_INIT;

    here.pool = pools[0];
    there.pool = pools[1];
    must(tweed_group_spawn(&here, note, &runs[0]));
    must(tweed_group_spawn(&there, note, &runs[1]));
    must(tweed_group_sync(&there));
    return tweed_group_sync(&here);
}

static bool by_turns(void)
{
    tweed_pool *pools[2] = { pool_of(1), pool_of(1) };
    tweed_group g = TWEED_GROUP_INIT;
    bool right;

    g.pool = pools[0];
    must(tweed_group_spawn(&g, other_pool_first, pools));
    right = tweed_group_sync(&g) == TWEED_OK && each(2, 1);
    return tweed_pool_destroy(pools[0]) == TWEED_OK &&
           tweed_pool_destroy(pools[1]) == TWEED_OK && right;
}

struct caller {
    tweed_pool *pool;
    tweed_group *group;
    int first, rounds;
    bool right;
};

static void *own_groups(void *arg)
{
    struct caller *c = arg;

    c->right = true;
    for (int round = 0; round < c->rounds; round++) {
        tweed_group g = TWEED_GROUP_INIT;

        g.pool = c->pool;
        for (int i = 0; i < 50; i++)
            c->right &= tweed_group_spawn(&g, note, &runs[c->first + i]) == TWEED_OK;
        c->right &= tweed_group_sync(&g) == TWEED_OK;
        for (int i = 0; i < 50; i++)
            c->right &= atomic_load(&runs[c->first + i]) == round + 1;
    }
    return NULL;
}

static void *into_one(void *arg)
{
    struct caller *c = arg;

    c->right = true;
    for (int i = 0; i < 500; i++)
        c->right &= tweed_group_spawn(c->group, note, &runs[c->first + i]) == TWEED_OK;
    return NULL;
}

/* Four threads; fn has a part of the runs for each. */
static bool from_threads(tweed_pool *pool, void *(*fn)(void *), int part, int rounds)
{
    tweed_group g = TWEED_GROUP_INIT;
    pthread_t threads[4];
    struct caller callers[4];
    bool right = true;

    g.pool = pool;
    for (int i = 0; i < 4; i++) {
        callers[i] = (struct caller){ pool, &g, i * part, rounds, false };
        if (pthread_create(&threads[i], NULL, fn, &callers[i]) != 0)
            bail_out("no thread");
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        right &= callers[i].right;
    }
    return tweed_group_sync(&g) == TWEED_OK && right && each(4 * part, rounds);
}

/* ---- scratch, and the pool's end ---- */

static tweed_scratch *scratch;

/* Whatever is executed by the same thread meanwhile has another block. */
static int keep_block(void *arg)
{
    const struct node *whole = arg;
    int *mine = tweed_scratch_get(scratch);
    tweed_group g = TWEED_GROUP_INIT;
    struct node below = *whole;

    if (!mine)
        return 1;
    *mine = whole->n;
    g.pool = whole->pool;
    below.n--;
    for (int i = 0; i < 2 && whole->n > 0; i++)
        if (tweed_group_spawn(&g, keep_block, &below) != TWEED_OK)
            return 1;
    if (tweed_group_sync(&g) != TWEED_OK || *mine != whole->n || mine != tweed_scratch_get(scratch))
        return 1;
    return 0;
}

static bool blocks_are_own(tweed_pool *pool)
{
    tweed_group g = TWEED_GROUP_INIT;
    struct node root = { NULL, pool, 0, 8 };
    bool right;

    must(tweed_scratch_create(&scratch, sizeof(int), NULL));
    g.pool = pool;
    must(tweed_group_spawn(&g, keep_block, &root));
    right = tweed_group_sync(&g) == TWEED_OK;
    tweed_scratch_destroy(scratch);
    return right;
}

static int destroy(void *arg)
{
    return tweed_pool_destroy(arg) == TWEED_EBUSY ? 0 : 1;
}

/* In flight: it is busy.  Synced: it is not. */
static bool ends_after_sync(int workers)
{
    tweed_group g = TWEED_GROUP_INIT;

    g.pool = pool_of(workers);
    must(tweed_group_spawn(&g, destroy, g.pool));
    return tweed_group_sync(&g) == TWEED_OK && tweed_pool_destroy(g.pool) == TWEED_OK;
}

/* ---- what is wrong ---- */

static tweed_group in_itself = TWEED_GROUP_INIT;

static int sync_itself(void *arg)
{
    (void)arg;
    return tweed_group_sync(&in_itself) == TWEED_EBUSY ? 0 : 1;
}

static bool mistakes(void)
{
    tweed_group g = TWEED_GROUP_INIT, odd = TWEED_GROUP_INIT;

    odd.flags = 2;
    return tweed_group_spawn(NULL, note, runs) == TWEED_EINVAL &&
           tweed_group_spawn(&g, NULL, runs) == TWEED_EINVAL &&
           tweed_group_spawn(&odd, note, runs) == TWEED_EINVAL &&
           tweed_group_sync(NULL) == TWEED_EINVAL && tweed_group_sync(&g) == TWEED_OK &&
           tweed_group_cancel(&g) == TWEED_EINVAL && tweed_group_cancel(NULL) == TWEED_EINVAL &&
           each(0, 0);
}

static bool in_no_pool(void)
{
    tweed_group g = TWEED_GROUP_INIT;

    g.pool = pool_of(2);
    if (tweed_pool_destroy(g.pool) != TWEED_OK)
        return false;
    return tweed_group_spawn(&g, note, runs) == TWEED_ENOPOOL && tweed_group_sync(&g) == TWEED_OK &&
           each(0, 0);
}

int main(void)
{
    static const int sizes[] = { 1, 2, 4 };
    tweed_pool *last = NULL;

    watchdog();
    plan(3 * 14 + 5);
    for (int k = 0; k < 3; k++) {
        int n = sizes[k];
        tweed_pool *pool = pool_fenced(n, n == 4 ? TWEED_FENCE_EXCHANGE : 0);

        ok(many(pool, 1) && many(pool, 2) && many(pool, MANY), "%d workers: many tasks", n);
        ok(again(pool), "%d workers: one group again and again", n);
        ok(tree(pool, 5000), "%d workers: each task has a group", n);
        ok(flat_tree(pool, 5000), "%d workers: tasks spawn into their own group", n);
        ok(interleaved(pool), "%d workers: three groups by turns", n);
        ok(in_task(interleaved_in_task, pool), "%d workers: the same in a task", n);
        ok(loops_in_tasks(pool), "%d workers: loops in tasks", n);
        ok(groups_in_bodies(pool), "%d workers: groups in bodies", n);
        ok(spawned_in_bodies(pool), "%d workers: bodies spawn for their loop's caller", n);
        ok(in_spawned_tasks(pool), "%d workers: groups in tasks of TWEED_TASK", n);
        ok(from_threads(pool, own_groups, 50, 100), "%d workers: four callers", n);
        ok(from_threads(pool, into_one, 500, 1), "%d workers: four threads, one group", n);
        ok(blocks_are_own(pool), "%d workers: each task in another has its scratch", n);
        ok(ends_after_sync(n), "%d workers: a pool with tasks is busy", n);
        if (last && n == 4)
            ok(in_two_pools(pool, last), "a group of one pool in a task of another");
        if (last)
            (void)tweed_pool_destroy(last);
        last = pool;
    }
    (void)tweed_pool_destroy(last);
    ok(tweed_group_spawn(&in_itself, sync_itself, NULL) == TWEED_OK &&
           tweed_group_sync(&in_itself) == TWEED_OK,
       "a task that syncs its own group is told");
    ok(by_turns(), "a task that uses another pool before it syncs");
    ok(mistakes(), "mistakes are told");
    ok(in_no_pool(), "a pool that is no more is told");
    return done_testing();
}

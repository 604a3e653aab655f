/*
 * nesting.c - loops in loops, callers beside callers, pools through pools.
 *
 * SPDX-License-Identifier: MIT
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "child.h"
#include "pools.h"
#include "sanitized.h"
#include "base/tsan.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define DEEPEST 1000
#define CALLERS 100 /* more than a pool has slots */

/* ---- a chain of loops of two indices: index 0 goes one deeper ---- */

struct chain {
    tweed_pool *pool;
    int deepest;
    pthread_t caller;
    atomic_int failed, strayed;
    atomic_uchar count[DEEPEST][2];
};

struct link {
    struct chain *chain;
    int depth;
};

static void link_body(int64_t i, void *arg)
{
    struct link *l = arg, next = { l->chain, l->depth + 1 };

    l->chain->count[l->depth][i]++;
    if (i != 0)
        return;
    /* what comes first is the caller's own: so is the depth of its stack, and
       those of the workers stay shallow */
    if (!pthread_equal(pthread_self(), l->chain->caller))
        l->chain->strayed++;
    if (next.depth < l->chain->deepest &&
        tweed_parallel_for_with(l->chain->pool, NULL, 0, 2, link_body, &next) !=
            TWEED_OK)
        l->chain->failed++;
}

static int chain_is_right(tweed_pool *pool, int deepest)
{
    static struct chain c;
    struct link first = { &c, 0 };

    memset(&c, 0, sizeof c);
    c.pool = pool;
    c.deepest = deepest;
    c.caller = pthread_self();
    if (tweed_parallel_for_with(pool, NULL, 0, 2, link_body, &first) !=
            TWEED_OK ||
        c.failed || c.strayed)
        return 0;
    for (int d = 0; d < DEEPEST; d++)
        for (int i = 0; i < 2; i++)
            if (c.count[d][i] != (d < deepest))
                return 0;
    return tweed_worker_index() == -1;
}

static int chains_are_right(tweed_pool *pool, int deepest, int n)
{
    for (int i = 0; i < n; i++)
        if (!chain_is_right(pool, deepest))
            return 0;
    return 1;
}

/* ---- trees: each body of a loop runs a loop ---- */

struct tree {
    tweed_pool *pool;
    int levels, width;
    atomic_int leaves, failed;
};

struct node {
    struct tree *tree;
    int level;
};

static void node_body(int64_t i, void *arg)
{
    struct node *n = arg, next = { n->tree, n->level + 1 };

    (void)i;
    if (next.level == n->tree->levels)
        n->tree->leaves++;
    else if (tweed_parallel_for_with(n->tree->pool, NULL, 0, n->tree->width,
                                     node_body, &next) != TWEED_OK)
        n->tree->failed++;
}

static int tree_is_right(tweed_pool *pool, int levels, int width)
{
    struct tree t = { .pool = pool, .levels = levels, .width = width };
    struct node root = { &t, 0 };
    int leaves = 1;

    for (int l = 0; l < levels; l++)
        leaves *= width;
    return tweed_parallel_for_with(pool, NULL, 0, width, node_body, &root) ==
               TWEED_OK &&
           t.failed == 0 && t.leaves == leaves;
}

/* ---- many callers ---- */

struct caller {
    tweed_pool *pool;
    atomic_int *present; /* they begin together */
    int callers, loops, good;
};

static void *call(void *arg)
{
    struct caller *c = arg;

    for (++*c->present; *c->present < c->callers;)
        sched_yield();
    c->good = 1;
    for (int i = 0; i < c->loops; i++)
        c->good &= loops_are_right(c->pool, 1 + i * 37 % COUNT_MOST);
    return NULL;
}

static int callers_are_right(tweed_pool **pools, int num_pools, int callers,
                             int loops)
{
    static struct caller all[CALLERS];
    pthread_t threads[CALLERS];
    atomic_int present = 0;
    int good = 1;

    for (int i = 0; i < callers; i++) {
        all[i] = (struct caller){ pools[i % num_pools], &present, callers,
                                  loops, 0 };
        if (pthread_create(&threads[i], NULL, call, &all[i]) != 0) {
            present += callers; /* lets the others go */
            callers = i;
            good = 0;
        }
    }
    for (int i = 0; i < callers; i++) {
        pthread_join(threads[i], NULL);
        good &= all[i].good;
    }
    return good;
}

/* All callers hold a loop open at the same time: there are not slots enough. */
struct crowd {
    tweed_pool *pool;
    atomic_int inside, good;
};

static void hold(int64_t i, void *arg)
{
    struct crowd *c = arg;

    if (i == 0)
        for (c->inside++; c->inside < CALLERS;)
            sched_yield();
}

static void *hold_open(void *arg)
{
    struct crowd *c = arg;

    c->good += tweed_parallel_for_with(c->pool, NULL, 0, 2, hold, c) ==
                   TWEED_OK &&
               loops_are_right(c->pool, 100);
    return NULL;
}

static int crowd_is_right(tweed_pool *pool)
{
    pthread_t threads[CALLERS];
    struct crowd c = { .pool = pool };

    for (int i = 0; i < CALLERS; i++)
        if (pthread_create(&threads[i], NULL, hold_open, &c) != 0)
            _exit(1); /* the others would wait for ever */
    for (int i = 0; i < CALLERS; i++)
        pthread_join(threads[i], NULL);
    return c.good == CALLERS;
}

/* ---- A calls B calls A ---- */

struct ping {
    tweed_pool *pools[3];
    int num_pools, deepest;
    atomic_int leaves, failed;
};

struct pong {
    struct ping *ping;
    int depth;
};

static void pong_body(int64_t i, void *arg)
{
    struct pong *p = arg, next = { p->ping, p->depth + 1 };
    struct ping *all = p->ping;

    (void)i;
    if (next.depth == all->deepest)
        all->leaves++;
    else if (tweed_parallel_for_with(all->pools[next.depth % all->num_pools],
                                     NULL, 0, 4, pong_body, &next) != TWEED_OK)
        all->failed++;
}

static int ping_pong(int num_pools, tweed_pool *a, tweed_pool *b, tweed_pool *c)
{
    struct ping all = { .pools = { a, b, c },
                        .num_pools = num_pools,
                        .deepest = 5 };
    struct pong first = { &all, 0 };

    return tweed_parallel_for_with(a, NULL, 0, 4, pong_body, &first) ==
               TWEED_OK &&
           all.failed == 0 && all.leaves == 4 * 4 * 4 * 4 * 4;
}

/* A level takes some 1.2 KiB of whatever stack it is on, and more where it was compiled
   with -O0 or with a sanitizer.  A thousand do not fit into 64 KiB, so the deep chains
   are on main's, and this is how deep it goes on a thread that has no more than the
   workers have. */
#define SMALL_STACK 65536
#define SMALL_DEPTH 32

static void *chain_on_small_stack(void *arg)
{
    return chain_is_right(arg, SMALL_DEPTH) ? arg : NULL;
}

static int small_stack_is_enough(tweed_pool *pool)
{
    pthread_attr_t attr;
    pthread_t thread;
    void *result = NULL;
    int made;

    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, SMALL_STACK);
    made = pthread_create(&thread, &attr, chain_on_small_stack, pool) == 0;
    pthread_attr_destroy(&attr);
    return made && pthread_join(thread, &result) == 0 && result == pool;
}

static tweed_pool *small_stacks(int num_workers)
{
    tweed_pool_options o = { .size = sizeof o, .num_workers = num_workers };
    tweed_pool *pool = NULL;

    must(tweed_pool_create(&pool, &o));
    return pool;
}

/* ---- a loop whose other worker does not come ---- */

#define CHEAP (1 << 17)

struct absent {
    tweed_pool *pool;
    atomic_int state; /* 1: the other worker is in its body; 2: it may leave */
    uint64_t returns; /* the most of one loop */
};

TWEED_LOOP(add_one, i, float *, x)
{
    x[i] += 1;
}

static uint64_t returns_of(tweed_pool *pool)
{
    tweed_stats stats = TWEED_STATS_INIT;

    return tweed_stats_get(pool, -1, &stats) == TWEED_OK ? stats.returns : 0;
}

static void absent_body(int64_t i, void *arg)
{
    static float x[CHEAP];
    struct absent *a = arg;

    if (i == 1) {
        a->state = 1;
        while (a->state != 2)
            sched_yield();
        return;
    }
    while (a->state != 1)
        sched_yield();
    for (int k = 0; k < 20; k++) {
        uint64_t before = returns_of(a->pool), now;

        if (add_one_with(a->pool, NULL, 0, CHEAP, x) != TWEED_OK)
            a->returns = UINT64_MAX;
        now = returns_of(a->pool);
        a->returns = now - before > a->returns ? now - before : a->returns;
    }
    a->state = 2;
}

/* The caller has all blocks, and steals most of them: it does not return what it has, and
   wait for the other worker, after each of these steals. */
static int caller_returns_at_the_end(tweed_pool *pool)
{
    struct absent a = { .pool = pool };

    return tweed_parallel_for_with(pool, NULL, 0, 2, absent_body, &a) == TWEED_OK &&
           a.returns <= 2;
}

int main(void)
{
    static const int depths[] = { 1, 2, 3, 10, 63, 64, 65, 100, 300, 1000 };
    tweed_pool *pools[6];
    int n = TWEED_HAVE_TSAN ? 1 : 20, good;

    /* before anything starts; all pools here have such stacks */
    setenv("TWEED_STACK_BYTES", "65536", 1);
    plan(10 + 1 + 3 + 4 + 2 + 2 + 1 + 1);
    watchdog();
    for (int i = 0; i < 6; i++)
        pools[i] = small_stacks(i + 1);

    for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
        good = chains_are_right(NULL, depths[d], n);
        for (int i = 0; i < 4; i++)
            good &= chains_are_right(pools[i], depths[d], n);
        ok(good, "a chain of loops %d deep", depths[d]);
    }

    if (HAVE_RUNTIME_SANITIZER)
        skip(1, "a sanitizer's frames are larger");
    else
        ok(small_stack_is_enough(pools[3]), "a chain %d deep on 64 KiB",
           SMALL_DEPTH);

    for (int width = 2; width <= 3; width++) {
        good = 1;
        for (int i = 0; i < 6; i++)
            for (int levels = 1; levels <= (width == 2 ? 10 : 6); levels++)
                good &= tree_is_right(pools[i], levels, width);
        ok(good, "trees of loops %d wide", width);
    }
    ok(tree_is_right(NULL, 2, 300) && tree_is_right(NULL, 3, 30),
       "wide trees, on the default pool");

    for (int callers = 2; callers <= CALLERS; callers *= 7)
        ok(callers_are_right(&pools[2], 1, callers, 1000 / callers),
           "%d callers at once", callers);
    ok(callers_are_right(&pools[2], 1, CALLERS, n), "%d callers at once",
       CALLERS);
    ok(callers_are_right(pools, 6, 60, n), "six pools, ten callers each");
    ok(crowd_is_right(pools[2]), "%d loops open at once", CALLERS);
    ok(ping_pong(2, pools[1], pools[2], NULL), "A calls B calls A");
    ok(ping_pong(3, pools[2], NULL, pools[3]), "A calls B calls C calls A");
    ok(caller_returns_at_the_end(pools[1]), "a loop inside, of which the other worker is busy");
    good = 1;
    for (int i = 0; i < 6; i++)
        good &= tweed_pool_destroy(pools[i]) == TWEED_OK;
    ok(good, "all pools end");
    return done_testing();
}

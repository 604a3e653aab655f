/*
 * crowd.c - many callers on one pool: loops, tasks, groups and submitted tasks in one another.
 *
 * SPDX-License-Identifier: MIT
 *
 * In waves: so many threads come, each starts some work, and when all have left the pool
 * may be renewed.  A piece of work is a loop, a tree of TWEED_TASK, a group, or submitted
 * tasks, and has up to three children.  Each child is such a piece again, down to four
 * levels; at the bottom are trees of tasks.  So callers have more loops open at once than
 * a pool has slots, and calls meet that are inside of calls of another kind.
 *
 * A child is counted where it begins and where it ends.  When the call returns each has
 * done both once; or at most once, where the loop was stopped or the group cancelled.
 */
#define TWEED_CALLS_APART_ 1 /* each loop is published: no cost of it is remembered */
#include "config.h"

#include "soak.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define CALLERS 24
#define DEPTH 4
#define CHILDREN 3
#define ROUNDS 8       /* of a caller in a wave, at most */
#define ENDS_EARLY 16  /* one in so many loops and groups */
#define FORKS 20000    /* one in so many children */
#define BETWEEN_US 200000

struct piece {
    tweed_pool *pool;
    uint64_t seed;
    int depth, children;
    int ends_at;          /* this child ends the loop, or the group; -1: none */
    tweed_group *group;
    atomic_int begun[CHILDREN], over[CHILDREN];
    atomic_int all_over;
};

static void run_piece(tweed_pool *pool, uint64_t seed, int depth);

/* ---- a child ---- */

static void begin_early_end(struct piece *p)
{
    if (p->group)
        (void)tweed_group_cancel(p->group); /* from a task of it: always known */
    else
        (void)tweed_parallel_stop();
}

static void child(struct piece *p, int k)
{
    uint64_t state = p->seed + (uint64_t)k;
    uint64_t seed = draw(&state);

    atomic_fetch_add(&p->begun[k], 1);
    if (below(&state, 4) == 0)
        sched_yield();
    if (below(&state, FORKS) == 0 && !HAVE_RUNTIME_SANITIZER)
        children_fork(seed);
    if (p->depth > 0)
        run_piece(p->pool, seed, p->depth - 1);
    if (k == p->ends_at)
        begin_early_end(p);
    atomic_fetch_add(&p->over[k], 1);
    atomic_fetch_add(&p->all_over, 1); /* the last: who polls it may go on */
}

/* ---- the kinds ---- */

static void crowd_body(int64_t i, void *arg)
{
    child(arg, (int)i);
}

static int as_loop(struct piece *p)
{
    tweed_loop_options o = { .size = sizeof o, .grain = 1 };

    add(&totals.passes, 1);
    return tweed_parallel_for_with(p->pool, &o, 0, p->children, crowd_body, p);
}

TWEED_TASK(int, crowd_leaf, struct piece *, p, int, k)
{
    child(p, k);
    return k + 1;
}

TWEED_TASK(int, crowd_tree, struct piece *, p)
{
    int sum = 0;

    for (int k = 0; k < p->children; k++)
        TWEED_SPAWN(crowd_leaf, p, k);
    for (int k = 0; k < p->children; k++)
        sum += TWEED_SYNC(crowd_leaf);
    return sum;
}

static int as_tree(struct piece *p)
{
    int sum = TWEED_RUN_ON(p->pool, crowd_tree, p);

    add(&totals.roots, 1);
    add(&totals.tasks, (uint64_t)p->children);
    if (sum != p->children * (p->children + 1) / 2)
        fail(NULL, "a tree of a crowd gives %d", sum);
    return TWEED_OK;
}

/* What a task is given. */
struct one {
    struct piece *p;
    int k;
};

static int crowd_task(void *arg)
{
    const struct one *one = arg;

    child(one->p, one->k);
    return 0;
}

static void name_tasks(struct piece *p, struct one *one)
{
    for (int k = 0; k < p->children; k++)
        one[k] = (struct one){ p, k };
    add(&totals.spawned, (uint64_t)p->children);
}

static int as_group(struct piece *p)
{
    struct one one[CHILDREN];
    tweed_group g = TWEED_GROUP_INIT;

    g.pool = p->pool;
    p->group = &g;
    name_tasks(p, one);
    for (int k = 0; k < p->children; k++)
        if (tweed_group_spawn(&g, crowd_task, &one[k]) != TWEED_OK)
            fail(NULL, "no task in a crowd");
    return tweed_group_sync(&g);
}

static int are_over(void *arg)
{
    struct piece *p = arg;

    return atomic_load(&p->all_over) == p->children;
}

static int as_submitted(struct piece *p)
{
    struct one one[CHILDREN];

    p->ends_at = -1;
    name_tasks(p, one);
    for (int k = 0; k < p->children; k++)
        if (tweed_pool_submit(p->pool, crowd_task, &one[k]) != TWEED_OK)
            fail(NULL, "no submitted task in a crowd");
    return tweed_pool_run_until(p->pool, are_over, p);
}

/* ---- a piece ---- */

static int (*const kinds[])(struct piece *p) = { as_tree, as_loop, as_loop, as_loop, as_tree,
                                                 as_group, as_submitted };
static const char *const names[] = { "tree", "loop", "loop", "loop", "tree", "group",
                                     "submitted tasks" };
#define TREE 0

static void check(struct piece *p, uint32_t kind, int code)
{
    int done = 0;

    for (int k = 0; k < p->children; k++) {
        int begun = atomic_load(&p->begun[k]), over = atomic_load(&p->over[k]);

        if (begun != over || over > 1 || (over == 0 && p->ends_at < 0))
            fail(NULL, "child %d of %d of a crowd's %s, at depth %d: begun %d times, over %d",
                 k, p->children, names[kind], p->depth, begun, over);
        done += over;
    }
    if (code != TWEED_OK && !(code == TWEED_ESTOPPED && p->ends_at >= 0))
        fail(NULL, "a crowd's %s gives %d: %s", names[kind], code, tweed_strerror(code));
    add(&totals.by_index, (uint64_t)done);
    if (kinds[kind] == as_loop)
        add(&totals.all, (uint64_t)done);
    if (kinds[kind] == as_group)
        add(&totals.skipped, (uint64_t)(p->children - done));
}

static void run_piece(tweed_pool *pool, uint64_t seed, int depth)
{
    uint64_t state = seed;
    uint32_t kind = depth == 0 ? TREE : below(&state, sizeof kinds / sizeof *kinds);
    struct piece p = { .pool = pool, .seed = draw(&state), .depth = depth };

    p.children = 1 + (int)below(&state, CHILDREN);
    p.ends_at = -1;
    if (below(&state, ENDS_EARLY) == 0 && kinds[kind] != as_tree)
        p.ends_at = (int)below(&state, (uint32_t)p.children);
    check(&p, kind, kinds[kind](&p));
}

/* ---- a wave ---- */

struct caller {
    tweed_pool *pool;
    uint64_t seed;
    pthread_t thread;
};

static void *call(void *arg)
{
    const struct caller *c = arg;
    uint64_t state = c->seed;

    host_thread();
    for (uint32_t n = 1 + below(&state, ROUNDS); n > 0 && goes_on(); n--) {
        struct watched *w = watch_begin("is in a crowd", NULL);

        run_piece(c->pool, draw(&state), DEPTH);
        watch_end(w);
        add(&totals.crowded, 1);
    }
    return NULL;
}

static void wave(tweed_pool *pool, uint64_t *state)
{
    struct caller callers[CALLERS];

    for (int k = 0; k < CALLERS; k++) {
        callers[k].pool = pool;
        callers[k].seed = draw(state);
        if (pthread_create(&callers[k].thread, NULL, call, &callers[k]) != 0)
            exit(99);
    }
    for (int k = 0; k < CALLERS; k++)
        pthread_join(callers[k].thread, NULL);
}

void *crowd_main(void *arg)
{
    uint64_t state = *(uint64_t *)arg;

    while (goes_on()) {
        int place = (int)below(&state, PLACES - 1);

        wave(place_enter(place), &state);
        place_leave(place);
        place_renew(place);
        nap((long)below(&state, BETWEEN_US) / SLOWER);
    }
    return NULL;
}

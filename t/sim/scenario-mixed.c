/*
 * scenario-mixed.c - scenarios of calls of one kind inside calls of another.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "scenario.h"

#include "pool/pool.h"
#include "range/deque.h"

/* A deque is one thread's: whatever runs in a task finds itself there. */
static void check_deque(tweed_pool *pool)
{
    struct tweed__deque *d = (struct tweed__deque *)(void *)tweed_task_deque_(pool);

    if (d && d->part != tweed__self.here)
        chance_failed("two threads share one deque");
}

#define MOST_PIECES 48
#define CHILDREN 3

/* Work of some kind, with children that are such pieces again. */
static struct piece {
    tweed_pool *pool;
    tweed_group *group;
    int depth, n, ends_at, begun[CHILDREN], over[CHILDREN], all_over;
} pieces[MOST_PIECES];
static int pieces_used;

static void run_piece(tweed_pool *pool, int depth);

static void run_child(struct piece *p, int k)
{
    check_deque(p->pool);
    p->begun[k]++;
    chance_be_late(chance_below(4) ? 0 : 1u << chance_below(8));
    if (p->depth)
        run_piece(p->pool, p->depth - 1);
    if (k == p->ends_at && p->group)
        (void)tweed_group_cancel(p->group);
    else if (k == p->ends_at)
        (void)tweed_parallel_stop();
    check_deque(p->pool);
    p->over[k]++;
    arrive(&p->all_over);
}

static void body_of_piece(int64_t i, void *arg)
{
    run_child(arg, (int)i);
}

TWEED_TASK(int, leaf_of_piece, struct piece *, p, int, k)
{
    run_child(p, k);
    return k + 1;
}

TWEED_TASK(int, root_of_piece, struct piece *, p)
{
    int sum = 0;

    for (int k = 0; k < p->n; k++)
        TWEED_SPAWN(leaf_of_piece, p, k);
    for (int k = 0; k < p->n; k++)
        sum += TWEED_SYNC(leaf_of_piece);
    return sum;
}

struct part_of_piece {
    struct piece *p;
    int k;
};

static int task_of_piece(void *arg)
{
    const struct part_of_piece *part = arg;

    run_child(part->p, part->k);
    return 0;
}

static int piece_is_over(void *arg)
{
    const struct piece *p = arg;

    return p->all_over == p->n;
}

/* As tasks of a group, or as submitted ones. */
static int run_as_tasks(struct piece *p, bool in_group)
{
    struct part_of_piece part[CHILDREN];
    tweed_group g = { .pool = p->pool };
    int code = TWEED_OK;

    p->group = in_group ? &g : NULL;
    p->ends_at = in_group ? p->ends_at : -1;
    for (int k = 0; k < p->n; k++) {
        part[k] = (struct part_of_piece){ p, k };
        code |= in_group ? tweed_group_spawn(&g, task_of_piece, &part[k])
                         : tweed_pool_submit(p->pool, task_of_piece, &part[k]);
    }
    if (code != TWEED_OK)
        chance_failed("a task of a piece gives %d", code);
    return in_group ? tweed_group_sync(&g) : tweed_pool_run_until(p->pool, piece_is_over, p);
}

static int run_as(int how, struct piece *p)
{
    tweed_loop_options o = { .size = sizeof o, .grain = 1 };

    if (how < 2)
        return tweed_parallel_for_with(p->pool, &o, 0, p->n, body_of_piece, p);
    if (how < 4) {
        p->ends_at = -1;
        return TWEED_RUN_ON(p->pool, root_of_piece, p) - p->n * (p->n + 1) / 2;
    }
    return run_as_tasks(p, how < 6);
}

/* At the bottom are tasks of TWEED_TASK(). */
static void run_piece(tweed_pool *pool, int depth)
{
    struct piece *p = &pieces[pieces_used];
    int how = depth ? between(0, 6) : 3, code;

    if (pieces_used == MOST_PIECES)
        return;
    pieces_used++;
    *p = (struct piece){ .pool = pool, .depth = depth, .n = between(1, CHILDREN) };
    p->ends_at = chance_below(6) ? -1 : (int)chance_below((unsigned)p->n);
    code = run_as(how, p);
    if (code != TWEED_OK && (p->ends_at < 0 || code != TWEED_ESTOPPED))
        chance_failed("a piece of kind %d gives %d", how, code);
    for (int k = 0; k < p->n; k++)
        if (p->begun[k] != p->over[k] || p->over[k] > 1 ||
            (p->over[k] == 0 && p->ends_at < 0))
            chance_failed("child %d of %d of a piece of kind %d: begun %d times, over %d", k,
                          p->n, how, p->begun[k], p->over[k]);
}

static void *run_pieces(void *pool)
{
    for (int k = 0; k < 2; k++)
        run_piece(pool, 2);
    return NULL;
}

static void run_mixed(tweed_pool *pool)
{
    struct thread *other[2] = { NULL, NULL };

    for (int k = 0; k < 2; k++)
        other[k] = chance_below(2) ? machine_spawn(run_pieces, pool) : NULL;
    run_pieces(pool);
    for (int k = 0; k < 2; k++)
        if (other[k])
            machine_join(other[k]);
}

void mixed(void)
{
    tweed_pool *pool = some_pool(2, 4);

    run_mixed(pool);
    drain_and_end_pool(pool);
}

bool __real_tweed__arena_begin(struct tweed__arena *r);
bool __wrap_tweed__arena_begin(struct tweed__arena *r);
static bool begins_late;

/* Whoever comes to help with tasks may stop before it has a deque. */
bool __wrap_tweed__arena_begin(struct tweed__arena *r)
{
    if (begins_late && chance_below(2))
        chance_be_late(1u << chance_below(12));
    return __real_tweed__arena_begin(r);
}

TWEED_TASK(int, short_leaf, tweed_pool *, pool)
{
    check_deque(pool);
    return 1;
}

TWEED_TASK(int, long_tree, tweed_pool *, pool)
{
    int sum = 0;

    TWEED_SPAWN(short_leaf, pool);
    for (int k = 0; k < 4 && tweed_task_deque_(pool); k++) { /* in a slot */
        chance_be_late(1u << chance_below(8));
        check_deque(pool);
    }
    sum = TWEED_SYNC(short_leaf);
    check_deque(pool);
    return sum;
}

static void run_one_tree(tweed_pool *pool)
{
    if (TWEED_RUN_ON(pool, long_tree, pool) != 1)
        chance_failed("a tree gives something else");
}

static void *some_trees(void *pool)
{
    for (int k = 0; k < 40; k++)
        run_one_tree(pool);
    return NULL;
}

/* Now and then the slot is free, and the other caller gets it. */
static void trees_in_loop(int64_t i, void *pool)
{
    for (int k = 0; k < 4 && i > 0; k++) {
        run_one_tree(pool);
        chance_be_late(1u << chance_below(11));
    }
}

/* One outside caller waits for a loop, and may help the trees inside; another one has trees
   of its own. */
static void run_trees(tweed_pool *pool)
{
    tweed_loop_options o = { .size = sizeof o, .grain = 1 };
    struct thread *other = machine_spawn(some_trees, pool);

    if (tweed_parallel_for_with(pool, &o, 0, 2, trees_in_loop, pool) != TWEED_OK)
        chance_failed("no loop of trees");
    machine_join(other);
}

/* Where other callers, who do nothing else, have all slots but a few. */
void taken(void)
{
    tweed_pool *pool = some_pool(2, 3);
    struct tweed__team *team = tweed__pool_team(pool);
    bool of_trees = chance_below(2);
    int from = of_trees ? 2 : between(1, 4);

    for (int k = from; k < TWEED__SLOTS; k++)
        team->slots[k].taken = 1;
    begins_late = of_trees;
    if (of_trees)
        run_trees(pool);
    else
        run_mixed(pool);
    for (int k = from; k < TWEED__SLOTS; k++)
        team->slots[k].taken = 0;
    drain_and_end_pool(pool);
}

void mixed_begin(void)
{
    pieces_used = 0;
    begins_late = false;
}

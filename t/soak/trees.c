/*
 * trees.c - tasks that start tasks, until each has its indices.
 *
 * SPDX-License-Identifier: MIT
 *
 * To the soak such a tree is one more kind of loop, from 0 to n: bodies of loops run it,
 * and its tasks run loops, and fork.  What each task gives is checked: a sum over the
 * indices below it, in numbers that a result which was lost or swapped would change.
 */
#include "config.h"

#include "soak.h"

#define CHAIN_MOST 64 /* tasks on a stack */
#define WIDE_MOST 8192
#define PIECES_MOST 64 /* indices of a task, where there are many */

static uint64_t value_of(const struct loop *l, uint64_t k)
{
    uint64_t state = l->seed + k;

    return draw(&state);
}

static uint64_t value_between(const struct loop *l, uint64_t from, uint64_t to)
{
    uint64_t sum = 0;

    while (from < to)
        sum += value_of(l, from++);
    return sum;
}

/* The indices of one task. */
static uint64_t execute(struct loop *l, uint64_t from, uint64_t to)
{
    add(&l->tasks, 1);
    for (uint64_t k = from; k < to; k++)
        loop_index(l, k);
    return value_between(l, from, to);
}

/* How many indices a task has at most. */
static uint64_t piece_of(const struct loop *l)
{
    return l->n > WIDE_MOST ? 1 + l->seed % PIECES_MOST : 1;
}

static void compare(const struct loop *l, uint64_t got, uint64_t from, uint64_t to)
{
    if (got != value_between(l, from, to))
        fail(l, "the tasks of offsets %" PRIu64 " to %" PRIu64 " give another sum", from,
             to);
}

/* ---- in halves, or where it is drawn ---- */

static uint64_t middle(const struct loop *l, uint64_t from, uint64_t to)
{
    uint64_t state = l->seed ^ from * UINT64_C(0x9e3779b97f4a7c15);

    if (l->seed % 2)
        return from + (to - from) / 2;
    return from + 1 + draw(&state) % (to - from - 1);
}

TWEED_TASK(uint64_t, soak_halves, struct loop *, l, uint64_t, from, uint64_t, to)
{
    uint64_t right, mid;

    if (to - from <= piece_of(l))
        return execute(l, from, to);
    add(&l->tasks, 1);
    mid = middle(l, from, to);
    TWEED_SPAWN(soak_halves, l, from, mid);
    right = TWEED_CALL(soak_halves, l, mid, to);
    return TWEED_SYNC(soak_halves) + right;
}

/* ---- all spawned before the first is joined ---- */

TWEED_TASK(uint64_t, soak_piece, struct loop *, l, uint64_t, from, uint64_t, to)
{
    return execute(l, from, to);
}

TWEED_TASK(uint64_t, soak_wide, struct loop *, l)
{
    uint64_t sum = 0;

    for (uint64_t k = 0; k < l->n; k++)
        TWEED_SPAWN(soak_piece, l, k, k + 1);
    for (uint64_t k = l->n; k-- > 0;) {
        uint64_t one = TWEED_SYNC(soak_piece);

        compare(l, one, k, k + 1);
        sum += one;
    }
    return sum;
}

/* ---- each spawns the next, and gives nothing ---- */

TWEED_TASK(void, soak_chain, struct loop *, l, uint64_t, k)
{
    if (k + 1 < l->n)
        TWEED_SPAWN(soak_chain, l, k + 1);
    (void)execute(l, k, k + 1);
    if (k + 1 < l->n)
        TWEED_SYNC(soak_chain);
}

int run_tree(tweed_pool *pool, struct loop *l)
{
    uint64_t sum;

    if (l->n == 0)
        return TWEED_OK;
    l->roots = 1;
    if (l->n <= CHAIN_MOST && l->seed % 4 == 0) {
        TWEED_RUN_ON(pool, soak_chain, l, 0);
        return TWEED_OK;
    }
    sum = l->n <= WIDE_MOST && l->seed % 4 == 1
              ? TWEED_RUN_ON(pool, soak_wide, l)
              : TWEED_RUN_ON(pool, soak_halves, l, 0, l->n);
    compare(l, sum, 0, l->n);
    return TWEED_OK;
}

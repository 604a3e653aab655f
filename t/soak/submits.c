/*
 * submits.c - tasks that are submitted, and waited for in every way that there is.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each task counts its indices when it is over.  Other callers submit to the same pools, so
 * who waits executes their tasks, too, in whichever body or task it is.  Now and then there
 * is a pool of its own, which is closed or abandoned while its tasks submit more.
 */
#include "config.h"

#include "soak.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* What one task has. */
struct handed {
    struct loop *l;
    tweed_pool *pool;
    uint64_t from, to;
    bool divides; /* it submits more, until it has one index */
};

/* The run may be over with the addition. */
static int execute(const struct handed *h)
{
    struct loop *l = h->l;
    int code = 0;

    for (uint64_t k = h->from; k < h->to; k++) {
        loop_index(l, k);
        if (loop_hits(l, k))
            code = loop_code(k);
    }
    atomic_fetch_add(&l->over, h->to - h->from);
    return code;
}

static int run_handed(void *closure, int how);

static bool hand_in(const struct handed *h)
{
    int code;

    add(&h->l->spawned, 1);
    code = tweed_pool_submit_closure_(h->pool, run_handed, h, sizeof *h);
    if (code != TWEED_OK)
        fail(h->l, "a task is not submitted: %s", tweed_strerror(code));
    return code == TWEED_OK;
}

static int divide(struct handed *h)
{
    while (h->divides && h->to - h->from > 1) {
        struct handed half = *h;

        half.from += (h->to - h->from) / 2;
        if (!hand_in(&half))
            return 0;
        h->to = half.from;
    }
    return execute(h);
}

static int run_handed(void *closure, int how)
{
    struct handed h;

    memcpy(&h, closure, sizeof h);
    if (how == TWEED_TASK_RUN_)
        return divide(&h);
    add(&h.l->skipped_tasks, 1);
    add(&h.l->skipped, h.to - h.from);
    for (uint64_t k = h.from; k < h.to; k++)
        account_index(h.l, k);
    return 0;
}

static int run_one(void *arg)
{
    struct handed h = *(struct handed *)arg;

    return execute(&h);
}

/* ---- ways in ---- */

/* Each by itself, some of them in front of the others. */
static void one_by_one(tweed_pool *pool, struct loop *l, struct handed *all)
{
    for (uint64_t k = 0; k < l->n; k++) {
        int code;

        all[k] = (struct handed){ l, pool, k, k + 1, false };
        add(&l->spawned, 1);
        code = (l->seed >> k % 64) & 1 ? tweed_pool_submit_front(pool, run_one, &all[k])
                                       : tweed_pool_submit(pool, run_one, &all[k]);
        if (code != TWEED_OK)
            fail(l, "a task is not submitted: %s", tweed_strerror(code));
    }
}

static void in_a_batch(tweed_pool *pool, struct loop *l, struct handed *all)
{
    void **args = malloc((size_t)l->n * sizeof *args);

    if (!args)
        exit(99);
    for (uint64_t k = 0; k < l->n; k++) {
        all[k] = (struct handed){ l, pool, k, k + 1, false };
        args[k] = &all[k];
    }
    add(&l->spawned, l->n);
    if (tweed_pool_submit_batch(pool, run_one, args, (size_t)l->n) != TWEED_OK)
        fail(l, "a batch is not submitted");
    free(args);
}

/* ---- ways to wait ---- */

static int is_over(void *arg)
{
    const struct loop *l = arg;

    return atomic_load(&l->over) == l->n;
}

/* Tasks of others may have failed as well. */
static void drain(tweed_pool *pool, struct loop *l)
{
    int code = tweed_pool_drain(pool);

    if (code < 0 || code > CODES)
        fail(l, "draining: %s", tweed_strerror(code));
    if (!is_over(l))
        fail(l, "drained, and %" PRIu64 " of %" PRIu64 " tasks are over", l->over, l->n);
}

static void wait_for(tweed_pool *pool, struct loop *l, uint32_t way)
{
    if (way == 0 && l->outer_place < 0) {
        drain(pool, l);
    } else if (way == 1) {
        while (!is_over(l))
            if (tweed_pool_try_one(pool) == 0)
                sched_yield();
    } else if (tweed_pool_run_until(pool, is_over, l) != TWEED_OK || !is_over(l)) {
        fail(l, "run_until");
    }
}

/* ---- a pool of its own ---- */

static void check_end(struct loop *l, tweed_pool *pool, int64_t dropped)
{
    tweed_stats s = { .size = sizeof s };

    if (dropped != (int64_t)l->skipped_tasks)
        fail(l, "%" PRIu64 " tasks were dropped, not %" PRId64, l->skipped_tasks, dropped);
    if (tweed_stats_get(pool, -1, &s) != TWEED_OK || s.tasks_spawned != l->spawned ||
        s.tasks_run != l->spawned - l->skipped_tasks)
        fail(l, "a pool counts %" PRIu64 " tasks submitted, %" PRIu64 " executed, not %" PRIu64
             " and %" PRIu64, s.tasks_spawned, s.tasks_run, l->spawned,
             l->spawned - l->skipped_tasks);
    l->spawned = l->skipped_tasks = 0; /* the places know nothing of them */
}

/* Its tasks go on submitting when it is closed. */
static void on_own_pool(struct loop *l, uint64_t *state)
{
    tweed_pool_options o = {
        .size = sizeof o,
        .num_workers = 1 << below(state, 4),
        .fence = below(state, 2) ? TWEED_FENCE_MEMBARRIER : TWEED_FENCE_EXCHANGE,
        .name = "own"
    };
    tweed_pool *pool;
    struct handed all;
    bool abandons = below(state, 2);
    int code;

    if (tweed_pool_create(&pool, &o) != TWEED_OK)
        exit(99);
    all = (struct handed){ l, pool, 0, l->n, true };
    hand_in(&all);
    if (below(state, 2))
        nap((long)below(state, 100));
    if (!abandons && (tweed_pool_close(pool) != TWEED_OK ||
                      tweed_pool_submit(pool, run_one, &all) != TWEED_ECLOSED))
        fail(l, "a pool is not closed");
    if (abandons)
        check_end(l, pool, tweed_pool_abandon(pool));
    code = tweed_pool_drain(pool);
    if (code < 0 || code > CODES || l->over + l->skipped != l->n)
        fail(l, "a pool of its own was drained: %d", code);
    if (!abandons)
        check_end(l, pool, 0);
    code = tweed_pool_destroy(pool);
    if (code != TWEED_OK)
        fail(l, "destroying a drained pool: %s", tweed_strerror(code));
    add(&totals.executors, 1);
}

int run_submitted(tweed_pool *pool, struct loop *l)
{
    uint64_t state = l->seed ^ UINT64_C(0x14057b7ef767814f);
    uint32_t way = below(&state, 3);
    struct handed *all;

    if (l->n == 0)
        return TWEED_OK;
    if (l->outer_place < 0 && below(&state, 16) == 0) {
        on_own_pool(l, &state);
        return TWEED_OK;
    }
    all = calloc((size_t)l->n, sizeof *all);
    if (!all)
        exit(99);
    switch (below(&state, 3)) {
    case 0:
        one_by_one(pool, l, all);
        break;
    case 1:
        in_a_batch(pool, l, all);
        break;
    default:
        all[0] = (struct handed){ l, pool, 0, l->n, true };
        hand_in(&all[0]);
    }
    wait_for(pool, l, way);
    free(all);
    return TWEED_OK;
}

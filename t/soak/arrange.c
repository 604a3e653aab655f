/*
 * arrange.c - a loop's schedule and weights.
 *
 * SPDX-License-Identifier: MIT
 *
 * In a static loop each worker executes its share and nothing else.  Shares follow each
 * other in the order of the workers: so what a worker has executed lies behind all that
 * the workers before it have, and in front of all that those after it have.
 *
 * Some arrangements are refused: the code follows from the loop, and no index may have
 * been executed.
 */
#include "config.h"

#include "soak.h"

#include <math.h>
#include <stdlib.h>

#define WEIGHED_MOST 4096 /* indices: each is asked for its weight */

/* What a worker has executed, written by its bodies, which follow each other. */
struct share {
    _Alignas(64) uint64_t least;
    uint64_t most;
    bool any;
};

static double bad_weight(const struct loop *l)
{
    switch (l->seed % 3) {
    case 0:
        return -1;
    case 1:
        return (double)INFINITY;
    default:
        return (double)NAN;
    }
}

/* Nothing, or little, or much; in one of eight loops nothing of all. */
static double weight_of(const struct loop *l, uint64_t k)
{
    uint64_t state = l->seed ^ k * UINT64_C(0x9e3779b97f4a7c15);

    if (l->bad_at >= 0 && k == (uint64_t)l->bad_at)
        return bad_weight(l);
    if (l->seed % 8 == 0 || below(&state, 3) == 0)
        return 0;
    return below(&state, 1000) * (k < l->n / 8 ? 100.0 : 0.1);
}

static bool is_static(const struct loop *l)
{
    return l->options.schedule == TWEED_SCHEDULE_STATIC;
}

/* Which code the loop must get. */
static int refusal(const struct loop *l, bool weighed)
{
    if (weighed && (is_space(l) || is_scan(l)))
        return TWEED_EINVAL;
    if (is_static(l) && tweed_worker_index() >= 0) /* a child may have begun in a body */
        return TWEED_ENESTED;
    return l->bad_at >= 0 ? TWEED_EINVAL : TWEED_OK;
}

void arrange_choose(struct loop *l, uint64_t *state)
{
    bool weighed = l->n > 0 && l->n <= WEIGHED_MOST && below(state, 8) == 0;

    l->bad_at = -1;
    if (is_tasks(l))
        return;
    if (below(state, 8) == 0)
        l->options.schedule = TWEED_SCHEDULE_STATIC;
    if (weighed)
        l->weights = calloc((size_t)l->n, sizeof *l->weights);
    if (l->weights && below(state, 16) == 0)
        l->bad_at = (int64_t)(draw(state) % l->n);
    for (uint64_t k = 0; l->weights && k < l->n; k++)
        l->weights[k] = weight_of(l, k);
    l->options.weights = l->weights;
    l->refusal = refusal(l, l->weights != NULL);
}

/* Bodies of two and three dimensions do not know their number in the walk, and scans and
   reductions may be several loops. */
static bool has_shares(const struct loop *l)
{
    return is_static(l) && !is_space(l) && !is_scan(l) && l->kind != KIND_SUM &&
           l->kind != KIND_REDUCE && l->kind != KIND_FOLD;
}

void arrange_begin(struct loop *l, int workers)
{
    if (has_shares(l))
        l->shares = aligned_alloc(64, (size_t)workers * sizeof *l->shares);
    for (int w = 0; l->shares && w < workers; w++)
        l->shares[w].any = false;
}

void arrange_note(struct loop *l, uint64_t from, uint64_t to)
{
    struct share *s = &l->shares[tweed_worker_index()];

    if (!s->any || from < s->least)
        s->least = from;
    if (!s->any || to - 1 > s->most)
        s->most = to - 1;
    s->any = true;
}

static void check_shares(const struct loop *l, int workers)
{
    const struct share *before = NULL;
    int most = l->options.max_workers;

    for (int w = 0; w < workers; w++) {
        const struct share *s = &l->shares[w];

        if (!s->any)
            continue;
        if (most > 0 && w >= most)
            fail(l, "worker %d of a static loop of %d has a share", w, most);
        if (before && s->least <= before->most)
            fail(l, "worker %d of a static loop has offset %" PRIu64 ", and one before it "
                 "%" PRIu64, w, s->least, before->most);
        before = s;
    }
}

void arrange_end(struct loop *l, int workers, int code)
{
    add(&totals.fixed, is_static(l));
    add(&totals.weighed, l->options.weights != NULL);
    add(&totals.refused, l->refusal && code == l->refusal);
    if (l->shares)
        check_shares(l, workers);
    free(l->shares);
    free(l->weights);
    l->shares = NULL;
    l->weights = NULL;
}

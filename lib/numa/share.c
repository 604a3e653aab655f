/*
 * share.c - the shares that a loop would be dealt, without the loop.
 *
 * SPDX-License-Identifier: MIT
 *
 * What publish.c deals follows from the number of workers and blocks, the limit and the
 * weights (deal.h).  The window is that of a static loop, fixed_window()
 * in publish.c; other loops have the same one where each worker has a share.
 * t/loops/alloc.c compares with what loops do.
 */
#include "config.h"

#include "numa/share.h"
#include "base/error.h"
#include "loop/loop.h"
#include "pool/pool.h"

#include <stdlib.h>

static int find(struct tweed__shares *s, const tweed_loop_options *o)
{
    struct tweed__body *b = &s->body;
    int workers = s->team ? s->team->num_workers : 1;
    const uint32_t *before = s->team ? s->team->before : NULL, *ends = NULL;

    if (b->count == 0)
        return TWEED_OK;
    b->grain = partition_grain(b->count, (uint64_t)o->grain);
    b->blocks = partition_blocks(b->count, b->grain);
    s->dealt = (tweed_loop_options){ .size = sizeof s->dealt,
                                     .grain = o->grain,
                                     .max_workers = o->max_workers,
                                     .weights = o->weights };
    s->window = partition_window(workers, 0, b->blocks, o->max_workers, 0);
    if (o->weights) {
        s->ends = malloc((size_t)workers * sizeof *s->ends);
        if (!s->ends)
            return tweed_fail_(TWEED_ENOMEM, "for the shares of %d workers", workers);
        if (!tweed__deal_by_weight(b, o->weights, workers, o->max_workers, before, s->ends,
                                   &ends))
            return TWEED_EINVAL; /* which has been noted */
    }
    s->deal = deal_of(ends, before, s->window, workers, b->blocks);
    return TWEED_OK;
}

int tweed__shares_begin(struct tweed__shares *s, tweed_pool *pool,
                        const tweed_loop_options *options, int64_t lo, int64_t hi)
{
    tweed_loop_options known = TWEED_LOOP_OPTIONS_INIT;
    int code = options ? tweed__loop_read(&known, options) : TWEED_OK;

    if (code != TWEED_OK)
        return code;
    pool = tweed__pool_or_default(pool);
    if (!pool_is_known(pool))
        return tweed__fail_pool(pool);
    *s = (struct tweed__shares){ .team = tweed__pool_team(pool), .slot = -1 };
    if (s->team && !tweed__loop_enter(pool, s->team, &s->slot))
        return tweed__fail_closed(pool);
    s->body.lo = (uint64_t)lo;
    s->body.count = lo < hi ? (uint64_t)hi - (uint64_t)lo : 0;
    code = find(s, &known);
    if (code != TWEED_OK)
        tweed__shares_end(s);
    return code;
}

void tweed__shares_end(struct tweed__shares *s)
{
    if (s->team)
        tweed__loop_leave(s->team, s->slot);
    free(s->ends);
}

uint64_t tweed__share_end(const struct tweed__shares *s, int place)
{
    return body_offset(&s->body, deal_end(&s->deal, place));
}

int tweed__share_of(const struct tweed__shares *s, uint64_t offset)
{
    return deal_place(&s->deal, (uint32_t)(offset / s->body.grain));
}

int tweed__share_node(const struct tweed__shares *s, int place)
{
    const struct tweed__team *t = s->team;

    return t ? t->workers[window_seat(s->window, t->num_workers, place)]->node : 0;
}

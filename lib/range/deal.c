/*
 * deal.c - where the shares of a loop end that is dealt by weight; by number: deal.h.
 *
 * SPDX-License-Identifier: MIT
 *
 * Share k of n ends where the weight so far is (k + 1) / n of all; or, where workers are
 * not equal, the part of all that its worker and the workers before can do.  A block
 * belongs to the share that its middle lies in.  So shares differ from what is due by half
 * a block at each end, and blocks that weigh nothing stay with one neighbour.
 *
 * The weights are added up twice, in the same order: to know the total, and to find the
 * ends.  So the second sum rounds as the first did, and ends with the total.  Both take
 * about a nanosecond an index, in the calling thread.
 */
#include "config.h"

#include "range/deal.h"
#include "base/error.h"

#include <float.h>

/* A factor that makes the sum of 2^63 of the greatest weights a number; and one that makes
   half of the least weight a number. */
#define DOWN 0x1p-64
#define UP 0x1p64

/* The sum of all, which may overflow; negative: a weight is not as it has to be. */
static double add_up(const struct tweed__weights *w, const struct tweed__body *b)
{
    double sum = 0;

    for (uint64_t k = 0; k < b->count; k++) {
        double x = w->each[k];

        if (!(x >= 0 && x <= DBL_MAX)) { /* a NaN is neither */
            (void)tweed_fail_(TWEED_EINVAL,
                              "tweed_loop_options.weights[%llu] is %g: expected 0 or more",
                              (unsigned long long)k, x);
            return -1;
        }
        sum += x * w->scale;
    }
    return sum;
}

bool tweed__deal_weigh(struct tweed__weights *w, const struct tweed__body *b)
{
    w->scale = 1;
    w->total = add_up(w, b);
    if (w->total > DBL_MAX || (w->total > 0 && w->total < DBL_MIN * UP)) {
        w->scale = w->total > DBL_MAX ? DOWN : UP;
        w->total = add_up(w, b);
    }
    return w->total >= 0;
}

/* The part of all that the shares up to this one have. */
static double due(const uint32_t *before, uint32_t share, uint32_t shares)
{
    return before ? (double)before[share + 1] / before[shares]
                  : (share + 1.0) / shares;
}

void tweed__deal_split(const struct tweed__weights *w, const struct tweed__body *b,
                       uint32_t shares, const uint32_t *parts, uint32_t *ends)
{
    double before = 0; /* the weight of the blocks before this one */
    uint32_t share = 0;

    for (uint32_t block = 0; block < b->blocks && share + 1 < shares; block++) {
        double after = before;

        for (uint64_t k = body_offset(b, block); k < body_offset(b, block + 1); k++)
            after += w->each[k] * w->scale;
        while (share + 1 < shares &&
               w->total * due(parts, share, shares) <= before + (after - before) / 2)
            ends[share++] = block;
        before = after;
    }
    while (share < shares)
        ends[share++] = b->blocks;
}

bool tweed__deal_by_weight(const struct tweed__body *b, const double *weights, int workers,
                           int limit, const uint32_t *before, uint32_t *memory,
                           const uint32_t **ends)
{
    struct tweed__weights w = { .each = weights };
    int shares = partition_window(workers, 0, b->blocks, limit, 0).count;

    *ends = NULL;
    if (!tweed__deal_weigh(&w, b))
        return false;
    /* Where blocks are few each share is one block (window, in doc/protocol.md): a worker
       without a share may then steal one, and executes it alone. */
    if (w.total > 0 && shares > 1 && b->blocks > (uint32_t)shares) {
        tweed__deal_split(&w, b, (uint32_t)shares, shares == workers ? before : NULL,
                          memory);
        *ends = memory;
    }
    return true;
}

/*
 * deal.h - how a loop is dealt out: into how many blocks, to which seats, and where each
 * share ends.
 *
 * SPDX-License-Identifier: MIT
 *
 * publish.c deals a loop that is published, share.c places an array as a loop has it, and
 * tools/ show a plan: all of them ask here, and so agree.  Pure functions, which read
 * weights.
 */
#ifndef TWEED_LIB_DEAL_H
#define TWEED_LIB_DEAL_H

#include "range/body.h"
#include "range/range.h"

#include <stdint.h>

/* The grain to use for count indices, > 0, when `asked` was asked for (0: none):
   the least multiple of `asked` that makes no more than TWEED__MAX_BLOCKS blocks.  So
   `asked` indices that belong together are never divided.  No overflow: what is
   multiplied is below 2^39. */
static inline uint64_t partition_grain(uint64_t count, uint64_t asked)
{
    uint64_t least = count / TWEED__MAX_BLOCKS + (count % TWEED__MAX_BLOCKS != 0);

    if (asked >= least)
        return asked;
    return asked ? asked * (least / asked + (least % asked != 0)) : least;
}

static inline uint32_t partition_blocks(uint64_t count, uint64_t grain)
{
    if (grain == 1) /* most: a division is felt */
        return (uint32_t)count;
    return (uint32_t)(count / grain + (count % grain != 0));
}

/* Where the share of place k of `places` begins; the share of k ends where that
   of k + 1 begins.  The remainder is spread: shares differ by one at most. */
static inline uint32_t partition_begin(uint32_t blocks, uint32_t k,
                                       uint32_t places)
{
    return (uint32_t)((uint64_t)blocks * k / places);
}

/* The seats of a loop that have a share, `count` of them.  Of all seats: place p is
   seat p.  Of some: the caller's is place 0, and the others are the next in a ring
   of all seats but the caller's, from place `first` of that ring on. */
struct tweed__window {
    int self, first, count;
    bool open; /* a worker that has no share may help, too */
};

/* For so many blocks, and with `limit` > 0 for so many workers at most.  turn: a
   number that differs for loops that run at the same time, so that they have other
   workers. */
static inline struct tweed__window partition_window(int workers, int self,
                                                    uint32_t blocks, int limit,
                                                    unsigned turn)
{
    struct tweed__window w = { self, 0, workers, true };

    if (limit > 0 && limit < w.count) {
        w.count = limit;
        w.open = false;
    }
    if (blocks < (uint32_t)w.count)
        w.count = (int)blocks;
    if (w.count < workers)
        w.first = (int)(((unsigned)self + turn * ((unsigned)w.count - 1)) %
                        ((unsigned)workers - 1));
    return w;
}

/* Which seat, of so many workers', is place p of a window. */
static inline int window_seat(struct tweed__window w, int workers, int p)
{
    int ring;

    if (w.count == workers)
        return p;
    if (p == 0)
        return w.self;
    ring = (w.first + p - 1) % (workers - 1);
    return ring < w.self ? ring : ring + 1;
}

/*
 * The shares of a window one after the other, of so many blocks.
 *
 *     by weight   ends[p] is the block at which the share of place p ends
 *     by number   ends is NULL.  before[w] is what all workers before w can do, and a
 *                 share is in proportion to what its worker can do.  Where before is NULL,
 *                 or each seat gets one block, the shares are equal
 */
struct tweed__deal {
    const uint32_t *ends, *before;
    struct tweed__window window;
    int workers, place; /* the place whose share is next */
    uint32_t blocks;
    uint32_t sum, total; /* of what has been dealt; of all */
};

/* What the seat at a place counts for. */
static inline uint32_t deal_part(const struct tweed__deal *s, int place)
{
    int seat;

    if (!s->before)
        return 1;
    seat = window_seat(s->window, s->workers, place);
    return s->before[seat + 1] - s->before[seat];
}

static inline struct tweed__deal deal_of(const uint32_t *ends, const uint32_t *before,
                                         struct tweed__window window, int workers,
                                         uint32_t blocks)
{
    struct tweed__deal s = { ends, before, window, workers, 0, blocks, 0, 0 };

    if (blocks == (uint32_t)window.count)
        s.before = NULL;
    if (!s.before)
        s.total = (uint32_t)window.count;
    else if (window.count == workers)
        s.total = before[workers];
    else
        for (int place = 0; place < window.count; place++)
            s.total += deal_part(&s, place);
    return s;
}

/* Where the next share ends. */
static inline uint32_t deal_next(struct tweed__deal *s)
{
    if (s->ends)
        return s->ends[s->place++];
    s->sum += deal_part(s, s->place++);
    return partition_begin(s->blocks, s->sum, s->total);
}

/* Where the share of any place ends. */
static inline uint32_t deal_end(const struct tweed__deal *s, int place)
{
    uint32_t sum = 0;

    if (s->ends)
        return s->ends[place];
    if (!s->before)
        sum = (uint32_t)place + 1;
    else if (s->window.count == s->workers)
        sum = s->before[place + 1];
    else
        for (int p = 0; p <= place; p++)
            sum += deal_part(s, p);
    return partition_begin(s->blocks, sum, s->total);
}

/* The place whose share has a block. */
static inline int deal_place(const struct tweed__deal *s, uint32_t block)
{
    int low = 0, high = s->window.count - 1;

    while (low < high) { /* the first place whose share ends behind it */
        int middle = low + (high - low) / 2;

        if (deal_end(s, middle) > block)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Has this seat a share? */
static inline bool window_has(struct tweed__window w, int workers, int seat)
{
    int ring = seat < w.self ? seat : seat - 1;

    if (w.count == workers || seat == w.self)
        return true;
    return (ring - w.first + workers - 1) % (workers - 1) < w.count - 1;
}

/* What indices cost, as the options of a loop say; index lo + k is each[k]. */
struct tweed__weights {
    const double *each;
    double scale; /* a factor for all, so that no sum overflows */
    double total; /* of all, scaled; 0: no share weighs more than another */
};

/* Fills in scale and total.  False: a weight is negative, infinite, or no number; that is
   noted. */
bool tweed__deal_weigh(struct tweed__weights *w, const struct tweed__body *b);

/* The block at which each of so many shares ends.  The shares are all blocks, in their
   order; a share may be empty.  before: as above. */
void tweed__deal_split(const struct tweed__weights *w, const struct tweed__body *b,
                       uint32_t shares, const uint32_t *before, uint32_t *ends);

/*
 * Where the shares of a loop with these weights end, if it may have `limit` of all workers
 * at most (0: no limit).  memory: room for one end of each worker.  *ends is memory, or
 * NULL: the shares are dealt by number.  Unless all workers have a share it is not known
 * yet which ones do, and all count alike.  False: a weight is not as it has to be.
 */
bool tweed__deal_by_weight(const struct tweed__body *b, const double *weights, int workers,
                           int limit, const uint32_t *before, uint32_t *memory,
                           const uint32_t **ends);

#endif

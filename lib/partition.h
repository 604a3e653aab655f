/*
 * partition.h - how a loop is cut: pure functions.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_PARTITION_H
#define TWEED_LIB_PARTITION_H

#include "range.h"

#include <stdint.h>

/* The grain to use for count indices, > 0, when `asked` was asked for (0: none):
   the least multiple of it that makes no more than TWEED__MAX_BLOCKS blocks.  So
   the indices of an asked-for group are never divided.  No overflow: what is
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
    bool open; /* whoever has no share may help, too */
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
 * The shares of a window one after the other, of so many blocks.  before[w] is what
 * all workers before w can do, and a share is in proportion to that of its seat; NULL:
 * the shares are equal.  They are also where each seat gets one block.
 */
struct tweed__deal {
    const uint32_t *before;
    struct tweed__window window;
    int workers, place; /* the place whose share is next */
    uint32_t blocks;
    uint32_t sum, total; /* of what has been dealt; of all */
};

/* What the seat at a place counts. */
static inline uint32_t deal_part(const struct tweed__deal *s, int place)
{
    int seat;

    if (!s->before)
        return 1;
    seat = window_seat(s->window, s->workers, place);
    return s->before[seat + 1] - s->before[seat];
}

static inline struct tweed__deal deal_of(const uint32_t *before,
                                             struct tweed__window window, int workers,
                                             uint32_t blocks)
{
    struct tweed__deal s = { before, window, workers, 0, blocks, 0, 0 };

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
    s->sum += deal_part(s, s->place++);
    return partition_begin(s->blocks, s->sum, s->total);
}

/* Where the share of any place ends. */
static inline uint32_t deal_end(const struct tweed__deal *s, int place)
{
    uint32_t sum = 0;

    if (!s->before)
        sum = (uint32_t)place + 1;
    else if (s->window.count == s->workers)
        sum = s->before[place + 1];
    else
        for (int p = 0; p <= place; p++)
            sum += deal_part(s, p);
    return partition_begin(s->blocks, sum, s->total);
}

/* In the share of which place a block is.  ends: where each ends; NULL: as dealt by
   number. */
static inline int deal_place(const struct tweed__deal *s, const uint32_t *ends,
                             uint32_t block)
{
    int low = 0, high = s->window.count - 1;

    while (low < high) { /* the first place whose share ends behind it */
        int middle = low + (high - low) / 2;

        if ((ends ? ends[middle] : deal_end(s, middle)) > block)
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

#endif

/*
 * partition.h - how a loop is cut: pure functions.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_PARTITION_H
#define TWEED_LIB_PARTITION_H

#include "range.h"

#include <stdint.h>

/* Blocks of a share of a range body's loop, where no grain was asked for. */
#ifndef SHARE_BLOCKS
#define SHARE_BLOCKS 1024
#endif

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

/* The grain for a range body when none was asked for: a thousandth of a share.
   The last block, which others may have to wait for, is short beside the loop,
   and there are not so many that taking them is felt where a body is short. */
static inline uint64_t partition_range_grain(uint64_t count, int workers)
{
    return count / ((uint64_t)workers * SHARE_BLOCKS);
}

static inline uint32_t partition_blocks(uint64_t count, uint64_t grain)
{
    return (uint32_t)(count / grain + (count % grain != 0));
}

/* Where the share of place k of `places` begins; the share of k ends where that
   of k + 1 begins.  The remainder is spread: shares differ by one at most. */
static inline uint32_t partition_begin(uint32_t blocks, uint32_t k,
                                       uint32_t places)
{
    return (uint32_t)((uint64_t)blocks * k / places);
}

/* The seats of a loop: `count` workers from `first` on, no more than there are
   blocks, with `self` among them.  Worker 0 is an outside caller: it has no part
   in loops that a worker starts. */
struct tweed__window {
    int first, count;
};

static inline struct tweed__window partition_window(int workers, int self,
                                                    uint32_t blocks, int limit)
{
    int from = self == 0 ? 0 : 1;
    struct tweed__window w = { from, workers - from };

    if (limit > 0 && limit < w.count)
        w.count = limit;
    if (blocks < (uint32_t)w.count)
        w.count = (int)blocks;
    if (w.count < workers - from) { /* not everybody: whoever is next to self */
        w.first = self;
        if (w.first > workers - w.count)
            w.first = workers - w.count;
    }
    return w;
}

#endif

/*
 * range.h - the range of one seat: see range.c for the protocol and its proof.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_RANGE_H
#define TWEED_LIB_RANGE_H

#include "base/check.h"
#include "range/tally.h"
#include "system/topology.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#define TWEED__LINE 128 /* two lines of 64: adjacent ones are fetched in pairs */
#define TWEED__MAX_BLOCKS ((UINT32_C(1) << 26) - 2)

struct tweed__range {
    /* Written by the owner alone: every block below it is taken. */
    alignas(TWEED__LINE) _Atomic uint32_t low;
    /* mid:26 high:26 tid:12.  While a thief may change it, it is changed by
       compare-and-swap only. */
    alignas(TWEED__LINE) _Atomic uint64_t S;
    /* Not 0: the worker of this seat is inside the slot and pins it (slot.c).  Here
       because the publisher reads it on the line that the publisher is about to write. */
    _Atomic uint32_t inside;
};

/* A long claim ends at a multiple of so many blocks, and a long range is parted there: so
   arrays that begin on a line of the cache are gone through in whole lines. */
#define TWEED__EVEN 64

/* A vector's indices: so many a compiler executes at a time, at most, but of types below 32
   bits. */
#define TWEED__TOGETHER 16

/* Are blocks cheaper in claims of TWEED__TOGETHER (pace.c)?  Apart: they are not, or are of
   several indices, or are claimed one by one. */
enum tweed__together { TWEED__IS_APART, TWEED__IS_UNKNOWN, TWEED__IS_TOGETHER };

/* The place `to`, of blocks that begin with `from`, or if `to` is far away the last even
   place before it. */
static inline uint64_t range_even(uint64_t from, uint64_t to, enum tweed__together together)
{
    uint64_t n = to > from ? to - from : 0;

    if (n >= 4 * TWEED__EVEN)
        return to - to % TWEED__EVEN;
    return together == TWEED__IS_TOGETHER && n >= 2 * TWEED__TOGETHER
               ? to - to % TWEED__TOGETHER
               : to;
}

/* The owner's own view of its range; private to its thread.  What the fast path
   needs of it is copied into a cursor (cursor.c). */
struct tweed__owner {
    struct tweed__range *range;
    struct tweed__tally *tally;
    const _Atomic uint32_t *cancelled; /* blocks from there on need not be executed; null:
                                          all blocks are executed */
    bool asymmetric; /* the fence mode: thieves pay */
    uint64_t seen;   /* S when it was last looked at */
    uint32_t limit;  /* the fast path may reserve up to here while S == seen */
    uint32_t first;  /* the block taken by claim or install */
    enum tweed__together together;
    uint32_t unit;   /* blocks that are not worth parting: a steal range is made
                        of what is left beside so many; at least 1 */
};

/* Where a loop is cancelled that is not cancelled: above all blocks. */
#define TWEED__UNCANCELLED UINT32_MAX

enum tweed__loot {
    TWEED__NOTHING,
    TWEED__RETRY,
    TWEED__PENDING,
    TWEED__LOOT, /* from here on there is loot */
    TWEED__UNBEGUN
};

/* Makes the range empty, without an owner.  Only while no other thread can reach it. */
void tweed__range_clear(struct tweed__range *r);

/* Publishes [begin, end) as the share of a seat whose owner has not come yet.  Only as
   tweed__range_clear(); the share is visible when the slot is live. */
void tweed__range_share(struct tweed__range *r, uint32_t begin, uint32_t end);

/* The owner's first take from its own untouched share.  False: nothing left. */
bool tweed__range_claim(struct tweed__owner *o);

/* The owner makes [begin, end), which is its own and not empty, its range, and
   takes the first block.  Only if the range is drained, or unclaimed and empty. */
void tweed__range_install(struct tweed__owner *o, uint32_t begin, uint32_t end);

/* Before the owner's look for threads that wait for a range to appear.  A waiter says
   that it waits before it looks: so the owner sees the waiter, or the waiter sees the
   range. */
void tweed__range_show(struct tweed__range *r);

/* Reserves the blocks [i, i + c), all below i being taken.  True: they are the owner's.
   False: a thief has been here, and none of them may be begun before tweed__range_take().
   Only up to o->limit. */
bool tweed__range_reserve(struct tweed__owner *o, uint32_t i, uint32_t c);

/* Takes block i alone, all below i being taken.  False: the range is empty now, and the
   owner has the blocks [i, *end) to give up; there are none unless the loop is
   cancelled. */
bool tweed__range_take(struct tweed__owner *o, uint32_t i, uint32_t *end);

/* Is the loop cancelled?  After a claim or an install the owner looks, and then takes the
   first block once more. */
bool tweed__range_is_cancelled(const struct tweed__owner *o);

/* One look at a victim by the worker with this number.
   TWEED__LOOT     the blocks [*begin, *end) are the caller's
   TWEED__UNBEGUN  the same, and they were all of a share that was never claimed
   TWEED__RETRY    another thread was faster, or the owner has just made room:
                   there may be more
   TWEED__PENDING  another thief waits here for a busy owner.  With `insist`
                   the caller waits a while for the proposal to be settled, and
                   then takes it over
   TWEED__NOTHING  at most the blocks that the owner is running are left (or the
                   system has refused the heavy fence) */
enum tweed__loot tweed__range_steal(struct tweed__range *victim, int worker,
                                    bool asymmetric, bool insist,
                                    struct tweed__tally *tally, uint32_t *begin,
                                    uint32_t *end);

/* After the loop was cancelled at `cancelled`: at 0, or behind a claim of the caller's.
   TWEED__LOOT and TWEED__UNBEGUN: as above; the caller gives the blocks up, and calls again.
   TWEED__NOTHING: if the owner could take blocks from `cancelled` on, S has changed, so
   that the owner leaves its fast path. */
enum tweed__loot tweed__range_cancel(struct tweed__range *r, int worker, uint32_t cancelled,
                      uint32_t *begin, uint32_t *end);

#endif

/*
 * glance.h - looks at a range that change nothing: what it has, and whether it moves soon.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_GLANCE_H
#define TWEED_LIB_GLANCE_H

#include "range/fence.h"
#include "range/range.h"
#include "system/system.h"

/* How long the last heavy fence took, of any thread in any pool: a figure.  0:
   there was none. */
extern _Atomic uint64_t tweed__fence_ns;

/* What a heavy fence is taken to last at most: a thread that was stopped within it would
   make all others wait, for some times as long. */
#define TWEED__FENCE_MOST_NS 1000000

/* The heavy fence, and how long it took. */
static inline bool tweed__fence_timed(struct tweed__tally *tally)
{
    uint64_t start = tweed__clock(), ns;
    bool done;

    tally_add(tally, heavy_fences, 1);
    done = tweed__fence_heavy();
    ns = tweed__clock() - start;
    /* relaxed: a figure, of the last thread */
    store_relaxed(&tweed__fence_ns,
                  ns < TWEED__FENCE_MOST_NS ? ns : TWEED__FENCE_MOST_NS);
    return done;
}

/* How long a thread waits for another thread's heavy fence: that thread may be stopped. */
uint64_t tweed__glance_fence_patience(void);

/* A thief's heavy fence, one for all that want one.  (In the models each thief makes its
   own: t/model/fences.c shows that the other is as good.) */
#ifndef TWEED__THIEF_FENCE
#define TWEED__THIEF_FENCE(ns, tally) tweed__fence_shared((ns), (tally))
#endif

/* How much a thief would get, at a first glance; 0 may still hide a private part. */
uint32_t tweed__range_wealth(struct tweed__range *r);

/* A glance for people; low means nothing in a range that is unclaimed. */
struct tweed__look {
    uint32_t low, mid, high;
    int thief; /* the worker that proposes [mid, high); -1: none */
    bool drained, unclaimed;
};
struct tweed__look tweed__range_look(struct tweed__range *r);

/* Waits for S to become something else than s, but not much longer than ns; true if it
   did. */
bool tweed__glance_moves(struct tweed__range *r, uint64_t s, uint64_t ns);

/* s is another thief's proposal: waits for it to be settled; true if it was. */
bool tweed__glance_settled(struct tweed__range *r, uint64_t s);

/* s is the calling thief's proposal: waits for the owner to acknowledge it; true if the
   owner did. */
bool tweed__glance_acknowledged(struct tweed__range *r, uint64_t s, bool asymmetric);

/* Before a steal by a thief that does so many blocks in LEAVE_NS (glance.c).  If the
   victim has no more left, waits until its range changes, or for LEAVE_NS. */
void tweed__range_leave(struct tweed__range *victim, uint32_t blocks);

#endif

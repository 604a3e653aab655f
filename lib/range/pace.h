/*
 * pace.h - how long a claim is, by the time that the last ones took.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_PACE_H
#define TWEED_LIB_PACE_H

#include "range/cursor.h"
#include "system/system.h"

#define GROWTH 16 /* a claim is at most so many times the one before */

/* Blocks that take less are not parted: another worker would take longer to fetch them,
   and their data. */
#define UNIT_NS 2000

/* The walk begins at block `first`: what was measured before says nothing of the next
   claim's time. */
static inline void pace_begin(struct tweed__walker *w, uint32_t first)
{
    w->look_end = first;
    w->look_at = UINT32_MAX;
    w->probe_size = 0;
    if (!w->claim_ns)
        return;
    w->look_ns = tweed__clock();
    w->look_at = first; /* after the first claim */
}

/* Looks at the clock: all blocks below i are done. */
static inline void pace_look(struct tweed__walker *w, uint32_t i)
{
    uint64_t now = tweed__clock();

    w->ran_ns = now - w->look_ns;
    w->ran = i - w->look_end;
    if (unlikely(w->cursor.left_out)) /* of the last claim, which ends this walk */
        w->ran -= w->cursor.left_out / w->cursor.grain;
    w->timed_ns += w->ran_ns;
    w->timed_blocks += w->ran;
    w->look_ns = now;
    w->look_end = i;
}

/* How many blocks take UNIT_NS; all, of a share that may not be stolen from. */
static inline uint32_t pace_unit(const struct tweed__walker *w)
{
    uint64_t unit =
        w->claim_ns ? divide((uint64_t)w->strip * UNIT_NS, w->claim_ns) : 1;

    if (unlikely(w->manner & TWEED__FIXED))
        return TWEED__MAX_BLOCKS;
    /* two claims, of which nothing is left over, behind a block that was just taken */
    if (w->owner.together == TWEED__IS_TOGETHER && unit < 2 * TWEED__TOGETHER + 1)
        return 2 * TWEED__TOGETHER + 1;
    return unit < 1                   ? 1
           : unit > TWEED__MAX_BLOCKS ? TWEED__MAX_BLOCKS
                                      : (uint32_t)unit;
}

/* Sets the length of the next claims, by the last look. */
void tweed__pace_set(struct tweed__walker *w);

/* Sets the length of the next piece, whose last one is done now; unit: indices that stay
   together. */
void tweed__pace_piece(struct tweed__walker *w, uint64_t unit, uint64_t now);

#endif

/*
 * counts.h - what the workers of a node count together.
 *
 * SPDX-License-Identifier: MIT
 *
 * How blocks are counted by nodes, and why none is forgotten: counts.c.
 */
#ifndef TWEED_LIB_COUNTS_H
#define TWEED_LIB_COUNTS_H

#include "pool/team.h"

#define TWEED__HOLDER (UINT64_C(1) << 32)

static inline _Atomic uint64_t *counts_held(const struct tweed__part *p)
{
    return &p->worker->counts->slots[p->slot].held;
}

/* The publisher, before the slot is live: so many seats of this group have a share. */
void tweed__counts_deal(struct tweed__part *p, int group, uint32_t shares);

/* The worker has blocks, and had none: before it makes a range of them. */
void tweed__counts_hold(struct tweed__part *p);

/* The worker has no blocks any more: it has disposed of `done` since it had some. */
void tweed__counts_return(struct tweed__part *p, uint32_t done);

/* The share of a seat is stolen, and the seat's worker has never come. */
void tweed__counts_drop(struct tweed__part *p, int seat);

/* Are all blocks disposed of, but for `done` of the worker's own? */
bool tweed__counts_is_over(struct tweed__part *p, uint32_t done);

/* May there be something to steal in this group? */
bool tweed__counts_has_some(struct tweed__part *p, int group);

#endif

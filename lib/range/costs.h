/*
 * costs.h - what an index of a loop cost last time.
 *
 * SPDX-License-Identifier: MIT
 *
 * A cost is in 1/1024 ns; 0 stands for one that is not known.  Some bits have meanings of
 * their own.
 */
#ifndef TWEED_LIB_COSTS_H
#define TWEED_LIB_COSTS_H

#include "range/body.h"

/* A shorter measurement says only that the loop is short: it is mostly the clock's own
   cost. */
#define TWEED__SHORT_NS 200

/* The number of the calls of a function from one place of the program, an address;
   0: one of the two is null. */
uint64_t tweed__costs_place(void (*fn)(void), const void *place);

/* The cost that is remembered of the loop: by its kind, or of a body by pointer by its
   place. */
uint32_t tweed__costs_cost(const struct tweed__body *body);

/* So many indices took so long.  alone: no worker was in the loop beside the caller. */
void tweed__costs_learn(const struct tweed__body *body, uint64_t indices, uint64_t ns,
                         bool alone);

/* Blocks are cheaper in claims of TWEED__TOGETHER, or are not. */
void tweed__costs_learn_together(const struct tweed__body *body, bool together);

/* The loop was shared from its beginning.  After tweed__costs_learn(). */
void tweed__costs_note_spread(const struct tweed__body *body);

#define TWEED__COST_TOGETHER UINT32_C(2)
#define TWEED__COST_SPREAD (UINT32_C(1) << 31)
#define TWEED__COST_UNSURE (UINT32_C(1) << 30)

static inline uint32_t costs_value(uint32_t cost)
{
    return cost & ~(TWEED__COST_SPREAD | TWEED__COST_UNSURE);
}

/* Has a loop alone, with its data at hand, yet to measure the cost? */
static inline bool costs_is_unsure(uint32_t cost)
{
    return cost & TWEED__COST_UNSURE;
}

/* Was the loop shared from its beginning when it was last run? */
static inline bool costs_is_spread(uint32_t cost)
{
    return cost & TWEED__COST_SPREAD;
}

static inline bool costs_is_together(uint32_t cost)
{
    return cost & TWEED__COST_TOGETHER;
}

/* How long count indices will take, ns; 0: not known. */
uint64_t tweed__costs_guess(uint32_t cost, uint64_t count);

/* Was the cost measured by a caller alone? */
bool tweed__costs_is_pure(uint32_t cost);

#endif

/*
 * share.h - the shares that a loop would be dealt, without the loop.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_SHARE_H
#define TWEED_LIB_SHARE_H

#include "pool/team.h"
#include "range/body.h"

/* Of a static loop, or any other that is dealt from its first block on.  A share is
   known by its place; places ascend with the indices. */
struct tweed__shares {
    struct tweed__team *team; /* NULL: there is no memory for one, the caller is alone */
    int slot;                 /* is taken meanwhile, so that the pool is busy */
    tweed_loop_options dealt; /* what says how shares are dealt; the rest is zero */
    struct tweed__body body;
    struct tweed__window window; /* its count is that of the shares */
    struct tweed__deal deal;
    uint32_t *ends; /* memory for where the shares end, by weight */
};

/* Finds the shares of a loop over [lo, hi).  With a code other than TWEED_OK, which is
   what the loop would return, there is nothing to end. */
int tweed__shares_begin(struct tweed__shares *s, tweed_pool *pool,
                        const tweed_loop_options *options, int64_t lo, int64_t hi);
void tweed__shares_end(struct tweed__shares *s);

/* How many indices lie before the end of a place's share. */
uint64_t tweed__share_end(const struct tweed__shares *s, int place);

/* The place whose share has the index that so many indices are before. */
int tweed__share_of(const struct tweed__shares *s, uint64_t offset);

/* The node for which the worker at a place is planned. */
int tweed__share_node(const struct tweed__shares *s, int place);

#endif

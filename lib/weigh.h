/*
 * weigh.h - shares of a loop that weigh the same.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_WEIGH_H
#define TWEED_LIB_WEIGH_H

#include "body.h"

/* What indices cost, as the options of a loop say; index lo + k is each[k]. */
struct tweed__weights {
    const double *each;
    double scale; /* a factor for all, so that no sum overflows */
    double total; /* of all, scaled; 0: no share weighs more than another */
};

/* Fills in scale and total.  False: a weight is negative, infinite, or no number. */
bool tweed__weigh(struct tweed__weights *w, const struct tweed__body *b);

/* The block at which each of so many shares ends.  The shares are all blocks, in their
   order; a share may be empty.  before: for each share, what the
   workers of those before it can do, and for all; NULL: all can do the same. */
void tweed__weigh_split(const struct tweed__weights *w, const struct tweed__body *b,
                        uint32_t shares, const uint32_t *before, uint32_t *ends);

#endif

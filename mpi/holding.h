/*
 * holding.h - what a rank holds of a loop: one word in the window of each rank.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_MPI_HOLDING_H
#define TWEED_MPI_HOLDING_H

#include <stdbool.h>
#include <stdint.h>

struct tweed__ranks;

/* Blocks [begin, end). */
struct tweed__blocks {
    uint32_t begin, end;
};

/* The blocks that a rank was seen to hold: from then on a guess. */
uint32_t tweed__holding_size(uint64_t word);

/* The rank's own word, HELD or STOCK, which is empty, becomes [begin, end). */
void tweed__holding_put(struct tweed__ranks *r, int word, uint32_t begin, uint32_t end);

/* Takes from the low end of the rank's own word, as many as wanted(left, arg) says, at
   least one.  False: it is empty. */
bool tweed__holding_claim(struct tweed__ranks *r, int word,
                          uint32_t (*wanted)(uint32_t left, const void *arg),
                          const void *arg, struct tweed__blocks *b);

/* Takes a quarter, at least a block, off the high end of another rank's word, which was
   seen to be `word`.  False: it has changed, or is empty. */
bool tweed__holding_steal(struct tweed__ranks *r, int victim, uint64_t word,
                          struct tweed__blocks *b);

#endif

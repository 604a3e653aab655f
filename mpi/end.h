/*
 * end.h - how many blocks are done, and that all are: up and down a tree of ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_MPI_END_H
#define TWEED_MPI_END_H

#include "window.h"

#include <stdbool.h>

/* Passes on, towards rank 0, that n blocks are done, and the number from below.  On rank 0
   *total is how many are known to be done. */
void tweed__end_count(struct tweed__ranks *r, uint64_t n, uint64_t *total);

/* Is the loop over?  Of `blocks` in all rank 0 knows that *total are done. */
bool tweed__end_is_over(struct tweed__ranks *r, uint64_t total, uint64_t blocks);

/* Tells the ranks below that the loop is over. */
void tweed__end_tell(struct tweed__ranks *r);

#endif

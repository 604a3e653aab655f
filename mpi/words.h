/*
 * words.h - the words of each rank that all ranks reach.
 *
 * SPDX-License-Identifier: MIT
 *
 * All that the protocols of holding.c, crew.c and end.c know of MPI.  window.c implements
 * these operations, and a checker does by atomics (t/model/ranks.c).
 */
#ifndef TWEED_MPI_WORDS_H
#define TWEED_MPI_WORDS_H

#include <stdint.h>

struct tweed__ranks; /* has rank, size, loops, failed: window.h */

/* The words of a rank.  Each is changed by one kind of operation. */
enum {
    TWEED__HELD, /* compare-and-swap: the blocks that it holds (holding.c) */
    TWEED__DONE, /* sum: blocks that are done, of those below it in the tree (end.c) */
    TWEED__OVER, /* sum: loops that are over (end.c) */
    TWEED__WORDS = 8, /* a cache line */
    TWEED__STOCK = TWEED__WORDS, /* and the next one, not in a window, but memory of this
                                    process: compare-and-swap, blocks for its threads */
    TWEED__STOCKS = 2
};

/* Operations that are over when they return.  One that fails says so in r->failed, and
   returns 0, or of a compare-and-swap a word that is not what was expected, and holds no
   blocks.

   Any thread may call read and cas of a word STOCK, and where all ranks are on one node
   (r->shared) of every word; all else calls MPI, and is for the thread that may. */
uint64_t tweed__window_read(struct tweed__ranks *r, int rank, int word);
uint64_t tweed__window_cas(struct tweed__ranks *r, int rank, int word, uint64_t expected,
                           uint64_t desired); /* what was there */
uint64_t tweed__window_add(struct tweed__ranks *r, int rank, int word, uint64_t n);

/* The same word of two ranks at once. */
void tweed__window_read_two(struct tweed__ranks *r, const int rank[2], int word,
                            uint64_t value[2]);

#endif

/*
 * window.h - the ranks of a communicator, and the words that they reach of each other.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_MPI_WINDOW_H
#define TWEED_MPI_WINDOW_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* The words of a rank.  Each is changed by one kind of operation. */
enum {
    TWEED__HELD, /* compare-and-swap: the blocks that it holds (holding.c) */
    TWEED__DONE, /* sum: blocks that are done, of those below it in the tree (end.c) */
    TWEED__OVER, /* sum: loops that are over (end.c) */
    TWEED__WORDS = 8 /* a cache line */
};

struct tweed__ranks {
    MPI_Comm comm;   /* a copy of the user's */
    MPI_Win window;
    _Atomic uint64_t **shared; /* each rank's words, where all are on one node; else NULL */
    int rank, size;
    int *near;       /* the other ranks of this node */
    int nears;
    uint64_t loops;  /* that were begun */
    uint64_t operations; /* on other ranks' windows */
    int failed;      /* the first error code of MPI's that was not MPI_SUCCESS */
    struct tweed__ranks *next; /* of all that this process has */
};

/* The ranks of the user's communicator: made by the first call, collectively, and kept.
   NULL: *error is an error code of MPI's. */
struct tweed__ranks *tweed__ranks_of(MPI_Comm comm, int *error);

/* Notes an error of MPI's.  True: there is none. */
bool tweed__ranks_went_well(struct tweed__ranks *r, int error);

/* Operations that are over when they return.  One that fails says so in r->failed, and
   returns 0, or of a compare-and-swap something else than was expected. */
uint64_t tweed__window_read(struct tweed__ranks *r, int rank, int word);
uint64_t tweed__window_cas(struct tweed__ranks *r, int rank, int word, uint64_t expected,
                           uint64_t desired); /* what was there */
uint64_t tweed__window_add(struct tweed__ranks *r, int rank, int word, uint64_t n);

/* The same word of two ranks at once. */
void tweed__window_read_two(struct tweed__ranks *r, const int rank[2], int word,
                            uint64_t value[2]);

/* Lets MPI perform what other ranks ask of this one's words, where it has to. */
void tweed__window_serve(struct tweed__ranks *r, unsigned polls);

#endif

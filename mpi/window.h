/*
 * window.h - the ranks of a communicator, and the words that they reach of each other.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_MPI_WINDOW_H
#define TWEED_MPI_WINDOW_H

#include "words.h"

#include <mpi.h>
#include <stdbool.h>

struct tweed__ranks {
    MPI_Comm comm;   /* a copy of the user's */
    MPI_Win window;
    _Atomic uint64_t **shared; /* each rank's words, where all are on one node; else NULL */
    int rank, size;
    int *near;       /* the other ranks of this node */
    int nears;
    uint64_t loops;  /* that were begun */
    _Atomic uint64_t operations; /* on other ranks' windows */
    _Atomic uint64_t stock[TWEED__STOCKS][8]; /* the first of each; a cache line each */
    int failed;      /* the first error code of MPI's that was not MPI_SUCCESS */
    int64_t number, root; /* which no other communicator has: ranks.c */
    struct tweed__ranks *next; /* of all that this process has */
};

/* ranks.c.  The ranks of the user's communicator: made by the first call, collectively, and
   kept.  TWEED_OK; TWEED_ENOMEM, on all ranks; TWEED_EMPI, *error is what MPI says then, and
   MPI_SUCCESS if it has called the communicator's error handler itself. */
int tweed__ranks_of(MPI_Comm comm, struct tweed__ranks **ranks, int *error);

/* Notes an error of MPI's.  True: there is none. */
bool tweed__ranks_went_well(struct tweed__ranks *r, int error);

/* window.c.  Lets MPI perform what other ranks ask of this one's words, where it has to. */
void tweed__window_serve(struct tweed__ranks *r, unsigned polls);

#endif

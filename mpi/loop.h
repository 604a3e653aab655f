/*
 * loop.h - a loop over ranks, as it was asked for and agreed upon.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_MPI_LOOP_H
#define TWEED_MPI_LOOP_H

#include "holding.h"
#include "window.h"

#include <tweed/mpi.h>

/* Which call it is: all ranks make the same one. */
enum tweed__call { TWEED__INDICES, TWEED__RANGES, TWEED__PIECES, TWEED__REDUCTION };

struct tweed__loop {
    MPI_Comm comm;               /* the user's */
    struct tweed__ranks *ranks;
    tweed_mpi_options options;
    enum tweed__call call;
    uint64_t element;            /* bytes of a reduction's element */
    uint64_t lo, count;          /* indices */
    uint64_t grain;              /* indices of a block; the last one may have fewer */
    uint32_t blocks;
    struct tweed__blocks share;  /* this rank's */
    int workers;
    tweed_mpi_run_fn *run;       /* executes a piece; of a reduction its blocks */
    void *arg;
    struct tweed__drive *drive;  /* while it is executed */
};

/* agree.c.  Reads what a rank was given; then all ranks agree upon it.  code: what the
   caller has found to be wrong on this rank.  TWEED_OK: the loop may be executed, or is
   empty. */
int tweed__loop_begin(struct tweed__loop *l, MPI_Comm comm, const tweed_mpi_options *options,
                      int64_t lo, int64_t hi, int code);

/* An error of MPI's: the user's error handler is called. */
int tweed__loop_failed(struct tweed__loop *l, int error);

/* drive.c.  Executes the loop. */
int tweed__loop_drive(struct tweed__loop *l);

/* Called between bodies, by any thread that executes them: where it is the one that drives
   the loop this looks after the other ranks. */
void tweed__loop_tend(struct tweed__loop *l);

#endif

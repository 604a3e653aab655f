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
    int wrong;                   /* that this rank was given: an error code */
    uint64_t element, stride;    /* bytes of a reduction's element; to the next one */
    int64_t first, past;         /* the bounds as they were given */
    uint64_t lo, count;          /* indices */
    uint64_t grain;              /* indices of a block; the last one may have fewer */
    uint32_t blocks;
    struct tweed__blocks share;  /* this rank's */
    int workers;
    bool is_shown;               /* rank 0 wants to see the progress */
    tweed_mpi_run_fn *run;       /* executes a piece; of a reduction its blocks */
    void *arg;
};

/* agree.c.  Reads the arguments of this rank, if the caller has not found anything
   `wrong` already, and notes in `wrong` what is.  TWEED_OK: the ranks may agree.  Else
   the call ends here: on this rank, which has said nothing to the other ranks, or on all.
   */
int tweed__loop_given(struct tweed__loop *l, MPI_Comm comm, const tweed_mpi_options *options,
                     int64_t lo, int64_t hi);

/* All ranks agree upon the arguments, and that nothing is wrong.  TWEED_OK: the loop may
   be executed, or is empty. */
int tweed__loop_agree(struct tweed__loop *l);

/* After the loop: the result of all ranks, which is the smallest of their codes if any is
   negative, else the greatest.  Returns when all ranks have come here. */
int tweed__loop_result(struct tweed__loop *l, int code);

/* An error of MPI's: the user's error handler is called. */
int tweed__loop_failed(struct tweed__loop *l, int error);

/* drive.c.  Executes the loop. */
int tweed__loop_drive(struct tweed__loop *l);

/* Is the calling thread driving a loop just now? */
bool tweed__loop_is_driving(void);

#endif

/*
 * end.c - how many blocks are done, and that all are: up and down a tree of ranks.
 *
 * SPDX-License-Identifier: MIT
 *
 * The ranks stand in a tree: below rank k are the ranks FAN * k + 1 to FAN * k + FAN.  Each
 * rank has a word DONE, to which those below it add, and a word OVER.
 *
 * Up: a rank that has executed blocks adds their number to the DONE of the rank above it,
 * and with it what its own DONE holds, which it subtracts there.  It does so when it has
 * nothing to execute, and now and then.  Each block is counted once, by the rank that has
 * executed it.  Rank 0 keeps the sum; the loop is over when that is all blocks.  A rank in
 * the middle that is in a long body holds up what comes from below; but while it is there
 * the loop is not over.
 *
 * Down: rank 0 adds 1 to the OVER of those below it, which do the same.  OVER is never set
 * back: it is the number of loops that are over.
 *
 * So no rank is looked at by more than FAN others for this, and a loop costs each rank some
 * FAN + 1 operations at its end.
 *
 * Beside what: all words DONE are 0 between two loops.  For rank 0 has seen all blocks, so
 * all was passed on.  A rank that is quick may add to a DONE above it before the rank there
 * has come to the loop: nothing is set back there, so nothing is lost.  A static loop of
 * which nobody sees the progress counts nothing here: DONE stays 0.
 *
 * WHO HAS LEFT.  A rank may have an operation under way on the window of another one that was
 * told of the end before: a look for something to steal.  It may need that rank in a call of
 * MPI.  That rank is in one: agree.c's second MPI_Allreduce, which it leaves when all ranks
 * have come there.
 */
#include "config.h"

#include "end.h"

#ifndef FAN /* checks and tests take 1 */
#define FAN 8
#endif

void tweed__end_count(struct tweed__ranks *r, uint64_t n, uint64_t *total)
{
    uint64_t below = tweed__window_read(r, r->rank, TWEED__DONE);

    if (below)
        (void)tweed__window_add(r, r->rank, TWEED__DONE, 0 - below);
    if (r->rank == 0)
        *total += n + below;
    else if (n + below)
        (void)tweed__window_add(r, (r->rank - 1) / FAN, TWEED__DONE, n + below);
}

bool tweed__end_is_over(struct tweed__ranks *r, uint64_t total, uint64_t blocks)
{
    if (r->rank == 0)
        return total == blocks;
    return tweed__window_read(r, r->rank, TWEED__OVER) == r->loops;
}

void tweed__end_tell(struct tweed__ranks *r)
{
    for (int k = 1; k <= FAN; k++) {
        int64_t below = (int64_t)FAN * r->rank + k;

        if (below < r->size)
            (void)tweed__window_add(r, (int)below, TWEED__OVER, 1);
    }
}

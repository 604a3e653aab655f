/*
 * end.c - how many blocks are done, and that all are: up and down a tree of ranks.
 *
 * SPDX-License-Identifier: MIT
 *
 * The ranks stand in a tree: below rank k are the ranks FAN * k + 1 to FAN * k + FAN.  Each
 * rank has a word DONE, to which the ranks below it add, and a word OVER.
 *
 * Up: a rank that has executed blocks adds their number to the DONE of the rank above it,
 * together with the number in its own DONE, which it subtracts there.  A rank does so
 * when it has nothing to execute, and now and then.  Each block is counted once, by the
 * rank that has executed it.  Rank 0 keeps the sum; the loop is over when the sum is all
 * blocks.  A rank in the middle that is in a long body holds up the numbers from below;
 * but while it is in that body the loop is not over.
 *
 * Down: rank 0 adds 1 to the OVER of the ranks below it, which do the same.  OVER is
 * never set back: it is the number of loops that are over.
 *
 * So no more than FAN ranks look at one rank for this, and a loop costs each rank some
 * FAN + 1 operations at its end.
 *
 * BETWEEN TWO LOOPS all words DONE are 0, for rank 0 has seen all blocks, so all numbers
 * were passed on.  A quick rank may add to the DONE of the rank above before that rank
 * has come to the loop: nothing is set back there, so nothing is lost.  A static loop
 * without a progress function counts nothing here: DONE stays 0.
 *
 * RANKS THAT HAVE LEFT.  A rank may have an operation under way, a look for something to
 * steal, on the window of a rank that was told of the end before.  The operation may need
 * that second rank in a call of MPI.  The second rank is in one: agree.c's second
 * MPI_Allreduce, which it leaves when all ranks have come there.
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

/*
 * window.c - the words of each rank that the other ranks of a communicator reach.
 *
 * SPDX-License-Identifier: MIT
 *
 * ON ONE NODE the words are shared memory (MPI_Win_allocate_shared), and the operations
 * are the processor's.  So a rank needs no help of the target rank.  MPI's operations may
 * need it: MPICH 4.0 over UCX has the target perform MPI_Compare_and_swap() in its next
 * call of MPI, on a shared window too.  And Open MPI 4.1 crashes in that function, in
 * osc/rdma over btl/vader (open-mpi/ompi#11349), where several ranks are on a node.
 *
 * ON SEVERAL NODES the words lie in a window of MPI's (MPI_Win_allocate), in a passive
 * epoch that lasts as long as the window.  Only accumulating operations touch them, also
 * a rank's operations on its own words: so the separate and the unified memory model are
 * one.  Whether the target has to help is up to MPI and the network; doc/machines.md has
 * what to set.
 */
#include "config.h"

#include "atomic.h"
#include "window.h"

#include <stddef.h>

static void count(struct tweed__ranks *r, int rank)
{
    if (rank != r->rank)
        fetch_add_relaxed(&r->operations, 1); /* a figure */
}

/* Where the word is; NULL: not in this process. */
static _Atomic uint64_t *reach(struct tweed__ranks *r, int rank, int word)
{
    if (word >= TWEED__STOCK)
        return &r->stock[word - TWEED__STOCK][0];
    return r->shared ? &r->shared[rank][word] : NULL;
}

static void end(struct tweed__ranks *r, int rank, int error)
{
    if (tweed__ranks_went_well(r, error))
        (void)tweed__ranks_went_well(r, MPI_Win_flush(rank, r->window));
}

void tweed__window_read_two(struct tweed__ranks *r, const int rank[2], int word,
                            uint64_t value[2])
{
    static const uint64_t unused = 0;
    int error = MPI_SUCCESS;

    for (int k = 0; k < 2; k++) {
        count(r, rank[k]);
        value[k] = 0;
        if (r->shared)
            value[k] = load_relaxed(&r->shared[rank[k]][word]); /* a guess */
        else
            error = MPI_Fetch_and_op(&unused, &value[k], MPI_UINT64_T, rank[k], word,
                                     MPI_NO_OP, r->window);
        (void)tweed__ranks_went_well(r, error);
    }
    for (int k = 0; k < 2 && !r->shared; k++)
        end(r, rank[k], error);
}

static uint64_t fetch_and_op(struct tweed__ranks *r, int rank, int word, uint64_t n,
                             MPI_Op op)
{
    uint64_t old = 0;

    end(r, rank, MPI_Fetch_and_op(&n, &old, MPI_UINT64_T, rank, word, op, r->window));
    return r->failed ? 0 : old;
}

uint64_t tweed__window_read(struct tweed__ranks *r, int rank, int word)
{
    _Atomic uint64_t *place = reach(r, rank, word);

    count(r, rank);
    return place ? load_acquire(place) /* with add()'s and cas()'s */
                 : fetch_and_op(r, rank, word, 0, MPI_NO_OP);
}

uint64_t tweed__window_add(struct tweed__ranks *r, int rank, int word, uint64_t n)
{
    count(r, rank);
    /* acquire and release: what bodies did, to files and other memory that processes share,
       happens before what comes after the loop on all ranks.  (On several nodes no memory
       is shared.) */
    return r->shared ? fetch_add_acq_rel(&r->shared[rank][word], n)
                     : fetch_and_op(r, rank, word, n, MPI_SUM);
}

uint64_t tweed__window_cas(struct tweed__ranks *r, int rank, int word, uint64_t expected,
                           uint64_t desired)
{
    static const uint64_t empty = (uint64_t)1 << 32 | 1; /* as 0 */
    _Atomic uint64_t *place = reach(r, rank, word);
    uint64_t old = 0;

    count(r, rank);
    if (place) {
        /* weaker: any order would do, the word carries nothing but itself (holding.c) */
        (void)cas_acq_rel(place, &expected, desired);
        return expected; /* what was there, also if it was as expected */
    }
    end(r, rank, MPI_Compare_and_swap(&desired, &expected, &old, MPI_UINT64_T, rank, word,
                                      r->window));
    if (r->failed)
        return expected ? 0 : empty;
    return old;
}

/* MPI makes progress in any call, but an operation of a rank on its own words need not be
   a call.  One poll serves one step of another rank's operation, which takes several
   steps. */
void tweed__window_serve(struct tweed__ranks *r, unsigned polls)
{
    int unused;

    while (polls-- > 0 && !r->shared && !r->failed)
        (void)tweed__ranks_went_well(r, MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, r->comm,
                                                   &unused, MPI_STATUS_IGNORE));
}

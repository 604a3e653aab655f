/*
 * window.c - the ranks of a communicator, and the words that they reach of each other.
 *
 * SPDX-License-Identifier: MIT
 *
 * ON ONE NODE the words are shared memory (MPI_Win_allocate_shared), and the operations are
 * the processor's.  So a rank needs no help of another's, which MPI does not promise: MPICH
 * 4.0 over UCX has the target perform MPI_Compare_and_swap() in its next call of MPI, on a
 * shared window too.  And Open MPI 4.1 crashes in that function, in osc/rdma over btl/vader
 * (open-mpi/ompi#11349), where several ranks are on a node.
 *
 * ON SEVERAL NODES the words lie in a window of MPI's (MPI_Win_allocate), in a passive epoch
 * that lasts as long as the window.  Only accumulating operations touch them, those of a
 * rank on its own words too: so the separate and the unified memory model are one.  Whether
 * the target has to help is up to MPI and the network; doc/machines.md has what to set.
 *
 * KEPT is what the first call on a communicator has made, as an attribute of it.  It is freed
 * with the communicator.  For those that MPI_Finalize() finds an attribute of MPI_COMM_SELF
 * does it, which MPI deletes before anything else: in the reverse order of making, which is
 * the same on all ranks, since freeing a window is collective.
 */
#include "config.h"

#include "atomic.h"
#include "window.h"

#include <stdlib.h>
#include <string.h>

/* 0: a test has one node do as several do. */
#ifndef TWEED__SHARE
#define TWEED__SHARE 1
#endif

static int key = MPI_KEYVAL_INVALID;  /* of what is kept */
static int last = MPI_KEYVAL_INVALID; /* of MPI_COMM_SELF */
static struct tweed__ranks *all;

bool tweed__ranks_went_well(struct tweed__ranks *r, int error)
{
    if (error != MPI_SUCCESS && !r->failed)
        r->failed = error;
    return error == MPI_SUCCESS;
}

/* ---- made and freed ---- */

/* The ranks on this node, this one too. */
static int find_near(struct tweed__ranks *r, bool *alone)
{
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Group here, everywhere;
    int n, k, error;

    error = MPI_Comm_split_type(r->comm, MPI_COMM_TYPE_SHARED, r->rank, MPI_INFO_NULL,
                                &node);
    if (error != MPI_SUCCESS)
        return error;
    MPI_Comm_size(node, &n);
    MPI_Comm_group(node, &here);
    MPI_Comm_group(r->comm, &everywhere);
    int *places = calloc((size_t)n, sizeof *places);

    r->near = calloc((size_t)n, sizeof *r->near);
    if (places && r->near) {
        for (k = 0; k < n; k++)
            places[k] = k;
        error = MPI_Group_translate_ranks(here, n, places, everywhere, r->near);
        for (k = 0; k < n; k++)
            if (r->near[k] != r->rank)
                r->near[r->nears++] = r->near[k];
    }
    free(places);
    *alone = n == r->size;
    MPI_Group_free(&here);
    MPI_Group_free(&everywhere);
    MPI_Comm_free(&node);
    return r->near ? error : MPI_ERR_NO_MEM;
}

/* Where the words of each rank are in this process. */
static int find_shared(struct tweed__ranks *r)
{
    int error = MPI_SUCCESS, unit;
    MPI_Aint bytes;

    r->shared = calloc((size_t)r->size, sizeof *r->shared);
    if (!r->shared)
        return MPI_ERR_NO_MEM;
    for (int k = 0; error == MPI_SUCCESS && k < r->size; k++)
        error = MPI_Win_shared_query(r->window, k, &bytes, &unit, &r->shared[k]);
    return error;
}

static int make_window(struct tweed__ranks *r, bool one_node)
{
    MPI_Aint bytes = TWEED__WORDS * sizeof(uint64_t);
    uint64_t *words;
    int error;

    error = one_node ? MPI_Win_allocate_shared(bytes, sizeof *words, MPI_INFO_NULL, r->comm,
                                               &words, &r->window)
                     : MPI_Win_allocate(bytes, sizeof *words, MPI_INFO_NULL, r->comm, &words,
                                        &r->window);
    if (error != MPI_SUCCESS)
        return error;
    MPI_Win_set_errhandler(r->window, MPI_ERRORS_RETURN);
    memset(words, 0, (size_t)bytes);
    if (one_node)
        error = find_shared(r);
    if (error != MPI_SUCCESS)
        return error;
    error = MPI_Win_lock_all(MPI_MODE_NOCHECK, r->window);
    if (error == MPI_SUCCESS)
        error = MPI_Win_sync(r->window); /* the zeros, before others come */
    return error == MPI_SUCCESS ? MPI_Barrier(r->comm) : error;
}

static void release(struct tweed__ranks *r)
{
    struct tweed__ranks **place = &all;

    while (*place && *place != r)
        place = &(*place)->next;
    if (*place)
        *place = r->next;
    if (r->window != MPI_WIN_NULL) {
        MPI_Win_unlock_all(r->window);
        MPI_Win_free(&r->window);
    }
    if (r->comm != MPI_COMM_NULL)
        MPI_Comm_free(&r->comm);
    free(r->shared);
    free(r->near);
    free(r);
}

/* The user's communicator is being freed, which is collective. */
static int delete_kept(MPI_Comm comm, int k, void *value, void *extra)
{
    (void)comm, (void)k, (void)extra;
    for (struct tweed__ranks *r = all; r; r = r->next)
        if (r == value) { /* else MPI is ending, and it is freed already */
            release(r);
            break;
        }
    return MPI_SUCCESS;
}

static int delete_all(MPI_Comm comm, int k, void *value, void *extra)
{
    (void)comm, (void)k, (void)value, (void)extra;
    while (all)
        release(all);
    key = last = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

static int make_keys(void)
{
    int error = MPI_SUCCESS;

    if (key != MPI_KEYVAL_INVALID)
        return MPI_SUCCESS;
    error = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_all, &last, NULL);
    if (error == MPI_SUCCESS)
        error = MPI_Comm_set_attr(MPI_COMM_SELF, last, NULL);
    if (error == MPI_SUCCESS)
        error = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_kept, &key, NULL);
    return error;
}

static int make(MPI_Comm comm, struct tweed__ranks *r)
{
    bool one_node = false;
    int error = MPI_Comm_dup(comm, &r->comm);

    if (error != MPI_SUCCESS)
        return error;
    MPI_Comm_set_errhandler(r->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(r->comm, &r->rank);
    MPI_Comm_size(r->comm, &r->size);
    error = find_near(r, &one_node);
    return error == MPI_SUCCESS ? make_window(r, one_node && TWEED__SHARE) : error;
}

struct tweed__ranks *tweed__ranks_of(MPI_Comm comm, int *error)
{
    struct tweed__ranks *r = NULL;
    int found = 0;

    *error = make_keys();
    if (*error == MPI_SUCCESS)
        *error = MPI_Comm_get_attr(comm, key, &r, &found);
    if (*error != MPI_SUCCESS || found)
        return r;
    r = calloc(1, sizeof *r);
    if (!r) {
        *error = MPI_ERR_NO_MEM;
        return NULL;
    }
    r->comm = MPI_COMM_NULL;
    r->window = MPI_WIN_NULL;
    *error = make(comm, r);
    if (*error == MPI_SUCCESS)
        *error = MPI_Comm_set_attr(comm, key, r);
    if (*error != MPI_SUCCESS) { /* what there is of it is not freed: that is collective */
        free(r->shared);
        free(r->near);
        free(r);
        return NULL;
    }
    r->next = all;
    all = r;
    return r;
}

/* ---- words ---- */

static void count(struct tweed__ranks *r, int rank)
{
    r->operations += rank != r->rank;
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
    count(r, rank);
    return r->shared ? load_acquire(&r->shared[rank][word]) /* with add()'s */
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
    uint64_t old = 0;

    count(r, rank);
    if (r->shared) {
        /* weaker: any order would do, the word carries nothing but itself (holding.c) */
        (void)cas_acq_rel(&r->shared[rank][word], &expected, desired);
        return expected; /* what was there, also if it was that */
    }
    end(r, rank, MPI_Compare_and_swap(&desired, &expected, &old, MPI_UINT64_T, rank, word,
                                      r->window));
    return r->failed ? ~expected : old;
}

/* MPI makes progress in any call, but an operation on one's own words need not be one.  One
   poll serves one step of another rank's operation, which takes several. */
void tweed__window_serve(struct tweed__ranks *r, unsigned polls)
{
    int unused;

    while (polls-- > 0 && !r->shared && !r->failed)
        (void)tweed__ranks_went_well(r, MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, r->comm,
                                                   &unused, MPI_STATUS_IGNORE));
}

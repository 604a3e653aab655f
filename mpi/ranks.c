/*
 * ranks.c - the ranks of a communicator: their window is made, kept and freed.
 *
 * SPDX-License-Identifier: MIT
 *
 * KEPT.  The first call on a communicator makes a copy of it and a window, and keeps them
 * as an attribute of the communicator.  They are freed with the communicator.  If
 * MPI_Finalize() finds communicators that are not freed, an attribute of MPI_COMM_SELF
 * frees what was kept: MPI deletes that attribute before anything else.
 *
 * STEPS.  If something fails on one rank, the other ranks must not wait for that rank in
 * a collective call.  So a rank gets all its memory, and then all ranks agree that each
 * has its own.  They agree again when the window is made; no rank leaves that before the
 * words of all ranks are zero.
 *
 * THREADS.  At MPI_THREAD_MULTIPLE two threads may make their first calls at once, on two
 * communicators.  (On one communicator MPI forbids that, as it forbids any two collective
 * calls.)  The threads share the key and the list, which a mutex guards.  MPI may hold a
 * lock of its own when it calls delete_kept(); so no thread calls MPI with the mutex
 * locked.
 *
 * ORDER.  Freeing a window is collective.  So at the end the ranks free their windows in
 * one order, which is not that of making: threads of two ranks may come to two
 * communicators in different orders.  Rank 0 of a communicator gives the communicator a
 * number.  This number and the rank that this process has in MPI_COMM_WORLD no other
 * communicator has together.  The list is sorted by these.
 */
#include "config.h"

#include "window.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <tweed.h>

/* 0: a test has one node do as several do. */
#ifndef TWEED__SHARE
#define TWEED__SHARE 1
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int key = MPI_KEYVAL_INVALID; /* of what is kept */
static struct tweed__ranks *all;     /* the greatest number first */
static int64_t numbers;              /* that were given */

bool tweed__ranks_went_well(struct tweed__ranks *r, int error)
{
    if (error != MPI_SUCCESS && !r->failed)
        r->failed = error;
    return error == MPI_SUCCESS;
}

/* ---- the list ---- */

static bool comes_before(const struct tweed__ranks *a, const struct tweed__ranks *b)
{
    return a->number != b->number ? a->number > b->number : a->root > b->root;
}

static void enter(struct tweed__ranks *r)
{
    struct tweed__ranks **place = &all;

    pthread_mutex_lock(&mutex);
    while (*place && comes_before(*place, r))
        place = &(*place)->next;
    r->next = *place;
    *place = r;
    pthread_mutex_unlock(&mutex);
}

/* Takes r off the list; NULL: the first one.  NULL: it is not there. */
static struct tweed__ranks *leave(const struct tweed__ranks *r)
{
    struct tweed__ranks **place = &all, *found;

    pthread_mutex_lock(&mutex);
    while (*place && r && *place != r)
        place = &(*place)->next;
    found = *place;
    if (found)
        *place = found->next;
    pthread_mutex_unlock(&mutex);
    return found;
}

/* ---- freed ---- */

static void free_memory(struct tweed__ranks *r)
{
    if (!r)
        return;
    free(r->shared);
    free(r->near);
    free(r);
}

static void release(struct tweed__ranks *r)
{
    MPI_Win_unlock_all(r->window);
    MPI_Win_free(&r->window);
    MPI_Comm_free(&r->comm);
    free_memory(r);
}

/* The user's communicator is being freed, which is collective. */
static int delete_kept(MPI_Comm comm, int k, void *value, void *extra)
{
    struct tweed__ranks *r = leave(value);

    (void)comm, (void)k, (void)extra;
    if (r) /* else MPI is ending, and it is freed already */
        release(r);
    return MPI_SUCCESS;
}

/* MPI is ending. */
static int delete_all(MPI_Comm comm, int k, void *value, void *extra)
{
    struct tweed__ranks *r;

    (void)comm, (void)k, (void)value, (void)extra;
    while ((r = leave(NULL)))
        release(r);
    return MPI_SUCCESS;
}

/* ---- the key ---- */

/* An attribute of MPI_COMM_SELF; a second one finds nothing to do. */
static int watch_end(void)
{
    int last = MPI_KEYVAL_INVALID;
    int error = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_all, &last, NULL);

    if (error == MPI_SUCCESS)
        error = MPI_Comm_set_attr(MPI_COMM_SELF, last, NULL);
    if (last != MPI_KEYVAL_INVALID)
        MPI_Comm_free_keyval(&last); /* it lasts as long as the attribute */
    return error;
}

static int exchange_key(int mine, int *theirs)
{
    pthread_mutex_lock(&mutex);
    if (key == MPI_KEYVAL_INVALID)
        key = mine;
    *theirs = key;
    pthread_mutex_unlock(&mutex);
    return *theirs == mine;
}

static int find_key(int *k)
{
    int mine = MPI_KEYVAL_INVALID, error;

    if (!exchange_key(MPI_KEYVAL_INVALID, k))
        return MPI_SUCCESS;
    error = watch_end();
    if (error == MPI_SUCCESS)
        error = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_kept, &mine, NULL);
    if (error == MPI_SUCCESS && !exchange_key(mine, k))
        MPI_Comm_free_keyval(&mine); /* another thread was quicker */
    return error;
}

/* ---- made ---- */

/* What ranks say to each other at a step; the greatest values of all count. */
struct said {
    int64_t has_no_memory, failed; /* failed: an error class of MPI's */
    int64_t number, root;          /* of rank 0; else 0 */
};

/* Rank 0 of a communicator names it. */
static struct said give_number(MPI_Comm own)
{
    struct said s = { 0, 0, 0, 0 };
    int rank, root;

    MPI_Comm_rank(own, &rank);
    if (rank > 0)
        return s;
    MPI_Comm_rank(MPI_COMM_WORLD, &root);
    pthread_mutex_lock(&mutex);
    s.number = ++numbers;
    pthread_mutex_unlock(&mutex);
    s.root = root;
    return s;
}

/* *error: what went wrong on this rank; or else, afterwards, on another rank. */
static int agree(MPI_Comm own, struct said *s, bool has_memory, int *error)
{
    int class = MPI_SUCCESS, failed;

    if (*error != MPI_SUCCESS)
        MPI_Error_class(*error, &class);
    s->has_no_memory = !has_memory;
    s->failed = class;
    failed = MPI_Allreduce(MPI_IN_PLACE, s, sizeof *s / sizeof(int64_t), MPI_INT64_T, MPI_MAX,
                           own);
    if (*error == MPI_SUCCESS)
        *error = failed != MPI_SUCCESS ? failed : (int)s->failed;
    return *error != MPI_SUCCESS ? TWEED_EMPI
           : s->has_no_memory    ? TWEED_ENOMEM
                                 : TWEED_OK;
}

/* The other ranks of this node: n with this one. */
static int find_near(struct tweed__ranks *r, MPI_Comm node, int n)
{
    int *places = r->near + n, error;
    MPI_Group here, everywhere;

    for (int k = 0; k < n; k++)
        places[k] = k;
    MPI_Comm_group(node, &here);
    MPI_Comm_group(r->comm, &everywhere);
    error = MPI_Group_translate_ranks(here, n, places, everywhere, r->near);
    for (int k = 0; k < n; k++)
        if (r->near[k] != r->rank)
            r->near[r->nears++] = r->near[k];
    MPI_Group_free(&here);
    MPI_Group_free(&everywhere);
    return error;
}

/* Gets all the memory that is needed.  NULL: there is not so much. */
static struct tweed__ranks *get_memory(MPI_Comm own, int nears)
{
    struct tweed__ranks *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->comm = own;
    MPI_Comm_rank(own, &r->rank);
    MPI_Comm_size(own, &r->size);
    r->near = calloc(2 * (size_t)nears, sizeof *r->near);
    if (TWEED__SHARE && nears == r->size)
        r->shared = calloc((size_t)r->size, sizeof *r->shared);
    if (r->near && (r->shared || !TWEED__SHARE || nears < r->size))
        return r;
    free_memory(r);
    return NULL;
}

/* Where the words of each rank are in this process. */
static int find_shared(struct tweed__ranks *r)
{
    int error = MPI_SUCCESS, unit;
    MPI_Aint bytes;

    for (int k = 0; error == MPI_SUCCESS && k < r->size; k++)
        error = MPI_Win_shared_query(r->window, k, &bytes, &unit, &r->shared[k]);
    return error;
}

static int make_window(struct tweed__ranks *r)
{
    MPI_Aint bytes = TWEED__WORDS * sizeof(uint64_t);
    uint64_t *words;
    int error;

    error = r->shared ? MPI_Win_allocate_shared(bytes, sizeof *words, MPI_INFO_NULL, r->comm,
                                                &words, &r->window)
                      : MPI_Win_allocate(bytes, sizeof *words, MPI_INFO_NULL, r->comm, &words,
                                         &r->window);
    if (error != MPI_SUCCESS)
        return error;
    MPI_Win_set_errhandler(r->window, MPI_ERRORS_RETURN);
    memset(words, 0, (size_t)bytes);
    if (r->shared)
        error = find_shared(r);
    if (error == MPI_SUCCESS)
        error = MPI_Win_lock_all(MPI_MODE_NOCHECK, r->window);
    return error == MPI_SUCCESS ? MPI_Win_sync(r->window) : error; /* the zeros */
}

/* Makes the window on a copy of the user's communicator.  A rank that has a window keeps
   it where another rank may have none: freeing is collective. */
static int make_on(MPI_Comm own, struct tweed__ranks **made, int *error)
{
    struct said s = give_number(own);
    MPI_Comm node = MPI_COMM_NULL;
    struct tweed__ranks *r;
    int code, nears = 1;

    *error = MPI_Comm_split_type(own, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    if (*error == MPI_SUCCESS)
        MPI_Comm_size(node, &nears);
    r = get_memory(own, nears);
    if (r && *error == MPI_SUCCESS)
        *error = find_near(r, node, nears);
    if (node != MPI_COMM_NULL)
        MPI_Comm_free(&node);
    code = agree(own, &s, r, error);
    if (code == TWEED_OK) {
        r->number = s.number;
        r->root = s.root;
        *error = make_window(r);
        code = agree(own, &s, true, error);
    }
    if (code == TWEED_OK)
        *made = r;
    else
        free_memory(r);
    return code;
}

int tweed__ranks_of(MPI_Comm comm, struct tweed__ranks **ranks, int *error)
{
    MPI_Comm own;
    int k, code, found = 0;

    *error = find_key(&k);
    if (*error != MPI_SUCCESS)
        return TWEED_EMPI;
    if (MPI_Comm_get_attr(comm, k, ranks, &found) != MPI_SUCCESS)
        return TWEED_EMPI; /* which MPI has told comm's handler; also below */
    if (found)
        return TWEED_OK;
    if (MPI_Comm_dup(comm, &own) != MPI_SUCCESS)
        return TWEED_EMPI;
    MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    code = make_on(own, ranks, error);
    if (code != TWEED_OK) {
        MPI_Comm_free(&own);
        return code;
    }
    if (MPI_Comm_set_attr(comm, k, *ranks) != MPI_SUCCESS)
        return TWEED_EMPI;
    enter(*ranks);
    return TWEED_OK;
}

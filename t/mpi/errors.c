/*
 * errors.c - before MPI, without threads, after a call of MPI's has failed, after MPI.
 *
 * SPDX-License-Identifier: MIT
 *
 *   errors thread    MPI_Init_thread(MPI_THREAD_SINGLE)
 *   errors copy      MPI_Comm_dup fails, and calls the communicator's handler
 *   errors setup     MPI_Win_allocate and MPI_Win_allocate_shared fail
 *   errors one       MPI_Comm_split_type fails on one rank: all are told
 *   errors late      MPI_Allreduce fails, on all ranks, when there has been a loop
 *
 * MPI's functions are those of this file, which call PMPI's.
 */
#include "ranks.h"

#include <string.h>

enum { NOTHING, COPY, SETUP, ONE, LATE };

static int fails, handled;

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy)
{
    if (fails != COPY)
        return PMPI_Comm_dup(comm, copy);
    MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part)
{
    int error = PMPI_Comm_split_type(comm, type, key, info, part);

    return fails == ONE && rank == ranks - 1 ? MPI_ERR_OTHER : error;
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                     MPI_Win *win)
{
    return fails == SETUP ? MPI_ERR_NO_MEM : PMPI_Win_allocate(size, unit, info, comm, base, win);
}

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                            MPI_Win *win)
{
    return fails == SETUP ? MPI_ERR_NO_MEM
                          : PMPI_Win_allocate_shared(size, unit, info, comm, base, win);
}

int MPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    return fails == LATE ? MPI_ERR_OTHER : PMPI_Allreduce(from, to, n, type, op, comm);
}

static void handle(MPI_Comm *comm, int *error, ...)
{
    (void)comm, (void)error;
    handled++;
}

static void count(int64_t i, void *arg)
{
    (void)i;
    __atomic_fetch_add((uint64_t *)arg, 1, __ATOMIC_RELAXED);
}

static int loop(MPI_Comm comm, uint64_t *n)
{
    return tweed_mpi_parallel_for(comm, NULL, 0, 100, count, n);
}

static void failures(int what)
{
    MPI_Errhandler handler;
    MPI_Comm comm;
    uint64_t n = 0;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (what == LATE)
        check(loop(comm, &n) == 0 && sum(n) == 100, "all is well at first");
    n = 0;
    fails = what;
    check(loop(comm, &n) == TWEED_EMPI, "MPI_ERRORS_RETURN: a code");
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    check(loop(comm, &n) == TWEED_EMPI && handled == 1, "a handler is called once");
    check(n == 0, "no index was executed");
    fails = NOTHING;
    MPI_Errhandler_free(&handler);
    handled = 0;
    if (what != LATE)
        check(loop(comm, &n) == 0 && sum(n) == 100 && !handled, "and then it works");
    MPI_Comm_free(&comm);
    n = 0;
    check(loop(MPI_COMM_WORLD, &n) == 0 && sum(n) == 100, "another communicator works");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int level, code, wanted;
    uint64_t n = 0;

    wanted = strcmp(what, "thread") == 0 ? MPI_THREAD_SINGLE : MPI_THREAD_FUNNELED;
    check(loop(MPI_COMM_WORLD, &n) == TWEED_EMPI, "before MPI_Init");
    MPI_Init_thread(&argc, &argv, wanted, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (wanted == MPI_THREAD_SINGLE)
        check(level > wanted || loop(MPI_COMM_WORLD, &n) == TWEED_ETHREAD,
              "MPI_THREAD_SINGLE is refused");
    else
        failures(strcmp(what, "copy") == 0    ? COPY
                 : strcmp(what, "setup") == 0 ? SETUP
                 : strcmp(what, "one") == 0   ? ONE
                                              : LATE);
    code = ranks_end();
    n = 0;
    if (loop(MPI_COMM_WORLD, &n) != TWEED_EMPI || n)
        return 1;
    return code;
}

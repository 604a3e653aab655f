/*
 * ways.c - three ways to execute a loop on all ranks: two by hand, and tweed's.
 *
 * SPDX-License-Identifier: MIT
 *
 * Bodies are timed, for the ideal, in the runs that they come in.  By hand a rank uses its workers as it would use
 * OpenMP: a parallel loop over the indices that it has.
 */
#include "ways.h"

#include <stdio.h>
#include <stdlib.h>

static int rank, ranks;
static const struct loop *current;
static uint64_t busy_ns, longest_ns; /* of this rank's bodies, in one loop */

static void nothing(int64_t i, void *arg)
{
    (void)i, (void)arg;
}

/* The first call on a communicator makes a window: it is not timed. */
void ways_begin(int *argc, char ***argv)
{
    int level;

    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (tweed_mpi_parallel_for(MPI_COMM_WORLD, NULL, 0, 0, nothing, NULL) != TWEED_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

int ways_rank(void)
{
    return rank;
}

/* ---- bodies ---- */

static void timed(int64_t begin, int64_t end, void *arg)
{
    double start = MPI_Wtime();
    uint64_t ns, most = __atomic_load_n(&longest_ns, __ATOMIC_RELAXED);

    for (int64_t i = begin; i < end; i++)
        current->body(i, arg);
    ns = (uint64_t)((MPI_Wtime() - start) * 1e9);
    __atomic_fetch_add(&busy_ns, ns, __ATOMIC_RELAXED);
    while (ns > most && !__atomic_compare_exchange_n(&longest_ns, &most, ns, 0,
                                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void run_here(const struct loop *loop, int64_t begin, int64_t end)
{
    if (tweed_parallel_for_range(begin, end, timed, loop->arg) != TWEED_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- by hand ---- */

static void split(const struct loop *loop)
{
    run_here(loop, loop->n * rank / ranks, loop->n * (rank + 1) / ranks);
}

static uint64_t deal(const struct loop *loop)
{
    int64_t next = 0;
    uint64_t messages = 0;
    MPI_Status status;

    for (int left = ranks - 1; left > 0; messages++) {
        MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        left -= next >= loop->n;
        MPI_Send(&next, 1, MPI_INT64_T, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
        next += loop->chunk;
    }
    return messages;
}

static uint64_t ask(const struct loop *loop)
{
    uint64_t messages = 0;
    int64_t begin, end;

    for (;; messages++) {
        MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&begin, 1, MPI_INT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (begin >= loop->n)
            return messages + 1;
        end = begin + loop->chunk;
        run_here(loop, begin, end < loop->n ? end : loop->n);
    }
}

static uint64_t master(const struct loop *loop)
{
    if (ranks == 1) {
        run_here(loop, 0, loop->n);
        return 0;
    }
    return rank == 0 ? deal(loop) : ask(loop);
}

/* ---- all three ---- */

static uint64_t sum(uint64_t n)
{
    uint64_t all = 0;

    MPI_Allreduce(&n, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static uint64_t greatest(uint64_t n)
{
    uint64_t most = 0;

    MPI_Allreduce(&n, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

/* The ideal loop takes as long as the bodies on all workers at once, or as the longest. */
static double ideal(void)
{
    int workers = tweed_pool_num_workers(NULL);
    double share = 1e-9 * (double)sum(busy_ns) / (double)sum((uint64_t)workers);
    double most = 1e-9 * (double)greatest(longest_ns);

    return share > most ? share : most;
}

void ways_run(enum way way, const struct loop *loop, struct cost *cost)
{
    tweed_mpi_stats stats = TWEED_MPI_STATS_INIT;
    tweed_mpi_options options = TWEED_MPI_OPTIONS_INIT;
    uint64_t messages = 0;
    double start;

    options.stats = &stats;
    options.name = loop->name;
    current = loop;
    busy_ns = longest_ns = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    if (way == SPLIT)
        split(loop);
    else if (way == MASTER)
        messages = master(loop);
    else if (tweed_mpi_parallel_for_range(MPI_COMM_WORLD, &options, 0, loop->n, timed,
                                          loop->arg) != TWEED_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD); /* tweed needs none; the others do */
    cost->seconds += MPI_Wtime() - start;
    cost->ideal += ideal();
    cost->steals += sum(stats.steals);
    cost->messages += sum(messages + stats.operations);
}

void ways_header(void)
{
    if (rank == 0)
        printf("%-12s %-20s %5s %7s %10s %10s %7s %7s %9s\n", "loop", "way", "ranks", "workers",
               "time ms", "ideal ms", "ratio", "steals", "messages");
}

void ways_row(enum way way, const struct loop *loop, const struct cost *cost)
{
    static const char *const names[WAYS] = { "split by hand", "master and workers", "tweed" };

    if (rank == 0)
        printf("%-12s %-20s %5d %7d %10.2f %10.2f %7.2f %7llu %9llu\n", loop->name, names[way],
               ranks, tweed_pool_num_workers(NULL), 1e3 * cost->seconds, 1e3 * cost->ideal,
               cost->seconds / cost->ideal, (unsigned long long)cost->steals,
               (unsigned long long)cost->messages);
}

int ways_end(int right)
{
    int all = 0;

    MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0 && !all)
        fprintf(stderr, "the answers differ\n");
    MPI_Finalize();
    return !all;
}

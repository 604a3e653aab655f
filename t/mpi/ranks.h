/*
 * ranks.h - what the programs that run under mpirun share: conditions that all ranks look at.
 *
 * SPDX-License-Identifier: MIT
 *
 * A program says check(condition, words); a rank names what does not hold on it.  It ends
 * with `return ranks_end();`, which every rank comes to.  With more ranks than CPUs each
 * collective call of MPI may take as long as the system lets the others run: there are few.
 */
#ifndef TWEED_T_RANKS_H
#define TWEED_T_RANKS_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tweed/mpi.h>

static int rank, ranks, checked, bad;

static inline void ranks_begin(int *argc, char ***argv)
{
    int level;

    setvbuf(stdout, NULL, _IOLBF, 0); /* so that a time-out shows how far it came */
    if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS ||
        level < MPI_THREAD_FUNNELED)
        exit(99);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

__attribute__((format(printf, 2, 3))) static inline void check(int condition,
                                                               const char *format, ...)
{
    va_list args;

    checked++;
    bad += !condition;
    if (condition)
        return;
    va_start(args, format);
    printf("rank %d: does not hold: ", rank);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

static inline uint64_t sum(uint64_t n)
{
    uint64_t total = 0;

    MPI_Allreduce(&n, &total, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return total;
}

static inline int ranks_end(void)
{
    uint64_t all = sum((uint64_t)checked), wrong = sum((uint64_t)bad);

    if (rank == 0)
        printf("%llu of %llu conditions hold on %d ranks\n",
               (unsigned long long)(all - wrong), (unsigned long long)all, ranks);
    MPI_Finalize();
    return wrong != 0;
}

static inline void sleep_us(long us)
{
    struct timespec t = { us / 1000000, us % 1000000 * 1000 };

    nanosleep(&t, NULL);
}

#endif

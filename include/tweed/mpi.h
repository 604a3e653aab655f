/*
 * tweed/mpi.h - loops over the ranks of an MPI communicator.
 *
 * SPDX-License-Identifier: MIT
 *
 * Of a library of its own: pkg-config tweed-mpi, or -ltweed-mpi -ltweed and MPI.
 *
 *     MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
 *     ...
 *     tweed_mpi_parallel_for(MPI_COMM_WORLD, NULL, 0, n, fn, arg);
 *
 * The indices are split over the ranks once, in proportion to their workers.  Each rank
 * executes its part on its own pool, a piece at a time.  A rank that has run out takes a
 * quarter of what another rank has not begun.  The call returns, on every rank, when every
 * index has been executed exactly once, on one of the ranks.
 *
 * What all calls have in common:
 *
 *  - They are collective: every rank of the communicator makes the same call, in the same
 *    order, with the same bounds, grain and schedule.  fn, arg and the other options are
 *    each rank's own.
 *  - A body touches the memory of its own rank.  What it writes is there, on that rank,
 *    after the call.  Results reach other ranks by MPI, after the loop: MPI_Gatherv,
 *    MPI_Allreduce, or a window.  tweed_mpi_parallel_reduce() does that for one element.
 *  - MPI has at least MPI_THREAD_FUNNELED.  With that level the main thread calls.  Bodies
 *    call no MPI function, unless the level is MPI_THREAD_MULTIPLE.
 *  - Result: 0 (TWEED_OK) or a negative TWEED_E... code, the same on all ranks.  Where a
 *    rank's arguments are wrong, or it has no memory, that rank's code is returned on all;
 *    where arguments differ, TWEED_EDIFFER on all.  In these cases no index was executed.
 *    Where a rank's part of the loop fails its code is returned on all, when the loop is
 *    over: TWEED_ECLOSED, its pool is being destroyed; TWEED_ESTOPPED, a body has called
 *    tweed_parallel_stop(), which ends the piece it is in.
 *  - TWEED_ETHREAD and TWEED_ENESTED, TWEED_EMPI where MPI does not run, and TWEED_EINVAL
 *    for a communicator that is none, are returned by a rank before it talks to the
 *    others.
 *  - When a call of MPI fails the error handler of the communicator is called.  With
 *    MPI_ERRORS_RETURN the result is TWEED_EMPI then.  The communicator is not to be used
 *    any more; other ranks may wait for ever.
 *  - The first call on a communicator makes a copy of it and a window, which are kept
 *    until the communicator is freed, or MPI ends.  MPI_Comm_free() then waits for all its
 *    ranks; so where several such communicators are freed all ranks free them in one
 *    order.
 *  - With MPI_THREAD_MULTIPLE threads may call at once, on different communicators.  Two
 *    calls at once on one communicator MPI forbids, the first ones too.
 *
 * Names that end with _ are tweed's own.
 */
#ifndef TWEED_MPI_H
#define TWEED_MPI_H

#include <mpi.h>
#include <tweed.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How far a loop is: so many indices of `total` are known to be done. */
typedef void tweed_mpi_progress_fn(uint64_t done, uint64_t total, void *arg);

/* What a rank did in a loop: a struct of results.  What tweed.h says of the sizes of
   structs holds here too. */
typedef struct tweed_mpi_stats {
    size_t size;         /* sizeof(tweed_mpi_stats) */
    uint64_t indices;    /* executed by this rank */
    uint64_t pieces;     /* that they were executed in */
    uint64_t steals;     /* taken from other ranks */
    uint64_t tries;      /* looks at two other ranks, for something to steal */
    uint64_t operations; /* one-sided operations on other ranks' windows */
} tweed_mpi_stats;

#define TWEED_MPI_STATS_INIT { sizeof(tweed_mpi_stats), 0, 0, 0, 0, 0 }

/* Options of one loop.  Leave what you do not care about zero. */
typedef struct tweed_mpi_options {
    size_t size;           /* sizeof(tweed_mpi_options) */
    int64_t grain;         /* indices that stay together: one worker executes them, one
                              after the other; 0: 1.  Raised as in tweed_loop_options.
                              The same on all ranks */
    int64_t schedule;      /* TWEED_SCHEDULE_DEFAULT; TWEED_SCHEDULE_STATIC: each rank
                              executes its share, and steals nothing.  (The workers of a
                              rank do.)  The same on all ranks */
    int64_t weight;        /* this rank's share, in any unit, at most 2^20; 0: the number
                              of workers of its pool.  All ranks give one, or none does */
    tweed_pool *pool;      /* of this rank; NULL: its default pool */
    const char *name;      /* of the loops on the rank's pool: see tweed_loop_options */
    tweed_mpi_progress_fn *progress; /* looked at on rank 0: called by the calling thread,
                              some ten times a second, and at the end, with total; NULL */
    void *progress_arg;
    tweed_mpi_stats *stats; /* receives what this rank did; NULL: not wanted */
} tweed_mpi_options;

#define TWEED_MPI_OPTIONS_INIT                                                 \
    { sizeof(tweed_mpi_options), 0, 0, 0, NULL, NULL, NULL, NULL, NULL }

/*
 * tweed_mpi_parallel_for - run fn(i, arg) for each index of [lo, hi), over all ranks
 *
 *     for (int64_t i = lo; i < hi; i++)
 *         fn(i, arg);
 *
 * comm     an intracommunicator
 * options  NULL: none
 * lo, hi   any values, the same on all ranks; lo >= hi is an empty loop
 * fn, arg  as those of tweed_parallel_for(); each rank's own
 *
 * Blocks until all indices are done on all ranks.  Meanwhile the calling thread executes
 * indices, and between them takes pieces from other ranks.  A rank in a long body is
 * stolen from without its help where MPI has one-sided operations that need none: on one
 * machine, and on networks with atomics; else MPI serves the thief when the calling thread
 * gets to it.
 *
 * Memory ordering, on each rank: as tweed_parallel_for().  A body on any rank happens
 * before the return on all.
 *
 * Callers: the main thread, or with MPI_THREAD_SERIALIZED or more any thread that may use
 * MPI and the communicator; not in a body.
 *
 * Returns TWEED_OK; TWEED_EINVAL: fn is NULL, comm is none or connects two groups, an
 * option makes no sense; TWEED_ENOPOOL; TWEED_ENOMEM, of a first call; TWEED_EDIFFER: the
 * ranks have given different bounds, grains, schedules, sizes of elements or calls, or
 * weights on some ranks only; TWEED_ETHREAD: the thread level is less than
 * MPI_THREAD_FUNNELED, or is MPI_THREAD_FUNNELED and this is not the main thread;
 * TWEED_ENESTED: in a body, in a function of tweed_mpi_run(), or in a progress function
 * while the loop goes on; TWEED_ECLOSED; TWEED_ESTOPPED; TWEED_EMPI: MPI is not
 * initialised, is finalised, or has failed.
 */
TWEED_API_ TWEED_CHECKED_ int tweed_mpi_parallel_for(
    MPI_Comm comm, const tweed_mpi_options *options, int64_t lo, int64_t hi,
    tweed_index_fn *fn, void *arg);

/* tweed_mpi_parallel_for_range - the same; fn is given runs of consecutive indices, as
   that of tweed_parallel_for_range() */
TWEED_API_ TWEED_CHECKED_ int tweed_mpi_parallel_for_range(
    MPI_Comm comm, const tweed_mpi_options *options, int64_t lo, int64_t hi,
    tweed_range_fn *fn, void *arg);

/*
 * tweed_mpi_run - the same with a loop of the rank's own: run(pool, options, b, e, arg)
 * for pieces [b, e) of [lo, hi)
 *
 * run  executes all of its piece before it returns, on the pool it is given.  It is called
 *      for several pieces at once, by the calling thread and by threads of the pool; so
 *      options->max_workers is 1, but for a static loop and on one rank without a
 *      progress function.  Returns 0, or a code that says what is wrong.  The loop goes
 *      on.  Each rank keeps the first code there that was not 0.  tweed_mpi_run() returns
 *      one of these on all ranks: the smallest if any is negative (of -3 and -7, -7),
 *      else the greatest.
 */
typedef int tweed_mpi_run_fn(tweed_pool *pool, const tweed_loop_options *options,
                             int64_t lo, int64_t hi, void *arg);
TWEED_API_ TWEED_CHECKED_ int tweed_mpi_run(
    MPI_Comm comm, const tweed_mpi_options *options, int64_t lo, int64_t hi,
    tweed_mpi_run_fn *run, void *arg);

/*
 * tweed_mpi_parallel_reduce - reduce [lo, hi) to one element, on all ranks
 *
 *     copy *identity to e;
 *     body(lo, hi, &e, arg);
 *     copy e to *result;
 *
 * reduction, arg, result  as those of tweed_parallel_reduce(); the functions are each
 *                         rank's own, and do the same
 *
 * The result has the same bits for every number of ranks and workers: those of
 * tweed_parallel_reduce() with the same grain.  The blocks' elements, 256 KiB in all or 64
 * elements, are exchanged between all ranks after the loop, as bytes.  So an element holds
 * no pointers, and the ranks are of one architecture.
 *
 * Returns as tweed_mpi_parallel_for(); TWEED_EINVAL also if the reduction or result is
 * wrong.  What *result holds after a failure is what it held before.
 */
TWEED_API_ TWEED_CHECKED_ int tweed_mpi_parallel_reduce(
    MPI_Comm comm, const tweed_mpi_options *options, int64_t lo, int64_t hi,
    const tweed_reduction *reduction, void *arg, void *result);

#ifdef __cplusplus
}
#endif

/*
 * TWEED_MPI_LOOP - a loop over all ranks with its body in braces
 *
 *     TWEED_MPI_LOOP(saxpy, i, float *, y, const float *, x, float, a)
 *     {
 *         y[i] += a * x[i];
 *     }
 *     ...
 *     code = saxpy(MPI_COMM_WORLD, NULL, 0, n, y, x, a);
 *
 * As TWEED_LOOP(), and as tweed_mpi_parallel_for().  It makes
 *
 *     int saxpy(MPI_Comm comm, const tweed_mpi_options *, int64_t lo, int64_t hi,
 *               float *y, const float *x, float a);
 *
 * The arguments are each rank's own.
 */
#define TWEED_MPI_LOOP(name, ...)                                              \
    TWEED_MAKE_KIND_(name, 8, __VA_ARGS__)                                     \
    static TWEED_UNUSED_ int name##_tweed_piece(                               \
        tweed_pool *tweed_pool_, const tweed_loop_options *tweed_options_,     \
        int64_t tweed_lo_, int64_t tweed_hi_, void *tweed_v_)                  \
    {                                                                          \
        return tweed_loop_run(tweed_pool_, tweed_options_, tweed_lo_,          \
                              tweed_hi_, &name##_tweed_kind, TWEED_NULL_,      \
                              tweed_v_);                                       \
    }                                                                          \
    static TWEED_UNUSED_ TWEED_CHECKED_ int name(                              \
        MPI_Comm tweed_comm_, const tweed_mpi_options *tweed_options_,         \
        int64_t tweed_lo_, int64_t tweed_hi_ TWEED_PARAMETERS_(__VA_ARGS__))   \
    {                                                                          \
        TWEED_PACK_(name, __VA_ARGS__)                                         \
                                                                               \
        return tweed_mpi_run(tweed_comm_, tweed_options_, tweed_lo_,           \
                             tweed_hi_, name##_tweed_piece, &tweed_v_);        \
    }                                                                          \
    TWEED_LOOP_BODY_(name, __VA_ARGS__)

#endif /* TWEED_MPI_H */

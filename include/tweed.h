/*
 * tweed.h - data-parallel loops that balance themselves.
 *
 * SPDX-License-Identifier: MIT
 *
 * A loop [lo, hi) is split once over the workers of a pool, one contiguous
 * share each.  A worker that has run out steals from the high end of another
 * worker's share.  The call returns when every index has been executed exactly
 * once.  The model is described in tweed(7), the protocol in
 * doc/protocol.md of the source.
 *
 * TWEED_LOOP() (tweed/inline.h) makes a loop out of a body in braces.  The
 * functions here take the body by pointer.
 *
 * What all functions have in common:
 *
 *  - Result: 0 (TWEED_OK) or a negative TWEED_E... code; tweed_strerror() names
 *    it, and tweed_last_error() says what was wrong.  errno is left as it was found.
 *  - Any thread may call any function at any time, inside a body too, unless
 *    the function's own comment says otherwise.  None is async-signal-safe.
 *  - No function prints, but for three things on stderr: what the environment
 *    asks for (TWEED_STATS, TWEED_TRACE, TWEED_PROGRESS, TWEED_DISPLAY_ENV), each bad
 *    option of the environment once, and a line before an abort.
 *  - No function exits.  When a body is left by unwinding, the library, or the C++
 *    run time, aborts.
 *  - No function changes a signal disposition, or the affinity of the thread that
 *    calls.  Its signal mask is the same when a call returns: a call that starts
 *    threads blocks signals meanwhile.
 */
#ifndef TWEED_H
#define TWEED_H

#include <stddef.h>
#include <stdint.h>

#define TWEED_VERSION_MAJOR 1
#define TWEED_VERSION_MINOR 0
#define TWEED_VERSION_PATCH 0
#define TWEED_VERSION "1.0.0"

#if defined(__GNUC__)
#define TWEED_API_ __attribute__((__visibility__("default")))
/* Of a call that does nothing at all if an option is wrong. */
#define TWEED_CHECKED_ __attribute__((__warn_unused_result__))
/* Of a call in the midst of a body's loop: C++ need not be ready for an exception there,
   and keeps in registers what lives across the call. */
#define TWEED_NOTHROW_ __attribute__((__nothrow__))
/* Of the call that notes why another one fails. */
#define TWEED_NOTES_ __attribute__((__cold__, __format__(__printf__, 2, 3)))
#else
#define TWEED_API_
#define TWEED_CHECKED_
#define TWEED_NOTHROW_
#define TWEED_NOTES_
#endif

/* The loop calls are compiled into the program: tweed/inline.h.  The library has
   them as functions too, for other languages and dlsym(). */
#ifdef TWEED_CALLS_APART_ /* lib/, which makes these functions */
#define TWEED_CALL_ TWEED_API_
#else
#define TWEED_CALL_ static inline __attribute__((__always_inline__, __unused__))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Every result code, once: TWEED_ERRORS_(X) calls X(name, value, text). */
#define TWEED_ERRORS_(X)                                                       \
    X(TWEED_OK, 0, "success")                                                  \
    X(TWEED_EINVAL, -1, "invalid argument")                                    \
    X(TWEED_ENOMEM, -2, "out of memory")                                       \
    X(TWEED_EBUSY, -3, "the pool is in use")                                   \
    X(TWEED_ENOPOOL, -4, "no such pool")                                       \
    X(TWEED_ECLOSED, -5, "the pool is closed, or is being destroyed")                        \
    X(TWEED_ERANGE, -6, "more indices than can be counted")                    \
    X(TWEED_ESTOPPED, -7, "the loop was stopped")                              \
    X(TWEED_ETIMEOUT, -8, "the time for the loop was over")                    \
    X(TWEED_ENOCPU, -9, "a CPU that the process may not use")                  \
    X(TWEED_ENESTED, -10, "no such loop may begin in a body")                  \
    X(TWEED_EMPI, -11, "MPI is not running, or has failed")                    \
    X(TWEED_ETHREAD, -12, "not by this thread, at this thread level of MPI")   \
    X(TWEED_EDIFFER, -13, "the ranks do not agree")

enum {
#define TWEED_ERROR_ENUM_(name, value, text) name = value,
    TWEED_ERRORS_(TWEED_ERROR_ENUM_)
#undef TWEED_ERROR_ENUM_
};

/* A pool of workers.  A null pointer stands for the default pool, but not in
   tweed_pool_destroy(), where it does nothing. */
typedef struct tweed_pool tweed_pool;

/* The two kinds of body.  arg is the pointer given to the call. */
typedef void tweed_index_fn(int64_t i, void *arg);
typedef void tweed_range_fn(int64_t begin, int64_t end, void *arg);

/*
 * Structs of options and of statistics begin with their size, so that they can
 * grow, at the end.  TWEED_..._INIT sets it, and all the rest to zero:
 *
 *     tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
 *     o.grain = 8;
 *
 * A program's struct may be that of a later version of this header.  If a member that only
 * the later version has is not zero the call returns TWEED_EINVAL; of results the member
 * becomes zero.  A size that is less than that of version 1.0, the struct of today, or
 * more than 1024, is TWEED_EINVAL.
 */

/* What stops loops from without: tweed_token_set() (tweed/stop.h).  Zero at first. */
typedef struct tweed_token {
    uint32_t set_;
} tweed_token;

#define TWEED_TOKEN_INIT { 0 }

/* What came of a loop: a struct as above, of results. */
typedef struct tweed_outcome {
    size_t size;   /* sizeof(tweed_outcome) */
    int code;      /* other than 0: what the body returned for `index`, in a loop
                      whose bodies return something (tweed/stop.h) */
    int64_t index; /* the lowest index for which a body returned other than 0; hi:
                      there was none */
    uint64_t ran;  /* indices that were executed */
} tweed_outcome;

#define TWEED_OUTCOME_INIT { sizeof(tweed_outcome), 0, 0, 0 }

/* Options of one loop.  Leave what you do not care about zero.  tweed_loop_options(3)
   says which loops take no notice of some of them. */
typedef struct tweed_loop_options {
    size_t size;      /* sizeof(tweed_loop_options) */

    /* How the loop is divided, and which worker executes what. */
    int64_t grain;    /* indices that stay together, a block: one worker executes
                         them, one after the other; 0: 1.  Raised, to a multiple
                         of itself, where the loop would have more than 2^26 - 2
                         blocks of it */
    int64_t tile[3];  /* of a loop of two or three dimensions (tweed/tiles.h): the
                         sizes of a tile; all 0: chosen.  Other loops do not look
                         at it */
    int max_workers;  /* most workers to use, the caller included; 0: any
                         worker of the pool may join */
    int schedule;     /* TWEED_SCHEDULE_... */
    const double *weights; /* what each index costs, in any unit: hi - lo numbers, none
                              negative; each worker's share weighs the same.  NULL: all
                              indices cost the same */

    /* How the loop ends. */
    const tweed_token *token; /* the loop is stopped when this is set; NULL: never */
    int64_t timeout_ns; /* the loop is stopped when it has lasted for so many ns;
                           0: never */
    tweed_outcome *outcome; /* receives what came of the loop; NULL: not wanted */

    /* What the loop is called. */
    const char *name; /* copied, 31 bytes of it; shown by tweed_pool_dump() */
} tweed_loop_options;

#define TWEED_LOOP_OPTIONS_INIT                                                \
    { sizeof(tweed_loop_options), 0, { 0, 0, 0 }, 0, TWEED_SCHEDULE_DEFAULT,   \
      NULL, NULL, 0, NULL, NULL }

/* Which worker executes an index. */
enum {
    TWEED_SCHEDULE_DEFAULT = 0, /* the worker whose share it is in, or a thief */
    TWEED_SCHEDULE_STATIC = 1   /* the first of these.  Loops of the same bounds, number
                                   of workers, grain, max_workers and weights have the
                                   same index on the same worker.  Not in a body, nor by
                                   a thread of a pool: TWEED_ENESTED */
};

/* What a thread of a pool does when it starts, or ends; see tweed_pool_options. */
typedef void tweed_worker_fn(int worker, void *arg);

/* Options of one pool; as above.  0 stands for the TWEED_... option of that
   name (tweed(7)), and where that is not set either for its default. */
typedef struct tweed_pool_options {
    size_t size;        /* sizeof(tweed_pool_options) */

    /* How many workers, and where. */
    int num_workers;    /* workers, the calling thread included: 1 to 4094 */
    int bind;           /* TWEED_BIND_...; with more workers than CPUs a bind
                           to CPUs becomes one to nodes */
    const char *cpus;   /* copied: the CPUs that the worker threads may run on,
                           numbers, ranges and ranges with a step, "0-3,8,16-30:2".
                           The pool is made as if the process might use no others;
                           num_workers 0 is then one a CPU of these (no more than
                           the cgroup's quota), whatever TWEED_NUM_WORKERS says.
                           NULL: all that the process may use */

    /* The threads of the workers. */
    const char *name;   /* copied, 8 bytes of it: part of the threads' names;
                           "tweed" */
    size_t stack_bytes; /* stack of each worker thread, bytes */
    tweed_worker_fn *on_start; /* called by each worker thread before its first
                                  body; NULL: nothing is */
    tweed_worker_fn *on_end; /* the same after its last body */
    void *hook_arg;          /* handed to both */

    /* How workers look for work, and wait. */
    int fence;          /* TWEED_FENCE_... */
    int64_t spin_ns;    /* a worker with nothing to do spins for so many ns
                           before it sleeps; negative: not at all */
    uint64_t seed;      /* where thieves look first is drawn; the same seed draws
                           the same.  0: what TWEED_SEED says */
} tweed_pool_options;

#define TWEED_POOL_OPTIONS_INIT                                                \
    { sizeof(tweed_pool_options), 0, 0, NULL, NULL, 0, NULL, NULL, NULL, 0, 0, 0 }

enum {
    TWEED_BIND_DEFAULT = 0, /* to CPUs where there are as many workers as CPUs
                               that the process may use, else to nodes */
    TWEED_BIND_CPU = 1,  /* each worker thread on a CPU of its own */
    TWEED_BIND_NODE = 2, /* each worker thread on the CPUs of its node */
    TWEED_BIND_NONE = 3  /* worker threads go where the system puts them */
};

enum {
    TWEED_FENCE_DEFAULT = 0,    /* what TWEED_FENCE says, which says what suits */
    TWEED_FENCE_MEMBARRIER = 1, /* asymmetric: thieves pay; see tweed(7) */
    TWEED_FENCE_EXCHANGE = 2    /* symmetric: owners pay, for each index */
};

/*
 * tweed_parallel_for - run fn(i, arg) for each index of [lo, hi)
 *
 *     for (int64_t i = lo; i < hi; i++)
 *         fn(i, arg);
 *
 * on the default pool, which is started by its first use.
 *
 * lo, hi  any values; lo >= hi is an empty loop.  hi - lo may exceed INT64_MAX.
 * fn      called once for each index, in any order, on the calling thread and
 *         on the pool's threads at the same time.  fn may call any tweed
 *         function.  fn must return: no longjmp() or C++ exception out of it
 *         (tweed.hpp passes those on), no pthread_exit().
 * arg     handed to fn as it is; may live on the caller's stack.
 *
 * Blocks until all indices are done.  The caller executes its part.  While it
 * waits for the rest it helps this loop, and the loops that were started inside
 * it, and no other.  Loops may be nested and may be started by any number of
 * threads at once; the 65th loop at the same time of a pool runs in its caller
 * alone.  pthread_cancel() of the caller is held back until the loop has ended.
 *
 * A worker claims one index at a time; with the option grain, one block.  A call
 * remembers what an index of fn cost when it was called from the same place.  If the
 * loop should be over before others could begin, the caller begins it alone, claims
 * more at a time, and shares the rest if it lasts.  Bodies must not wait for one
 * another: there may be one thread for all of them.
 *
 * Memory ordering: all that the caller did before the call happens before each
 * body; each body happens before the return.  Bodies are not ordered among
 * themselves.
 *
 * Returns TWEED_OK, or TWEED_EINVAL if fn is NULL, for an empty loop too (no index
 * was executed).  If there are no threads or no memory to be had the loop runs
 * serially.
 */
TWEED_CALL_ int tweed_parallel_for(int64_t lo, int64_t hi, tweed_index_fn *fn,
                                   void *arg);

/*
 * tweed_parallel_for_range - run fn(begin, end, arg) over pieces of [lo, hi)
 *
 *     for (int64_t b = lo; b < hi; b = e) {
 *         e = some index in (b, hi];
 *         fn(b, e, arg);
 *     }
 *
 * As tweed_parallel_for(), but the body is given runs of consecutive indices,
 * lo <= begin < end <= hi, so that its own inner loop can be vectorised.  The
 * runs of a loop do not overlap and cover it.  A run is what takes about two
 * microseconds, by what an index cost last time, and short where the body becomes
 * dear.  Where no cost is known yet, a worker's first run is one index, or one grain,
 * and runs grow.
 */
TWEED_CALL_ int tweed_parallel_for_range(int64_t lo, int64_t hi,
                                         tweed_range_fn *fn, void *arg);

/*
 * tweed_parallel_for_with, tweed_parallel_for_range_with - the same loops on a
 * given pool and with options
 *
 * pool     the pool to run on; NULL: the default pool
 * options  NULL: none
 *
 * Returns also TWEED_EINVAL if options->size is not set, or an option makes no sense
 * (grain or max_workers is negative; a weight is negative, infinite or no number);
 * TWEED_ECLOSED if the pool is being destroyed; TWEED_ENOPOOL if the pool is none.  A
 * static loop also TWEED_ENESTED if the caller is in a body, and TWEED_EBUSY if 64
 * loops run on the pool.  In these cases no index was executed.
 */
TWEED_CALL_ TWEED_CHECKED_ int tweed_parallel_for_with(
    tweed_pool *pool, const tweed_loop_options *options, int64_t lo, int64_t hi,
    tweed_index_fn *fn, void *arg);
TWEED_CALL_ TWEED_CHECKED_ int tweed_parallel_for_range_with(
    tweed_pool *pool, const tweed_loop_options *options, int64_t lo, int64_t hi,
    tweed_range_fn *fn, void *arg);

/*
 * tweed_worker_index - which worker executes this body
 *
 * Within a body: 0 to tweed_pool_num_workers() - 1 of the pool that runs the
 * loop; elsewhere -1.  The number is the same as long as the body runs, and no
 * other body of the same loop has it at the same time.  While an inner loop's
 * body runs the number is that in the inner loop.
 *
 * A thread that is none of the pool's is worker 0 of the loops that it starts, and
 * of the loops inside these, where it helps while it waits.  Two such threads that
 * run loops at the same time are both 0, each in its own loop.
 *
 * In a TWEED_TASK() the number is that of the worker that executes the task, and 0 in the
 * thread that called TWEED_RUN(), if the thread is none of the pool's.  A worker may
 * execute another task in a sync of this one, with the same number.
 *
 * In a task of a group, or a submitted one, the number is that of the thread that executes
 * the task.  Any number of threads that are none of the pool's may execute tasks at the
 * same time, also of one group: all of them are 0.  Each has a block of scratch for itself
 * (tweed/scratch.h).
 */
TWEED_API_ int tweed_worker_index(void);

/*
 * tweed_worker_node - on which NUMA node the worker is planned that executes this
 * body: the system's number, 0 on a machine without NUMA, -1 outside of bodies.
 * The system decides where worker 0, the calling thread, really runs: tweed does
 * not move it.
 */
TWEED_API_ int tweed_worker_node(void);

/*
 * tweed_pool_create - start a pool of one's own
 *
 * pool     receives the pool; left alone on failure
 * options  NULL: all defaults
 *
 * The new pool has num_workers - 1 threads, since the thread that calls
 * tweed_parallel_for_with() works too.  If the system gives fewer threads than
 * asked for, the pool has fewer workers (see tweed_pool_num_workers()).
 *
 * on_start and on_end are called with the worker's number, 1 to
 * tweed_pool_num_workers() - 1, by each thread of the pool: also by those that the
 * child of a fork() starts anew.  The caller, worker 0, is not the pool's, and calls
 * neither; but the thread for tasks that tweed_pool_submit() starts in a pool of one
 * worker calls them with 0.  The calls of several threads come at the same time and in
 * any order, those of on_start after or before tweed_pool_create() has returned.  All
 * of on_end have returned before tweed_pool_destroy() does.  No thread ends, and on_end
 * is not called, when the process exits.  A thread that is in on_start does not help
 * yet; only static loops wait for it.  Both may call any tweed function;
 * tweed_worker_index() is -1 there.  They may run loops, on this pool too, but in
 * on_end this pool gives TWEED_ECLOSED.  They must return, as bodies must.
 *
 * With cpus no thread of the pool leaves those CPUs, however it is bound.  The calling
 * thread stays where it is.  In the child of a fork() that may not use them all, the
 * pool takes those that are left; if none is, all that the child may use.
 *
 * Returns TWEED_OK, TWEED_EINVAL (pool NULL, a value out of range, cpus no such list,
 * or size not set), TWEED_ENOCPU (a CPU of cpus is not in the affinity mask of the
 * process, which is that of its first thread), TWEED_ENOMEM.
 */
TWEED_API_ TWEED_CHECKED_ int tweed_pool_create(
    tweed_pool **pool, const tweed_pool_options *options);

/*
 * tweed_pool_destroy - end a pool: join its threads, give its memory back
 *
 * pool  from tweed_pool_create(); NULL, here not the default pool, does nothing
 *
 * Blocks until the threads have ended.  Loops whose bodies are running are noticed;
 * but no call on the pool may begin, or have begun and not yet come to its first
 * body, while this one runs.  (A loop that is started by an ending thread of the
 * pool, in a thread-local destructor, is TWEED_ECLOSED.)
 *
 * A call that is given the pool afterwards does nothing and returns TWEED_ENOPOOL.
 * That holds until 256 more pools have been destroyed; then a new pool may have
 * the address.  Any other address that is no pool's is TWEED_ENOPOOL, too, if there
 * is memory to read.
 *
 * Returns TWEED_OK; TWEED_EBUSY if a loop is running on the pool, or a task of a group or
 * a submitted one is not over, or the caller is a thread of the pool, or is in a body
 * while the pool's function of tweed_pool_progress() is being called (nothing has
 * happened then, the pool stays usable); TWEED_ENOPOOL if it is not a pool, or not any
 * more.
 */
TWEED_API_ int tweed_pool_destroy(tweed_pool *pool);

/*
 * tweed_default_pool_configure - options for the default pool, before it starts
 *
 * options  as those of tweed_pool_create(); NULL: none again.  What hook_arg points to
 *          lives until the pool has ended
 *
 * Starts nothing.  The pool is started with these options by its next use, and again
 * after tweed_default_pool_shutdown(), and in the child of a fork().  What is not zero
 * goes before the environment, as in tweed_pool_create(), and as omp_set_num_threads()
 * goes before OMP_NUM_THREADS; what is zero is left to the user's TWEED_... variables.
 * A pool that was not shut down gets no more workers than tweed_pool_num_workers() has
 * returned: in the child of a fork(), or where the pool could not start before.
 *
 * Returns TWEED_OK; TWEED_EBUSY if the pool has been started in this process, and not
 * shut down; and what tweed_pool_create() returns.  Where it fails the options stay
 * what they were.
 */
TWEED_API_ TWEED_CHECKED_ int tweed_default_pool_configure(
    const tweed_pool_options *options);

/*
 * tweed_default_pool_shutdown - end the default pool: join its threads, give its
 * memory back
 *
 * For leak checkers, before fork() and exec, and for a program that wants no threads
 * about for a while.  No program has to call it.  Where the pool is not running nothing is
 * done.  The next use starts the pool anew; its counters begin at 0 then.  It may have
 * more workers than tweed_pool_num_workers() has returned before.
 *
 * Blocks until the threads have ended.  Loops whose bodies are running are noticed;
 * but no call of another thread on the default pool may begin, or have begun and not
 * yet come to its first body, while this one runs.  A loop that is started by an ending
 * thread, in on_end or in a thread-local destructor, starts the pool anew.
 *
 * Returns TWEED_OK; TWEED_EBUSY as tweed_pool_destroy() does.
 */
TWEED_API_ int tweed_default_pool_shutdown(void);

/*
 * tweed_pool_num_workers - how many workers the pool has, the caller included:
 * at least 1.  pool NULL: the default pool, which is started if need be.  From
 * then on the pool never has more, so that an array may be sized by the number: the
 * default pool until tweed_default_pool_shutdown().  That is so in the child of a fork(),
 * too, where the child may use more CPUs, and where a pool that could not be started for
 * want of memory is started later.
 *
 * Does not fail, but for a pool that is none: TWEED_ENOPOOL, which is negative.
 */
TWEED_API_ int tweed_pool_num_workers(tweed_pool *pool);

/*
 * tweed_pool_dump - write the state of all running loops and tasks to a file descriptor
 *
 * To find a loop that does not end.  For each loop: its name, its bounds, the range that
 * each worker holds, the sum of these ranges, and how many blocks are in flight.  For each
 * TWEED_RUN: how many tasks lie in the deque of each worker, and which worker waits in a
 * join.  What a caller runs alone is not shown.  The picture is not a consistent one.
 * tweed_pool_create(3) explains the words.
 *
 * pool NULL: the default pool, if it was started.  Returns TWEED_OK, TWEED_EINVAL
 * if fd cannot be written to, or TWEED_ENOPOOL.
 */
TWEED_API_ int tweed_pool_dump(tweed_pool *pool, int fd);

/* How far a loop is.  A later version has more members, at the end. */
typedef struct tweed_progress {
    size_t size;         /* how many bytes of the struct the library has filled in */
    const char *name;    /* of the loop; "": it has none */
    uint64_t done;       /* of the indices; about, and never less than before */
    uint64_t total;      /* hi - lo, or all indices of two or three dimensions; tiles,
                            if the body is one for tiles of a given size.  Less when a
                            search has found something; 0 when the loop is stopped */
    uint64_t elapsed_ns; /* since the loop was first seen, up to 0.1 s after it began */
    int ended;           /* 1: the loop is over, and this is the last call for it */
} tweed_progress;

/* Learns how far a loop is; *progress is gone when the function has returned. */
typedef void tweed_progress_fn(const tweed_progress *progress, void *arg);

/*
 * tweed_pool_progress - have a function told how far the loops of a pool are
 *
 * pool     NULL: the default pool, which is not started
 * fn, arg  called as fn(progress, arg) for each loop that lasts for more than 0.1 to
 *          0.2 s, about ten times a second, and once more, with ended set, after it.
 *          NULL: no function is called any more
 *
 * fn is called by a thread of the library's own, one call at a time over all pools.
 * The call comes while bodies run, and may come when the loop has returned.  Workers do
 * nothing for this.  fn may call any tweed function, and must return, as bodies must.
 * (A loop that fn starts is reported after fn has returned.)  If a window, or a Python
 * interpreter, belongs to another thread, fn leaves it to that thread.
 *
 * Loops inside other loops are not reported, nor those for which a pool that runs 64
 * loops has no room.  A loop that no worker but its caller can have a part in (a pool of
 * one worker, one index or grain, max_workers 1) is reported if progress was
 * asked for, of any pool, when the loop began.  A scan is a loop twice for each part, of
 * some 260,000 indices at most.  At most 16 loops at a time are reported.  In the child of
 * a fork() the same fn is called.  At the end of the process, and of the pool, the call
 * with ended set may not come.
 *
 * The pool has one such function at a time.  A call with another fn, or NULL, replaces the
 * pool's earlier function, which is not called any more once this call has returned.  If
 * the earlier function is being called just then, tweed_pool_progress() waits until that
 * call has returned; but not if the earlier function itself calls tweed_pool_progress().
 * tweed_pool_destroy() waits in the same way.  So a body of a loop that fn runs must not
 * call either of the two.  If the system gives no thread, fn is never called.
 *
 * Returns TWEED_OK or TWEED_ENOPOOL.
 */
TWEED_API_ int tweed_pool_progress(tweed_pool *pool, tweed_progress_fn *fn, void *arg);

/* What is counted of loops and their indices, of stealing, and of waiting.  A domain is
   the CPUs of a node that share a last-level cache. */
#define TWEED_RANGE_STATS_FIELDS_(X)                                           \
    X(loops, "loops", "loops started by this worker's thread")                 \
    X(serial, "serial", "of these, loops the caller ran alone")                \
    X(indices, "indices", "indices executed")                                  \
    X(slow_takes, "slow takes", "takes off the fast path")                     \
    X(returns, "returns", "updates of a loop's remaining count")               \
    X(steals_near, "steals near", "ranges stolen on the own node")             \
    X(steals_node, "in node", "of these, ranges stolen in other domains of it") \
    X(steals_far, "steals far", "ranges stolen from other nodes")              \
    X(proposals, "proposals", "steal ranges proposed to busy owners")          \
    X(failed_probes, "failed probes", "looks at a victim that gave nothing")   \
    X(heavy_fences, "heavy fences", "heavy fences paid for")                   \
    X(wakes, "wakes", "futex calls made to wake others")                       \
    X(sleeps, "sleeps", "times it went to sleep")                              \
    X(idle_ns, "idle ns", "ns waited for work, or for a loop's end")

/*
 * What a worker has done with tasks.  TWEED_SPAWN, and a TWEED_SYNC whose task no worker
 * has stolen, count nothing: counting would take longer than the two do.
 */
#define TWEED_TASK_STATS_FIELDS_(X)                                            \
    X(roots, "roots", "calls of TWEED_RUN by this worker's thread")            \
    X(tasks_spawned, "spawned", "tasks spawned into groups, or submitted")     \
    X(tasks_run, "run", "tasks of groups, and submitted ones, executed")       \
    X(tasks_stolen_near, "stolen near", "tasks stolen on the own node")        \
    X(tasks_stolen_far, "stolen far", "tasks stolen from other nodes")         \
    X(tasks_queue, "queue", "tasks taken from the submission queue")           \
    X(tasks_helped, "in joins", "of those stolen, executed by a join")         \
    X(tasks_returned, "given back", "of those stolen, given back by a join")   \
    X(tasks_at_once, "at once", "tasks executed as they were spawned, for want of memory")

/*
 * What a worker has done since its pool was started.  Counted always; no
 * counter is shared by two threads that write.
 */
#define TWEED_STATS_FIELDS_(X)                                                 \
    TWEED_RANGE_STATS_FIELDS_(X)                                               \
    TWEED_TASK_STATS_FIELDS_(X)

typedef struct tweed_stats {
    size_t size; /* sizeof(tweed_stats) */
#define TWEED_STATS_MEMBER_(name, title, meaning) uint64_t name;
    TWEED_STATS_FIELDS_(TWEED_STATS_MEMBER_)
#undef TWEED_STATS_MEMBER_
} tweed_stats;

#define TWEED_STATS_ZERO_(name, title, meaning) , 0
#define TWEED_STATS_INIT                                                       \
    { sizeof(tweed_stats) TWEED_STATS_FIELDS_(TWEED_STATS_ZERO_) }

/*
 * tweed_stats_get - a snapshot of the counters
 *
 * pool    NULL: the default pool, which is started if need be
 * worker  0 to tweed_pool_num_workers() - 1; -1: the sum over all workers
 * stats   its size must be set; the rest of it is filled in
 *
 * Does not block.  The counts of loops that have returned to the caller are
 * complete; of loops that still run a part is there.  (A worker that is leaving a
 * loop may count a failed probe, a wake or idle time a little later.)
 *
 * Returns TWEED_OK; TWEED_EINVAL if worker is out of range, stats is NULL or
 * its size is not set; TWEED_ENOPOOL; TWEED_ENOMEM if the default pool cannot be
 * had.
 */
TWEED_API_ TWEED_CHECKED_ int tweed_stats_get(tweed_pool *pool, int worker,
                                              tweed_stats *stats);

/* tweed_version - the library's own version, such as "1.0.0"; compare with
   TWEED_VERSION, which is the header's. */
TWEED_API_ const char *tweed_version(void);

/* tweed_strerror - the text of a result code; never NULL, never to be freed. */
TWEED_API_ const char *tweed_strerror(int code);

/*
 * tweed_last_error - what was wrong in the calling thread's last call that failed
 *
 * The text of the code, and which argument or option was wrong, with its value:
 *
 *     invalid argument: tweed_pool_options.num_workers is 5000: expected 1 to 4094, or 0
 *
 * "" if no call of this thread has failed.  A call that succeeds leaves the text alone, or
 * changes it; so the text is to be looked at after a call that failed.  TWEED_ESTOPPED and
 * TWEED_ETIMEOUT, and what a body or a task returns, are no failures of a call.
 *
 * The text is the thread's own.  It is there until a call of the thread fails, and ends
 * with the thread.  Never NULL, never to be freed.
 */
TWEED_API_ const char *tweed_last_error(void);

/* What tweed's own code calls where a call fails: notes the text, and returns the code. */
TWEED_API_ TWEED_NOTES_ int tweed_fail_(int code, const char *format, ...);

#ifdef __cplusplus
}
#endif

#include <tweed/arguments.h>
#include <tweed/group.h>
#include <tweed/inline.h>
#include <tweed/numa.h>
#include <tweed/partials.h>
#include <tweed/reduce.h>
#include <tweed/scan.h>
#include <tweed/scratch.h>
#include <tweed/stats.h>
#include <tweed/stop.h>
#include <tweed/submit.h>
#include <tweed/task.h>
#include <tweed/tiles.h>
#include <tweed/trace.h>

#endif /* TWEED_H */

/*
 * tweed/stats.h - what the loops of each name took.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.h.
 *
 *     tweed_loop_stats_get()     the figures of each name, with TWEED_STATS=loops
 *
 * A loop has the name of its TWEED_LOOP() or other macro, or the name in its options.  A
 * TWEED_RUN counts as a loop with the name of its task, without indices.
 * With TWEED_STATS=loops in the environment a table of all names is printed at exit, too.
 * What each worker did is counted always: tweed_stats_get().
 */
#ifndef TWEED_H
#include <tweed.h> /* which includes this file */
#endif
#ifndef TWEED_STATS_H
#define TWEED_STATS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Sums over all loops of one name, in all pools. */
#define TWEED_LOOP_STATS_FIELDS_(X)                                            \
    X(loops, "loops that were run")                                            \
    X(serial, "of these, loops the caller ran alone")                          \
    X(indices, "indices executed")                                             \
    X(time_ns, "ns from each call to its return")                              \
    X(ideal_ns, "ns in bodies, divided by the workers that might execute them") \
    X(steals, "ranges stolen")                                                 \
    X(steals_far, "of these, ranges stolen from other nodes")                  \
    X(indices_far, "indices in these")

/* A struct that begins with its size (see tweed.h). */
typedef struct tweed_loop_stats {
    size_t size;   /* sizeof(tweed_loop_stats) */
    char name[32]; /* "": loops without a name; "(others)": all for whose names there
                      was no room */
#define TWEED_LOOP_STATS_MEMBER_(member, meaning) uint64_t member;
    TWEED_LOOP_STATS_FIELDS_(TWEED_LOOP_STATS_MEMBER_)
#undef TWEED_LOOP_STATS_MEMBER_
} tweed_loop_stats;

#define TWEED_LOOP_STATS_ZERO_(member, meaning) , 0
#define TWEED_LOOP_STATS_INIT                                                  \
    { sizeof(tweed_loop_stats),                                                \
      "" TWEED_LOOP_STATS_FIELDS_(TWEED_LOOP_STATS_ZERO_) }

/*
 * tweed_loop_stats_get - the figures of each name, the longest time first
 *
 * stats  an array of `count`; the size of the first one must be set.  NULL if count is 0
 * count  how many names at most; 0: none, to learn how many there are
 *
 * Loops are counted, in all pools, where TWEED_STATS=loops is in the environment when the
 * first pool starts.  Nothing is counted for a single index: a loop pays for two looks at
 * the clock, and each worker for two more with each range that it has.  All four together
 * take some 150 ns.  The first 1,023 different names are kept, of which 31 bytes count;
 * loops of further names are added up as "(others)".  The child of a fork() counts from
 * zero.
 *
 * Of loops that have returned to the caller all is there, of loops that run a part.
 * Ideal time is time in bodies, of all workers, divided by how many workers the loop's
 * pool has, or by max_workers.  Steals are counted by range, and indices_far counts an
 * index as often as it was stolen from another node.  A scan of two passes is two loops,
 * and a loop by tiles that were asked for counts tiles.
 *
 * time_ns / ideal_ns, the imbalance, says how many times as long the loops took as they
 * would have if all workers had executed bodies all the time: 1 is the best.  What is
 * above 1 is time in which workers had not come yet, were busy in other loops, or had
 * nothing left to take.  A serial loop has about the number of workers, and k loops side
 * by side have about k.
 *
 * The time of a body is from when a worker begins with a range to when the worker has done
 * with it.  The time of a loop that a body starts is in that, too.
 *
 * Returns how many names there are, which may be more than count; TWEED_EINVAL if count
 * is negative, stats is NULL or its size is not set; TWEED_ENOMEM.
 */
TWEED_API_ TWEED_CHECKED_ int tweed_loop_stats_get(tweed_loop_stats *stats, int count);

#ifdef __cplusplus
}
#endif

#endif /* TWEED_STATS_H */

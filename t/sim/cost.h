/*
 * cost.h - who runs next is the one whose clock is behind; what things cost.
 *
 * SPDX-License-Identifier: MIT
 *
 * A simulation of discrete events: each thread has a CPU, and a clock, of its
 * own; of all that are awake the one whose clock shows least does its next
 * operation, which moves its clock on.
 *
 * IN IT.  Every atomic operation of lib/, every call of the system and every
 * body.  Cache lines of 64 bytes: who wrote one last and who has a copy, so
 * that a line that somebody else has written since has to be fetched, from the
 * own node or from another; read-modify-writes of one line wait for each other.
 * Stores wait in no queue that fills up, but a read-modify-write waits for
 * those before it.  Prefetches, a number of lines at a time.  Heavy fences: the
 * caller waits for an interrupt on every CPU that runs one of the threads, and
 * each of those loses some time; one after the other, as Linux does it since
 * 6.8.  Futexes, and how long it takes from the wake until the woken thread
 * runs.  Locks: a read-modify-write at each end, and looks at a lock that is held.
 *
 * NOT IN IT.  Ordinary memory: what bodies, descriptors and figures touch.
 * Loads that run ahead of others (each waits for its line), caches that
 * overflow, a memory bus that is full, more threads than CPUs, hyperthreads,
 * frequencies, interrupts of others.  Allocation, and making and joining threads,
 * cost nothing.  Stores are visible at once.
 *
 * The defaults: measured on one machine (rmw, clock, call, barrier, interrupt) or
 * published for others (near and far: Ice Lake-SP; latency).  Those of pause,
 * wait, wake, rouse, interrupt_each and interrupted are guesses.
 */
#ifndef TWEED_T_SIM_COST_H
#define TWEED_T_SIM_COST_H

#include "machine.h"

/* Name, ns, meaning. */
#define COSTS(X)                                                               \
    X(load, 0.5, "a load from a line that the worker has")                     \
    X(store, 0.5, "a store")                                                   \
    X(rmw, 12.5, "a read-modify-write, with the line at hand")                 \
    X(near, 51, "fetching a line from a worker on the same node")              \
    X(far, 108, "fetching a line from another node")                           \
    X(pause, 40, "a pause in a spin loop")                                     \
    X(clock, 25, "reading the clock")                                          \
    X(call, 2, "calling a body")                                               \
    X(barrier, 160, "a heavy fence while nobody else runs")                    \
    X(interrupt, 3200, "the same, more if somebody runs")                      \
    X(interrupt_each, 40, "the same, more for each who runs")                  \
    X(interrupted, 500, "a heavy fence, to each who runs meanwhile")           \
    X(queue, 1, "1: heavy fences wait for each other, 0: not (no time)")       \
    X(wait, 500, "the system call that sleeps")                                \
    X(wake, 500, "the system call that wakes")                                 \
    X(rouse, 500, "the same, more for each it wakes")                          \
    X(latency, 7000, "from being woken to running")                            \
    X(lock_spins, 100, "looks at a held lock before a thread sleeps (no time)")        \
    X(fetches, 12, "lines that prefetching can have on the way (no time)")

struct costs {
#define COST_MEMBER(name, standard, meaning) double name;
    COSTS(COST_MEMBER)
#undef COST_MEMBER
};
extern struct costs costs;

/* Before a run: what the machine knows of the costs. */
void cost_init(void);

/* From within a thread: a body, or nothing, that takes so many ns. */
void cost_spend(double ns);

/* Its clock, ns. */
double cost_clock(void);

/* Between these, what is done takes no time and lets nobody else run. */
void cost_stop(void);
void cost_go_on(void);

/* Forgets, and prints, where in lib/ time went: the most expensive places, in %
   of all the workers' time together. */
void cost_sites_forget(void);
void cost_sites_print(int most, double all_ns);

/* What the machine has seen, to compare with what the library has counted. */
struct cost_seen {
    uint64_t fences, wakes;
    uint64_t woken, clocks; /* threads by wakes; readings of the clock */
};
extern struct cost_seen cost_seen;

#endif

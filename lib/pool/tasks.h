/*
 * tasks.h - what a team keeps of its tasks: one struct a group, and those in no deque.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_TASKS_H
#define TWEED_LIB_TASKS_H

#include "range/range.h"

#include <pthread.h>

/* A number that names one use of a loop's slot, or of a group; 0: of neither.  When that
   use is over the number leads nowhere. */
typedef uint64_t tweed__where;

struct tweed__entry;

/* What the tasks of a group have in common, its state: state.c.  The memory remains a
   group's while the team lives. */
struct tweed__group_state {
    /* Changed all the time. */
    alignas(TWEED__LINE) _Atomic uint64_t flight; /* how many tasks; masks of the threads
                                                     that wait for their end: state.h */
    _Atomic uint32_t queued; /* how many of its tasks are in the submission queue */
    /* In the submission queue, under its lock. */
    struct tweed__entry *first, *last;  /* its tasks there */
    struct tweed__group_state *before, *next; /* other groups that have tasks there; next:
                                            of a spare group the next spare one */
    /* Read with each task, and seldom changed: a line of its own. */
    alignas(TWEED__LINE / 2) _Atomic uint64_t inside; /* what it is in: a tweed__where */
    _Atomic uint32_t uses;    /* groups that have had this state */
    uint32_t index;           /* its number; constant */
    _Atomic int code;         /* the code of the first task that failed; 0: none has */
    int16_t slot;             /* of the nearest loop that it is inside of; -1: none */
    uint8_t flags;            /* TWEED_GROUP_... */
    _Atomic uint8_t skips;    /* 1: tasks that have not begun are not executed */
};

/* Tasks that no worker has spawned, and some that their spawner may not execute now:
   queue.c. */
struct tweed__queue {
    alignas(TWEED__LINE) _Atomic uint64_t count; /* of the tasks there */
    struct tweed__group_state *first, *last;
    struct tweed__entry *spare; /* entries that may be used again */
    uint32_t num_spare;
    pthread_mutex_t lock;
};

#define TWEED__CHUNK 256 /* states that are allocated together */

struct tweed__group_states {
    _Atomic(struct tweed__group_state *) chunks[512];
    _Atomic uint32_t used; /* states that were ever given out; under the queue's lock */
    struct tweed__group_state *spare; /* of groups that are over; under the same lock */
    struct tweed__group_state submitted; /* that of submitted tasks: number 0 */
    _Atomic uint64_t dropped;
};

#endif

/*
 * slots.h - what a loop has in a pool: a slot, and a seat of each worker in it.
 *
 * SPDX-License-Identifier: MIT
 *
 * The life of a slot: loop/slot.c.
 */
#ifndef TWEED_LIB_SLOTS_H
#define TWEED_LIB_SLOTS_H

#include "range/arena.h"
#include "range/cursor.h"
#include "range/deal.h"
#include "range/deque.h"
#include "range/tally.h"

#include <stdbool.h>

#define TWEED__SLOTS 64
#define TWEED__ELSEWHERE (-2) /* of slots: in another pool */

struct tweed__seat {
    struct tweed__range range;                      /* two lines of its own */
    alignas(TWEED__LINE) struct tweed__tally tally; /* of the thread that sits here */
    struct tweed__early early; /* what the thread that has left knew of an early end */
    struct tweed__deque deque; /* tasks of the thread, in a slot that is open for tasks */
};

struct tweed__slot {
    /* Written by the publisher before the slot is live, constant while it is;
       read by those inside. */
    alignas(TWEED__LINE) struct tweed__body body;
    char name[32];
    struct tweed__window window;
    bool by_nodes; /* its blocks are counted by nodes: counts.c */
    _Atomic int publisher; /* the seat of the caller; 0: from outside */
    /* The slot of the loop in one of whose bodies this loop was started, in this
       pool; TWEED__ELSEWHERE: in a body of another pool's loop; -1: in no body. */
    _Atomic int parent;
    /* The state of the group in one of whose tasks this loop was started, if that is
       nearer than parent, which is then negative; 0: none: state.h. */
    _Atomic uint64_t of_group;
    _Atomic uint32_t uses; /* loops that have had the slot */
    _Atomic uint32_t cancelled; /* no block from this one on is to be begun any more */
    /* A bit for each group of workers: a worker of the group may have been inside since a
       publisher last found the slot empty: slot.c. */
    _Atomic uint64_t visited;
    _Atomic uint32_t joins; /* masks of workers that sleep in joins of its tasks: join.c */

    /* 1: some caller has the slot; from before publishing until after the end. */
    alignas(TWEED__LINE) _Atomic uint32_t taken;
    _Atomic uint32_t readers; /* dumps and reports that look at the slot: these pin it */

    /* Blocks not yet disposed of (sleep.h); the futex of its caller. */
    alignas(TWEED__LINE) _Atomic uint32_t remaining;
    /* Wakes still to be passed on to workers that sleep.  Here because a worker that joins
       reads it after the count. */
    _Atomic int wakes_owed;

    /* Of the tasks of an outside caller, which sits on seat 0. */
    struct tweed__arena arena;
};

#endif

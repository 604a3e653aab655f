/*
 * fence.h - one heavy fence for all threads that want one at the same time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_FENCE_H
#define TWEED_LIB_FENCE_H

#include "range/range.h"
#include "range/tally.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

extern struct tweed__fences {
    alignas(TWEED__LINE) _Atomic uint64_t wanted; /* how many were asked for */
    _Atomic uint64_t done;                        /* of these, how many are over */
    _Atomic uint32_t fencing;                     /* 1: a thread is in one */
} tweed__fences;

/* After what the caller has stored, and before its loads: as tweed__fence_heavy(), made by
   the caller or by another thread.  ns: how long to wait for another thread's, since that
   thread may be stopped.  False: the system has refused it, and nothing is fenced. */
bool tweed__fence_shared(uint64_t ns, struct tweed__tally *tally);

/* In the child of a fork(): no thread is in one. */
void tweed__fence_after_fork(void);

#endif

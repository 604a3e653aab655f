/*
 * profile.h - what loops took, by their names.
 *
 * SPDX-License-Identifier: MIT
 *
 * The profile learns what happens in a loop where a trace does, too: at the TRACE_...() of
 * trace.h.
 */
#ifndef TWEED_LIB_PROFILE_H
#define TWEED_LIB_PROFILE_H

#include "base/atomic.h"
#include "range/body.h"

#include <stdbool.h>
#include <stdint.h>

/* Is there a trace, or a profile?  All places look at this one word.
   relaxed: a thread that sees it late notes too little, or too much. */
extern _Atomic uint32_t tweed__watched;

enum { TWEED__WATCH_TRACE = 1, TWEED__WATCH_PROFILE = 2 };

/* Under the registry's lock.  Before a team starts: starts the profile if TWEED_STATS asks
   for it, once.  Has it been asked for? */
void tweed__profile_as_asked(void);
bool tweed__profile_was_asked(void);

/* A loop, which has its label, begins: *ns is that time.  workers: how many may take
   part. */
void tweed__profile_loop_begin(struct tweed__body *body, int workers, uint64_t *ns);
void tweed__profile_loop_end(const struct tweed__body *body, int worker,
                            const uint64_t *began, bool alone);

/* A worker begins with a range, or a loop that it has alone, at *ns; the worker has
   executed so many of its indices. */
void tweed__profile_run_begin(const struct tweed__body *body, uint64_t *ns);
void tweed__profile_run_end(const struct tweed__body *body, int worker,
                           const uint64_t *began, uint64_t executed);

void tweed__profile_steal(const struct tweed__body *body, int thief, bool far,
                         uint64_t indices);

/* *n rows, one a name, the longest time first, in memory that the caller frees; NULL:
   there is no memory. */
tweed_loop_stats *tweed__profile_rows(int *n);

/* In the child of a fork(): nothing has been counted. */
void tweed__profile_forget(void);

#endif

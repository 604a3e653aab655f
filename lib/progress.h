/*
 * progress.h - how far loops are: a thread that looks at them and reports.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_PROGRESS_H
#define TWEED_LIB_PROGRESS_H

#include "pool.h"

/* All under the registry's lock. */

/* The pool has a team now, or a function to call: starts the reporter if it is wanted and
   is not there.  If no thread can be had nothing is reported. */
void tweed__progress_begin(tweed_pool *pool);

/* Takes the pool's function away, and waits until no call of it is under way.  The lock is
   given up meanwhile. */
void tweed__progress_forget(tweed_pool *pool);

/* Under the registry's lock: is the pool's function being called, by another thread? */
bool tweed__progress_calls(const tweed_pool *pool);

/* Under the registry's lock, which is given away meanwhile: until the pool's function,
   if it is being called, has returned. */
void tweed__progress_wait(const tweed_pool *pool);

/* Is there no team any more?  Then the thread is told to end, and *thread is to be
   joined when the lock has been given up. */
bool tweed__progress_end(pthread_t *thread);

#endif

/*
 * registry.h - all pools of the process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_REGISTRY_H
#define TWEED_LIB_REGISTRY_H

#include "pool.h"

void tweed__registry_lock(void);
void tweed__registry_unlock(void);

/* All below: under the lock. */

/* Will a child of fork() be told that it has no threads?  If not, there was no memory
   for it, and no team may start. */
bool tweed__registry_follows_forks(void);

/* The pool is in use: fork() and the end of the process deal with it. */
void tweed__registry_add(tweed_pool *pool);
bool tweed__registry_has(const tweed_pool *pool);
tweed_pool *tweed__registry_next(const tweed_pool *pool); /* after NULL the first */
void tweed__registry_remove(tweed_pool *pool);

/* A handle for a pool, not in the registry; its mark is 0.  NULL: no memory. */
tweed_pool *tweed__handle_new(void);

/* Gives a handle back: its mark says from now on that it is no pool. */
void tweed__handle_retire(tweed_pool *pool);

#endif

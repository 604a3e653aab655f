/*
 * pool.h - handles of teams: the default pool, own pools, fork.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_POOL_H
#define TWEED_LIB_POOL_H

#include "base/check.h"
#include "pool/team.h"

#include <stdalign.h>
#include <stddef.h>

#define TWEED__POOL_MARK UINT32_C(0x706f6f6c)

struct tweed_pool {
    /* what a loop looks at, in one cache line */
    alignas(max_align_t) _Atomic uint32_t mark; /* TWEED__POOL_MARK: a pool */
    _Atomic uint32_t closing;           /* 1: being destroyed */
    _Atomic(struct tweed__team *) team; /* NULL: not started in this process */
    struct tweed__settings settings;
    _Atomic int told; /* how many workers the program has learned that there are; 0: it
                         has not asked */
    tweed_progress_fn *progress; /* under the registry's lock: progress.c */
    void *progress_arg;
    uint32_t progress_id; /* its number: each function that was given has another one */
    struct tweed_pool *next; /* in the registry, or among the retired */
};

/* Is it a pool, and neither one that was destroyed nor some other address?  (relaxed: in a
   correct program tweed_pool_create() happens before this call, by the way in which the
   thread has got the handle.) */
static inline bool pool_is_known(tweed_pool *pool)
{
    return likely(load_relaxed(&pool->mark) == TWEED__POOL_MARK);
}

/* The pool's team, started if need be.  NULL: out of memory, the loop runs
   serially. */
struct tweed__team *tweed__pool_start_late(tweed_pool *pool);
static inline struct tweed__team *tweed__pool_team(tweed_pool *pool)
{
    /* acquire: with start() in pool.c */
    struct tweed__team *team = load_acquire(&pool->team);

    return likely(team) ? team : tweed__pool_start_late(pool);
}

/* Gives a pool of one worker a thread for tasks, if one can be had.  A task is in flight,
   so the team stays. */
void tweed__pool_serve(tweed_pool *pool, struct tweed__team *team);

/* Is the pool being destroyed?  False: a thread has tried to, and has found it busy. */
bool tweed__pool_is_closing(tweed_pool *pool);

/* The pool that a NULL stands for. */
tweed_pool *tweed__pool_or_default(tweed_pool *pool);

/* ---- all pools of the process ---- */

void tweed__registry_lock(void);
void tweed__registry_unlock(void);

/* All below: under the lock. */

/* Does fork() call the registry's handlers?  If not, there was no memory for them, and no
   team may start. */
bool tweed__registry_follows_forks(void);

/* The pool is in use: fork() and the end of the process deal with it. */
void tweed__registry_add(tweed_pool *pool);
bool tweed__registry_has(const tweed_pool *pool);
tweed_pool *tweed__registry_next(const tweed_pool *pool); /* after NULL the first */
void tweed__registry_remove(tweed_pool *pool);

/* A handle for a pool, not in the registry; the handle's mark is 0.  NULL: no memory. */
tweed_pool *tweed__handle_new(void);

/* Gives a handle back: the handle's mark says from now on that it is no pool. */
void tweed__handle_retire(tweed_pool *pool);

#endif

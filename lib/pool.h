/*
 * pool.h - handles of teams: the default pool, own pools, fork.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_POOL_H
#define TWEED_LIB_POOL_H

#include "team.h"

struct tweed_pool {
    struct tweed__settings settings;
    _Atomic(struct tweed__team *) team; /* NULL: not started in this process */
    _Atomic uint32_t closing;           /* 1: being destroyed */
    _Atomic int told; /* how many workers the program takes it to have; 0: it has
                         not asked */
    struct tweed_pool *next;            /* in the registry */
};

/* The pool's team, started if need be.  NULL: out of memory, the loop runs
   serially. */
struct tweed__team *tweed__pool_team(tweed_pool *pool);

/* True if the pool is really being destroyed, and not only tried. */
bool tweed__pool_is_closing(tweed_pool *pool);

/* The pool that a NULL stands for. */
tweed_pool *tweed__pool_or_default(tweed_pool *pool);

#endif

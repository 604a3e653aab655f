/*
 * unserved.h - a pool of one worker that executes no task by itself.
 *
 * SPDX-License-Identifier: MIT
 *
 * As if no thread were to be had: what is submitted stays where it is until a call executes
 * it.
 */
#ifndef TWEED_T_UNSERVED_H
#define TWEED_T_UNSERVED_H

#include "pool/pool.h"

static inline tweed_pool *unserved(tweed_pool *pool_of_one)
{
    store_relaxed(&tweed__pool_team(pool_of_one)->served, 1);
    return pool_of_one;
}

#endif

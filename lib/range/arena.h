/*
 * arena.h - memory for the tasks that a thread has spawned.
 *
 * SPDX-License-Identifier: MIT
 *
 * Address space is reserved once.  The beginning of it is open, and doubled when it is
 * full:  nothing moves, so thieves need not know.
 */
#ifndef TWEED_LIB_ARENA_H
#define TWEED_LIB_ARENA_H

#include <stdbool.h>
#include <stdint.h>
#include <tweed.h>

struct tweed__arena {
    struct tweed_task_ *base; /* NULL: there is no memory yet */
    uint32_t open, most;     /* how many may be used; how many may be opened */
    uint32_t reserve;        /* of the open ones: kept back until no more can be opened */
};

/* False: there is no memory. */
bool tweed__arena_begin(struct tweed__arena *r);

/* Opens twice as many.  False: there is no memory, or no address space. */
bool tweed__arena_grow(struct tweed__arena *r);

/* No record is in use: gives back the memory beyond what was open at first. */
void tweed__arena_trim(struct tweed__arena *r);

/* The same, but all that was open can still be read: it is zero there. */
void tweed__arena_clean(struct tweed__arena *r);

void tweed__arena_end(struct tweed__arena *r);

#endif

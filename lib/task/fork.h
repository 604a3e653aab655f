/*
 * fork.h - spawned tasks: who executes them, and how a join waits.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_FORK_H
#define TWEED_LIB_FORK_H

#include "pool/team.h"
#include "range/arena.h"

/* The memory for the tasks of the part's thread, in a slot. */
struct tweed__arena *tweed__fork_memory(struct tweed__part *p);

/* d becomes the deque of the part's thread, in this memory, until tweed__fork_end().
   False: there is no memory. */
bool tweed__fork_begin(struct tweed__part *p, struct tweed__deque *d,
                       struct tweed__arena *memory);
void tweed__fork_end(struct tweed__deque *d);

/* Executes the task in t, and all that it spawns. */
void tweed__fork_root(struct tweed__deque *d, struct tweed_task_ *t);

/* The kind of a slot that is open for tasks. */
extern tweed_kind tweed__fork_kind;

#endif

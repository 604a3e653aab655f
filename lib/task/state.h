/*
 * state.h - what the tasks of one group have in common, and what is inside of what.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_STATE_H
#define TWEED_LIB_STATE_H

#include "pool/team.h"

/* In flight: tasks that were spawned and are not over. */
#define TWEED__IN_FLIGHT ((UINT64_C(1) << 31) - 1)
#define TWEED__MASK_SHIFT 31 /* masks of threads that sleep until none is: wait_mask() */
#define TWEED__MASKS (UINT64_C(0xffffffff) << TWEED__MASK_SHIFT)
#define TWEED__CLOSED (UINT64_C(1) << 63) /* of submitted tasks: no more from outside */

/* The state of a new group, inside of the task or body that the calling thread is in.
   NULL: there is no memory. */
struct tweed__group_state *tweed__state_new(struct tweed__team *team, unsigned flags);

/* Gives back a group of which no task is in flight. */
void tweed__state_free(struct tweed__team *team, struct tweed__group_state *f);

/* The state of that number, in use or not; NULL: this thread does not know of it yet. */
struct tweed__group_state *tweed__state_at(struct tweed__team *team, uint32_t index);

/* The group or slot in whose task or body the calling thread is; 0: none. */
tweed__where tweed__state_here(struct tweed__team *team);

/* A job or a loop is public inside of `it`: wakes the threads that sleep until `it` is
   over, or anything that `it` is inside of. */
void tweed__state_tell(struct tweed__team *team, tweed__where it, struct tweed__tally *tally);

/* A task of the group has returned this code. */
void tweed__state_fail(struct tweed__group_state *f, int code);

/* n tasks of the group are over.  If none is in flight any more, wakes the threads that
   wait for that. */
void tweed__state_return(struct tweed__team *team, struct tweed__group_state *f, uint64_t n,
                          struct tweed__tally *tally);

#endif

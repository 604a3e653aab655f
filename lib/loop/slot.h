/*
 * slot.h - one loop from publishing to its end.
 *
 * SPDX-License-Identifier: MIT
 *
 * The life of a slot and the rule that a worker inside pins it: slot.c.
 */
#ifndef TWEED_LIB_SLOT_H
#define TWEED_LIB_SLOT_H

#include "pool/team.h"

/* 1: somebody looks at the slots of all pools, to tell how far loops are. */
extern _Atomic uint32_t tweed__slot_watched;

/* A free slot, tried from `hint` on; -1: all are in use. */
int tweed__slot_acquire(struct tweed__team *team, unsigned hint);

/* Gives a slot back. */
void tweed__slot_release(struct tweed__slot *slot);

/* The caller's part p, in slot k that it has acquired: runs the loop, and gives the
   slot back.  It shares the loop after patience_ns: 0, at once, be it with nobody;
   UINT64_MAX: never.  TWEED_EBUSY: a loop
   that its caller may not run alone has found no room, and has not begun. */
int tweed__slot_run(struct tweed__part *p, int k, uint64_t patience_ns);

/* Worker w helps with the loop in slot k, if there is one, and, if ancestor is not
   -1, if it was started inside the loop in that slot.  True: it found some work
   there. */
bool tweed__slot_help(struct tweed__worker *w, unsigned k, int ancestor);

/* The caller's part p, in slot k that it has acquired: opens the slot to all workers, as
   a loop without shares, while fn(p) runs, and gives it back.  Workers that come get the
   cursors of parts of their own by the kind's work().  False: nobody can come, or somebody may
   still be in the slot, and in the deque on the caller's seat, and there is no other one.
   Then fn was not called; the caller is in no slot, and still has slot k. */
bool tweed__slot_open(struct tweed__part *p, int k, void (*fn)(struct tweed__part *p));

/* The same as tweed__slot_help(), if may(arg) is true once the slot is pinned. */
bool tweed__slot_help_if(struct tweed__worker *w, unsigned k, int ancestor,
                         bool (*may)(const void *), const void *arg);

/* Has this worker ever been in the slot, or one near it? */
bool tweed__slot_was_visited(struct tweed__slot *slot, int worker);

#endif

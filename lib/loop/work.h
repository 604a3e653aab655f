/*
 * work.h - threads work in a loop: its caller, which waits for the end, and helpers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_WORK_H
#define TWEED_LIB_WORK_H

#include "pool/team.h"

/* The caller's part p, in slot k that it has acquired: runs the loop, and gives the
   slot back.  The caller shares the loop after patience_ns: 0, at once, be it with no
   other thread; UINT64_MAX: never.  TWEED_EBUSY: a loop that its caller may not run alone
   has found no room, and has not begun. */
int tweed__work_run(struct tweed__part *p, int k, uint64_t patience_ns);

/* The caller's part p, in slot k that it has acquired: opens the slot to all workers, as
   a loop without shares, while fn(p) runs, and gives it back.  Workers that come call the
   kind's work() with the cursor of a part of their own.  False: no worker can come, or a
   thread may still be in the slot, and on the caller's seat, and there is no other slot.
   Then fn was not called; the caller is in no slot, and still has slot k. */
bool tweed__work_open(struct tweed__part *p, int k, void (*fn)(struct tweed__part *p));

/* Worker w helps with the loop in slot k, if there is one, and, if ancestor is not
   -1, if the loop was started inside the one in that slot.  True: w found some work
   there. */
bool tweed__work_help(struct tweed__worker *w, unsigned k, int ancestor);

/* The same as tweed__work_help(), if may(arg) is true once the slot is pinned. */
bool tweed__work_help_if(struct tweed__worker *w, unsigned k, int ancestor,
                         bool (*may)(const void *), const void *arg);

#endif

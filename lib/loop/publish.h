/*
 * publish.h - a loop is described, dealt out, announced, and taken down again.
 *
 * SPDX-License-Identifier: MIT
 *
 * The caller's part has a slot that it has acquired (slot.h).
 */
#ifndef TWEED_LIB_PUBLISH_H
#define TWEED_LIB_PUBLISH_H

#include "pool/team.h"

/* Makes the blocks from `from` on a loop in a slot, with the caller's own share
   claimed.  False: there is no slot to be had. */
bool tweed__publish_loop(struct tweed__part *p, uint32_t from);

/* Opens a slot to all workers, for tasks: a loop without shares.  False: no worker can
   come, or there is no slot to be had. */
bool tweed__publish_root(struct tweed__part *p);

/* All blocks are done: takes the loop down. */
void tweed__publish_end(struct tweed__part *p);

/* Of a thread that has found work in the loop: wakes some of the workers that the loop
   could use and that still sleep. */
void tweed__publish_pass_on(struct tweed__part *p);

#endif

/*
 * home.h - which indices are executed away from the node that they were dealt to.
 *
 * SPDX-License-Identifier: MIT
 *
 * The home of a block is the group of workers (plan.h) that has the worker in whose share
 * it was dealt.  What a caller executes alone was not dealt, and has no other home.
 */
#ifndef TWEED_LIB_HOME_H
#define TWEED_LIB_HOME_H

#include "team.h"

/* The part has stolen a range that begins with this block, and is about to execute it. */
void tweed__home_begin(struct tweed__part *p, uint32_t block);

/* What it has stolen is executed, if p->home is not 0.  Before the blocks
   are returned to the loop. */
void tweed__home_end(struct tweed__part *p);

/* How many indices whose home is this group the workers of others have executed by now. */
uint64_t tweed__home_taken(const struct tweed__team *team, int group);

#endif

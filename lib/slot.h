/*
 * slot.h - one loop from publishing to its end.
 *
 * SPDX-License-Identifier: MIT
 *
 * The life of a slot and the rule that who is inside pins it: slot.c.
 */
#ifndef TWEED_LIB_SLOT_H
#define TWEED_LIB_SLOT_H

#include "team.h"

/* A free slot in which nobody is, tried from `hint` on, for a loop of these
   workers; -1: all are in use. */
int tweed__slot_acquire(struct tweed__team *team, unsigned hint,
                        struct tweed__window window);

/* Gives a slot back that was acquired and not published. */
void tweed__slot_release(struct tweed__slot *slot);

/* The caller w, in a slot it has acquired: publishes the loop, takes part, waits
   for its end, and gives the slot back.  body has two blocks or more, window two
   workers. */
void tweed__slot_run(struct tweed__worker *w, unsigned slot,
                     const struct tweed__body *body, const char *name,
                     struct tweed__window window);

/* Worker w helps with the loop in a slot, if there is one.  True: it found some
   work there. */
bool tweed__slot_help(struct tweed__worker *w, unsigned slot);

#endif

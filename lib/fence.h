/*
 * fence.h - one heavy fence for all who want one at the same time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_FENCE_H
#define TWEED_LIB_FENCE_H

#include "team.h"

/* After what the caller has stored in sequentially consistent order, and before its loads:
   as tweed__fence_heavy(), paid for by the caller or by somebody else.  If the system
   refuses it, nothing is fenced. */
void tweed__fence_shared(struct tweed__team *team, struct tweed__tally *tally);

#endif

/*
 * fence.h - one heavy fence for all threads that want one at the same time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_FENCE_H
#define TWEED_LIB_FENCE_H

#include "pool/team.h"

/* After what the caller has stored in sequentially consistent order, and before its loads:
   as tweed__fence_heavy(), made by the caller or by another thread.  If the system
   refuses it, nothing is fenced. */
void tweed__fence_shared(struct tweed__team *team, struct tweed__tally *tally);

#endif

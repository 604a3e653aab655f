/*
 * table.h - sums of the counters, and the tables that TWEED_STATS prints.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_TABLE_H
#define TWEED_LIB_TABLE_H

#include "pool/team.h"

/* What the workers of the team have counted, in all slots and outside: one worker, or
   with -1 all. */
void tweed__table_sum(struct tweed__team *team, int worker, tweed_stats *sum);

#endif

/*
 * table.h - sums of the counters, and the tables that TWEED_STATS prints.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_TABLE_H
#define TWEED_LIB_TABLE_H

#include "team.h"

/* What the workers of the team have counted, in all slots and outside: that of
   one worker, or with -1 of all. */
void tweed__table_sum(struct tweed__team *team, int worker, tweed_stats *sum);

/* The table of TWEED_STATS=1: one row a worker, and the imbalance; and tasks, if there were
   some.  What cannot be written is given up. */
void tweed__table_print(struct tweed__team *team, const char *name, int fd);

/* The table of TWEED_STATS=loops: one row a name, if any loop was counted. */
void tweed__table_print_loops(int fd);

#endif

/*
 * stats.h - sums and tables of the counters.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_STATS_H
#define TWEED_LIB_STATS_H

#include "team.h"

/* What worker `worker` of the team has counted, in all slots and outside. */
void tweed__stats_sum(struct tweed__team *team, int worker, tweed_stats *sum);

/* The table of TWEED_STATS=1: one row a worker, and the imbalance. */
void tweed__stats_print(tweed_pool *pool, int fd);

#endif

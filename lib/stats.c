/*
 * stats.c - the counters, for the program.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "pool.h"
#include "table.h"
#include "versioned.h"

int tweed_stats_get(tweed_pool *pool, int worker, tweed_stats *stats)
{
    struct tweed__team *team;
    tweed_stats sum;

    if (!stats || worker < -1 ||
        !tweed__versioned_is_size(stats->size, TWEED__FIRST_STATS))
        return TWEED_EINVAL;
    pool = tweed__pool_or_default(pool);
    if (!pool_is_known(pool))
        return TWEED_ENOPOOL;
    team = tweed__pool_team(pool);
    if (!team)
        return TWEED_ENOMEM;
    if (worker >= team->num_workers)
        return TWEED_EINVAL;
    tweed__table_sum(team, worker, &sum);
    tweed__versioned_write(stats, &sum, sizeof sum);
    return TWEED_OK;
}

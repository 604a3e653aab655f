/*
 * stats.c - the counters of workers, and of loops by name, for the program.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "ledger.h"
#include "pool.h"
#include "registry.h"
#include "shield.h"
#include "table.h"
#include "versioned.h"

#include <stdalign.h>
#include <stdlib.h>

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

/* ---- loops by name ---- */

void tweed_loop_stats_start(void)
{
    struct shield shield = shield_up();

    tweed__registry_lock(); /* so that forks are followed */
    tweed__ledger_start();
    tweed__registry_unlock();
    shield_down(shield);
}

void tweed_loop_stats_stop(void)
{
    struct shield shield = shield_up();

    tweed__ledger_stop();
    shield_down(shield);
}

/* Into the program's structs, of this size each. */
static int give_rows(unsigned char *to, size_t size, int count)
{
    int n;
    tweed_loop_stats *rows = tweed__ledger_rows(&n);

    if (!rows)
        return TWEED_ENOMEM;
    for (int i = 0; i < n && i < count; i++, to += size) {
        memcpy(to, &size, sizeof size);
        tweed__versioned_write(to, &rows[i], sizeof rows[i]);
    }
    free(rows);
    return n;
}

int tweed_loop_stats_get(tweed_loop_stats *stats, int count)
{
    struct shield shield;
    size_t size = 0;
    int code;

    if (count < 0 || (count && !stats))
        return TWEED_EINVAL;
    if (count)
        size = stats->size;
    if (count && (!tweed__versioned_is_size(size, TWEED__FIRST_LOOP_STATS) ||
                  size % alignof(tweed_loop_stats)))
        return TWEED_EINVAL;
    shield = shield_up();
    code = give_rows((unsigned char *)stats, size, count);
    shield_down(shield);
    return code;
}

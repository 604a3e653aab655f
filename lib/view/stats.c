/*
 * stats.c - the counters of workers, and of loops by name, for the program.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "base/error.h"
#include "base/shield.h"
#include "log/profile.h"
#include "pool/pool.h"
#include "view/table.h"

#include <stdalign.h>
#include <stdlib.h>
#include <tweed/sized.h>

static int find_team(tweed_pool *pool, struct tweed__team **team)
{
    pool = tweed__pool_or_default(pool);
    if (!pool_is_known(pool))
        return tweed__fail_pool(pool);
    *team = tweed__pool_team(pool);
    return *team ? TWEED_OK : tweed_fail_(TWEED_ENOMEM, "for a pool");
}

int tweed_stats_get(tweed_pool *pool, int worker, tweed_stats *stats)
{
    struct tweed__team *team;
    tweed_stats sum;
    int code;

    if (!stats)
        return TWEED_LACKS_("stats");
    if (!tweed_sized_fits_(stats->size, sizeof *stats))
        return tweed_sized_fail_("tweed_stats", stats, sizeof *stats);
    code = find_team(pool, &team);
    if (code != TWEED_OK)
        return code;
    if (worker < -1 || worker >= team->num_workers)
        return tweed_fail_(TWEED_EINVAL, "%s: worker is %d: expected -1 to %d", __func__,
                           worker, team->num_workers - 1);
    tweed__table_sum(team, worker, &sum);
    tweed_sized_write_(stats, &sum, sizeof sum);
    return TWEED_OK;
}

/* ---- loops by name ---- */

/* Fills in element i of an array of structs of this size. */
static void give(void *stats, size_t size, int i, const void *local, size_t local_size)
{
    unsigned char *to = (unsigned char *)stats + (size_t)i * size;

    memcpy(to, &size, sizeof size);
    tweed_sized_write_(to, local, local_size);
}

/* Fills in the program's structs, of this size each. */
static int give_rows(tweed_loop_stats *stats, size_t size, int count)
{
    int n;
    tweed_loop_stats *rows = tweed__profile_rows(&n);

    if (!rows)
        return tweed_fail_(TWEED_ENOMEM, "tweed_loop_stats_get");
    for (int i = 0; i < n && i < count; i++)
        give(stats, size, i, &rows[i], sizeof rows[i]);
    free(rows);
    return n;
}

int tweed_loop_stats_get(tweed_loop_stats *stats, int count)
{
    struct shield shield;
    int code;

    if (count < 0)
        return tweed_fail_(TWEED_EINVAL, "%s: count is %d: expected 0 or more", __func__,
                           count);
    if (count > 0 && !stats)
        return TWEED_LACKS_("stats");
    if (count > 0 && (!tweed_sized_fits_(stats->size, sizeof *stats) ||
                      stats->size % alignof(tweed_loop_stats)))
        return tweed_sized_fail_("tweed_loop_stats", stats, sizeof *stats);
    shield = shield_up();
    code = give_rows(stats, count ? stats->size : 0, count);
    shield_down(shield);
    return code;
}

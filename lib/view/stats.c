/*
 * stats.c - the counters of workers, and of loops by name, for the program.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

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
        return TWEED_ENOPOOL;
    *team = tweed__pool_team(pool);
    return *team ? TWEED_OK : TWEED_ENOMEM;
}

int tweed_stats_get(tweed_pool *pool, int worker, tweed_stats *stats)
{
    struct tweed__team *team;
    tweed_stats sum;
    int code;

    if (!stats || worker < -1 || !tweed_sized_fits_(stats->size, sizeof *stats))
        return TWEED_EINVAL;
    code = find_team(pool, &team);
    if (code != TWEED_OK)
        return code;
    if (worker >= team->num_workers)
        return TWEED_EINVAL;
    tweed__table_sum(team, worker, &sum);
    tweed_sized_write_(stats, &sum, sizeof sum);
    return TWEED_OK;
}

/* ---- loops by name ---- */

/* Is it an array of so many structs, of which the first has this size? */
static bool is_array(const void *stats, int count, size_t size, size_t known,
                     size_t alignment)
{
    return count == 0 || (count > 0 && stats &&
                          tweed_sized_fits_(size, known) &&
                          size % alignment == 0);
}

/* Element i of such an array. */
static void give(void *stats, size_t size, int i, const void *local, size_t local_size)
{
    unsigned char *to = (unsigned char *)stats + (size_t)i * size;

    memcpy(to, &size, sizeof size);
    tweed_sized_write_(to, local, local_size);
}

/* Into the program's structs, of this size each. */
static int give_rows(tweed_loop_stats *stats, size_t size, int count)
{
    int n;
    tweed_loop_stats *rows = tweed__profile_rows(&n);

    if (!rows)
        return TWEED_ENOMEM;
    for (int i = 0; i < n && i < count; i++)
        give(stats, size, i, &rows[i], sizeof rows[i]);
    free(rows);
    return n;
}

int tweed_loop_stats_get(tweed_loop_stats *stats, int count)
{
    struct shield shield;
    size_t size = count > 0 && stats ? stats->size : 0;
    int code;

    if (!is_array(stats, count, size, sizeof *stats, alignof(tweed_loop_stats)))
        return TWEED_EINVAL;
    shield = shield_up();
    code = give_rows(stats, size, count);
    shield_down(shield);
    return code;
}

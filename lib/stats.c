/*
 * stats.c - sums and tables of the counters.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each seat counts for itself, in each slot, on a line of its own; a worker
 * counts apart what it does outside of loops.  A snapshot adds all that up.
 */
#include "config.h"

#include "stats.h"
#include "pool.h"
#include "print.h"

#include <stdio.h>
#include <string.h>

static void add_tally(tweed_stats *sum, struct tweed__tally *tally)
{
#define TWEED_STATS_ADD(name, title, meaning)                                  \
    sum->name += load_relaxed(&tally->name); /* see tally.h */
    TWEED_STATS_FIELDS(TWEED_STATS_ADD)
#undef TWEED_STATS_ADD
}

void tweed__stats_sum(struct tweed__team *team, int worker, tweed_stats *sum)
{
    struct tweed__worker *w = team->workers[worker];

    add_tally(sum, &w->tally);
    for (int k = 0; k < TWEED__SLOTS; k++)
        add_tally(sum, &w->seats[k].tally);
}

int tweed_stats_get(tweed_pool *pool, int worker, tweed_stats *stats)
{
    struct tweed__team *team = tweed__pool_team(tweed__pool_or_default(pool));

    if (!stats || stats->size != sizeof *stats || worker < -1)
        return TWEED_EINVAL;
    if (!team)
        return TWEED_ENOMEM;
    if (worker >= team->num_workers)
        return TWEED_EINVAL;
    memset(stats, 0, sizeof *stats);
    stats->size = sizeof *stats;
    for (int w = 0; w < team->num_workers; w++)
        if (worker < 0 || w == worker)
            tweed__stats_sum(team, w, stats);
    return TWEED_OK;
}

struct column {
    const char *title;
    int width;
};

static const struct column columns[] = {
    { "worker", 6 },
#define TWEED_STATS_COLUMN(name, title, meaning)                               \
    { title, sizeof(title) > 10 ? (int)sizeof(title) - 1 : 9 },
    TWEED_STATS_FIELDS(TWEED_STATS_COLUMN)
#undef TWEED_STATS_COLUMN
};

static void print_row(int fd, const char *label, const tweed_stats *s)
{
    char line[512];
    int c = 1, n = snprintf(line, sizeof line, "  %*s", columns[0].width, label);

#define TWEED_STATS_CELL(name, title, meaning)                                 \
    n += snprintf(line + n, sizeof line - (size_t)n, " %*llu",                 \
                  columns[c++].width, (unsigned long long)s->name);
    TWEED_STATS_FIELDS(TWEED_STATS_CELL)
#undef TWEED_STATS_CELL
    tweed__print(fd, "%s\n", line);
}

void tweed__stats_print(tweed_pool *pool, int fd)
{
    struct tweed__team *team = load_acquire(&pool->team); /* with start() */
    tweed_stats total = { .size = sizeof total };
    uint64_t most = 0;

    if (!team)
        return;
    tweed__print(fd, "tweed: pool %s, %d workers, fence %s\n ",
                 pool->settings.name, team->num_workers,
                 team->asymmetric ? "membarrier" : "exchange");
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
        tweed__print(fd, " %*s", columns[c].width, columns[c].title);
    tweed__print(fd, "\n");
    for (int w = 0; w < team->num_workers; w++) {
        tweed_stats s = { .size = sizeof s };
        char label[16];

        snprintf(label, sizeof label, "%d", w);
        tweed__stats_sum(team, w, &s);
        tweed__stats_sum(team, w, &total);
        most = s.indices > most ? s.indices : most;
        print_row(fd, label, &s);
    }
    print_row(fd, "all", &total);
    if (total.indices)
        tweed__print(fd, "  imbalance in indices, most / mean: %.3f\n",
                     (double)most * team->num_workers / (double)total.indices);
}

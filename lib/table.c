/*
 * table.c - sums of the counters, and the table that TWEED_STATS=1 prints.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each seat counts for itself, in each slot, on a line of its own; a worker
 * counts apart what it does outside of loops.  A snapshot adds all that up.
 */
#include "config.h"

#include "table.h"
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

void tweed__table_sum(struct tweed__team *team, int worker, tweed_stats *sum)
{
    memset(sum, 0, sizeof *sum);
    sum->size = sizeof *sum;
    for (int i = 0; i < team->num_workers; i++) {
        struct tweed__worker *w = team->workers[i];

        if (worker >= 0 && i != worker)
            continue;
        add_tally(sum, &w->tally);
        for (int k = 0; k < TWEED__SLOTS; k++)
            add_tally(sum, &w->seats[k].tally);
    }
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

static bool print_row(int fd, const char *label, const tweed_stats *s)
{
    char line[512];
    int c = 1, n = snprintf(line, sizeof line, "  %*s", columns[0].width, label);

#define TWEED_STATS_CELL(name, title, meaning)                                 \
    n += snprintf(line + n, sizeof line - (size_t)n, " %*llu",                 \
                  columns[c++].width, (unsigned long long)s->name);
    TWEED_STATS_FIELDS(TWEED_STATS_CELL)
#undef TWEED_STATS_CELL
    return tweed__print(fd, "%s\n", line);
}

static bool print_head(struct tweed__team *team, const char *name, int fd)
{
    if (!tweed__print(fd, "tweed: pool %s, %d workers, fence %s\n ", name,
                      team->num_workers,
                      team->asymmetric ? "membarrier" : "exchange"))
        return false;
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
        if (!tweed__print(fd, " %*s", columns[c].width, columns[c].title))
            return false;
    return tweed__print(fd, "\n");
}

void tweed__table_print(struct tweed__team *team, const char *name, int fd)
{
    tweed_stats s;
    uint64_t most = 0;

    if (!print_head(team, name, fd))
        return;
    for (int w = 0; w < team->num_workers; w++) {
        char label[16];

        snprintf(label, sizeof label, "%d", w);
        tweed__table_sum(team, w, &s);
        most = s.indices > most ? s.indices : most;
        if (!print_row(fd, label, &s))
            return;
    }
    tweed__table_sum(team, -1, &s);
    if (print_row(fd, "all", &s) && s.indices)
        tweed__print(fd, "  imbalance in indices, most / mean: %.3f\n",
                     (double)most * team->num_workers / (double)s.indices);
}

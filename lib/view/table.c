/*
 * table.c - sums of the counters, and the tables that TWEED_STATS prints.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each seat counts for itself, in each slot, on a line of its own; a worker
 * counts apart what it does outside of loops.  A snapshot adds all that up.
 */
#include "config.h"

#include "view/table.h"
#include "base/print.h"
#include "log/label.h"
#include "log/profile.h"
#include "pool/above.h"
#include "task/queue.h"
#include "task/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_tally(tweed_stats *sum, struct tweed__tally *tally)
{
#define TWEED_STATS_ADD(name, title, meaning)                                  \
    sum->name += load_relaxed(&tally->name); /* see tally.h */
    TWEED_STATS_FIELDS_(TWEED_STATS_ADD)
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

/* A counter in a table. */
struct column {
    const char *title;
    int width;
    size_t at; /* in tweed_stats */
};

#define COLUMN(name, title, meaning)                                           \
    { title, sizeof(title) > 10 ? (int)sizeof(title) - 1 : 9, offsetof(tweed_stats, name) },
static const struct column loop_columns[] = { TWEED_RANGE_STATS_FIELDS_(COLUMN) };
static const struct column task_columns[] = { TWEED_TASK_STATS_FIELDS_(COLUMN) };
#undef COLUMN

enum {
    LOOP_COLUMNS = sizeof loop_columns / sizeof *loop_columns,
    TASK_COLUMNS = sizeof task_columns / sizeof *task_columns
};

#define LABEL 6 /* the width of the first column */

static uint64_t figure(const tweed_stats *s, const struct column *c)
{
    uint64_t n;

    memcpy(&n, (const char *)s + c->at, sizeof n);
    return n;
}

static bool print_head(const struct column *c, int n, const char *label, int fd)
{
    if (!tweed__print(fd, "  %*s", LABEL, label))
        return false;
    for (int i = 0; i < n; i++)
        if (!tweed__print(fd, " %*s", c[i].width, c[i].title))
            return false;
    return tweed__print(fd, "\n");
}

static bool print_row(const struct column *c, int n, const char *label,
                      const tweed_stats *s, int fd)
{
    char line[512];
    int used = snprintf(line, sizeof line, "  %*s", LABEL, label);

    for (int i = 0; i < n; i++)
        used += snprintf(line + used, sizeof line - (size_t)used, " %*llu", c[i].width,
                         (unsigned long long)figure(s, &c[i]));
    return tweed__print(fd, "%s\n", line);
}

/* *most: the largest number of indices of one worker. */
static bool print_rows(struct tweed__team *team, const struct column *c, int n,
                       uint64_t *most, int fd)
{
    tweed_stats s;
    char label[16];

    if (!print_head(c, n, "worker", fd))
        return false;
    for (int w = 0; w < team->num_workers; w++) {
        snprintf(label, sizeof label, "%d", w);
        tweed__table_sum(team, w, &s);
        *most = s.indices > *most ? s.indices : *most;
        if (!print_row(c, n, label, &s, fd))
            return false;
    }
    tweed__table_sum(team, -1, &s);
    return print_row(c, n, "all", &s, fd);
}

static bool has_tasks(const tweed_stats *s)
{
    for (int i = 0; i < TASK_COLUMNS; i++)
        if (figure(s, &task_columns[i]))
            return true;
    return false;
}

void tweed__table_print(struct tweed__team *team, const char *name, int fd)
{
    tweed_stats s;
    uint64_t most = 0;
    char shown[32];

    if (!tweed__print(fd, "tweed: pool %s, %d workers, fence %s%s\n",
                      tweed__printable(shown, sizeof shown, name), team->num_workers,
                      team->asymmetric_loops ? "membarrier" : "exchange",
                      team->asymmetric && !team->asymmetric_loops ? ", of tasks membarrier"
                                                                  : "") ||
        !print_rows(team, loop_columns, LOOP_COLUMNS, &most, fd))
        return;
    tweed__table_sum(team, -1, &s);
    if (s.indices && !tweed__print(fd, "  imbalance in indices, most / mean: %.3f\n",
                                   (double)most * team->num_workers / (double)s.indices))
        return;
    if (has_tasks(&s) && tweed__print(fd, "  tasks\n"))
        (void)print_rows(team, task_columns, TASK_COLUMNS, &most, fd);
}

/* How many tasks no thread has begun. */
static uint64_t count_lying(struct tweed__team *team)
{
    uint64_t n = tweed__queue_count(team);

    for (int w = 0; w < team->num_workers; w++) {
        struct tweed__deque_look look = tweed__deque_look(&team->workers[w]->jobs);

        n += look.shared + look.own;
    }
    return n;
}

/* A worker may just have executed some of these: it says so when it looks for others. */
void tweed__table_undone(struct tweed__team *team, const char *name, int fd)
{
    uint32_t used =
        load_acquire(&team->group_states.used); /* the memory of groups; with take_new() */
    uint64_t submitted = 0, grouped = 0, lying;
    char shown[32];

    for (uint32_t i = 0; i <= used; i++) { /* relaxed: a glance */
        uint64_t flight = load_relaxed(&tweed__state_at(team, i)->flight);

        *(i ? &grouped : &submitted) += flight & TWEED__IN_FLIGHT;
    }
    if (submitted + grouped == 0)
        return;
    lying = count_lying(team);
    tweed__print(fd, "tweed: pool %s, undone at exit: %llu submitted tasks, %llu tasks of "
                 "groups; %llu of these were not begun\n",
                 tweed__printable(shown, sizeof shown, name),
                 (unsigned long long)submitted, (unsigned long long)grouped,
                 (unsigned long long)lying);
}

/* ---- loops by name ---- */

enum { NAME, LOOPS, SERIAL, INDICES, TIME, IDEAL, IMBALANCE, STEALS, FAR, REMOTE, COLUMNS };

struct row {
    char cell[COLUMNS][TWEED__LABEL_SIZE];
};

static void put(struct row *row, int column, uint64_t n)
{
    snprintf(row->cell[column], sizeof row->cell[column], "%llu", (unsigned long long)n);
}

static void put_ms(struct row *row, int column, uint64_t ns)
{
    snprintf(row->cell[column], sizeof row->cell[column], "%.3f", (double)ns / 1e6);
}

static void fill(struct row *row, const tweed_loop_stats *s)
{
    (void)tweed__printable(row->cell[NAME], sizeof row->cell[NAME],
                           *s->name ? s->name : "(no name)");
    put(row, LOOPS, s->loops);
    put(row, SERIAL, s->serial);
    put(row, INDICES, s->indices);
    put_ms(row, TIME, s->time_ns);
    put_ms(row, IDEAL, s->ideal_ns);
    strcpy(row->cell[IMBALANCE], "-");
    if (s->ideal_ns && s->time_ns)
        snprintf(row->cell[IMBALANCE], sizeof row->cell[IMBALANCE], "%.2f",
                 (double)s->time_ns / (double)s->ideal_ns);
    put(row, STEALS, s->steals);
    put(row, FAR, s->steals_far);
    put(row, REMOTE, s->indices_far);
}

static void widen(int *width, const struct row *row)
{
    for (int c = 0; c < COLUMNS; c++) {
        int n = (int)tweed__columns(row->cell[c]);

        width[c] = n > width[c] ? n : width[c];
    }
}

static bool print_cells(int fd, const int *width, const struct row *row)
{
    char line[COLUMNS * (TWEED__LABEL_SIZE + 2)];
    int n = snprintf(line, sizeof line, "  %s%*s", row->cell[NAME],
                     width[NAME] - (int)tweed__columns(row->cell[NAME]), "");

    for (int c = NAME + 1; c < COLUMNS; c++)
        n += snprintf(line + n, sizeof line - (size_t)n, "  %*s", width[c], row->cell[c]);
    return tweed__print(fd, "%s\n", line);
}

static void print_loops(const tweed_loop_stats *loops, int n, int fd)
{
    static const struct row head = { { "name", "loops", "serial", "indices", "time ms",
                                       "ideal ms", "imbalance", "steals", "far",
                                       "far indices" } };
    int width[COLUMNS] = { 0 };
    struct row row;
    bool good;

    widen(width, &head);
    for (int i = 0; i < n; i++) {
        fill(&row, &loops[i]);
        widen(width, &row);
    }
    good = tweed__print(fd, "tweed: loops by name; imbalance is time / ideal\n") &&
           print_cells(fd, width, &head);
    for (int i = 0; good && i < n; i++) {
        fill(&row, &loops[i]);
        good = print_cells(fd, width, &row);
    }
}

void tweed__table_print_loops(int fd)
{
    int n;
    tweed_loop_stats *loops = tweed__profile_rows(&n);

    if (n)
        print_loops(loops, n, fd);
    free(loops);
}

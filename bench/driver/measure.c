/*
 * measure.c - all rounds of a row, the columns in another order each time.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "driver.h"

#define MOST_TIMES 10000

/* Where the quickest runtime's run is this short, each measurement begins with a
   run that does not count: the caches were somebody else's. */
#define SHORT_SECONDS 0.05

/* A run that takes so many times as long as the quickest runtime's, and so many
   times as long as a measurement should, is not repeated: dynamic,1 over a hundred
   million indices takes half a minute. */
#define HOPELESS 10.0
#define LONG 10.0

/* A process for each column. */
static void start_series(struct row *row, const struct user_row *what,
                         const struct column *columns, int n)
{
    row->num_series = n;
    for (int i = 0; i < n; i++) {
        struct series *s = &row->series[i];

        memset(s, 0, sizeof *s);
        s->column = &columns[i];
        s->right = true;
        s->order.way = columns[i].way;
        program_start(&s->runner, columns[i].module, what, s->why, sizeof s->why);
    }
}

/* One measurement; the seconds of a run, 0 if it could not be. */
static double take_turn(struct series *s, int sample)
{
    struct result result;

    if (s->why[0] || !runner_measure(&s->runner, &s->order, &result, s->why,
                                     sizeof s->why))
        return 0;
    s->right &= result.answer == 1;
    s->samples[sample] = result.seconds;
    s->extra[sample] = result.extra;
    return result.seconds;
}

/* How many runs a measurement of this column has; its first run of all, which
   counts for nothing but for a hopeless column, tells. */
static double settle(struct series *s, double wanted)
{
    double seconds, times;

    s->order.times = 1;
    seconds = take_turn(s, 0);
    if (seconds <= 0 || seconds > LONG * wanted)
        return seconds;
    seconds = take_turn(s, 0);
    times = seconds > 0 ? ceil(wanted / seconds) : 1;
    s->order.times = times > MOST_TIMES ? MOST_TIMES : (int)times;
    return seconds;
}

static void settle_all(struct row *row, double wanted)
{
    double seconds[MOST_COLUMNS], quickest = INFINITY;

    for (int i = 0; i < row->num_series; i++) {
        seconds[i] = settle(&row->series[i], wanted);
        if (seconds[i] > 0 && !row->series[i].column->module->serial &&
            seconds[i] < quickest)
            quickest = seconds[i];
    }
    for (int i = 0; i < row->num_series; i++) {
        struct series *s = &row->series[i];

        s->once = seconds[i] > LONG * wanted && seconds[i] > HOPELESS * quickest;
        s->order.rehearse = quickest < SHORT_SECONDS;
    }
}

/* All columns in an order that is drawn anew, but the same in every program. */
static void shuffle(int *order, int n, int round)
{
    for (int i = 0; i < n; i++) {
        int k = (int)(bench_random((uint64_t)round, (uint64_t)i) %
                      (uint64_t)(i + 1));

        order[i] = order[k];
        order[k] = i;
    }
}

void measure(struct row *row, const struct user_row *what, const struct column *columns,
             int num_columns, double wanted)
{
    int order[MOST_COLUMNS];

    start_series(row, what, columns, num_columns);
    settle_all(row, wanted);
    for (int k = 0; k < row->rounds; k++) {
        shuffle(order, row->num_series, k);
        for (int i = 0; i < row->num_series; i++)
            if (!row->series[order[i]].once)
                take_turn(&row->series[order[i]], k);
    }
    for (int i = 0; i < row->num_series; i++)
        runner_end(&row->series[i].runner);
}

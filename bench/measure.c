/*
 * measure.c - all rounds of one kernel, the runtimes in another order each time.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"

#define FULL_SECONDS 0.05 /* what one measurement should take at least */
#define QUICK_SECONDS 0.01
#define MOST_TIMES 10000

/* Where the quickest runtime's run is this short, each measurement begins with a
   run that does not count: the caches were somebody else's. */
#define SHORT_SECONDS 0.05

/* A run that takes so many times as long as the quickest runtime's, and so many
   times as long as a measurement should, is not repeated: dynamic,1 over a hundred
   million indices takes half a minute. */
#define HOPELESS 10.0
#define LONG 10.0

/* A process for each schedule of each runtime that has what the kernel needs. */
static void start_series(struct row *row, const struct column *columns, int n,
                         void *input, int workers)
{
    unsigned needs = row->kernel->needs;

    row->num_series = 0;
    for (int i = 0; i < n; i++) {
        const struct module *m = columns[i].module;
        struct series *s;

        if ((needs & m->offers) != needs)
            continue;
        s = &row->series[row->num_series++];
        memset(s, 0, sizeof *s);
        s->column = &columns[i];
        s->right = true;
        s->order.schedule = columns[i].schedule;
        runner_start(&s->runner, m, row->kernel, input, workers, s->why,
                     sizeof s->why);
    }
}

/* One measurement; the seconds of a run with all that belongs to it, 0 if it could
   not be.  The first answer of the serial runtime is the right one. */
static double take_turn(struct row *row, struct series *s, int sample)
{
    double tolerance = row->kernel->tolerance;
    struct result result;

    if (s->why[0] || !runner_measure(&s->runner, &s->order, &result, s->why,
                                     sizeof s->why))
        return 0;
    if (s->column->module->serial && !row->has_reference) {
        row->reference = result.answer;
        row->has_reference = true;
    }
    if (!row->has_reference || !result.steady ||
        !answers_agree(result.answer, row->reference, tolerance))
        s->right = false;
    s->samples[sample] = result.seconds;
    s->extra[sample] = result.extra;
    s->counts = result.counts;
    return result.whole;
}

/* How many runs a measurement of this column has; its first run of all, which
   counts for nothing but for a hopeless column, tells. */
static double settle(struct row *row, struct series *s, double wanted)
{
    double whole, times;

    s->order.times = 1;
    whole = take_turn(row, s, 0);
    if (whole <= 0 || whole > LONG * wanted)
        return whole;
    whole = take_turn(row, s, 0);
    times = whole > 0 ? ceil(wanted / whole) : 1;
    s->order.times = times > MOST_TIMES ? MOST_TIMES : (int)times;
    return whole;
}

static void settle_all(struct row *row, double wanted)
{
    double whole[MOST_COLUMNS], quickest = INFINITY;

    for (int i = 0; i < row->num_series; i++) {
        whole[i] = settle(row, &row->series[i], wanted);
        if (whole[i] > 0 && !row->series[i].column->module->serial &&
            whole[i] < quickest)
            quickest = whole[i];
    }
    for (int i = 0; i < row->num_series; i++) {
        struct series *s = &row->series[i];

        s->once = whole[i] > LONG * wanted && whole[i] > HOPELESS * quickest;
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

void measure(struct row *row, void *input, const struct column *columns,
             int num_columns, const struct machine *machine)
{
    int order[MOST_COLUMNS];

    start_series(row, columns, num_columns, input, machine->workers);
    settle_all(row, machine->quick ? QUICK_SECONDS : FULL_SECONDS);
    row->rounds = machine->rounds;
    for (int k = 0; k < row->rounds; k++) {
        shuffle(order, row->num_series, k);
        for (int i = 0; i < row->num_series; i++)
            if (!row->series[order[i]].once)
                take_turn(row, &row->series[order[i]], k);
    }
    for (int i = 0; i < row->num_series; i++)
        runner_end(&row->series[i].runner);
}

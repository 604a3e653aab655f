/*
 * measure.c - all rounds of one kernel: A B C, B C A, C A B, ...
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
#define SHORT_SECONDS 0.05 /* a run this short is rehearsed: the caches were
                              somebody else's */

/* A run that takes so many times as long as the quickest runtime's, and so many
   times as long as a measurement should, is not repeated: dynamic,1 over a hundred
   million indices takes half a minute. */
#define HOPELESS 10.0
#define LONG 5.0

/* A runtime's process, and if it failed why. */
struct lane {
    const struct module *module;
    struct runner runner;
    char why[96];
};

static struct lane lanes[MOST_MODULES];
static int num_lanes;

static struct lane *lane_of(const struct module *m)
{
    for (int i = 0; i < num_lanes; i++)
        if (lanes[i].module == m)
            return &lanes[i];
    return NULL;
}

/* A process for each runtime that has what the kernel needs, a series for each
   of its schedules. */
static void start_lanes(struct row *row, const struct column *columns, int n,
                        void *input, int workers)
{
    unsigned needs = row->kernel->needs;

    num_lanes = row->num_series = 0;
    for (int i = 0; i < n; i++) {
        const struct module *m = columns[i].module;
        struct series *s;

        if ((needs & m->offers) != needs)
            continue;
        s = &row->series[row->num_series++];
        memset(s, 0, sizeof *s);
        s->column = &columns[i];
        s->right = true;
        if (!lane_of(m)) {
            struct lane *lane = &lanes[num_lanes++];

            memset(lane, 0, sizeof *lane);
            lane->module = m;
            runner_start(&lane->runner, m, row->kernel, input, workers,
                         lane->why, sizeof lane->why);
        }
    }
}

static bool agrees(double answer, double reference, double tolerance)
{
    return fabs(answer - reference) <= tolerance * fabs(reference);
}

/* One measurement.  The first answer of all, which is the serial runtime's, is
   the reference. */
static void take_turn(struct row *row, struct series *s,
                        const struct order *order, struct result *result)
{
    struct lane *lane = lane_of(s->column->module);

    if (lane->why[0] || !runner_measure(&lane->runner, order, result, lane->why,
                                        sizeof lane->why)) {
        snprintf(s->why, sizeof s->why, "%s", lane->why);
        memset(result, 0, sizeof *result);
        return;
    }
    if (!row->has_reference) {
        row->reference = result->answer;
        row->has_reference = true;
    }
    if (!agrees(result->answer, row->reference, row->kernel->tolerance))
        s->right = false;
}

/* The first measurement counts for nothing (if the column is not hopeless) but for
   how many runs one of this column is to have.  Seconds of a run. */
static double settle(struct row *row, struct series *s, struct order *order,
                   double wanted)
{
    struct result result;
    double times;

    *order = (struct order){ s->column->schedule, 1, true };
    take_turn(row, s, order, &result);
    order->rehearse = result.whole < SHORT_SECONDS;
    times = result.whole > 0 ? ceil(wanted / result.whole) : 1;
    order->times = times > MOST_TIMES ? MOST_TIMES : (int)times;
    s->samples[0] = result.seconds;
    s->counts = result.counts;
    return result.whole;
}

/* Settles all columns, and finds those that this was enough for. */
static void settle_all(struct row *row, struct order *orders, double wanted)
{
    double whole[MOST_COLUMNS], quickest = INFINITY;

    for (int i = 0; i < row->num_series; i++) {
        whole[i] = settle(row, &row->series[i], &orders[i], wanted);
        if (whole[i] > 0 && whole[i] < quickest)
            quickest = whole[i];
    }
    for (int i = 0; i < row->num_series; i++) {
        struct series *s = &row->series[i];

        s->once = whole[i] > LONG * wanted && whole[i] > HOPELESS * quickest;
        for (int k = 1; s->once && k < row->rounds; k++)
            s->samples[k] = s->samples[0];
    }
}

void measure(struct row *row, void *input, const struct column *columns,
             int num_columns, const struct machine *machine)
{
    double wanted = machine->quick ? QUICK_SECONDS : FULL_SECONDS;
    struct order orders[MOST_COLUMNS];

    start_lanes(row, columns, num_columns, input, machine->workers);
    row->rounds = machine->rounds;
    settle_all(row, orders, wanted);
    for (int k = 0; k < row->rounds; k++)
        for (int n = 0; n < row->num_series; n++) {
            int i = (n + k) % row->num_series;
            struct series *s = &row->series[i];
            struct result result;

            if (s->once)
                continue;
            take_turn(row, s, &orders[i], &result);
            s->samples[k] = result.seconds;
            s->counts = result.counts;
        }
    for (int i = 0; i < num_lanes; i++)
        runner_end(&lanes[i].runner);
}

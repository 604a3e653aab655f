/*
 * statistics.c - what the samples say.
 *
 * SPDX-License-Identifier: MIT
 *
 * A ratio is taken in each round, of two measurements some moments apart, and
 * then the median over the rounds: a machine's slow drift is in both.
 */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

struct spread {
    double median, q1, q3;
};

/* Median and quartiles, in steps of whole samples. */
static struct spread spread_of(const double *figures, int n)
{
    double sorted[MOST_ROUNDS];

    memcpy(sorted, figures, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    return (struct spread){
        .median = (sorted[n / 2] + sorted[(n - 1) / 2]) / 2,
        .q1 = sorted[n / 4],
        .q3 = sorted[n - 1 - n / 4],
    };
}

/* Its figures count. */
bool sound(const struct series *s)
{
    return s && !s->why[0] && s->right;
}

/* Of a hopeless column there is but one sample, for all rounds. */
static double sample_of(const struct series *s, int round)
{
    return s->samples[s->once ? 0 : round];
}

static void compare(struct series *s, const struct series *with, int rounds)
{
    double ratios[MOST_ROUNDS];
    struct spread spread;

    for (int k = 0; k < rounds; k++)
        ratios[k] = sample_of(s, k) / sample_of(with, k);
    spread = spread_of(ratios, rounds);
    s->ratio = spread.median;
    s->ratio_q1 = spread.q1;
    s->ratio_q3 = spread.q3;
}

static void find_special(struct row *row)
{
    row->serial = row->best_peer = NULL;
    for (int i = 0; i < row->num_series; i++) {
        const struct series *s = &row->series[i];
        const struct module *m = s->column->module;

        if (m->serial)
            row->serial = s;
        else if (!m->ours && sound(s) &&
                 (!row->best_peer || s->median < row->best_peer->median))
            row->best_peer = s;
    }
}

void evaluate(struct row *row)
{
    double scale = row->subject.scale;

    for (int i = 0; i < row->num_series; i++) {
        struct series *s = &row->series[i];
        struct spread spread;

        if (s->why[0])
            continue;
        spread = spread_of(s->samples, s->once ? 1 : row->rounds);
        s->median = spread.median * scale;
        s->q1 = spread.q1 * scale;
        s->q3 = spread.q3 * scale;
    }
    find_special(row);
    if (row->best_peer)
        for (int i = 0; i < row->num_series; i++)
            if (sound(&row->series[i]))
                compare(&row->series[i], row->best_peer, row->rounds);
}

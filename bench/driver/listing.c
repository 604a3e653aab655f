/*
 * listing.c - the results on the terminal: a row is a paragraph, each way to write
 * its loop a line.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "driver.h"

#define BAR 1.05 /* of each of tweed's ways, to the best peer */
#define MOST_TALLIES 24

/* Over all rows whose ratio to the best peer says something. */
static struct tally {
    char name[64];
    int rows, met;
    double log_sum;
} tallies[MOST_TALLIES];

static void tally(const char *name, double ratio)
{
    struct tally *t = tallies;

    while (t < tallies + MOST_TALLIES - 1 && t->name[0] && strcmp(t->name, name) != 0)
        t++;
    snprintf(t->name, sizeof t->name, "%s", name);
    t->rows++;
    t->met += ratio <= BAR;
    t->log_sum += log(ratio);
}

static int failures;

void listing_failure(const char *what, const char *why)
{
    failures++;
    printf("%s: %s\n", what, why);
}

/* Four digits that mean something, in eight columns at most. */
static const char *figure(char *text, size_t size, double x)
{
    snprintf(text, size, x >= 1000 ? "%.0f" : x >= 100 ? "%.1f" : "%.3g", x);
    return text;
}

static void title(const struct row *row)
{
    char ideal[32] = "none";

    if (row->ideal > 0)
        figure(ideal, sizeof ideal, row->ideal);
    printf("\n%s: %s; %s, ideal %s\n", row->subject.name, row->subject.what,
           row->subject.unit, ideal);
    printf("    %-30s %8s %-22s %-15s %s\n", "", "median", "(quartiles)",
           "/ ideal (q3)", "/ best peer (quartiles)");
}

static void print_series(const struct row *row, const struct series *s,
                         const char *name)
{
    char a[32], b[32], c[80];

    printf("    %-30s %8s ", name, figure(a, sizeof a, s->median));
    snprintf(c, sizeof c, "(%s to %s)", figure(a, sizeof a, s->q1),
             figure(b, sizeof b, s->q3));
    printf("%-22s ", c);
    snprintf(c, sizeof c, "%.2f (%.2f)", s->median / row->ideal,
             s->q3 / row->ideal);
    printf("%-15s", row->ideal > 0 ? c : "");
    if (row->best_peer)
        printf(" %.2f (%.2f to %.2f)%s", s->ratio, s->ratio_q1, s->ratio_q3,
               s == row->best_peer ? " best peer" : "");
    printf("%s\n", s->once ? " measured once" : "");
}

/* Not where time / ideal is what counts, nor of what is no loop of tweed's. */
static bool is_ratio(const struct user_row *u, const struct series *s)
{
    return !u->relative &&
           s->column->module->ways[s->column->way][0] != '(';
}

void listing_row(const struct row *row, const struct user_row *u)
{
    title(row);
    for (int i = 0; i < row->num_series; i++) {
        const struct series *s = &row->series[i];
        const struct module *m = s->column->module;
        char name[64];

        snprintf(name, sizeof name, "%s %s", m->name,
                 m->ways[s->column->way]);
        if (!sound(s)) {
            printf("    ");
            listing_failure(name, s->why[0] ? s->why : "WRONG ANSWER");
            continue;
        }
        print_series(row, s, name);
        if (m->ours && row->best_peer && is_ratio(u, s))
            tally(name, s->ratio);
    }
    fflush(stdout);
}

int listing_end(void)
{
    if (tallies[0].name[0])
        printf("\n%-30s rows, of these at most %.2f of the best peer, geometric "
               "mean of the ratios\n", "", BAR);
    for (struct tally *t = tallies; t < tallies + MOST_TALLIES && t->name[0]; t++)
        printf("%-30s %4d %4d %6.3f\n", t->name, t->rows, t->met,
               exp(t->log_sum / t->rows));
    if (failures)
        printf("%d wrong answers or failures\n", failures);
    return failures;
}

/*
 * table.c - the results on the terminal, a line for each kernel.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"

#define BAR 1.03 /* of a kernel of the suite, to the best peer */

static const char *group = "";
static int in_suite, above_bar, failures;
static double log_sum;

void table_machine(const struct machine *m, const struct module *modules,
                   int num_modules)
{
    if (m->rounds < 7)
        printf("with fewer than 7 rounds these are no figures to rely on\n");
    printf("%s, %d CPUs, %d workers, %s; %s; %s, medians of %d rounds\n",
           m->cpu, m->cpus, m->workers, m->system, m->compiler,
           m->quick ? "quick sizes" : "full sizes", m->rounds);
    if (m->environment[0])
        printf("set in the environment: %s\n", m->environment);
    for (int i = 0; i < num_modules; i++) {
        printf("  %-12s %s:", modules[i].name, modules[i].version);
        for (int k = 0; k < modules[i].num_schedules; k++)
            printf("%s %s", k ? "," : "", modules[i].schedules[k]);
        printf("\n");
    }
}

static void title(const struct row *row)
{
    if (strcmp(group, row->kernel->group) == 0)
        return;
    group = row->kernel->group;
    printf("\n%-23s %-8s %8s %10s %-19s %8s  %-20s %-6s %-14s %s\n", group,
           "form", "serial", "tweed", "(quartiles)", "ideal", "best peer",
           "ratio", "(quartiles)", "steals/fences/returns");
}

const char *figure(char *text, size_t size, double x)
{
    snprintf(text, size, x >= 1000 ? "%.0f" : x >= 100 ? "%.1f" : "%.3g", x);
    return text;
}

void table_failure(const char *what, const char *why)
{
    failures++;
    printf("%s: %s\n", what, why);
}

static void complain(const struct row *row)
{
    for (int i = 0; i < row->num_series; i++) {
        const struct series *s = &row->series[i];
        const struct column *c = s->column;

        if (sound(s))
            continue;
        failures++;
        printf("    %s %s: %s\n", c->module->name,
               c->module->schedules[c->schedule],
               s->why[0] ? s->why : "WRONG ANSWER");
    }
}

static void print_peer(const struct row *row)
{
    const struct series *best = row->best_peer;
    char name[64];

    snprintf(name, sizeof name, "%s %s", best->column->module->name,
             best->column->module->schedules[best->column->schedule]);
    printf("  %-20s %-6.2f (%.2f to %.2f)  ", name, row->tweed->ratio,
           row->tweed->ratio_q1, row->tweed->ratio_q3);
    if (strcmp(row->kernel->group, "suite") != 0)
        return;
    in_suite++;
    above_bar += row->tweed->ratio > BAR;
    log_sum += log(row->tweed->ratio);
}

void table_row(const struct row *row)
{
    const struct series *t = row->tweed;
    char a[32], b[32], c[80];

    title(row);
    printf("%-23s %-8s ", row->kernel->name, row->kernel->form);
    printf("%8s ", sound(row->serial)
                       ? figure(a, sizeof a, row->serial->median)
                       : "-");
    if (sound(t)) {
        printf("%10s ", figure(a, sizeof a, t->median));
        snprintf(c, sizeof c, "(%s to %s)", figure(a, sizeof a, t->q1),
                 figure(b, sizeof b, t->q3));
        printf("%-19s %8s", c,
               row->ideal > 0 ? figure(a, sizeof a, row->ideal) : "-");
        if (row->best_peer)
            print_peer(row);
        printf("%.3g/%.3g/%.3g", t->counts.steals, t->counts.fences,
               t->counts.returns);
    }
    printf("  %s%s%s\n", row->kernel->unit, row->size ? ", " : "",
           row->size ? row->size : "");
    complain(row);
    fflush(stdout);
}

int table_end(void)
{
    if (in_suite)
        printf("\nsuite: %d of %d rows at most %.2f times the best of all "
               "peers; geometric mean of these %.3f\n",
               in_suite - above_bar, in_suite, BAR, exp(log_sum / in_suite));
    if (failures)
        printf("%d wrong answers or failures\n", failures);
    return failures;
}

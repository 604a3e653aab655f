/*
 * results.c - the results as JSON, an object a line.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

#ifdef HAVE_JANSSON
#include <jansson.h>

static FILE *file;
static char path[4096], new_path[4104]; /* it takes its name when it is whole */

/* At once, and not after twenty minutes of measuring. */
_Noreturn static void give_up(void)
{
    fprintf(stderr, "bench: %s: cannot be written: %s\n", new_path,
            strerror(errno));
    exit(2);
}

/* Writes and gives back one object. */
static void put(json_t *object)
{
    if (!file) {
        json_decref(object);
        return;
    }
    if (!object ||
        json_dumpf(object, file,
                   JSON_COMPACT | JSON_REAL_PRECISION(6)) != 0 ||
        fputc('\n', file) == EOF || fflush(file) != 0)
        give_up();
    json_decref(object);
}

void results_open(const char *name)
{
    snprintf(path, sizeof path, "%s", name);
    snprintf(new_path, sizeof new_path, "%s.new", name);
    file = fopen(new_path, "w");
    if (!file)
        give_up();
}

void results_close(void)
{
    if (file && (fclose(file) != 0 || rename(new_path, path) != 0))
        give_up();
}

void results_machine(const struct machine *m)
{
    put(json_pack("{ss ss ss si si si sf ss ss ss si si ss}", "type", "machine",
                  "date", m->date, "cpu", m->cpu, "cpus", m->cpus, "nodes",
                  m->nodes, "workers", m->workers, "memory", m->memory,
                  "system", m->system, "compiler", m->compiler, "environment",
                  m->environment, "rounds", m->rounds, "quick", m->quick,
                  "size", m->quick ? "quick" : "full"));
}

void results_module(const struct module *m)
{
    json_t *schedules = json_array();

    for (int i = 0; i < m->num_schedules; i++)
        json_array_append_new(schedules, json_string(m->schedules[i]));
    put(json_pack("{ss ss ss so}", "type", "runtime", "name", m->name,
                  "version", m->version, "schedules", schedules));
}

static json_t *counts_of(const struct bench_counts *c)
{
    return json_pack("{sf sf sf sf sf}", "loops", c->loops, "steals", c->steals,
                     "fences", c->fences, "proposals", c->proposals, "returns",
                     c->returns);
}

static json_t *run_of(const struct row *row, const struct series *s)
{
    const struct module *m = s->column->module;
    json_t *run = json_pack("{ss ss}", "runtime", m->name, "schedule",
                            m->schedules[s->column->schedule]);
    json_t *samples;

    if (s->why[0]) {
        json_object_set_new(run, "failed", json_string(s->why));
        return run;
    }
    samples = json_array();
    for (int k = 0; k < (s->once ? 1 : row->rounds); k++)
        json_array_append_new(samples, json_real(s->samples[k] * row->scale));
    json_object_update_new(
        run, json_pack("{sb so sf sf sf}", "right", s->right, "samples", samples,
                       "median", s->median, "q1", s->q1, "q3", s->q3));
    if (s->once)
        json_object_set_new(run, "once", json_true());
    if (row->best_peer && sound(s))
        json_object_update_new(run, json_pack("{sf sf sf}", "ratio", s->ratio,
                                              "ratio_q1", s->ratio_q1,
                                              "ratio_q3", s->ratio_q3));
    if (m->counts)
        json_object_set_new(run, "counts", counts_of(&s->counts));
    return run;
}

void results_row(const struct row *row)
{
    const struct bench_kernel *k = row->kernel;
    const struct series *best = row->best_peer;
    json_t *runs = json_array(), *line;
    char name[64];

    for (int i = 0; i < row->num_series; i++)
        json_array_append_new(runs, run_of(row, &row->series[i]));
    line = json_pack("{ss ss ss ss ss ss ss sf so}", "type", "row", "kernel",
                     k->name, "form", k->form, "group", k->group, "what",
                     k->what, "unit", k->unit, "size",
                     row->size ? row->size : "", "x", k->x, "runs", runs);
    if (row->ideal > 0)
        json_object_set_new(line, "ideal", json_real(row->ideal));
    if (best && sound(row->tweed)) {
        snprintf(name, sizeof name, "%s %s", best->column->module->name,
                 best->column->module->schedules[best->column->schedule]);
        json_object_update_new(
            line, json_pack("{ss sf sf sf}", "best_peer", name, "ratio",
                            row->tweed->ratio, "ratio_q1", row->tweed->ratio_q1,
                            "ratio_q3", row->tweed->ratio_q3));
    }
    put(line);
}

#else /* !HAVE_JANSSON */

void results_open(const char *name)
{
    fprintf(stderr, "bench: %s: built without jansson, so results cannot be "
                    "written (libjansson-dev, then configure again)\n",
            name);
    exit(2);
}

void results_close(void)
{
}

void results_machine(const struct machine *m)
{
    (void)m;
}

void results_module(const struct module *m)
{
    (void)m;
}

void results_row(const struct row *row)
{
    (void)row;
}

#endif

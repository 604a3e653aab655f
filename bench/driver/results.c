/*
 * results.c - the results as JSON, an object a line.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

#ifdef HAVE_JANSSON
#include <jansson.h>

static FILE *file;
static char path[4096], new_path[4104]; /* it takes its name when it is whole */

/* At once, and not after twenty minutes of measuring. */
_Noreturn static void give_up(void)
{
    fprintf(stderr, "driver: %s: cannot be written: %s\n", new_path,
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
    put(json_pack("{ss ss ss si si si sf ss ss ss si sb}", "type", "machine",
                  "date", m->date, "cpu", m->cpu, "cpus", m->cpus, "nodes",
                  m->nodes, "workers", m->workers, "memory", m->memory,
                  "system", m->system, "compiler", m->compiler, "environment",
                  m->environment, "rounds", m->rounds, "quick", m->quick));
}

void results_module(const struct module *m)
{
    json_t *ways = json_array();

    for (int i = 0; i < m->num_ways; i++)
        json_array_append_new(ways, json_string(m->ways[i]));
    put(json_pack("{ss ss ss so}", "type", "runtime", "name", m->name,
                  "version", m->version, "ways", ways));
}

static json_t *run_of(const struct row *row, const struct series *s)
{
    const struct module *m = s->column->module;
    json_t *run = json_pack("{ss ss sb sb}", "runtime", m->name, "way",
                            m->ways[s->column->way], "ours", m->ours, "serial", m->serial);
    json_t *samples;

    if (s->why[0]) {
        json_object_set_new(run, "failed", json_string(s->why));
        return run;
    }
    samples = json_array();
    for (int k = 0; k < (s->once ? 1 : row->rounds); k++)
        json_array_append_new(samples, json_real(s->samples[k] * row->subject.scale));
    json_object_update_new(
        run, json_pack("{sb so sf sf sf sb}", "right", s->right, "samples", samples,
                       "median", s->median, "q1", s->q1, "q3", s->q3, "once", s->once));
    if (row->best_peer && sound(s))
        json_object_update_new(run, json_pack("{sf sf sf sb}", "ratio", s->ratio,
                                              "ratio_q1", s->ratio_q1,
                                              "ratio_q3", s->ratio_q3, "best_peer",
                                              s == row->best_peer));
    return run;
}

void results_row(const struct row *row)
{
    const struct subject *s = &row->subject;
    json_t *runs = json_array(), *line;

    for (int i = 0; i < row->num_series; i++)
        json_array_append_new(runs, run_of(row, &row->series[i]));
    line = json_pack("{ss ss ss ss ss ss so}", "type", "row", "name", s->name, "group",
                     s->group, "what", s->what, "flags", s->flags, "unit", s->unit,
                     "runs", runs);
    if (row->ideal > 0)
        json_object_set_new(line, "ideal", json_real(row->ideal));
    put(line);
}

#else /* !HAVE_JANSSON */

void results_open(const char *name)
{
    fprintf(stderr, "driver: %s: built without jansson, so results cannot be "
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

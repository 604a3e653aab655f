/*
 * harness.h - what measures: processes, rounds, statistics, results.
 *
 * SPDX-License-Identifier: MIT
 *
 * A program is started for each way to write the loop of a row.  All but the one that is
 * measured are stopped (SIGSTOP), whatever their idle threads would like to do.
 */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include <stdio.h>
#include <sys/types.h>

#include "bench.h"

#define MOST_WAYS 12 /* of a program */
#define MOST_COLUMNS 128
#define MOST_ROUNDS 101

/* A program as the driver knows it: told by a process of it. */
struct module {
    char path[4096];
    char name[32], version[128]; /* of the runtime */
    char ways[MOST_WAYS][24];
    int num_ways;
    bool serial, ours; /* ours: tweed's, which has no peer in itself */
};

/* One program with one way to write the loop. */
struct column {
    struct module *module;
    int way;
};

/* What a runner is told to do, and what it says. */
struct order {
    int way;
    int times;     /* runs that count */
    bool rehearse; /* one more before these that does not */
};

struct result {
    double seconds; /* of a run */
    double extra;   /* a second figure of the same run, where its row has one */
    double answer;  /* the part of it that is right: 1 */
};

struct runner {
    const struct module *module; /* NULL: not started */
    pid_t pid;
    int fd;
};

/* process.c: what any process is told and tells.  Where it fails it says why. */
bool process_send(int fd, const void *data, size_t size);
bool process_receive(int fd, void *data, size_t size);
bool process_start(struct runner *r, char *why, size_t size);
bool process_hear(struct runner *r, void *data, size_t size, char *why,
                  size_t why_size);
bool process_ready(struct runner *r, char *why, size_t size);
bool process_stop(struct runner *r, char *why, size_t size);
bool runner_measure(struct runner *r, const struct order *order,
                    struct result *result, char *why, size_t size);
void runner_end(struct runner *r);

/* What was measured of one column.  Where `why` says that it could not be, the
   rest means nothing. */
struct series {
    const struct column *column;
    struct runner runner;
    struct order order;
    char why[96];
    bool right;                       /* every answer was */
    bool once;                        /* too slow to be measured again */
    double samples[MOST_ROUNDS];      /* seconds of a run, by round; once: [0] */
    double extra[MOST_ROUNDS];        /* likewise */
    double median, q1, q3;            /* in the row's unit */
    double ratio, ratio_q1, ratio_q3; /* to the best peer, round by round */
};

/* What a row is about. */
struct subject {
    const char *name, *group, *what;
    const char *flags; /* that its programs were compiled with */
    const char *unit;  /* of a figure: "ms", "us a loop", "ns an index" */
    double scale;      /* seconds of a run times this give the figure */
};

/* A row, measured. */
struct row {
    struct subject subject;
    double ideal; /* in the unit; 0: not known */
    int rounds;
    struct series series[MOST_COLUMNS];
    int num_series;
    const struct series *serial, *best_peer; /* or NULL */
};

/* What is said of the machine. */
struct machine {
    char cpu[128], system[128], compiler[128], environment[512];
    char date[16];
    int cpus, nodes, workers, rounds;
    double memory;
    bool quick;
};

/* measure.c: all rounds of a row, `wanted` seconds at least each time.  Whoever calls
   says how a column's program is started for what is measured. */
typedef bool start_fn(struct runner *r, const struct module *m, const void *what, char *why,
                      size_t size);
void measure(struct row *row, start_fn *start, const void *what,
             const struct column *columns, int num_columns, double wanted);

/* statistics.c: all that is derived from the samples. */
bool sound(const struct series *s);
void evaluate(struct row *row);

/* results.c: JSON lines.  What cannot be written ends the program, status 2. */
void results_open(const char *path);
void results_machine(const struct machine *m);
void results_module(const struct module *m);
void results_row(const struct row *row);
void results_close(void);

/* What the command line says. */
struct options {
    bool list;
    const char *output, *runtimes;
    char **patterns; /* NULL at the end */
};

/* options.c: what is wrong ends the program, status 2. */
void read_options(int argc, char **argv, const char *usage, struct options *o,
                  struct machine *m);
bool listed(const char *list, const char *name); /* among names between commas */

/* machine.c */
void find_machine(struct machine *m); /* all but workers, rounds, quick */
double free_memory(void);             /* bytes that could be had without swapping */

#endif

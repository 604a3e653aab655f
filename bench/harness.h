/*
 * harness.h - what the parts of bench/bench have in common.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include <stdio.h>
#include <sys/types.h>

#include "bench.h"

#define MOST_MODULES 16
#define MOST_SCHEDULES 10 /* of a runtime */
#define MOST_COLUMNS (MOST_MODULES * MOST_SCHEDULES)
#define MOST_ROUNDS 101

/* A runtime as the harness knows it: told by a process that has loaded it. */
struct module {
    char path[4096];
    char name[32], version[128];
    char schedules[MOST_SCHEDULES][24];
    int num_schedules;
    unsigned offers; /* bench_need */
    bool serial, ours, counts; /* ours: tweed's, which has no peer in itself */
};

/* One runtime with one schedule. */
struct column {
    struct module *module;
    int schedule;
};

/* What a runner is told to do, and what it says. */
struct order {
    int schedule;
    int times;     /* runs that count */
    bool rehearse; /* one more before these that does not */
};

struct result {
    double seconds; /* of one run, those that count */
    double whole;   /* of one run, all of them */
    double extra;   /* a second figure of the same run, where its kernel has one */
    double answer;
    bool steady; /* every run's answer was this */
    struct bench_counts counts; /* of one run */
};

struct runner {
    const struct module *module; /* NULL: not started */
    pid_t pid;
    int fd;
};

/* The first word of a runner. */
enum { READY = 1, NO_MODULE, NO_START, NO_BEGIN };

/* process.c: what any process is told and tells.  Where it fails it says why. */
bool process_send(int fd, const void *data, size_t size);
bool process_receive(int fd, void *data, size_t size);
bool process_start(struct runner *r, char *why, size_t size);
bool process_hear(struct runner *r, void *data, size_t size, char *why,
                  size_t why_size);
bool process_ready(struct runner *r, char *why, size_t size);
bool process_stop(struct runner *r, char *why, size_t size);

/* runner.c: what is started as a process; measuring and ending is process.c's. */
bool module_describe(struct module *m, int workers, char *why, size_t size);
bool runner_start(struct runner *r, const struct module *m,
                  const struct bench_kernel *k, void *input, int workers,
                  char *why, size_t size);
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
    bool right;                       /* every answer agreed with serial's */
    bool once;                        /* too slow to be measured again */
    double samples[MOST_ROUNDS];      /* seconds of a run, by round; once: [0] */
    double extra[MOST_ROUNDS];        /* likewise */
    struct bench_counts counts;       /* of a run, mean of the last round's */
    double median, q1, q3;            /* in the row's unit */
    double ratio, ratio_q1, ratio_q3; /* to the best peer, round by round */
};

/* One kernel, measured. */
struct row {
    const struct bench_kernel *kernel;
    const char *size;
    double scale; /* seconds to the unit */
    double ideal; /* in the unit; 0: not known */
    double reference; /* the right answer */
    bool has_reference;
    int rounds;
    struct series series[MOST_COLUMNS];
    int num_series;
    const struct series *serial, *tweed, *best_peer; /* or NULL */
};

/* What is said of the machine. */
struct machine {
    char cpu[128], system[128], compiler[128], environment[512];
    char date[16];
    int cpus, nodes, workers, rounds;
    double memory;
    bool quick;
};

/* measure.c: all rounds of a kernel whose input is there. */
void measure(struct row *row, void *input, const struct column *columns,
             int num_columns, const struct machine *machine);

/* statistics.c: all that is derived from the samples. */
bool answers_agree(double answer, double reference, double tolerance);
bool sound(const struct series *s);
void evaluate(struct row *row, double heaviest, int workers);

/* table.c: on the terminal. */
void table_machine(const struct machine *m, const struct module *modules,
                   int num_modules);
void table_row(const struct row *row);
/* Four digits that mean something, in eight columns at most. */
const char *figure(char *text, size_t size, double x);
/* A kernel that could not be measured at all. */
void table_failure(const char *what, const char *why);
int table_end(void); /* how many wrong answers and failures there were */

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
int usable_cpus(void); /* that this process may use */
void find_machine(struct machine *m); /* all but workers, rounds, quick */

/* clock.c */
void calibrate(void);

/* memory.c: gives back all that bench_alloc() gave in this process. */
void free_all(void);

/* kernels.c: NULL at the end. */
extern const struct bench_kernel *const bench_kernels[];

#endif

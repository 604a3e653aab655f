/*
 * driver.h - what the parts of the driver have in common: rows, columns, what was measured.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_DRIVER_H
#define BENCH_DRIVER_H

#include "../users/program.h"

#define MOST_COLUMNS 128
#define MOST_ROUNDS 101
#define MOST_HOGS 16

/* A program with one setting of the environment. */
struct program {
    struct module module; /* first: a column has it */
    uint64_t offers[MOST_WAYS];
    char level[8];       /* "O2": how it was compiled */
    bool binds;          /* tweed's of which there are more, with a setting */
    const char *setting; /* "TWEED_BIND=cpu", or NULL */
};

/* One program with one way to write the loop. */
struct column {
    struct module *module;
    int way;
};

/* What a row is about. */
struct subject {
    const char *name, *group, *what;
    const char *flags; /* that its programs were compiled with */
    const char *unit;  /* of a figure: "ms", "us a loop", "ns an index" */
    double scale;      /* seconds of a run times this give the figure */
};

/* What a row's second figure is, if it has one. */
enum second { NO_SECOND, CPU_TIME, LONGEST_CLAIM };

struct user_row {
    struct subject subject;
    char name[48];
    struct user_task task;
    const char *level;
    bool quick; /* part of bench-quick, too */
    enum second second;
    bool relative; /* the figures are times / ideal */
    bool ideal;    /* there is one: the serial time over the CPUs */
    bool dynamic;  /* dynamic,1 is worth its time */
    bool few;      /* not each way to write it: the first one, and guided */
    bool binds;    /* tweed with each TWEED_BIND, too */
    int hogs;      /* so many busy processes, */
    bool on_last;  /* all of them on the last CPU */
    bool one_cpu;  /* the programs may use one CPU only */
    int rounds;    /* at least so many; 0: as many as all */
};

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

/* rows.c: the table of rows, of which situations.c adds its part. */
int rows_make(struct user_row *rows, int most, const struct machine *m);
const char *level_flags(const char *level);
struct user_row *row_add(const char *group, const char *name, bool quick,
                         const char *what);
void row_loop(struct user_row *r, int64_t n, double index);
void situations_add(const struct machine *m);

/* programs.c.  A column's program, started for a row, and stopped. */
bool program_start(struct runner *r, const struct module *m, const struct user_row *row,
                   char *why, size_t size);
int programs_find(struct program *programs, int most, const char *only);
int row_columns(const struct user_row *row, struct program *programs,
                int num_programs, struct column *columns);

/* listing.c: on the terminal, a line for each way to write a row's loop. */
void listing_row(const struct row *row, const struct user_row *u);
/* What could not be measured, or gave a wrong answer. */
void listing_failure(const char *what, const char *why);
int listing_end(void); /* how many of these there were */

/* measure.c: all rounds of a row, `wanted` seconds at least each time. */
void measure(struct row *row, const struct user_row *what, const struct column *columns,
             int num_columns, double wanted);

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
void read_options(int argc, char **argv, struct options *o, struct machine *m);

/* machine.c */
void find_machine(struct machine *m); /* all but workers, rounds, quick */
double free_memory(void);             /* bytes that could be had without swapping */

#endif

/*
 * driver.h - what the parts of the driver have in common.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef USERS_DRIVER_H
#define USERS_DRIVER_H

#include "program.h"

/* A program with one setting of the environment. */
struct program {
    struct module module; /* first: program_start() is given it */
    uint64_t offers[MOST_WAYS];
    char level[8];       /* "O2": how it was compiled */
    bool binds;          /* the program of which there are more, with a setting */
    const char *setting; /* "TWEED_BIND=cpu", or NULL */
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
    bool hog;      /* a busy process on one CPU */
    bool one_cpu;  /* the programs may use one CPU only */
    int rounds;    /* at least so many; 0: as many as all */
};

/* rows.c: the table of rows, of which situations.c adds its part. */
int rows_make(struct user_row *rows, int most, const struct machine *m);
const char *level_flags(const char *level);
struct user_row *row_add(const char *group, const char *name, bool quick,
                         const char *what);
void row_loop(struct user_row *r, int64_t n, double index);
void situations_add(const struct machine *m);

/* programs.c */
start_fn program_start;
int programs_find(struct program *programs, int most, const char *only);
int row_columns(const struct user_row *row, struct program *programs,
                int num_programs, struct column *columns);

/* listing.c: on the terminal, a line for each way to write a row's loop. */
void listing_row(const struct row *row, const struct user_row *u);
/* What could not be measured, or gave a wrong answer. */
void listing_failure(const char *what, const char *why);
int listing_end(void); /* how many of these there were */

#endif

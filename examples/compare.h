/*
 * compare.h - runs a kernel serially, with OpenMP and with tweed; checks that
 * the answers are the same and prints the times.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef EXAMPLES_COMPARE_H
#define EXAMPLES_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "program.h"

enum variant {
    SERIAL,
    TWEED,
    OPENMP_STATIC,
    OPENMP_DYNAMIC,
    OPENMP_TASKS,
    NUM_VARIANTS
};

/* What a kernel is made of, and so which variants it has: the first two schedules of
   OpenMP, or its tasks. */
enum made_of { LOOPS, TASKS };

/* A loop body is compiled once and called by all variants: inlined into one
   and not into another it might be optimised into different roundings, and it
   would not be the loops alone that are compared. */
#if defined(__GNUC__)
#define BODY __attribute__((__noinline__)) static void
#else
#define BODY static void
#endif

struct kernel {
    const char *name;
    enum made_of made_of;
    void (*run)(enum variant variant, void *state); /* all of it, once */
    void *state;
    void *result; /* what run() computes, every byte of it */
    size_t result_bytes;
};

struct compare_options {
    int repeats;
    bool row, header;
};

#define COMPARE_DEFAULTS {.repeats = 3}
#define COMPARE_OPTIONS(options)                                               \
    {"repeats", 0, OPTION_INTEGER, &(options).repeats, 1, 1000,                \
     "runs of each variant; the median counts"},                               \
    {"row", 0, OPTION_FLAG, &(options).row, 0, 0,                              \
     "print only the table's row"},                                            \
    {"header", 0, OPTION_FLAG, &(options).header, 0, 0,                        \
     "print only the table's header, and run nothing"}

/* Runs all variants and prints the table, or only its row or its header; with
   the latter it exits.  Dies if a variant does not compute, bit for bit, what
   the serial one does. */
void compare(const struct kernel *kernel, const struct compare_options *options,
             FILE *report);

#endif /* EXAMPLES_COMPARE_H */

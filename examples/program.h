/*
 * program.h - what each example's main() needs: its command line, its errors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef EXAMPLES_PROGRAM_H
#define EXAMPLES_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define PRINTF_LIKE(format, first)                                             \
    __attribute__((__format__(__printf__, format, first)))
#else
#define PRINTF_LIKE(format, first)
#endif

/* Prints "program: message" as one line on stderr and exits with status 1. */
_Noreturn void die(const char *format, ...) PRINTF_LIKE(1, 2);

/* count * size zeroed bytes; dies if that overflows or there is no memory, and
   names the file that asked for so much (NULL: none did). */
void *allocate(const char *file, size_t count, size_t size);

/* One row of a program's option table.  What value points to holds the default
   before options_read() and the user's choice after it. */
enum option_type {
    OPTION_FLAG,    /* bool: --name */
    OPTION_INTEGER, /* int, low to high: --name N, --name=N */
    OPTION_REAL,    /* double, low to high */
    OPTION_TEXT,    /* const char * */
    OPTION_OPERAND  /* const char *, not optional: the name is for --help */
};

struct option {
    const char *name; /* without the dashes; NULL: OPTIONS_END */
    char letter;      /* the same as -l; 0: none */
    enum option_type type;
    void *value;
    double low, high; /* of INTEGER and REAL */
    const char *help;
};

#define OPTIONS_END {NULL, 0, OPTION_FLAG, NULL, 0, 0, NULL}

/* Reads the command line into the table's values.  --help prints the table and
   exits; whatever the table does not allow dies with a line that names it. */
void options_read(int argc, char **argv, const char *program,
                  const char *summary, const struct option *table);

/* The status for main() to return: dies if stdout could not be written. */
int finish(void);

#endif /* EXAMPLES_PROGRAM_H */

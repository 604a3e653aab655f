/*
 * output.h - an output file that is there whole or not at all.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef EXAMPLES_OUTPUT_H
#define EXAMPLES_OUTPUT_H

#include <stdio.h>

#include "program.h"

/*
 * The data goes to a file of another name in the same folder, which takes the
 * wanted name when it is complete; until then a file of that name stays as it
 * was.  What is no regular file (/dev/full, a pipe) is written directly.
 */
struct output {
    FILE *file;
    const char *name; /* what the user called it; for messages */
    char *target;     /* what the temporary file is renamed to */
    char *temporary;  /* NULL: written directly */
};

/* All four die with a message "name: reason" when something fails. */
void output_open(struct output *output, const char *name);
void output_write(struct output *output, const void *data, size_t size);
void output_printf(struct output *output, const char *format, ...)
    PRINTF_LIKE(2, 3);
void output_close(struct output *output);

/* Gives up: removes what was written, and dies. */
_Noreturn void output_fail(struct output *output, const char *reason);

/* Before the work is done: dies if `name` cannot be written, without touching
   what is there.  Returns where the program shall print its tables: stdout, or
   stderr if `name` is stdout itself.  NULL is no file at all. */
FILE *output_prepare(const char *name);

#endif /* EXAMPLES_OUTPUT_H */

/*
 * lines.h - the lines of a text file, and which of two comes first.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef EXAMPLES_LINES_H
#define EXAMPLES_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct line {
    uint64_t key; /* a line with the smaller key comes first */
    const char *text;
    size_t length; /* without the line's end */
};

struct lines {
    char *data; /* all of the file */
    struct line *line;
    size_t count;
};

/* Reads a file, to be sorted by the bytes of its lines, or by the numbers that they are
   and then by bytes.  The last line may have no end.  Dies with a message "name: reason"
   if the file cannot be read, or if a line is to be a number and is none. */
void lines_read(struct lines *lines, const char *name, bool are_numbers);
void lines_destroy(struct lines *lines);

/* Of two lines of a file; equal ones stay in its order. */
static inline bool line_precedes(const struct line *a, const struct line *b)
{
    size_t shorter = a->length < b->length ? a->length : b->length;
    int order;

    if (a->key != b->key)
        return a->key < b->key;
    order = memcmp(a->text, b->text, shorter);
    if (order != 0)
        return order < 0;
    return a->length != b->length ? a->length < b->length : a->text < b->text;
}

#endif /* EXAMPLES_LINES_H */

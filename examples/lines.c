/*
 * lines.c - the lines of a text file, and which of two comes first.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lines.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "program.h"

/* The whole file, and a 0 behind it; its size. */
static size_t read_all(const char *name, char **data)
{
    FILE *file = fopen(name, "rb");
    size_t size = 0, room = 1 << 16, n;
    char *larger;

    if (!file)
        die("%s: %s", name, strerror(errno));
    *data = allocate(name, room, 1);
    while ((n = fread(*data + size, 1, room - size - 1, file)) > 0) {
        size += n;
        if (size < room - 1)
            continue;
        larger = allocate(name, 2 * room, 1);
        memcpy(larger, *data, size);
        free(*data);
        *data = larger;
        room *= 2;
    }
    if (ferror(file))
        die("%s: %s", name, strerror(errno));
    fclose(file);
    (*data)[size] = '\0';
    return size;
}

/* The first eight bytes: most pairs of lines differ in them. */
static uint64_t key_of_bytes(const struct line *l)
{
    uint64_t key = 0;

    for (size_t i = 0; i < 8; i++)
        key = key << 8 | (i < l->length ? (unsigned char)l->text[i] : 0);
    return key;
}

/* Doubles have the order of their bits, negative ones the opposite order. */
static uint64_t key_of_number(double x)
{
    uint64_t bits;

    x += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* The line is a number, with blanks around it perhaps. */
static double number_of(const struct line *l, const char *name, size_t number)
{
    char *end;
    double x = strtod(l->text, &end);
    size_t shown = l->length < 40 ? l->length : 40;

    while (end < l->text + l->length && isspace((unsigned char)*end))
        end++;
    /* strtod() goes on to the next line where this one is blank */
    if (end != l->text + l->length || l->length == 0 || !isfinite(x))
        die("%s: line %zu: '%.*s' is not a number", name, number, (int)shown,
            l->text);
    return x;
}

static void split(struct lines *l, size_t size)
{
    const char *text = l->data, *past = l->data + size, *end;

    for (size_t i = 0; i < l->count; i++, text = end + 1) {
        end = memchr(text, '\n', (size_t)(past - text));
        if (!end)
            end = past;
        l->line[i] = (struct line){ 0, text, (size_t)(end - text) };
    }
}

static size_t count_lines(const char *data, size_t size)
{
    size_t count = size > 0 && data[size - 1] != '\n';

    for (size_t i = 0; i < size; i++)
        count += data[i] == '\n';
    return count;
}

void lines_read(struct lines *l, const char *name, bool are_numbers)
{
    size_t size = read_all(name, &l->data);

    l->count = count_lines(l->data, size);
    l->line = allocate(name, l->count, sizeof *l->line);
    split(l, size);
    for (size_t i = 0; i < l->count; i++) {
        struct line *one = &l->line[i];

        one->key = are_numbers ? key_of_number(number_of(one, name, i + 1))
                               : key_of_bytes(one);
    }
}

void lines_destroy(struct lines *l)
{
    free(l->line);
    free(l->data);
}

/*
 * matrix.c - sparse matrices, row after row, from Matrix Market files.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* strcasecmp() */

#include "matrix.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "program.h"

enum { max_line = 1024 }; /* characters, says the format */

struct entry {
    int row, column; /* from 0 */
    double value;
};

struct reader {
    const char *name;
    FILE *file;
    long long line_number;
    char line[max_line + 2]; /* with the line's end and the string's */
    bool is_pattern, is_symmetric, is_skew;
    long long rows, columns, announced;
    struct entry *entries;
    size_t count, capacity;
};

static _Noreturn void broken(const struct reader *r, const char *format, ...)
    PRINTF_LIKE(2, 3);

static _Noreturn void broken(const struct reader *r, const char *format, ...)
{
    char reason[200];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    die("%s: line %lld: %s", r->name, r->line_number, reason);
}

/* The next line, or false at the file's end. */
static bool next_line(struct reader *r)
{
    if (!fgets(r->line, sizeof r->line, r->file)) {
        if (ferror(r->file))
            die("%s: %s", r->name, strerror(errno));
        return false;
    }
    r->line_number++;
    if (!strchr(r->line, '\n') && !feof(r->file))
        broken(r, "longer than %d characters, or not text", max_line);
    return true;
}

/* The next line that says something. */
static bool next_content(struct reader *r)
{
    while (next_line(r))
        if (r->line[0] != '%' && r->line[strspn(r->line, " \t\r\n")] != '\0')
            return true;
    return false;
}

static bool is_word_end(const char *text)
{
    return *text == '\0' || isspace((unsigned char)*text);
}

/* Takes an integer off *text; `what` is for the message if there is none. */
static long long take_integer(const struct reader *r, char **text,
                              const char *what)
{
    char *end;

    errno = 0;
    long long value = strtoll(*text, &end, 10);
    if (end == *text || !is_word_end(end))
        broken(r, "%s is not an integer", what);
    if (errno == ERANGE)
        broken(r, "%s is too large", what);
    *text = end;
    return value;
}

static double take_real(const struct reader *r, char **text)
{
    char *end;
    double value = strtod(*text, &end);

    if (end == *text || !is_word_end(end) || !isfinite(value))
        broken(r, "the value is not a number");
    *text = end;
    return value;
}

static void expect_end(const struct reader *r, const char *text)
{
    if (text[strspn(text, " \t\r\n")] != '\0')
        broken(r, "more on the line than expected");
}

/* "%%MatrixMarket matrix coordinate FIELD SYMMETRY" */
static void read_banner(struct reader *r)
{
    char word[5][20] = {"", "", "", "", ""};

    if (!next_line(r))
        die("%s: the file is empty", r->name);
    sscanf(r->line, "%19s %19s %19s %19s %19s", word[0], word[1], word[2],
           word[3], word[4]);
    if (strcmp(word[0], "%%MatrixMarket") != 0)
        die("%s: not a Matrix Market file", r->name);
    if (strcasecmp(word[1], "matrix") != 0 ||
        strcasecmp(word[2], "coordinate") != 0)
        broken(r, "'%s %s', not 'matrix coordinate'", word[1], word[2]);
    r->is_pattern = strcasecmp(word[3], "pattern") == 0;
    r->is_symmetric = strcasecmp(word[4], "symmetric") == 0;
    r->is_skew = strcasecmp(word[4], "skew-symmetric") == 0;
    if (!r->is_pattern && strcasecmp(word[3], "real") != 0 &&
        strcasecmp(word[3], "integer") != 0)
        broken(r, "'%s' values, not real, integer or pattern", word[3]);
    if (!r->is_symmetric && !r->is_skew && strcasecmp(word[4], "general") != 0)
        broken(r, "'%s', not general, symmetric or skew-symmetric", word[4]);
}

/* "ROWS COLUMNS ENTRIES" */
static void read_size(struct reader *r)
{
    char *text = r->line;

    if (!next_content(r))
        die("%s: the file ends before the matrix's size", r->name);
    r->rows = take_integer(r, &text, "the number of rows");
    r->columns = take_integer(r, &text, "the number of columns");
    r->announced = take_integer(r, &text, "the number of entries");
    expect_end(r, text);
    if (r->rows < 1 || r->columns < 1 || r->rows >= INT_MAX ||
        r->columns >= INT_MAX)
        broken(r, "%lld rows and %lld columns are not within 1 to %d", r->rows,
               r->columns, INT_MAX - 1);
    if (r->announced < 0)
        broken(r, "%lld entries", r->announced);
    if ((r->is_symmetric || r->is_skew) && r->rows != r->columns)
        broken(r, "symmetric, but not square");
}

/* The memory grows with what is there, not with what the file announces. */
static void append(struct reader *r, struct entry entry)
{
    if (r->count == r->capacity) {
        size_t capacity = r->capacity > 0 ? 2 * r->capacity : 1024;
        struct entry *entries = NULL;
        if (capacity <= SIZE_MAX / sizeof *entries)
            entries = realloc(r->entries, capacity * sizeof *entries);
        if (!entries)
            die("%s: out of memory (%zu entries)", r->name, r->count);
        r->entries = entries;
        r->capacity = capacity;
    }
    r->entries[r->count++] = entry;
}

/* "ROW COLUMN VALUE", or without the value in a pattern */
static void read_entry(struct reader *r)
{
    char *text = r->line;
    long long row = take_integer(r, &text, "the row");
    long long column = take_integer(r, &text, "the column");
    double value = r->is_pattern ? 1 : take_real(r, &text);

    expect_end(r, text);
    if (row < 1 || row > r->rows)
        broken(r, "row %lld is not within 1 to %lld", row, r->rows);
    if (column < 1 || column > r->columns)
        broken(r, "column %lld is not within 1 to %lld", column, r->columns);
    if ((r->is_symmetric || r->is_skew) && column > row)
        broken(r, "an entry in the upper half of a symmetric matrix");
    if (r->is_skew && column == row)
        broken(r, "an entry on the diagonal of a skew-symmetric matrix");
    append(r, (struct entry){(int)row - 1, (int)column - 1, value});
    if ((r->is_symmetric || r->is_skew) && row != column)
        append(r, (struct entry){(int)column - 1, (int)row - 1,
                                 r->is_skew ? -value : value});
}

static void read_entries(struct reader *r)
{
    for (long long i = 0; i < r->announced; i++) {
        if (!next_content(r))
            die("%s: the file ends after %lld of %lld entries", r->name, i,
                r->announced);
        read_entry(r);
    }
    if (next_content(r))
        broken(r, "more than the %lld entries that were announced",
               r->announced);
}

/* A counting sort by rows; within a row the file's order stays. */
static void build(struct matrix *m, const struct reader *r)
{
    size_t rows = (size_t)r->rows;

    m->rows = (int)r->rows;
    m->columns = (int)r->columns;
    m->start = allocate(r->name, rows + 1, sizeof *m->start);
    m->column = allocate(r->name, r->count, sizeof *m->column);
    m->value = allocate(r->name, r->count, sizeof *m->value);
    for (size_t i = 0; i < r->count; i++)
        m->start[r->entries[i].row + 1]++;
    for (size_t row = 0; row < rows; row++)
        m->start[row + 1] += m->start[row];
    /* start[row] runs through the row, so that it ends as start[row + 1] */
    for (size_t i = 0; i < r->count; i++) {
        size_t place = m->start[r->entries[i].row]++;
        m->column[place] = r->entries[i].column;
        m->value[place] = r->entries[i].value;
    }
    memmove(m->start + 1, m->start, rows * sizeof *m->start);
    m->start[0] = 0;
}

void matrix_read(struct matrix *matrix, const char *name)
{
    struct reader *r = allocate(NULL, 1, sizeof *r);

    r->name = name;
    r->file = fopen(name, "r");
    if (!r->file)
        die("%s: %s", name, strerror(errno));
    read_banner(r);
    read_size(r);
    read_entries(r);
    fclose(r->file);
    build(matrix, r);
    free(r->entries);
    free(r);
}

void matrix_destroy(struct matrix *matrix)
{
    free(matrix->start);
    free(matrix->column);
    free(matrix->value);
}

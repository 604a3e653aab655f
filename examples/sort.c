/*
 * sort.c - sorts the lines of a file: tasks that split an array, and merge it.
 *
 * SPDX-License-Identifier: MIT
 *
 * The halves of an array are sorted at the same time.  So are two sorted runs merged:
 * the longer one is cut in its middle, the other one where that line belongs.
 */
#include <stdlib.h>
#include <string.h>
#include <tweed.h>

#include "compare.h"
#include "lines.h"
#include "output.h"
#include "program.h"

enum { few = 16, piece = 2000 }; /* lines: sorted by insertion; by one task */

struct sorting {
    struct lines in;
    struct line *work, *out;
};

/* Lines that are sorted. */
struct run {
    const struct line *line;
    size_t count;
};

/* Where sorted lines shall be: where they were, or in the other array. */
enum where { HERE, THERE };

/* ---- what all variants have ---- */

/* The first half, and the second one, of what was sorted to the opposite place. */
static struct run half(int which, const struct line *line, const struct line *other,
                       size_t n, enum where where)
{
    const struct line *from = where == THERE ? line : other;
    size_t m = n / 2;

    return which == 0 ? (struct run){ from, m } : (struct run){ from + m, n - m };
}

/* How many lines of the run come before this one. */
static size_t place(struct run r, const struct line *l)
{
    size_t low = 0, high = r.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (line_precedes(&r.line[middle], l))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Where the lower parts of two runs end: all of them comes before all of the rest. */
struct cut {
    size_t a, b;
};

static struct cut cut(struct run a, struct run b)
{
    struct cut c = { a.count / 2, b.count / 2 };

    if (a.count >= b.count)
        c.b = place(b, &a.line[c.a]);
    else
        c.a = place(a, &b.line[c.b]);
    return c;
}

static struct run below(struct run r, size_t end)
{
    return (struct run){ r.line, end };
}

static struct run above(struct run r, size_t begin)
{
    return (struct run){ r.line + begin, r.count - begin };
}

BODY merge_alone(struct run a, struct run b, struct line *to)
{
    const struct line *x = a.line, *x_past = x + a.count;
    const struct line *y = b.line, *y_past = y + b.count;

    while (x < x_past && y < y_past)
        *to++ = line_precedes(x, y) ? *x++ : *y++;
    while (x < x_past)
        *to++ = *x++;
    while (y < y_past)
        *to++ = *y++;
}

static void insert_each(struct line *line, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct line l = line[i];
        size_t k = i;

        for (; k > 0 && line_precedes(&l, &line[k - 1]); k--)
            line[k] = line[k - 1];
        line[k] = l;
    }
}

/* n lines; the other array has room for as many. */
BODY sort_alone(struct line *line, struct line *other, size_t n, enum where where)
{
    size_t m = n / 2;
    enum where opposite = where == THERE ? HERE : THERE;

    if (n <= few) {
        insert_each(line, n);
        if (where == THERE)
            memcpy(other, line, n * sizeof *line);
        return;
    }
    sort_alone(line, other, m, opposite);
    sort_alone(line + m, other + m, n - m, opposite);
    merge_alone(half(0, line, other, n, where), half(1, line, other, n, where),
                where == THERE ? other : line);
}

/* ---- tweed ---- */

TWEED_TASK(void, merge, struct run, a, struct run, b, struct line *, to)
{
    struct cut c;

    if (a.count + b.count <= piece) {
        merge_alone(a, b, to);
        return;
    }
    c = cut(a, b);
    TWEED_SPAWN(merge, below(a, c.a), below(b, c.b), to);
    TWEED_CALL(merge, above(a, c.a), above(b, c.b), to + c.a + c.b);
    TWEED_SYNC(merge);
}

TWEED_TASK(void, sort, struct line *, line, struct line *, other, size_t, n,
           enum where, where)
{
    size_t m = n / 2;
    enum where opposite = where == THERE ? HERE : THERE;

    if (n <= piece) {
        sort_alone(line, other, n, where);
        return;
    }
    TWEED_SPAWN(sort, line, other, m, opposite);
    TWEED_CALL(sort, line + m, other + m, n - m, opposite);
    TWEED_SYNC(sort);
    TWEED_CALL(merge, half(0, line, other, n, where), half(1, line, other, n, where),
               where == THERE ? other : line);
}

/* ---- OpenMP ---- */

#ifdef _OPENMP
static void merge_openmp(struct run a, struct run b, struct line *to)
{
    struct cut c;

    if (a.count + b.count <= piece) {
        merge_alone(a, b, to);
        return;
    }
    c = cut(a, b);
#pragma omp task
    merge_openmp(below(a, c.a), below(b, c.b), to);
    merge_openmp(above(a, c.a), above(b, c.b), to + c.a + c.b);
#pragma omp taskwait
}

static void sort_openmp(struct line *line, struct line *other, size_t n,
                        enum where where)
{
    size_t m = n / 2;
    enum where opposite = where == THERE ? HERE : THERE;

    if (n <= piece) {
        sort_alone(line, other, n, where);
        return;
    }
#pragma omp task
    sort_openmp(line, other, m, opposite);
    sort_openmp(line + m, other + m, n - m, opposite);
#pragma omp taskwait
    merge_openmp(half(0, line, other, n, where), half(1, line, other, n, where),
                 where == THERE ? other : line);
}
#endif

static void run(enum variant variant, void *state)
{
    struct sorting *s = state;
    size_t n = s->in.count;

    memcpy(s->work, s->in.line, n * sizeof *s->work);
    switch (variant) {
    case TWEED:
        TWEED_RUN(sort, s->work, s->out, n, THERE);
        break;
    case OPENMP_TASKS:
#ifdef _OPENMP
#pragma omp parallel
#pragma omp single
        sort_openmp(s->work, s->out, n, THERE);
#endif
        break;
    default:
        sort_alone(s->work, s->out, n, THERE);
    }
}

/* Each line is one of the file's, and no two have the same place there: so lines that
   ascend are all of them. */
static void check_order(const struct sorting *s)
{
    for (size_t i = 1; i < s->in.count; i++)
        if (!line_precedes(&s->out[i - 1], &s->out[i]))
            die("line %zu of the result does not come after the one before", i + 1);
}

static void write_lines(const struct sorting *s, const char *name)
{
    struct output output;

    output_open(&output, name);
    for (size_t i = 0; i < s->in.count; i++) {
        output_write(&output, s->out[i].text, s->out[i].length);
        output_write(&output, "\n", 1);
    }
    output_close(&output);
}

int main(int argc, char **argv)
{
    struct sorting s = { .work = NULL };
    struct compare_options measure = COMPARE_DEFAULTS;
    bool numeric = false;
    const char *input = NULL, *output = NULL;
    const struct option options[] = {
        {"FILE", 0, OPTION_OPERAND, &input, 0, 0, "lines of text"},
        {"numeric", 'n', OPTION_FLAG, &numeric, 0, 0,
         "each line is a number; by their values"},
        {"output", 'o', OPTION_TEXT, &output, 0, 0,
         "where the result goes, if anywhere"},
        COMPARE_OPTIONS(measure),
        OPTIONS_END};

    options_read(argc, argv, "sort", "Sorts the lines of a file.", options);
    FILE *report = output_prepare(output);
    lines_read(&s.in, input, numeric);
    s.work = allocate(input, s.in.count, sizeof *s.work);
    s.out = allocate(input, s.in.count, sizeof *s.out);
    struct kernel kernel = {"sort", TASKS, run, &s, s.out,
                            s.in.count * sizeof *s.out};
    compare(&kernel, &measure, report);
    check_order(&s);
    if (output)
        write_lines(&s, output);
    lines_destroy(&s.in);
    free(s.work);
    free(s.out);
    return finish();
}

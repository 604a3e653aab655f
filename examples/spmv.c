/*
 * spmv.c - multiplies a sparse matrix by a vector, rows in parallel.
 *
 * SPDX-License-Identifier: MIT
 *
 * A row costs what it has entries: many have a few, some have thousands, and
 * one index is never split.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tweed.h>

#include "compare.h"
#include "matrix.h"
#include "output.h"
#include "program.h"

struct product {
    struct matrix a;
    double *x, *y; /* y = a * x */
    int times;
};

/* The loop's body: one row of the matrix, one element of the result. */
BODY row(int64_t i, void *arg)
{
    const struct product *p = arg;
    const int *column = p->a.column;
    const double *value = p->a.value;
    size_t end = p->a.start[i + 1];
    double sum = 0;

    for (size_t k = p->a.start[i]; k < end; k++)
        sum += value[k] * p->x[column[k]];
    p->y[i] = sum;
}

TWEED_LOOP(all_rows, i, struct product *, p)
{
    row(i, p);
}

static void multiply(enum variant variant, struct product *p)
{
    switch (variant) {
    case TWEED:
        all_rows(0, p->a.rows, p);
        break;
    case OPENMP_STATIC:
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < p->a.rows; i++)
            row(i, p);
#endif
        break;
    case OPENMP_DYNAMIC:
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1)
        for (int64_t i = 0; i < p->a.rows; i++)
            row(i, p);
#endif
        break;
    default:
        for (int64_t i = 0; i < p->a.rows; i++)
            row(i, p);
    }
}

static void run(enum variant variant, void *state)
{
    struct product *p = state;

    for (int i = 0; i < p->times; i++)
        multiply(variant, p);
}

/* As a Matrix Market array of one column; 17 digits say exactly which double
   it is. */
static void write_vector(const double *y, int count, const char *name)
{
    struct output output;

    output_open(&output, name);
    output_printf(&output, "%%%%MatrixMarket matrix array real general\n%d 1\n",
                  count);
    for (int i = 0; i < count; i++)
        output_printf(&output, "%.17g\n", y[i]);
    output_close(&output);
}

int main(int argc, char **argv)
{
    struct product p = {.times = 100};
    struct compare_options measure = COMPARE_DEFAULTS;
    const char *input = NULL, *output = NULL;
    const struct option options[] = {
        {"MATRIX", 0, OPTION_OPERAND, &input, 0, 0, "a Matrix Market file"},
        {"times", 't', OPTION_INTEGER, &p.times, 1, 1e9,
         "how often to multiply"},
        {"output", 'o', OPTION_TEXT, &output, 0, 0,
         "where the result goes, if anywhere"},
        COMPARE_OPTIONS(measure),
        OPTIONS_END};

    options_read(argc, argv, "spmv",
                 "Multiplies a matrix by the vector (1, 1/2, 1/3, ...).",
                 options);
    FILE *report = output_prepare(output);
    matrix_read(&p.a, input);
    p.x = allocate(input, (size_t)p.a.columns, sizeof *p.x);
    p.y = allocate(input, (size_t)p.a.rows, sizeof *p.y);
    for (int i = 0; i < p.a.columns; i++)
        p.x[i] = 1.0 / (i + 1);
    struct kernel kernel = {"spmv", LOOPS, run, &p, p.y,
                            (size_t)p.a.rows * sizeof *p.y};
    compare(&kernel, &measure, report);
    if (output)
        write_vector(p.y, p.a.rows, output);
    matrix_destroy(&p.a);
    free(p.x);
    free(p.y);
    return finish();
}

/*
 * sparse.c - sparse matrix times vector, of three shapes.
 *
 * SPDX-License-Identifier: MIT
 *
 * The index is a row.  The product is taken several times, each time of the
 * product before, as solvers do; so a row that is left out shows.
 */
#include <stdlib.h>

#include "bench.h"
#include "rmat.h"

#define SEED 8
#define TIMES 11
#define BAND 15
#define THIN 8 /* entries of a row, where one row is dense */
#define DENSE_PART 20 /* the dense row has one in so many entries */
#define NEAR 4096 /* a thin row's entries are within so many columns */

enum shape { BANDED, RMAT, DENSE_ROW };

struct sparse {
    struct csr matrix;
    double *value;
    double *initial;   /* the first product is of it */
    double *result[2]; /* in turn */
    const double *from;
    double *to;
};

static bool make_banded(struct csr *m, int64_t rows)
{
    int64_t k = 0;

    if (!csr_alloc(m, rows, rows * BAND))
        return false;
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = r - BAND / 2; c <= r + BAND / 2; c++)
            if (c >= 0 && c < rows)
                m->column[k++] = (uint32_t)c;
        m->start[r + 1] = k;
    }
    csr_describe(m);
    return true;
}

/* The dense row is in the middle, its entries evenly spaced. */
static bool make_dense_row(struct csr *m, int64_t rows)
{
    int64_t dense = rows * THIN / (DENSE_PART - 1), k = 0;

    if (!csr_alloc(m, rows, rows * THIN + dense))
        return false;
    for (int64_t r = 0; r < rows; r++) {
        if (r == rows / 2)
            for (int64_t i = 0; i < dense; i++)
                m->column[k++] = (uint32_t)(i * rows / dense);
        else
            for (int i = 0; i < THIN; i++, k++)
                m->column[k] = (uint32_t)(
                    ((uint64_t)r + bench_random(SEED, (uint64_t)k) % NEAR) %
                    (uint64_t)rows);
        m->start[r + 1] = k;
    }
    csr_describe(m);
    return true;
}

static bool make_matrix(struct csr *m, enum bench_size size, int shape)
{
    bool quick = size == BENCH_QUICK;

    switch (shape) {
    case BANDED:
        return make_banded(m, quick ? 125000 : 1000000);
    case RMAT:
        return rmat_make(m, quick ? 15 : 18);
    default:
        return make_dense_row(m, quick ? 125000 : 1000000);
    }
}

/* A row adds up to about 1, so that products stay in range. */
static bool make_values(struct sparse *s)
{
    const struct csr *m = &s->matrix;

    s->value = bench_alloc((size_t)m->start[m->rows] * sizeof *s->value);
    s->initial = bench_alloc((size_t)m->rows * sizeof *s->initial);
    if (!s->value || !s->initial)
        return false;
    for (int64_t r = 0; r < m->rows; r++) {
        s->initial[r] = bench_uniform(SEED + 1, (uint64_t)r);
        for (int64_t k = m->start[r]; k < m->start[r + 1]; k++)
            s->value[k] = 2 * bench_uniform(SEED + 2, (uint64_t)k) /
                          (double)csr_length(m, r);
    }
    return true;
}

static void *prepare(enum bench_size size, int variant)
{
    struct sparse *s = bench_alloc(sizeof *s);

    if (!s)
        return NULL;
    if (make_matrix(&s->matrix, size, variant) && make_values(s))
        return s;
    bench_free(s->value);
    bench_free(s->initial);
    csr_free(&s->matrix);
    bench_free(s);
    return NULL;
}

static int begin(void *input, const struct bench_loop *loop)
{
    struct sparse *s = input;
    (void)loop;

    for (int i = 0; i < 2; i++) {
        s->result[i] = bench_alloc((size_t)s->matrix.rows * sizeof(double));
        if (!s->result[i])
            return -1;
    }
    return 0;
}

static void multiply_row(int64_t r, void *arg)
{
    struct sparse *s = arg;
    const struct csr *m = &s->matrix;
    double sum = 0;

    for (int64_t k = m->start[r]; k < m->start[r + 1]; k++)
        sum += s->value[k] * s->from[m->column[k]];
    s->to[r] = sum;
}

static double run(void *input, const struct bench_loop *loop)
{
    struct sparse *s = input;
    double begun = bench_now();

    s->from = s->initial;
    for (int i = 0; i < TIMES; i++) {
        s->to = s->result[i % 2];
        bench_for(loop, 0, s->matrix.rows, multiply_row, s);
        s->from = s->to;
    }
    return bench_now() - begun;
}

static double answer(void *input)
{
    struct sparse *s = input;
    double sum = 0;

    for (int64_t r = 0; r < s->matrix.rows; r++)
        sum += s->from[r];
    return sum;
}

#define SPMV(NAME, VARIANT, WHAT)                                              \
    {                                                                          \
        .name = NAME, .group = "suite", .form = "index", .what = WHAT,         \
        .unit = "ms", .scale = 1e3, .quick = true, .variant = VARIANT,         \
        .prepare = prepare, .begin = begin, .run = run, .answer = answer,      \
        .heaviest = csr_heaviest, .size = csr_size                             \
    }

const struct bench_kernel bench_sparse[] = {
    SPMV("spmv-banded", BANDED, "sparse matrix times vector: uniform rows"),
    SPMV("spmv-rmat", RMAT, "sparse matrix times vector: power law"),
    SPMV("spmv-dense-row", DENSE_ROW,
         "sparse matrix times vector: one index has 5% of the work"),
    {.name = NULL},
};

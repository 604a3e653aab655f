/*
 * dense.c - adjoint convolution and a symmetric product: triangles of work.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "suite.h"

struct dense {
    bench_index_fn *body;
    int64_t n, depth, width;
    const double *a, *b; /* n x depth; n, which syrk has no use for */
    double *product;     /* n x width */
    double *parts;       /* n: the sum of what an index has computed */
    char size[48];
};

/* product[i] = the sum of a[k] b[k - i], i <= k < n. */
static void adjoint_index(int64_t i, void *arg)
{
    struct dense *d = arg;
    double sum = 0;

    for (int64_t k = i; k < d->n; k++)
        sum += d->a[k] * d->b[k - i];
    d->product[i] = sum;
    d->parts[i] += sum;
}

/* The lower triangle of a times its transpose: a row of it. */
static void syrk_row(int64_t i, void *arg)
{
    struct dense *d = arg;
    const double *ai = d->a + i * d->depth;
    double total = 0;

    for (int64_t j = 0; j <= i; j++) {
        const double *aj = d->a + j * d->depth;
        double sum = 0;
        for (int64_t k = 0; k < d->depth; k++)
            sum += ai[k] * aj[k];
        d->product[i * d->width + j] = sum;
        total += sum;
    }
    d->parts[i] += total;
}

static double *random_array(int64_t count, uint64_t seed)
{
    double *array = bench_alloc((size_t)count * sizeof *array);

    if (array)
        for (int64_t i = 0; i < count; i++)
            array[i] = bench_uniform(seed, (uint64_t)i) + 0.5;
    return array;
}

enum { ADJOINT, SYRK };

static void *dense_prepare(enum bench_size size, int variant)
{
    struct dense *d = bench_alloc(sizeof *d);

    if (!d)
        return NULL;
    if (variant == ADJOINT) {
        d->body = adjoint_index;
        d->n = size == BENCH_QUICK ? 6000 : 24000;
        d->depth = d->width = 1;
        snprintf(d->size, sizeof d->size, "%d", (int)d->n);
    } else {
        d->body = syrk_row;
        d->n = d->width = size == BENCH_QUICK ? 512 : 2048;
        d->depth = 128;
        snprintf(d->size, sizeof d->size, "%d x %d", (int)d->n, (int)d->depth);
    }
    d->a = random_array(d->n * d->depth, 5);
    d->b = random_array(d->n, 6);
    return d->a && d->b ? d : NULL;
}

static int dense_begin(void *input, const struct bench_loop *loop)
{
    struct dense *d = input;

    (void)loop;
    d->product = bench_alloc((size_t)(d->n * d->width) * sizeof *d->product);
    d->parts = bench_alloc((size_t)d->n * sizeof *d->parts);
    return d->product && d->parts ? 0 : -1;
}

static double dense_run(void *input, const struct bench_loop *loop)
{
    struct dense *d = input;

    memset(d->parts, 0, (size_t)d->n * sizeof *d->parts);
    double start = bench_now();
    bench_for(loop, 0, d->n, d->body, d);
    return bench_now() - start;
}

static double dense_answer(void *input)
{
    const struct dense *d = input;

    return bench_checksum(d->parts, d->n);
}

static const char *dense_size(const void *input)
{
    return ((const struct dense *)input)->size;
}

#define DENSE(kernel, which, text)                                        \
    {                                                                     \
        .name = kernel, .group = "suite", .form = "index", .what = text,  \
        .unit = "ms", .scale = 1e3, .quick = true, .variant = which,      \
        .prepare = dense_prepare, .begin = dense_begin, .run = dense_run, \
        .answer = dense_answer, .size = dense_size                        \
    }

const struct bench_kernel bench_dense[] = {
    DENSE("adjoint", ADJOINT,
          "adjoint convolution: an index costs less than the one before"),
    DENSE("syrk", SYRK,
          "rows of a triangle: an index costs more than the one before"),
    {.name = NULL}};

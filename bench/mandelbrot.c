/*
 * mandelbrot.c - escape times: dear rows together, hundreds of times as dear.
 *
 * SPDX-License-Identifier: MIT
 *
 * The view is no wider than the set, but much higher, and the set is in its
 * first third: a row is in it for the most part, or escapes at once, and of two
 * equal shares the first is nearly all of the work.
 */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "suite.h"

enum { ITERATIONS = 1000 };

static const double left = -2, top = -4, width = 2.5, height = 17;

struct mandelbrot {
    int64_t n;       /* pixels in a row, and rows */
    uint16_t *times; /* n x n */
    double *parts;   /* a row: the sum of its times */
    char size[48];
};

static int escape_time(double cx, double cy)
{
    double x = 0, y = 0;
    int i = 0;

    while (i < ITERATIONS && x * x + y * y <= 4) {
        double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        i++;
    }
    return i;
}

static void mandelbrot_row(int64_t y, void *arg)
{
    struct mandelbrot *m = arg;
    double cy = top + height * (double)y / (double)m->n;
    int64_t total = 0;

    for (int64_t x = 0; x < m->n; x++) {
        double cx = left + width * (double)x / (double)m->n;
        int time = escape_time(cx, cy);
        m->times[y * m->n + x] = (uint16_t)time;
        total += time;
    }
    m->parts[y] += (double)total;
}

static void *mandelbrot_prepare(enum bench_size size, int variant)
{
    struct mandelbrot *m = bench_alloc(sizeof *m);

    (void)variant;
    if (!m)
        return NULL;
    m->n = size == BENCH_QUICK ? 512 : 2048;
    snprintf(m->size, sizeof m->size, "%d x %d", (int)m->n, (int)m->n);
    return m;
}

static int mandelbrot_begin(void *input, const struct bench_loop *loop)
{
    struct mandelbrot *m = input;

    (void)loop;
    m->times = bench_alloc((size_t)(m->n * m->n) * sizeof *m->times);
    m->parts = bench_alloc((size_t)m->n * sizeof *m->parts);
    return m->times && m->parts ? 0 : -1;
}

static double mandelbrot_run(void *input, const struct bench_loop *loop)
{
    struct mandelbrot *m = input;

    memset(m->parts, 0, (size_t)m->n * sizeof *m->parts);
    double start = bench_now();
    bench_for(loop, 0, m->n, mandelbrot_row, m);
    return bench_now() - start;
}

static double mandelbrot_answer(void *input)
{
    const struct mandelbrot *m = input;

    return bench_checksum(m->parts, m->n);
}

static const char *mandelbrot_size(const void *input)
{
    return ((const struct mandelbrot *)input)->size;
}

const struct bench_kernel bench_mandelbrot[] = {
    {.name = "mandelbrot",
     .group = "suite",
     .form = "index",
     .what = "rows hundreds of times as dear as others, and all together",
     .unit = "ms",
     .scale = 1e3,
     .quick = true,
     .prepare = mandelbrot_prepare,
     .begin = mandelbrot_begin,
     .run = mandelbrot_run,
     .answer = mandelbrot_answer,
     .size = mandelbrot_size},
    {.name = NULL}};

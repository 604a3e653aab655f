/*
 * stencil.c - Jacobi's five points, a 5 x 5 box blur, a 5 x 5 median: rows.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "suite.h"

/*
 * Jacobi: each sweep replaces every point by the mean of its neighbours.
 *
 * A small grid is swept so fast that the sweeps' joins are what costs; of a
 * large one, the memory, and whether a worker gets the rows again that it had.
 */
struct jacobi {
    int64_t n; /* points in a row, and rows; a frame of fixed ones around */
    int sweeps;
    double *from, *to; /* (n + 2) x (n + 2) */
    double *done;      /* a row: how often it was swept */
    char size[48];
};

enum { SMALL, LARGE };

static void *jacobi_prepare(enum bench_size size, int variant)
{
    static const struct { int n, sweeps; } shapes[2][2] = {
        [SMALL] = {[BENCH_QUICK] = {256, 400}, [BENCH_FULL] = {256, 4000}},
        [LARGE] = {[BENCH_QUICK] = {1024, 20}, [BENCH_FULL] = {8192, 4}}};
    struct jacobi *j = bench_alloc(sizeof *j);

    if (!j)
        return NULL;
    j->n = shapes[variant][size].n;
    j->sweeps = shapes[variant][size].sweeps;
    while (!bench_room(2 * sizeof(double) * (double)(j->n * j->n)))
        j->n /= 2;
    snprintf(j->size, sizeof j->size, "%d x %d, %d sweeps", (int)j->n,
             (int)j->n, j->sweeps);
    return j;
}

static void jacobi_reset_row(int64_t y, void *arg)
{
    struct jacobi *j = arg;

    for (int64_t i = y * (j->n + 2); i < (y + 1) * (j->n + 2); i++)
        j->from[i] = j->to[i] = bench_uniform(3, (uint64_t)i);
    j->done[y] = 0;
}

static int jacobi_begin(void *input, const struct bench_loop *loop)
{
    struct jacobi *j = input;
    int64_t rows = j->n + 2;

    j->from = bench_alloc((size_t)(rows * rows) * sizeof(double));
    j->to = bench_alloc((size_t)(rows * rows) * sizeof(double));
    j->done = bench_alloc((size_t)rows * sizeof *j->done);
    if (!j->from || !j->to || !j->done)
        return -1;
    bench_for(loop, 0, rows, jacobi_reset_row, j); /* touches them */
    return 0;
}

static void jacobi_row(int64_t y, void *arg)
{
    struct jacobi *j = arg;
    int64_t n = j->n;
    const double *above = j->from + (y - 1) * (n + 2);
    const double *here = above + n + 2;
    const double *below = here + n + 2;
    double *to = j->to + y * (n + 2);

    for (int64_t x = 1; x <= n; x++)
        to[x] = 0.25 * (above[x] + below[x] + here[x - 1] + here[x + 1]);
    j->done[y]++;
}

static double jacobi_run(void *input, const struct bench_loop *loop)
{
    struct jacobi *j = input;

    bench_for(loop, 0, j->n + 2, jacobi_reset_row, j);
    double start = bench_now();
    for (int i = 0; i < j->sweeps; i++) {
        bench_for(loop, 1, j->n + 1, jacobi_row, j);
        double *swept = j->to;
        j->to = j->from;
        j->from = swept;
    }
    return bench_now() - start;
}

static double jacobi_answer(void *input)
{
    const struct jacobi *j = input;
    double sum = bench_checksum(j->done, j->n + 2);

    for (int64_t y = 1; y <= j->n; y++) {
        double row = 0;
        for (int64_t x = 1; x <= j->n; x++)
            row += j->from[y * (j->n + 2) + x];
        sum += bench_weight(y) * row;
    }
    return sum;
}

static const char *jacobi_size(const void *input)
{
    return ((const struct jacobi *)input)->size;
}

/*
 * Filters of a picture of 16-bit pixels: smooth, but with salt and pepper on a
 * part of it.
 */
struct filter {
    bench_index_fn *row;
    int64_t n;      /* pixels in a row, and rows */
    uint16_t *from; /* (n + 4) x (n + 4): the edges are there already */
    uint16_t *to;   /* n x n */
    double *parts;  /* a row: the sum of its pixels */
    char size[48];
};

static uint16_t picture(int64_t x, int64_t y, int64_t n)
{
    double u = (double)x / (double)n - 0.4, v = (double)y / (double)n - 0.3;
    double hill = 1 / (1 + 40 * (u * u + v * v));
    double slope = 0.5 + 0.3 * u - 0.2 * v;
    double noise = bench_uniform(4, (uint64_t)(y * (n + 4) + x));

    if (v > 0.3 && u + v > 0.4 && noise < 0.4)
        return noise < 0.2 ? 0 : 65535;
    return (uint16_t)(40000 * hill + 20000 * slope + 200 * noise);
}

static void box_row(int64_t y, void *arg)
{
    struct filter *f = arg;
    int64_t width = f->n + 4;
    int64_t total = 0;

    for (int64_t x = 0; x < f->n; x++) {
        const uint16_t *corner = f->from + y * width + x;
        uint32_t sum = 0;
        for (int64_t dy = 0; dy < 5; dy++)
            for (int64_t dx = 0; dx < 5; dx++)
                sum += corner[dy * width + dx];
        f->to[y * f->n + x] = (uint16_t)(sum / 25);
        total += sum / 25;
    }
    f->parts[y] += (double)total;
}

/* The middle one of 25, by Hoare's find: which is soon done where the pixel in
   the middle is about the median, and not so where it is salt or pepper. */
static uint16_t median_of_25(uint16_t *v)
{
    int low = 0, high = 24;

    while (low < high) {
        uint16_t pivot = v[12];
        int i = low, j = high;
        while (i <= j) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i <= j) {
                uint16_t swapped = v[i];
                v[i++] = v[j];
                v[j--] = swapped;
            }
        }
        if (j < 12)
            low = i;
        if (i > 12)
            high = j;
    }
    return v[12];
}

static void median_row(int64_t y, void *arg)
{
    struct filter *f = arg;
    int64_t width = f->n + 4;
    int64_t total = 0;

    for (int64_t x = 0; x < f->n; x++) {
        const uint16_t *corner = f->from + y * width + x;
        uint16_t window[25];
        for (int dy = 0; dy < 5; dy++)
            memcpy(window + 5 * dy, corner + dy * width, 5 * sizeof *window);
        uint16_t median = median_of_25(window);
        f->to[y * f->n + x] = median;
        total += median;
    }
    f->parts[y] += (double)total;
}

enum { BOX, MEDIAN };

static void *filter_prepare(enum bench_size size, int variant)
{
    static const int widths[2][2] = {
        [BOX] = {[BENCH_QUICK] = 1024, [BENCH_FULL] = 4096},
        [MEDIAN] = {[BENCH_QUICK] = 384, [BENCH_FULL] = 1024}};
    struct filter *f = bench_alloc(sizeof *f);

    if (!f)
        return NULL;
    f->row = variant == BOX ? box_row : median_row;
    f->n = widths[variant][size];
    size_t width = (size_t)f->n + 4;
    f->from = bench_alloc(width * width * sizeof *f->from);
    if (!f->from)
        return NULL;
    for (int64_t y = 0; y < f->n + 4; y++)
        for (int64_t x = 0; x < f->n + 4; x++)
            f->from[y * (f->n + 4) + x] = picture(x, y, f->n);
    snprintf(f->size, sizeof f->size, "%d x %d", (int)f->n, (int)f->n);
    return f;
}

static int filter_begin(void *input, const struct bench_loop *loop)
{
    struct filter *f = input;

    (void)loop;
    f->to = bench_alloc((size_t)(f->n * f->n) * sizeof *f->to);
    f->parts = bench_alloc((size_t)f->n * sizeof *f->parts);
    return f->to && f->parts ? 0 : -1;
}

static double filter_run(void *input, const struct bench_loop *loop)
{
    struct filter *f = input;

    memset(f->parts, 0, (size_t)f->n * sizeof *f->parts);
    double start = bench_now();
    bench_for(loop, 0, f->n, f->row, f);
    return bench_now() - start;
}

static double filter_answer(void *input)
{
    const struct filter *f = input;

    return bench_checksum(f->parts, f->n);
}

static const char *filter_size(const void *input)
{
    return ((const struct filter *)input)->size;
}

#define STENCIL(kernel, stencil, which, text)                                 \
    {                                                                         \
        .name = kernel, .group = "suite", .form = "index", .what = text,      \
        .unit = "ms", .scale = 1e3, .quick = true, .variant = which,          \
        .prepare = stencil##_prepare, .begin = stencil##_begin,               \
        .run = stencil##_run, .answer = stencil##_answer,                     \
        .size = stencil##_size                                                \
    }

const struct bench_kernel bench_stencil[] = {
    STENCIL("jacobi-small", jacobi, SMALL,
            "many sweeps of a grid within a cache: the rate of joins"),
    STENCIL("jacobi-large", jacobi, LARGE,
            "few sweeps of a grid beyond the caches: the same share again"),
    STENCIL("box-blur", filter, BOX, "5 x 5 mean: rows that cost the same"),
    STENCIL("median", filter, MEDIAN,
            "5 x 5 median: a row costs what its noise makes it cost"),
    {.name = NULL}};

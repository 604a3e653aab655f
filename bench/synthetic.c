/*
 * synthetic.c - loads by formula: what each index costs is known beforehand.
 *
 * SPDX-License-Identifier: MIT
 *
 * Kernel 14 of the suite.  The body spins for the number of turns that stands
 * in a table; the shapes are those that a static split, a halving one or a
 * falling chunk size is bad at.
 */
#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "suite.h"

#define FULL_NS 100e6 /* of the whole loop, serially */
#define QUICK_NS 20e6

enum shape {
    CONSTANT, UP, DOWN, EXPONENTIAL, LOGNORMAL, PARETO, FIRST, LAST, HOT
};

struct synthetic {
    int64_t n;
    double heaviest; /* part of the whole */
    uint32_t *turns;
    unsigned char *done; /* how often an index ran, modulo 256 */
    unsigned char expected;
    char size[48];
};

/* The cost of index i of n, in means. */
static double cost(enum shape shape, int64_t i, int64_t n)
{
    double x = ((double)i + 0.5) / (double)n, u = bench_uniform(14, (uint64_t)i);
    double v = bench_uniform(15, (uint64_t)i);

    switch (shape) {
    case CONSTANT: return 1;
    case UP: return 2 * x;
    case DOWN: return 2 * (1 - x);
    case EXPONENTIAL: return -log(1 - u);
    case LOGNORMAL: /* sigma 1.5, by Box and Muller */
        return exp(1.5 * sqrt(-2 * log(1 - u)) * cos(6.283185307 * v) - 1.125);
    case PARETO: /* alpha 1.5 */
        return pow(1 - u, -1 / 1.5) / 3;
    case FIRST: return i == 0 ? (double)n / 8 : 0.875;
    case LAST: return i == n - 1 ? (double)n / 8 : 0.875;
    case HOT: /* a tenth of the indices has nine tenths of the work */
        return x >= 0.3 && x < 0.4 ? 9 : 1.0 / 9;
    }
    return 0;
}

/* A variant is a shape times three means. */
static const double means[] = { 50, 1000, 50000 };

static void *prepare(enum bench_size size, int variant)
{
    struct synthetic *s = bench_alloc(sizeof *s);
    enum shape shape = (enum shape)(variant / 3);
    double mean = means[variant % 3], sum = 0, most = 0;

    if (!s)
        return NULL;
    s->n = (int64_t)((size == BENCH_QUICK ? QUICK_NS : FULL_NS) / mean);
    s->turns = bench_alloc((size_t)s->n * sizeof *s->turns);
    s->done = bench_alloc((size_t)s->n);
    if (!s->turns || !s->done)
        return NULL;
    for (int64_t i = 0; i < s->n; i++) {
        double c = cost(shape, i, s->n);

        s->turns[i] = bench_turns(c * mean);
        sum += c;
        most = c > most ? c : most;
    }
    s->heaviest = most / sum;
    snprintf(s->size, sizeof s->size, "%lld indices", (long long)s->n);
    return s;
}

static void body(int64_t i, void *arg)
{
    struct synthetic *s = arg;

    bench_spin(s->turns[i]);
    s->done[i]++;
}

static double run(void *input, const struct bench_loop *loop)
{
    struct synthetic *s = input;
    double start = bench_now();

    bench_for(loop, 0, s->n, body, s);
    s->expected++;
    return bench_now() - start;
}

static double answer(void *input)
{
    const struct synthetic *s = input;

    return bench_marked(s->done, s->n, s->expected);
}

static double heaviest(const void *input)
{
    return ((const struct synthetic *)input)->heaviest;
}

static const char *size_of(const void *input)
{
    return ((const struct synthetic *)input)->size;
}

#define SYNTHETIC(shape, title, mean, m, text, in_quick)                       \
    { .name = title "-" mean, .group = "suite", .form = "index", .unit = "ms", \
      .scale = 1e3, .what = text ", mean " mean, .quick = in_quick,            \
      .variant = (shape)*3 + (m), .prepare = prepare, .run = run,              \
      .answer = answer, .heaviest = heaviest, .size = size_of }

#define SHAPE(shape, title, text)                                              \
    SYNTHETIC(shape, title, "50ns", 0, text, false),                           \
    SYNTHETIC(shape, title, "1us", 1, text, true),                             \
    SYNTHETIC(shape, title, "50us", 2, text, false)

const struct bench_kernel bench_synthetic[] = {
    SHAPE(CONSTANT, "constant", "all indices alike"),
    SHAPE(UP, "up", "rising linearly"),
    SHAPE(DOWN, "down", "falling linearly"),
    SHAPE(EXPONENTIAL, "exponential", "exponential at random"),
    SHAPE(LOGNORMAL, "lognormal", "lognormal at random, sigma 1.5"),
    SHAPE(PARETO, "pareto", "Pareto at random, alpha 1.5"),
    SHAPE(FIRST, "first-heavy", "the first index has an eighth of the work"),
    SHAPE(LAST, "last-heavy", "the last index has an eighth of the work"),
    SHAPE(HOT, "hot", "a tenth of the indices has nine tenths of the work"),
    { .name = NULL },
};

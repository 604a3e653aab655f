/*
 * curves.c - two series: by the cost of a body, and by the number of indices.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "bench.h"
#include "suite.h"

#define FULL_NS 20e6 /* of a loop by body cost, serially */
#define QUICK_NS 5e6
#define LOOPS 100 /* of a run by number of indices ... */
#define LOOPS_INDICES 100000 /* ... or fewer, where these are many */
#define MOST_INDICES 8000000

struct curve {
    int64_t n;
    int loops;
    uint32_t turns;
    unsigned char *done; /* how often an index ran, modulo 256 */
    unsigned char expected;
};

static void mark(int64_t i, void *arg)
{
    struct curve *c = arg;

    bench_spin(c->turns);
    c->done[i]++;
}

static struct curve *make(int64_t n, int loops, uint32_t turns)
{
    struct curve *c = bench_alloc(sizeof *c);

    if (!c)
        return NULL;
    c->n = n < MOST_INDICES ? n : MOST_INDICES;
    c->loops = loops;
    c->turns = turns;
    c->done = bench_alloc((size_t)c->n);
    return c->done ? c : NULL;
}

/* variant: the body's cost in ns */
static void *prepare_body(enum bench_size size, int variant)
{
    double whole = size == BENCH_QUICK ? QUICK_NS : FULL_NS;

    return make((int64_t)(whole / variant), 1, bench_turns(variant));
}

/* variant: the number of indices */
static void *prepare_trips(enum bench_size size, int variant)
{
    int loops = LOOPS_INDICES / variant;

    (void)size;
    return make(variant, loops < 1 ? 1 : loops > LOOPS ? LOOPS : loops, 0);
}

static double run(void *input, const struct bench_loop *loop)
{
    struct curve *c = input;
    double start = bench_now();

    for (int k = 0; k < c->loops; k++)
        bench_for(loop, 0, c->n, mark, c);
    c->expected = (unsigned char)(c->expected + c->loops);
    return bench_now() - start;
}

/* In seconds of a worker, so that the serial loop's is the body's own time. */
static double run_workers(void *input, const struct bench_loop *loop)
{
    return run(input, loop) * loop->workers;
}

static double answer(void *input)
{
    const struct curve *c = input;

    return bench_marked(c->done, c->n, c->expected);
}

static double body_scale(const void *input)
{
    return 1e9 / (double)((const struct curve *)input)->n;
}

static double trips_scale(const void *input)
{
    return 1e6 / ((const struct curve *)input)->loops;
}

#define BODY(ns, in_quick)                                                     \
    { .name = "body-" #ns, .group = "body", .form = "index",                   \
      .unit = "ns of a worker", .scale_of = body_scale, .x = ns,               \
      .what = "equal indices of " #ns " ns", .quick = in_quick, .variant = ns, \
      .prepare = prepare_body, .run = run_workers, .answer = answer }

#define TRIPS(count, in_quick)                                                 \
    { .name = "trips-" #count, .group = "trips", .form = "index",              \
      .unit = "us a loop", .scale_of = trips_scale, .x = count,                \
      .what = "loops of " #count " indices that only mark themselves",         \
      .quick = in_quick, .variant = count, .prepare = prepare_trips,           \
      .run = run, .answer = answer }

const struct bench_kernel bench_curves[] = {
    BODY(1, true),       BODY(3, false),      BODY(10, true),
    BODY(30, false),     BODY(100, true),     BODY(300, false),
    BODY(1000, true),    BODY(3000, false),   BODY(10000, true),
    BODY(30000, false),  BODY(100000, true),  TRIPS(1, false),
    TRIPS(2, true),      TRIPS(4, false),     TRIPS(16, false),
    TRIPS(64, true),     TRIPS(256, false),   TRIPS(1000, true),
    TRIPS(4000, false),  TRIPS(10000, true),  TRIPS(100000, true),
    TRIPS(1000000, true),
    { .name = NULL },
};

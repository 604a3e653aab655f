/*
 * stream.c - triad and saxpy: as fast as memory is, or as a loop's own code.
 *
 * SPDX-License-Identifier: MIT
 *
 * All values are integers small enough for the arithmetic to be exact.
 */
#include <stdatomic.h>
#include <stdio.h>

#include "bench.h"
#include "inlined.h"
#include "suite.h"

/* The arrays are touched first by the loop's own workers, so many elements an
   index: one by one, some schedules would take minutes. */
enum { BLOCK = 512 };

/* With fn through the pointer, without it inlined. */
static void run_loop(const struct bench_loop *loop, enum bench_inlined body,
                     bench_index_fn *fn, int64_t n, void *arg)
{
    if (fn)
        bench_for(loop, 0, n, fn, arg);
    else
        loop->runtime->inlined(loop->schedule, body, 0, n, arg);
}

/* Triad. */

struct triad {
    struct bench_triad body;
    double *b, *c;      /* the body's */
    bench_index_fn *fn; /* NULL: inlined */
    int64_t n;
    char size[48];
};

/* The variants: through a pointer, inlined, and with a store more. */
enum { PLAIN, INLINED, STORE };

/* What an owner of tweed's does for each index, done by all: a store to a word of
   this thread's alone. */
static _Thread_local _Alignas(64) _Atomic uint32_t taken;

static void triad_and_store(int64_t i, void *arg)
{
    bench_triad_index(i, arg);
    atomic_store_explicit(&taken, (uint32_t)i, memory_order_relaxed);
}

static void *triad_prepare(enum bench_size size, int variant)
{
    struct triad *t = bench_alloc(sizeof *t);

    if (!t)
        return NULL;
    t->fn = variant == INLINED ? NULL
            : variant == STORE ? triad_and_store
                               : bench_triad_index;
    t->n = size == BENCH_QUICK ? 1 << 21 : 1 << 27;
    while (!bench_room(3 * sizeof(double) * (double)t->n))
        t->n /= 2;
    snprintf(t->size, sizeof t->size, "3 x %lld MiB%s", (long long)t->n >> 17,
             size == BENCH_FULL && t->n < 1 << 27 ? " (little memory)" : "");
    return t;
}

static void triad_touch(int64_t block, void *arg)
{
    struct triad *t = arg;

    for (int64_t i = block * BLOCK; i < (block + 1) * BLOCK; i++) {
        t->body.a[i] = 0;
        t->b[i] = (double)(i % 1000);
        t->c[i] = (double)(i % 999 + 1);
    }
}

static int triad_begin(void *input, const struct bench_loop *loop)
{
    struct triad *t = input;

    t->body.a = bench_alloc((size_t)t->n * sizeof(double));
    t->body.b = t->b = bench_alloc((size_t)t->n * sizeof(double));
    t->body.c = t->c = bench_alloc((size_t)t->n * sizeof(double));
    if (!t->body.a || !t->b || !t->c)
        return -1;
    bench_for(loop, 0, t->n / BLOCK, triad_touch, t);
    return 0;
}

/* Each run has its own s, lest what an earlier one has left in `a` pass for the
   result of this one. */
static double triad_run(void *input, const struct bench_loop *loop)
{
    struct triad *t = input;

    t->body.s++;
    double start = bench_now();
    run_loop(loop, BENCH_TRIAD, t->fn, t->n, &t->body);
    return bench_now() - start;
}

/* An index that ran twice is not seen here: it does no harm to a triad. */
static double triad_answer(void *input)
{
    struct triad *t = input;
    double sum = 0;

    for (int64_t i = 0; i < t->n; i++)
        sum += bench_weight(i) * ((t->body.a[i] - t->b[i]) / t->body.s);
    return sum;
}

static const char *triad_size(const void *input)
{
    return ((const struct triad *)input)->size;
}

/* Saxpy. */

/* So many times a run; no more, because a schedule that deals out single
   indices takes a hundred times as long. */
enum { REPEATS = 4 };

struct saxpy {
    struct bench_saxpy body;
    float *x;           /* the body's */
    bench_index_fn *fn; /* NULL: inlined */
    int64_t n;
    double added; /* x has been added to y so many times */
    char size[48];
};

static void *saxpy_prepare(enum bench_size size, int inlined)
{
    struct saxpy *t = bench_alloc(sizeof *t);

    if (!t)
        return NULL;
    t->fn = inlined ? NULL : bench_saxpy_index;
    t->n = size == BENCH_QUICK ? 1 << 20 : 1 << 22;
    snprintf(t->size, sizeof t->size, "2 x %lld MiB, %d times",
             (long long)t->n >> 18, REPEATS);
    return t;
}

static void saxpy_touch(int64_t block, void *arg)
{
    struct saxpy *t = arg;

    for (int64_t i = block * BLOCK; i < (block + 1) * BLOCK; i++) {
        t->body.y[i] = 0;
        t->x[i] = (float)(i % 7 + 1);
    }
}

static int saxpy_begin(void *input, const struct bench_loop *loop)
{
    struct saxpy *t = input;

    t->body.s = 1;
    t->body.y = bench_alloc((size_t)t->n * sizeof(float));
    t->body.x = t->x = bench_alloc((size_t)t->n * sizeof(float));
    if (!t->body.y || !t->x)
        return -1;
    bench_for(loop, 0, t->n / BLOCK, saxpy_touch, t);
    return 0;
}

/* A run goes on from what the last has left: what it costs is the same, and y
   stays exact for two million repeats. */
static double saxpy_run(void *input, const struct bench_loop *loop)
{
    struct saxpy *t = input;
    double start = bench_now();

    for (int i = 0; i < REPEATS; i++)
        run_loop(loop, BENCH_SAXPY, t->fn, t->n, &t->body);
    t->added += REPEATS;
    return bench_now() - start;
}

static double saxpy_answer(void *input)
{
    struct saxpy *t = input;
    double sum = 0;

    for (int64_t i = 0; i < t->n; i++)
        sum += bench_weight(i) * ((double)t->body.y[i] / t->added);
    return sum;
}

static const char *saxpy_size(const void *input)
{
    return ((const struct saxpy *)input)->size;
}

#define STREAM(stream, how, inline, text)                                 \
    {                                                                     \
        .name = #stream, .group = "suite", .form = how, .what = text,     \
        .unit = "ms", .scale = 1e3, .needs = inline * BENCH_NEED_INLINED, \
        .quick = true, .variant = inline, .prepare = stream##_prepare,    \
        .begin = stream##_begin, .run = stream##_run,                     \
        .answer = stream##_answer, .size = stream##_size                  \
    }

static const char triad_what[] =
    "a = b + s c on arrays that fit no cache: bandwidth, affinity, order";
static const char saxpy_what[] = "y += s x: the cost of an index, and affinity";

const struct bench_kernel bench_stream[] = {
    STREAM(triad, "index", 0, triad_what),
    STREAM(triad, "inlined", 1, triad_what),
    {.name = "triad-store",
     .group = "overhead",
     .form = "index",
     .what = "triad, where each index also stores to a word of its thread",
     .unit = "ms",
     .scale = 1e3,
     .quick = true,
     .variant = STORE,
     .prepare = triad_prepare,
     .begin = triad_begin,
     .run = triad_run,
     .answer = triad_answer,
     .size = triad_size},
    STREAM(saxpy, "index", 0, saxpy_what),
    STREAM(saxpy, "inlined", 1, saxpy_what),
    {.name = NULL}};

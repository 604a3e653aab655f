/*
 * inlined.h - the bodies that are also compiled into the runtimes' own loops.
 *
 * SPDX-License-Identifier: MIT
 *
 * One body an index, for C and C++, and the same over a range.  A loop gives the
 * body a copy of the struct that is its own: a store to a double or float could
 * otherwise change `s`, for all that the compiler knows, and it would have to be
 * loaded anew for each index.
 */
#ifndef BENCH_INLINED_H
#define BENCH_INLINED_H

#include <stdint.h>

typedef void bench_range_fn(int64_t begin, int64_t end, void *arg);

struct bench_triad {
    double *a;
    const double *b, *c;
    double s;
};

struct bench_saxpy {
    float *y;
    const float *x;
    float s;
};

static inline void bench_noop_index(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
    __asm__ volatile(""); /* or the loop would be removed */
}

static inline void bench_triad_index(int64_t i, void *arg)
{
    const struct bench_triad *t = (const struct bench_triad *)arg;

    t->a[i] = t->b[i] + t->s * t->c[i];
}

static inline void bench_saxpy_index(int64_t i, void *arg)
{
    const struct bench_saxpy *t = (const struct bench_saxpy *)arg;

    t->y[i] += t->s * t->x[i];
}

static inline void bench_noops(int64_t begin, int64_t end, void *arg)
{
    for (int64_t i = begin; i < end; i++)
        bench_noop_index(i, arg);
}

static inline void bench_triads(int64_t begin, int64_t end, void *arg)
{
    struct bench_triad own = *(const struct bench_triad *)arg;

    for (int64_t i = begin; i < end; i++)
        bench_triad_index(i, &own);
}

static inline void bench_saxpys(int64_t begin, int64_t end, void *arg)
{
    struct bench_saxpy own = *(const struct bench_saxpy *)arg;

    for (int64_t i = begin; i < end; i++)
        bench_saxpy_index(i, &own);
}

#endif

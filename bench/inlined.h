/*
 * inlined.h - the bodies that are also compiled into the runtimes' own loops.
 *
 * SPDX-License-Identifier: MIT
 *
 * One body an index, for C and C++.  A module that has a loop inlined gives it
 * a copy of the struct that is the loop's own: a store to a double or float
 * could otherwise change `s`, for all that the compiler knows, and it would
 * have to be loaded anew for each index.
 */
#ifndef BENCH_INLINED_H
#define BENCH_INLINED_H

#include <stdint.h>

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

#endif

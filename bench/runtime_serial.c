/*
 * runtime_serial.c - no runtime at all: what the others are compared with.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "bench.h"
#include "inlined.h"

static void version(char *text, size_t size)
{
    snprintf(text, size, "one thread");
}

static int start(int workers)
{
    (void)workers;
    return 0;
}

static void index_loop(int schedule, int64_t lo, int64_t hi, bench_index_fn *fn,
                       void *arg)
{
    (void)schedule;
    for (int64_t i = lo; i < hi; i++)
        fn(i, arg);
}

static void inlined_loop(int schedule, enum bench_inlined body, int64_t lo,
                         int64_t hi, void *arg)
{
    (void)schedule;
    switch (body) {
    case BENCH_NOOP:
        bench_noops(lo, hi, arg);
        break;
    case BENCH_TRIAD:
        bench_triads(lo, hi, arg);
        break;
    case BENCH_SAXPY:
        bench_saxpys(lo, hi, arg);
        break;
    }
}

static int worker(void)
{
    return 0;
}

static const char *const schedules[] = { "default", NULL };

const struct bench_runtime bench_runtime = {
    .name = "serial",
    .schedules = schedules,
    .nests = true,
    .callers = true,
    .version = version,
    .start = start,
    .index = index_loop,
    .inlined = inlined_loop,
    .worker = worker,
};

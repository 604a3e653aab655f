/*
 * runtime_openmp.c - OpenMP: built by gcc it is libgomp, by clang libomp.
 *
 * SPDX-License-Identifier: MIT
 *
 * The schedules are written out, not schedule(runtime), which would cost the
 * static ones a call: what is compared is what a user would write.
 */
#include <omp.h>
#include <stdio.h>

#include "bench.h"
#include "inlined.h"

/* The order of schedules[]. */
enum { STATIC, DYNAMIC, GUIDED };

static void version(char *text, size_t size)
{
#ifdef __clang__
    snprintf(text, size, "clang %s, OpenMP %d", __clang_version__, _OPENMP);
#else
    snprintf(text, size, "gcc %s, OpenMP %d", __VERSION__, _OPENMP);
#endif
}

static int start(int workers)
{
    int started = 0;

    omp_set_dynamic(0);
    omp_set_num_threads(workers);
#pragma omp parallel reduction(+ : started)
    started = 1;
    return started == workers ? 0 : -1; /* OMP_THREAD_LIMIT may forbid it */
}

#define PRAGMA(text) _Pragma(#text)

/* A loop under each of the three schedules. */
#define SCHEDULED(schedule, lo, hi, data, call)                                \
    switch (schedule) {                                                        \
    case STATIC:                                                               \
        PRAGMA(omp parallel for schedule(static) firstprivate(data))           \
        for (int64_t i = lo; i < hi; i++)                                      \
            call;                                                              \
        break;                                                                 \
    case DYNAMIC:                                                              \
        PRAGMA(omp parallel for schedule(dynamic, 1) firstprivate(data))       \
        for (int64_t i = lo; i < hi; i++)                                      \
            call;                                                              \
        break;                                                                 \
    case GUIDED:                                                               \
        PRAGMA(omp parallel for schedule(guided) firstprivate(data))           \
        for (int64_t i = lo; i < hi; i++)                                      \
            call;                                                              \
        break;                                                                 \
    }

static void index_loop(int schedule, int64_t lo, int64_t hi, bench_index_fn *fn,
                       void *arg)
{
    SCHEDULED(schedule, lo, hi, fn, fn(i, arg))
}

static void inlined_loop(int schedule, enum bench_inlined body, int64_t lo,
                         int64_t hi, void *arg)
{
    switch (body) {
    case BENCH_NOOP: {
        SCHEDULED(schedule, lo, hi, arg, bench_noop_index(i, arg))
        break;
    }
    case BENCH_TRIAD: {
        struct bench_triad t = *(struct bench_triad *)arg;

        SCHEDULED(schedule, lo, hi, t, bench_triad_index(i, &t))
        break;
    }
    case BENCH_SAXPY: {
        struct bench_saxpy t = *(struct bench_saxpy *)arg;

        SCHEDULED(schedule, lo, hi, t, bench_saxpy_index(i, &t))
        break;
    }
    }
}

static const char *const schedules[] = { "static", "dynamic,1", "guided", NULL };

const struct bench_runtime bench_runtime = {
#ifdef __clang__
    .name = "libomp",
#else
    .name = "libgomp",
#endif
    .schedules = schedules,
    .nests = true,
    .callers = true,
    .version = version,
    .start = start,
    .index = index_loop,
    .inlined = inlined_loop,
    .worker = omp_get_thread_num,
};

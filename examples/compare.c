/*
 * compare.c - runs a kernel serially, with OpenMP and with tweed; checks that
 * the answers are the same and prints the times.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700

#include "compare.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tweed.h>
#ifdef _OPENMP
#include <omp.h>
#endif

static const char *const variant_name[NUM_VARIANTS] = {
    [SERIAL] = "serial",
    [TWEED] = "tweed",
    [OPENMP_STATIC] = "OpenMP static",
    [OPENMP_DYNAMIC] = "OpenMP dynamic",
    [OPENMP_TASKS] = "OpenMP tasks",
};

static bool has_variant(const struct kernel *kernel, int variant)
{
#ifdef _OPENMP
    if (variant >= OPENMP_STATIC)
        return (variant == OPENMP_TASKS) == (kernel->made_of == TASKS);
#else
    (void)kernel;
#endif
    return variant < OPENMP_STATIC;
}

/*
 * An idle runtime spins before it sleeps, on CPUs that the next variant needs:
 * libgomp for about 3 ms, LLVM's for 200 ms.  OpenMP's variants share one runtime and
 * come last, so that the long pause is due once a round.
 */
#if defined(_OPENMP) && defined(__clang__)
enum { pause_after_round_ms = 220 };
#else
enum { pause_after_round_ms = 15 };
#endif
enum { pause_ms = 15 };

struct run {
    double seconds;
    uint64_t steals;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pause_for(int ms)
{
    struct timespec t = {0, ms * 1000000L};
    nanosleep(&t, NULL);
}

static uint64_t steals_so_far(void)
{
    tweed_stats stats = TWEED_STATS_INIT;

    if (tweed_stats_get(NULL, -1, &stats) != TWEED_OK)
        return 0;
    return stats.steals_near + stats.steals_far + stats.tasks_stolen_near +
           stats.tasks_stolen_far;
}

/* One run of one variant, from a result that is wrong on purpose. */
static struct run run_once(const struct kernel *kernel, enum variant variant)
{
    struct run run;

    memset(kernel->result, 0xa5, kernel->result_bytes);
    pause_for(pause_ms);
    uint64_t steals = steals_so_far();
    double start = now();
    kernel->run(variant, kernel->state);
    run.seconds = now() - start;
    run.steals = steals_so_far() - steals;
    return run;
}

static void check(const struct kernel *kernel, enum variant variant,
                  const unsigned char *expected)
{
    const unsigned char *result = kernel->result;
    size_t i = 0;

    if (memcmp(result, expected, kernel->result_bytes) == 0)
        return;
    while (result[i] == expected[i])
        i++;
    die("%s differs from serial at byte %zu of the result (of %zu)",
        variant_name[variant], i, kernel->result_bytes);
}

static int by_seconds(const void *a, const void *b)
{
    double x = ((const struct run *)a)->seconds;
    double y = ((const struct run *)b)->seconds;
    return (x > y) - (x < y);
}

/* All variants in turn, over and over, since a machine's speed drifts.  The
   round before the first warms up and does not count. */
static void measure(const struct kernel *kernel, int repeats,
                    struct run median[NUM_VARIANTS])
{
    size_t count = (size_t)repeats;
    struct run *runs = allocate(NULL, NUM_VARIANTS * count, sizeof *runs);
    unsigned char *expected = allocate(NULL, kernel->result_bytes, 1);

    for (int round = -1; round < repeats; round++) {
        for (int v = 0; v < NUM_VARIANTS; v++) {
            if (!has_variant(kernel, v))
                continue;
            struct run run = run_once(kernel, (enum variant)v);
            if (round < 0 && v == SERIAL)
                memcpy(expected, kernel->result, kernel->result_bytes);
            else
                check(kernel, (enum variant)v, expected);
            if (round >= 0)
                runs[(size_t)v * count + (size_t)round] = run;
        }
        pause_for(pause_after_round_ms);
    }
    for (size_t v = 0; v < NUM_VARIANTS; v++) {
        qsort(runs + v * count, count, sizeof *runs, by_seconds);
        median[v] = runs[v * count + (count - 1) / 2];
    }
    free(runs);
    free(expected);
}

static void print_cell(FILE *report, const struct kernel *kernel,
                       const struct run *median, int variant)
{
    if (!has_variant(kernel, variant))
        fprintf(report, " %15s", "-");
    else
        fprintf(report, " %8.3f %5.2fx", median[variant].seconds,
                median[SERIAL].seconds / median[variant].seconds);
}

static void print_row(FILE *report, const struct kernel *kernel,
                      const struct run *median)
{
    fprintf(report, "%-10s %8.3f", kernel->name, median[SERIAL].seconds);
    print_cell(report, kernel, median, OPENMP_STATIC);
    print_cell(report, kernel, median, OPENMP_DYNAMIC);
    print_cell(report, kernel, median, OPENMP_TASKS);
    print_cell(report, kernel, median, TWEED);
    fprintf(report, " %8llu\n", (unsigned long long)median[TWEED].steals);
}

static void print_machine(FILE *report)
{
    fprintf(report, "tweed %s with %d workers", tweed_version(),
            tweed_pool_num_workers(NULL));
#ifdef _OPENMP
    fprintf(report, ", OpenMP with as many");
#else
    fprintf(report, ", no OpenMP");
#endif
#if defined(__clang__)
    fprintf(report, "; clang %d.%d", __clang_major__, __clang_minor__);
#elif defined(__GNUC__)
    fprintf(report, "; gcc %d.%d", __GNUC__, __GNUC_MINOR__);
#endif
    fprintf(report, "\nseconds, times faster than serial, and steals, all of "
                    "the median run\n\n");
}

static void print_header(FILE *report)
{
    print_machine(report);
    fprintf(report, "%-10s %8s %15s %15s %15s %15s %8s\n", "kernel",
            "serial", "OpenMP static", "OpenMP dynamic", "OpenMP tasks", "tweed",
            "steals");
}

void compare(const struct kernel *kernel, const struct compare_options *options,
             FILE *report)
{
    struct run median[NUM_VARIANTS] = {{0}};

#ifdef _OPENMP
    omp_set_num_threads(tweed_pool_num_workers(NULL));
#endif
    if (options->header) {
        print_header(report);
        exit(finish());
    }
    measure(kernel, options->repeats, median);
    if (!options->row)
        print_header(report);
    print_row(report, kernel, median);
}

/*
 * suite.h - what kernels have in common: memory, marks and a checksum.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_SUITE_H
#define BENCH_SUITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/* Bytes that could be had without swapping; what the system says is available, or
   where it does not say what is free. */
static inline double bench_memory(void)
{
    FILE *f = fopen("/proc/meminfo", "r");
    char line[128];
    double kib = 0;

    while (f && kib <= 0 && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %lf", &kib) != 1)
            kib = 0;
    if (f)
        fclose(f);
    return kib > 0 ? kib * 1024
                   : (double)sysconf(_SC_AVPHYS_PAGES) *
                         (double)sysconf(_SC_PAGESIZE);
}

/* Whether there is room for 12 runners that need so many bytes each, and an
   eighth of the memory to spare. */
static inline bool bench_room(double bytes)
{
    return 12 * bytes <= 0.875 * bench_memory();
}

/* The part of the indices that ran as often as they should, by their marks, which
   count modulo 256: 1. */
static inline double bench_marked(const unsigned char *done, int64_t indices,
                                  unsigned char expected)
{
    int64_t right = 0;

    for (int64_t i = 0; i < indices; i++)
        right += done[i] == expected;
    return (double)right / (double)indices;
}

/* How much the i-th part counts in a checksum: exchanged ones are noticed. */
static inline double bench_weight(int64_t i)
{
    return (double)(i % 1021 + 1);
}

/*
 * The sum over all indices of what each has added to its part.
 *
 * The parts are zero before a run, so that an index left out, or run twice, or
 * taken for another, changes the sum.  It is always added up in this order, so
 * it needs no tolerance.
 */
static inline double bench_checksum(const double *parts, int64_t count)
{
    double sum = 0;

    for (int64_t i = 0; i < count; i++)
        sum += bench_weight(i) * parts[i];
    return sum;
}

#endif

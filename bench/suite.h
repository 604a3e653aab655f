/*
 * suite.h - what kernels of the suite have in common: memory and a checksum.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_SUITE_H
#define BENCH_SUITE_H

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

/* Whether there is room for 6 runners that need so many bytes each, and an
   eighth of the memory to spare. */
static inline bool bench_room(double bytes)
{
    double available = (double)sysconf(_SC_AVPHYS_PAGES) *
                       (double)sysconf(_SC_PAGESIZE);

    return 6 * bytes <= 0.875 * available;
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

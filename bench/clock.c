/*
 * clock.c - the clock, and how long a turn of bench_spin() takes.
 *
 * SPDX-License-Identifier: MIT
 */
#include <time.h>

#include "bench.h"

#define TURNS 20000000
#define TRIES 5

static double turn_ns;

double bench_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The fastest of some tries: what disturbs only makes it longer. */
void bench_calibrate(void)
{
    for (int try = 0; try < TRIES; try++) {
        double start = bench_now(), ns;

        bench_spin(TURNS);
        ns = (bench_now() - start) * 1e9 / TURNS;
        if (try == 0 || ns < turn_ns)
            turn_ns = ns;
    }
}

uint32_t bench_turns(double ns)
{
    return (uint32_t)(ns / turn_ns + 0.5);
}

/*
 * bench.h - the clock, random numbers and time to spend.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

double bench_now(void); /* seconds */

/* How many turns of bench_spin() take this long here; bench_calibrate() finds out. */
void bench_calibrate(void);
uint32_t bench_turns(double ns);

/* Busy for so many turns, without touching memory. */
static inline void bench_spin(uint32_t turns)
{
    while (turns-- > 0)
        __asm__ __volatile__("" : "+r"(turns));
}

/* A random number from the position in a sequence: any order, any thread. */
static inline uint64_t bench_random(uint64_t seed, uint64_t position)
{
    uint64_t z = seed * 0xd1342543de82ef95u + position * 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* ... and as a number in [0, 1). */
static inline double bench_uniform(uint64_t seed, uint64_t position)
{
    return (double)(bench_random(seed, position) >> 11) * 0x1p-53;
}

#ifdef __cplusplus
}
#endif

#endif

/*
 * random.h - a small generator for choosing victims.
 *
 * SPDX-License-Identifier: MIT
 *
 * xorshift64* (Marsaglia 2003, Vigna 2016), whose state is never 0; good enough to
 * spread thieves, and for nothing else.
 */
#ifndef TWEED_LIB_RANDOM_H
#define TWEED_LIB_RANDOM_H

#include <stdint.h>

/* The state of the i-th of several generators with one seed.  Seeds that differ little
   give states that differ much: the last steps of splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t random_state(uint64_t seed, uint64_t i)
{
    seed = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    seed = (seed ^ seed >> 27) * UINT64_C(0x94d049bb133111eb);
    seed ^= seed >> 31;
    return seed ^ (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint32_t random_below(uint64_t *state, uint32_t n)
{
    uint64_t x = *state ? *state : UINT64_C(0x9e3779b97f4a7c15);

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return (uint32_t)((x * UINT64_C(0x2545f4914f6cdd1d) >> 32) * n >> 32);
}

#endif

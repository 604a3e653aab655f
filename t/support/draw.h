/*
 * draw.h - random numbers that depend on the seed and the place alone, not on which
 * thread is faster.
 *
 * SPDX-License-Identifier: MIT
 *
 * splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
 * 2014): any seed will do.
 */
#ifndef TWEED_T_DRAW_H
#define TWEED_T_DRAW_H

#include <stdint.h>

static inline uint64_t draw(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static inline uint32_t below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(draw(state) >> 32) % n;
}

/* A grain for a loop: none, 1, small, or of any size. */
static inline int64_t any_grain(uint64_t *state)
{
    switch (below(state, 4)) {
    case 0:
        return 0;
    case 1:
        return 1;
    case 2:
        return 2 + below(state, 50);
    default:
        return (int64_t)(draw(state) >> 1 >> below(state, 63));
    }
}

#endif

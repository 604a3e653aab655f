/*
 * word.h - the word S of a range, and what it says.
 *
 * SPDX-License-Identifier: MIT
 *
 * What S means, and which thread changes it how, stands in range.c.
 */
#ifndef TWEED_LIB_WORD_H
#define TWEED_LIB_WORD_H

#include <stdint.h>

#define FIELD UINT64_C(0x3ffffff)
#define OWNED 0u
#define UNCLAIMED 4095u
#define DRAINED UINT64_MAX

static inline uint64_t pack(uint32_t mid, uint32_t high, uint32_t tid)
{
    return (uint64_t)mid << 38 | (uint64_t)high << 12 | tid;
}

static inline uint32_t mid_of(uint64_t s)
{
    return (uint32_t)(s >> 38);
}

static inline uint32_t high_of(uint64_t s)
{
    return (uint32_t)(s >> 12 & FIELD);
}

static inline uint32_t tid_of(uint64_t s)
{
    return (uint32_t)(s & 4095);
}

/* A steal range is this part of what there is.  (The model checker, which has few
   blocks, takes half.) */
#ifndef STEAL_PART
#define STEAL_PART 4
#endif

/* Where the upper quarter of [low, high) begins.  At most 2^28: no overflow. */
static inline uint32_t quarter(uint32_t low, uint32_t high)
{
    return (low + (STEAL_PART - 1) * high) / STEAL_PART;
}

#endif

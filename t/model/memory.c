/*
 * memory.c - what the memory models share.
 *
 * SPDX-License-Identifier: MIT
 */
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t memory_modified(const struct access *a, uint64_t old)
{
    uint64_t result = 0;

    if (a->kind == ACCESS_CAS)
        return a->value;
    switch (a->rmw) {
    case VM_EXCHANGE: result = a->value; break;
    case VM_ADD: result = old + a->value; break;
    case VM_SUB: result = old - a->value; break;
    case VM_AND: result = old & a->value; break;
    case VM_OR: result = old | a->value; break;
    }
    return result & a->mask;
}

/* (The drivers' flags say -fno-inline: for their stacks' sake.) */
__attribute__((always_inline)) static inline uint64_t fold(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 wide = (unsigned __int128)a * b;

    return (uint64_t)wide ^ (uint64_t)(wide >> 64);
}

/* Multiply and fold, as in Wang Yi's wyhash: two times sixteen bytes at a time. */
uint64_t memory_hash(const void *data, size_t bytes, uint64_t seed)
{
    const unsigned char *at = data;
    uint64_t h = seed ^ UINT64_C(0xa0761d6478bd642f), w[4];
    uint64_t g = seed ^ UINT64_C(0x589965cc75374cc3);

    for (size_t left = bytes; left;) {
        size_t n = left < sizeof w ? left : sizeof w;

        if (n == sizeof w)
            memcpy(w, at, sizeof w); /* of a known length: no call */
        else
            memcpy(memset(w, 0, sizeof w), at, n);
        h = fold(w[0] ^ UINT64_C(0xe7037ed1a0b428db), w[1] ^ h);
        g = fold(w[2] ^ UINT64_C(0x8ebc6af09c88c6e3), w[3] ^ g);
        at += n;
        left -= n;
    }
    return fold(h ^ bytes, g ^ UINT64_C(0x9e3779b97f4a7c15));
}

void memory_overflow(const char *what)
{
    fprintf(stderr, "model: too many %s: raise the limit\n", what);
    exit(2);
}

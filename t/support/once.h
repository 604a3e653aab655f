/*
 * once.h - loops of several shapes, every index counted.
 *
 * SPDX-License-Identifier: MIT
 *
 * For tests whose subject is not the loop but what surrounds it: whatever was
 * refused, lost or made up, the loops must come out right.
 */
#ifndef TWEED_T_ONCE_H
#define TWEED_T_ONCE_H

#include "base/tsan.h"

#include <string.h>
#include <time.h>
#include <tweed.h>

#define ONCE_MOST 3000

struct once {
    unsigned char count[ONCE_MOST];
    int naps; /* let others run in the midst of some indices */
};

static inline void once_each(int64_t i, void *arg)
{
    struct once *o = arg;

    o->count[i]++;
    for (volatile int n = (int)(i & 63); n > 0; n--) /* unevenly long */
        ;
    if (o->naps && i % 500 == 77) {
        struct timespec nap = { 0, 20000 };

        nanosleep(&nap, NULL);
    }
}

static inline void once_range(int64_t begin, int64_t end, void *arg)
{
    for (int64_t i = begin; i < end; i++)
        once_each(i, arg);
}

/* Runs `rounds` loops on a pool of one's own, or on the default one (NULL).
   True if each of them executed each of its indices once. */
static inline int once_loops(tweed_pool *pool, int rounds)
{
    static const int sizes[] = { 2, 3, 17, 100, 1000, ONCE_MOST };
    int good = 1;

    for (int r = 0; r < rounds; r++) {
        struct once o = { .naps = r % 4 == 3 };
        tweed_loop_options with = { .size = sizeof with, .grain = r / 3 % 4 };
        int n = sizes[r % (int)(sizeof sizes / sizeof *sizes)], code;

        if (r % 2)
            code = tweed_parallel_for_range_with(pool, &with, 0, n, once_range,
                                                 &o);
        else
            code = tweed_parallel_for_with(pool, &with, 0, n, once_each, &o);
        good &= code == TWEED_OK;
        for (int i = 0; i < ONCE_MOST; i++)
            good &= o.count[i] == (i < n);
    }
    return good;
}

#endif

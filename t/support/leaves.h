/*
 * leaves.h - tasks that are all spawned before the first of them is joined.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_LEAVES_H
#define TWEED_T_LEAVES_H

#include <tweed.h>

typedef void leaf_visit(int i);

/* visit(i), where that is given, once for each i. */
TWEED_TASK(int64_t, leaf, int, i, leaf_visit *, visit)
{
    if (visit)
        visit(i);
    return i;
}

/* Of n leaves; the sum of their numbers. */
TWEED_TASK(int64_t, wide, int, n, leaf_visit *, visit)
{
    int64_t sum = 0;

    for (int i = 0; i < n; i++)
        TWEED_SPAWN(leaf, i, visit);
    for (int i = 0; i < n; i++)
        sum += TWEED_SYNC(leaf);
    return sum;
}

static inline int64_t sum_below(int64_t n)
{
    return n * (n - 1) / 2;
}

#endif

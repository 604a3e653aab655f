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
TWEED_TASK(long, leaf, int, i, leaf_visit *, visit)
{
    if (visit)
        visit(i);
    return i;
}

/* Of n leaves; the sum of their numbers. */
TWEED_TASK(long, wide, int, n, leaf_visit *, visit)
{
    long sum = 0;

    for (int i = 0; i < n; i++)
        TWEED_SPAWN(leaf, i, visit);
    for (int i = 0; i < n; i++)
        sum += TWEED_SYNC(leaf);
    return sum;
}

static inline long sum_below(long n)
{
    return n * (n - 1) / 2;
}

#endif

/*
 * fib.h - a tree of small tasks, as the proof that tasks work here.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_FIB_H
#define TWEED_T_FIB_H

#include <tweed.h>

TWEED_TASK(long, fib, int, n)
{
    long b;

    if (n < 2)
        return n;
    TWEED_SPAWN(fib, n - 1);
    b = TWEED_CALL(fib, n - 2);
    return TWEED_SYNC(fib) + b;
}

static inline long fib_of(int n)
{
    long a = 0, b = 1;

    while (n-- > 0) {
        long c = a + b;

        a = b;
        b = c;
    }
    return a;
}

static inline int fib_is_right(tweed_pool *pool, int n)
{
    return TWEED_RUN_ON(pool, fib, n) == fib_of(n);
}

#endif

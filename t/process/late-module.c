/*
 * late-module.c - a plugin that uses libtweed.so, for late.c: bodies, kinds and what
 * executes them are in it, the library is not.
 *
 * SPDX-License-Identifier: MIT
 */
#include "late.h"

static void body(int64_t i, void *arg)
{
    struct late_loop *l = arg;

    atomic_fetch_add(&l->count[i], 1);
    if (i == 0)
        l->hold();
}

static void range(int64_t lo, int64_t hi, void *arg)
{
    for (int64_t i = lo; i < hi; i++)
        body(i, arg);
}

TWEED_LOOP(braces, i, struct late_loop *, l)
{
    body(i, l);
}

int late_braces(struct late_loop *l)
{
    return braces(0, LATE_INDICES, l);
}

int late_pointer(struct late_loop *l)
{
    return tweed_parallel_for(0, LATE_INDICES, body, l);
}

int late_range(struct late_loop *l)
{
    return tweed_parallel_for_range(0, LATE_INDICES, range, l);
}

/*
 * guess_apart.c - the library's own function, as other languages call it.
 *
 * SPDX-License-Identifier: MIT
 */
#define TWEED_CALLS_APART_ 1
#include "guess_apart.h"

int library_for_with(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                     int64_t hi, tweed_index_fn *fn, void *arg)
{
    return tweed_parallel_for_with(pool, options, lo, hi, fn, arg);
}

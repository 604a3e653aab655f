/*
 * guess_apart.c - the library's own functions, as other languages call them.
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

int library_try_with(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                     int64_t hi, tweed_try_fn *fn, void *arg)
{
    return tweed_parallel_try_with(pool, options, lo, hi, fn, arg);
}

int library_find_with(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                      int64_t hi, tweed_predicate_fn *fn, void *arg, int64_t *found)
{
    return tweed_parallel_find_with(pool, options, lo, hi, fn, arg, found);
}

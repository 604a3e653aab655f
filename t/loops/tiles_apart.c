/*
 * tiles_apart.c - the functions that the library has for other languages, where
 * tweed/tiles.h has its own of the same names.
 *
 * SPDX-License-Identifier: MIT
 */
#define TWEED_CALLS_APART 1
#include "tiles_apart.h"

int apart_2d(int64_t i0, int64_t i1, int64_t j0, int64_t j1,
             tweed_index_2d_fn *fn, void *arg)
{
    return tweed_parallel_for_2d(i0, i1, j0, j1, fn, arg);
}

int apart_2d_with(tweed_pool *pool, const tweed_loop_options *options, int64_t i0,
                  int64_t i1, int64_t j0, int64_t j1, tweed_index_2d_fn *fn,
                  void *arg)
{
    return tweed_parallel_for_2d_with(pool, options, i0, i1, j0, j1, fn, arg);
}

int apart_3d(int64_t i0, int64_t i1, int64_t j0, int64_t j1, int64_t k0,
             int64_t k1, tweed_index_3d_fn *fn, void *arg)
{
    return tweed_parallel_for_3d(i0, i1, j0, j1, k0, k1, fn, arg);
}

int apart_3d_with(tweed_pool *pool, const tweed_loop_options *options, int64_t i0,
                  int64_t i1, int64_t j0, int64_t j1, int64_t k0, int64_t k1,
                  tweed_index_3d_fn *fn, void *arg)
{
    return tweed_parallel_for_3d_with(pool, options, i0, i1, j0, j1, k0, k1, fn,
                                      arg);
}

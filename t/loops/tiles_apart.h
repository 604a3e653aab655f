/*
 * tiles_apart.h - see tiles_apart.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_TILES_APART_H
#define TWEED_T_TILES_APART_H

#include <tweed.h>

int apart_2d(int64_t i0, int64_t i1, int64_t j0, int64_t j1,
             tweed_index_2d_fn *fn, void *arg);
int apart_2d_with(tweed_pool *pool, const tweed_loop_options *options, int64_t i0,
                  int64_t i1, int64_t j0, int64_t j1, tweed_index_2d_fn *fn,
                  void *arg);
int apart_3d(int64_t i0, int64_t i1, int64_t j0, int64_t j1, int64_t k0,
             int64_t k1, tweed_index_3d_fn *fn, void *arg);
int apart_3d_with(tweed_pool *pool, const tweed_loop_options *options, int64_t i0,
                  int64_t i1, int64_t j0, int64_t j1, int64_t k0, int64_t k1,
                  tweed_index_3d_fn *fn, void *arg);

#endif

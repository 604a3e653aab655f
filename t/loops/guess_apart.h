/* guess_apart.h - see guess_apart.c.  SPDX-License-Identifier: MIT */
#include <tweed.h>

int library_for_with(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                     int64_t hi, tweed_index_fn *fn, void *arg);
int library_try_with(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                     int64_t hi, tweed_try_fn *fn, void *arg);
int library_find_with(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                      int64_t hi, tweed_predicate_fn *fn, void *arg, int64_t *found);

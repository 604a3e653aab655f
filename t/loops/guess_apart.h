/* guess_apart.h - see guess_apart.c.  SPDX-License-Identifier: MIT */
#include <tweed.h>

int library_for_with(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                     int64_t hi, tweed_index_fn *fn, void *arg);

/*
 * tweed/short.h - tweed's loop under its bare name.
 *
 * SPDX-License-Identifier: MIT
 *
 *     parallel_for(lo, hi, fn)         for (i = lo; i < hi; i++) fn(i, NULL);
 *     parallel_for(lo, hi, fn, arg)    for (i = lo; i < hi; i++) fn(i, arg);
 *
 * See tweed_parallel_for() in tweed.h.  Not for headers that others include.
 */
#ifndef TWEED_SHORT_H
#define TWEED_SHORT_H

#include <tweed.h>

#ifdef __cplusplus

static inline int parallel_for(int64_t lo, int64_t hi, tweed_index_fn *fn,
                               void *arg = nullptr)
{
    return tweed_parallel_for(lo, hi, fn, arg);
}

#else

/* Any other number of arguments, up to eight, does not compile. */
#define parallel_for(...)                                                      \
    TWEED_SHORT_PICK_(__VA_ARGS__, tweed_short_not_, tweed_short_not_,         \
                      tweed_short_not_, tweed_short_not_, tweed_short_4_,      \
                      tweed_short_3_, tweed_short_not_, tweed_short_not_,      \
                      0)(__VA_ARGS__)
#define TWEED_SHORT_PICK_(a, b, c, d, e, f, g, h, name, ...) name
#define tweed_short_3_(lo, hi, fn) tweed_parallel_for(lo, hi, fn, NULL)
#define tweed_short_4_(lo, hi, fn, arg) tweed_parallel_for(lo, hi, fn, arg)
#define tweed_short_not_(...)                                                  \
    ((int)sizeof(struct {                                                      \
        _Static_assert(0, "parallel_for() takes 3 or 4 arguments");            \
        int unused;                                                            \
    }))

#endif

#endif /* TWEED_SHORT_H */

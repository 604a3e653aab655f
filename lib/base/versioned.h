/*
 * versioned.h - structs that a program hands over by their size: of this version
 * of the library, of an earlier one, or of a later one.
 *
 * SPDX-License-Identifier: MIT
 *
 * The first member of such a struct is a size_t with the size that it had in the
 * header that the program was compiled with.  Structs grow at the end only.
 */
#ifndef TWEED_LIB_VERSIONED_H
#define TWEED_LIB_VERSIONED_H

#include "base/check.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The size that a struct had when `member` was its last: a pointer or a 64-bit
   number, so that no padding came after it. */
#define TWEED__SIZE_UP_TO(type, member)                                        \
    (offsetof(type, member) + sizeof ((type *)0)->member)

/* What the structs were like in version 0.1, the first. */
#define TWEED__FIRST_LOOP_OPTIONS TWEED__SIZE_UP_TO(tweed_loop_options, name)
#define TWEED__FIRST_OUTCOME TWEED__SIZE_UP_TO(tweed_outcome, ran)
#define TWEED__FIRST_POOL_OPTIONS TWEED__SIZE_UP_TO(tweed_pool_options, name)
#define TWEED__FIRST_REDUCTION TWEED__SIZE_UP_TO(tweed_reduction, combine)
#define TWEED__FIRST_SCAN TWEED__SIZE_UP_TO(tweed_scan_spec, combine)
#define TWEED__FIRST_KIND TWEED__SIZE_UP_TO(tweed_kind, reserved)
#define TWEED__FIRST_SCRATCH_OPTIONS TWEED__SIZE_UP_TO(tweed_scratch_options, arg)
#define TWEED__FIRST_TRACE_OPTIONS TWEED__SIZE_UP_TO(tweed_trace_options, events)
#define TWEED__FIRST_STATS TWEED__SIZE_UP_TO(tweed_stats, idle_ns)
#define TWEED__FIRST_LOOP_STATS TWEED__SIZE_UP_TO(tweed_loop_stats, indices_far)

/* Of another size than ours: see below. */
bool tweed__versioned_read_other(void *local, size_t local_size,
                                 size_t first_size, const void *user);

/* Copies the program's struct of options into ours; what an earlier version did not
   have becomes zero.  False: the size is none, or what only a later version has is
   not zero, so that it asks for something that is not known here. */
static inline bool tweed__versioned_read(void *local, size_t local_size,
                                         size_t first_size, const void *user)
{
    if (unlikely(*(const size_t *)user != local_size))
        return tweed__versioned_read_other(local, local_size, first_size, user);
    memcpy(local, user, local_size);
    return true;
}

/* May results be written to a struct of this size? */
bool tweed__versioned_is_size(size_t size, size_t first_size);

/* Copies our struct of results into the program's: no more than that has room for,
   and zero where that has more.  Its size stays as it is. */
void tweed__versioned_write(void *user, const void *local, size_t local_size);

#endif

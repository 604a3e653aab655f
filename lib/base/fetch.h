/*
 * fetch.h - a line of memory is fetched before it is needed.
 *
 * SPDX-License-Identifier: MIT
 *
 * A fetch orders nothing, and never faults.
 */
#ifndef TWEED_LIB_FETCH_H
#define TWEED_LIB_FETCH_H

#include "base/atomic.h"

#include <stdbool.h>

#define TWEED__FETCHED 64 /* bytes of a line; where lines are shorter some are left out */

static inline void fetch_to_read(const void *line)
{
    __builtin_prefetch(line, 0);
}

/* For lines that the thread is about to write, from that of `last` back to that of `first`:
   each comes once, not first shared and then exclusive.  Of __builtin_prefetch(p, 1)
   compilers make a fetch to read for x86, unless they are told that the CPU has
   `prefetchw`.  Where a CPU has not, that may fault.  The library's constructor sets the flag
   while workers may run, of a loop in a constructor of the program's.  Relaxed: a worker may
   see either. */
#ifdef __x86_64__
extern _Atomic bool tweed__has_prefetchw;

static inline void fetch_all_to_write(const void *first, const void *last)
{
    const char *at = (const char *)last;

    if (load_relaxed(&tweed__has_prefetchw))
        for (; at >= (const char *)first; at -= TWEED__FETCHED)
            __asm__ volatile("prefetchw %0" : : "m"(*at));
    else
        for (; at >= (const char *)first; at -= TWEED__FETCHED)
            __builtin_prefetch(at, 1);
}
#else
static inline void fetch_all_to_write(const void *first, const void *last)
{
    for (const char *at = (const char *)last; at >= (const char *)first; at -= TWEED__FETCHED)
        __builtin_prefetch(at, 1);
}
#endif

static inline void fetch_to_write(const void *line)
{
    fetch_all_to_write(line, line);
}

#endif

/*
 * fetch.h - a line of memory is fetched before it is needed.
 *
 * SPDX-License-Identifier: MIT
 *
 * Orders nothing, and never faults.
 */
#ifndef TWEED_LIB_FETCH_H
#define TWEED_LIB_FETCH_H

static inline void fetch_to_read(const void *line)
{
    __builtin_prefetch(line, 0);
}

/* Of a line that the thread is about to write: the line comes once, not first shared and
   then exclusive.  For x86 compilers make __builtin_prefetch() fetch the line shared, unless
   they are told that the CPU is one that has `prefetchw`.  All CPUs of 64 bits take that
   instruction; the oldest do nothing then. */
static inline void fetch_to_write(const void *line)
{
#ifdef __x86_64__
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
    __builtin_prefetch(line, 1);
#endif
}

#endif

/*
 * fetch.h - a line of memory is fetched before it is needed.
 *
 * SPDX-License-Identifier: MIT
 *
 * A fetch orders nothing, and never faults.
 */
#ifndef TWEED_LIB_FETCH_H
#define TWEED_LIB_FETCH_H

static inline void fetch_to_read(const void *line)
{
    __builtin_prefetch(line, 0);
}

/* The thread is about to write the line: the line comes once, not first shared and then
   exclusive.  Compilers for x86 make __builtin_prefetch(p, 1) a fetch of a shared line, unless
   they are told that the CPU has `prefetchw`.  All x86 CPUs of 64 bits accept `prefetchw`;
   on those that lack it, Intel's before 2014, the instruction does nothing. */
static inline void fetch_to_write(const void *line)
{
#ifdef __x86_64__
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
    __builtin_prefetch(line, 1);
#endif
}

#endif

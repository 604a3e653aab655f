/*
 * fetch.c - does this CPU fetch a line to write it?
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "base/fetch.h"

#ifdef __x86_64__
#include <cpuid.h>

#define EXTENDED 0x80000001
#define PREFETCHW (1u << 8) /* of ecx */

bool tweed__has_prefetchw;

/* A loop that runs before, in another constructor, fetches to read. */
__attribute__((constructor(101))) static void look(void)
{
    unsigned a, b, c = 0, d;

    tweed__has_prefetchw = __get_cpuid(EXTENDED, &a, &b, &c, &d) && c & PREFETCHW;
}
#endif

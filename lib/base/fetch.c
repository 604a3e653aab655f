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

_Atomic bool tweed__has_prefetchw;

/* Workers may be awake before, of a loop in another constructor: they fetch to read. */
__attribute__((constructor(101))) static void look(void)
{
    unsigned a, b, c = 0, d;
    bool has = __get_cpuid(EXTENDED, &a, &b, &c, &d) && c & PREFETCHW;

    store_relaxed(&tweed__has_prefetchw, has); /* see fetch.h */
}
#endif

/*
 * pages.h - on which nodes pages of memory are to be, and are.
 *
 * SPDX-License-Identifier: MIT
 *
 * All of these are wishes and questions: where there is one node, no libnuma, or a
 * filter that refuses the calls, the memory is as good as any, and nothing is known.
 */
#ifndef TWEED_LIB_PAGES_H
#define TWEED_LIB_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the system says of a page, where it does not say a node. */
#define TWEED__NO_NODE (-1)

/* The size of a page, a power of two. */
size_t tweed__page_bytes(void);

/* Asks for memory at [address, address + bytes) to be on a node (the system's
   number), or the nearest that has memory, when it is touched; with `move` the pages
   that are there go to the node now.  The address is that of a page.  False: refused, or
   there is no such node. */
bool tweed__place_memory(void *address, size_t bytes, int node, bool move);

/* Asks for huge pages.  The address is that of a page. */
void tweed__huge_memory(void *address, size_t bytes);

/* Where the page of an address is: a node, or TWEED__NO_NODE: there is no page yet, or
   the system does not say. */
int tweed__memory_is_on(const void *address);

/* How many bytes of [address, address + bytes) are on other nodes than this one; pages
   that are not there count as right.  SIZE_MAX: the system does not say. */
size_t tweed__memory_elsewhere(const void *address, size_t bytes, int node);

#endif

/*
 * pages.c - asks the system to place pages, and where they are.
 *
 * SPDX-License-Identifier: MIT
 *
 * Preferred, not strict: a full node, or a container that may not use it, must not kill
 * the process.
 */
#include "config.h"

#include "system/pages.h"
#include "system/topology.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#if HAVE_LIBNUMA
#include <numaif.h>
#endif

#define BITS ((int)(8 * sizeof(unsigned long)))
#define WORDS 64      /* of a mask of nodes */
#define QUESTIONS 256 /* pages that are asked about at a time */

size_t tweed__page_bytes(void)
{
    long bytes = sysconf(_SC_PAGESIZE);

    return bytes > 0 ? (size_t)bytes : 4096;
}

void tweed__huge_memory(void *address, size_t bytes)
{
    int saved = errno;

    (void)madvise(address, bytes, MADV_HUGEPAGE);
    errno = saved;
}

#if HAVE_LIBNUMA
/* Adds the node, or the nearest that has memory.  False: there is no such node. */
static bool add_node(unsigned long *mask, int node)
{
    node = tweed__memory_node(node);
    if (node < 0 || node >= BITS * WORDS)
        return false;
    mask[node / BITS] |= 1ul << node % BITS;
    return true;
}

/* False: the policy is refused. */
static bool set_policy(void *address, size_t bytes, int mode,
                       const unsigned long *mask, unsigned flags)
{
    int saved = errno;
    /* The kernel wants one bit more than it reads. */
    bool set = mbind(address, bytes, mode, mask, (unsigned long)BITS * WORDS + 1, flags) == 0;

    errno = saved;
    return set;
}

bool tweed__place_memory(void *address, size_t bytes, int node, bool move)
{
    unsigned long mask[WORDS] = { 0 };

    return add_node(mask, node) &&
           set_policy(address, bytes, MPOL_PREFERRED, mask, move ? MPOL_MF_MOVE : 0);
}

/* Where n pages are: a node each, or a negative error.  False: the system does not say. */
static bool ask(void **pages, unsigned long n, int *status)
{
    int saved = errno;
    bool told = move_pages(0, n, pages, NULL, status, 0) == 0;

    errno = saved;
    return told;
}

int tweed__memory_is_on(const void *address)
{
    void *page = (void *)((uintptr_t)address & ~(uintptr_t)(tweed__page_bytes() - 1));
    int status = TWEED__NO_NODE;

    return ask(&page, 1, &status) && status >= 0 ? status : TWEED__NO_NODE;
}

size_t tweed__memory_elsewhere(const void *address, size_t bytes, int node)
{
    size_t page = tweed__page_bytes(), pages = bytes / page + (bytes % page != 0);
    size_t elsewhere = 0;
    void *asked[QUESTIONS];
    int status[QUESTIONS];

    node = tweed__memory_node(node);
    for (size_t done = 0; done < pages; done += QUESTIONS) {
        size_t n = pages - done < QUESTIONS ? pages - done : QUESTIONS;

        for (size_t i = 0; i < n; i++)
            asked[i] = (char *)(uintptr_t)address + (done + i) * page;
        if (!ask(asked, n, status))
            return SIZE_MAX;
        for (size_t i = 0; i < n; i++)
            elsewhere += status[i] >= 0 && status[i] != node;
    }
    return elsewhere * page < bytes ? elsewhere * page : bytes;
}
#else
bool tweed__place_memory(void *address, size_t bytes, int node, bool move)
{
    (void)address, (void)bytes, (void)node, (void)move;
    return false;
}

int tweed__memory_is_on(const void *address)
{
    (void)address;
    return TWEED__NO_NODE;
}

size_t tweed__memory_elsewhere(const void *address, size_t bytes, int node)
{
    (void)address, (void)bytes, (void)node;
    return SIZE_MAX;
}
#endif

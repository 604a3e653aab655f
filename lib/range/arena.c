/*
 * arena.c - memory for the tasks that a thread has spawned.
 *
 * SPDX-License-Identifier: MIT
 *
 * What is reserved cannot be read or written, so no system counts it as used.
 */
#include "config.h"

#include "range/arena.h"
#include "range/deque.h"

#include <errno.h>
#include <sys/mman.h>

#define FIRST UINT32_C(4096)        /* records that are open at first: 256 KiB */
#define RESERVE UINT32_C(1024)
#define LEAST (UINT32_C(2) * FIRST) /* where address space is short */

static size_t bytes(uint32_t n)
{
    return n * sizeof(struct tweed_task_);
}

/* As much as there is, *most records of it; NULL: less than is wanted at least. */
static void *reserve(uint32_t *most)
{
    for (*most = TWEED__MAX_RECORDS; *most >= LEAST; *most /= 2) {
        void *base = mmap(NULL, bytes(*most), PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (base != MAP_FAILED)
            return base;
    }
    return NULL;
}

static bool make_usable(struct tweed_task_ *from, uint32_t n)
{
    int saved = errno;
    bool done = mprotect(from, bytes(n), PROT_READ | PROT_WRITE) == 0;

    errno = saved;
    return done;
}

bool tweed__arena_begin(struct tweed__arena *r)
{
    int saved = errno;
    uint32_t most;
    void *base;

    if (r->base)
        return true;
    base = reserve(&most);
    if (base && !make_usable(base, FIRST)) {
        munmap(base, bytes(most));
        base = NULL;
    }
    errno = saved;
    if (!base)
        return false;
    r->base = base;
    r->open = FIRST;
    r->most = most;
    r->reserve = RESERVE;
    return true;
}

bool tweed__arena_grow(struct tweed__arena *r)
{
    if (r->open == r->most || !make_usable(r->base + r->open, r->open))
        return false;
    r->open *= 2;
    return true;
}

void tweed__arena_trim(struct tweed__arena *r)
{
    int saved = errno;

    /* refused: then it is kept, open or not */
    if (r->open > FIRST &&
        madvise(r->base + FIRST, bytes(r->open - FIRST), MADV_DONTNEED) == 0 &&
        mprotect(r->base + FIRST, bytes(r->open - FIRST), PROT_NONE) == 0)
        r->open = FIRST;
    errno = saved;
}

void tweed__arena_clean(struct tweed__arena *r)
{
    int saved = errno;

    /* refused: then it is kept, open */
    if (r->open > FIRST &&
        madvise(r->base + FIRST, bytes(r->open - FIRST), MADV_DONTNEED) == 0)
        r->open = FIRST;
    errno = saved;
}

void tweed__arena_end(struct tweed__arena *r)
{
    if (r->base)
        munmap(r->base, bytes(r->most));
    r->base = NULL;
}

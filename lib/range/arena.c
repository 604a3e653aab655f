/*
 * arena.c - memory for the tasks that a thread has spawned.
 *
 * SPDX-License-Identifier: MIT
 *
 * What is reserved cannot be read or written, so no system counts it as used.
 */
#include "config.h"

#include "range/arena.h"
#include "base/tsan.h"
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

/* NULL: there is no such room. */
static void *reserve_some(size_t size)
{
    void *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return base != MAP_FAILED ? base : NULL;
}

/* The next multiple of a GiB, which is the first of all places. */
static char *first_place_above(const char *base)
{
    const size_t gib = bytes(TWEED__PLACE_MASK + 1);

    return (char *)(((uintptr_t)base + gib - 1) & ~(gib - 1));
}

/* Room for n records, with the places that these need (deque.h).  What the system gives may
   lie across a multiple of a GiB, or too near below it, and its next holes, too.  Of twice
   that room, and what is too near, the beginning or the part from the multiple on is good;
   the rest is given back. */
static void *reserve_places(uint32_t n)
{
    const size_t too_near = bytes(TWEED__PLACE_MASK - TWEED__MAX_PLACE + 1);
    const size_t size = bytes(n), all = 2 * size + too_near;
    char *base = reserve_some(size), *from;

    if (!base || has_places((struct tweed_task_ *)(void *)base, n))
        return base;
    munmap(base, size);
    base = reserve_some(all);
    if (!base)
        return NULL;
    from = has_places((struct tweed_task_ *)(void *)base, n) ? base : first_place_above(base);
    if (from > base)
        munmap(base, (size_t)(from - base));
    if (from + size < base + all)
        munmap(from + size, (size_t)(base + all - from) - size);
    return from;
}

/* As much room as there is, for *most records; NULL: there is none for LEAST records. */
static void *reserve(uint32_t *most)
{
    for (*most = TWEED__MAX_RECORDS; *most >= LEAST; *most /= 2) {
        void *base = reserve_places(*most);

        if (base)
            return base;
    }
    return NULL;
}

static bool make_usable(struct tweed_task_ *from, uint32_t n)
{
    int saved = errno;
    bool done = mprotect(from, bytes(n), PROT_READ | PROT_WRITE) == 0;

    errno = saved;
    if (done)
        tweed__tsan_hide(from, bytes(n));
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

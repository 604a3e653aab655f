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
#define TRIES 4 /* the third is far enough from a multiple of a GiB, where two are not */

static size_t bytes(uint32_t n)
{
    return n * sizeof(struct tweed_task_);
}

/* NULL: there is no such room. */
static void *reserve_some(uint32_t n)
{
    void *base = mmap(NULL, bytes(n), PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return base != MAP_FAILED ? base : NULL;
}

/* Room for n records, with the places that these need (deque.h); so many tries.  What the
   system gives may lie across a multiple of a GiB, or too near below it.  What the system
   gives next lies beside that. */
static void *reserve_places(uint32_t n, int tries)
{
    void *base = reserve_some(n), *next;

    if (!base || has_places(base, n))
        return base;
    next = tries > 1 ? reserve_places(n, tries - 1) : NULL;
    munmap(base, bytes(n));
    return next;
}

/* As much room as there is, for *most records; NULL: there is none for LEAST records. */
static void *reserve(uint32_t *most)
{
    for (*most = TWEED__MAX_RECORDS; *most >= LEAST; *most /= 2) {
        void *base = reserve_places(*most, TRIES);

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

/*
 * arena.c - memory for tasks, where each hole of its size in the address space lies across a
 * multiple of a GiB.
 *
 * SPDX-License-Identifier: MIT
 *
 * A program that has made and ended many pools has such holes: the system gives the highest
 * one that is large enough, again and again.
 */
#include "config.h"

#include "range/arena.h"
#include "range/deque.h"
#include "tap.h"

#include <sys/mman.h>

#define GIB ((size_t)1 << 30)
#define HOLE (sizeof(struct tweed_task_) * TWEED__MAX_RECORDS)

void *__real_mmap(void *at, size_t size, int use, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t size, int use, int flags, int file, off_t offset);

static char *own;     /* memory of the test's own */
static int holes;     /* how many the system has given */
static size_t before; /* how much of a hole lies below the multiple */

/* Each hole of that size or less is there. */
void *__wrap_mmap(void *at, size_t size, int use, int flags, int file, off_t offset)
{
    size_t below = before < size ? before : size;

    if (at || size > HOLE)
        return __real_mmap(at, size, use, flags, file, offset);
    holes++;
    at = (char *)(((uintptr_t)own + GIB + HOLE) & ~(GIB - 1)) - below;
    return __real_mmap(at, size, use, flags | MAP_FIXED, file, offset);
}

static void begins(size_t below, const char *what)
{
    struct tweed__arena a = { .base = NULL };
    bool has;

    before = below;
    holes = 0;
    has = tweed__arena_begin(&a);
    ok(has && holes > 0 && a.most == TWEED__MAX_RECORDS && has_places(a.base, a.most), "%s",
       what);
    if (has) {
        a.base[0].state = 1; /* it can be written */
        tweed__arena_end(&a);
    }
}

int main(void)
{
    if (sizeof(void *) < 8)
        skip_all("32 bits: too little address space for the test's own holes");
    own = __real_mmap(NULL, 3 * GIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                      0);
    if (own == MAP_FAILED)
        skip_all("no address space");
    plan(2);
    begins(HOLE / 2, "holes across a multiple of a GiB");
    begins(HOLE, "holes that end at one");
    return done_testing();
}

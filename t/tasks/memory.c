/*
 * memory.c - no memory for records, or for groups: tasks are executed by their spawner,
 * at once.
 *
 * SPDX-License-Identifier: MIT
 *
 * mmap() and mprotect() are wrapped: of large mappings, which only records have here,
 * they refuse as many as a test says, and give memory where it says.  aligned_alloc()
 * refuses what groups have here.
 * madvise() tells what is given back.
 */
#include "leaves.h"
#include "pools.h"

#include <errno.h>
#include <sys/mman.h>

#define LARGE ((size_t)1 << 18) /* less than the records that are open at first */

static atomic_int refuse_maps, refuse_opens, refuse_more, refused;

/* Where large mappings begin, so that the first opening is told from those after it. */
static void *_Atomic bases[256];
static atomic_int mapped;

void *__real_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset);
int __real_mprotect(void *at, size_t n, int protection);
int __wrap_mprotect(void *at, size_t n, int protection);

#define GIB ((uintptr_t)1 << 30)

static atomic_int edges;       /* so many mappings more begin at a multiple of a GiB */
static uintptr_t below = 4096; /* ... less these bytes, which are 64 records, or none */

/* At such an edge, somewhere in all of the addresses; NULL: none is free.  (A sanitizer has
   most of them.)  Not at a multiple of four GiB, of which the low half is 0. */
static void *at_edge(size_t n)
{
    for (uintptr_t k = 5; sizeof(void *) > 4 && k < 131072; k += 37) {
        void *at = (void *)(k * GIB - below), *got = MAP_FAILED;

        if (k % 4)
            got = __real_mmap(at, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
                              MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == at)
            return got;
        if (got != MAP_FAILED)
            munmap(got, n);
    }
    return NULL;
}

void *__wrap_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    void *edge;

    if (refuse_maps && n >= LARGE && protection == PROT_NONE) {
        refused++;
        errno = ENOMEM;
        return MAP_FAILED;
    }
    if (edges > 0 && n >= LARGE && protection == PROT_NONE && (edge = at_edge(n))) {
        edges--;
        return edge;
    }
    at = __real_mmap(at, n, protection, flags, fd, offset);
    if (n >= LARGE && protection == PROT_NONE && mapped < 256)
        bases[mapped++] = at;
    return at;
}

static int is_base(void *at)
{
    for (int i = 0; i < mapped; i++)
        if (bases[i] == at)
            return 1;
    return 0;
}

int __wrap_mprotect(void *at, size_t n, int protection)
{
    if (n >= LARGE && (refuse_opens || (refuse_more && !is_base(at)))) {
        refused++;
        errno = ENOMEM;
        return -1;
    }
    return __real_mprotect(at, n, protection);
}

static _Thread_local int no_groups;

void *__real_aligned_alloc(size_t alignment, size_t n);
void *__wrap_aligned_alloc(size_t alignment, size_t n);

void *__wrap_aligned_alloc(size_t alignment, size_t n)
{
    if (!no_groups)
        return __real_aligned_alloc(alignment, n);
    refused++;
    errno = ENOMEM;
    return NULL;
}

static _Atomic size_t given_back; /* bytes */

int __real_madvise(void *at, size_t n, int advice);
int __wrap_madvise(void *at, size_t n, int advice);

int __wrap_madvise(void *at, size_t n, int advice)
{
    if (advice == MADV_DONTNEED)
        given_back += n;
    return __real_madvise(at, n, advice);
}

static atomic_int leaves;

static void count_leaf(int i)
{
    (void)i;
    leaves++;
}

TWEED_TASK(int64_t, tree, int, lo, int, hi)
{
    int64_t b;

    if (hi - lo == 1)
        return TWEED_CALL(leaf, lo, count_leaf);
    TWEED_SPAWN(tree, lo, lo + (hi - lo) / 2);
    b = TWEED_CALL(tree, lo + (hi - lo) / 2, hi);
    return TWEED_SYNC(tree) + b;
}

static int is_right(int64_t sum, int n)
{
    int good = sum == sum_below(n) && leaves == n;

    leaves = 0;
    return good;
}

static int wide_is_right(tweed_pool *pool, int n)
{
    return is_right(TWEED_RUN_ON(pool, wide, n, count_leaf), n);
}

/* Nothing can be opened beyond the first 4,096 records. */
static void short_of_memory(int workers, int fence)
{
    tweed_pool *pool = pool_fenced(workers, fence);
    tweed_stats s = TWEED_STATS_INIT;
    int good = wide_is_right(pool, 2000);

    refuse_more = 1;
    refused = 0;
    for (int k = 0; k < 20; k++)
        good &= wide_is_right(pool, 4000);
    must(tweed_stats_get(pool, -1, &s));
    ok(good && refused > 0 && s.tasks_at_once > 0,
       "%d workers: at once when the deque cannot grow", workers);
    refuse_more = 0;
    ok(wide_is_right(pool, 40000), "it grows when it can");
    tweed_pool_destroy(pool);
}

/* There is no memory for records at all. */
static void without_memory(int workers, int fence, atomic_int *what)
{
    tweed_pool *pool = pool_fenced(workers, fence);
    tweed_stats s = TWEED_STATS_INIT;
    int good = 1;

    *what = 1;
    refused = 0;
    for (int k = 0; k < 20; k++) {
        good &= is_right(TWEED_RUN_ON(pool, tree, 0, 3000), 3000);
        good &= wide_is_right(pool, 100);
    }
    must(tweed_stats_get(pool, -1, &s));
    ok(good && refused > 0 && s.tasks_at_once > 0,
       "%d workers: at once where there is no deque", workers);
    *what = 0;
    ok(wide_is_right(pool, 40000), "there is one when there can be");
    tweed_pool_destroy(pool);
}

/* Records whose places would begin anew at a multiple of a GiB, or do begin there. */
static void at_edges(void)
{
    tweed_pool *pool = pool_of(3);
    int good = 1, none = 0;

    for (int k = 0; k < 3; k++) {
        edges = k + 1; /* the second is no better */
        good &= wide_is_right(pool, 2000);
        none += edges > k;
        tweed_pool_destroy(pool);
        pool = pool_of(3);
    }
    edges = 0;
    if (none)
        skip(1, "there is no free multiple of a GiB");
    else
        ok(good, "the system gives memory across a multiple of a GiB");
    below = 0;
    edges = 3;
    for (int k = 0; k < 3; k++) {
        good &= wide_is_right(pool, 2000);
        tweed_pool_destroy(pool);
        pool = pool_of(3);
    }
    none = edges == 3;
    edges = 0;
    if (none)
        skip(1, "there is no free multiple of a GiB");
    else
        ok(good, "... or from one on");
    tweed_pool_destroy(pool);
}

/* ---- groups ---- */

static int ran;

static int fail(void *arg)
{
    ran++;
    return *(int *)arg;
}

/* Three tasks: how many were executed, and what came of them. */
static int executed(tweed_group *g, int *code)
{
    int codes[] = { 0, 71, 72 };

    ran = 0;
    for (int k = 0; k < 3; k++)
        must(tweed_group_spawn(g, fail, &codes[k]));
    *code = tweed_group_sync(g);
    return ran;
}

/* Fails if run_apart() skips without TWEED_GROUP_SKIP, or never; and if settle() does not
   forget the code, which the next tasks would then be skipped for, or yield. */
static void without_groups(void)
{
    tweed_pool *pool = pool_of(1);
    tweed_group all = TWEED_GROUP_INIT, skips = TWEED_GROUP_INIT;
    int none = 0, code, good = 1;

    all.pool = skips.pool = pool;
    skips.flags = TWEED_GROUP_SKIP;
    no_groups = 1;
    refused = 0;
    good = executed(&all, &code) == 3 && code == 71;
    ok(good && refused > 0, "all tasks of a group that there is no memory for");
    ok(tweed_group_sync(&all) == TWEED_OK && executed(&all, &code) == 3 && code == 71,
       "... whose code is told once");
    ok(executed(&skips, &code) == 2 && code == 71 && tweed_group_sync(&skips) == TWEED_OK &&
           executed(&skips, &code) == 2 && code == 71,
       "... and one that skips does so, each time anew");
    no_groups = 0;
    must(tweed_group_spawn(&all, fail, &none));
    ok(tweed_group_sync(&all) == TWEED_OK && executed(&all, &code) == 3 && code == 72 &&
           tweed_group_sync(&all) == TWEED_OK,
       "there is one when there can be: the last task is the first");
    tweed_pool_destroy(pool);
}

/* ---- what is given back ---- */

#define MANY 200000 /* a record has 64 bytes; some are kept */

static atomic_int ended, holds, is_held;

static int hold(void *arg)
{
    (void)arg;
    is_held = 1;
    while (holds)
        nap_us(100);
    ended++;
    return 0;
}

static int count(void *arg)
{
    (void)arg;
    ended++;
    return 0;
}

/* The only thread is in a task until all others are spawned, and takes them then.  Fails if
   tidy() of session.c gives nothing back where thieves have left nothing. */
static void gives_back(void)
{
    tweed_pool *pool = pool_of(2);
    tweed_group g = TWEED_GROUP_INIT;
    size_t before;
    int none;

    g.pool = pool;
    holds = 1;
    must(tweed_group_spawn(&g, hold, NULL));
    while (!is_held)
        nap_us(100);
    for (int k = 0; k < MANY; k++)
        must(tweed_group_spawn(&g, count, NULL));
    before = given_back;
    holds = 0;
    while (ended <= MANY)
        nap_us(100);
    none = tweed_pool_try_one(pool);
    before = given_back - before;
    ok(none == 0 && before >= 64 * (MANY / 2),
       "when all tasks were stolen their memory is given back: %zu bytes", before);
    must(tweed_group_sync(&g));
    tweed_pool_destroy(pool);
}

int main(void)
{
    plan(16 + 2 + 4 + 1);
    watchdog();
    short_of_memory(1, TWEED_FENCE_DEFAULT);
    short_of_memory(3, TWEED_FENCE_DEFAULT);
    short_of_memory(3, TWEED_FENCE_EXCHANGE);
    without_memory(1, TWEED_FENCE_DEFAULT, &refuse_maps);
    without_memory(3, TWEED_FENCE_DEFAULT, &refuse_maps);
    without_memory(3, TWEED_FENCE_EXCHANGE, &refuse_maps);
    without_memory(3, TWEED_FENCE_DEFAULT, &refuse_opens);
    without_memory(1, TWEED_FENCE_EXCHANGE, &refuse_opens);
    at_edges();
    without_groups();
    gives_back();
    return done_testing();
}

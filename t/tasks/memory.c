/*
 * memory.c - no memory for records: tasks are executed by their spawner, at once.
 *
 * SPDX-License-Identifier: MIT
 *
 * mmap() and mprotect() are wrapped: of large mappings, which only records have here,
 * they refuse as many as a test says.
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

void *__wrap_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    if (refuse_maps && n >= LARGE && protection == PROT_NONE) {
        refused++;
        errno = ENOMEM;
        return MAP_FAILED;
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

static atomic_int leaves;

static void count_leaf(int i)
{
    (void)i;
    leaves++;
}

TWEED_TASK(long, tree, int, lo, int, hi)
{
    long b;

    if (hi - lo == 1)
        return TWEED_CALL(leaf, lo, count_leaf);
    TWEED_SPAWN(tree, lo, lo + (hi - lo) / 2);
    b = TWEED_CALL(tree, lo + (hi - lo) / 2, hi);
    return TWEED_SYNC(tree) + b;
}

static int is_right(long sum, int n)
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
    tweed_pool *pool = pool_of(workers, fence);
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
    tweed_pool *pool = pool_of(workers, fence);
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

int main(void)
{
    plan(16);
    watchdog();
    short_of_memory(1, TWEED_FENCE_DEFAULT);
    short_of_memory(3, TWEED_FENCE_DEFAULT);
    short_of_memory(3, TWEED_FENCE_EXCHANGE);
    without_memory(1, TWEED_FENCE_DEFAULT, &refuse_maps);
    without_memory(3, TWEED_FENCE_DEFAULT, &refuse_maps);
    without_memory(3, TWEED_FENCE_EXCHANGE, &refuse_maps);
    without_memory(3, TWEED_FENCE_DEFAULT, &refuse_opens);
    without_memory(1, TWEED_FENCE_EXCHANGE, &refuse_opens);
    return done_testing();
}

/*
 * once.c - every task once, whatever the tree's shape and whoever executes it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "leaves.h"
#include "pools.h"
#include "sanitized.h"

#include <string.h>

#define MOST 200000

static unsigned char count[MOST + 2]; /* guards at both ends */

static int all_once(int n)
{
    for (int i = 1; i <= n; i++)
        if (count[i] != 1) {
            diag("leaf %d was executed %d times", i - 1, count[i]);
            return 0;
        }
    return count[0] == 0 && count[n + 1] == 0;
}

static void clear(int n)
{
    memset(count, 0, (size_t)n + 2);
}

/* Where a tree divides is drawn, so that some are lists and some are even. */
static uint32_t mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    return x ^ x >> 16;
}

TWEED_TASK(int64_t, tree, int, lo, int, hi, uint32_t, seed)
{
    int mid;
    int64_t b;

    if (hi - lo == 1) {
        count[1 + lo]++;
        for (volatile uint32_t n = mix(seed) % 64; n > 0; n--)
            ;
        return lo;
    }
    mid = lo + 1 + (int)(mix(seed) % (uint32_t)(hi - lo - 1 + (hi - lo == 1)));
    if (seed % 3 == 0)
        mid = lo + (hi - lo) / 2;
    TWEED_SPAWN(tree, lo, mid, seed * 2 + 1);
    b = TWEED_CALL(tree, mid, hi, seed * 2 + 2);
    return TWEED_SYNC(tree) + b;
}

static void count_leaf(int i)
{
    count[1 + i]++;
}

/* A list: each spawns the next and does nothing else. */
TWEED_TASK(int64_t, list, int, i, int, n)
{
    int64_t sum;

    count[1 + i]++;
    if (i + 1 == n)
        return i;
    TWEED_SPAWN(list, i + 1, n);
    sum = i;
    return sum + TWEED_SYNC(list);
}

static int trees(tweed_pool *pool, int times, int n)
{
    int good = 0;

    for (int k = 0; k < times; k++) {
        clear(n);
        good += TWEED_RUN_ON(pool, tree, 0, n, (uint32_t)k) == sum_below(n) &&
                all_once(n);
    }
    return good == times;
}

static int wides(tweed_pool *pool, int n)
{
    clear(n);
    return TWEED_RUN_ON(pool, wide, n, count_leaf) == sum_below(n) && all_once(n);
}

static int lists(tweed_pool *pool, int n)
{
    clear(n);
    return TWEED_RUN_ON(pool, list, 0, n) == sum_below(n) && all_once(n);
}

static void shapes(int workers, int fence)
{
    tweed_pool *pool = pool_deep(workers, fence);
    const char *mode = fence == TWEED_FENCE_EXCHANGE ? "exchange" : "heavy fences";
    int slow = HAVE_RUNTIME_SANITIZER ? 10 : 1;

    ok(trees(pool, 200 / slow, 50) && trees(pool, 40 / slow, 3000) &&
           trees(pool, 4 / slow + 1, MOST / slow),
       "trees, %d workers, %s", workers, mode);
    ok(wides(pool, 1) && wides(pool, 1000) && wides(pool, 4095) && wides(pool, 4096) &&
           wides(pool, MOST / slow) && wides(pool, 5000),
       "so many spawned at once that the deque grows");
    ok(lists(pool, 1) && lists(pool, 2000), "a chain of tasks");
    tweed_pool_destroy(pool);
}

int main(void)
{
    static const int workers[] = { 1, 2, 3, 8 };

    plan(24);
    watchdog();
    for (size_t k = 0; k < sizeof workers / sizeof *workers; k++) {
        shapes(workers[k], TWEED_FENCE_DEFAULT);
        shapes(workers[k], TWEED_FENCE_EXCHANGE);
    }
    return done_testing();
}

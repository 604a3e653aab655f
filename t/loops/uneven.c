/*
 * uneven.c - on CPUs that are not equal shares are in proportion to what each can do.
 *
 * SPDX-License-Identifier: MIT
 *
 * TWEED_TOPOLOGY makes two large cores and two small ones.  In static loops who has
 * executed an index is whose share it was.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "once.h"
#include "pools.h"

#include <string.h>

#define N 1200
#define WORKERS 4

static atomic_int count[N];
static int owner[N];
static double weights[N];

static void body(int64_t i, void *arg)
{
    (void)arg;
    count[i]++;
    owner[i] = tweed_worker_index();
}

/* Each index once, and n shares of these sizes, one after the other, by workers 0 to
   n - 1. */
static int shares_are(tweed_pool *pool, int64_t indices, tweed_loop_options o,
                      const int *sizes)
{
    int64_t at = 0;
    int good;

    o.size = sizeof o;
    o.schedule = TWEED_SCHEDULE_STATIC;
    memset(count, 0, sizeof count);
    good = tweed_parallel_for_with(pool, &o, 0, indices, body, NULL) == TWEED_OK;
    for (int w = 0; w < WORKERS; w++)
        for (int k = 0; k < sizes[w] && at < indices; k++, at++)
            good &= count[at] == 1 && owner[at] == w;
    if (!good || at != indices)
        for (int64_t i = 0, end; i < indices; i = end) {
            for (end = i + 1; end < indices && owner[end] == owner[i];)
                end++;
            diag("worker %d: %d", owner[i], (int)(end - i));
        }
    return good && at == indices;
}

int main(void)
{
    static const int whole[] = { 400, 400, 200, 200 }, three[] = { 480, 480, 240, 0 };
    static const int one_each[] = { 1, 1, 1, 1 }, few[] = { 2, 2, 1, 1 };
    tweed_pool *pool;

    setenv("TWEED_TOPOLOGY", "nodes:1,cpus:4,small:2,capacity:512", 1);
    plan(7);
    watchdog();
    pool = pool_of(WORKERS);
    for (int i = 0; i < N; i++)
        weights[i] = 3;
    ok(shares_are(pool, N, (tweed_loop_options){ 0 }, whole), "a share for each worker");
    ok(shares_are(pool, N, (tweed_loop_options){ .weights = weights }, whole),
       "shares by weight");
    ok(shares_are(pool, N, (tweed_loop_options){ .max_workers = 3 }, three),
       "three of the workers");
    ok(shares_are(pool, N, (tweed_loop_options){ .max_workers = 3, .weights = weights },
                  (const int[]){ 400, 400, 400, 0 }),
       "three of the workers, by weight: all alike, for it is not known who they are");
    ok(shares_are(pool, 6, (tweed_loop_options){ 0 }, few), "few indices");
    ok(shares_are(pool, 4, (tweed_loop_options){ 0 }, one_each),
       "as many as workers: one each");
    ok(once_loops(pool, 40), "loops of all kinds: every index once");
    tweed_pool_destroy(pool);
    return done_testing();
}

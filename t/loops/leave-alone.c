/*
 * leave-alone.c - a loop that its caller has begun alone is shared, and the caller's own
 * share of the rest is empty.
 *
 * SPDX-License-Identifier: MIT
 *
 * Of four CPUs three can do next to nothing, and so have no share of a short loop.  A body
 * on one of these runs a loop that was short so far, and is not this time.
 */
#include "config.h"

#include "pools.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define N 300
#define CHEAP 30 /* loops, until the cost is known */
#define ROUNDS 20

static atomic_int count[N], outside, inner_loops;

/* naps: one in so many indices; 0: none. */
TWEED_LOOP(inner, i, const int *, naps)
{
    if (i < 0 || i >= N) {
        outside++;
        return;
    }
    count[i]++;
    if (*naps && i % *naps == 0)
        nap_us(50);
}

static void run_inner(int naps)
{
    for (int k = 0; k < CHEAP; k++)
        inner(0, N, &(const int){ 0 });
    inner(0, N, &naps);
    inner_loops += CHEAP + 1;
}

/* The first body that is on another worker than the first has the loops. */
static void outer(int64_t i, void *arg)
{
    static atomic_flag taken = ATOMIC_FLAG_INIT;

    (void)i;
    if (tweed_worker_index() > 0 && !atomic_flag_test_and_set(&taken)) {
        run_inner(*(int *)arg);
        atomic_flag_clear(&taken);
    } else {
        nap_us(300);
    }
}

static int all_once(void)
{
    int expected = inner_loops, good = outside == 0 && expected > 0;

    for (int i = 0; i < N; i++)
        good &= count[i] == expected;
    if (!good)
        diag("%d loops, %d indices outside of their bounds", expected, (int)outside);
    return good;
}

int main(void)
{
    static const int naps[] = { 1, 7, 60 };

    setenv("TWEED_NUM_WORKERS", "4", 1);
    setenv("TWEED_TOPOLOGY", "nodes:1,cpus:4,small:3,capacity:1", 1);
    plan(3);
    watchdog();
    for (int k = 0; k < 3; k++) {
        int each = naps[k];

        memset(count, 0, sizeof count);
        outside = inner_loops = 0;
        for (int round = 0; round < ROUNDS; round++)
            must(tweed_parallel_for(0, 16, outer, &each));
        ok(all_once(), "one index of %d takes long: all once", each);
    }
    return done_testing();
}

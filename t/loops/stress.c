/*
 * stress.c - loops of every shape at random, each index counted.
 *
 * SPDX-License-Identifier: MIT
 *
 * TWEED_TEST_SEED repeats a run's choices, TWEED_TEST_ROUNDS sets how many
 * rounds there are.  In a round one to four threads at once each run some loops
 * on one of the pools, of 1 to 9 workers and of both fence modes; bodies may run
 * inner loops on any pool.  A count is a plain byte: a body that runs twice at
 * the same time may hide here, but not from ThreadSanitizer.
 */
#include "pools.h"
#include "base/tsan.h"
#include "draw.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#define WORKERS 9
#define POOLS (2 * WORKERS)
#define OUTER 3000 /* most indices of an outermost loop */
#define INNER 40   /* of an inner one */

static tweed_pool *pools[POOLS];
static atomic_int failures;

struct loop {
    int64_t lo;
    uint32_t n;
    int depth;          /* how many more levels may be nested */
    uint64_t seed;      /* of what its bodies do */
    uint32_t work;      /* most steps of useless work of a body */
    unsigned char *count;
};

static void run_loop(uint64_t seed, int depth, uint32_t most,
                     unsigned char *count);

static void one(int64_t i, void *arg)
{
    struct loop *l = arg;
    uint64_t k = (uint64_t)i - (uint64_t)l->lo, state = l->seed + k;

    if (k >= l->n) {
        atomic_fetch_add(&failures, 1);
        return;
    }
    l->count[k]++;
    if (l->depth > 0 && below(&state, 16) == 0) {
        unsigned char inner[INNER];

        run_loop(draw(&state), l->depth - 1, INNER, inner);
    }
    for (uint32_t w = l->work ? below(&state, l->work) : 0; w > 0; w--)
        __asm__ volatile("" : : "r"(w));
}

static void some(int64_t begin, int64_t end, void *arg)
{
    struct loop *l = arg;

    if (begin >= end || (uint64_t)end - (uint64_t)l->lo > l->n)
        atomic_fetch_add(&failures, 1);
    else
        for (; begin < end; begin++)
            one(begin, arg);
}

static int64_t any_bound(uint64_t *state, uint32_t n)
{
    switch (below(state, 4)) {
    case 0:
        return 0;
    case 1:
        return -(int64_t)below(state, 2 * n + 1);
    case 2:
        return below(state, 2) ? INT64_MIN : INT64_MAX - (int64_t)n;
    default:
        return (int64_t)(draw(state) >> 2) - (INT64_C(1) << 61);
    }
}

static void run_loop(uint64_t seed, int depth, uint32_t most,
                     unsigned char *count)
{
    uint64_t state = seed;
    struct loop l = { .depth = depth, .count = count };
    tweed_loop_options o = { .size = sizeof o, .name = "stress" };
    tweed_pool *pool = pools[below(&state, POOLS)];
    int code, ranges;

    l.n = below(&state, 4) ? below(&state, 32) : below(&state, most + 1);
    if (l.n > most)
        l.n = most;
    l.lo = any_bound(&state, l.n);
    l.work = below(&state, 2) ? 0 : below(&state, 2000);
    l.seed = draw(&state);
    o.grain = any_grain(&state);
    o.max_workers = below(&state, 2) ? 0 : (int)below(&state, WORKERS + 2);
    ranges = below(&state, 2) != 0;
    memset(count, 0, l.n);

    code = ranges ? tweed_parallel_for_range_with(pool, &o, l.lo,
                                                  l.lo + l.n, some, &l)
                  : tweed_parallel_for_with(pool, &o, l.lo, l.lo + l.n, one,
                                            &l);
    for (uint32_t k = 0; k < l.n; k++)
        if (code != TWEED_OK || count[k] != 1) {
            atomic_fetch_add(&failures, 1);
            diag("loop seed %" PRIu64 ": index %u of %u counted %d times, "
                 "result %d", seed, k, l.n, count[k], code);
            return;
        }
}

struct caller {
    uint64_t seed;
    pthread_t thread;
};

static void *call(void *arg)
{
    struct caller *c = arg;
    uint64_t state = c->seed;
    unsigned char *count = malloc(OUTER);

    if (!count)
        bail_out("no memory");
    for (int k = 0; k < 5; k++)
        run_loop(draw(&state), (int)below(&state, 3), OUTER, count);
    free(count);
    return NULL;
}

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);

    return value && *value ? strtoull(value, NULL, 10) : otherwise;
}

static void one_round(uint64_t seed)
{
    struct caller callers[4];
    uint64_t state = seed;
    int n = 1 + (int)below(&state, 4);

    for (int k = 0; k < n; k++) {
        callers[k].seed = draw(&state);
        if (k > 0 &&
            pthread_create(&callers[k].thread, NULL, call, &callers[k]) != 0)
            bail_out("no thread");
    }
    call(&callers[0]);
    for (int k = 1; k < n; k++)
        pthread_join(callers[k].thread, NULL);
}

int main(void)
{
    struct timespec now;
    uint64_t seed, rounds = number("TWEED_TEST_ROUNDS",
                                   TWEED_HAVE_TSAN ? 30 : 300);

    clock_gettime(CLOCK_REALTIME, &now);
    seed = number("TWEED_TEST_SEED", (uint64_t)now.tv_sec * 1000003 +
                                         (uint64_t)now.tv_nsec);
    plan(10);
    diag("TWEED_TEST_SEED=%" PRIu64 " TWEED_TEST_ROUNDS=%" PRIu64, seed,
         rounds);
    if (!getenv("TWEED_TEST_ROUNDS"))
        watchdog();
    for (int k = 0; k < POOLS; k++)
        pools[k] = pool_fenced(k / 2 + 1, k % 2 ? TWEED_FENCE_EXCHANGE
                                            : TWEED_FENCE_MEMBARRIER);
    for (uint64_t part = 0; part < 10; part++) {
        int before = atomic_load(&failures);

        for (uint64_t r = part * rounds / 10; r < (part + 1) * rounds / 10; r++)
            one_round(seed + r);
        ok(atomic_load(&failures) == before,
           "rounds up to %" PRIu64 ": each index once",
           (part + 1) * rounds / 10);
    }
    for (int k = 0; k < POOLS; k++)
        tweed_pool_destroy(pools[k]);
    return done_testing();
}

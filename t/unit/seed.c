/*
 * seed.c - with the same seed the same victims are drawn, with another one others.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "pool/here.h"
#include "pool/pool.h"
#include "base/random.h"
#include "tap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define WORKERS 5
#define DRAWN 200

struct course {
    uint32_t drawn[WORKERS][DRAWN];
};

/* What each worker of a pool would draw. */
static struct course course_of(uint64_t seed)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;
    struct course c;
    tweed_pool *pool;

    o.num_workers = WORKERS;
    o.seed = seed;
    must(tweed_pool_create(&pool, &o));
    for (int w = 0; w < WORKERS; w++) {
        uint64_t state = tweed__pool_team(pool)->workers[w]->seed;

        for (int n = 0; n < DRAWN; n++)
            c.drawn[w][n] = random_below(&state, 1000);
    }
    must(tweed_pool_destroy(pool));
    return c;
}

static bool are_same(uint64_t a, uint64_t b)
{
    struct course x = course_of(a), y = course_of(b);

    return memcmp(&x, &y, sizeof x) == 0;
}

/* Of two rows of numbers below 1000 some few agree. */
static bool are_apart(const uint32_t *a, const uint32_t *b)
{
    int equal = 0;

    for (int n = 0; n < DRAWN; n++)
        equal += a[n] == b[n];
    return equal < 10;
}

static bool workers_are_apart(uint64_t seed)
{
    struct course c = course_of(seed);

    for (int v = 0; v < WORKERS; v++)
        for (int w = 0; w < v; w++)
            if (!are_apart(c.drawn[v], c.drawn[w]))
                return false;
    return true;
}

static bool seeds_are_apart(uint64_t a, uint64_t b)
{
    struct course x = course_of(a), y = course_of(b);

    for (int w = 0; w < WORKERS; w++)
        if (!are_apart(x.drawn[w], y.drawn[w]))
            return false;
    return true;
}

/* All places are drawn about as often. */
static bool is_even(uint64_t seed)
{
    struct course c = course_of(seed);
    int below = 0;

    for (int w = 0; w < WORKERS; w++)
        for (int n = 0; n < DRAWN; n++)
            below += c.drawn[w][n] < 500;
    return below > WORKERS * DRAWN * 4 / 10 && below < WORKERS * DRAWN * 6 / 10;
}

/* A thread of the program draws as worker 0 of the first pool that it looks in. */
static void *draw_outside(void *arg)
{
    struct tweed__team *team = arg;
    uint64_t state = team->workers[0]->seed;
    uint32_t first = random_below(&state, 1000), second = random_below(&state, 1000);

    return draw(team, 1000) == first && draw(team, 1000) == second ? team : NULL;
}

static bool outside_is_worker_0(void)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;
    void *result = NULL;
    tweed_pool *pool;
    pthread_t thread;

    o.num_workers = 2;
    o.seed = 5;
    must(tweed_pool_create(&pool, &o));
    if (pthread_create(&thread, NULL, draw_outside, tweed__pool_team(pool)) == 0)
        pthread_join(thread, &result);
    must(tweed_pool_destroy(pool));
    return result;
}

/* Where a thread's draws have come to that has looked for a task. */
static void *look_for_task(void *pool)
{
    must(tweed_pool_try_one(pool));
    return (void *)(uintptr_t)tweed__self.seed;
}

static uintptr_t drawn_by_task(uint64_t seed)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;
    void *result = NULL;
    tweed_pool *pool;
    pthread_t thread;

    o.num_workers = 1;
    o.seed = seed;
    must(tweed_pool_create(&pool, &o));
    if (pthread_create(&thread, NULL, look_for_task, pool) == 0)
        pthread_join(thread, &result);
    must(tweed_pool_destroy(pool));
    return (uintptr_t)result;
}

static bool tasks_go_by_seed(void)
{
    return drawn_by_task(5) && drawn_by_task(5) == drawn_by_task(5) &&
           drawn_by_task(5) != drawn_by_task(6);
}

int main(void)
{
    setenv("TWEED_SEED", "77", 1);
    plan(10);
    ok(are_same(0, 77), "0: what TWEED_SEED says");
    ok(are_same(1, 1) && are_same(UINT64_MAX, UINT64_MAX), "the same seed, the same places");
    ok(seeds_are_apart(1, 2) && seeds_are_apart(1, UINT64_C(1) << 63),
       "another seed, other places");
    ok(seeds_are_apart(77, 78), "the environment's and its neighbour");
    for (uint64_t seed = 1; seed <= 3; seed++)
        ok(workers_are_apart(seed) && is_even(seed),
           "seed %d: each worker draws for itself, and all places", (int)seed);
    ok(workers_are_apart(UINT64_C(0x9e3779b97f4a7c15)), "a seed like the constants");
    ok(outside_is_worker_0(), "a thread from outside draws as worker 0");
    ok(tasks_go_by_seed(), "so does one that looks for tasks first");
    return done_testing();
}

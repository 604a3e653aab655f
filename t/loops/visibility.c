/*
 * visibility.c - what was written before the call is read by bodies, and what
 * bodies wrote is read after it, all of it plain data.
 *
 * SPDX-License-Identifier: MIT
 *
 * A stale value shows here; under --enable-sanitizer=thread a missing edge shows
 * even if the value was right.
 */
#include "pools.h"

#include <pthread.h>
#include <string.h>

#define MOST 3000
#define ROUNDS 100

struct data {
    int n, round;
    int in[MOST], out[MOST];
};

static void one(int64_t i, void *arg)
{
    struct data *d = arg;

    d->out[i] = d->in[i] + d->round;
}

static void some(int64_t begin, int64_t end, void *arg)
{
    for (; begin < end; begin++)
        one(begin, arg);
}

static int once(tweed_pool *pool, struct data *d, int round, int n, int ranges)
{
    int code, good = 1;

    d->n = n;
    d->round = round;
    for (int i = 0; i < n; i++)
        d->in[i] = i * round;
    code = ranges ? tweed_parallel_for_range_with(pool, NULL, 0, n, some, d)
                  : tweed_parallel_for_with(pool, NULL, 0, n, one, d);
    for (int i = 0; i < n; i++) {
        good &= d->out[i] == i * round + round;
        d->out[i] = -1;
    }
    return good && code == TWEED_OK;
}

static int many(tweed_pool *pool, struct data *d, int ranges)
{
    int good = 1;

    for (int r = 1; r <= ROUNDS; r++)
        good &= once(pool, d, r, r % 3 ? r % 7 + 2 : MOST - r, ranges);
    return good;
}

/* An outer loop whose bodies run inner loops on data of their own. */
static tweed_pool *inner_pool;
static unsigned char inner_good[8];

static void nested(int64_t i, void *arg)
{
    struct data *d = arg;

    inner_good[i] = (unsigned char)once(inner_pool, d + i, (int)i + 3, 200,
                                        (int)i % 2);
}

static int nest(tweed_pool *pool, struct data *d)
{
    int good = 1;

    inner_pool = pool;
    for (int r = 0; r < ROUNDS / 5; r++) {
        memset(inner_good, 0, sizeof inner_good);
        good &= tweed_parallel_for_with(pool, NULL, 0, 8, nested, d) == 0;
        for (int i = 0; i < 8; i++)
            good &= inner_good[i];
    }
    return good;
}

struct caller {
    tweed_pool *pool;
    struct data *d;
    int good;
    pthread_t thread;
};

static void *call(void *arg)
{
    struct caller *c = arg;

    c->good = many(c->pool, c->d, 0) & many(c->pool, c->d, 1);
    return NULL;
}

static int concurrent(tweed_pool *pool, struct data *d)
{
    struct caller callers[3];
    int good = 1;

    for (int k = 0; k < 3; k++) {
        callers[k] = (struct caller){ .pool = pool, .d = d + k };
        if (pthread_create(&callers[k].thread, NULL, call, &callers[k]) != 0)
            bail_out("no thread");
    }
    for (int k = 0; k < 3; k++) {
        pthread_join(callers[k].thread, NULL);
        good &= callers[k].good;
    }
    return good;
}

int main(void)
{
    static struct data data[8];

    plan(2 * 4);
    watchdog();
    for (int fence = TWEED_FENCE_MEMBARRIER; fence <= TWEED_FENCE_EXCHANGE;
         fence++) {
        tweed_pool *pool = pool_fenced(4, fence);
        const char *mode = fence == TWEED_FENCE_EXCHANGE ? "exchange"
                                                         : "membarrier";

        ok(many(pool, data, 0), "%s: index bodies", mode);
        ok(many(pool, data, 1), "%s: range bodies", mode);
        ok(nest(pool, data), "%s: nested loops", mode);
        ok(concurrent(pool, data), "%s: three callers at once", mode);
        tweed_pool_destroy(pool);
    }
    return done_testing();
}

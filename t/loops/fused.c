/*
 * fused.c - the bits of a sum whose products and additions are fused (FMA): whichever way the
 * blocks were claimed, the same.
 *
 * SPDX-License-Identifier: MIT
 *
 * A compiler that fuses may do so otherwise in each copy of a body.  So no block may go
 * through one copy or another by the time that it takes.
 */
#if defined __x86_64__ && !defined __FMA__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("fma"))), apply_to = function)
#else
#pragma GCC target("fma")
#endif
#define NEEDS_FMA 1
#endif

#include "pools.h"
#include "tap.h"

#include <tweed.h>

#include <stdlib.h>
#include <string.h>

#define N 3000
#define ARRAYS 300

static double x[N + 1], y[N + 1];

TWEED_SUM(double, area, i, const double *, u, const double *, v)
{
    return u[i] * v[i + 1] - u[i + 1] * v[i];
}

static double sum(tweed_pool *pool, int64_t grain)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    double s = 0;

    o.grain = grain;
    if (area_with(pool, &o, 0, N, x, y, &s) != TWEED_OK)
        bail_out("a sum failed");
    return s;
}

static void fill(void)
{
    for (int i = 0; i <= N; i++) {
        x[i] = rand() / (double)RAND_MAX - 0.4;
        y[i] = rand() / (double)RAND_MAX - 0.4;
    }
}

static void compare(tweed_pool *one, tweed_pool *two, int64_t grain)
{
    int workers = 0, again = 0;

    for (int k = 0; k < ARRAYS; k++) {
        double alone, shared, first;

        fill();
        alone = sum(one, grain);
        shared = sum(two, grain);
        area_tweed_kind.cost = 0; /* as in the first call of a process: short claims */
        first = sum(two, grain);
        workers += memcmp(&alone, &shared, sizeof alone) != 0;
        again += memcmp(&alone, &first, sizeof alone) != 0;
    }
    ok(workers == 0, "grain %d, 1 and 2 workers: %d of %d differ", (int)grain, workers, ARRAYS);
    ok(again == 0, "grain %d, a first call and later ones: %d of %d differ", (int)grain, again,
       ARRAYS);
}

int main(void)
{
    tweed_pool *one, *two;

#ifdef NEEDS_FMA
    if (!__builtin_cpu_supports("fma"))
        skip_all("this CPU does not fuse");
#endif
    plan(4);
    watchdog();
    one = pool_of(1);
    two = pool_of(2);
    compare(one, two, 0);
    compare(one, two, 18);
    tweed_pool_destroy(two);
    tweed_pool_destroy(one);
    return done_testing();
}

#if defined NEEDS_FMA && defined __clang__
#pragma clang attribute pop
#endif

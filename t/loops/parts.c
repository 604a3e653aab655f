/*
 * parts.c - a reduction without memory for all of its results: in parts, of which the time
 * and the outcome are one, or not at all.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pools.h"

TWEED_SUM(double, sum, i, const double *, x)
{
    return x[i];
}

/* ---- no memory ---- */

static _Thread_local int no_memory;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    return no_memory ? NULL : __real_malloc(size);
}

/* ---- too large, and the outcome ---- */

static unsigned char large[100000];

static void count_body(int64_t begin, int64_t end, void *element, void *arg)
{
    (void)begin;
    (void)end;
    (void)element;
    atomic_fetch_add((atomic_int *)arg, 1);
}

static void no_combine(void *into, const void *from, void *arg)
{
    (void)into;
    (void)from;
    (void)arg;
}

static void too_large(void)
{
    tweed_pool *pool = pool_of(4);
    tweed_reduction r = { sizeof r, sizeof large, 8, large, count_body, no_combine };
    atomic_int ran = 0;
    int first, code;

    no_memory = 1;
    first = tweed_parallel_reduce_with(pool, NULL, 0, 100, &r, &ran, large);
    r.element_size = 6400; /* as many as a part has, but not as there are parts */
    code = tweed_parallel_reduce_with(pool, NULL, 0, 100, &r, &ran, large);
    /* more than can be counted */
    for (int k = 1; SIZE_MAX >> k > 1 << 24 && code == TWEED_ENOMEM; k++) {
        r.element_size = SIZE_MAX >> k;
        code = tweed_parallel_reduce_with(pool, NULL, 0, 100000, &r, &ran, large);
    }
    no_memory = 0;
    ok(first == TWEED_ENOMEM && code == TWEED_ENOMEM && ran == 0,
       "without memory for large elements: TWEED_ENOMEM, and no body");
    must(tweed_pool_destroy(pool));
}

#define MOST 70000

static void outcome_of_parts(void)
{
    static double values[MOST];
    tweed_pool *pool = pool_of(4);
    tweed_reduction r = { sizeof r, 4096, 8, large, count_body, no_combine };
    tweed_outcome outcome = TWEED_OUTCOME_INIT;
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    atomic_int ran = 0;
    double result = 0;
    int good;

    for (int i = 0; i < MOST; i++)
        values[i] = 1;
    o.outcome = &outcome;
    o.grain = 16; /* more results than a stack has room for */
    no_memory = 1;
    must(sum_with(pool, &o, 0, MOST, values, &result));
    good = outcome.ran == MOST && result == MOST;
    no_memory = 0;
    must(tweed_pool_destroy(pool));
    no_memory = 1;
    good &= tweed_parallel_reduce_with(pool, &o, 0, 1000, &r, &ran, large) ==
                TWEED_ENOPOOL &&
            outcome.ran == MOST && ran == 0;
    no_memory = 0;
    ok(good, "without memory, the outcome: of all, or left alone");
}

/* ---- the time ---- */

static atomic_int napped;

static void nap_body(int64_t begin, int64_t end, void *element, void *arg)
{
    (void)element, (void)arg;
    napped += (int)(end - begin);
    nap_us(2000);
}

/* Of 256 blocks, in parts: what they take together is more than the time. */
static void time_of_parts(void)
{
    static unsigned char identity[512], result[512];
    tweed_pool *pool = pool_of(2);
    tweed_reduction r = { sizeof r, 512, 8, identity, nap_body, no_combine };
    tweed_outcome all = TWEED_OUTCOME_INIT;
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    int code;

    o.outcome = &all;
    o.timeout_ns = 100000000;
    no_memory = 1;
    code = tweed_parallel_reduce_with(pool, &o, 0, 256, &r, NULL, result);
    no_memory = 0;
    ok(code == TWEED_ETIMEOUT && napped < 256 && all.ran == (uint64_t)napped &&
           all.index == 256,
       "without memory: one time limit, and one outcome, for all parts");
    must(tweed_pool_destroy(pool));
}

/* The clock goes on by an hour when the results of a part are combined. */
static _Atomic uint64_t later;

uint64_t __real_tweed__clock(void);
uint64_t __wrap_tweed__clock(void);
uint64_t __wrap_tweed__clock(void)
{
    return __real_tweed__clock() + later;
}

#define HOUR_NS UINT64_C(3600000000000)

static void combine_for_hours(void *into, const void *from, void *arg)
{
    (void)into, (void)from, (void)arg;
    later += HOUR_NS;
}

static void count_indices(int64_t begin, int64_t end, void *element, void *arg)
{
    (void)element;
    *(atomic_int *)arg += (int)(end - begin);
}

/* Fails if partials_limit() gives a part what is left, be that nothing (no limit), or less. */
static void time_between_parts(void)
{
    static unsigned char identity[512], result[512];
    tweed_pool *pool = pool_of(2);
    tweed_reduction r = { sizeof r, 512, 8, identity, count_indices, combine_for_hours };
    tweed_outcome all = TWEED_OUTCOME_INIT;
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    atomic_int ran = 0;
    int code;

    o.outcome = &all;
    o.timeout_ns = (int64_t)HOUR_NS;
    later = 0;
    no_memory = 1;
    code = tweed_parallel_reduce_with(pool, &o, 0, 256, &r, &ran, result);
    no_memory = 0;
    later = 0;
    ok(code == TWEED_ETIMEOUT && ran >= 16 && ran < 256 && all.ran == (uint64_t)ran,
       "without memory: the time is over between two parts");
    must(tweed_pool_destroy(pool));
}

int main(void)
{
    plan(4);
    watchdog();
    too_large();
    outcome_of_parts();
    time_of_parts();
    time_between_parts();
    return done_testing();
}

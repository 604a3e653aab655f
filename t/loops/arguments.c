/*
 * arguments.c - grains, bodies and options that make no sense are refused, and
 * then no index was run.
 *
 * SPDX-License-Identifier: MIT
 */
#include "forms.h"

#include <errno.h>
#include <string.h>

#define N 1000

static unsigned char count[N];

static void each(int64_t i, void *arg)
{
    (void)arg;
    count[i]++;
}

static void range(int64_t begin, int64_t end, void *arg)
{
    for (; begin < end; begin++)
        each(begin, arg);
}

/* How many indices were run; -1 if one of them more than once. */
static int ran(void)
{
    int n = 0;

    for (int i = 0; i < N; i++) {
        if (count[i] > 1)
            return -1;
        n += count[i];
    }
    memset(count, 0, sizeof count);
    return n;
}

/* With these options the first forms of a loop give this code, and run all or nothing. */
static int forms_give(int code, tweed_loop_options o, tweed_pool *pool, int some)
{
    int all = code == TWEED_OK ? N : 0, good = 1;

    for (int f = 0; f < some; f++) {
        int one = run_form(f, pool, &o, 0, N, each, NULL) == code;

        one &= ran() == all;
        if (!one)
            diag("%s", forms[f].name);
        good &= one;
    }
    return good;
}

static int gives(int code, tweed_loop_options o, tweed_pool *pool)
{
    return forms_give(code, o, pool, FORMS);
}

static tweed_loop_options grain(int64_t g)
{
    return (tweed_loop_options){ .size = sizeof(tweed_loop_options),
                                 .grain = g };
}

/* All four calls refuse a loop without a body. */
static int no_body(int64_t lo, int64_t hi)
{
    return tweed_parallel_for(lo, hi, NULL, NULL) == TWEED_EINVAL &&
           tweed_parallel_for_range(lo, hi, NULL, NULL) == TWEED_EINVAL &&
           tweed_parallel_for_with(NULL, NULL, lo, hi, NULL, NULL) ==
               TWEED_EINVAL &&
           tweed_parallel_for_range_with(NULL, NULL, lo, hi, NULL, NULL) ==
               TWEED_EINVAL;
}

static void work(tweed_cursor *c)
{
    do
        range(tweed_first(c), tweed_past(c), c->arg);
    while (tweed_next(c));
}

/* A loop by this kind gives this code, and runs all or nothing; an empty one, too. */
static int kind_gives(int code, tweed_kind *kind)
{
    return tweed_loop_run(NULL, NULL, 0, N, kind, NULL, NULL) == code &&
           ran() == (code == TWEED_OK ? N : 0) &&
           tweed_loop_run(NULL, NULL, 5, 5, kind, NULL, NULL) == code;
}

static void test_kinds(void)
{
    static tweed_kind sound = { .size = sizeof sound, .work = work };
    static tweed_kind larger = { .size = sizeof larger + 8, .work = work };
    static tweed_kind idle = { .size = sizeof idle };
    static tweed_kind sizeless = { .work = work };
    static tweed_kind small = { .size = sizeof small - 1, .work = work };

    ok(kind_gives(TWEED_OK, &sound) && kind_gives(TWEED_OK, &larger),
       "a kind, and one of a later version");
    ok(kind_gives(TWEED_EINVAL, NULL), "no kind");
    ok(kind_gives(TWEED_EINVAL, &idle), "a kind that has no work");
    ok(kind_gives(TWEED_EINVAL, &sizeless) && kind_gives(TWEED_EINVAL, &small),
       "a kind whose size is not set, or too small");
}

/* A pool of these options cannot be had, and the pointer is left alone. */
static int refused(tweed_pool_options o)
{
    tweed_pool *const before = (tweed_pool *)&count, *pool = before;

    if (!o.size)
        o.size = sizeof o;
    return tweed_pool_create(&pool, &o) == TWEED_EINVAL && pool == before;
}

/* ---- schedule, weights ---- */

static double weights[N];

static void at(int64_t i, int64_t j, int64_t k, void *arg)
{
    (void)j, (void)k;
    each(i, arg);
}

static void add(int64_t begin, int64_t end, void *element, int writes, void *arg)
{
    (void)element, (void)writes;
    range(begin, end, arg);
}

static void combine(void *into, const void *from, void *arg)
{
    (void)into, (void)from, (void)arg;
}

/* Loops whose indices are not those of the weights. */
static int not_by_index(const tweed_loop_options *o, tweed_pool *pool)
{
    static const char none;
    tweed_scan_spec scan = { .size = sizeof scan, .element_size = 1, .alignment = 1,
                        .identity = &none, .body = add, .combine = combine };
    char result = 7;
    tweed_space space = tweed_space_2d(0, 10, 0, 1);
    int good = tweed_parallel_for_space(pool, o, &space, at, NULL) == TWEED_EINVAL;

    good &= tweed_parallel_scan_with(pool, o, 0, N, &scan, NULL, &result) ==
            TWEED_EINVAL;
    return good & (ran() == 0) & (result == 7);
}

static void test_schedule(tweed_pool *pool)
{
    tweed_loop_options o = grain(0);

    o.schedule = 2;
    ok(gives(TWEED_EINVAL, o, pool), "schedule 2");
    o.schedule = -1;
    ok(gives(TWEED_EINVAL, o, pool), "schedule -1");
    o.schedule = 0;
    o.weights = weights;
    ok(forms_give(TWEED_OK, o, pool, FLAT_FORMS), "weights that are all zero");
    weights[N - 1] = -1;
    ok(gives(TWEED_EINVAL, o, pool), "a negative weight");
    o.max_workers = 1;
    ok(gives(TWEED_EINVAL, o, pool), "... of a loop that is not shared, too");
    ok(not_by_index(&o, pool), "weights of a loop of two dimensions, or of a scan");
    o.schedule = 2;
    ok(tweed_parallel_for_with(pool, &o, 5, 5, each, NULL) == TWEED_EINVAL,
       "schedule 2 of an empty loop");
}

int main(void)
{
    static const int64_t good_grains[] = { 0, 1, 999, N, N + 1, INT64_MAX };
    int wrong = 0;
    tweed_loop_options o = grain(0);
    tweed_pool *pool, *none = NULL;
    tweed_stats stats = { .size = sizeof stats };

    plan(41 + 9);
    watchdog();
    pool = pool_of(3);
    for (int k = 0; k < 6; k++)
        ok(gives(TWEED_OK, grain(good_grains[k]), pool), "grain %lld",
           (long long)good_grains[k]);
    ok(gives(TWEED_EINVAL, grain(-1), pool), "grain -1");
    ok(gives(TWEED_EINVAL, grain(INT64_MIN), pool), "grain INT64_MIN");

    o.max_workers = INT32_MAX;
    ok(gives(TWEED_OK, o, pool), "more max_workers than there are workers");
    o.max_workers = -1;
    ok(gives(TWEED_EINVAL, o, pool), "max_workers -1");
    o = grain(0);
    for (o.size = 0; o.size < sizeof o; o.size++)
        if (!gives(TWEED_EINVAL, o, pool)) {
            diag("size %zu", o.size);
            wrong++;
        }
    ok(wrong == 0, "loop options of any size that is too small");
    o.size = SIZE_MAX;
    ok(gives(TWEED_EINVAL, o, NULL), "loop options of a huge size");
    o = grain(-1);
    ok(tweed_parallel_for_with(pool, &o, 5, 5, each, NULL) == TWEED_EINVAL,
       "bad options are refused for an empty loop, too");

    ok(tweed_parallel_for(0, N, NULL, count) == TWEED_EINVAL,
       "no body: tweed_parallel_for");
    ok(tweed_parallel_for_range(0, N, NULL, count) == TWEED_EINVAL,
       "no body: tweed_parallel_for_range");
    ok(tweed_parallel_for_with(pool, NULL, 0, N, NULL, count) == TWEED_EINVAL,
       "no body: tweed_parallel_for_with");
    ok(tweed_parallel_for_range_with(pool, NULL, 0, N, NULL, count) ==
           TWEED_EINVAL, "no body: tweed_parallel_for_range_with");
    ok(no_body(1, 0) && no_body(5, 5) && no_body(INT64_MAX, INT64_MIN),
       "no body and no index: all four");

    test_kinds();
    test_schedule(pool);

    ok(tweed_pool_create(NULL, NULL) == TWEED_EINVAL, "no place for a pool");
    ok(refused((tweed_pool_options){ .size = 1 }) &&
           refused((tweed_pool_options){
               .size = offsetof(tweed_pool_options, name) }),
       "pool options of a wrong size");
    ok(refused((tweed_pool_options){ .num_workers = -1 }), "-1 workers");
    ok(refused((tweed_pool_options){ .num_workers = 4095 }), "4095 workers");
    ok(refused((tweed_pool_options){ .bind = -1 }) &&
           refused((tweed_pool_options){ .bind = 4 }), "no such bind");
    ok(refused((tweed_pool_options){ .fence = -1 }) &&
           refused((tweed_pool_options){ .fence = 3 }), "no such fence");
    ok(refused((tweed_pool_options){ .stack_bytes = 1 }) &&
           refused((tweed_pool_options){ .stack_bytes = 16383 }) &&
           refused((tweed_pool_options){ .stack_bytes = 1073741825 }) &&
           refused((tweed_pool_options){ .stack_bytes = SIZE_MAX }),
       "stacks too small and too large");
    ok(refused((tweed_pool_options){ .spin_ns = 2000000000 }) &&
           refused((tweed_pool_options){ .spin_ns = 1000000001 }) &&
           refused((tweed_pool_options){ .spin_ns = INT64_MAX }),
       "spinning for more than a second");
    ok(refused((tweed_pool_options){ .name = "" }), "an empty name");
    ok(tweed_pool_destroy(NULL) == TWEED_OK, "destroying NULL");
    ok(tweed_pool_destroy((tweed_pool *)&count) == TWEED_ENOPOOL,
       "destroying what is no pool");

    ok(tweed_stats_get(pool, -1, NULL) == TWEED_EINVAL, "no place for stats");
    ok(tweed_stats_get(pool, -2, &stats) == TWEED_EINVAL, "stats of worker -2");
    ok(tweed_stats_get(pool, 3, &stats) == TWEED_EINVAL, "stats of worker 3");
    ok(tweed_stats_get(pool, INT32_MAX, &stats) == TWEED_EINVAL,
       "stats of worker INT32_MAX");
    stats.size = 8;
    ok(tweed_stats_get(pool, 0, &stats) == TWEED_EINVAL && stats.size == 8,
       "stats of a wrong size");

    ok(tweed_worker_index() == -1 && tweed_worker_node() == -1,
       "outside of bodies there is no worker");
    errno = 12345;
    ok(gives(TWEED_OK, grain(0), pool) && gives(TWEED_EINVAL, grain(-1), pool) &&
           refused((tweed_pool_options){ .fence = 9 }) && errno == 12345,
       "errno is left as it was");
    ok(gives(TWEED_OK, grain(1), pool), "after all that the pool still works");
    ok(tweed_pool_destroy(pool) == TWEED_OK, "and can be destroyed");
    ok(tweed_pool_create(&none, NULL) == TWEED_OK && none &&
           tweed_pool_num_workers(none) >= 1 && tweed_pool_destroy(none) == 0,
       "no pool options: all defaults");
    return done_testing();
}

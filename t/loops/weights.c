/*
 * weights.c - shares by weight, and the options of one loop together: any
 * schedule, any weights, any grain, for all sorts of loops.
 *
 * SPDX-License-Identifier: MIT
 *
 * t/unit/deal.c has the split itself, t/loops/schedule.c what static means.
 */
#include "config.h"

#include "draw.h"
#include "forms.h"
#include "pool/pool.h"
#include "self.h"

#include <string.h>

#define MOST 700

static atomic_uchar count[MOST];
static int ran_on[MOST];
static double weights[MOST];
static tweed_pool *pool;

static void each(int64_t i, void *arg)
{
    (void)arg;
    atomic_fetch_add(&count[i], 1);
    ran_on[i] = tweed_worker_index();
}

/* Indices [0, n) once each, and no others. */
static int counted(int n)
{
    int good = 1;

    for (int i = 0; i < MOST; i++)
        good &= atomic_exchange(&count[i], 0) == (i < n);
    return good;
}

/* ---- the shares ---- */

/* Each of the workers has what lies between the ends. */
static int dealt(int64_t n, const int *ends, int workers)
{
    int good = 1;

    for (int64_t i = 0, w = 0; i < n; i++) {
        while (w + 1 < workers && i >= ends[w])
            w++;
        good &= ran_on[i] == (int)w;
    }
    return good;
}

static int deals(tweed_loop_options o, int n, const int *ends)
{
    int good = 1;

    o.schedule = TWEED_SCHEDULE_STATIC;
    o.weights = weights;
    for (int again = 0; again < 10; again++) {
        good &= tweed_parallel_for_with(pool, &o, 0, n, each, NULL) == TWEED_OK;
        good &= counted(n) && dealt(n, ends, 4);
    }
    return good;
}

static void test_shares(void)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    for (int i = 0; i < MOST; i++)
        weights[i] = i;
    /* the sum of all below n is n (n - 1) / 2 */
    ok(deals(o, 400, (int[]){ 200, 283, 346, 400 }), "a triangle: each has a quarter");
    o.grain = 50;
    ok(deals(o, 400, (int[]){ 200, 300, 350, 400 }), "... of what stays together");
    o.grain = 0;
    memset(weights, 0, sizeof weights);
    ok(deals(o, 400, (int[]){ 100, 200, 300, 400 }), "all zero: equal shares");
    weights[7] = 1;
    ok(deals(o, 400, (int[]){ 7, 7, 8, 400 }), "shares without an index, the caller's not");
    weights[7] = 0;
    weights[0] = 1;
    ok(deals(o, 400, (int[]){ 0, 0, 1, 400 }), "... and the caller's");
}

/* ---- whatever the options ---- */

static uint64_t seed;

static tweed_loop_options any_options(void)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    o.grain = below(&seed, 2) ? 0 : below(&seed, 40);
    o.max_workers = below(&seed, 3) ? 0 : (int)below(&seed, 6);
    o.schedule = (int)below(&seed, 2);
    if (below(&seed, 3))
        o.weights = weights;
    for (int i = 0; o.weights && i < MOST; i++)
        weights[i] = below(&seed, 3) ? below(&seed, 1000) : 0;
    return o;
}

static int flat_loops(const tweed_loop_options *o, int n)
{
    int good = 1;

    for (int f = 0; f < FLAT_FORMS; f++) {
        good &= run_form(f, pool, o, 0, n, each, NULL) == TWEED_OK;
        good &= counted(n);
    }
    return good;
}

static void test_flat(void)
{
    int good = 1;

    for (int k = 0; k < 400; k++) {
        tweed_loop_options o = any_options();

        good &= flat_loops(&o, (int)below(&seed, MOST));
    }
    ok(good, "loops with any options: every index once");
}

static const int *wanted;

TWEED_FIND(first_of, i)
{
    each(i, NULL);
    return i >= wanted[0] && (i == wanted[0] || i == wanted[1] || i % 7 == 0);
}

static void test_find(void)
{
    int good = 1;

    for (int k = 0; k < 400; k++) {
        tweed_loop_options o = any_options();
        int n = 1 + (int)below(&seed, MOST - 1);
        int at[2] = { (int)below(&seed, (uint32_t)n), n - 1 };
        int64_t found = -1;

        wanted = at;
        good &= first_of_with(pool, &o, 0, n, &found) == TWEED_OK;
        good &= found == at[0];
        for (int i = 0; i < MOST; i++)
            good &= atomic_exchange(&count[i], 0) <= 1 && found == at[0];
    }
    ok(good, "a search: the lowest index");
}

/* How many were executed is told, with blocks that are shorter than others, too. */
static int stop_somewhere(int64_t i, void *arg)
{
    each(i, NULL);
    return i == *(int *)arg;
}

static void test_stops(void)
{
    int good = 1;

    for (int k = 0; k < 400; k++) {
        tweed_outcome came = TWEED_OUTCOME_INIT;
        tweed_loop_options o = any_options();
        int n = 1 + (int)below(&seed, MOST - 1), at = (int)below(&seed, (uint32_t)n);
        uint64_t ran = 0;

        o.outcome = &came;
        good &= tweed_parallel_try_with(pool, &o, 0, n, stop_somewhere, &at) ==
                TWEED_ESTOPPED;
        for (int i = 0; i < MOST; i++)
            ran += atomic_exchange(&count[i], 0);
        good &= came.ran == ran && came.index == at && came.code == 1;
    }
    ok(good, "a body that fails: where, and how many indices were executed");
}

static const double *values;

TWEED_SUM(double, sum_up, i)
{
    each(i, NULL);
    return values[i];
}

TWEED_SCAN(double, add_up, 0, TWEED_PLUS, sum, writes, i, double *, to)
{
    sum[0] += values[i];
    if (writes)
        to[i] = sum[0];
}

static int reductions(const tweed_loop_options *o, int n)
{
    static double due[MOST], to[MOST];
    tweed_loop_options plain = TWEED_LOOP_OPTIONS_INIT, scan = *o;
    double sum = 0, same = 0;
    int good = 1;

    plain.grain = scan.grain;
    good &= sum_up_with(pool, &plain, 0, n, &sum) == TWEED_OK && counted(n);
    good &= sum_up_with(pool, o, 0, n, &same) == TWEED_OK && counted(n);
    good &= memcmp(&sum, &same, sizeof sum) == 0;
    scan.weights = NULL;
    good &= add_up_with(pool, &plain, 0, n, due, &sum) == TWEED_OK;
    good &= add_up_with(pool, &scan, 0, n, to, &same) == TWEED_OK;
    return good & (memcmp(due, to, (size_t)n * sizeof *to) == 0);
}

static void test_reductions(void)
{
    static double x[MOST];
    int good = 1;

    for (int i = 0; i < MOST; i++)
        x[i] = 1.0 / (i + 1);
    values = x;
    for (int k = 0; k < 400; k++) {
        tweed_loop_options o = any_options();

        good &= reductions(&o, (int)below(&seed, MOST));
    }
    if (has_more_bits())
        skip(1, "x87: sums are not rounded to a double each time");
    else
        ok(good, "reductions and scans: the same bits");
}

static void at_point(int64_t i, int64_t j, int64_t k, void *arg)
{
    each(i * 20 + j + k, arg);
}

static void at_tile(const tweed_tile *t, void *arg)
{
    for (int64_t i = t->lo[0]; i < t->hi[0]; i++)
        for (int64_t j = t->lo[1]; j < t->hi[1]; j++)
            at_point(i, j, 0, arg);
}

static void test_tiles(void)
{
    int good = 1;

    for (int k = 0; k < 200; k++) {
        tweed_loop_options o = any_options();
        int rows = (int)below(&seed, MOST / 20);
        tweed_space space = tweed_space_2d(0, rows, 0, 20);

        o.weights = NULL;
        o.tile[0] = o.tile[1] = below(&seed, 2) ? 0 : 1 + below(&seed, 9);
        good &= tweed_parallel_for_space(pool, &o, &space, at_point, NULL) == TWEED_OK;
        good &= counted(rows * 20);
        good &= tweed_parallel_for_tiles(pool, &o, &space, at_tile, NULL) == TWEED_OK;
        good &= counted(rows * 20);
    }
    ok(good, "two dimensions");
}

/* Far ends, where unsigned sums wrap. */
static atomic_llong indices;

static void count_up(int64_t i, void *arg)
{
    (void)i, (void)arg;
    atomic_fetch_add(&indices, 1);
}

static void test_bounds(void)
{
    static const int64_t los[] = { INT64_MIN, -50, INT64_MAX - 100 };
    double ones[100];
    int good = 1;

    for (int i = 0; i < 100; i++)
        ones[i] = 1;
    for (int k = 0; k < 3; k++) {
        tweed_loop_options o = any_options();

        o.weights = ones;
        atomic_store(&indices, 0);
        good &= tweed_parallel_for_with(pool, &o, los[k], los[k] + 100, count_up,
                                        NULL) == TWEED_OK;
        good &= atomic_load(&indices) == 100;
    }
    ok(good, "bounds anywhere");
}

static void inner(int64_t i, void *arg)
{
    tweed_loop_options o = *(const tweed_loop_options *)arg;

    each(i, NULL);
    o.schedule = TWEED_SCHEDULE_DEFAULT;
    must(tweed_parallel_for_with(pool, &o, 0, 30, count_up, NULL));
}

static void test_nested(void)
{
    tweed_loop_options o = any_options();
    int good;

    o.max_workers = 0;
    o.weights = weights;
    good = tweed_parallel_for_with(pool, &o, 0, 30, inner, &o) == TWEED_OK;
    ok(good && counted(30), "in bodies");
}

/* All other slots are taken, and a straggler is in the one that is left; the first
   index sees it out. */
static atomic_int dozes;

static void sees_out(int64_t i, void *arg)
{
    struct tweed__team *team = arg;

    each(i, NULL);
    if (atomic_exchange(&dozes, 0))
        atomic_fetch_sub(&team->workers[2]->seats[0].range.inside, 1);
}

static int without_room(void)
{
    struct tweed__team *team = tweed__pool_team(pool);
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    unsigned char was[TWEED__SLOTS];
    int code;

    for (int k = 1; k < TWEED__SLOTS; k++)
        was[k] = (unsigned char)atomic_exchange(&team->slots[k].taken, 1);
    atomic_store(&dozes, 1);
    atomic_fetch_add(&team->workers[2]->seats[0].range.inside, 1);
    atomic_fetch_or(&team->slots[0].visited, 1);
    o.weights = weights;
    code = tweed_parallel_for_with(pool, &o, 0, 64, sees_out, team);
    for (int k = 1; k < TWEED__SLOTS; k++)
        atomic_store(&team->slots[k].taken, was[k]);
    return code == TWEED_OK && counted(64);
}

static void test_without_room(void)
{
    for (int i = 0; i < 64; i++)
        weights[i] = i < 10 ? 9 : 1;
    ok(without_room(),
       "shared late, as there was no slot at first: each index once");
}

int main(void)
{
    plan(13);
    watchdog();
    pool = pool_of(4);
    test_shares();
    test_flat();
    test_find();
    test_stops();
    test_reductions();
    test_tiles();
    test_bounds();
    test_nested();
    test_without_room();
    must(tweed_pool_destroy(pool));
    return done_testing();
}

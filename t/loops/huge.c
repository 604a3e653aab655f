/*
 * huge.c - loops of so many indices that a block of them would last for seconds: what
 * ends a loop ends them as soon as any other.
 *
 * SPDX-License-Identifier: MIT
 *
 * A loop of 2^54 indices has blocks of 2^28.  Each loop here is ended soon after it has
 * begun.  Counted is what is begun after that: a claim of each worker, and what others do
 * while the thread that ends the loop does not get the CPU.  That is less than a quarter
 * of a block.
 */
#include "forms.h"
#include "self.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>

#define N (INT64_C(1) << 54)
#define FEW (INT64_C(1) << 26)
#define WORKERS 2

static tweed_token token = TWEED_TOKEN_INIT;
static atomic_long calls, late;
static atomic_int is_over;
static int64_t lo, stop_at; /* stop_at: by a body; lo - 1: by none */

static int each(int64_t i, void *arg)
{
    (void)arg;
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    if (atomic_load_explicit(&is_over, memory_order_relaxed))
        atomic_fetch_add_explicit(&late, 1, memory_order_relaxed);
    return i == stop_at;
}

/* is_over is set a little before the loop ends: more is late. */
static int each_or_end(int64_t i, void *arg)
{
    int ends = each(i, arg);

    if (ends)
        is_over = 1;
    return ends;
}

static int run(int form, tweed_pool *pool, const tweed_loop_options *o)
{
    return run_form_until(form, pool, o, lo, lo + N, each_or_end, NULL);
}

static void begin(int64_t at, int64_t stop)
{
    lo = at;
    stop_at = stop;
    calls = late = 0;
    is_over = 0;
    tweed_token_clear(&token);
}

/* Is the result right, and is what tweed says what the program counted? */
static bool has_ended(int form, int code, int expected, const tweed_outcome *all, long after)
{
    bool counts = form < FORMS; /* a scan has two passes, of which each has an outcome */

    if (code != expected || after > FEW || (counts && all->ran != (uint64_t)calls)) {
        diag("code %d, %ld after the end of %ld, outcome %llu", code, after, (long)calls,
             (unsigned long long)all->ran);
        return false;
    }
    return true;
}

static void by_body(tweed_pool *pool, int most_workers, const char *how)
{
    for (int k = 0; k < ALL_FORMS; k++) {
        tweed_outcome all = TWEED_OUTCOME_INIT;
        tweed_loop_options o = { .size = sizeof o, .max_workers = most_workers,
                                 .outcome = &all };
        int code;

        begin(0, 5);
        code = run(k, pool, &o);
        ok(has_ended(k, code, TWEED_ESTOPPED, &all, late), "%s, %s: by its body",
           how, forms[k].name);
    }
}

static void *set_soon(void *arg)
{
    (void)arg;
    while (calls == 0)
        sched_yield();
    tweed_token_set(&token);
    is_over = 1;
    return NULL;
}

static void by_token(tweed_pool *pool, int most_workers, const char *how)
{
    for (int k = 0; k < ALL_FORMS; k++) {
        tweed_outcome all = TWEED_OUTCOME_INIT;
        tweed_loop_options o = { .size = sizeof o, .max_workers = most_workers,
                                 .outcome = &all, .token = &token };
        pthread_t thread;
        int code;

        begin(-N / 2, -N);
        if (pthread_create(&thread, NULL, set_soon, NULL) != 0)
            bail_out("no thread");
        code = run(k, pool, &o);
        pthread_join(thread, NULL);
        ok(has_ended(k, code, TWEED_ESTOPPED, &all, late), "%s, %s: by a token",
           how, forms[k].name);
    }
}

static void by_time(tweed_pool *pool, int most_workers, const char *how)
{
    for (int k = 0; k < ALL_FORMS; k++) {
        tweed_outcome all = TWEED_OUTCOME_INIT;
        tweed_loop_options o = { .size = sizeof o, .max_workers = most_workers,
                                 .outcome = &all, .timeout_ns = 1000000 };
        int code;

        begin(1, 0);
        code = run(k, pool, &o);
        ok(has_ended(k, code, TWEED_ETIMEOUT, &all, calls), "%s, %s: by its time",
           how, forms[k].name);
    }
}

TWEED_SCAN(int64_t, cheap, 0, TWEED_PLUS, e, writes, i)
{
    *e += 1;
}

/* Each part of it takes less than the time that all have. */
static void by_time_of_parts(tweed_pool *pool)
{
    tweed_loop_options o = { .size = sizeof o, .timeout_ns = 50000000 };
    int64_t n = -1;

    ok(cheap_with(pool, &o, 0, N, &n) == TWEED_ETIMEOUT && n == -1,
       "a scan in parts: by its time");
}

/* ---- which indices are executed ---- */

static atomic_long in_order;

static int follows(int64_t i, void *arg)
{
    in_order += calls == i - lo;
    return each(i, arg);
}

static void by_one(tweed_pool *pool)
{
    tweed_outcome all = TWEED_OUTCOME_INIT;
    const tweed_loop_options o = { .size = sizeof o, .max_workers = 1, .outcome = &all };
    int code;

    begin(INT64_MIN, INT64_MIN + 1000000);
    in_order = 0;
    code = tweed_parallel_try_with(pool, &o, INT64_MIN, INT64_MAX, follows, NULL);
    ok(code == TWEED_ESTOPPED && calls == 1000001 && in_order == calls,
       "alone: one after the other, up to the one that fails");
    ok(all.ran == 1000001 && all.index == stop_at && all.code == 1,
       "and so says the outcome");
}

static atomic_uchar seen[4][4096];

static void see(int64_t i, void *arg)
{
    each(i, arg);
    for (int k = 0; k < 4; k++) { /* from the first index, and from others, on */
        uint64_t from = (uint64_t)(i - (int64_t)k * (N / 4));

        if (from < sizeof seen[k])
            seen[k][from]++;
    }
}

/* Each worker begins with the lowest indices of its range, and no index comes twice. */
static void by_grain(tweed_pool *pool, int64_t grain)
{
    tweed_outcome all = TWEED_OUTCOME_INIT;
    const tweed_loop_options o = { .size = sizeof o, .grain = grain, .outcome = &all,
                                   .timeout_ns = 2000000 };
    bool once = true, whole = true;
    int code;

    begin(0, -1);
    for (int k = 0; k < 4; k++)
        memset(seen[k], 0, sizeof seen[k]);
    code = tweed_parallel_for_with(pool, &o, 0, N, see, NULL);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < (int)sizeof seen[k]; i++) {
            once &= seen[k][i] <= 1;
            whole &= seen[k][i] == seen[k][i - i % (int)grain];
        }
    ok(code == TWEED_ETIMEOUT && all.ran == (uint64_t)calls && once,
       "grain %d: what was executed was so once, and counted", (int)grain);
    ok(whole, "grain %d: indices that were asked to stay together did", (int)grain);
}

/* ---- what is made of blocks in pieces ---- */

#define LARGE ((INT64_C(1) << 27) + 5)

struct runs {
    int64_t end;
    long bad;
};

static void add_run(int64_t begin, int64_t end, void *element, void *arg)
{
    struct runs *r = element;

    (void)arg;
    r->bad += begin % 4096 != 0 || end - begin > 4096 || (r->end && r->end != begin);
    r->end = end;
}

static void join_runs(void *into, const void *from, void *arg)
{
    struct runs *r = into;
    const struct runs *next = from;

    (void)arg;
    r->bad += next->bad;
    r->end = next->end;
}

static void by_run(tweed_pool *pool)
{
    const struct runs none = { 0, 0 };
    struct runs all = { 0, 1 };
    const tweed_reduction r = { .size = sizeof r, .element_size = sizeof all,
                                .alignment = sizeof(int64_t), .identity = &none,
                                .body = add_run, .combine = join_runs };

    ok(tweed_parallel_reduce_with(pool, NULL, 0, LARGE, &r, NULL, &all) == TWEED_OK &&
           all.end == LARGE && all.bad == 0,
       "tweed_parallel_reduce: runs of equal length, one behind the other");
}

TWEED_SUM(double, unequal, i)
{
    return 1.0 / (double)(i + 1);
}

TWEED_REDUCE(double, unequal_by_one, 0.0, TWEED_PLUS, e, i)
{
    *e += 1.0 / (double)(i + 1);
}

/* As the macros add n of them up, from number k on. */
static double add_up(double all, int64_t k, int64_t n)
{
    double l[4] = { 0, 0, 0, 0 };
    int64_t i = 0;

    if (n >= 16) {
        for (; i < n / 4 * 4; i++)
            l[i % 4] += 1.0 / (double)(k + i + 1);
        all += (l[0] + l[1]) + (l[2] + l[3]);
    }
    for (; i < n; i++)
        all += 1.0 / (double)(k + i + 1);
    return all;
}

/* And row by row of a block, 4,096 at a time. */
static double add_up_rows(int64_t rows, int64_t width)
{
    double all = 0;

    for (int64_t k = 0, n; k < rows * width; k += n) {
        int64_t of_row = width - k % width, of_piece = 4096 - k % 4096;

        n = of_row < of_piece ? of_row : of_piece;
        all = add_up(all, k, n);
    }
    return all;
}

TWEED_SUM_2D(double, unequal_rows, i, j, const int64_t *, width)
{
    return 1.0 / (double)(i * *width + j + 1);
}

static void same_bits_of_rows(tweed_pool *pool)
{
    static const int64_t size[][2] = { { 1009, 997 }, { 30011, 37 }, { 23, 50021 } };
    bool same = true;

    for (int k = 0; k < 3; k++) {
        const int64_t rows = size[k][0], width = size[k][1];
        const tweed_loop_options o = { .size = sizeof o, .grain = rows * width };
        double sum = 0;

        must(unequal_rows_with(pool, &o, 0, rows, 0, width, &width, &sum));
        same &= has_more_bits() || sum == add_up_rows(rows, width);
    }
    ok(same, "TWEED_SUM_2D: the same bits, however long pieces take");
}

static void same_bits(tweed_pool *pool)
{
    const int64_t n = 1000003;
    const tweed_loop_options o = { .size = sizeof o, .grain = n };
    double sum = 0, by_one = 0, one_by_one = 0;

    if (has_more_bits()) {
        skip(2, "x87: sums are not rounded to a double each time");
        return;
    }
    for (int64_t i = 0; i < n; i++)
        one_by_one += 1.0 / (double)(i + 1);
    ok(unequal_with(pool, &o, 0, n, &sum) == TWEED_OK && sum == add_up(0, 0, n),
       "TWEED_SUM: a block in pieces gives the same bits as at once");
    ok(unequal_by_one_with(pool, &o, 0, n, &by_one) == TWEED_OK &&
           by_one == one_by_one,
       "TWEED_REDUCE: the same");
}

int main(void)
{
    tweed_pool *pool;

    watchdog();
    plan(2 * 3 * ALL_FORMS + 1 + 2 + 2 * 2 + 4);
    pool = pool_of(WORKERS);
    by_body(pool, 0, "two workers");
    by_body(pool, 1, "one worker");
    by_token(pool, 0, "two workers");
    by_token(pool, 1, "one worker");
    by_time(pool, 0, "two workers");
    by_time(pool, 1, "one worker");
    by_time_of_parts(pool);
    by_one(pool);
    by_grain(pool, 1);
    by_grain(pool, 64);
    by_run(pool);
    same_bits(pool);
    same_bits_of_rows(pool);
    tweed_pool_destroy(pool);
    return done_testing();
}

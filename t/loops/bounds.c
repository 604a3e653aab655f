/*
 * bounds.c - lo and hi anywhere in int64_t, hi - lo beyond it.
 *
 * SPDX-License-Identifier: MIT
 *
 * All pairs of 40 values.  Nobody can run 2^63 bodies: loops of more than a few
 * thousand indices are given a grain of which only some dozens fit in, and a
 * range body that writes down what it got.  Sorted, the pieces must join up from
 * lo to hi.
 */
#include "forms.h"

#include <inttypes.h>
#include <string.h>

#define P(k) (INT64_C(1) << (k))
#define FEW 4096        /* up to so many indices, every one is run */
#define MOST_PIECES 512 /* no loop below has more blocks */

static const int64_t values[] = {
    INT64_MIN,     INT64_MIN + 1, INT64_MIN + 2, INT64_MIN + 1000,
    -P(62) - 1,    -P(62),        -P(62) + 1,    -P(53),
    -P(33) - 1,    -P(32),        -P(31) - 1,    -P(31),
    -P(26) - 1,    -P(26),        -P(16),        -1000,
    -3,            -2,            -1,            0,
    1,             2,             3,             7,
    1000,          P(16),         P(26) - 2,     P(26) - 1,
    P(26),         P(31) - 1,     P(31),         P(32),
    P(33) + 1,     P(53),         P(62) - 1,     P(62),
    P(62) + 1,     INT64_MAX - 2, INT64_MAX - 1, INT64_MAX,
};
#define VALUES ((int)(sizeof values / sizeof *values))

struct piece {
    int64_t begin, end;
};

static struct {
    int64_t lo, hi;
    atomic_int bad;                        /* indices or pieces out of bounds */
    unsigned char count[FEW];              /* small loops */
    atomic_int pieces;                     /* large ones */
    struct piece piece[MOST_PIECES];
} seen;

static tweed_pool *pool;

static void each(int64_t i, void *arg)
{
    (void)arg;
    if (i < seen.lo || i >= seen.hi)
        atomic_fetch_add(&seen.bad, 1);
    else
        seen.count[(uint64_t)i - (uint64_t)seen.lo]++;
}

static void note(int64_t begin, int64_t end, void *arg)
{
    int k = atomic_fetch_add(&seen.pieces, 1);

    (void)arg;
    if (begin < seen.lo || begin >= end || end > seen.hi || k >= MOST_PIECES)
        atomic_fetch_add(&seen.bad, 1);
    else
        seen.piece[k] = (struct piece){ begin, end };
}

static void each_of(int64_t begin, int64_t end, void *arg)
{
    if (begin >= end)
        atomic_fetch_add(&seen.bad, 1);
    for (int64_t i = begin; i < end; i++)
        each(i, arg);
}

static int by_begin(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;

    return (x->begin > y->begin) - (x->begin < y->begin);
}

static void start(int64_t lo, int64_t hi)
{
    memset(&seen, 0, sizeof seen);
    seen.lo = lo;
    seen.hi = hi;
}

/* n: how many indices were to be run. */
static int each_once(uint64_t n)
{
    for (uint64_t i = 0; i < FEW; i++)
        if (seen.count[i] != (i < n))
            return 0;
    return atomic_load(&seen.bad) == 0;
}

static int join_up(void)
{
    int n = atomic_load(&seen.pieces);

    if (atomic_load(&seen.bad) || n < 1)
        return 0;
    qsort(seen.piece, (size_t)n, sizeof *seen.piece, by_begin);
    for (int k = 0; k < n; k++)
        if (seen.piece[k].begin != (k ? seen.piece[k - 1].end : seen.lo))
            return 0;
    return seen.piece[n - 1].end == seen.hi;
}

/* In each form, and by the calls without options. */
static int small_loop(int64_t lo, int64_t hi, uint64_t n)
{
    int good = 1;

    for (int f = 0; f < FORMS; f++) {
        start(lo, hi);
        good &= run_form(f, pool, NULL, lo, hi, each, NULL) == TWEED_OK;
        good &= each_once(n);
    }
    start(lo, hi);
    good &= tweed_parallel_for(lo, hi, each, NULL) == TWEED_OK;
    good &= each_once(n);
    start(lo, hi);
    good &= tweed_parallel_for_range(lo, hi, each_of, NULL) == TWEED_OK;
    return good & each_once(n);
}

static int large_loop(int64_t lo, int64_t hi, uint64_t n)
{
    /* the last grains give two to three blocks for the widest loop, and one */
    uint64_t grains[] = { n / 64, n / 61 + 1, n / 3, INT64_MAX };
    int good = 1;

    for (int g = 0; g < 4; g++) {
        tweed_loop_options o = { .size = sizeof o,
                                 .grain = (int64_t)grains[g] };

        start(lo, hi);
        good &= tweed_parallel_for_range_with(pool, &o, lo, hi, note, NULL) ==
                TWEED_OK;
        good &= join_up();
    }
    return good;
}

static int pair(int64_t lo, int64_t hi)
{
    uint64_t n = lo < hi ? (uint64_t)hi - (uint64_t)lo : 0;

    return n <= FEW ? small_loop(lo, hi, n) : large_loop(lo, hi, n);
}

int main(void)
{
    plan(VALUES);
    watchdog();
    pool = pool_of(4);
    for (int a = 0; a < VALUES; a++) {
        int good = 1;

        for (int b = 0; b < VALUES; b++)
            if (!pair(values[a], values[b])) {
                diag("hi = %" PRId64 " is wrong", values[b]);
                good = 0;
            }
        ok(good, "lo = %" PRId64 ", %d values of hi: covered exactly",
           values[a], VALUES);
    }
    tweed_pool_destroy(pool);
    return done_testing();
}

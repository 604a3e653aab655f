/*
 * scan.c - scans: each index once a pass, the same bits whoever executes what.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pools.h"
#include "self.h"
#include "shapes.h"

#include <string.h>

#define WORKERS_MOST 16
#define MOST 300000 /* more than one part */

static double values[MOST];
static double sums[MOST], first_sums[MOST];

static const int sizes[] = { 1,    2,    3,     255,   256,    257,    511,   513, 1000,
                             4095, 4097, 65535, 65536, 262143, 262144, 262145, MOST };
#define SIZES (int)(sizeof sizes / sizeof *sizes)

/* ---- the same bits ---- */

static void same_bits_are(int good, const char *what)
{
    if (has_more_bits())
        skip(1, "x87: sums are not rounded to a double each time");
    else
        ok(good, "%s", what);
}

struct vectors {
    const double *x;
    double *y;
};

TWEED_SCAN(double, inclusive, 0, TWEED_PLUS, sum, writes, i, const struct vectors *, v)
{
    sum[0] += v->x[i];
    if (writes)
        v->y[i] = sum[0];
}

TWEED_SCAN(double, exclusive, 0, TWEED_PLUS, sum, writes, i, const struct vectors *, v)
{
    double x = v->x[i];

    if (writes)
        v->y[i] = sum[0];
    sum[0] += x;
}

/* What is summed up beside the sum of all that lies before, in long double. */
static int is_sum(const double *y, int n)
{
    long double exact = 0, size = 0;

    for (int i = 0; i < n; i++) {
        long double off = y[i] - (exact += values[i]);

        size += values[i] < 0 ? -values[i] : values[i];
        if ((off < 0 ? -off : off) > 1e-13L * size)
            return 0;
    }
    return 1;
}

/* The total is the last value; what lies above n stays. */
static int scan_is_right(tweed_pool *pool, int n, int64_t grain, double *y)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    struct vectors v = { values, y };
    double total = -1;

    o.grain = grain;
    memset(y, 0, MOST * sizeof *y);
    return inclusive_with(pool, &o, 0, n, &v, &total) == TWEED_OK && total == y[n - 1] &&
           (n == MOST || y[n] == 0);
}

static void same_bits(void)
{
    static const int64_t grains[] = { 0, 1, 7, 100, 5000 };
    int same = 1, right = 1;

    for (int k = 0; k < SIZES; k++)
        for (int g = 0; g < 5; g++) {
            for (int workers = 1; workers <= WORKERS_MOST; workers += 3) {
                int fence = workers % 2 ? TWEED_FENCE_EXCHANGE : TWEED_FENCE_MEMBARRIER;
                tweed_pool *pool = pool_fenced(workers, fence);
                double *y = workers == 1 ? first_sums : sums;

                right &= scan_is_right(pool, sizes[k], grains[g], y);
                same &= memcmp(y, first_sums, sizeof sums) == 0;
                must(tweed_pool_destroy(pool));
            }
            right &= is_sum(first_sums, sizes[k]);
        }
    same_bits_are(same, "the same bits with 1 to many workers, sizes and grains");
    ok(right, "and these are sums, and the total is the last one");
}

static void exclusive_and_in_place(void)
{
    int good = 1;

    for (int k = 0; k < SIZES; k++) {
        struct vectors v = { values, first_sums }, w = { sums, sums };
        double total, again;

        total = inclusive(0, sizes[k], &v);
        memcpy(sums, values, sizeof sums);
        again = inclusive(0, sizes[k], &w);
        good &= memcmp(&total, &again, sizeof total) == 0 &&
                memcmp(sums, first_sums, (size_t)sizes[k] * sizeof *sums) == 0;
        v.y = sums;
        again = exclusive(0, sizes[k], &v);
        good &= memcmp(&total, &again, sizeof total) == 0 && sums[0] == 0 &&
                is_sum(sums + 1, sizes[k] - 1);
    }
    same_bits_are(good, "in place; exclusive");
}

/* ---- each index once a pass, in order ---- */

/* Neighbouring pieces of a loop, which are only right when they stay in order. */
struct piece {
    int64_t begin, end;
};

static const struct piece nothing = { 0, 0 };
static atomic_int out_of_order;
static unsigned char summed[MOST], written[MOST];
static int64_t origin;

static void join(struct piece *into, const struct piece *from)
{
    if (into->begin == into->end)
        *into = *from;
    else if (from->begin != from->end) {
        if (into->end != from->begin)
            atomic_fetch_add(&out_of_order, 1);
        into->end = from->end;
    }
}

TWEED_SCAN(struct piece, pieces, nothing, join, piece, writes, i)
{
    struct piece one = { i, i + 1 };

    join(piece, &one);
    if (writes && (piece->begin != origin || piece->end != i + 1))
        atomic_fetch_add(&out_of_order, 1);
    (writes ? written : summed)[i - origin]++; /* each by one worker a pass */
}

static int pieces_are_right(tweed_pool *pool, int64_t lo, int n, int64_t grain)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    struct piece all;
    int good;

    o.grain = grain;
    origin = lo;
    memset(summed, 0, sizeof summed);
    memset(written, 0, sizeof written);
    good = pieces_with(pool, &o, lo, lo + n, &all) == TWEED_OK &&
           all.begin == lo && all.end == lo + n;
    for (int i = 0; i < n; i++)
        good &= written[i] == 1 && summed[i] == 1;
    for (int i = n; i < MOST; i++)
        good &= written[i] == 0 && summed[i] == 0;
    return good;
}

static void in_order(void)
{
    static const int64_t from[] = { 0, -33, INT64_MIN };
    int good = 1;

    for (int workers = 1; workers <= WORKERS_MOST; workers += 5) {
        tweed_pool *pool = pool_of(workers);

        for (int k = 0; k < SIZES; k++) {
            good &= pieces_are_right(pool, from[k % 3], sizes[k], k % 4 ? 0 : 13);
            good &= pieces_are_right(pool, INT64_MAX - sizes[k], sizes[k], 0);
        }
        must(tweed_pool_destroy(pool));
    }
    ok(good && out_of_order == 0, "each index once a pass, in order, any bounds");
}

/* ---- whoever executes what ---- */

struct lazy {
    double *y;
    int slow;
    unsigned char who[3000];
};

TWEED_SCAN(double, lazy_scan, 0, TWEED_PLUS, sum, writes, i, struct lazy *, l)
{
    sum[0] += values[i];
    if (!writes)
        return;
    l->who[i] = (unsigned char)tweed_worker_index();
    if (i < l->slow)
        nap_us(100);
    l->y[i] = sum[0];
}

static void stolen(void)
{
    static struct lazy l;
    tweed_pool *alone = pool_of(1), *pool = pool_of(4);
    double total;
    int good = 1, thieves = 0;

    l.y = first_sums;
    must(lazy_scan_with(alone, NULL, 0, 3000, &l, &total));
    l.y = sums;
    for (int round = 0; round < 6; round++) {
        l.slow = 120 * round;
        good &= lazy_scan_with(pool, NULL, 0, 3000, &l, &total) == TWEED_OK &&
                memcmp(sums, first_sums, 3000 * sizeof *sums) == 0;
        for (int i = 1; i < l.slow; i++)
            thieves += l.who[i] != l.who[i - 1];
    }
    same_bits_are(good, "the same bits when blocks are stolen");
    ok(thieves > 0, "blocks were stolen");
    must(tweed_pool_destroy(pool));
    must(tweed_pool_destroy(alone));
}

struct line {
    int64_t row;
    int64_t *y;
};

TWEED_SCAN(int64_t, line_scan, 0, TWEED_PLUS, sum, writes, i, const struct line *, l)
{
    *sum += i + l->row;
    if (writes)
        l->y[i] = *sum;
}

static atomic_int wrong_lines;

TWEED_LOOP(lines, row)
{
    int64_t y[1500] = { 0 };
    struct line l = { row, y };
    int64_t total = line_scan(0, 1500, &l);

    for (int64_t i = 0, sum = 0; i < 1500; i++)
        if (y[i] != (sum += i + row))
            atomic_fetch_add(&wrong_lines, 1);
    if (total != y[1499])
        atomic_fetch_add(&wrong_lines, 1);
}

/* ---- by pointer: elements of any size ---- */

static int scan_shapes(tweed_pool *pool, int n, struct shape *s, const void *identity,
                       void *result)
{
    tweed_scan_spec scan = TWEED_SCAN_SPEC_INIT;
    int code;

    scan.element_size = s->size;
    scan.alignment = s->alignment;
    scan.identity = identity;
    scan.body = add_to_shape;
    scan.combine = join_shape;
    code = tweed_parallel_scan_with(pool, NULL, 0, n, &scan, s, result);
    s->wrong += s->ran != n;
    return code;
}

static void elements(void)
{
    tweed_pool *pool = pool_of(4);
    int good = 1;

    for (size_t size = 1; size <= 300; size += 7)
        good &= shape_is_right(scan_shapes, pool, size, (size_t)1 << size % 8, 1 + (int)size * 5);
    ok(good, "elements of 1 to 300 bytes, alignments of 1 to 128");
    good = 1;
    for (size_t alignment = 1; alignment <= 1024; alignment *= 2) {
        good &= shape_is_right(scan_shapes, pool, 8, alignment, 5000);
        good &= shape_is_right(scan_shapes, pool, 1024, alignment, 400);
    }
    ok(good, "alignments of 1 to 1024; elements of 1024 bytes");
    must(tweed_pool_destroy(pool));
}

/* ---- mistakes, and no index ---- */

static int refused(const tweed_scan_spec *s, const tweed_loop_options *o, void *result,
                   struct shape *shape)
{
    return tweed_parallel_scan_with(NULL, o, 0, 10, s, shape, result) == TWEED_EINVAL &&
           shape->ran == 0;
}

static void mistakes(void)
{
    struct shape shape = { 8, 8, 0, 0 };
    int64_t identity = 0, result = 77;
    const tweed_scan_spec right = { sizeof right, 8, 8, &identity, add_to_shape, join_shape };
    tweed_scan_spec s[8];
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT, shares = TWEED_LOOP_OPTIONS_INIT;
    struct vectors v = { values, sums };
    double total = 77;
    struct tweed_prefixes_ huge = { .size = sizeof huge, .element = 4096, .stride = 4096,
                                   .alignment = 8, .identity = sums, .result = sums };
    int good = 1;

    for (int k = 0; k < 8; k++)
        s[k] = right;
    s[0].size = 8;
    s[1].element_size = 0;
    s[2].element_size = 1025;
    s[3].alignment = 3;
    s[4].alignment = 2048;
    s[5].identity = NULL;
    s[6].body = NULL;
    s[7].combine = NULL;
    for (int k = 0; k < 8; k++)
        good &= refused(&s[k], NULL, &result, &shape);
    good &= refused(NULL, NULL, &result, &shape) && refused(&right, NULL, NULL, &shape);
    o.grain = -1;
    good &= refused(&right, &o, &result, &shape) && result == 77;
    shares.weights = values; /* what belongs to indices */
    good &= refused(&right, &shares, &result, &shape) && result == 77;
    good &= inclusive_with(NULL, &o, 0, 10, &v, &total) == TWEED_EINVAL && total == 77;
    good &= inclusive_with(NULL, NULL, 0, 10, &v, NULL) == TWEED_EINVAL;
    good &= tweed_loop_run_scan_(NULL, NULL, 0, 10, &inclusive_tweed_sum_kind,
                                 &inclusive_tweed_write_kind, NULL,
                                 &huge) == TWEED_EINVAL;
    ok(good, "what makes no sense is TWEED_EINVAL, and no body");
    good = tweed_parallel_scan(5, 5, &right, &shape, &result) == TWEED_OK &&
           result == 0 && shape.ran == 0;
    good &= inclusive(7, 3, &v) == 0;
    ok(good, "no index: the identity");
}

int main(void)
{
    watchdog();
    plan(12);
    for (int i = 0; i < MOST; i++)
        values[i] = (double)((i * INT64_C(7919)) % 10007 - 4000) / 97;
    same_bits();
    exclusive_and_in_place();
    in_order();
    stolen();
    elements();
    mistakes();
    lines(0, 40);
    ok(wrong_lines == 0, "scans inside a loop");
    {
        struct vectors v = { values, sums };
        tweed_pool *pool = pool_of(3);
        tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
        double total;

        o.max_workers = 1;
        (void)inclusive(0, MOST, &v);
        memcpy(first_sums, sums, sizeof sums);
        must(inclusive_with(pool, &o, 0, MOST, &v, &total));
        same_bits_are(memcmp(sums, first_sums, sizeof sums) == 0 &&
                          total == sums[MOST - 1],
                      "the same bits by one worker of three");
        must(tweed_pool_destroy(pool));
    }
    return done_testing();
}

/*
 * reduce.c - reductions: each index once, the same bits whoever executes what.
 *
 * SPDX-License-Identifier: MIT
 */
#include "loop/partials.h"
#include "pools.h"
#include "self.h"
#include "sanitized.h"
#include "shapes.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#define WORKERS_MOST 16
#define MOST 70000

static double values[MOST];

/* ---- what is reduced ---- */

TWEED_SUM(double, sum, i, const double *, x)
{
    return x[i];
}

TWEED_COMPENSATED_SUM(double, careful, i, const double *, x)
{
    return x[i];
}

TWEED_MIN(double, least, INFINITY, i, const double *, x)
{
    return x[i];
}

TWEED_MAX(double, most, -INFINITY, i, const double *, x)
{
    return x[i];
}

/* Neighbouring pieces of a loop, which are only right when they stay in order. */
struct piece {
    int64_t begin, end, count;
    double sum;
};

static const struct piece nothing = { 0, 0, 0, 0 };
static atomic_int out_of_order;

static void join(struct piece *into, const struct piece *from)
{
    if (into->count && from->count && into->end != from->begin)
        atomic_fetch_add(&out_of_order, 1);
    if (!into->count)
        *into = *from;
    else if (from->count) {
        into->end = from->end;
        into->count += from->count;
        into->sum = into->sum * 0.75 + from->sum;
    }
}

struct numbers {
    int64_t lo;
    const double *x; /* of lo */
};

TWEED_REDUCE(struct piece, pieces, nothing, join, p, i, const struct numbers *, n)
{
    struct piece one = { i, i + 1, 1, n->x[i - n->lo] };

    join(p, &one);
}

/* What the tree gives, made by one thread without tweed's loops. */
static struct piece expected_pieces(int64_t lo, int64_t n, int64_t grain)
{
    uint64_t size = tweed_reduction_grain_((uint64_t)n, (uint64_t)grain, sizeof(struct piece));
    uint32_t blocks = partials_blocks((uint64_t)n, size);
    struct piece *p = calloc(blocks, sizeof *p), result;

    for (int64_t i = 0; i < n; i++) {
        struct piece one = { lo + i, lo + i + 1, 1, values[i] };

        join(&p[(uint64_t)i / size], &one);
    }
    for (uint32_t step = 1; step < blocks; step *= 2)
        for (uint32_t k = 0; k + step < blocks; k += 2 * step)
            join(&p[k], &p[k + step]);
    result = p[0];
    free(p);
    return result;
}

static int pieces_are_right(tweed_pool *pool, int64_t lo, int64_t n, int64_t grain)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    struct numbers numbers = { lo, values };
    struct piece expected = expected_pieces(lo, n, grain), got = nothing;

    o.grain = grain;
    return pieces_with(pool, &o, lo, lo + n, &numbers, &got) == TWEED_OK &&
           memcmp(&got, &expected, sizeof got) == 0 && got.begin == lo &&
           got.end == lo + n && got.count == n;
}

/* The same by pointer. */
static void add_pieces(int64_t begin, int64_t end, void *element, void *arg)
{
    const struct numbers *n = arg;

    for (int64_t i = begin; i < end; i++) {
        struct piece one = { i, i + 1, 1, n->x[i - n->lo] };

        join(element, &one);
    }
}

static void join_by_pointer(void *into, const void *from, void *arg)
{
    (void)arg;
    join(into, from);
}

static int pieces_by_pointer_are_right(tweed_pool *pool, int64_t lo, int64_t n,
                                       int64_t grain)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    tweed_reduction r = { sizeof r,   sizeof(struct piece), _Alignof(struct piece),
                          &nothing,   add_pieces,           join_by_pointer };
    struct numbers numbers = { lo, values };
    struct piece expected = expected_pieces(lo, n, grain), got = nothing;

    o.grain = grain;
    return tweed_parallel_reduce_with(pool, &o, lo, lo + n, &r, &numbers, &got) ==
               TWEED_OK &&
           memcmp(&got, &expected, sizeof got) == 0;
}

/* ---- the same bits ---- */

static const int sizes[] = { 1,   2,   3,    15,   16,   17,   63,    64,    65,
                             255, 256, 257,  511,  1000, 4095, 4096,  4097,  4160,
                             8191, 16383, 16384, 16385, 50000, MOST };
#define SIZES (int)(sizeof sizes / sizeof *sizes)

struct results {
    double sum, careful, least, most;
};

static int results_of(tweed_pool *pool, int n, int64_t grain, struct results *r)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    o.grain = grain;
    return sum_with(pool, &o, 0, n, values, &r->sum) == TWEED_OK &&
           careful_with(pool, &o, 0, n, values, &r->careful) == TWEED_OK &&
           least_with(pool, &o, 0, n, values, &r->least) == TWEED_OK &&
           most_with(pool, &o, 0, n, values, &r->most) == TWEED_OK;
}

static const int64_t grains[] = { 0, 1, 7, 100, MOST };
#define GRAINS 5
static struct results first[SIZES][GRAINS];

/* round 0: what later rounds are compared with */
static int bits_are_the_same(tweed_pool *pool, int round)
{
    struct results r;

    for (int k = 0; k < SIZES; k++)
        for (int g = 0; g < GRAINS; g++) {
            memset(&r, 0, sizeof r);
            if (!results_of(pool, sizes[k], grains[g], &r))
                return 0;
            if (round == 0)
                first[k][g] = r;
            else if (memcmp(&r, &first[k][g], sizeof r) != 0)
                return 0;
        }
    return 1;
}

static int values_are_right(void)
{
    for (int k = 0; k < SIZES; k++) {
        long double exact = 0, size = 0;
        double low = INFINITY, high = -INFINITY;
        struct results *r = first[k];

        for (int i = 0; i < sizes[k]; i++) {
            exact += values[i];
            size += fabsl(values[i]);
            low = values[i] < low ? values[i] : low;
            high = values[i] > high ? values[i] : high;
        }
        for (int g = 0; g < GRAINS; g++)
            if (r[g].least != low || r[g].most != high ||
                fabsl(r[g].sum - exact) > 1e-13L * size ||
                fabsl(r[g].careful - exact) > 1.2e-16L * fabsl(exact) + 1e-28L * size)
                return 0;
    }
    return 1;
}

static void same_bits(void)
{
    int good = 1;

    for (int workers = 1; workers <= WORKERS_MOST; workers++) {
        tweed_pool *pool = pool_fenced(workers, workers % 3 == 2 ? TWEED_FENCE_EXCHANGE
                                                             : 0);

        for (int again = 0; again < 2; again++)
            good &= bits_are_the_same(pool, workers + again - 1);
        must(tweed_pool_destroy(pool));
    }
    if (has_more_bits())
        skip(1, "x87: sums are not rounded to a double each time");
    else
        ok(good, "the same bits with 1 to %d workers, sizes and grains", WORKERS_MOST);
    if (under_memcheck() || has_more_bits() || LDBL_MANT_DIG == DBL_MANT_DIG)
        skip(1, "valgrind, or the machine, computes long doubles as doubles, or the reverse");
    else
        ok(values_are_right(), "and these are the sum, the minimum and the maximum");
    good = 1;
    for (int k = 0; k < SIZES; k++) {
        struct results r = { sum(0, sizes[k], values), careful(0, sizes[k], values),
                             least(0, sizes[k], values), most(0, sizes[k], values) };

        good &= memcmp(&r, &first[k][0], sizeof r) == 0;
    }
    ok(good, "and so on the default pool");
}

static void in_order(void)
{
    static const int64_t from[] = { 0, -33, INT64_MIN };
    int good = 1, by_pointer = 1;

    for (int workers = 1; workers <= WORKERS_MOST; workers += 5) {
        tweed_pool *pool = pool_of(workers);

        for (int k = 0; k < SIZES; k++)
            for (int g = 0; g < GRAINS; g++) {
                good &= pieces_are_right(pool, from[(k + g) % 3], sizes[k], grains[g]);
                good &= pieces_are_right(pool, INT64_MAX - sizes[k], sizes[k],
                                         grains[g]);
                by_pointer &= pieces_by_pointer_are_right(pool, from[(k + g) % 3],
                                                          sizes[k], grains[g]);
            }
        must(tweed_pool_destroy(pool));
    }
    if (has_more_bits())
        skip(1, "x87: what the tree gives is rounded otherwise here");
    else
        ok(good && out_of_order == 0, "each index once, in the tree, neighbours only");
    ok(by_pointer, "the same tree by pointer");
}

/* ---- two and three dimensions ---- */

static void keep_first(uint64_t *into, const uint64_t *from)
{
    *into = *into * 31 + *from; /* neither commutative nor associative: shows the tree */
}

static double at(int64_t h, int64_t i, int64_t j)
{
    return values[((h * 41 + i) * 67 + j) % MOST];
}

TWEED_SUM_2D(double, sum_2d, i, j) { return at(0, i, j); }
TWEED_MIN_2D(double, least_2d, INFINITY, i, j) { return at(0, i, j); }
TWEED_MAX_2D(double, most_2d, -INFINITY, i, j) { return at(0, i, j); }
TWEED_REDUCE_2D(uint64_t, tree_2d, 7, keep_first, e, i, j, const uint64_t *, times)
{
    *e = *e * *times + (uint64_t)(i * 67 + j);
}
TWEED_SUM_3D(double, sum_3d, h, i, j) { return at(h, i, j); }
TWEED_MIN_3D(double, least_3d, INFINITY, h, i, j) { return at(h, i, j); }
TWEED_MAX_3D(double, most_3d, -INFINITY, h, i, j) { return at(h, i, j); }
TWEED_REDUCE_3D(uint64_t, tree_3d, 7, keep_first, e, h, i, j, const uint64_t *, times)
{
    *e = *e * *times + (uint64_t)((h * 41 + i) * 67 + j);
}
TWEED_SUM_3D(int64_t, count_3d, h, i, j) { return 1; }

struct spaces {
    double number[6];
    uint64_t tree[2];
    int64_t count;
};

static struct spaces reduce_spaces(tweed_pool *pool, const tweed_loop_options *plane,
                                   const tweed_loop_options *o, int64_t rows,
                                   int64_t width)
{
    const uint64_t times = 3;
    struct spaces r;

    memset(&r, 0, sizeof r);
    must(sum_2d_with(pool, plane, 0, rows, 0, width, &r.number[0]));
    must(least_2d_with(pool, plane, 0, rows, 0, width, &r.number[1]));
    must(most_2d_with(pool, plane, 0, rows, 0, width, &r.number[2]));
    must(tree_2d_with(pool, plane, 0, rows, 0, width, &times, &r.tree[0]));
    must(sum_3d_with(pool, o, 0, 3, 0, rows, 0, width, &r.number[3]));
    must(least_3d_with(pool, o, 0, 3, 0, rows, 0, width, &r.number[4]));
    must(most_3d_with(pool, o, 0, 3, 0, rows, 0, width, &r.number[5]));
    must(tree_3d_with(pool, o, 0, 3, 0, rows, 0, width, &times, &r.tree[1]));
    must(count_3d_with(pool, o, 0, 3, 0, rows, 0, width, &r.count));
    return r;
}

static int spaces_are_right(const struct spaces *r, int64_t rows, int64_t width)
{
    int good = r->count == 3 * rows * width;

    for (int d = 0; d < 2; d++) {
        double exact = 0, size = 0, low = INFINITY, high = -INFINITY;

        for (int64_t h = 0; h < 1 + 2 * d; h++)
            for (int64_t i = 0; i < rows; i++)
                for (int64_t j = 0; j < width; j++) {
                    double x = at(h, i, j);

                    exact += x;
                    size += fabs(x);
                    low = x < low ? x : low;
                    high = x > high ? x : high;
                }
        good &= fabs(r->number[3 * d] - exact) <= 1e-12 * size &&
                r->number[3 * d + 1] == low && r->number[3 * d + 2] == high;
    }
    return good;
}

static void spaces(void)
{
    static const int64_t size[][2] = { { 1, 1 },   { 41, 67 }, { 67, 16 },
                                       { 1, 900 }, { 300, 3 }, { 0, 5 } };
    enum { SPACES = sizeof size / sizeof size[0] };
    static struct spaces expected[SPACES][2];
    int same = 1, right = 1;

    for (int workers = 1; workers <= 7; workers += 2) {
        tweed_pool *pool = pool_of(workers);

        for (int k = 0; k < SPACES; k++)
            for (int tiled = 0; tiled < 2; tiled++) {
                tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT, plane;
                struct spaces *first_one = &expected[k][tiled], r;

                o.grain = tiled ? 5 : 0;
                plane = o;
                for (int d = 0; d < 3; d++)
                    o.tile[d] = tiled ? 2 + 3 * d : 0;
                plane.tile[0] = plane.tile[1] = tiled ? 4 : 0;
                r = reduce_spaces(pool, &plane, &o, size[k][0], size[k][1]);
                if (workers == 1)
                    *first_one = r;
                same &= memcmp(&r, first_one, sizeof r) == 0;
                right &= spaces_are_right(&r, size[k][0], size[k][1]);
            }
        must(tweed_pool_destroy(pool));
    }
    ok(same, "two and three dimensions: the same bits with 1 to 7 workers, and tiles");
    ok(right && sum_2d(0, 41, 0, 67) == expected[1][0].number[0],
       "and these are the sum, the minimum and the maximum");
}

static void spaces_of_none(void)
{
    tweed_pool *pool = pool_of(2);
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    double result = 42;
    int good;

    o.tile[0] = 3; /* and no tile[1] */
    good = sum_2d_with(pool, &o, 0, 4, 0, 4, &result) == TWEED_EINVAL &&
           sum_2d_with(pool, NULL, 0, INT64_MAX, 0, 2, &result) == TWEED_ERANGE &&
           sum_2d_with(pool, NULL, 0, 4, 0, 4, NULL) == TWEED_EINVAL &&
           result == 42 && sum_2d(0, INT64_MAX, 0, 3) == 0 &&
           least_3d(5, 5, 0, 9, 0, 9) == INFINITY;
    ok(good, "a tile that is none, too many indices, no result; no index");
    must(tweed_pool_destroy(pool));
}

/* ---- whoever executes what ---- */

struct lazy {
    const double *x;
    int slow; /* indices below it take long */
    unsigned char who[3000];
};

TWEED_SUM(double, lazy_sum, i, struct lazy *, l)
{
    l->who[i] = (unsigned char)tweed_worker_index();
    if (i < l->slow)
        nap_us(200);
    return l->x[i];
}

static void stolen(void)
{
    static struct lazy l;
    tweed_pool *alone = pool_of(1), *pool = pool_of(4);
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    double expected, got;
    int good = 1, thieves = 0;

    l.x = values;
    o.grain = 3;
    must(lazy_sum_with(alone, &o, 0, 3000, &l, &expected));
    for (int round = 0; round < 12; round++) {
        l.slow = 60 * round;
        got = -1;
        good &= lazy_sum_with(pool, &o, 0, 3000, &l, &got) == TWEED_OK &&
                memcmp(&got, &expected, sizeof got) == 0;
        for (int i = 1; i < l.slow; i++)
            thieves += l.who[i] != l.who[i - 1];
    }
    ok(good, "the same bits when blocks are stolen");
    ok(thieves > 0, "blocks were stolen");
    must(tweed_pool_destroy(pool));
    must(tweed_pool_destroy(alone));
}

/* ---- elements of any size ---- */

static void add_shape(int64_t begin, int64_t end, void *element, void *arg)
{
    add_to_shape(begin, end, element, 0, arg);
}

static int reduce_shapes(tweed_pool *pool, int n, struct shape *s, const void *identity,
                         void *result)
{
    tweed_reduction r = TWEED_REDUCTION_INIT;

    r.element_size = s->size;
    r.alignment = s->alignment;
    r.identity = identity;
    r.body = add_shape;
    r.combine = join_shape;
    return tweed_parallel_reduce_with(pool, NULL, 0, n, &r, s, result);
}

static void elements(void)
{
    tweed_pool *pool = pool_of(4);
    int good = 1;

    for (size_t size = 1; size <= 300; size++)
        good &= shape_is_right(reduce_shapes, pool, size, (size_t)1 << size % 8, 1 + (int)size % 97);
    ok(good, "elements of 1 to 300 bytes, alignments of 1 to 128");
    good = 1;
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        good &= shape_is_right(reduce_shapes, pool, 8, alignment, 5000);
        good &= shape_is_right(reduce_shapes, pool, alignment, alignment, 300);
        good &= shape_is_right(reduce_shapes, pool, 5000, alignment, 100);
    }
    ok(good, "alignments of 1 to 4096; elements of 5000 bytes");
    must(tweed_pool_destroy(pool));
}

/* ---- without memory ---- */

static _Thread_local int no_memory;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    return no_memory ? NULL : __real_malloc(size);
}

static void without_memory(void)
{
    tweed_pool *pool = pool_of(4);
    struct piece big;
    struct numbers numbers = { 0, values };
    int good = 1;

    must(pieces_with(pool, NULL, 0, MOST, &numbers, &big));
    no_memory = 1;
    for (int k = 0; k < SIZES; k++)
        for (int g = 0; g < GRAINS; g++) {
            struct results s;

            memset(&s, 0, sizeof s);
            good &= results_of(pool, sizes[k], grains[g], &s) &&
                    memcmp(&s, &first[k][g], sizeof s) == 0;
        }
    numbers.lo = -5;
    for (int k = 0; k < SIZES; k++) { /* which need memory to know what is right */
        struct piece got;

        good &= pieces_with(pool, NULL, -5, sizes[k] - 5, &numbers, &got) == TWEED_OK &&
                got.begin == -5 && got.end == sizes[k] - 5 && got.count == sizes[k] &&
                (sizes[k] != MOST || got.sum == big.sum) &&
                pieces_by_pointer_are_right(pool, 0, sizes[k], 1);
    }
    no_memory = 0;
    for (size_t size = 1024; size <= 4096; size += 1 + size % 29) {
        unsigned char identity[4096] = { 0 }, result[4096];
        struct shape s = { size, 8, 0, 0 };
        tweed_reduction t = { sizeof t, size, 8, identity, add_shape, join_shape };

        no_memory = 1;
        good &= tweed_parallel_reduce_with(pool, NULL, 0, 1000, &t, &s, result) ==
                TWEED_OK;
        no_memory = 0;
        for (size_t b = 0; b < size; b++)
            good &= result[b] == (unsigned char)(500500 * (b + 1));
    }
    if (has_more_bits())
        skip(1, "x87: what memory there is decides what is rounded when");
    else
        ok(good, "without memory: the same bits");
    must(tweed_pool_destroy(pool));
}

/* ---- inside loops, and beside each other ---- */

struct table {
    tweed_pool *pool;
    int width;
    atomic_int wrong;
};

struct line {
    int64_t row;
};

TWEED_SUM(double, row_sum, i, const struct line *, l)
{
    return values[(l->row * 37 + i) % MOST];
}

TWEED_SUM(double, table_sum, row, struct table *, t)
{
    struct line l = { row };
    double s = 0;

    if (row_sum_with(t->pool, NULL, 0, t->width, &l, &s) != TWEED_OK)
        atomic_fetch_add(&t->wrong, 1);
    return s;
}

static double expected_row[100], expected_table;

TWEED_LOOP(check_rows, row, struct table *, t)
{
    struct line l = { row };
    double s = 0;

    if (row_sum_with(t->pool, NULL, 0, t->width, &l, &s) != TWEED_OK ||
        memcmp(&s, &expected_row[row], sizeof s) != 0)
        atomic_fetch_add(&t->wrong, 1);
}

static void *call(void *arg)
{
    struct table *t = arg;

    for (int round = 0; round < (HAVE_RUNTIME_SANITIZER ? 10 : 40); round++) {
        double s = 0;

        if (table_sum_with(t->pool, NULL, 0, 100, t, &s) != TWEED_OK ||
            memcmp(&s, &expected_table, sizeof s) != 0 ||
            check_rows_with(t->pool, NULL, 0, 100, t) != TWEED_OK)
            atomic_fetch_add(&t->wrong, 1);
    }
    return NULL;
}

static void nested(void)
{
    tweed_pool *alone = pool_of(1), *pool = pool_of(4);
    struct table t = { alone, 300, 0 };
    pthread_t threads[4];

    for (int row = 0; row < 100; row++) {
        struct line l = { row };

        must(row_sum_with(alone, NULL, 0, t.width, &l, &expected_row[row]));
    }
    must(table_sum_with(alone, NULL, 0, 100, &t, &expected_table));
    t.pool = pool;
    call(&t);
    ok(t.wrong == 0, "reductions in reductions, and in loops");
    for (int k = 0; k < 4; k++)
        if (pthread_create(&threads[k], NULL, call, &t) != 0)
            bail_out("no thread");
    for (int k = 0; k < 4; k++)
        pthread_join(threads[k], NULL);
    ok(t.wrong == 0, "the same from four threads at once");
    must(tweed_pool_destroy(pool));
    must(tweed_pool_destroy(alone));
}

/* ---- types, and what is no number ---- */

TWEED_SUM(short, shorts, i)
{
    return (short)i;
}

TWEED_SUM(uint64_t, words, i)
{
    return (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
}

TWEED_MAX(unsigned char, letters, 3, i)
{
    return (unsigned char)(i % 251);
}

static float start = 1;

TWEED_MIN(float, from_start, start, i, const float *, x)
{
    return x[i];
}

/* The names that the macros use themselves, and a macro that combines. */
#define ADD_TO(into, from) (*(into) += *(from))
TWEED_REDUCE(int64_t, combine, 0, ADD_TO, E, type)
{
    *E += type;
}

TWEED_SUM(int, name, T)
{
    return (int)T;
}

static int types_are_right(void)
{
    uint64_t words_sum = 0;
    int64_t n = 40000;

    for (int64_t i = -n; i < 2 * n; i++)
        words_sum += (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
    return shorts(0, 200) == 19900 && words(-n, 2 * n) == words_sum &&
           letters(0, 1000) == 250 && letters(0, 2) == 3 &&
           letters(5, 5) == 3 && combine(0, 5000) == 12497500 &&
           name(0, 5000) == 12497500;
}

static void numbers(void)
{
    static float x[1000];
    float least_x = 7;
    int code;

    ok(types_are_right(), "sums of short, of uint64_t; a maximum of unsigned char");
    for (int i = 0; i < 1000; i++)
        x[i] = i % 3 ? NAN : (float)(500 - i);
    ok(from_start(0, 1000, x) == -499 && from_start(1, 3, x) == 1 &&
           from_start(0, 1, x) == 1,
       "values that are not numbers are passed over");
    start = NAN;
    code = from_start_with(NULL, NULL, 0, 1000, x, &least_x);
    ok(code == TWEED_EINVAL && least_x == 7 && isnan(from_start(0, 1000, x)) &&
           from_start_with(NULL, NULL, 0, 0, x, &least_x) == TWEED_EINVAL,
       "a start that is not a number: TWEED_EINVAL");
    start = 1;
}

/* A small value is lost in an addition to a large one, as a block of lanes has them meet; but
   sums of the large ones are exact. */
static const double hard[] = { 1, 1, 0x1p332, -0x1p332 };

TWEED_SUM(double, hard_sum, i)
{
    return hard[i % 4];
}

TWEED_COMPENSATED_SUM(double, hard_careful, i)
{
    return hard[i % 4];
}

TWEED_COMPENSATED_SUM(float, infinite, i, const float *, x)
{
    return x[i];
}

static void compensated(void)
{
    float x[100] = { 0 };
    int good;

    ok(hard_careful(0, 40000) == 20000 && hard_sum(0, 40000) != 20000 &&
           hard_careful(0, 12) == 6,
       "a compensated sum has what a sum has lost");
    good = infinite(0, 100, x) == 0;
    x[50] = INFINITY;
    good &= infinite(0, 100, x) == INFINITY;
    x[10] = -INFINITY;
    good &= isnan(infinite(0, 100, x));
    x[10] = 0;
    x[50] = NAN;
    ok(good && isnan(infinite(0, 100, x)), "compensated sums of no finite numbers");
}

/* ---- arguments ---- */

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

static void arguments(void)
{
    tweed_pool *pool = pool_of(2);
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    atomic_int ran = 0;
    int zero = 0, result = 42, good = 1;
    const tweed_reduction fine = { sizeof fine, sizeof zero, 4, &zero, count_body,
                                   no_combine };
    tweed_reduction bad[8];
    double s = 42;

    for (int k = 0; k < 8; k++)
        bad[k] = fine;
    bad[0].size = 3;
    bad[1].element_size = 0;
    bad[2].alignment = 0;
    bad[3].alignment = 24;
    bad[4].identity = NULL;
    bad[5].body = NULL;
    bad[6].combine = NULL;
    bad[7].element_size = SIZE_MAX;
    for (int k = 0; k < 8; k++)
        for (int n = 0; n < 10; n += 9)
            good &= tweed_parallel_reduce(0, n, &bad[k], &ran, &result) == TWEED_EINVAL;
    good &= tweed_parallel_reduce(0, 9, NULL, &ran, &result) == TWEED_EINVAL &&
            tweed_parallel_reduce(0, 9, &fine, &ran, NULL) == TWEED_EINVAL;
    o.grain = -1;
    good &= tweed_parallel_reduce_with(pool, &o, 0, 9, &fine, &ran, &result) ==
            TWEED_EINVAL;
    good &= sum_with(pool, &o, 0, 9, values, &s) == TWEED_EINVAL;
    good &= sum_with(pool, NULL, 0, 9, values, NULL) == TWEED_EINVAL;
    o.grain = 0;
    o.size = 1;
    good &= sum_with(pool, &o, 0, 9, values, &s) == TWEED_EINVAL;
    must(tweed_pool_destroy(pool));
    good &= sum_with(pool, NULL, 0, 9, values, &s) == TWEED_ENOPOOL;
    good &= sum_with(pool, NULL, 9, 9, values, &s) == TWEED_ENOPOOL;
    ok(good && ran == 0 && result == 42 && s == 42,
       "bad arguments: a code, no body, and the result is left alone");
    good = tweed_parallel_reduce(5, 5, &fine, &ran, &result) == TWEED_OK && result == 0 &&
           sum(7, -7, values) == 0 && least(3, 3, values) == INFINITY && ran == 0;
    ok(good, "no index: the identity");
}

int main(void)
{
    uint64_t seed = 1;

    plan(22);
    watchdog();
    for (int i = 0; i < MOST; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        values[i] = ldexp((double)(int64_t)seed, -63 + (int)(seed >> 20 & 15));
    }
    same_bits();
    in_order();
    spaces();
    spaces_of_none();
    stolen();
    elements();
    without_memory();
    nested();
    numbers();
    compensated();
    arguments();
    return done_testing();
}

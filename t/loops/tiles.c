/*
 * tiles.c - loops of two and three dimensions: every index once, in tiles.
 *
 * SPDX-License-Identifier: MIT
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "pools.h"

#include "system/system.h"

#include <string.h>

#define MOST 40000   /* indices of a loop below */
#define WORKERS 9

/* ---- a box of indices, and how often each of them ran ---- */

struct box {
    int dimensions;
    int64_t lo[3], n[3]; /* of two dimensions the last two */
    int64_t tile[3];     /* as asked for; 0: not at all */
    unsigned char count[MOST];
    atomic_int bad;      /* indices, or boxes, that are none of the loop's */
    int64_t next;        /* of one worker: the index that ought to come */
    int spend;           /* made nanoseconds that an index takes */
    tweed_pool *pool;
};

static _Thread_local uint64_t made; /* see the clock, below */

static int64_t indices(const struct box *b)
{
    return b->n[0] * b->n[1] * b->n[2];
}

/* From the first one, wrapping. */
static uint64_t from(const struct box *b, int d, int64_t index)
{
    return (uint64_t)index - (uint64_t)b->lo[d];
}

static void hit(struct box *b, int64_t i, int64_t j, int64_t k)
{
    uint64_t x = from(b, 0, i), y = from(b, 1, j), z = from(b, 2, k);

    if (x >= (uint64_t)b->n[0] || y >= (uint64_t)b->n[1] || z >= (uint64_t)b->n[2])
        atomic_fetch_add(&b->bad, 1);
    else
        b->count[(x * (uint64_t)b->n[1] + y) * (uint64_t)b->n[2] + z]++;
    if (made)
        made += (uint64_t)b->spend;
}

static void each(int64_t i, int64_t j, int64_t k, void *arg)
{
    struct box *b = arg;

    if (b->dimensions == 3)
        hit(b, i, j, k);
    else if (k == 0)
        hit(b, b->lo[0], i, j);
    else
        atomic_fetch_add(&b->bad, 1);
}

/* A box of two dimensions may be a slice of one of three. */
TWEED_LOOP_2D(braces_2d, j, k, struct box *, b)
{
    hit(b, b->lo[0], j, k);
}

TWEED_SIMD_LOOP_2D(simd_2d, j, k, struct box *, b)
{
    hit(b, b->lo[0], j, k);
}

TWEED_LOOP_3D(braces_3d, i, j, k, struct box *, b)
{
    hit(b, i, j, k);
}

TWEED_SIMD_LOOP_3D(simd_3d, i, j, k, struct box *, b)
{
    hit(b, i, j, k);
}

/* Is [from, past) a tile's extent, where tiles were asked for? */
static bool is_extent(const struct box *b, int d, int64_t first, int64_t past)
{
    uint64_t tile = (uint64_t)b->tile[d], x = from(b, d, first),
             n = from(b, d, past) - x, rest = (uint64_t)b->n[d] - x;

    return past > first && n <= rest &&
           (!tile || (x % tile == 0 && n == (tile < rest ? tile : rest)));
}

static void boxes(const tweed_tile *t, void *arg)
{
    struct box *b = arg;
    int d = 3 - b->dimensions; /* where the tile's first one stands in the box */

    for (int k = 0; k < b->dimensions; k++)
        if (!is_extent(b, d + k, t->lo[k], t->hi[k])) {
            atomic_fetch_add(&b->bad, 1);
            return;
        }
    for (int64_t i = t->lo[0]; i < t->hi[0]; i++)
        for (int64_t j = t->lo[1]; j < t->hi[1]; j++)
            for (int64_t k = t->lo[2]; k < t->hi[2]; k++)
                each(i, j, k, arg);
}

/* ---- the ways to run a box ---- */

enum way { BRACES, SIMD, POINTER, TILE, WAYS };

#define AT_2D b->lo[1], b->lo[1] + b->n[1], b->lo[2], b->lo[2] + b->n[2]
#define AT_3D b->lo[0], b->lo[0] + b->n[0], AT_2D

static int by_pointer(enum way way, const tweed_loop_options *o, struct box *b)
{
    tweed_space space = b->dimensions == 2 ? tweed_space_2d(AT_2D) : tweed_space_3d(AT_3D);

    return way == POINTER ? tweed_parallel_for_space(b->pool, o, &space, each, b)
                          : tweed_parallel_for_tiles(b->pool, o, &space, boxes, b);
}

static int run_2d(enum way way, tweed_loop_options *o, struct box *b)
{
    switch (way) {
    case BRACES: return braces_2d_with(b->pool, o, AT_2D, b);
    case SIMD: return simd_2d_with(b->pool, o, AT_2D, b);
    default: return by_pointer(way, o, b);
    }
}

static int run_3d(enum way way, tweed_loop_options *o, struct box *b)
{
    switch (way) {
    case BRACES: return braces_3d_with(b->pool, o, AT_3D, b);
    case SIMD: return simd_3d_with(b->pool, o, AT_3D, b);
    default: return by_pointer(way, o, b);
    }
}

/* On the default pool, and without options. */
static int run_plain(enum way way, struct box *b)
{
    bool two = b->dimensions == 2;

    switch (way) {
    case BRACES: return two ? braces_2d(AT_2D, b) : braces_3d(AT_3D, b);
    case SIMD: return two ? simd_2d(AT_2D, b) : simd_3d(AT_3D, b);
    default: b->pool = NULL; return by_pointer(way, NULL, b);
    }
}

static int run(enum way way, tweed_loop_options *o, struct box *b)
{
    for (int d = 0; d < b->dimensions; d++)
        o->tile[d] = b->tile[d + 3 - b->dimensions];
    return b->dimensions == 2 ? run_2d(way, o, b) : run_3d(way, o, b);
}

static void begin(struct box *b)
{
    memset(b->count, 0, sizeof b->count);
    atomic_store(&b->bad, 0);
    b->next = 0;
}

static bool once(struct box *b)
{
    for (int64_t x = 0; x < MOST; x++)
        if (b->count[x] != (x < indices(b)))
            return false;
    return atomic_load(&b->bad) == 0;
}

/* ---- every index once ---- */

static const int64_t sizes[][3] = {
    { 1, 0, 5 },   { 1, 5, 0 },    { 1, 1, 1 },    { 1, 1, 3000 },
    { 1, 3000, 1 },{ 1, 2, 3 },    { 1, 64, 64 },  { 1, 97, 101 },
    { 1, 7, 991 }, { 1, 1009, 3 }, { 1, 150, 200 },
    { 0, 3, 3 },   { 2, 0, 2 },    { 1, 1, 1 },    { 1, 1, 500 },
    { 500, 1, 1 }, { 1, 500, 1 },  { 2, 3, 5 },    { 11, 13, 17 },
    { 31, 2, 67 }, { 20, 30, 40 },
};
#define SIZES ((int)(sizeof sizes / sizeof *sizes))
#define SIZES_2D 11

static const int64_t tiles[][3] = {
    { 0, 0, 0 }, { 1, 1, 1 }, { 2, 8, 8 }, { 3, 16, 5 }, { 7, 1, 64 },
    { 1000, 3, 1000 }, { INT64_MAX, INT64_MAX, INT64_MAX },
};
#define TILES ((int)(sizeof tiles / sizeof *tiles))

/* Where the first index is: anywhere, up to the last values that there are. */
static int64_t start_of(int64_t n, int turn)
{
    switch (turn % 4) {
    case 0: return 0;
    case 1: return -n / 2;
    case 2: return INT64_MIN;
    default: return INT64_MAX - n;
    }
}

static struct box box;

static void make_box(int dimensions, const int64_t *n, const int64_t *tile,
                     int turn)
{
    box.dimensions = dimensions;
    for (int d = 0; d < 3; d++) {
        box.n[d] = n[d];
        box.lo[d] = start_of(n[d], turn + d);
        box.tile[d] = tile[d];
    }
}

static bool all_sizes(int dimensions, enum way way, tweed_pool *pool)
{
    static const int64_t grains[] = { 0, 1, 6, 500 };
    int first = dimensions == 2 ? 0 : SIZES_2D,
        past = dimensions == 2 ? SIZES_2D : SIZES;
    bool good = true;

    box.pool = pool;
    for (int s = first, turn = 0; s < past; s++)
        for (int t = 0; t < TILES; t++, turn++) {
            tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

            o.grain = grains[turn % 4];
            o.max_workers = turn % 5 ? 0 : 2;
            make_box(dimensions, sizes[s], tiles[t], turn);
            begin(&box);
            good &= run(way, &o, &box) == TWEED_OK && once(&box);
            if (t > 0)
                continue;
            begin(&box);
            good &= run_plain(way, &box) == TWEED_OK && once(&box);
        }
    return good;
}

static void every_index_once(void)
{
    for (int workers = 1; workers <= WORKERS; workers++) {
        tweed_pool *pool = pool_fenced(workers, workers % 2 ? TWEED_FENCE_EXCHANGE
                                                        : TWEED_FENCE_MEMBARRIER);

        for (int dimensions = 2; dimensions <= 3; dimensions++) {
            bool good = true;

            for (enum way way = 0; way < WAYS; way++)
                good &= all_sizes(dimensions, way, pool);
            ok(good, "%d dimensions, %d workers: every index once", dimensions,
               workers);
        }
        must(tweed_pool_destroy(pool));
    }
}

/* ---- in which order ---- */

/* The indices as one worker ought to meet them, by the loops of the header comment. */
static int64_t expected[MOST];

static void expect_order(const struct box *b)
{
    int64_t t[3], m = 0;

    for (int d = 0; d < 3; d++)
        t[d] = b->tile[d] > 0 && b->tile[d] < b->n[d] ? b->tile[d] : b->n[d];
    for (int64_t ti = 0; ti < b->n[0]; ti += t[0])
        for (int64_t tj = 0; tj < b->n[1]; tj += t[1])
            for (int64_t tk = 0; tk < b->n[2]; tk += t[2])
                for (int64_t i = ti; i < ti + t[0] && i < b->n[0]; i++)
                    for (int64_t j = tj; j < tj + t[1] && j < b->n[1]; j++)
                        for (int64_t k = tk; k < tk + t[2] && k < b->n[2]; k++)
                            expected[m++] = (i * b->n[1] + j) * b->n[2] + k;
}

TWEED_LOOP_3D(in_order, i, j, k, struct box *, b)
{
    uint64_t x = (from(b, 0, i) * (uint64_t)b->n[1] + from(b, 1, j)) *
                     (uint64_t)b->n[2] +
                 from(b, 2, k);

    if ((int64_t)x != expected[b->next++])
        atomic_fetch_add(&b->bad, 1);
    hit(b, i, j, k);
}

static void order(tweed_pool *pool)
{
    struct box *b = &box;
    bool good = true;

    for (int s = 0, turn = 0; s < SIZES; s++)
        for (int t = 0; t < TILES; t++, turn++) {
            tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

            make_box(3, sizes[s], tiles[t], turn);
            memcpy(o.tile, tiles[t], sizeof o.tile);
            o.max_workers = 1;
            expect_order(&box);
            begin(&box);
            good &= in_order_with(pool, &o, AT_3D, b) == TWEED_OK && once(b);
        }
    ok(good, "one worker: tile by tile, row by row");
}

/* ---- bounds of every size, and loops that nobody can run to their end ---- */

#define P(k) (INT64_C(1) << (k))

static const int64_t values[] = {
    INT64_MIN, INT64_MIN + 1, -P(62), -P(32), -P(26), -1000, -1, 0, 1, 3, 1000,
    P(26), P(31), P(32), P(62), INT64_MAX - 1, INT64_MAX,
};
#define VALUES ((int)(sizeof values / sizeof *values))

static atomic_int places, ran;

/* Is this the place that the index of that number has? */
static bool is_place(const tweed_space *s, tweed_spot_ at, uint64_t number)
{
    tweed_spot_ other = tweed_seek_(s, number);

    return at.number == number && at.i == other.i && at.j == other.j &&
           at.k == other.k && at.layers == other.layers &&
           at.rows == other.rows && at.left == other.left &&
           at.i >= s->lo[0] && at.i < s->hi[0] && at.j >= s->lo[1] &&
           at.j < s->hi[1] && at.k >= s->lo[2] && at.k < s->hi[2];
}

/* Walks a little from the first index claimed, and stops the loop. */
static void peek(tweed_cursor *c)
{
    const tweed_space *s = c->arg;
    uint64_t number = (uint64_t)tweed_first(c), n, all;

    all = s->count[0] * s->count[1] * s->count[2];
    do {
        tweed_spot_ at = tweed_seek_(s, number);
        tweed_box_ next;

        for (int k = 0; k < 40; k++) {
            if (!is_place(s, at, number))
                atomic_fetch_add(&places, 1);
            n = tweed_least_(k % 2 ? at.left : 100000, all - number - 1);
            if (n == 0)
                break;
            next = tweed_box_at_(&at, n);
            number += tweed_pass_box_(s, &at, &next);
        }
        atomic_fetch_add(&ran, 1);
        tweed_cursor_stop(c);
    } while (tweed_next(c));
}

static tweed_kind peek_kind = TWEED_KIND_INIT_(1000, peek, "peek");

/* What a loop of these bounds is to return, and how many indices it has. */
static int expected_code(const int64_t *lo, const int64_t *hi, uint64_t *all)
{
    bool fits = true;

    *all = 1;
    for (int d = 0; d < 3; d++)
        if (lo[d] >= hi[d]) {
            *all = 0;
            return TWEED_OK;
        }
    for (int d = 0; d < 3; d++) {
        uint64_t n = (uint64_t)hi[d] - (uint64_t)lo[d];

        fits &= n <= INT64_MAX / *all; /* *all is no more than INT64_MAX */
        *all = fits ? *all * n : *all;
    }
    return fits ? TWEED_OK : TWEED_ERANGE;
}

/* The loops that are run are stopped at once. */
static int peeked(int code, bool any)
{
    return code == TWEED_OK && any ? TWEED_ESTOPPED : code;
}

static bool bounds_are_right(tweed_pool *pool, const int64_t *lo,
                             const int64_t *hi, const int64_t *tile)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    tweed_space s = tweed_space_3d_(lo[0], hi[0], lo[1], hi[1], lo[2], hi[2], NULL);
    uint64_t all;
    int code = expected_code(lo, hi, &all);

    memcpy(o.tile, tile, sizeof o.tile);
    atomic_store(&ran, 0);
    return tweed_loop_run_space(pool, &o, &s, &peek_kind,
                                NULL) == peeked(code, all > 0) &&
           (atomic_load(&ran) > 0) == (code == TWEED_OK && all > 0);
}

static void bounds(tweed_pool *pool)
{
    static const int64_t some[][3] = {
        { 0, 0, 0 }, { 1, 1, 1 }, { 7, 32, 100 }, { P(40), 3, INT64_MAX },
    };
    int turn = 0, good = 1;

    for (int a = 0; a < VALUES; a++)
        for (int b = 0; b < VALUES; b++)
            for (int c = 0; c < VALUES; c++)
                for (int d = 0; d < VALUES; d++, turn++) {
                    int64_t first = turn % 7 ? 0 : -3;
                    int64_t lo[] = { first, values[a], values[c] };
                    int64_t hi[] = { 1, values[b], values[d] };

                    good &= bounds_are_right(pool, lo, hi, some[turn % 4]);
                }
    ok(good, "all pairs of pairs of %d bounds: run, empty, or refused", VALUES);
    ok(places == 0, "and the walk knows where it is");
}

static void boundary(tweed_pool *pool)
{
    static const struct { int64_t i, j, k; int code; } cases[] = {
        { 1, 1, INT64_MAX, TWEED_OK },     { INT64_MAX, 1, 1, TWEED_OK },
        { 7, 7, INT64_MAX / 49, TWEED_OK },{ 7, 7, INT64_MAX / 49 + 1, TWEED_ERANGE },
        { 1, 2, P(62), TWEED_ERANGE },     { P(31), P(31), 1, TWEED_OK },
        { P(31), P(31), 2, TWEED_ERANGE }, { P(32), P(32), 1, TWEED_ERANGE },
        { P(32), P(32), P(32), TWEED_ERANGE }, { P(22), P(22), P(22), TWEED_ERANGE },
        { P(33), P(33), 0, TWEED_OK },     { 1000000, 1, 1000000, TWEED_OK },
    };
    const int64_t none[3] = { 0, 0, 0 }, lo[3] = { 0, 0, 0 };
    int good = 1;

    for (int k = 0; k < (int)(sizeof cases / sizeof *cases); k++) {
        int64_t hi[] = { cases[k].i, cases[k].j, cases[k].k };
        uint64_t all;

        good &= expected_code(lo, hi, &all) == cases[k].code &&
                bounds_are_right(pool, lo, hi, none);
    }
    ok(good, "up to INT64_MAX indices, and no more");
}

/* The tiles that are chosen, for so many indices. */
static void chosen(tweed_pool *pool)
{
    static const struct { int64_t n[3]; uint64_t tile[3]; } cases[] = {
        { { 1, 1, 1 }, { 1, 1, 1 } },
        { { 1, 5000, 65536 }, { 1, 5000, 65536 } },
        { { 1, 5000, 65537 }, { 1, 16, 16384 } },
        { { 1, 7, 65537 }, { 1, 7, 16384 } },
        { { 1, P(40), 3 }, { 1, P(40), 3 } },
        { { P(40), 256, 256 }, { P(40), 256, 256 } },
        { { 1000, 256, 257 }, { 16, 63, 257 } },
        { { 3, 300, 4000 }, { 3, 8, 2048 } },
        { { 2, 1, 70000 }, { 2, 1, 2048 } },
        { { 2, 70000, 1 }, { 2, 16384, 1 } },
    };
    int good = 1;

    for (int k = 0; k < (int)(sizeof cases / sizeof *cases); k++) {
        const int64_t *n = cases[k].n;
        tweed_space s = tweed_space_3d_(0, n[0], 5, 5 + n[1], -9, n[2] - 9, NULL);

        good &= tweed_loop_run_space(pool, NULL, &s, &peek_kind, NULL) ==
                    TWEED_ESTOPPED &&
                memcmp(s.tile, cases[k].tile, sizeof s.tile) == 0;
    }
    ok(good, "whole rows, but for long ones and large layers");
}

/* ---- what is refused ---- */

static void never_at(int64_t i, int64_t j, int64_t k, void *arg)
{
    (void)i, (void)j, (void)k, (void)arg;
    abort();
}

static void never_tile(const tweed_tile *tile, void *arg)
{
    never_at(tile->lo[0], tile->lo[1], tile->lo[2], arg);
}

TWEED_LOOP_2D(never, i, j)
{
    abort();
}

static int all_ways(tweed_pool *pool, const tweed_loop_options *o, int64_t n)
{
    int code = never_with(pool, o, 0, n, 0, n);
    tweed_space space = tweed_space_2d(0, n, 0, n);

    if (tweed_parallel_for_space(pool, o, &space, never_at, NULL) != code ||
        tweed_parallel_for_tiles(pool, o, &space, never_tile, NULL) != code)
        return 1;
    return code;
}

static bool is_refused(tweed_space space)
{
    return tweed_parallel_for_space(NULL, NULL, &space, NULL, NULL) == TWEED_EINVAL &&
           tweed_parallel_for_tiles(NULL, NULL, &space, NULL, NULL) == TWEED_EINVAL;
}

static void no_bodies(void)
{
    ok(is_refused(tweed_space_2d(0, 9, 0, 9)) &&
           is_refused(tweed_space_3d(0, 0, 0, 9, 0, 9)) &&
           is_refused(tweed_space_2d(0, P(40), 0, P(40))) &&
           tweed_parallel_for_space(NULL, NULL, NULL, never_at, NULL) == TWEED_EINVAL &&
           tweed_parallel_for_tiles(NULL, NULL, NULL, never_tile, NULL) == TWEED_EINVAL,
       "no body, or no space: TWEED_EINVAL");
}

static void refused(tweed_pool *pool)
{
    static const int64_t bad[][3] = {
        { 0, 8, 0 }, { 8, 0, 0 }, { -1, 0, 0 }, { 8, -1, 0 }, { -8, -8, 0 },
        { INT64_MIN, 8, 0 },
    };
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    tweed_outcome untouched = { .size = sizeof untouched, .ran = 77 };
    tweed_pool *gone = pool_of(1);
    bool good = true;

    for (int k = 0; k < (int)(sizeof bad / sizeof *bad); k++) {
        memcpy(o.tile, bad[k], sizeof o.tile);
        good &= all_ways(pool, &o, 9) == TWEED_EINVAL &&
                all_ways(pool, &o, 0) == TWEED_EINVAL &&
                all_ways(pool, &o, P(40)) == TWEED_EINVAL;
    }
    memset(o.tile, 0, sizeof o.tile);
    ok(good, "tiles that are none: TWEED_EINVAL");
    ok(all_ways(pool, NULL, P(40)) == TWEED_ERANGE &&
           all_ways(pool, &o, P(40)) == TWEED_ERANGE &&
           never(0, P(40), 0, P(40)) == TWEED_ERANGE,
       "too many indices: TWEED_ERANGE");
    o.grain = -1;
    good = all_ways(pool, &o, 9) == TWEED_EINVAL;
    o.grain = 0;
    o.size = 1;
    good &= all_ways(pool, &o, 9) == TWEED_EINVAL;
    must(tweed_pool_destroy(gone));
    good &= all_ways(gone, NULL, 9) == TWEED_ENOPOOL &&
            all_ways(gone, NULL, 0) == TWEED_ENOPOOL;
    o = (tweed_loop_options)TWEED_LOOP_OPTIONS_INIT;
    o.outcome = &untouched;
    o.tile[0] = o.tile[1] = 3;
    good &= all_ways(gone, &o, 9) == TWEED_ENOPOOL && untouched.ran == 77;
    ok(good, "other options, and pools, that are none");
    no_bodies();
}

/* ---- a few rows that take all the time ---- */

TWEED_LOOP_2D(uneven, j, k, struct box *, b)
{
    if (j < b->lo[1] + 2)
        nap_us(300);
    hit(b, b->lo[0], j, k);
}

static void stolen(tweed_pool *pool)
{
    static const int64_t n[3] = { 1, 40, 50 }, tile[3] = { 1, 4, 16 };
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    struct box *b = &box;
    uint64_t before = steals(pool);
    bool good = true;

    for (int k = 0; good && (k < 10 || (k < 500 && steals(pool) == before)); k++) {
        make_box(2, n, tile, k);
        memcpy(o.tile, tile + 1, 2 * sizeof *o.tile);
        if (k % 2)
            memset(o.tile, 0, sizeof o.tile);
        begin(b);
        good &= uneven_with(pool, &o, AT_2D, b) == TWEED_OK && once(b);
    }
    ok(good && steals(pool) > before, "stolen from, in the middle of a tile");
}

/* ---- loops in loops ---- */

struct nest {
    tweed_pool *pool;
    atomic_int cells[5][6][7][8], bad;
};

struct inner {
    struct nest *nest;
    int64_t i, j;
};

TWEED_LOOP_2D(inner_pairs, k, l, const struct inner *, in)
{
    atomic_fetch_add(&in->nest->cells[in->i][in->j][k][l], 1);
}

TWEED_LOOP_2D(outer_pairs, i, j, struct nest *, n)
{
    const struct inner in = { n, i, j };

    if (inner_pairs_with(n->pool, NULL, 0, 7, 0, 8, &in) != TWEED_OK)
        atomic_fetch_add(&n->bad, 1);
}

static void outer_tile(const tweed_tile *t, void *arg)
{
    struct nest *n = arg;

    if (outer_pairs_with(n->pool, NULL, t->lo[0], t->hi[0], t->lo[1], t->hi[1], n) !=
        TWEED_OK)
        atomic_fetch_add(&n->bad, 1);
}

TWEED_LOOP(twice, i, struct nest *, n)
{
    tweed_space space = tweed_space_2d(0, 5, 0, 6);

    if (tweed_parallel_for_tiles(n->pool, NULL, &space, outer_tile, n) != TWEED_OK)
        atomic_fetch_add(&n->bad, (int)i + 1);
}

static void nested(tweed_pool *pool)
{
    static struct nest n;
    bool good = true;

    for (int round = 1; round <= 10; round++) {
        n.pool = pool;
        good &= twice_with(pool, NULL, 0, 2, &n) == TWEED_OK && !n.bad;
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 6; j++)
                for (int k = 0; k < 7; k++)
                    for (int l = 0; l < 8; l++)
                        good &= n.cells[i][j][k][l] == 2 * round;
    }
    ok(good, "two dimensions in tiles of two in one: every index as often");
}

/* ---- an index is an index: what one cost is known for loops of every shape ---- */

/* Time is made for the thread that calls, as in guess.c. */
uint64_t __real_tweed__clock(void);
uint64_t __wrap_tweed__clock(void);

uint64_t __wrap_tweed__clock(void)
{
    return made ? made += 1 : __real_tweed__clock();
}

static bool was_shared(tweed_pool *pool, int64_t j, int64_t k, int64_t tile)
{
    const int64_t n[3] = { 1, j, k }, t[3] = { 1, tile, tile };
    tweed_stats before = TWEED_STATS_INIT, after = TWEED_STATS_INIT;

    make_box(2, n, t, 0);
    begin(&box);
    box.pool = pool;
    box.spend = 3;
    must(tweed_stats_get(pool, 0, &before));
    must(run(BRACES, &(tweed_loop_options)TWEED_LOOP_OPTIONS_INIT, &box));
    must(tweed_stats_get(pool, 0, &after));
    box.spend = 0;
    return after.serial == before.serial;
}

/* Is one of four loops shared?  Three in a row may be walked alone to measure their cost again
   (gain.h): four times three in 50 loops at most, if each is a sample below nothing and the
   first three are due.  *alone: how many were. */
static bool are_shared(tweed_pool *pool, int64_t j, int64_t k, int64_t tile, int *alone)
{
    bool shared = false;

    for (int n = 0; n < 4 && !shared; n++) {
        shared = was_shared(pool, j, k, tile);
        *alone += !shared;
    }
    return shared;
}

/* Sharing cannot gain in 192 made ns, and gains in 120,000, whatever it is found to cost
   (GAIN_LEAST_NS, GAIN_MOST_NS). */
static void short_and_long(tweed_pool *pool)
{
    bool good = true;
    int alone = 0;

    made = 1000;
    for (int round = 0; round < 20; round++) {
        for (int k = 0; k < 5; k++)
            (void)was_shared(pool, 5, 7, k % 2 ? 3 : 0);
        good &= !was_shared(pool, 8, 8, 0) && !was_shared(pool, 8, 8, 2) &&
                !was_shared(pool, 1, 64, 0) && !was_shared(pool, 64, 1, 4) &&
                are_shared(pool, 200, 200, round % 2 ? 16 : 0, &alone) &&
                are_shared(pool, 3, 13000, 0, &alone);
    }
    made = 0;
    ok(good && alone <= 12,
       "short loops are not shared, long ones are, whatever their shape (%d alone)", alone);
}

/* ---- the outcome of a loop over tiles counts indices ---- */

static void count_tile(const tweed_tile *t, void *arg)
{
    atomic_fetch_add((atomic_int *)arg,
                     (int)((t->hi[0] - t->lo[0]) * (t->hi[1] - t->lo[1])));
}

static void stop_tile(const tweed_tile *t, void *arg)
{
    count_tile(t, arg);
    (void)tweed_parallel_stop();
}

static void outcome(tweed_pool *pool)
{
    tweed_outcome all = TWEED_OUTCOME_INIT;
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    tweed_space space;
    atomic_int n = 0;

    o.outcome = &all;
    o.tile[0] = 3;
    o.tile[1] = 4;
    space = tweed_space_2d(5, 15, -3, 4);
    ok(tweed_parallel_for_tiles(pool, &o, &space, count_tile, &n) == TWEED_OK &&
           n == 70 && all.ran == 70 && all.index == 70,
       "the outcome of a loop over tiles counts indices");
    n = 0;
    space = tweed_space_2d(0, 1000, 0, 1000);
    ok(tweed_parallel_for_tiles(pool, &o, &space, stop_tile, &n) == TWEED_ESTOPPED &&
           all.ran == (uint64_t)n && n < 1000000 && all.index == 1000000,
       "... of one that is stopped, too");
}

int main(void)
{
    tweed_pool *pool, *two;

    plan(2 * WORKERS + 1 + 4 + 4 + 3 + 2);
    watchdog();
    every_index_once();
    pool = pool_of(4);
    order(pool);
    bounds(pool);
    boundary(pool);
    chosen(pool);
    refused(pool);
    stolen(pool);
    nested(pool);
    outcome(pool);
    two = pool_of(2);
    short_and_long(two);
    must(tweed_pool_destroy(two));
    must(tweed_pool_destroy(pool));
    return done_testing();
}

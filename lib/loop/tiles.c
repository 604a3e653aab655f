/*
 * tiles.c - loops of two and three dimensions: their numbers, tiles, and boxes.
 *
 * SPDX-License-Identifier: MIT
 *
 * tweed/tiles.h describes the walk.  Here a loop's indices are counted and its tiles
 * chosen.  Tile bodies are here as a whole: a call into the program is not felt
 * where there is one call for a box.
 *
 * TILES are whole rows, as the loops would be walked without tweed: a row is read and
 * written in one go, which is what caches fetch ahead.  But a body that reads neighbouring
 * rows, or layers of rows, reads each element once for each of them.  Where the rows are
 * long the element has left the cache by then; there a tile is so small that it stays.
 */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "base/atomic.h"
#include "base/check.h"
#include "loop/loop.h"

#include <tweed/sized.h>

/* A row, or a layer of rows, of more indices, of 4 or 8 bytes each, does not stay in a
   second-level cache with its neighbours.  A tile of so many does. */
#define LARGE 65536
#define IN_TILE 16384
#define IN_TILE_ROW 2048 /* of three dimensions: so that a tile has some rows */
#define TILE_DEPTH 16    /* rows of such length, or layers */

/* ---- how many, and in which tiles ---- */

/* a * b, if that is no more than INT64_MAX; else false. */
static bool multiply(uint64_t a, uint64_t b, uint64_t *product)
{
    return !__builtin_mul_overflow(a, b, product) && *product <= INT64_MAX;
}

/* The indices of each dimension, and of all; 0: the loop is empty. */
static bool count_indices(tweed_space *s, uint64_t *all)
{
    uint64_t plane;

    *all = 0;
    for (int d = 0; d < 3; d++)
        if (s->lo[d] >= s->hi[d])
            return true;
    for (int d = 0; d < 3; d++)
        s->count[d] = (uint64_t)s->hi[d] - (uint64_t)s->lo[d];
    return multiply(s->count[0], s->count[1], &plane) &&
           multiply(plane, s->count[2], all);
}

static void choose_tile(tweed_space *s)
{
    const uint64_t *n = s->count;
    uint64_t depth = n[0], height = n[1], width = n[2];

    if (n[0] > 1 && n[1] * n[2] > LARGE) {
        depth = tweed_least_(n[0], TILE_DEPTH);
        width = tweed_least_(n[2], IN_TILE_ROW);
        height = tweed_least_(n[1], IN_TILE / width);
    } else if (n[2] > LARGE) {
        height = tweed_least_(n[1], TILE_DEPTH);
        width = IN_TILE;
    }
    s->tile[0] = depth;
    s->tile[1] = height;
    s->tile[2] = width;
}

static int no_tile(const tweed_loop_options *o, uint32_t d, const char *expected)
{
    return tweed_fail_(TWEED_EINVAL, "tweed_loop_options.tile[%u] is %lld: expected %s", d,
                       (long long)o->tile[d], expected);
}

/* What the options ask for; *given: tiles of a size. */
static int check_tile(const tweed_loop_options *o, uint32_t dimensions, bool *given)
{
    uint32_t sizes = 0;

    for (uint32_t d = 0; d < dimensions; d++) {
        if (o->tile[d] < 0)
            return no_tile(o, d, "0 or more");
        sizes += o->tile[d] > 0;
    }
    *given = sizes > 0;
    for (uint32_t d = 0; *given && d < dimensions; d++)
        if (o->tile[d] == 0)
            return no_tile(o, d, "1 or more, as the others are");
    return TWEED_OK;
}

static void take_tile(tweed_space *s, const tweed_loop_options *o)
{
    uint32_t first = 3 - s->dimensions;

    s->tile[0] = 1;
    for (uint32_t d = first; d < 3; d++) {
        uint64_t asked = (uint64_t)o->tile[d - first];

        s->tile[d] = asked < s->count[d] ? asked : s->count[d];
    }
}

static uint64_t tiles_along(const tweed_space *s, int d)
{
    return s->count[d] / s->tile[d] + (s->count[d] % s->tile[d] != 0);
}

/* A loop over the numbers of its tiles. */
struct tiled {
    const tweed_space *space;
    _Atomic uint64_t executed; /* indices */
};

/* n: all indices of the loop. */
static int run_tiles(tweed_kind *whole, tweed_pool *pool, const tweed_loop_options *o,
                     const tweed_space *s, uint64_t n, void (*fn)(void))
{
    struct tiled t = { .space = s };
    int64_t tiles =
        (int64_t)(tiles_along(s, 0) * tiles_along(s, 1) * tiles_along(s, 2));
    struct tweed__end end;
    int code = tweed__loop_run(whole, pool, o, 0, tiles, fn, &t, NULL, &end);

    end.ran = load_relaxed(&t.executed); /* the loop's end orders it */
    end.index = (int64_t)n;
    if (o->outcome && loop_has_end(code)) /* which counts tiles so far */
        tweed__loop_report(o->outcome, &end);
    return code;
}

/* Reads the options, counts the indices, and takes or chooses tiles; *given: tiles were
   asked for. */
static int prepare(tweed_space *s, const tweed_loop_options *options,
                   tweed_loop_options *known, uint64_t *n, bool *given)
{
    int code = TWEED_OK;

    *given = false;
    if (options && !tweed_sized_read_(known, sizeof *known, options))
        return tweed_sized_fail_("tweed_loop_options", options, sizeof *known);
    if (options && known->weights)
        return tweed_fail_(TWEED_EINVAL, "tweed_loop_options.weights are set: expected NULL "
                                         "in two and three dimensions");
    if (options)
        code = check_tile(known, s->dimensions, given);
    if (code != TWEED_OK)
        return code;
    if (!count_indices(s, n))
        return tweed_fail_(TWEED_ERANGE, "%llu times %llu times %llu indices",
                           (unsigned long long)s->count[0], (unsigned long long)s->count[1],
                           (unsigned long long)s->count[2]);
    if (*n > 0 && *given)
        take_tile(s, known);
    else if (*n > 0)
        choose_tile(s);
    return TWEED_OK;
}

int tweed_space_prepare_(tweed_space *space, const tweed_loop_options *options,
                         int64_t *all)
{
    tweed_loop_options known;
    bool given;
    uint64_t n = 0;
    int code = prepare(space, options, &known, &n, &given);

    *all = (int64_t)n;
    return code;
}

/* A loop over the numbers of its indices by kind `each`, or over those of its tiles,
   if tiles are asked for and there is a kind for whole ones. */
static int run(tweed_kind *each, tweed_kind *whole, tweed_pool *pool,
               const tweed_loop_options *options, tweed_space *s,
               void (*fn)(void))
{
    tweed_loop_options known;
    struct tweed__end end;
    bool given;
    uint64_t n;
    int code = prepare(s, options, &known, &n, &given);

    if (code != TWEED_OK)
        return code;
    if (n > 0 && given && whole)
        return run_tiles(whole, pool, &known, s, n, fn);
    return tweed__loop_run(given && whole ? whole : each, pool, options, 0, (int64_t)n,
                           fn, s, NULL, &end);
}

int tweed_loop_run_space(tweed_pool *pool, const tweed_loop_options *options,
                         tweed_space *space, tweed_kind *kind, void (*fn)(void))
{
    return run(kind, NULL, pool, options, space, fn);
}

/* ---- tile bodies ---- */

static void call_box(const tweed_space *s, void (*fn)(void),
                     const tweed_spot_ *at, const tweed_box_ *box)
{
    int64_t i = at->i + (int64_t)box->layers, j = at->j + (int64_t)box->rows,
            k = at->k + (int64_t)box->columns;
    const tweed_tile flat = { { at->j, at->k, 0 }, { j, k, 1 } },
                     deep = { { at->i, at->j, at->k }, { i, j, k } };

    ((tweed_tile_fn *)fn)(s->dimensions == 2 ? &flat : &deep, s->arg);
}

static void work_boxes(tweed_cursor *c)
{
    const tweed_space *s = c->arg;
    tweed_spot_ at = tweed_nowhere_();

    do {
        uint64_t n = (uint64_t)tweed_past(c) - (uint64_t)tweed_first(c);

        if (at.number != (uint64_t)tweed_first(c))
            at = tweed_seek_(s, (uint64_t)tweed_first(c));
        while (n > 0) {
            tweed_box_ box = tweed_box_at_(&at, n);

            call_box(s, c->fn, &at, &box);
            n -= tweed_pass_box_(s, &at, &box);
        }
    } while (tweed_next(c));
}

/* The first index of a tile, by the tile's number. */
static tweed_spot_ seek_tile(const tweed_space *s, uint64_t number)
{
    uint64_t across = tiles_along(s, 2), down = tiles_along(s, 1);
    tweed_spot_ at = tweed_nowhere_();
    uint64_t i = number / across / down * s->tile[0];
    uint64_t j = number / across % down * s->tile[1];
    uint64_t k = number % across * s->tile[2];

    at.number = number;
    at.i = tweed_index_(s, 0, i);
    at.j = tweed_index_(s, 1, j);
    at.k = tweed_index_(s, 2, k);
    at.depth = tweed_least_(s->tile[0], s->count[0] - i);
    at.height = tweed_least_(s->tile[1], s->count[1] - j);
    at.width = tweed_least_(s->tile[2], s->count[2] - k);
    return at;
}

/* Numbers are those of tiles here. */
static void work_tiles(tweed_cursor *c)
{
    struct tiled *t = c->arg;
    const tweed_space *s = t->space;
    tweed_spot_ at = tweed_nowhere_();
    uint64_t executed = 0;

    do {
        uint64_t number = (uint64_t)tweed_first(c);

        if (at.number != number)
            at = seek_tile(s, number);
        for (; number < (uint64_t)tweed_past(c); number++) {
            tweed_box_ box = { at.depth, at.height, at.width };

            call_box(s, c->fn, &at, &box);
            executed += at.depth * at.height * at.width;
            at.i += (int64_t)at.depth;
            tweed_next_tile_(s, &at);
            at.number = number + 1;
        }
    } while (tweed_next(c));
    fetch_add_relaxed(&t->executed, executed); /* a figure, read after the end */
}

static tweed_kind boxes = TWEED_KIND_INIT_(TWEED_CLAIM_NS_, work_boxes, NULL);
static tweed_kind tiles = TWEED_KIND_INIT_(TWEED_CLAIM_NS_, work_tiles, NULL);

int tweed_parallel_for_tiles(tweed_pool *pool, const tweed_loop_options *options,
                             const tweed_space *space, tweed_tile_fn *fn, void *arg)
{
    tweed_space own;

    if (!fn || !space)
        return fn ? TWEED_LACKS_("space") : TWEED_LACKS_("fn");
    own = *space;
    own.arg = arg;
    return run(&boxes, &tiles, pool, options, &own, (void (*)(void))fn);
}

/* ---- for other languages, and dlsym(): what tweed/tiles.h has for C and C++ ---- */

static tweed_kind each = TWEED_KIND_INIT_(TWEED_CLAIM_NS_, tweed_space_work_, NULL);

int tweed_parallel_for_space(tweed_pool *pool, const tweed_loop_options *options,
                             const tweed_space *space, tweed_space_fn *fn, void *arg)
{
    return tweed_space_call_(&each, pool, options, space, fn, arg);
}

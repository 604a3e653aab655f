/*
 * tweed/tiles.h - loops of two and of three dimensions.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.h.
 *
 *     TWEED_LOOP_2D(), TWEED_LOOP_3D()  make a loop out of a body in braces
 *     tweed_parallel_for_space()        the body by pointer, called for each index
 *     tweed_parallel_for_tiles()        the body by pointer, called for boxes of indices
 *
 * The pairs (i, j), or triples, are the indices of one loop.  The indices are numbered in
 * the order of a walk, and the core loop (tweed/inline.h) runs over their numbers:
 *
 *     The walk goes through the tiles row by row, and through the indices of a tile
 *     row by row.  Only tiles at the upper bounds are smaller than others.
 *
 * So a worker's share is a band of rows of tiles, a claim is any piece of the walk,
 * and the time that an index takes is known whatever the bounds are.  A worker walks on
 * from claim to claim, and finds its place by divisions only where it has jumped.
 *
 * Two dimensions are three of which the first has one index.
 *
 * Names that end with _ are tweed's own.
 */
#ifndef TWEED_H
#include <tweed.h> /* which includes this file */
#endif
#ifndef TWEED_TILES_H
#define TWEED_TILES_H

#ifdef __cplusplus
extern "C" {
#endif

/* The indices of a loop, as tweed_space_2d() and tweed_space_3d() make them, and its
   tiles, which tweed_loop_run_space() fills in: what stands from count on.  The space that
   a loop runs over lies on the caller's stack, and is the cursor's arg. */
struct tweed_space {
    uint32_t size;       /* sizeof(struct tweed_space) */
    uint32_t dimensions; /* 2 or 3; of 2 the first one below is [0, 1) */
    int64_t lo[3], hi[3];
    void *arg;           /* what the call was given */
    uint64_t count[3];   /* indices of each dimension, > 0 */
    uint64_t tile[3];    /* and of a tile, 1 to count */
};
typedef struct tweed_space tweed_space;

/* A box of indices, not empty: [lo[0], hi[0]) x [lo[1], hi[1]) x [lo[2], hi[2]).  Of two
   dimensions the last one is [0, 1). */
struct tweed_tile {
    int64_t lo[3], hi[3];
};
typedef struct tweed_tile tweed_tile;

/* Bodies by pointer.  Of two dimensions k is 0. */
typedef void tweed_space_fn(int64_t i, int64_t j, int64_t k, void *arg);
typedef void tweed_tile_fn(const tweed_tile *tile, void *arg);

/* tweed_space_2d, tweed_space_3d - the indices between these bounds, which may have any
   values; a dimension whose bounds are equal, or in the wrong order, is empty, and so is
   the loop */
TWEED_INLINE_ tweed_space tweed_space_2d(int64_t i0, int64_t i1, int64_t j0, int64_t j1);
TWEED_INLINE_ tweed_space tweed_space_3d(int64_t i0, int64_t i1, int64_t j0, int64_t j1,
                                         int64_t k0, int64_t k1);

/*
 * tweed_parallel_for_space - run fn(i, j, k, arg) for each index of a space
 *
 *     tweed_space space = tweed_space_2d(i0, i1, j0, j1);
 *
 *     code = tweed_parallel_for_space(pool, options, &space, fn, arg);
 *
 *     for (int64_t i = i0; i < i1; i++)
 *         for (int64_t j = j0; j < j1; j++)
 *             fn(i, j, 0, arg);
 *
 * pool     the pool to run on; NULL: the default pool
 * options  NULL: none
 * space    of two dimensions, or of three, with k in the innermost loop
 * fn, arg  as those of tweed_parallel_for()
 *
 * Callers, blocking, memory ordering: as tweed_parallel_for().
 *
 * A worker claims as many indices at a time as take about two microseconds, in the
 * order of the loops above: (i, j + 1) comes after (i, j).  Its share is a band of
 * rows.  Rows of more than 65,536 indices are walked in tiles of 16 by 16,384, so
 * that what neighbouring rows read stays in a cache.  Where an i of three dimensions has
 * more than 65,536 pairs (j, k) the walk is in tiles of 16 by as many rows as have 16,384
 * indices, of 2,048 at most.
 *
 * options->tile, if it is not all zero, is how many rows and columns a tile has, and
 * asks for this order:
 *
 *     for (ti = i0; ti < i1; ti += tile[0])
 *         for (tj = j0; tj < j1; tj += tile[1])
 *             for (i = ti; i < ti + tile[0] && i < i1; i++)
 *                 for (j = tj; j < tj + tile[1] && j < j1; j++)
 *                     fn(i, j, 0, arg);
 *
 * Three dimensions have three sizes of a tile.  A tile may be divided between workers.
 * options->grain counts indices in that order.
 *
 * Returns TWEED_OK; TWEED_EINVAL if fn or space is NULL, or one of the sizes of a tile is
 * negative, or 0 and another is not; TWEED_ERANGE if there are more than INT64_MAX
 * indices; and what tweed_parallel_for_with() returns.  After an error no index was
 * executed.
 */
TWEED_CALL_ TWEED_CHECKED_ int tweed_parallel_for_space(tweed_pool *pool,
                                                        const tweed_loop_options *options,
                                                        const tweed_space *space,
                                                        tweed_space_fn *fn, void *arg);

/*
 * tweed_parallel_for_tiles - run fn(tile, arg) for boxes of indices, so that the inner
 * loops are the body's own
 *
 * The boxes of a loop do not overlap and cover it.  With options->tile each box is
 * one tile, of exactly that size but at the upper bounds; options->grain counts
 * tiles.  Without, a box is as large as takes about two microseconds, and of any
 * shape.
 *
 * All else as tweed_parallel_for_space().
 */
TWEED_API_ TWEED_CHECKED_ int tweed_parallel_for_tiles(tweed_pool *pool,
                                                       const tweed_loop_options *options,
                                                       const tweed_space *space,
                                                       tweed_tile_fn *fn, void *arg);

/* ---- the walk ---- */

/* Runs a loop of two or three dimensions by a kind: tweed_loop_run() over the numbers of
   its indices, with space as arg.  fn is a body by pointer; null where the kind has
   its body inside. */
TWEED_API_ int tweed_loop_run_space(tweed_pool *pool, const tweed_loop_options *options,
                                    tweed_space *space, tweed_kind *kind,
                                    void (*fn)(void));

/* Counts the indices of a space, and chooses its tiles, for calls that run over their
   numbers: [0, *all).  TWEED_EINVAL, TWEED_ERANGE as tweed_parallel_for_space(). */
TWEED_API_ TWEED_CHECKED_ int tweed_space_prepare_(tweed_space *space,
                                                   const tweed_loop_options *options,
                                                   int64_t *all);

/* A place in the walk: the next index, and what is left of its tile. */
struct tweed_spot_ {
    uint64_t number;               /* of the index; UINT64_MAX: nowhere */
    int64_t i, j, k;               /* the index */
    uint64_t depth, height, width; /* of the tile, by dimension */
    uint64_t layers, rows, left;   /* left from here on: layers of the tile, rows of
                                      this layer, indices of this row */
};
typedef struct tweed_spot_ tweed_spot_;

TWEED_INLINE_ tweed_spot_ tweed_nowhere_(void)
{
    tweed_spot_ at = { UINT64_MAX, 0, 0, 0, 0, 0, 0, 0, 0, 0 };

    return at;
}

TWEED_INLINE_ uint64_t tweed_least_(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* An index, from the first one of its dimension; wraps where it must. */
TWEED_INLINE_ int64_t tweed_index_(const tweed_space *s, int d, uint64_t offset)
{
    return TWEED_VALUE_(int64_t, TWEED_VALUE_(uint64_t, s->lo[d]) + offset);
}

TWEED_INLINE_ uint64_t tweed_offset_(const tweed_space *s, int d, int64_t index)
{
    return TWEED_VALUE_(uint64_t, index) - TWEED_VALUE_(uint64_t, s->lo[d]);
}

/* Where the index of this number is.  All tiles of a row of tiles but the last one
   have the same size, so what is left says in which tile the index is. */
static TWEED_APART_ TWEED_UNUSED_ tweed_spot_ tweed_seek_(const tweed_space *s,
                                                         uint64_t number)
{
    tweed_spot_ at = tweed_nowhere_();
    uint64_t x = number, i, j, k, row, size;

    size = s->tile[0] * s->count[1] * s->count[2];
    i = x / size * s->tile[0];
    x %= size;
    at.depth = tweed_least_(s->tile[0], s->count[0] - i);
    size = at.depth * s->tile[1] * s->count[2];
    j = x / size * s->tile[1];
    x %= size;
    at.height = tweed_least_(s->tile[1], s->count[1] - j);
    size = at.depth * at.height * s->tile[2];
    k = x / size * s->tile[2];
    x %= size;
    at.width = tweed_least_(s->tile[2], s->count[2] - k);
    row = x / at.width;
    x %= at.width;
    at.number = number;
    at.i = tweed_index_(s, 0, i + row / at.height);
    at.j = tweed_index_(s, 1, j + row % at.height);
    at.k = tweed_index_(s, 2, k + x);
    at.layers = at.depth - row / at.height;
    at.rows = at.height - row % at.height;
    at.left = at.width - x;
    return at;
}

/* From behind the last layer of a tile, where i is past the tile, and j and k are its
   first ones, to the first index of the next tile. */
static TWEED_APART_ TWEED_UNUSED_ void tweed_next_tile_(const tweed_space *s,
                                                       tweed_spot_ *at)
{
    uint64_t i = tweed_offset_(s, 0, at->i) - at->depth;
    uint64_t j = tweed_offset_(s, 1, at->j);
    uint64_t k = tweed_offset_(s, 2, at->k) + at->width;

    if (k == s->count[2]) {
        k = 0;
        j += at->height;
        if (j == s->count[1]) {
            j = 0;
            i += at->depth;
        }
    }
    at->depth = at->layers = tweed_least_(s->tile[0], s->count[0] - i);
    at->height = at->rows = tweed_least_(s->tile[1], s->count[1] - j);
    at->width = at->left = tweed_least_(s->tile[2], s->count[2] - k);
    at->i = tweed_index_(s, 0, i);
    at->j = tweed_index_(s, 1, j);
    at->k = tweed_index_(s, 2, k);
}

/* From behind so many rows of a layer, at->k being the first of the row. */
TWEED_INLINE_ void tweed_pass_rows_(const tweed_space *s, tweed_spot_ *at, uint64_t rows)
{
    at->left = at->width;
    at->rows -= rows;
    at->j += TWEED_VALUE_(int64_t, rows);
    if (at->rows == 0) {
        at->rows = at->height;
        at->j -= TWEED_VALUE_(int64_t, at->height);
        at->i++;
        if (--at->layers == 0)
            tweed_next_tile_(s, at);
    }
}

/* A box of the walk: layers of a tile, or rows of a layer, or a piece of a row. */
struct tweed_box_ {
    uint64_t layers, rows, columns;
};
typedef struct tweed_box_ tweed_box_;

/* The largest box that begins here and has at most n indices.  Divides only where n ends
   inside of the tile. */
static TWEED_APART_ TWEED_UNUSED_ tweed_box_ tweed_box_at_(const tweed_spot_ *at,
                                                          uint64_t n)
{
    tweed_box_ box = { 1, 1, tweed_least_(at->left, n) };

    if (box.columns == at->width) {
        box.rows = at->rows * at->width <= n ? at->rows : n / at->width;
        if (box.rows == at->height) {
            uint64_t layer = at->height * at->width;

            box.layers = at->layers * layer <= n ? at->layers : n / layer;
        }
    }
    return box;
}

/* From the first index of a box to the index behind it.  Returns how many the box has. */
static TWEED_APART_ TWEED_UNUSED_ uint64_t tweed_pass_box_(const tweed_space *s,
                                                          tweed_spot_ *at,
                                                          const tweed_box_ *box)
{
    uint64_t n = box->layers * box->rows * box->columns;

    at->number += n;
    at->left -= box->columns;
    at->k += TWEED_VALUE_(int64_t, box->columns);
    if (at->left == 0) {
        at->k -= TWEED_VALUE_(int64_t, at->width);
        at->i += TWEED_VALUE_(int64_t, box->layers - 1);
        at->layers -= box->layers - 1;
        tweed_pass_rows_(s, at, box->rows);
    }
    return n;
}

/* Of the indices of a row a multiple of so many goes together, TWEED_EACH_: as many floats as
   a vector of 128 or 256 bits has. */
#ifdef __AVX__
#define TWEED_ROW_ 8
#else
#define TWEED_ROW_ 4
#endif

/* The walk through all that a cursor is given, box by box; the statement executes the
   tweed_n_ indices of a row from tweed_k_ on.  It is given as a macro and a list of its
   arguments: gcc 11 takes a pragma out of an argument, and puts it before the walk. */
#define TWEED_WALK_(c, space, macro, list)                                     \
    do {                                                                       \
        tweed_spot_ tweed_at_ = tweed_nowhere_();                              \
                                                                               \
        do                                                                     \
            TWEED_WALK_CLAIM_(c, space, tweed_at_, macro, list)                \
        while (tweed_next(c));                                                 \
    } while (0)
#define TWEED_WALK_CLAIM_(c, space, at, macro, list)                           \
    TWEED_WALK_PIECE_(space, at, TWEED_VALUE_(uint64_t, tweed_first(c)),       \
                      tweed_span_(tweed_first(c), tweed_past(c)), macro, list)
#define TWEED_WALK_PIECE_(space, at, from, count, macro, list)                 \
    {                                                                          \
        uint64_t tweed_todo_ = (count);                                        \
                                                                               \
        if (at.number != (from))                                               \
            at = tweed_seek_(space, (from));                                   \
        while (tweed_todo_ > 0) {                                              \
            const tweed_box_ tweed_here_ = tweed_box_at_(&at, tweed_todo_);    \
            const uint64_t tweed_n_ = tweed_here_.columns;                     \
            const int64_t tweed_first_k_ = at.k;                               \
            int64_t tweed_i_ = at.i;                                           \
                                                                               \
            (void)tweed_i_;                                                    \
            for (uint64_t tweed_layers_ = tweed_here_.layers;                  \
                 tweed_layers_ > 0; tweed_layers_--, tweed_i_++) {             \
                int64_t tweed_j_ = at.j;                                       \
                                                                               \
                for (uint64_t tweed_rows_ = tweed_here_.rows; tweed_rows_ > 0; \
                     tweed_rows_--, tweed_j_++) {                              \
                    int64_t tweed_k_ = tweed_first_k_;                         \
                                                                               \
                    macro list                                                 \
                }                                                              \
            }                                                                  \
            tweed_todo_ -= tweed_pass_box_(space, &at, &tweed_here_);          \
        }                                                                      \
    }

/* ---- bodies by pointer ---- */

static TWEED_APART_ TWEED_UNUSED_ void tweed_space_work_(tweed_cursor *c)
{
    const tweed_space *space = TWEED_TYPED_(tweed_space, c->arg);
    tweed_space_fn *each = TWEED_FN_(tweed_space_fn *, c->fn);
    void *arg = space->arg;

    if (space->dimensions == 2)
        TWEED_WALK_(c, space, TWEED_EACH_LEFT_,
                    (tweed_n_, tweed_k_, each(tweed_j_, tweed_k_, 0, arg)));
    else
        TWEED_WALK_(c, space, TWEED_EACH_LEFT_,
                    (tweed_n_, tweed_k_, each(tweed_i_, tweed_j_, tweed_k_, arg)));
}

TWEED_INLINE_ tweed_space tweed_space_2d_(int64_t i0, int64_t i1, int64_t j0,
                                          int64_t j1, void *arg)
{
    tweed_space space = { TWEED_VALUE_(uint32_t, sizeof(tweed_space)),
                          2,
                          { 0, i0, j0 },
                          { 1, i1, j1 },
                          arg,
                          { 0, 0, 0 },
                          { 0, 0, 0 } };

    return space;
}

TWEED_INLINE_ tweed_space tweed_space_3d_(int64_t i0, int64_t i1, int64_t j0,
                                          int64_t j1, int64_t k0, int64_t k1,
                                          void *arg)
{
    tweed_space space = { TWEED_VALUE_(uint32_t, sizeof(tweed_space)),
                          3,
                          { i0, j0, k0 },
                          { i1, j1, k1 },
                          arg,
                          { 0, 0, 0 },
                          { 0, 0, 0 } };

    return space;
}

TWEED_INLINE_ tweed_space tweed_space_2d(int64_t i0, int64_t i1, int64_t j0, int64_t j1)
{
    return tweed_space_2d_(i0, i1, j0, j1, TWEED_NULL_);
}

TWEED_INLINE_ tweed_space tweed_space_3d(int64_t i0, int64_t i1, int64_t j0, int64_t j1,
                                         int64_t k0, int64_t k1)
{
    return tweed_space_3d_(i0, i1, j0, j1, k0, k1, TWEED_NULL_);
}

/* By a kind whose work is tweed_space_work_(). */
TWEED_INLINE_ TWEED_CHECKED_ int tweed_space_call_(tweed_kind *kind, tweed_pool *pool,
                                                   const tweed_loop_options *options,
                                                   const tweed_space *space,
                                                   tweed_space_fn *fn, void *arg)
{
    tweed_space own;

    if (!fn || !space)
        return fn ? TWEED_LACKS_("space") : TWEED_LACKS_("fn");
    own = *space;
    own.arg = arg;
    return tweed_loop_run_space(pool, options, &own, kind, TWEED_BODY_(fn));
}

#ifndef TWEED_CALLS_APART_ /* lib/: where the function of this name is made */

static tweed_kind tweed_space_kind_ TWEED_UNUSED_ =
    TWEED_KIND_INIT_(TWEED_CLAIM_NS_, tweed_space_work_, TWEED_NULL_);

TWEED_INLINE_ TWEED_CHECKED_ int tweed_parallel_for_space(tweed_pool *pool,
                                                          const tweed_loop_options *options,
                                                          const tweed_space *space,
                                                          tweed_space_fn *fn, void *arg)
{
    return tweed_space_call_(&tweed_space_kind_, pool, options, space, fn, arg);
}

#endif /* TWEED_CALLS_APART_ */

#ifdef __cplusplus
}
#endif

/* ---- bodies in braces ---- */

/* D: 2D_ or 3D_; before: the body's indices before the last one, which the list begins
   with. */
#define TWEED_MAKE_SPACE_LOOP_(name, D, make, multiple, before, ...)           \
    TWEED_CHECK_LIST_(0loop_, __VA_ARGS__)                                     \
    TWEED_INLINE_ void name##_tweed_body(                                      \
        TWEED_LIST_ before TWEED_READ_PARAMETERS_(__VA_ARGS__));               \
    TWEED_ARGUMENTS_(, name, __VA_ARGS__)                                      \
    static TWEED_UNUSED_ void name##_tweed_work(tweed_cursor *tweed_c_)        \
    {                                                                          \
        const tweed_space *tweed_space_ =                                      \
            TWEED_TYPED_(tweed_space, tweed_c_->arg);                          \
        tweed_spot_ tweed_at_ = tweed_nowhere_();                              \
                                                                               \
        do {                                                                   \
            TWEED_UNPACK_(name, tweed_space_->arg, __VA_ARGS__)                \
                                                                               \
            TWEED_WALK_CLAIM_(                                                 \
                tweed_c_, tweed_space_, tweed_at_, TWEED_EACH_,                \
                (multiple, tweed_n_, tweed_k_,                                 \
                 (name##_tweed_body)(TWEED_BEFORE_##D tweed_k_                 \
                                         TWEED_LOCALS_(__VA_ARGS__))))         \
        } while (tweed_next(tweed_c_));                                        \
    }                                                                          \
    static tweed_kind name##_tweed_kind TWEED_UNUSED_ =                        \
        TWEED_KIND_INIT_(TWEED_CLAIM_NS_, name##_tweed_work, #name);           \
    static TWEED_UNUSED_ TWEED_CHECKED_ int name##_with(                       \
        tweed_pool *tweed_pool_, const tweed_loop_options *tweed_options_,     \
        TWEED_BOUNDS_##D TWEED_PARAMETERS_(__VA_ARGS__))                       \
    {                                                                          \
        TWEED_PACK_(name, __VA_ARGS__)                                         \
        tweed_space tweed_space_ = make(TWEED_VALUES_##D, &tweed_v_);          \
                                                                               \
        return tweed_loop_run_space(tweed_pool_, tweed_options_,               \
                                    &tweed_space_, &name##_tweed_kind,         \
                                    TWEED_NULL_); \
    }                                                                          \
    static TWEED_UNUSED_ int name(                                             \
        TWEED_BOUNDS_##D TWEED_PARAMETERS_(__VA_ARGS__))                       \
    {                                                                          \
        return (name##_with)(TWEED_NULL_, TWEED_NULL_,                         \
                             TWEED_VALUES_##D TWEED_PASSED_(__VA_ARGS__));     \
    }                                                                          \
    TWEED_INLINE_ void name##_tweed_body(                                      \
        TWEED_LIST_ before TWEED_READ_PARAMETERS_(__VA_ARGS__))

#define TWEED_MAKE_LOOP_2D_(name, multiple, i, ...)                            \
    TWEED_MAKE_SPACE_LOOP_(name, 2D_, tweed_space_2d_, multiple,               \
                           (TWEED_INDEX_(i), ), __VA_ARGS__)
#define TWEED_MAKE_LOOP_3D_(name, multiple, i, j, ...)                         \
    TWEED_MAKE_SPACE_LOOP_(name, 3D_, tweed_space_3d_, multiple,               \
                           (TWEED_INDEX_(i), TWEED_INDEX_(j), ), __VA_ARGS__)

/*
 * TWEED_LOOP_2D, TWEED_LOOP_3D - a parallel loop of two or three dimensions with its
 * body in braces
 *
 *     TWEED_LOOP_2D(blur, y, x, float *, to, const float *, from, int64_t, width)
 *     {
 *         to[y * width + x] = mean(from, width, y, x);
 *     }
 *     ...
 *     blur(0, height, 0, width, to, from, width);
 *
 *     for (int64_t y = 0; y < height; y++)
 *         for (int64_t x = 0; x < width; x++)
 *             { the braces }
 *
 * At file scope, in C11 and C++11.  It makes two ordinary static functions,
 *
 *     int blur(int64_t i0, int64_t i1, int64_t j0, int64_t j1,
 *              float *to, const float *from, int64_t width);
 *     int blur_with(tweed_pool *, const tweed_loop_options *, int64_t i0, int64_t i1,
 *                   int64_t j0, int64_t j1, float *to, const float *from, int64_t width);
 *
 * which do what tweed_parallel_for_space() does.  The body is compiled in place, in a loop
 * over j: inlined, and vectorised where the compiler would vectorise such a loop.  The
 * arguments and all else are those of TWEED_LOOP (tweed/inline.h).  TWEED_LOOP_3D has a
 * third index, k, and bounds k0, k1; its loop is over k.
 *
 * TWEED_SIMD_LOOP_2D and TWEED_SIMD_LOOP_3D are to these what TWEED_SIMD_LOOP is to
 * TWEED_LOOP: the promise is about the indices of a row.
 */
#define TWEED_LOOP_2D(name, i, ...) TWEED_MAKE_LOOP_2D_(name, TWEED_ROW_, i, __VA_ARGS__)
#define TWEED_LOOP_3D(name, i, j, ...) TWEED_MAKE_LOOP_3D_(name, TWEED_ROW_, i, j, __VA_ARGS__)
#define TWEED_SIMD_LOOP_2D(name, i, ...) TWEED_MAKE_LOOP_2D_(name, 16, i, __VA_ARGS__)
#define TWEED_SIMD_LOOP_3D(name, i, j, ...)                                    \
    TWEED_MAKE_LOOP_3D_(name, 16, i, j, __VA_ARGS__)

#endif /* TWEED_TILES_H */

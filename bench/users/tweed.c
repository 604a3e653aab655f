/*
 * tweed.c - as tweed's users write it in C.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tweed.h>

#include "users.h"

#define S(name) s->name

/* A function of an index.  What loop call has is called as it is: no function
   around it. */
#define POINTER(name, given, statement)                                        \
    static void name##_index(int64_t i, void *arg)                             \
    {                                                                          \
        struct user_data *s = arg;                                             \
                                                                               \
        statement;                                                             \
    }                                                                          \
    static void name##_pointer(struct user_data *s, int64_t n)                 \
    {                                                                          \
        if (USER_##name == USER_call)                                          \
            tweed_parallel_for(0, n, s->fn, s->arg);                           \
        else                                                                   \
            tweed_parallel_for(0, n, name##_index, s);                         \
    }
USER_BODIES(POINTER)

/* A function of a run of indices. */
#define RANGE(name, given, statement)                                          \
    static void name##_run(int64_t begin, int64_t end, void *arg)              \
    {                                                                          \
        struct user_data *s = arg;                                             \
                                                                               \
        for (int64_t i = begin; i < end; i++)                                  \
            statement;                                                         \
    }                                                                          \
    static void name##_range(struct user_data *s, int64_t n)                   \
    {                                                                          \
        tweed_parallel_for_range(0, n, name##_run, s);                         \
    }
USER_BODIES(RANGE)

#define PLANE_OF(edge) tweed_space_2d(edge, s->side - edge, edge, s->side - edge)
#define SPACE_OF(edge)                                                         \
    tweed_space_3d(edge, s->side - edge, edge, s->side - edge, edge, s->row - edge)

#define PLANE_POINTER(name, given, edge, statement)                            \
    static void name##_pair(int64_t i, int64_t j, int64_t k, void *arg)        \
    {                                                                          \
        struct user_data *s = arg;                                             \
                                                                               \
        (void)k;                                                               \
        statement;                                                             \
    }                                                                          \
    static void name##_pointer(struct user_data *s, int64_t n)                 \
    {                                                                          \
        const tweed_space plane = PLANE_OF(edge);                              \
                                                                               \
        (void)n;                                                               \
        if (tweed_parallel_for_space(NULL, NULL, &plane, name##_pair, s))      \
            abort();                                                           \
    }

/* A function of a tile. */
#define BOX(name, space, statement, ...)                                       \
    static void name##_box(const tweed_tile *t, void *arg)                     \
    {                                                                          \
        struct user_data *s = arg;                                             \
                                                                               \
        __VA_ARGS__ statement;                                                 \
    }                                                                          \
    static void name##_range(struct user_data *s, int64_t n)                   \
    {                                                                          \
        const tweed_space all = space;                                         \
                                                                               \
        (void)n;                                                               \
        if (tweed_parallel_for_tiles(NULL, NULL, &all, name##_box, s))         \
            abort();                                                           \
    }
#define AXIS(k, i) for (int64_t i = t->lo[k]; i < t->hi[k]; i++)
#define PLANE_BOX(name, given, edge, statement)                                \
    BOX(name, PLANE_OF(edge), statement, AXIS(0, i) AXIS(1, j))
#define SPACE_BOX(name, given, edge, statement)                                \
    BOX(name, SPACE_OF(edge), statement, AXIS(0, h) AXIS(1, i) AXIS(2, j))
USER_PLANES(PLANE_POINTER)
USER_PLANES(PLANE_BOX)
USER_SPACES(SPACE_BOX)

static void cliff_run_timed(int64_t begin, int64_t end, void *arg)
{
    double started = bench_now();

    cliff_run(begin, end, arg);
    user_claimed(arg, started);
}

static void timed(struct user_data *s, int64_t n)
{
    tweed_parallel_for_range(0, n, cliff_run_timed, s);
}

/* ---- a loop in a loop ---- */

struct two {
    struct user_data *s;
    int64_t n;
    int heavy;
    user_loop_fn *inner;
};

static void outer(int64_t i, void *arg)
{
    const struct two *t = arg;

    if (i == t->heavy)
        t->inner(t->s, t->n);
}

static void nest_pointer(struct user_data *s, int64_t n, int heavy)
{
    struct two t = { s, n, heavy, spin_pointer };

    tweed_parallel_for(0, 2, outer, &t);
}

static void nest_range(struct user_data *s, int64_t n, int heavy)
{
    struct two t = { s, n, heavy, spin_range };

    tweed_parallel_for(0, 2, outer, &t);
}

struct halves {
    uint32_t *values;
    int64_t half, n;
};

static void sort_pointer(uint32_t *values, int64_t n);

static void sort_half(int64_t i, void *arg)
{
    const struct halves *h = arg;

    if (i == 0)
        sort_pointer(h->values, h->half);
    else
        sort_pointer(h->values + h->half, h->n - h->half);
}

static void sort_pointer(uint32_t *values, int64_t n)
{
    struct halves h = { values, 0, n };

    if (n <= USER_SORT_ALONE) {
        user_sort_alone(values, n);
        return;
    }
    h.half = user_partition(values, n);
    tweed_parallel_for(0, 2, sort_half, &h);
}

/* ---- bodies compiled in place, with arguments ---- */

#undef S
#define S(name) name

/* MAKER: TWEED_LOOP or TWEED_SIMD_LOOP. */
#define IN_PLACE(MAKER, name, way, given, statement)                           \
    MAKER(name##_##way##_in_place, i USER_GIVEN_##given)                       \
    {                                                                          \
        statement;                                                             \
    }                                                                          \
    static void name##_##way(struct user_data *s, int64_t n)                   \
    {                                                                          \
        (void)s;                                                               \
        name##_##way##_in_place(0, n USER_OF_##given(s));                      \
    }
#define LOOP(name, given, statement)                                           \
    IN_PLACE(TWEED_LOOP, name, loop, given, statement)
#define SIMD(name, given, statement)                                           \
    IN_PLACE(TWEED_SIMD_LOOP, name, simd, given, statement)
USER_BODIES(LOOP)
USER_BODIES(SIMD)

TWEED_LOOP(outer_in_place, i, struct user_data *, s, int64_t, n, int, heavy)
{
    if (i == heavy)
        spin_loop(s, n);
}

static void nest_loop(struct user_data *s, int64_t n, int heavy)
{
    outer_in_place(0, 2, s, n, heavy);
}

static void sort_loop(uint32_t *values, int64_t n);

TWEED_LOOP(sort_halves, i, uint32_t *, values, int64_t, half, int64_t, n)
{
    if (i == 0)
        sort_loop(values, half);
    else
        sort_loop(values + half, n - half);
}

static void sort_loop(uint32_t *values, int64_t n)
{
    if (n <= USER_SORT_ALONE)
        user_sort_alone(values, n);
    else
        sort_halves(0, 2, values, user_partition(values, n), n);
}

/* ---- rows and columns ---- */

#define PLANE_IN_PLACE(MAKER, name, way, given, edge, statement)               \
    MAKER(name##_##way##_in_place, i, j USER_GIVEN_##given)                    \
    {                                                                          \
        statement;                                                             \
    }                                                                          \
    static void name##_##way(struct user_data *s, int64_t n)                   \
    {                                                                          \
        (void)n;                                                               \
        name##_##way##_in_place(edge, s->side - edge, edge,                    \
                                s->side - edge USER_OF_##given(s));            \
    }
#define PLANE(name, given, edge, statement)                                    \
    PLANE_IN_PLACE(TWEED_LOOP_2D, name, loop, given, edge, statement)
#define PLANE_SIMD(name, given, edge, statement)                               \
    PLANE_IN_PLACE(TWEED_SIMD_LOOP_2D, name, simd, given, edge, statement)
#define TILED { .size = sizeof(tweed_loop_options), .tile = { USER_TILE, USER_TILE } }
#define PLANE_TILES(name, given, edge, statement)                              \
    static void name##_tiles(struct user_data *s, int64_t n)                   \
    {                                                                          \
        static const tweed_loop_options o = TILED;                             \
                                                                               \
        (void)n;                                                               \
        if (name##_loop_in_place_with(NULL, &o, edge, s->side - edge, edge,    \
                                      s->side - edge USER_OF_##given(s)) !=    \
            TWEED_OK)                                                          \
            abort();                                                           \
    }
USER_PLANES(PLANE)
USER_PLANES(PLANE_SIMD)
USER_PLANES(PLANE_TILES)

#define SPACE_IN_PLACE(MAKER, name, way, given, edge, statement)               \
    MAKER(name##_##way##_in_place, h, i, j USER_GIVEN_##given)                 \
    {                                                                          \
        statement;                                                             \
    }                                                                          \
    static void name##_##way(struct user_data *s, int64_t n)                   \
    {                                                                          \
        (void)n;                                                               \
        name##_##way##_in_place(edge, s->side - edge, edge, s->side - edge,    \
                                edge, s->row - edge USER_OF_##given(s));       \
    }
#define SPACE(name, given, edge, statement)                                    \
    SPACE_IN_PLACE(TWEED_LOOP_3D, name, loop, given, edge, statement)
#define SPACE_SIMD(name, given, edge, statement)                               \
    SPACE_IN_PLACE(TWEED_SIMD_LOOP_3D, name, simd, given, edge, statement)
USER_SPACES(SPACE)
USER_SPACES(SPACE_SIMD)

/* ---- what a whole loop finds out ---- */

TWEED_SUM(double, dot_in_place, i, const double *, x, const double *, y)
{
    return x[i] * y[i];
}

static void dot_loop(struct user_data *s, int64_t n)
{
    s->value = dot_in_place(0, n, s->x, s->y);
}

TWEED_MIN(double, least_in_place, INFINITY, i, const double *, x)
{
    return x[i];
}

static void least_loop(struct user_data *s, int64_t n)
{
    s->value = least_in_place(0, n, s->x);
}

TWEED_SCAN(double, scan_in_place, 0, TWEED_PLUS, sum, writes, i, const double *, x, double *,
           sums)
{
    *sum += x[i];
    if (writes)
        sums[i] = *sum;
}

static void scan_loop(struct user_data *s, int64_t n)
{
    scan_in_place(0, n, s->x, s->sums);
}

TWEED_FIND(find_in_place, i, const uint8_t *, bytes)
{
    return bytes[i];
}

static void find_loop(struct user_data *s, int64_t n)
{
    s->value = (double)find_in_place(0, n, s->bytes);
}

TWEED_SUM(int64_t, triangles_in_place, i, const struct user_matrix *, matrix)
{
    return user_triangles(matrix, i);
}

static void triangles_loop(struct user_data *s, int64_t n)
{
    s->value = (double)triangles_in_place(0, n, s->matrix);
}

static const struct user_tally no_tally;

TWEED_REDUCE(struct user_tally, kmeans_in_place, no_tally, user_add_tally, own, i,
             const struct user_points *, points)
{
    user_assign(points, i, own);
}

static void kmeans_loop(struct user_data *s, int64_t n)
{
    s->tally = kmeans_in_place(0, n, s->points);
}

struct bins {
    uint64_t of[256];
};

static struct bins *own_bins(tweed_scratch *scratch)
{
    struct bins *own = tweed_scratch_get(scratch);

    if (!own)
        abort();
    return own;
}

TWEED_LOOP(histogram_row, row, tweed_scratch *, scratch, const uint8_t *, bytes)
{
    struct bins *restrict own = own_bins(scratch);

    for (int64_t i = row * USER_ROW; i < (row + 1) * USER_ROW; i++)
        own->of[bytes[i]]++;
}

static void histogram_run(int64_t begin, int64_t end, void *arg)
{
    const struct user_data *s = arg;
    struct bins *restrict own = own_bins(s->scratch);

    for (int64_t i = begin; i < end; i++)
        own->of[s->bytes[i]]++;
}

/* Adds up what the workers have counted, and clears it for the next loop. */
static void merge(struct user_data *s)
{
    struct bins *own = NULL;

    memset(s->bins, 0, sizeof s->bins);
    while ((own = tweed_scratch_next(s->scratch, own))) {
        for (int b = 0; b < 256; b++)
            s->bins[b] += own->of[b];
        memset(own, 0, sizeof *own);
    }
}

static void make_scratch(struct user_data *s)
{
    tweed_scratch *scratch = s->scratch;

    if (!scratch && tweed_scratch_create(&scratch, sizeof(struct bins), NULL) != TWEED_OK)
        abort();
    s->scratch = scratch;
}

static void histogram_loop(struct user_data *s, int64_t n)
{
    make_scratch(s);
    histogram_row(0, n / USER_ROW, s->scratch, s->bytes);
    merge(s);
}

static void histogram_range(struct user_data *s, int64_t n)
{
    make_scratch(s);
    tweed_parallel_for_range(0, n, histogram_run, s);
    merge(s);
}

static void dot_run(int64_t begin, int64_t end, void *element, void *arg)
{
    const struct user_data *s = arg;
    double sum = *(double *)element;

    for (int64_t i = begin; i < end; i++)
        sum += s->x[i] * s->y[i];
    *(double *)element = sum;
}

static void least_run(int64_t begin, int64_t end, void *element, void *arg)
{
    const double *x = arg;
    double least = *(double *)element;

    for (int64_t i = begin; i < end; i++)
        least = x[i] < least ? x[i] : least;
    *(double *)element = least;
}

static void add(void *into, const void *from, void *arg)
{
    (void)arg;
    *(double *)into += *(const double *)from;
}

static void lower(void *into, const void *from, void *arg)
{
    double *least = into;
    const double *other = from;

    (void)arg;
    *least = *other < *least ? *other : *least;
}

static const double zero;

static void dot_range(struct user_data *s, int64_t n)
{
    const tweed_reduction r = { sizeof r, sizeof(double), _Alignof(double), &zero,
                                dot_run, add };

    if (tweed_parallel_reduce(0, n, &r, s, &s->value) != TWEED_OK)
        abort();
}

static void least_range(struct user_data *s, int64_t n)
{
    const tweed_reduction r = { sizeof r, sizeof(double), _Alignof(double), s->x,
                                least_run, lower };

    if (tweed_parallel_reduce(0, n, &r, (void *)s->x, &s->value) != TWEED_OK)
        abort();
}

static void scan_run(int64_t begin, int64_t end, void *element, int writes, void *arg)
{
    const struct user_data *s = arg;
    double sum = *(double *)element;

    if (writes)
        for (int64_t i = begin; i < end; i++)
            s->sums[i] = sum += s->x[i];
    else
        for (int64_t i = begin; i < end; i++)
            sum += s->x[i];
    *(double *)element = sum;
}

static void scan_range(struct user_data *s, int64_t n)
{
    const tweed_scan_spec how = { sizeof how, sizeof(double), _Alignof(double), &zero,
                             scan_run, add };
    double total;

    if (tweed_parallel_scan(0, n, &how, s, &total) != TWEED_OK)
        abort();
}

static int find_index(int64_t i, void *arg)
{
    const uint8_t *bytes = arg;

    return bytes[i];
}

static void find_pointer(struct user_data *s, int64_t n)
{
    int64_t found;

    if (tweed_parallel_find(0, n, find_index, (void *)s->bytes, &found) != TWEED_OK)
        abort();
    s->value = (double)found;
}

/* What tweed_parallel_for() of loop call is to be compared with: the same pointer,
   called by a loop of this program. */
static void plain_loop(struct user_data *s, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        s->fn(i, s->arg);
}

static void version(char *text, size_t size)
{
    snprintf(text, size, "%s, %s", tweed_version(), USER_COMPILER);
}

#define IN_LOOP(name, ...) [USER_##name] = name##_loop,
#define IN_POINTER(name, ...) [USER_##name] = name##_pointer,
#define IN_RANGE(name, ...) [USER_##name] = name##_range,
#define IN_SIMD(name, ...) [USER_##name] = name##_simd,
#define IN_TILES(name, ...) [USER_##name] = name##_tiles,

static const struct user_way ways[] = {
    { .name = "TWEED_LOOP",
      .loops = { USER_BODIES(IN_LOOP) USER_PLANES(IN_LOOP) USER_SPACES(IN_LOOP)
                 USER_VALUES(IN_LOOP) },
      .nest = nest_loop,
      .sort = sort_loop },
    { .name = "by pointer",
      .loops = { USER_BODIES(IN_POINTER) USER_PLANES(IN_POINTER)
                 [USER_find] = find_pointer },
      .nest = nest_pointer,
      .sort = sort_pointer },
    { .name = "range",
      .loops = { USER_BODIES(IN_RANGE) USER_PLANES(IN_RANGE) USER_SPACES(IN_RANGE)
                 [USER_dot] = dot_range, [USER_least] = least_range,
                 [USER_scan] = scan_range, [USER_histogram] = histogram_range },
      .timed = timed,
      .nest = nest_range },
    { .name = "TWEED_SIMD_LOOP",
      .loops = { USER_BODIES(IN_SIMD) USER_PLANES(IN_SIMD) USER_SPACES(IN_SIMD) } },
    { .name = "tiles", .loops = { USER_PLANES(IN_TILES) } },
    { .name = "(plain loop)", .loops = { [USER_call] = plain_loop } },
    { 0 },
};

const struct user_runtime user_runtime = {
#ifdef __clang__
    .name = "tweed, clang",
#else
    .name = "tweed",
#endif
    .ours = true,
    .version = version,
    .ways = ways,
};

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
#define POINTER(name, statement)                                               \
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
#define RANGE(name, statement)                                                 \
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

/* ---- bodies compiled in place ---- */

#ifdef TWEED_LOOP
#define LOOP(name, statement)                                                  \
    TWEED_LOOP(name##_in_place, i, struct user_data *, s)                      \
    {                                                                          \
        statement;                                                             \
    }                                                                          \
    static void name##_loop(struct user_data *s, int64_t n)                    \
    {                                                                          \
        name##_in_place(0, n, s);                                              \
    }
USER_BODIES(LOOP)

static void nest_loop(struct user_data *s, int64_t n, int heavy);

TWEED_LOOP(outer_in_place, i, struct two *, t)
{
    if (i == t->heavy)
        spin_loop(t->s, t->n);
}

static void nest_loop(struct user_data *s, int64_t n, int heavy)
{
    struct two t = { s, n, heavy, NULL };

    outer_in_place(0, 2, &t);
}

static void sort_loop(uint32_t *values, int64_t n);

TWEED_LOOP(sort_halves, i, struct halves *, h)
{
    if (i == 0)
        sort_loop(h->values, h->half);
    else
        sort_loop(h->values + h->half, h->n - h->half);
}

static void sort_loop(uint32_t *values, int64_t n)
{
    struct halves h = { values, 0, n };

    if (n <= USER_SORT_ALONE) {
        user_sort_alone(values, n);
        return;
    }
    h.half = user_partition(values, n);
    sort_halves(0, 2, &h);
}
#endif

#ifdef TWEED_SIMD_LOOP
#define SIMD(name, statement)                                                  \
    TWEED_SIMD_LOOP(name##_in_strips, i, struct user_data *, s)                \
    {                                                                          \
        statement;                                                             \
    }                                                                          \
    static void name##_simd(struct user_data *s, int64_t n)                    \
    {                                                                          \
        name##_in_strips(0, n, s);                                             \
    }
USER_BODIES(SIMD)
#endif

/* ---- rows and columns ---- */

#ifdef TWEED_LOOP_2D
#define TILED { .size = sizeof(tweed_loop_options), .tile = { USER_TILE, USER_TILE } }
#define PLANE(name, edge, statement)                                           \
    TWEED_LOOP_2D(name##_in_place, i, j, struct user_data *, s)                \
    {                                                                          \
        statement;                                                             \
    }                                                                          \
    static void name##_loop(struct user_data *s, int64_t n)                    \
    {                                                                          \
        (void)n;                                                               \
        name##_in_place(edge, s->side - edge, edge, s->side - edge, s);        \
    }                                                                          \
    static void name##_tiles(struct user_data *s, int64_t n)                   \
    {                                                                          \
        static const tweed_loop_options o = TILED;                             \
                                                                               \
        (void)n;                                                               \
        if (name##_in_place_with(NULL, &o, edge, s->side - edge, edge,         \
                                 s->side - edge, s) != TWEED_OK)               \
            abort();                                                           \
    }
#define PLANE_SIMD(name, edge, statement)                                      \
    TWEED_SIMD_LOOP_2D(name##_in_rows, i, j, struct user_data *, s)            \
    {                                                                          \
        statement;                                                             \
    }                                                                          \
    static void name##_simd(struct user_data *s, int64_t n)                    \
    {                                                                          \
        (void)n;                                                               \
        name##_in_rows(edge, s->side - edge, edge, s->side - edge, s);         \
    }
#define PLANE_POINTER(name, edge, statement)                                   \
    static void name##_pair(int64_t i, int64_t j, int64_t k, void *arg)        \
    {                                                                          \
        struct user_data *s = arg;                                             \
                                                                               \
        (void)k;                                                               \
        statement;                                                             \
    }                                                                          \
    static void name##_pointer(struct user_data *s, int64_t n)                 \
    {                                                                          \
        tweed_space space = tweed_space_2d(edge, s->side - edge, edge,         \
                                           s->side - edge);                    \
                                                                               \
        (void)n;                                                               \
        if (tweed_parallel_for_space(NULL, NULL, &space, name##_pair, s))      \
            abort();                                                           \
    }
#define PLANE_BOX(name, edge, statement)                                       \
    static void name##_box(const tweed_tile *t, void *arg)                     \
    {                                                                          \
        struct user_data *s = arg;                                             \
                                                                               \
        for (int64_t i = t->lo[0]; i < t->hi[0]; i++)                          \
            for (int64_t j = t->lo[1]; j < t->hi[1]; j++)                      \
                statement;                                                     \
    }                                                                          \
    static void name##_range(struct user_data *s, int64_t n)                   \
    {                                                                          \
        tweed_space space = tweed_space_2d(edge, s->side - edge, edge,         \
                                           s->side - edge);                    \
                                                                               \
        (void)n;                                                               \
        if (tweed_parallel_for_tiles(NULL, NULL, &space, name##_box, s))       \
            abort();                                                           \
    }
USER_PLANES(PLANE)
USER_PLANES(PLANE_SIMD)
USER_PLANES(PLANE_POINTER)
USER_PLANES(PLANE_BOX)

#define SPACE(name, edge, statement)                                           \
    TWEED_LOOP_3D(name##_in_place, h, i, j, struct user_data *, s)             \
    {                                                                          \
        statement;                                                             \
    }                                                                          \
    static void name##_loop(struct user_data *s, int64_t n)                    \
    {                                                                          \
        (void)n;                                                               \
        name##_in_place(edge, s->side - edge, edge, s->side - edge, edge,      \
                        s->row - edge, s);                                     \
    }
#define SPACE_SIMD(name, edge, statement)                                      \
    TWEED_SIMD_LOOP_3D(name##_in_rows, h, i, j, struct user_data *, s)         \
    {                                                                          \
        statement;                                                             \
    }                                                                          \
    static void name##_simd(struct user_data *s, int64_t n)                    \
    {                                                                          \
        (void)n;                                                               \
        name##_in_rows(edge, s->side - edge, edge, s->side - edge, edge,       \
                       s->row - edge, s);                                      \
    }
#define SPACE_BOX(name, edge, statement)                                       \
    static void name##_box(const tweed_tile *t, void *arg)                     \
    {                                                                          \
        struct user_data *s = arg;                                             \
                                                                               \
        for (int64_t h = t->lo[0]; h < t->hi[0]; h++)                          \
            for (int64_t i = t->lo[1]; i < t->hi[1]; i++)                      \
                for (int64_t j = t->lo[2]; j < t->hi[2]; j++)                  \
                    statement;                                                 \
    }                                                                          \
    static void name##_range(struct user_data *s, int64_t n)                   \
    {                                                                          \
        tweed_space space = tweed_space_3d(edge, s->side - edge, edge,         \
                                           s->side - edge, edge, s->row - edge); \
                                                                               \
        (void)n;                                                               \
        if (tweed_parallel_for_tiles(NULL, NULL, &space, name##_box, s))       \
            abort();                                                           \
    }
USER_SPACES(SPACE)
USER_SPACES(SPACE_SIMD)
USER_SPACES(SPACE_BOX)
#define IN_PLANE(way) USER_PLANES(IN_PLANE_##way)
#define IN_SPACE(way) USER_SPACES(IN_PLANE_##way)
#else
#define IN_PLANE(way)
#define IN_SPACE(way)
#endif

/* ---- what a whole loop finds out ---- */

#if defined TWEED_SUM && defined TWEED_SCAN && defined TWEED_FIND
TWEED_SUM(double, dot_in_place, i, const struct user_data *, s)
{
    return s->x[i] * s->y[i];
}

static void dot_loop(struct user_data *s, int64_t n)
{
    s->value = dot_in_place(0, n, s);
}

TWEED_MIN(double, least_in_place, INFINITY, i, const double *, x)
{
    return x[i];
}

static void least_loop(struct user_data *s, int64_t n)
{
    s->value = least_in_place(0, n, s->x);
}

TWEED_SCAN(double, scan_in_place, 0, TWEED_PLUS, sum, writes, i, struct user_data *, s)
{
    *sum += s->x[i];
    if (writes)
        s->sums[i] = *sum;
}

static void scan_loop(struct user_data *s, int64_t n)
{
    scan_in_place(0, n, s);
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

TWEED_REDUCE(struct user_tally, kmeans_in_place, no_tally, user_add_tally, tally, i,
             const struct user_points *, points)
{
    user_assign(points, i, tally);
}

static void kmeans_loop(struct user_data *s, int64_t n)
{
    s->tally = kmeans_in_place(0, n, s->points);
}

struct bins {
    uint64_t of[256];
};

static struct bins *own_bins(const struct user_data *s)
{
    struct bins *own = tweed_scratch_get(s->scratch);

    if (!own)
        abort();
    return own;
}

TWEED_LOOP(histogram_row, row, const struct user_data *, s)
{
    struct bins *own = own_bins(s);
    const uint8_t *bytes = s->bytes + row * USER_ROW;

    for (int i = 0; i < USER_ROW; i++)
        own->of[bytes[i]]++;
}

static void histogram_run(int64_t begin, int64_t end, void *arg)
{
    const struct user_data *s = arg;
    struct bins *own = own_bins(s);

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
    histogram_row(0, n / USER_ROW, s);
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
    const tweed_scan how = { sizeof how, sizeof(double), _Alignof(double), &zero,
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

#define VALUES_LOOP USER_VALUES(IN_VALUE)
#define VALUES_POINTER [USER_find] = find_pointer,
#define VALUES_RANGE                                                           \
    [USER_dot] = dot_range, [USER_least] = least_range,                        \
    [USER_scan] = scan_range, [USER_histogram] = histogram_range,
#else
#define VALUES_LOOP
#define VALUES_POINTER
#define VALUES_RANGE
#endif

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

#define IN_POINTER(name, statement) [USER_##name] = name##_pointer,
#define IN_RANGE(name, statement) [USER_##name] = name##_range,
#define IN_LOOP(name, statement) [USER_##name] = name##_loop,
#define IN_SIMD(name, statement) [USER_##name] = name##_simd,
#define IN_VALUE(name) [USER_##name] = name##_loop,
#define IN_PLANE_loop(name, edge, statement) [USER_##name] = name##_loop,
#define IN_PLANE_tiles(name, edge, statement) [USER_##name] = name##_tiles,
#define IN_PLANE_simd(name, edge, statement) [USER_##name] = name##_simd,
#define IN_PLANE_pointer(name, edge, statement) [USER_##name] = name##_pointer,
#define IN_PLANE_range(name, edge, statement) [USER_##name] = name##_range,

static const struct user_way ways[] = {
#ifdef TWEED_LOOP
    { .name = "TWEED_LOOP",
      .loops = { USER_BODIES(IN_LOOP) IN_PLANE(loop) IN_SPACE(loop) VALUES_LOOP },
      .nest = nest_loop,
      .sort = sort_loop },
#endif
    { .name = "by pointer",
      .loops = { USER_BODIES(IN_POINTER) IN_PLANE(pointer) VALUES_POINTER },
      .nest = nest_pointer,
      .sort = sort_pointer },
    { .name = "range",
      .loops = { USER_BODIES(IN_RANGE) IN_PLANE(range) IN_SPACE(range) VALUES_RANGE },
      .timed = timed,
      .nest = nest_range },
#ifdef TWEED_SIMD_LOOP
    { .name = "TWEED_SIMD_LOOP",
      .loops = { USER_BODIES(IN_SIMD) IN_PLANE(simd) IN_SPACE(simd) } },
#endif
#ifdef TWEED_LOOP_2D
    { .name = "tiles", .loops = { IN_PLANE(tiles) } },
#endif
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

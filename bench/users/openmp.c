/*
 * openmp.c - as OpenMP's users write it: a pragma over the statement.
 *
 * SPDX-License-Identifier: MIT
 *
 * Built by gcc it is libgomp, by clang libomp.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "users.h"

#ifdef __clang__ /* which does not vectorise all, and says so */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define S(name) name
#define PRAGMA(text) _Pragma(#text)

/* A loop with these clauses. */
#define LOOP(name, way, clauses, statement)                                    \
    static void name##_##way(struct user_data *s, int64_t n)                   \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        PRAGMA(omp parallel for clauses)                                       \
        for (int64_t i = 0; i < n; i++)                                        \
            statement;                                                         \
    }
#define STATIC(name, given, statement) LOOP(name, static, , statement)
#define DYNAMIC(name, given, statement)                                        \
    LOOP(name, dynamic, schedule(dynamic, 1), statement)
#define GUIDED(name, given, statement) LOOP(name, guided, schedule(guided), statement)
USER_BODIES(STATIC)
USER_BODIES(DYNAMIC)
USER_BODIES(GUIDED)

/* ---- rows and columns ---- */

#define ROWS(name, way, clauses, inner, edge, statement)                       \
    static void name##_##way(struct user_data *s, int64_t n)                   \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        (void)n;                                                               \
        PRAGMA(omp parallel for clauses)                                       \
        for (int64_t i = edge; i < side - edge; i++) {                         \
            inner                                                              \
            for (int64_t j = edge; j < side - edge; j++)                       \
                statement;                                                     \
        }                                                                      \
    }
#define ROWS_STATIC(name, given, edge, statement)                              \
    ROWS(name, static, , , edge, statement)
#define ROWS_DYNAMIC(name, given, edge, statement)                             \
    ROWS(name, dynamic, schedule(dynamic, 1), , edge, statement)
#define ROWS_GUIDED(name, given, edge, statement)                              \
    ROWS(name, guided, schedule(guided), , edge, statement)
#define ROWS_SIMD(name, given, edge, statement)                                \
    ROWS(name, simd, , PRAGMA(omp simd), edge, statement)
#define COLLAPSE(name, given, edge, statement)                                 \
    static void name##_collapse(struct user_data *s, int64_t n)                \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        (void)n;                                                               \
        PRAGMA(omp parallel for collapse(2))                                   \
        for (int64_t i = edge; i < side - edge; i++)                           \
            for (int64_t j = edge; j < side - edge; j++)                       \
                statement;                                                     \
    }
/* What `omp tile` would make, which not all compilers have. */
#define TILES(name, given, edge, statement)                                    \
    static void name##_tiles(struct user_data *s, int64_t n)                   \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        const int64_t past = side - edge;                                      \
                                                                               \
        (void)n;                                                               \
        PRAGMA(omp parallel for collapse(2))                                   \
        for (int64_t ti = edge; ti < past; ti += USER_TILE)                    \
            for (int64_t tj = edge; tj < past; tj += USER_TILE)                \
                for (int64_t i = ti; i < past && i < ti + USER_TILE; i++)      \
                    for (int64_t j = tj; j < past && j < tj + USER_TILE; j++)  \
                        statement;                                             \
    }
USER_PLANES(ROWS_STATIC)
USER_PLANES(ROWS_DYNAMIC)
USER_PLANES(ROWS_GUIDED)
USER_PLANES(ROWS_SIMD)
USER_PLANES(COLLAPSE)
USER_PLANES(TILES)

#define SPACE(name, way, clauses, edge, statement)                             \
    static void name##_##way(struct user_data *s, int64_t n)                   \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        (void)n;                                                               \
        PRAGMA(omp parallel for clauses)                                       \
        for (int64_t h = edge; h < side - edge; h++)                           \
            for (int64_t i = edge; i < side - edge; i++)                       \
                for (int64_t j = edge; j < row - edge; j++)                    \
                    statement;                                                 \
    }
#define SPACE_STATIC(name, given, edge, statement) SPACE(name, static, , edge, statement)
#define SPACE_COLLAPSE(name, given, edge, statement)                           \
    SPACE(name, collapse, collapse(2), edge, statement)
#define SPACE_COLLAPSE_ALL(name, given, edge, statement)                       \
    SPACE(name, collapse_all, collapse(3), edge, statement)
USER_SPACES(SPACE_STATIC)
USER_SPACES(SPACE_COLLAPSE)
USER_SPACES(SPACE_COLLAPSE_ALL)

/* ---- what a whole loop finds out ---- */

static void dot_static(struct user_data *s, int64_t n)
{
    const double *x = s->x, *y = s->y;
    double sum = 0;

#pragma omp parallel for reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    s->value = sum;
}

static void dot_simd(struct user_data *s, int64_t n)
{
    const double *x = s->x, *y = s->y;
    double sum = 0;

#pragma omp parallel for simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    s->value = sum;
}

static void least_static(struct user_data *s, int64_t n)
{
    const double *x = s->x;
    double least = x[0];

#pragma omp parallel for reduction(min : least)
    for (int64_t i = 0; i < n; i++)
        least = x[i] < least ? x[i] : least;
    s->value = least;
}

static void least_simd(struct user_data *s, int64_t n)
{
    const double *x = s->x;
    double least = x[0];

#pragma omp parallel for simd reduction(min : least)
    for (int64_t i = 0; i < n; i++)
        least = x[i] < least ? x[i] : least;
    s->value = least;
}

#ifndef __clang__ /* which has all sums on a stack, where they have no room */
static void scan_static(struct user_data *s, int64_t n)
{
    const double *x = s->x;
    double *sums = s->sums, sum = 0;

#pragma omp parallel for reduction(inscan, + : sum)
    for (int64_t i = 0; i < n; i++) {
        sum += x[i];
#pragma omp scan inclusive(sum)
        sums[i] = sum;
    }
}
#else
#define scan_static NULL
#endif

/* As ParlayLib does it: sums of blocks, the scan of these, the blocks again. */
#define SCAN_BLOCK 2048

static void scan_by_hand(struct user_data *s, int64_t n)
{
    const int64_t blocks = (n + SCAN_BLOCK - 1) / SCAN_BLOCK;
    const double *x = s->x;
    double *sums = s->sums, sum = 0, *before = malloc((size_t)blocks * sizeof *before);

#pragma omp parallel for
    for (int64_t b = 0; b < blocks; b++) {
        int64_t past = (b + 1) * SCAN_BLOCK < n ? (b + 1) * SCAN_BLOCK : n;
        double own = 0;

        for (int64_t i = b * SCAN_BLOCK; i < past; i++)
            own += x[i];
        before[b] = own;
    }
    for (int64_t b = 0; b < blocks; b++) {
        double own = before[b];

        before[b] = sum;
        sum += own;
    }
#pragma omp parallel for
    for (int64_t b = 0; b < blocks; b++) {
        int64_t past = (b + 1) * SCAN_BLOCK < n ? (b + 1) * SCAN_BLOCK : n;
        double own = before[b];

        for (int64_t i = b * SCAN_BLOCK; i < past; i++)
            sums[i] = own += x[i];
    }
    free(before);
}

static void histogram_static(struct user_data *s, int64_t n)
{
    const uint8_t *bytes = s->bytes;
    uint64_t bins[256] = { 0 };

#pragma omp parallel for reduction(+ : bins[:256])
    for (int64_t i = 0; i < n; i++)
        bins[bytes[i]]++;
    memcpy(s->bins, bins, sizeof bins);
}

static void histogram_by_hand(struct user_data *s, int64_t n)
{
    const uint8_t *bytes = s->bytes;
    uint64_t *bins = s->bins;

    memset(bins, 0, sizeof s->bins);
#pragma omp parallel
    {
        uint64_t own[256] = { 0 };

#pragma omp for nowait
        for (int64_t i = 0; i < n; i++)
            own[bytes[i]]++;
#pragma omp critical
        for (int b = 0; b < 256; b++)
            bins[b] += own[b];
    }
}

/* As GAP's benchmark suite does it. */
static void triangles_static(struct user_data *s, int64_t n)
{
    const struct user_matrix *matrix = s->matrix;
    int64_t count = 0;

#pragma omp parallel for reduction(+ : count) schedule(dynamic, 64)
    for (int64_t i = 0; i < n; i++)
        count += user_triangles(matrix, i);
    s->value = (double)count;
}

#pragma omp declare reduction(tally : struct user_tally : user_add_tally(&omp_out, &omp_in)) \
    initializer(omp_priv = (struct user_tally){ 0 })

static void kmeans_static(struct user_data *s, int64_t n)
{
    const struct user_points *points = s->points;
    struct user_tally tally = { 0 };

#pragma omp parallel for reduction(tally : tally)
    for (int64_t i = 0; i < n; i++)
        user_assign(points, i, &tally);
    s->tally = tally;
}

/* Right where there is one hit only: the first thread that finds one ends the loop. */
static void find_static(struct user_data *s, int64_t n)
{
    const uint8_t *bytes = s->bytes;
    int64_t found = n;

#pragma omp parallel
#pragma omp for
    for (int64_t i = 0; i < n; i++) {
        if (bytes[i]) {
#pragma omp atomic write
            found = i;
#pragma omp cancel for
        }
#pragma omp cancellation point for
    }
    s->value = (double)found;
}

/* Pieces that lie behind what has been found are passed over. */
#define FIND_PIECE 4096

static void find_by_hand(struct user_data *s, int64_t n)
{
    const uint8_t *bytes = s->bytes;
    int64_t found = n;

#pragma omp parallel for schedule(dynamic)
    for (int64_t from = 0; from < n; from += FIND_PIECE) {
        int64_t past = from + FIND_PIECE < n ? from + FIND_PIECE : n, so_far;

#pragma omp atomic read
        so_far = found;
        for (int64_t i = from; i < past && so_far > from; i++)
            if (bytes[i]) {
#pragma omp critical
                if (i < found) {
#pragma omp atomic write
                    found = i;
                }
                break;
            }
    }
    s->value = (double)found;
}

static void nest_static(struct user_data *s, int64_t n, int heavy)
{
#pragma omp parallel for
    for (int i = 0; i < 2; i++)
        if (i == heavy)
            spin_static(s, n);
}

static void nest_dynamic(struct user_data *s, int64_t n, int heavy)
{
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 2; i++)
        if (i == heavy)
            spin_dynamic(s, n);
}

/* ---- taskloop, for what nests ---- */

static void spin_taskloop(struct user_data *s, int64_t n)
{
    USER_LOCALS(s)
#pragma omp taskloop
    for (int64_t i = 0; i < n; i++)
        user_spin(turns, &counts[i]);
}

static void nest_taskloop(struct user_data *s, int64_t n, int heavy)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < 2; i++)
        if (i == heavy)
            spin_taskloop(s, n);
}

static void version(char *text, size_t size)
{
    snprintf(text, size, "%s, OpenMP %d", USER_COMPILER, _OPENMP);
}

static void start(int workers)
{
    if (workers)
        omp_set_num_threads(workers);
}

#define IN_STATIC(name, ...) [USER_##name] = name##_static,
#define IN_DYNAMIC(name, ...) [USER_##name] = name##_dynamic,
#define IN_GUIDED(name, ...) [USER_##name] = name##_guided,
#define IN_SIMD(name, ...) [USER_##name] = name##_simd,
#define IN_COLLAPSE(name, ...) [USER_##name] = name##_collapse,
#define IN_COLLAPSE_ALL(name, ...) [USER_##name] = name##_collapse_all,
#define IN_TILES(name, ...) [USER_##name] = name##_tiles,

static const struct user_way ways[] = {
    { .name = "static",
      .loops = { USER_BODIES(IN_STATIC) USER_PLANES(IN_STATIC) USER_SPACES(IN_STATIC)
                 USER_VALUES(IN_STATIC) },
      .nest = nest_static },
    { .name = "dynamic,1",
      .loops = { USER_BODIES(IN_DYNAMIC) USER_PLANES(IN_DYNAMIC) },
      .nest = nest_dynamic },
    { .name = "guided", .loops = { USER_BODIES(IN_GUIDED) USER_PLANES(IN_GUIDED) } },
    { .name = "collapse(2)",
      .loops = { USER_PLANES(IN_COLLAPSE) USER_SPACES(IN_COLLAPSE) } },
    { .name = "collapse(3)", .loops = { USER_SPACES(IN_COLLAPSE_ALL) } },
    { .name = "tiles", .loops = { USER_PLANES(IN_TILES) } },
    { .name = "simd",
      .loops = { USER_PLANES(IN_SIMD) [USER_dot] = dot_simd, [USER_least] = least_simd } },
    { .name = "by hand",
      .loops = { [USER_scan] = scan_by_hand,
                 [USER_histogram] = histogram_by_hand,
                 [USER_find] = find_by_hand } },
    { .name = "taskloop", .nest = nest_taskloop },
    { 0 },
};

const struct user_runtime user_runtime = {
#ifdef __clang__
    .name = "libomp",
#else
    .name = "libgomp",
#endif
    .version = version,
    .start = start,
    .ways = ways,
};

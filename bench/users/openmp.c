/*
 * openmp.c - as OpenMP's users write it: a pragma over the statement.
 *
 * SPDX-License-Identifier: MIT
 *
 * Built by gcc it is libgomp, by clang libomp.
 */
#include <omp.h>
#include <stdio.h>

#include "users.h"

#define S(name) name
#define PRAGMA(text) _Pragma(#text)

#define STATIC(name, statement)                                                \
    static void name##_static(struct user_data *s, int64_t n)                  \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        PRAGMA(omp parallel for)                                               \
        for (int64_t i = 0; i < n; i++)                                        \
            statement;                                                         \
    }
#define DYNAMIC(name, statement)                                               \
    static void name##_dynamic(struct user_data *s, int64_t n)                 \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        PRAGMA(omp parallel for schedule(dynamic, 1))                          \
        for (int64_t i = 0; i < n; i++)                                        \
            statement;                                                         \
    }
#define GUIDED(name, statement)                                                \
    static void name##_guided(struct user_data *s, int64_t n)                  \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        PRAGMA(omp parallel for schedule(guided))                              \
        for (int64_t i = 0; i < n; i++)                                        \
            statement;                                                         \
    }
USER_BODIES(STATIC)
USER_BODIES(DYNAMIC)
USER_BODIES(GUIDED)

/* ---- rows and columns ---- */

#define ROWS(name, edge, statement)                                            \
    static void name##_rows(struct user_data *s, int64_t n)                    \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        (void)n;                                                               \
        PRAGMA(omp parallel for)                                               \
        for (int64_t i = edge; i < side - edge; i++)                           \
            for (int64_t j = edge; j < side - edge; j++)                       \
                statement;                                                     \
    }
#define ROWS_SIMD(name, edge, statement)                                       \
    static void name##_rows_simd(struct user_data *s, int64_t n)               \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        (void)n;                                                               \
        PRAGMA(omp parallel for)                                               \
        for (int64_t i = edge; i < side - edge; i++) {                         \
            PRAGMA(omp simd)                                                   \
            for (int64_t j = edge; j < side - edge; j++)                       \
                statement;                                                     \
        }                                                                      \
    }
#define COLLAPSE(name, edge, statement)                                        \
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
#define TILES(name, edge, statement)                                           \
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
USER_PLANES(ROWS)
USER_PLANES(ROWS_SIMD)
USER_PLANES(COLLAPSE)
USER_PLANES(TILES)

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

/* ---- tasks, for what nests ---- */

static void spin_taskloop(struct user_data *s, int64_t n)
{
    USER_LOCALS(s)
#pragma omp taskloop
    for (int64_t i = 0; i < n; i++)
        user_spin(turns, &counts[i]);
}

static void nest_tasks(struct user_data *s, int64_t n, int heavy)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < 2; i++)
        if (i == heavy)
            spin_taskloop(s, n);
}

static void sort_task(uint32_t *v, int64_t n)
{
    int64_t half;

    if (n <= USER_SORT_ALONE) {
        user_sort_alone(v, n);
        return;
    }
    half = user_partition(v, n);
#pragma omp task
    sort_task(v, half);
    sort_task(v + half, n - half);
#pragma omp taskwait
}

static void sort_tasks(uint32_t *values, int64_t n)
{
#pragma omp parallel
#pragma omp single
    sort_task(values, n);
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

#define IN_STATIC(name, statement) [USER_##name] = name##_static,
#define IN_DYNAMIC(name, statement) [USER_##name] = name##_dynamic,
#define IN_GUIDED(name, statement) [USER_##name] = name##_guided,

#define IN_ROWS(name, edge, statement) [USER_##name] = name##_rows,
#define IN_ROWS_SIMD(name, edge, statement) [USER_##name] = name##_rows_simd,
#define IN_COLLAPSE(name, edge, statement) [USER_##name] = name##_collapse,
#define IN_TILES(name, edge, statement) [USER_##name] = name##_tiles,

static const struct user_way ways[] = {
    { .name = "static",
      .loops = { USER_BODIES(IN_STATIC) USER_PLANES(IN_ROWS) },
      .nest = nest_static },
    { .name = "dynamic,1",
      .loops = { USER_BODIES(IN_DYNAMIC) },
      .nest = nest_dynamic },
    { .name = "guided", .loops = { USER_BODIES(IN_GUIDED) } },
    { .name = "rows, simd", .loops = { USER_PLANES(IN_ROWS_SIMD) } },
    { .name = "collapse(2)", .loops = { USER_PLANES(IN_COLLAPSE) } },
    { .name = "tiles", .loops = { USER_PLANES(IN_TILES) } },
    { .name = "tasks", .nest = nest_tasks, .sort = sort_tasks },
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

/*
 * pthreadpool.c - as pthreadpool's users write it: a function of an index or a
 * tile, and a struct.
 *
 * SPDX-License-Identifier: MIT
 *
 * A body that starts a loop deadlocks.
 */
#include <pthreadpool.h>
#include <stdio.h>

#include "users.h"

#define S(name) s->name
#define TILES_PER_WORKER 8 /* a slow tile can be made up for */

static pthreadpool_t pool;

#define INDEX(name, given, statement)                                          \
    static void name##_index(void *arg, size_t index)                          \
    {                                                                          \
        struct user_data *s = arg;                                             \
        int64_t i = (int64_t)index;                                            \
                                                                               \
        statement;                                                             \
    }                                                                          \
    static void name##_1d(struct user_data *s, int64_t n)                      \
    {                                                                          \
        pthreadpool_parallelize_1d(pool, name##_index, s, (size_t)n, 0);       \
    }
#define TILE(name, given, statement)                                           \
    static void name##_part(void *arg, size_t begin, size_t length)            \
    {                                                                          \
        struct user_data *s = arg;                                             \
                                                                               \
        for (int64_t i = (int64_t)begin; i < (int64_t)(begin + length); i++)   \
            statement;                                                         \
    }                                                                          \
    static void name##_tile(struct user_data *s, int64_t n)                    \
    {                                                                          \
        pthreadpool_parallelize_1d_tile_1d(pool, name##_part, s, (size_t)n,    \
                                           tile_of(n), 0);                     \
    }

static size_t tile_of(int64_t n)
{
    size_t tile = (size_t)n / (TILES_PER_WORKER *
                               pthreadpool_get_threads_count(pool));

    return tile ? tile : 1;
}

USER_BODIES(INDEX)
USER_BODIES(TILE)

#define ROW(name, given, edge, statement)                                      \
    static void name##_row(void *arg, size_t index)                            \
    {                                                                          \
        struct user_data *s = arg;                                             \
        int64_t i = (int64_t)index + edge;                                     \
                                                                               \
        for (int64_t j = edge; j < s->side - edge; j++)                        \
            statement;                                                         \
    }                                                                          \
    static void name##_1d(struct user_data *s, int64_t n)                      \
    {                                                                          \
        (void)n;                                                               \
        pthreadpool_parallelize_1d(pool, name##_row, s,                        \
                                   (size_t)(s->side - 2 * edge), 0);           \
    }
#define BOX(name, given, edge, statement)                                      \
    static void name##_box(void *arg, size_t row, size_t column, size_t rows,  \
                           size_t columns)                                     \
    {                                                                          \
        struct user_data *s = arg;                                             \
        int64_t i0 = (int64_t)row + edge, j0 = (int64_t)column + edge;         \
                                                                               \
        for (int64_t i = i0; i < i0 + (int64_t)rows; i++)                      \
            for (int64_t j = j0; j < j0 + (int64_t)columns; j++)               \
                statement;                                                     \
    }                                                                          \
    static void name##_tile(struct user_data *s, int64_t n)                    \
    {                                                                          \
        size_t side = (size_t)(s->side - 2 * edge);                            \
                                                                               \
        (void)n;                                                               \
        pthreadpool_parallelize_2d_tile_2d(pool, name##_box, s, side, side,    \
                                           USER_TILE, USER_TILE, 0);           \
    }
USER_PLANES(ROW)
USER_PLANES(BOX)

#define SPACE(name, given, edge, statement)                                    \
    static void name##_plane(void *arg, size_t index)                          \
    {                                                                          \
        struct user_data *s = arg;                                             \
        int64_t h = (int64_t)index + edge;                                     \
                                                                               \
        for (int64_t i = edge; i < s->side - edge; i++)                        \
            for (int64_t j = edge; j < s->row - edge; j++)                     \
                statement;                                                     \
    }                                                                          \
    static void name##_1d(struct user_data *s, int64_t n)                      \
    {                                                                          \
        (void)n;                                                               \
        pthreadpool_parallelize_1d(pool, name##_plane, s,                      \
                                   (size_t)(s->side - 2 * edge), 0);           \
    }
#define SPACE_BOX(name, given, edge, statement)                                \
    static void name##_box(void *arg, size_t plane, size_t line, size_t column,\
                           size_t lines, size_t columns)                       \
    {                                                                          \
        struct user_data *s = arg;                                             \
        int64_t h = (int64_t)plane + edge, i0 = (int64_t)line + edge;          \
        int64_t j0 = (int64_t)column + edge;                                   \
                                                                               \
        for (int64_t i = i0; i < i0 + (int64_t)lines; i++)                     \
            for (int64_t j = j0; j < j0 + (int64_t)columns; j++)               \
                statement;                                                     \
    }                                                                          \
    static void name##_tile(struct user_data *s, int64_t n)                    \
    {                                                                          \
        size_t side = (size_t)(s->side - 2 * edge);                            \
        size_t row = (size_t)(s->row - 2 * edge);                              \
                                                                               \
        (void)n;                                                               \
        pthreadpool_parallelize_3d_tile_2d(pool, name##_box, s, side, side, row, \
                                           USER_TILE, row, 0);                 \
    }
USER_SPACES(SPACE)
USER_SPACES(SPACE_BOX)

static void cliff_part_timed(void *arg, size_t begin, size_t length)
{
    double started = bench_now();

    cliff_part(arg, begin, length);
    user_claimed(arg, started);
}

static void timed(struct user_data *s, int64_t n)
{
    pthreadpool_parallelize_1d_tile_1d(pool, cliff_part_timed, s, (size_t)n,
                                       tile_of(n), 0);
}

static void version(char *text, size_t size)
{
    /* neither its header nor its library names one */
    snprintf(text, size, "(no version), %s", USER_COMPILER);
}

static void start(int workers)
{
    pool = pthreadpool_create((size_t)workers);
}

#define IN_1D(name, ...) [USER_##name] = name##_1d,
#define IN_TILE(name, ...) [USER_##name] = name##_tile,

static const struct user_way ways[] = {
    { .name = "1d",
      .loops = { USER_BODIES(IN_1D) USER_PLANES(IN_1D) USER_SPACES(IN_1D) } },
    { .name = "tile",
      .loops = { USER_BODIES(IN_TILE) USER_PLANES(IN_TILE) USER_SPACES(IN_TILE) },
      .timed = timed },
    { 0 },
};

const struct user_runtime user_runtime = {
    .name = "pthreadpool",
    .version = version,
    .start = start,
    .ways = ways,
};

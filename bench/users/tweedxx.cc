/*
 * tweedxx.cc - as tweed's users write it in C++.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cstdio>
#include <tweed.hpp>

#include "ways.hpp"

namespace
{

#define S(name) name

#define LAMBDA(name, given, statement)                                         \
    void name##_lambda(struct user_data *s, int64_t n)                         \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        tweed::parallel_for(0, n, [&](int64_t i) { statement; });              \
    }
USER_BODIES(LAMBDA)

#define RANGE(name, given, statement)                                          \
    void name##_range(struct user_data *s, int64_t n)                          \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        tweed::parallel_for_range(0, n, [&](int64_t begin, int64_t end) {      \
            for (int64_t i = begin; i < end; i++)                              \
                statement;                                                     \
        });                                                                    \
    }
USER_BODIES(RANGE)

#define PLANE(name, given, edge, statement)                                    \
    void name##_lambda(struct user_data *s, int64_t)                           \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        tweed::parallel_for_2d(edge, side - edge, edge, side - edge,           \
                               [&](int64_t i, int64_t j) { statement; });      \
    }
USER_PLANES(PLANE)

#define SPACE(name, given, edge, statement)                                    \
    void name##_lambda(struct user_data *s, int64_t)                           \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        tweed::parallel_for_3d(                                                \
            edge, side - edge, edge, side - edge, edge, row - edge,            \
            [&](int64_t h, int64_t i, int64_t j) { statement; });              \
    }
USER_SPACES(SPACE)

/* ---- what a whole loop finds out ---- */

void dot_lambda(struct user_data *s, int64_t n)
{
    const double *x = s->x, *y = s->y;

    s->value = tweed::parallel_sum(0, n, [=](int64_t i) { return x[i] * y[i]; });
}

void least_lambda(struct user_data *s, int64_t n)
{
    const double *x = s->x;

    s->value = tweed::parallel_min(0, n, x[0], [=](int64_t i) { return x[i]; });
}

void scan_lambda(struct user_data *s, int64_t n)
{
    tweed::parallel_inclusive_scan(s->x, s->x + n, s->sums);
}

void triangles_lambda(struct user_data *s, int64_t n)
{
    const struct user_matrix *matrix = s->matrix;

    s->value = static_cast<double>(tweed::parallel_sum(
        0, n, [=](int64_t i) { return user_triangles(matrix, i); }));
}

void kmeans_lambda(struct user_data *s, int64_t n)
{
    const struct user_points *points = s->points;

    s->tally = tweed::parallel_reduce(
        0, n, user_tally(),
        [=](int64_t i, user_tally &own) { user_assign(points, i, &own); },
        [](user_tally &into, const user_tally &from) { user_add_tally(&into, &from); });
}

void find_lambda(struct user_data *s, int64_t n)
{
    const uint8_t *bytes = s->bytes;

    s->value = static_cast<double>(
        tweed::parallel_find(0, n, [=](int64_t i) { return bytes[i] != 0; }));
}

void timed(struct user_data *s, int64_t n)
{
    USER_LOCALS(s)
    tweed::parallel_for_range(0, n, [&](int64_t begin, int64_t end) {
        double started = bench_now();

        for (int64_t i = begin; i < end; i++)
            USER_CLIFF;
        user_claimed(s, started);
    });
}

void nest_lambda(struct user_data *s, int64_t n, int heavy)
{
    tweed::parallel_for(0, 2, [&](int64_t i) {
        if (i == heavy)
            spin_lambda(s, n);
    });
}

void sort_lambda(uint32_t *v, int64_t n)
{
    if (n <= USER_SORT_ALONE) {
        user_sort_alone(v, n);
        return;
    }
    int64_t half = user_partition(v, n);

    tweed::parallel_for(0, 2, [&](int64_t i) {
        if (i == 0)
            sort_lambda(v, half);
        else
            sort_lambda(v + half, n - half);
    });
}

void version(char *text, size_t size)
{
    std::snprintf(text, size, "%s, %s", tweed_version(), USER_COMPILER);
}

#define IN_LAMBDA(name, ...) { USER_##name, name##_lambda },
#define IN_RANGE(name, ...) { USER_##name, name##_range },

const struct user_way ways[] = {
    user_way_of("lambda",
                { USER_BODIES(IN_LAMBDA) USER_PLANES(IN_LAMBDA) USER_SPACES(IN_LAMBDA)
                  { USER_dot, dot_lambda }, { USER_least, least_lambda },
                  { USER_scan, scan_lambda }, { USER_find, find_lambda },
                  { USER_triangles, triangles_lambda }, { USER_kmeans, kmeans_lambda } },
                nullptr, nest_lambda, sort_lambda),
    user_way_of("range lambda", { USER_BODIES(IN_RANGE) }, timed),
    {},
};

} // namespace

const struct user_runtime user_runtime = {
    "tweed.hpp", true, false, version, nullptr, ways,
};

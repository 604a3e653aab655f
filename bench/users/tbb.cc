/*
 * tbb.cc - as oneTBB's users write it: a lambda of an index, or of a range.
 *
 * SPDX-License-Identifier: MIT
 */
#include <algorithm>
#include <execution>
#include <functional>
#include <numeric>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/blocked_range3d.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "tbb.h"

namespace
{

namespace tbb = oneapi::tbb;
using range = tbb::blocked_range<int64_t>;

#define S(name) name

#define LAMBDA(name, given, statement)                                         \
    void name##_lambda(struct user_data *s, int64_t n)                         \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        tbb::parallel_for(int64_t(0), n, [=](int64_t i) { statement; });       \
    }
USER_BODIES(LAMBDA)

#define RANGE(name, given, statement)                                          \
    void name##_range(struct user_data *s, int64_t n)                          \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        tbb::parallel_for(range(0, n), [=](const range &r) {                   \
            for (int64_t i = r.begin(); i < r.end(); i++)                      \
                statement;                                                     \
        });                                                                    \
    }
USER_BODIES(RANGE)

#define ROWS(name, given, edge, statement)                                     \
    void name##_lambda(struct user_data *s, int64_t)                           \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        tbb::parallel_for(int64_t(edge), side - edge, [=](int64_t i) {         \
            for (int64_t j = edge; j < side - edge; j++)                       \
                statement;                                                     \
        });                                                                    \
    }
USER_PLANES(ROWS)

#define BOX(name, given, edge, statement)                                      \
    void name##_range(struct user_data *s, int64_t)                            \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        using box = tbb::blocked_range2d<int64_t>;                             \
        tbb::parallel_for(                                                     \
            box(edge, side - edge, edge, side - edge), [=](const box &b) {     \
                for (int64_t i = b.rows().begin(); i < b.rows().end(); i++)    \
                    for (int64_t j = b.cols().begin(); j < b.cols().end();     \
                         j++)                                                  \
                        statement;                                             \
            });                                                                \
    }
USER_PLANES(BOX)

#define SPACE(name, given, edge, statement)                                    \
    void name##_lambda(struct user_data *s, int64_t)                           \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        tbb::parallel_for(int64_t(edge), side - edge, [=](int64_t h) {         \
            for (int64_t i = edge; i < side - edge; i++)                       \
                for (int64_t j = edge; j < row - edge; j++)                    \
                    statement;                                                 \
        });                                                                    \
    }
#define SPACE_BOX(name, given, edge, statement)                                \
    void name##_range(struct user_data *s, int64_t)                            \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        using box = tbb::blocked_range3d<int64_t>;                             \
        tbb::parallel_for(                                                     \
            box(edge, side - edge, edge, side - edge, edge, row - edge),       \
            [=](const box &b) {                                                \
                for (int64_t h = b.pages().begin(); h < b.pages().end(); h++)  \
                    for (int64_t i = b.rows().begin(); i < b.rows().end(); i++)\
                        for (int64_t j = b.cols().begin(); j < b.cols().end(); \
                             j++)                                              \
                            statement;                                         \
            });                                                                \
    }
USER_SPACES(SPACE)
USER_SPACES(SPACE_BOX)

/* ---- what a whole loop finds out ---- */

double dot_of(const double *x, const double *y, const range &r, double sum)
{
    for (int64_t i = r.begin(); i < r.end(); i++)
        sum += x[i] * y[i];
    return sum;
}

void dot_lambda(struct user_data *s, int64_t n)
{
    const double *x = s->x, *y = s->y;

    s->value = tbb::parallel_reduce(
        range(0, n), 0.0,
        [=](const range &r, double sum) { return dot_of(x, y, r, sum); },
        std::plus<double>());
}

void dot_range(struct user_data *s, int64_t n)
{
    const double *x = s->x, *y = s->y;

    s->value = tbb::parallel_deterministic_reduce(
        range(0, n, 1024), 0.0,
        [=](const range &r, double sum) { return dot_of(x, y, r, sum); },
        std::plus<double>());
}

void dot_std(struct user_data *s, int64_t n)
{
    s->value = std::transform_reduce(std::execution::par, s->x, s->x + n, s->y, 0.0);
}

void least_lambda(struct user_data *s, int64_t n)
{
    const double *x = s->x;

    s->value = tbb::parallel_reduce(
        range(0, n), x[0],
        [=](const range &r, double least) {
            for (int64_t i = r.begin(); i < r.end(); i++)
                least = x[i] < least ? x[i] : least;
            return least;
        },
        [](double a, double b) { return a < b ? a : b; });
}

void least_std(struct user_data *s, int64_t n)
{
    s->value = *std::min_element(std::execution::par, s->x, s->x + n);
}

void scan_lambda(struct user_data *s, int64_t n)
{
    const double *x = s->x;
    double *sums = s->sums;

    tbb::parallel_scan(
        range(0, n), 0.0,
        [=](const range &r, double sum, bool last) {
            for (int64_t i = r.begin(); i < r.end(); i++) {
                sum += x[i];
                if (last)
                    sums[i] = sum;
            }
            return sum;
        },
        std::plus<double>());
}

void scan_std(struct user_data *s, int64_t n)
{
    std::inclusive_scan(std::execution::par, s->x, s->x + n, s->sums);
}

struct bins {
    uint64_t of[256];
};

void histogram_range(struct user_data *s, int64_t n)
{
    const uint8_t *bytes = s->bytes;
    tbb::enumerable_thread_specific<bins> all{ bins() };

    tbb::parallel_for(range(0, n), [&](const range &r) {
        bins &__restrict own = all.local();

        for (int64_t i = r.begin(); i < r.end(); i++)
            own.of[bytes[i]]++;
    });
    std::fill(s->bins, s->bins + 256, uint64_t(0));
    for (const bins &own : all)
        for (int b = 0; b < 256; b++)
            s->bins[b] += own.of[b];
}

void triangles_range(struct user_data *s, int64_t n)
{
    const struct user_matrix *matrix = s->matrix;

    s->value = static_cast<double>(tbb::parallel_reduce(
        range(0, n), int64_t(0),
        [=](const range &r, int64_t count) {
            for (int64_t i = r.begin(); i < r.end(); i++)
                count += user_triangles(matrix, i);
            return count;
        },
        std::plus<int64_t>()));
}

void kmeans_range(struct user_data *s, int64_t n)
{
    const struct user_points *points = s->points;
    tbb::enumerable_thread_specific<user_tally> all{ user_tally() };

    tbb::parallel_for(range(0, n), [&](const range &r) {
        user_tally &own = all.local();

        for (int64_t i = r.begin(); i < r.end(); i++)
            user_assign(points, i, &own);
    });
    s->tally = user_tally();
    for (const user_tally &own : all)
        user_add_tally(&s->tally, &own);
}

/* Right where there is one hit only. */
void find_range(struct user_data *s, int64_t n)
{
    const uint8_t *bytes = s->bytes;
    tbb::task_group_context context;
    int64_t found = n;

    tbb::parallel_for(
        range(0, n),
        [&](const range &r) {
            for (int64_t i = r.begin(); i < r.end(); i++)
                if (bytes[i]) {
                    found = i;
                    context.cancel_group_execution();
                    return;
                }
        },
        context);
    s->value = static_cast<double>(found);
}

void find_std(struct user_data *s, int64_t n)
{
    s->value = static_cast<double>(
        std::find_if(std::execution::par, s->bytes, s->bytes + n,
                     [](uint8_t b) { return b != 0; }) -
        s->bytes);
}

void timed(struct user_data *s, int64_t n)
{
    USER_LOCALS(s)
    tbb::parallel_for(range(0, n), [=](const range &r) {
        double started = bench_now();

        for (int64_t i = r.begin(); i < r.end(); i++)
            USER_CLIFF;
        user_claimed(s, started);
    });
}

void nest_lambda(struct user_data *s, int64_t n, int heavy)
{
    tbb::parallel_for(0, 2, [=](int i) {
        if (i == heavy)
            spin_lambda(s, n);
    });
}

#define IN_LAMBDA(name, ...) { USER_##name, name##_lambda },
#define IN_RANGE(name, ...) { USER_##name, name##_range },

const struct user_way ways[] = {
    user_way_of("lambda",
                { USER_BODIES(IN_LAMBDA) USER_PLANES(IN_LAMBDA) USER_SPACES(IN_LAMBDA)
                  { USER_dot, dot_lambda }, { USER_least, least_lambda },
                  { USER_scan, scan_lambda } },
                nullptr, nest_lambda),
    user_way_of("blocked_range",
                { USER_BODIES(IN_RANGE) USER_PLANES(IN_RANGE) USER_SPACES(IN_RANGE)
                  { USER_dot, dot_range }, { USER_histogram, histogram_range },
                  { USER_find, find_range }, { USER_triangles, triangles_range },
                  { USER_kmeans, kmeans_range } },
                timed),
    user_way_of("std::execution::par",
                { { USER_dot, dot_std }, { USER_least, least_std },
                  { USER_scan, scan_std }, { USER_find, find_std } }),
    {},
};

} // namespace

const struct user_runtime user_runtime = {
    "tbb", false, false, version, start, ways,
};

/*
 * tbb.cc - as oneTBB's users write it: a lambda of an index, or of a range.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cstdio>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/version.h>

#include "users.h"

namespace
{

namespace tbb = oneapi::tbb;
using range = tbb::blocked_range<int64_t>;

#define S(name) name

#define LAMBDA(name, statement)                                                \
    void name##_lambda(struct user_data *s, int64_t n)                         \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        tbb::parallel_for(int64_t(0), n, [=](int64_t i) { statement; });       \
    }
USER_BODIES(LAMBDA)

#define RANGE(name, statement)                                                 \
    void name##_range(struct user_data *s, int64_t n)                          \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        tbb::parallel_for(range(0, n), [=](const range &r) {                   \
            for (int64_t i = r.begin(); i < r.end(); i++)                      \
                statement;                                                     \
        });                                                                    \
    }
USER_BODIES(RANGE)

#define ROWS(name, edge, statement)                                            \
    void name##_lambda(struct user_data *s, int64_t)                           \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        tbb::parallel_for(int64_t(edge), side - edge, [=](int64_t i) {         \
            for (int64_t j = edge; j < side - edge; j++)                       \
                statement;                                                     \
        });                                                                    \
    }
USER_PLANES(ROWS)

#define BOX(name, edge, statement)                                             \
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

void sort_invoke(uint32_t *v, int64_t n)
{
    if (n <= USER_SORT_ALONE) {
        user_sort_alone(v, n);
        return;
    }
    int64_t half = user_partition(v, n);

    tbb::parallel_invoke([=] { sort_invoke(v, half); },
                         [=] { sort_invoke(v + half, n - half); });
}

void version(char *text, size_t size)
{
    std::snprintf(text, size, "%s, library %s, %s", TBB_VERSION_STRING,
                  TBB_runtime_version(), USER_COMPILER);
}

/* More than the CPUs needs a limit that stays until the process ends. */
void start(int workers)
{
    if (workers)
        new tbb::global_control(tbb::global_control::max_allowed_parallelism,
                                static_cast<size_t>(workers));
}

#define IN_LAMBDA(name, statement) name##_lambda,
#define IN_RANGE(name, statement) name##_range,
#define IN_ROWS(name, edge, statement) name##_lambda,
#define IN_BOX(name, edge, statement) name##_range,

const struct user_way ways[] = {
    { "lambda", { USER_BODIES(IN_LAMBDA) USER_PLANES(IN_ROWS) }, nullptr, nest_lambda, sort_invoke },
    { "blocked_range", { USER_BODIES(IN_RANGE) USER_PLANES(IN_BOX) }, timed, nullptr, nullptr },
    {},
};

} // namespace

const struct user_runtime user_runtime = {
    "tbb", false, false, version, start, ways,
};

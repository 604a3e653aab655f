/*
 * tbb_tasks.cc - as oneTBB's users write functions that call themselves.
 *
 * SPDX-License-Identifier: MIT
 */
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <utility>

#include "tbb.h"
#include "trees.hpp"

namespace
{

namespace tbb = oneapi::tbb;

/* An arena has no more than one thread a CPU, unless it is told. */
tbb::task_arena *arena;

template <class F>
void start_in_arena(F f)
{
    if (arena)
        arena->execute(f);
    else
        f();
}

struct invoke {
    template <class F>
    static void start(F f)
    {
        start_in_arena(f);
    }

    template <class F, class G>
    static void both(const F &f, const G &g)
    {
        tbb::parallel_invoke(f, g);
    }

    template <class F, int... K>
    static void fixed_of(const F &f, std::integer_sequence<int, K...>)
    {
        tbb::parallel_invoke([&f] { f(K); }...);
    }

    template <int N, class F>
    static void fixed(const F &f)
    {
        fixed_of(f, std::make_integer_sequence<int, N>());
    }
};

struct group {
    template <class F>
    static void start(F f)
    {
        start_in_arena(f);
    }

    template <class F, class G>
    static void both(const F &f, const G &g)
    {
        tbb::task_group group;

        group.run(f);
        g();
        group.wait();
    }

    template <class F>
    static void each(int n, const F &f)
    {
        tbb::task_group group;

        for (int k = 0; k < n - 1; k++)
            group.run([&f, k] { f(k); });
        if (n > 0)
            f(n - 1);
        group.wait();
    }

    template <int N, class F>
    static void fixed(const F &f)
    {
        each(N, f);
    }
};

void start_with_arena(int workers)
{
    start(workers);
    if (workers)
        arena = new tbb::task_arena(workers);
}

using by_invoke = user_trees<invoke>;
using by_group = user_trees<group>;

/* Of USER_TREES, in its order. */
const struct user_way ways[] = {
    { "task_group",
      { USER_NO_LOOPS by_group::fib, by_group::queens, by_group::tree, by_group::uts,
        by_group::skynet, by_group::cilksort, by_group::matmul },
      nullptr, nullptr, by_group::sort },
    { "parallel_invoke",
      { USER_NO_LOOPS by_invoke::fib, nullptr, by_invoke::tree, nullptr,
        by_invoke::skynet, by_invoke::cilksort, by_invoke::matmul },
      nullptr, nullptr, by_invoke::sort },
    {},
};

} // namespace

const struct user_runtime user_runtime = {
    "tbb", false, false, version, start_with_arena, ways,
};

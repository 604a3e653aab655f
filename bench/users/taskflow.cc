/*
 * taskflow.cc - as Taskflow's users write functions that call themselves.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cstdio>
#include <taskflow/taskflow.hpp>

#include "trees.hpp"

namespace
{

tf::Executor *executor;

struct group {
    template <class F>
    static void start(F f)
    {
        executor->async(f).wait();
    }

    template <class F, class G>
    static void both(const F &f, const G &g)
    {
        tf::TaskGroup group = executor->task_group();

        group.silent_async(f);
        g();
        group.corun();
    }

    template <class F>
    static void each(int n, const F &f)
    {
        tf::TaskGroup group = executor->task_group();

        for (int k = 0; k < n - 1; k++)
            group.silent_async([&f, k] { f(k); });
        if (n > 0)
            f(n - 1);
        group.corun();
    }

    template <int N, class F>
    static void fixed(const F &f)
    {
        each(N, f);
    }
};

struct async {
    template <class F>
    static void submit(const F &f)
    {
        executor->silent_async(f);
    }

    static void drain()
    {
        executor->wait_for_all();
    }
};

void version(char *text, size_t size)
{
    std::snprintf(text, size, "%s, %s", tf::version(), USER_COMPILER);
}

void start(int workers)
{
    if (workers)
        executor = new tf::Executor(static_cast<size_t>(workers));
    else
        executor = new tf::Executor;
}

using by_group = user_trees<group>;
using by_async = user_submitted<async>;

/* Of USER_TREES and USER_JOBS, in their order; an executor takes one task. */
const struct user_way ways[] = {
    { "TaskGroup",
      { USER_NO_LOOPS by_group::fib, by_group::queens, by_group::tree, by_group::uts,
        by_group::skynet, by_group::cilksort, by_group::matmul, user_group<group> },
      nullptr, nullptr, by_group::sort },
    { "silent_async",
      { USER_NO_TREES by_async::submit, by_async::submit, by_async::reply },
      nullptr, nullptr, nullptr },
    {},
};

} // namespace

const struct user_runtime user_runtime = {
    "taskflow", false, false, version, start, ways,
};

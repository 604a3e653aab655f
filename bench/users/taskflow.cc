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

const struct user_way ways[] = {
    user_group_way<group>("TaskGroup"),
    user_submit_way<async>("silent_async"),
    {},
};

} // namespace

const struct user_runtime user_runtime = {
    "taskflow", false, false, version, start, ways,
};

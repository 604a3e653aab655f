/*
 * tweedxx_tasks.cc - as tweed's users write functions that call themselves, and groups of
 * tasks, in C++.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cstdio>
#include <tweed.hpp>

#include "trees.hpp"

namespace
{

struct runtime {
    using group = tweed::task_group;

    template <class F>
    static void start(const F &f)
    {
        f();
    }

    template <class... F>
    static void invoke(const F &...f)
    {
        tweed::parallel_invoke(f...);
    }
};

struct submitted {
    template <class F>
    static void submit(F f)
    {
        if (tweed::submit(f) != TWEED_OK)
            f();
    }

    static void drain()
    {
        tweed_pool_drain(nullptr);
    }
};

void version(char *text, size_t size)
{
    std::snprintf(text, size, "%s, %s", tweed_version(), USER_COMPILER);
}

using by_invoke = user_trees<user_invoke<runtime>>;
using group = user_task_group<runtime>;
using by_group = user_trees<group>;
using by_submit = user_submitted<submitted>;

/* Of USER_TREES and USER_JOBS, in their order; batches are C's. */
const struct user_way ways[] = {
    { "task_group",
      { USER_NO_LOOPS by_group::fib, by_group::queens, by_group::tree, by_group::uts,
        by_group::skynet, by_group::cilksort, by_group::matmul, user_group<group> },
      nullptr, nullptr, by_group::sort },
    { "submit",
      { USER_NO_TREES by_submit::submit, nullptr, by_submit::reply },
      nullptr, nullptr, nullptr },
    { "parallel_invoke",
      { USER_NO_LOOPS by_invoke::fib, nullptr, by_invoke::tree, nullptr,
        by_invoke::skynet, by_invoke::cilksort, by_invoke::matmul },
      nullptr, nullptr, by_invoke::sort },
    {},
};

} // namespace

const struct user_runtime user_runtime = {
    "tweed.hpp", true, false, version, nullptr, ways,
};

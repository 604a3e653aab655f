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

/* Batches are C's. */
const struct user_way ways[] = {
    user_way_of("task_group",
                { { USER_fib, by_group::fib }, { USER_queens, by_group::queens },
                  { USER_tree, by_group::tree }, { USER_uts, by_group::uts },
                  { USER_skynet, by_group::skynet }, { USER_cilksort, by_group::cilksort },
                  { USER_matmul, by_group::matmul }, { USER_group, user_group<group> } },
                nullptr, nullptr, by_group::sort),
    user_way_of("submit",
                { { USER_submit, by_submit::submit },
                  { USER_reply, by_submit::reply } }),
    user_way_of("parallel_invoke",
                { { USER_fib, by_invoke::fib }, { USER_tree, by_invoke::tree },
                  { USER_skynet, by_invoke::skynet }, { USER_cilksort, by_invoke::cilksort },
                  { USER_matmul, by_invoke::matmul } },
                nullptr, nullptr, by_invoke::sort),
    {},
};

} // namespace

const struct user_runtime user_runtime = {
    "tweed.hpp", true, false, version, nullptr, ways,
};

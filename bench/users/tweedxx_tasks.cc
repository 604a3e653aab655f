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

using by_submit = user_submitted<submitted>;

/* Batches are C's. */
const struct user_way ways[] = {
    user_group_way<user_task_group<runtime>>("task_group"),
    user_way_of("submit", { { USER_submit, by_submit::submit },
                            { USER_reply, by_submit::reply } }),
    user_trees_way<user_invoke<runtime>>("parallel_invoke"),
    {},
};

} // namespace

const struct user_runtime user_runtime = {
    "tweed.hpp", true, false, version, nullptr, ways,
};

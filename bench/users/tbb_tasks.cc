/*
 * tbb_tasks.cc - as oneTBB's users write functions that call themselves.
 *
 * SPDX-License-Identifier: MIT
 */
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "tbb.h"
#include "trees.hpp"

namespace
{

namespace tbb = oneapi::tbb;

/* An arena has no more than one thread a CPU, unless it is told. */
tbb::task_arena *arena;

struct runtime {
    using group = tbb::task_group;

    template <class F>
    static void start(const F &f)
    {
        if (arena)
            arena->execute(f);
        else
            f();
    }

    template <class... F>
    static void invoke(const F &...f)
    {
        tbb::parallel_invoke(f...);
    }
};

/* With a group, so that there is something to wait for. */
struct enqueued {
    static tbb::task_group &all()
    {
        static tbb::task_group group;

        return group;
    }

    static tbb::task_arena &where()
    {
        static tbb::task_arena own;

        return arena ? *arena : own;
    }

    template <class F>
    static void submit(const F &f)
    {
        where().enqueue(all().defer(f));
    }

    static void drain()
    {
        where().execute([] { all().wait(); });
    }
};

void start_with_arena(int workers)
{
    start(workers);
    if (workers)
        arena = new tbb::task_arena(workers);
}

using by_invoke = user_trees<user_invoke<runtime>>;
using group = user_task_group<runtime>;
using by_group = user_trees<group>;
using by_enqueue = user_submitted<enqueued>;

/* Of USER_TREES and USER_JOBS, in their order; enqueue() takes one task. */
const struct user_way ways[] = {
    { "task_group",
      { USER_NO_LOOPS by_group::fib, by_group::queens, by_group::tree, by_group::uts,
        by_group::skynet, by_group::cilksort, by_group::matmul, user_group<group> },
      nullptr, nullptr, by_group::sort },
    { "enqueue",
      { USER_NO_TREES by_enqueue::submit, by_enqueue::submit, by_enqueue::reply },
      nullptr, nullptr, nullptr },
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

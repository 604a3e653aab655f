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

/* enqueue() takes one task. */
const struct user_way ways[] = {
    user_way_of("task_group",
                { { USER_fib, by_group::fib }, { USER_queens, by_group::queens },
                  { USER_tree, by_group::tree }, { USER_uts, by_group::uts },
                  { USER_skynet, by_group::skynet }, { USER_cilksort, by_group::cilksort },
                  { USER_matmul, by_group::matmul }, { USER_group, user_group<group> } },
                nullptr, nullptr, by_group::sort),
    user_way_of("enqueue",
                { { USER_submit, by_enqueue::submit }, { USER_batch, by_enqueue::submit },
                  { USER_reply, by_enqueue::reply } }),
    user_way_of("parallel_invoke",
                { { USER_fib, by_invoke::fib }, { USER_tree, by_invoke::tree },
                  { USER_skynet, by_invoke::skynet }, { USER_cilksort, by_invoke::cilksort },
                  { USER_matmul, by_invoke::matmul } },
                nullptr, nullptr, by_invoke::sort),
    {},
};

} // namespace

const struct user_runtime user_runtime = {
    "tbb", false, false, version, start_with_arena, ways,
};

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

const struct user_way ways[] = {
    user_group_way<user_task_group<runtime>>("task_group"),
    user_submit_way<enqueued>("enqueue"),
    user_trees_way<user_invoke<runtime>>("parallel_invoke"),
    {},
};

} // namespace

const struct user_runtime user_runtime = {
    "tbb", false, false, version, start_with_arena, ways,
};

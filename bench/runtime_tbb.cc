/*
 * runtime_tbb.cc - oneTBB: parallel_for with two of its partitioners.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cstdio>
#include <map>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/version.h>

#include "bench.h"
#include "inlined.h"

namespace
{

namespace tbb = oneapi::tbb;
using range = tbb::blocked_range<int64_t>;

/* The order of schedules[]. */
enum { AUTO, AFFINITY };

/* Null: that of the thread that starts a loop is used. */
tbb::task_arena *arena;

void version(char *text, size_t size)
{
    std::snprintf(text, size, "%s, library %s", TBB_VERSION_STRING,
                  TBB_runtime_version());
}

/*
 * The limit alone neither makes more threads than CPUs nor keeps a thread's
 * number below it: that takes an arena.  There is none where the default is
 * what was asked for, since entering it costs each loop something that TBB's
 * users do not pay; and none for one worker, since a second caller would get
 * it another.  Both stay until the process ends.
 */
int start(int workers)
{
    new tbb::global_control(tbb::global_control::max_allowed_parallelism,
                            static_cast<size_t>(workers));
    if (workers > 1 && workers != tbb::info::default_concurrency()) {
        arena = new tbb::task_arena(workers);
        arena->initialize();
    }
    return 0;
}

/*
 * What an affinity_partitioner has learnt is good for one loop, run again: so
 * there is one for each body, or kind of inlined body.  Two loops at once must
 * not share one: so each thread that starts loops has its own.
 */
tbb::affinity_partitioner &partitioner_of(uintptr_t body)
{
    thread_local std::map<uintptr_t, tbb::affinity_partitioner> partitioners;

    return partitioners[body];
}

/* tile(begin, end) over parts of [lo, hi). */
template <typename Tile>
void loop(int schedule, int64_t lo, int64_t hi, uintptr_t body,
          const Tile &tile)
{
    auto run = [&] {
        auto part = [&](const range &r) { tile(r.begin(), r.end()); };

        if (schedule == AFFINITY)
            tbb::parallel_for(range(lo, hi), part, partitioner_of(body));
        else
            tbb::parallel_for(range(lo, hi), part, tbb::auto_partitioner());
    };

    if (arena)
        arena->execute(run);
    else
        run();
}

/* index(i) for all of [lo, hi); `own` has what a body refers to: inlined.h. */
template <typename Index>
void each(int schedule, int64_t lo, int64_t hi, uintptr_t body,
          const Index &index)
{
    loop(schedule, lo, hi, body, [=](int64_t begin, int64_t end) {
        Index own = index;

        for (int64_t i = begin; i < end; i++)
            own(i);
    });
}

void index_loop(int schedule, int64_t lo, int64_t hi, bench_index_fn *fn,
                void *arg)
{
    each(schedule, lo, hi, reinterpret_cast<uintptr_t>(fn),
         [=](int64_t i) { fn(i, arg); });
}

void inlined_loop(int schedule, enum bench_inlined body, int64_t lo, int64_t hi,
                  void *arg)
{
    switch (body) {
    case BENCH_NOOP:
        each(schedule, lo, hi, BENCH_NOOP,
             [=](int64_t i) { bench_noop_index(i, arg); });
        break;
    case BENCH_TRIAD: {
        bench_triad triad = *static_cast<const bench_triad *>(arg);
        each(schedule, lo, hi, BENCH_TRIAD, [triad](int64_t i) mutable {
            bench_triad_index(i, &triad);
        });
        break;
    }
    case BENCH_SAXPY: {
        bench_saxpy saxpy = *static_cast<const bench_saxpy *>(arg);
        each(schedule, lo, hi, BENCH_SAXPY, [saxpy](int64_t i) mutable {
            bench_saxpy_index(i, &saxpy);
        });
        break;
    }
    }
}

int worker()
{
    return tbb::this_task_arena::current_thread_index();
}

const char *const schedules[] = { "auto", "affinity", nullptr };

} // namespace

const struct bench_runtime bench_runtime = {
    "tbb",
    schedules,
    true, /* nests */
    true, /* callers */
    version,
    start,
    index_loop,
    inlined_loop,
    worker,
    nullptr, /* counts */
};

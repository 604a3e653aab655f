/*
 * invokecc.cc - tweed::parallel_invoke(): each callable once, wherever it is called from,
 * and what they throw.
 *
 * SPDX-License-Identifier: MIT
 */
#include <tweed.hpp>

#include "child.h"
#include "tap.h"
extern "C" {
#include "range/arena.h"
}

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::atomic<long> allocations;

/* Also what g++ calls for arrays. */
void *operator new(std::size_t size)
{
    allocations++;
    if (void *p = std::malloc(size))
        return p;
    throw std::bad_alloc();
}

void operator delete(void *p) noexcept
{
    std::free(p);
}

void operator delete(void *p, std::size_t) noexcept
{
    std::free(p);
}

static long fib(tweed_pool *pool, int n)
{
    long a = 0, b = 0;

    if (n < 2)
        return n;
    tweed::parallel_invoke(pool, [&] { a = fib(pool, n - 1); },
                           [&] { b = fib(pool, n - 2); });
    return a + b;
}

static void recursion(tweed_pool *pool, const char *which)
{
    const long before = allocations;

    ok(fib(pool, 22) == 17711, "%s: calls in calls", which);
    ok(allocations == before, "... allocate nothing");
}

static uint64_t tasks_from_outside(tweed_pool *pool)
{
    tweed_stats s = TWEED_STATS_INIT;

    if (tweed_stats_get(pool, 0, &s) != TWEED_OK)
        bail_out("no statistics");
    return s.roots;
}

/* A call in a call is a spawn, also where no other worker is to steal it. */
static bool nests(tweed_pool *pool)
{
    const uint64_t before = tasks_from_outside(pool);

    return fib(pool, 10) == 55 && tasks_from_outside(pool) == before + 1;
}

/* ---- callables of all kinds ---- */

struct fixed { /* neither copied nor moved, nor const */
    int calls;

    fixed() : calls(0) {}
    fixed(const fixed &) = delete;
    fixed &operator=(const fixed &) = delete;
    void operator()() { calls++; }
};

static std::atomic<int> function_calls;

static void function()
{
    function_calls++;
}

static int with_result()
{
    return ++function_calls;
}

static void callables(tweed_pool *pool)
{
    std::unique_ptr<int> owned(new int(0));
    fixed a, b;

    for (int i = 0; i < 100; i++) {
        tweed::parallel_invoke(pool, a, function, with_result, fixed(), b,
                               [&] { ++*owned; });
        tweed::parallel_invoke(pool, function, &with_result);
    }
    ok(a.calls == 100 && b.calls == 100 && *owned == 100 && function_calls == 400,
       "callables are called where they are");
}

/* ---- the order of a serial program ---- */

static void walk(tweed_pool *pool, std::vector<int> &order, int first, int count)
{
    if (count == 1) {
        order.push_back(first);
        return;
    }
    tweed::parallel_invoke(pool, [&] { walk(pool, order, first, count / 3); },
                           [&] { walk(pool, order, first + count / 3, count / 3); },
                           [&] { walk(pool, order, first + count / 3 * 2, count / 3); });
}

/* One worker: no other may take any. */
static bool in_order(tweed_pool *pool)
{
    std::vector<int> order;
    auto put = [&](int k) { order.push_back(729 + k); };
    bool good;

    walk(pool, order, 0, 729);
    tweed::parallel_invoke(pool, [&] { put(0); }, [&] { put(1); });
    tweed::parallel_invoke(pool, [&] { put(2); }, [&] { put(3); }, [&] { put(4); },
                           [&] { put(5); }, [&] { put(6); });
    good = order.size() == 736;
    for (size_t i = 0; good && i < order.size(); i++)
        good = order[i] == static_cast<int>(i);
    return good;
}

/* The last callable is stolen, and lasts until the others are over: these are executed by
   the caller, in their order. */
static bool others_in_order(tweed_pool *pool)
{
    std::atomic<int> begun(0), over(0);
    std::thread::id caller = std::this_thread::get_id(), thief;
    std::vector<int> order;
    bool here = true;
    auto put = [&](int k) {
        here &= std::this_thread::get_id() == caller;
        order.push_back(k);
        over++;
    };

    tweed::parallel_invoke(pool,
        [&] {
            while (!begun)
                std::this_thread::yield();
            put(0);
        },
        [&] { put(1); }, [&] { put(2); },
        [&] {
            thief = std::this_thread::get_id();
            begun++;
            while (over < 3)
                std::this_thread::yield();
        });
    return here && thief != caller && order == std::vector<int>({ 0, 1, 2 });
}

/* ---- without memory for tasks ---- */

extern "C" bool __real_tweed__arena_begin(tweed__arena *r);
extern "C" bool __wrap_tweed__arena_begin(tweed__arena *r);
static std::atomic<bool> no_pages;

/* base is NULL where there are no pages yet. */

extern "C" bool __wrap_tweed__arena_begin(tweed__arena *r)
{
    return (r->base || !no_pages) && __real_tweed__arena_begin(r);
}

/* With memory each level comes before the one above it, without after it. */
static void descend(tweed_pool *pool, std::vector<int> &order, int level)
{
    tweed::parallel_invoke(pool,
        [&] {
            if (level > 0)
                descend(pool, order, level - 1);
        },
        [&] { order.push_back(level); });
}

/* A few records lie on the stack, for results alone.  A callable is executed when it is
   spawned, so the last one comes first. */
static bool without_memory()
{
    const int levels = 50;
    tweed::pool pool(1); /* whose slots have no pages yet */
    std::vector<int> order;
    bool turned;

    no_pages = true;
    descend(pool.get(), order, levels);
    no_pages = false;
    turned = order.size() == levels + 1 && order[0] > order[1];
    std::sort(order.begin(), order.end());
    for (int i = 0; turned && i <= levels; i++)
        turned = order[static_cast<size_t>(i)] == i;
    return turned && order.size() == levels + 1;
}

/* ---- the other callable has begun elsewhere ---- */

static bool at_the_same_time(const tweed::pool &pool)
{
    std::atomic<int> here(0);
    std::thread::id id[3];
    auto meet = [&](int k) {
        id[k] = std::this_thread::get_id();
        here++;
        while (here < 3)
            std::this_thread::yield();
    };

    tweed::parallel_invoke(pool, [&] { meet(0); }, [&] { meet(1); }, [&] { meet(2); });
    return id[0] != id[1] && id[1] != id[2] && id[0] != id[2];
}

/* The same, and all of them throw. */
static bool all_throw(const tweed::pool &pool)
{
    std::atomic<int> here(0);
    auto meet = [&](int k) {
        here++;
        while (here < 3)
            std::this_thread::yield();
        throw k;
    };

    try {
        tweed::parallel_invoke(pool, [&] { meet(0); }, [&] { meet(1); },
                               [&] { meet(2); });
    } catch (int k) {
        return here == 3 && k >= 0 && k < 3;
    }
    return false;
}

/* ---- exceptions ---- */

/* A tree whose leaves are counted; some of them throw. */
static void leaves(std::atomic<int> &count, tweed_pool *pool, int depth, int which)
{
    if (depth == 0) {
        count++;
        if (which % 7 == 3)
            throw std::runtime_error(std::to_string(which));
        return;
    }
    tweed::parallel_invoke(pool,
                           [&] { leaves(count, pool, depth - 1, 3 * which); },
                           [&] { leaves(count, pool, depth - 1, 3 * which + 1); },
                           [&] { leaves(count, pool, depth - 1, 3 * which + 2); });
}

static bool throws_from_below(tweed_pool *pool)
{
    for (int round = 0; round < 20; round++) {
        std::atomic<int> count(0);

        try {
            leaves(count, pool, 5, 0);
            return false;
        } catch (const std::runtime_error &e) {
            if (std::stoi(e.what()) % 7 != 3 || count != 243)
                return false;
        }
    }
    return true;
}

/* In a destructor, while another exception is on its way. */
struct unwinds {
    tweed_pool *pool;
    std::atomic<int> &calls;

    ~unwinds()
    {
        try {
            tweed::parallel_invoke(pool, [&] { calls++; }, [&] { throw 2; },
                                   [&] { calls++; });
        } catch (int k) {
            calls += 10 * k;
        }
    }
};

static bool throws_while_unwinding(tweed_pool *pool)
{
    std::atomic<int> calls(0);

    try {
        unwinds u{ pool, calls };

        tweed::parallel_invoke(pool, [&] { calls += 100; },
                               [&] { throw std::string("outer"); });
    } catch (const std::string &s) {
        return s == "outer" && calls == 122;
    }
    return false;
}

/* ---- in loops and tasks ---- */

static bool in_loops(tweed_pool *pool)
{
    std::vector<long> r(40);
    bool good = true;

    tweed::parallel_for(
        0, 40,
        [&](int i) {
            std::atomic<int> sum(0);

            tweed::parallel_invoke(
                pool, [&] { r[i] = fib(pool, 12); },
                [&] {
                    tweed::parallel_for(0, 100, [&](int k) { sum += k; }, pool);
                });
            r[i] += sum;
        },
        pool);
    for (long x : r)
        good &= x == 144 + 4950;
    return good;
}

TWEED_TASK(long, tree, tweed_pool *, pool, int, n)
{
    if (n == 0)
        return fib(pool, 10);
    TWEED_SPAWN(tree, pool, n - 1);
    long b = TWEED_CALL(tree, pool, n - 1), c = fib(pool, 8);
    return TWEED_SYNC(tree) + b + c;
}

/* Above n 0 there are 2^n - 1 tasks that call fib(8). */
static bool in_tasks(tweed_pool *of_tasks, tweed_pool *of_calls)
{
    return TWEED_RUN_ON(of_tasks, tree, of_calls, 6) == 64 * 55 + 63 * 21;
}

int main()
{
    plan(22);
    watchdog();

    tweed::pool one(1), two(2), five(5);
    tweed_pool *const pools[] = { nullptr, one.get(), two.get(), five.get() };
    const char *const names[] = { "default pool", "one worker", "two", "five" };

    for (int i = 0; i < 4; i++)
        recursion(pools[i], names[i]);
    ok(nests(one.get()) && nests(five.get()), "the outermost call alone is from outside");
    callables(five.get());
    ok(in_order(one.get()), "one worker executes them in their order");
    ok(others_in_order(two.get()), "... and the caller those that are not stolen");
    ok(without_memory(), "without memory: each once, and the last one first");
    ok(at_the_same_time(five), "three callables at the same time");
    ok(all_throw(five), "... that all throw: one of the exceptions arrives");
    ok(throws_from_below(five.get()), "exceptions from below; all are called");
    ok(throws_from_below(one.get()), "... with one worker");
    ok(throws_while_unwinding(two.get()), "while another exception is on its way");
    ok(in_loops(five.get()), "in loops, and loops in them");
    ok(in_tasks(five.get(), five.get()), "in tasks");
    ok(in_tasks(two.get(), five.get()), "in tasks of another pool");
    ok(at_the_same_time(five), "the workers live");
    return done_testing();
}

/*
 * groupcc.cc - tweed::task_group: each task once, its callable destroyed once, and what
 * tasks throw.
 *
 * SPDX-License-Identifier: MIT
 */
#include <tweed.hpp>

#include "callables.h"
#include "child.h"
#include "tap.h"

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static const int N = 1000;

static std::atomic<bool> memory_is_out;

void *operator new(std::size_t size)
{
    if (void *p = std::malloc(size))
        return p;
    throw std::bad_alloc();
}

/* Of callables that do not fit into a task. */
void *operator new(std::size_t size, const std::nothrow_t &) noexcept
{
    return memory_is_out ? nullptr : std::malloc(size);
}

void operator delete(void *p, const std::nothrow_t &) noexcept
{
    std::free(p);
}

void operator delete(void *p) noexcept
{
    std::free(p);
}

void operator delete(void *p, std::size_t) noexcept
{
    std::free(p);
}

static bool all_are(const counts &c, int expected)
{
    for (const std::atomic<int> &n : c)
        if (n != expected)
            return false;
    return true;
}

/* ---- callables of all kinds ---- */

static bool small_ones(tweed_pool *pool)
{
    counts c(N);
    tweed::task_group g(pool);

    for (int i = 0; i < N; i++)
        g.run([&c, i] { c[i]++; });
    g.wait();
    return all_are(c, 1);
}

static bool large_ones(tweed_pool *pool)
{
    struct {
        int i, more[30];
    } large = { 0, { 0 } };
    counts c(N);
    tweed::task_group g(pool);

    for (int i = 0; i < N; i++) {
        large.i = large.more[29] = i;
        g.run([&c, large] { c[large.i] += large.i == large.more[29]; });
    }
    g.wait();
    return all_are(c, 1);
}

static bool moved_only(tweed_pool *pool)
{
    counts c(N);
    tweed::task_group g(pool);

    for (int i = 0; i < N; i++)
        g.run(owning(c, i));
    g.wait();
    return all_are(c, 1) && live == 0;
}

static std::atomic<int> calls;

static void function()
{
    calls++;
}

/* A name stays its owner's, and is copied. */
static bool with_names()
{
    int in_mine = 0;
    std::string text(100, 'x');
    auto mine = [text, &in_mine]() mutable {
        in_mine += text.size() == 100;
        text.clear();
    };
    const auto constant = [&] { return calls++; };

    for (int i = 0; i < 10; i++) {
        tweed::task_group g;

        g.run(mine);
        g.run(function);
        g.run(&function);
        g.run(constant);
        g.wait();
    }
    return in_mine == 10 && calls == 30;
}

/* ---- from many places ---- */

static bool from_threads(tweed_pool *pool)
{
    counts c(4 * N);
    tweed::task_group g(pool);
    std::vector<std::thread> threads;

    for (int t = 0; t < 4; t++)
        threads.emplace_back([&, t] {
            for (int i = 0; i < N; i++)
                g.run(owning(c, t * N + i));
        });
    for (std::thread &t : threads)
        t.join();
    g.wait();
    return all_are(c, 1) && live == 0;
}

static void tree(tweed::task_group &g, counts &c, int node)
{
    c[node]++;
    for (int child = 2 * node + 1; child < 2 * node + 3 && child < N; child++)
        g.run([&g, &c, child] { tree(g, c, child); });
}

static bool from_tasks(tweed_pool *pool)
{
    counts c(N);
    tweed::task_group g(pool);

    for (int round = 1; round <= 3; round++) {
        tree(g, c, 0);
        g.wait();
        if (!all_are(c, round))
            return false;
    }
    return true;
}

static long nested(tweed_pool *pool, int depth)
{
    std::atomic<long> sum(1);
    tweed::task_group g(pool);

    if (depth > 0)
        for (int i = 0; i < 3; i++)
            g.run([&, depth] { sum += nested(pool, depth - 1); });
    g.wait();
    return sum;
}

/* ---- exceptions ---- */

static bool thrown(tweed_pool *pool)
{
    counts c(N);
    tweed::task_group g(pool);

    for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < N; i++)
            g.run([&c, i] {
                c[i]++;
                if (i % 10 == 7)
                    throw std::runtime_error(std::to_string(i));
            });
        try {
            g.wait();
            return false;
        } catch (const std::runtime_error &e) {
            if (std::stoi(e.what()) % 10 != 7 || !all_are(c, round))
                return false;
        }
        g.wait(); /* it is told once */
    }
    g.run([&c] { c[0]++; });
    g.wait();
    return c[0] == 4;
}

/* The first fails, and all others find that: with one worker they are executed in an order
   that is known, at wait(). */
static bool skipped(tweed_pool *pool)
{
    counts c(N);
    tweed::task_group g(pool, TWEED_GROUP_SKIP);
    int ran = 0, failed = 0;

    for (int i = 0; i < N; i++) {
        owning mine(c, i);

        g.run([&c, i] {
            c[i]++;
            throw i;
        });
        g.run(std::move(mine));
    }
    try {
        g.wait();
        return false;
    } catch (int i) {
        failed = i;
    }
    for (const std::atomic<int> &n : c) {
        ran += n;
        if (n > 2)
            return false;
    }
    return c[failed] >= 1 && ran < 2 * N && live == 0;
}

static bool cancelled(tweed_pool *pool)
{
    std::atomic<bool> begun(false), go_on(false);
    counts c(N);
    tweed::task_group g(pool);

    g.run([&] {
        begun = true;
        while (!go_on)
            std::this_thread::yield();
        for (int i = 0; i < N; i++)
            g.run(owning(c, i));
    });
    while (!begun)
        std::this_thread::yield();
    g.cancel();
    go_on = true;
    g.wait();
    if (!all_are(c, 0) || live != 0)
        return false;
    g.run(owning(c, 0));
    g.wait();
    return c[0] == 1;
}

/* A group that is left by an exception waits, and so does one that nobody waits for. */
static bool left(tweed_pool *pool)
{
    counts c(N);

    try {
        tweed::task_group g(pool);

        for (int i = 0; i < N; i++)
            g.run([&c, i] {
                c[i]++;
                throw 1;
            });
        throw std::string("out");
    } catch (const std::string &) {
        return all_are(c, 1);
    }
}

struct unwinds {
    tweed_pool *pool;
    counts &c;

    ~unwinds()
    {
        tweed::task_group g(pool);

        for (int i = 0; i < N; i++)
            g.run([this, i] {
                c[i]++;
                if (i == 500)
                    throw 500;
            });
        try {
            g.wait();
        } catch (int k) {
            c[0] += k;
        }
    }
};

static bool while_unwinding(tweed_pool *pool)
{
    counts c(N);

    try {
        unwinds u{ pool, c };

        throw std::string("out");
    } catch (const std::string &s) {
        c[0] -= 500;
        return s == "out" && all_are(c, 1);
    }
}

/* ---- what cannot be had ---- */

static bool without_memory(tweed_pool *pool)
{
    counts c(N);
    tweed::task_group g(pool, TWEED_GROUP_SKIP);
    const std::thread::id caller = std::this_thread::get_id();
    bool here = true;
    int caught = 0;

    memory_is_out = true;
    for (int i = 0; i < N; i++)
        g.run(owning(c, i, [&] { here &= std::this_thread::get_id() == caller; }));
    const bool all = all_are(c, 1);
    g.run(owning(c, 0, [] { throw 3; }));
    g.run(owning(c, 0)); /* left out */
    try {
        g.wait();
    } catch (int k) {
        caught = k;
    }
    g.run(owning(c, 0));
    g.wait();
    memory_is_out = false;
    return here && all && caught == 3 && c[0] == 3 && live == 0;
}

static bool without_pool()
{
    long none[64] = { 0 };
    tweed::task_group g(static_cast<tweed_pool *>(static_cast<void *>(none)));
    counts c(1);

    try {
        g.run(owning(c, 0));
    } catch (const tweed::error &e) {
        return e.code() == TWEED_ENOPOOL && live == 0 && c[0] == 0;
    }
    return false;
}

int main()
{
    plan(36);
    watchdog();

    tweed::pool one(1), five(5);
    tweed_pool *const pools[] = { nullptr, one.get(), five.get() };
    const char *const names[] = { "default pool", "one worker", "five" };

    for (int i = 0; i < 3; i++) {
        tweed_pool *pool = pools[i];

        ok(small_ones(pool), "%s: callables in a task", names[i]);
        ok(large_ones(pool), "... elsewhere");
        ok(moved_only(pool), "... that can be moved only");
        ok(from_threads(pool), "from several threads");
        ok(from_tasks(pool), "from tasks of the group");
        ok(nested(pool, 5) == 364, "groups in groups");
        ok(thrown(pool), "several throw: one of the exceptions arrives, all are called");
        ok(skipped(pool), "with TWEED_GROUP_SKIP the rest is left out, and destroyed");
        ok(left(pool), "left by an exception: waits");
        ok(while_unwinding(pool), "in a destructor, while an exception is on its way");
        ok(without_memory(pool), "no memory: called at once");
    }
    ok(cancelled(five.get()), "cancelled: what has not begun is left out, and destroyed");
    ok(with_names(), "functions, and callables with names");
    ok(without_pool(), "no pool: thrown, and the callable destroyed");
    return done_testing();
}

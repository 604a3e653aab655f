/*
 * submitcc.cc - tweed::submit(): each task once, its callable destroyed once, or given
 * back.
 *
 * SPDX-License-Identifier: MIT
 */
#include <tweed.hpp>

#include "callables.h"
#include "child.h"
#include "tap.h"

#include <thread>

static const int N = 1000;

static bool all_once(const counts &c)
{
    for (const std::atomic<int> &n : c)
        if (n != 1)
            return false;
    return true;
}

static bool drained(tweed_pool *pool)
{
    counts small(N), large(N), moved(N);

    for (int i = 0; i < N; i++) {
        char more[100] = { 1 };

        must(tweed::submit([&small, i] { small[i]++; }, pool));
        must(tweed::submit([&large, i, more] { large[i] += more[0]; }, pool));
        must(tweed::submit(owning(moved, i), pool));
    }
    must(tweed_pool_drain(pool));
    return all_once(small) && all_once(large) && all_once(moved) && live == 0;
}

static bool submits_more(const tweed::pool &pool)
{
    counts c(N);

    for (int i = 0; i < N; i += 10)
        must(tweed::submit(owning(c, i, [&, i] {
            for (int k = 1; k < 10; k++)
                must(tweed::submit(owning(c, i + k), pool));
        }), pool));
    must(tweed_pool_drain(pool.get()));
    return all_once(c) && live == 0;
}

/* What neither this thread nor the pool's own has executed by then is dropped. */
static bool abandoned()
{
    tweed::pool pool(1);
    counts c(N);
    int tried = 0, ran = 0;

    for (int i = 0; i < N; i++)
        must(tweed::submit(owning(c, i), pool));
    for (int i = 0; i < 10; i++)
        tried += tweed_pool_try_one(pool.get());
    const int64_t dropped = tweed_pool_abandon(pool.get());

    for (const std::atomic<int> &n : c)
        ran += n;
    return ran >= tried && dropped == N - ran && live == 0;
}

static bool given_back()
{
    tweed::pool pool(2);
    counts c(2);
    owning mine(c, 0);
    const std::function<void()> named = [&c] { c[1]++; };
    bool good;

    must(tweed_pool_close(pool.get()));
    good = tweed::submit(std::move(mine), pool) == TWEED_ECLOSED && mine.is_whole() &&
           live == 1;
    good &= tweed::submit(named, pool) == TWEED_ECLOSED && named != nullptr;
    good &= tweed::submit([&c] { c[1]++; }, pool) == TWEED_ECLOSED;
    mine();
    named();
    return good && c[0] == 1 && c[1] == 1;
}

static int throws(void *)
{
    must(tweed::submit([] { throw 1; }));
    (void)tweed_pool_drain(nullptr);
    return 0;
}

static int throws_quietly(void *arg)
{
    std::set_terminate([] { std::_Exit(42); });
    return throws(arg);
}

int main()
{
    plan(7);
    watchdog();
    // first: ThreadSanitizer wants no threads in a process that forks
    ok(child_exited(child_run(throws_quietly, nullptr), 42),
       "an exception ends the program");
    {
        tweed::pool one(1), five(5);

        ok(drained(nullptr), "the default pool: each once, and destroyed");
        ok(drained(one.get()), "one worker: the same");
        ok(drained(five.get()), "five: the same");
        ok(submits_more(five), "tasks submit more");
    }
    ok(abandoned(), "abandoned: destroyed, and not called");
    ok(given_back() && live == 0, "closed: the callable is given back");
    return done_testing();
}

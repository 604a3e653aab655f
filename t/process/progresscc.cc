/*
 * progresscc.cc - tweed::progress: which callable is told, and for how long.
 *
 * SPDX-License-Identifier: MIT
 *
 * Bodies wait until the callable has been called, so no test depends on how long anything
 * takes.
 */
/* Bodies wait, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "child.h"
#include "tap.h"

#include <tweed.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <unistd.h>

namespace {

void nap()
{
    usleep(1000);
}

/* What one callable is told. */
struct told {
    std::atomic<int> calls{ 0 }, ended{ 0 }, wrong{ 0 };
    std::atomic<bool> lasts{ false }, begun{ false }, over{ false };
};

/* That there is an object of it. */
std::atomic<int> alive;
struct local {
    local() { alive++; }
    local(local &&) { alive++; }
    ~local() { alive--; }
};

/* It can be moved, but not copied. */
struct listener {
    std::unique_ptr<local> mine;
    told &t;

    explicit listener(told &all) : mine(new local), t(all) {}
    void operator()(const tweed_progress &p)
    {
        t.calls++;
        t.ended += p.ended;
        t.wrong += !mine || alive < 1 || std::string(p.name) != "told" || p.total != 50;
        t.begun = true;
        for (int i = 0; t.lasts && i < 50; i++)
            nap();
        t.over = true;
    }
};

struct heard {
    told &t;
    int calls;
};

void wait_for_calls(int64_t, void *arg)
{
    heard *h = static_cast<heard *>(arg);

    while (h->t.calls < h->calls)
        nap();
}

/* A loop that lasts until there have been so many calls. */
void loop(told &t, int calls, tweed_pool *pool)
{
    heard h = { t, calls };

    must(tweed_parallel_for_with(pool, tweed::loop_options().name("told").get(), 0, 50,
                                 wait_for_calls, &h));
}

void calls(const tweed::pool &pool)
{
    told t;
    {
        tweed::progress told_of(listener(t), pool);

        loop(t, 3, pool.get());
        while (!t.ended)
            nap();
        ok(t.calls >= 3 && t.ended == 1 && !t.wrong, "a callable that cannot be copied");
        tweed::progress moved(std::move(told_of));

        loop(t, t.calls + 2, pool.get());
        ok(!t.wrong && alive == 1, "an object that was moved tells the same one");
    }
    ok(alive == 0, "the callable ends with the object");
}

void lambda(const tweed::pool &pool)
{
    told t, later;
    {
        auto hear = [&t](const tweed_progress &p) { t.calls += p.done <= p.total; };
        tweed::progress default_pool(hear);

        loop(t, 2, nullptr);
        ok(t.calls >= 2, "a lambda, for the default pool");
        tweed::progress other(listener(later), pool);

        loop(later, 2, pool.get());
        ok(later.calls >= 2 && !later.wrong, "two pools, two callables");
    }
    int before = t.calls;

    {
        tweed::progress again{ listener(later) };

        later.calls = 0;
        loop(later, 2, nullptr);
    }
    ok(t.calls == before, "nobody is told after the end");
}

/* The destructor waits for a call that runs. */
void waits(const tweed::pool &pool)
{
    told t;
    bool over;

    t.lasts = true;
    {
        std::unique_ptr<tweed::progress> p(new tweed::progress(listener(t), pool));

        loop(t, 1, pool.get());
        while (!t.begun)
            nap();
        p.reset();
        over = t.over;
    }
    ok(over && alive == 0, "the end waits for a call that runs");
}

void refused()
{
    int words[64] = { 0 };
    int code = TWEED_OK;
    told t;

    try {
        tweed::progress p(listener(t), reinterpret_cast<tweed_pool *>(words));
    } catch (const tweed::error &e) {
        code = e.code();
    }
    ok(code == TWEED_ENOPOOL && alive == 0, "what is no pool");
}

} // namespace

int main()
{
    unsetenv("TWEED_PROGRESS");
    setenv("TWEED_NUM_WORKERS", "3", 1);
    plan(8);
    watchdog();
    tweed::pool pool(2);
    calls(pool);
    lambda(pool);
    waits(pool);
    refused();
    return done_testing();
}

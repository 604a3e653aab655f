/*
 * exception.cc - C++ bodies by tweed.hpp: lambdas, exceptions, errors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "child.h"
#include "pools.h"
#include "self.h"

#include <tweed.hpp>

#include <atomic>
#include <climits>
#include <sched.h>
#include <unistd.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct mistake : std::runtime_error {
    explicit mistake(int who)
        : std::runtime_error("thrown by " + std::to_string(who)), thrower(who)
    {
    }
    int thrower;
};

/* Two indices, two workers: each waits here until the other has one.  And for so
   long that the kind does not take the loop for a short one, which its caller would
   begin alone. */
struct meeting {
    std::atomic<int> arrived{ 0 };
    void wait()
    {
        for (arrived++; arrived < 2;)
            sched_yield();
        usleep(50);
    }
};

/* An object that counts how many of its kind there are: unwinding must have
   destroyed all of them. */
std::atomic<int> alive;
struct local {
    local() { alive++; }
    ~local() { alive--; }
};

enum { CALLER = 1, WORKER = 2 };

/* True if what the workers in `who` throw arrives, and nothing is left over. */
bool passes_on(tweed_pool *pool, int who, bool by_range)
{
    meeting m;
    int caught = -1;
    auto body = [&](int64_t) {
        local l;
        int me = tweed_worker_index();

        m.wait();
        if (who & (me == 0 ? CALLER : WORKER))
            throw mistake(me);
    };

    try {
        if (by_range)
            tweed::parallel_for_range(
                0, 2, [&](int64_t b, int64_t) { body(b); }, pool);
        else
            tweed::parallel_for(0, 2, body, pool);
    } catch (const mistake &e) {
        caught = e.thrower;
        if (std::string("thrown by ") + std::to_string(caught) != e.what())
            caught = -2;
    }
    return (who == CALLER ? caught == 0
            : who == WORKER ? caught == 1
                            : caught == 0 || caught == 1) &&
           alive == 0 && tweed_worker_index() == -1 &&
           loops_are_right(pool, 1000);
}

bool passes_on_often(tweed_pool *pool, int who, bool by_range)
{
    for (int i = 0; i < 50; i++)
        if (!passes_on(pool, who, by_range))
            return false;
    return true;
}

/* Many bodies throw: one exception comes, no body runs twice. */
bool many_throw(tweed_pool *pool)
{
    std::vector<std::atomic<int>> count(10000);
    bool caught = false, good = true;

    try {
        tweed::parallel_for(
            0, 10000,
            [&](int64_t i) {
                count[static_cast<size_t>(i)]++;
                if (i % 3 == 0)
                    throw mistake(static_cast<int>(i));
            },
            pool);
    } catch (const mistake &e) {
        caught = e.thrower % 3 == 0 && count[static_cast<size_t>(e.thrower)];
    }
    for (auto &c : count)
        good = good && c <= 1;
    return caught && good;
}

/* Thrown in an inner loop's body, caught by the outer body, or not at all. */
bool nested(tweed_pool *pool)
{
    std::atomic<int> inner(0), outer(0);

    tweed::parallel_for(
        0, 20,
        [&](int64_t i) {
            try {
                tweed::parallel_for(
                    0, 20,
                    [&](int64_t j) {
                        if (j == i)
                            throw mistake(static_cast<int>(i));
                    },
                    pool);
            } catch (const mistake &e) {
                inner += e.thrower == i;
            }
        },
        pool);
    try {
        tweed::parallel_for(
            0, 20,
            [&](int64_t) {
                tweed::parallel_for(
                    0, 20, [&](int64_t j) { throw static_cast<int>(j); }, pool);
            },
            pool);
    } catch (int) {
        outer++;
    }
    return inner == 20 && outer == 1;
}

/* After a throw, indices that had not begun are skipped. */
bool skips()
{
    int ran = 0;
    tweed_loop_options o = tweed_loop_options();

    o.size = sizeof o;
    o.max_workers = 1;
    o.grain = 1000;
    try {
        tweed::parallel_for(
            0, 1000,
            [&](int64_t) {
                ran++;
                throw 1;
            },
            nullptr, &o);
    } catch (int) {
        return ran == 1;
    }
    return false;
}

bool strings(tweed_pool *pool)
{
    std::vector<std::string> v(1000);
    const std::string prefix = "a prefix too long for the small-string buffer ";
    bool good = true;

    tweed::parallel_for(
        0, 1000,
        [&v, prefix](int64_t i) {
            v[static_cast<size_t>(i)] = prefix + std::to_string(i);
        },
        pool);
    for (size_t i = 0; i < v.size(); i++)
        good = good && v[i] == prefix + std::to_string(i);
    return good;
}

/* A callable that is an lvalue, const, or moved in; a plain function. */
std::atomic<int64_t> sum;
struct adder {
    void operator()(int64_t i) const { sum += i; }
    void operator()(int64_t b, int64_t e) const
    {
        for (; b < e; b++)
            sum += b;
    }
};
void add(int64_t i) { sum += i; }

bool callables(tweed_pool *pool)
{
    const adder constant = adder();
    adder plain;

    sum = 0;
    tweed::parallel_for(0, 100, constant, pool);
    tweed::parallel_for(0, 100, plain, pool);
    tweed::parallel_for(0, 100, adder(), pool);
    tweed::parallel_for(0, 100, add, pool);
    tweed::parallel_for(0, 100, &add, pool);
    tweed::parallel_for_range(0, 100, constant, pool);
    tweed::parallel_for_range(0, 100, adder(), pool);
    return sum == 7 * 4950;
}

template <class Call> int code_of(Call call)
{
    try {
        call();
    } catch (const tweed::error &e) {
        const std::string what = e.what();

        return what == tweed_last_error() &&
                       what.find(std::string(tweed_strerror(e.code())) + ": ") == 0
                   ? e.code()
                   : INT_MIN;
    }
    return TWEED_OK;
}

bool errors()
{
    tweed_loop_options o = tweed_loop_options();
    int ran = 0;
    auto body = [&](int64_t) { ran++; };
    auto range = [&](int64_t, int64_t) { ran++; };

    int size = code_of([&] { tweed::parallel_for(0, 9, body, nullptr, &o); });
    o.size = sizeof o;
    o.grain = -1;
    int grain =
        code_of([&] { tweed::parallel_for_range(0, 9, range, nullptr, &o); });
    o.grain = 0;
    o.max_workers = 1;
    int none = code_of([&] { tweed::parallel_for(0, 9, body, nullptr, &o); });
    return size == TWEED_EINVAL && grain == TWEED_EINVAL && none == TWEED_OK &&
           ran == 9;
}

/* ---- what must not be done: an exception out of a plain C body ---- */

struct plain {
    tweed_pool *pool;
    meeting m;
    int who;
};

void throw_here(plain *p)
{
    p->m.wait();
    if (p->who & (tweed_worker_index() == 0 ? CALLER : WORKER))
        throw mistake(0);
}

void each(int64_t, void *arg) { throw_here(static_cast<plain *>(arg)); }
void range(int64_t, int64_t, void *arg) { throw_here(static_cast<plain *>(arg)); }
void at_once(int64_t, void *) { throw mistake(0); }

int plain_index(void *arg)
{
    plain p;

    p.pool = pool_of(2);
    p.who = *static_cast<int *>(arg);
    try {
        must(tweed_parallel_for_with(p.pool, NULL, 0, 2, each, &p));
    } catch (const mistake &) {
    }
    return 0;
}

int plain_range(void *arg)
{
    plain p;

    p.pool = pool_of(2);
    p.who = *static_cast<int *>(arg);
    try {
        must(tweed_parallel_for_range_with(p.pool, NULL, 0, 2, range, &p));
    } catch (const mistake &) {
    }
    return 0;
}

int plain_serial(void *)
{
    try {
        tweed_parallel_for(0, 1, at_once, NULL);
    } catch (const mistake &) {
    }
    return 0;
}

void expect_noticed(int (*fn)(void *), int who, bool by_guard, const char *what)
{
    char text[500];
    int status = child_run_text(fn, &who, text, sizeof text);

    /* On a worker nobody could catch it, so the C++ run time sees that first. */
    if (!ok(child_killed(status, SIGABRT) &&
                (!by_guard || strstr(text, "use <tweed.hpp>")) && text[0],
            "plain C body: %s: noticed", what))
        diag("status %#x, stderr: %s", static_cast<unsigned>(status), text);
}

} // namespace

int main()
{
    int none = 0;

    plan(6 + 6 + 7);
    watchdog();
    /* first, while this process has one thread and its children can fork */
    if (under_memcheck()) {
        skip(5, "what is in flight when a process aborts is lost memory");
    } else {
        expect_noticed(plain_index, CALLER, true, "thrown on the caller");
        expect_noticed(plain_index, WORKER, false, "thrown on a worker");
        expect_noticed(plain_range, CALLER, true, "range, thrown on the caller");
        expect_noticed(plain_range, WORKER, false, "range, thrown on a worker");
        expect_noticed(plain_serial, 0, true, "thrown in a serial loop");
    }
    ok(child_exited(child_run(plain_index, &none), 0), "none thrown: goes well");

    tweed_pool *pool = pool_of(2);

    if (tweed_pool_num_workers(pool) == 2) {
        for (int by_range = 0; by_range <= 1; by_range++) {
            const char *kind = by_range ? "range" : "index";

            ok(passes_on_often(pool, CALLER, by_range),
               "%s: the caller throws: passed on, pool usable", kind);
            ok(passes_on_often(pool, WORKER, by_range),
               "%s: a worker throws: passed on, pool usable", kind);
            ok(passes_on_often(pool, CALLER | WORKER, by_range),
               "%s: both throw: one is passed on, pool usable", kind);
        }
    } else {
        skip(6, "no second thread to be had");
    }
    ok(many_throw(pool) && many_throw(nullptr),
       "many bodies throw: one is passed on, none runs twice");
    ok(nested(pool) && nested(nullptr), "thrown in inner loops");
    ok(skips(), "indices that had not begun are skipped");
    ok(strings(pool) && strings(nullptr), "std::string in a lambda's capture");
    ok(callables(pool) && callables(nullptr),
       "lvalues, const objects, temporaries, functions");
    ok(errors(), "bad options: tweed::error with code and text");
    ok(tweed_pool_destroy(pool) == TWEED_OK, "the pool ends");
    return done_testing();
}

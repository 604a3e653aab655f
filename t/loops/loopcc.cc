/*
 * loopcc.cc - loops in C++: TWEED_LOOP, callables compiled in place, exceptions.
 *
 * SPDX-License-Identifier: MIT
 *
 * t/process/exception.cc has what is thrown out of plain C bodies, and whose
 * exception arrives.  Here: an exception stops its loop at once, in every way that a
 * loop is walked.
 */
#include "child.h"
#include "pools.h"
#include "sanitized.h"

#include <tweed.hpp>

#include <atomic>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <pthread.h>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

const int64_t BILLION = 1000000000;

/* ---- TWEED_LOOP ---- */

struct summed {
    std::vector<int> values;
    std::atomic<int64_t> total;
    explicit summed(size_t n) : values(n, 3), total(0) {}
};

TWEED_LOOP(sum_up, i, summed *, s)
{
    if (i % 2)
        return;
    s->total += s->values[static_cast<size_t>(i)];
}

TWEED_LOOP(read_only, i, const summed *, s)
{
    const_cast<std::atomic<int64_t> &>(s->total) +=
        s->values[static_cast<size_t>(i)];
}

TWEED_SIMD_LOOP(twice, i, float *, y)
{
    y[i] *= 2;
}

TWEED_LOOP(nothing, i)
{
}

} // namespace

namespace elsewhere {
TWEED_LOOP(sum_up, i, summed *, s)
{
    s->total += i;
}
} // namespace elsewhere

namespace {

bool braces(tweed_pool *pool)
{
    summed s(3000);
    const summed &constant = s;
    std::vector<float> y(3000, 1.5f);
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    bool good = true;

    o.grain = 7;
    for (int again = 0; again < 3; again++) {
        s.total = 0;
        good = good && sum_up_with(pool, &o, 0, 3000, &s) == TWEED_OK &&
               sum_up(0, 3000, &s) == TWEED_OK &&
               read_only(0, 1000, &constant) == TWEED_OK &&
               elsewhere::sum_up(0, 1000, &s) == TWEED_OK &&
               s.total == 2 * 4500 + 3000 + 499500;
    }
    good = good && twice_with(pool, nullptr, 1, 2999, y.data()) == TWEED_OK &&
           nothing(0, 1000) == TWEED_OK;
    for (size_t i = 0; i < 3000; i++)
        good = good && y[i] == (i == 0 || i == 2999 ? 1.5f : 3.0f);
    return good;
}

/* ---- every index once, by any callable ---- */

const int64_t sizes[] = { 0, 1, 2, 3, 127, 128, 129, 1000, 100000 };

template <class Loop> bool once(Loop loop)
{
    for (int64_t n : sizes)
        for (int64_t lo : { INT64_C(0), -n / 2, INT64_MIN, INT64_MAX - n })
            for (int again = 0; again < 3; again++) {
                std::vector<unsigned char> count(static_cast<size_t>(n) + 2);

                loop(lo, lo + n, [&](int64_t i) {
                    count[static_cast<size_t>(i - lo) + 1]++;
                });
                for (int64_t i = 0; i < n + 2; i++)
                    if (count[static_cast<size_t>(i)] != (i > 0 && i <= n))
                        return false;
            }
    loop(5, -5, [](int64_t) { std::abort(); });
    loop(INT64_MAX, INT64_MIN, [](int64_t) { std::abort(); });
    return true;
}

struct by_index {
    tweed_pool *pool;
    template <class F> void operator()(int64_t lo, int64_t hi, F f) const
    {
        tweed::parallel_for(lo, hi, f, pool);
    }
};

struct by_range {
    tweed_pool *pool;
    template <class F> void operator()(int64_t lo, int64_t hi, F f) const
    {
        tweed::parallel_for_range(
            lo, hi,
            [&](int64_t b, int64_t e) {
                if (b >= e)
                    std::abort();
                for (; b < e; b++)
                    f(b);
            },
            pool);
    }
};

std::atomic<int64_t> sum;
std::atomic<int> calls;

struct functor {
    void operator()(int64_t i) const { sum += i; }
    void operator()(int64_t b, int64_t e) const
    {
        for (; b < e; b++)
            sum += b;
    }
};

/* Called as it is: a copy would have a counter of its own. */
struct stateful {
    std::atomic<int> ran;
    stateful() : ran(0) {}
    stateful(const stateful &) = delete;
    void operator()(int64_t) { ran++; }
};

/* Which operator is called: a constant object's is the constant one. */
struct choosy {
    void operator()(int64_t) { calls += 1000; }
    void operator()(int64_t) const { calls++; }
};

int64_t function(int64_t i) /* what it returns is ignored */
{
    return sum += i;
}

void rough(int i) /* converts as any call does */
{
    sum += i;
}

bool callables(tweed_pool *pool)
{
    stateful state;
    const choosy constant = choosy();
    std::unique_ptr<std::atomic<int>> only(new std::atomic<int>(0));
    int64_t (*pointer)(int64_t) = function;
    int64_t (*const fixed)(int64_t) = function;
    std::vector<int> owned(100, 1);
    std::atomic<int> seen(0);

    sum = 0;
    calls = 0;
    tweed::parallel_for(0, 100, functor(), pool);
    tweed::parallel_for(0, 100, function, pool);
    tweed::parallel_for(0, 100, pointer, pool);
    tweed::parallel_for(0, 100, fixed, pool);
    tweed::parallel_for(0, 100, rough, pool);
    tweed::parallel_for_range(0, 100, functor(), pool);
    tweed::parallel_for(0, 100, constant, pool);
    tweed::parallel_for(0, 100, state, pool);
    tweed::parallel_for(0, 100, [&only](int64_t) { ++*only; }, pool);
    tweed::parallel_for(
        0, 100,
        [owned, &seen](int64_t i) mutable { /* an element for each index */
            seen += owned[static_cast<size_t>(i)]++;
        },
        pool);
    return sum == 6 * 4950 && calls == 100 && state.ran == 100 && *only == 100 &&
           seen == 100;
}

/* Its const operator is called, and can be told from the one of a copy. */
struct located {
    const void *self;
    std::atomic<int> *elsewhere;
    void operator()(int64_t) const { *elsewhere += self != this; }
};
struct large {
    char apart[257];
    std::atomic<int> *elsewhere;
    const void *self;
    void operator()(int64_t) const { *elsewhere += self != this; }
};

/* A named object is called itself, whatever its sort; a temporary too, if it is
   large, changes when it is called, or has several operators. */
bool in_place(tweed_pool *pool)
{
    std::atomic<int> elsewhere(0);
    located named = { &named, &elsewhere };
    large big = large();
    int ran = 0, *ran_here = &ran;
    tweed_loop_options one = TWEED_LOOP_OPTIONS_INIT;

    big.self = &big;
    big.elsewhere = &elsewhere;
    tweed::parallel_for(0, 100, named, pool);
    tweed::parallel_for(0, 100, big, pool);
    if (elsewhere != 0)
        return false;
    calls = 0;
    tweed::parallel_for(0, 100, choosy(), pool);
    one.max_workers = 1;
    tweed::parallel_for(
        0, 100, [ran, ran_here](int64_t) mutable { *ran_here = ++ran; }, pool,
        &one);
    tweed::parallel_for(0, 100, located(named), pool); /* either is right */
    return calls == 100 * 1000 && *ran_here == 100;
}

/* What a small temporary has captured by value is what it was. */
bool captured(tweed_pool *pool)
{
    std::vector<int> count(1000);
    int *first = count.data(), step = 3;

    tweed::parallel_for(0, 1000, [=](int64_t i) { first[i] += step; }, pool);
    tweed::parallel_for_range(
        0, 1000,
        [=](int64_t b, int64_t e) {
            for (; b < e; b++)
                first[b] += step;
        },
        pool);
    for (int n : count)
        if (n != 6)
            return false;
    return true;
}

/* ---- indices of another type than int64_t ---- */

template <class Index> bool typed(tweed_pool *pool, int64_t n)
{
    typedef std::numeric_limits<Index> limits;
    const int64_t min = limits::min(), max = limits::max();
    const size_t size = static_cast<size_t>(n);

    for (int64_t lo : { min, min + 1, max - n })
        for (int again = 0; again < 3; again++) {
            std::vector<int> count(size + 1), by_runs(size + 1);
            Index first = static_cast<Index>(lo), past = static_cast<Index>(lo + n);

            tweed::parallel_for<Index>(
                first, past,
                [&](Index i) { count[static_cast<size_t>(i - lo)]++; }, pool);
            tweed::parallel_for_range<Index>(
                first, past,
                [&](Index b, Index e) {
                    for (; b < e; b++)
                        by_runs[static_cast<size_t>(b - lo)]++;
                },
                pool);
            for (size_t i = 0; i <= size; i++)
                if (count[i] != (i < size) || by_runs[i] != count[i])
                    return false;
            tweed::parallel_for<Index>(past, first, [](Index) { std::abort(); });
        }
    return true;
}

/* The type is the one that was named, whatever lo and hi are; and where none was, that
   of lo + hi. */
bool types(tweed_pool *pool)
{
    std::atomic<int> wrong(0);

    struct sizes {
        std::atomic<int> &wrong;
        void operator()(int) { wrong += 0; }
        void operator()(int64_t) { wrong += 1; }
    } by_int = { wrong };
    struct wide {
        std::atomic<int> &wrong;
        void operator()(int) { wrong += 1; }
        void operator()(int64_t) { wrong += 0; }
    } by_int64 = { wrong };

    tweed::parallel_for<int>(0, INT64_C(100), by_int, pool);
    tweed::parallel_for(0, 100, by_int, pool);
    tweed::parallel_for(0, INT64_C(100), by_int64, pool);
    tweed::parallel_for(INT64_C(0), 100, by_int64, pool);
    return wrong == 0 && typed<int>(pool, 1000) && typed<int>(pool, 1) &&
           typed<unsigned>(pool, 1000) && typed<short>(pool, 1000) &&
           typed<unsigned char>(pool, 200) && typed<int64_t>(pool, 1000);
}

/* ---- exceptions ---- */

struct mistake : std::runtime_error {
    explicit mistake(int64_t i)
        : std::runtime_error("at " + std::to_string(i)), index(i)
    {
    }
    int64_t index;
};

std::atomic<int> alive; /* objects that unwinding has to destroy */
struct local {
    local() { alive++; }
    ~local() { alive--; }
};

/* Set when the loop has been stopped: from then on nobody claims another index. */
std::atomic<bool> stopped;

} // namespace

extern "C" void __real_tweed_cursor_stop(tweed_cursor *c);
extern "C" void __wrap_tweed_cursor_stop(tweed_cursor *c);
extern "C" void __wrap_tweed_cursor_stop(tweed_cursor *c)
{
    __real_tweed_cursor_stop(c);
    stopped = true;
}

namespace {

/* What a worker may do of a loop that was stopped: the rest of one claim.  A claim
   takes a microsecond or two, so it is of some hundred indices; it is never of so
   many. */
const int CLAIM = 20000;

/* Who throws: the body that is begun as number n of all; or the first of the last
   worker. */
enum { LAST_WORKER = -1 };

struct stop {
    int64_t at;
    int last_worker;
    std::atomic<int64_t> begun, late, thrower;
    std::atomic<bool> over;
    stop(int64_t n, int workers)
        : at(n), last_worker(workers - 1), begun(0), late(0), thrower(-1),
          over(false)
    {
        stopped = false;
    }
    void body(int64_t i)
    {
        local l;
        int64_t number = begun++;

        if (over)
            std::abort(); /* the call has returned */
        if (stopped)
            late++;
        if (at == LAST_WORKER ? tweed_worker_index() == last_worker
                              : number == at) {
            thrower = i;
            throw mistake(i);
        }
    }
};

/* A billion indices: true if nearly none of them was run. */
bool stops(int64_t at, int workers, tweed_pool *pool, const tweed_loop_options *o,
           bool range)
{
    const int64_t lo = INT64_MAX - BILLION;
    stop s(at, workers);
    bool caught = false;

    try {
        if (range)
            tweed::parallel_for_range(
                lo, INT64_MAX,
                [&](int64_t b, int64_t e) {
                    for (; b < e; b++)
                        s.body(b);
                },
                pool, o);
        else
            tweed::parallel_for(
                lo, INT64_MAX, [&](int64_t i) { s.body(i); }, pool, o);
    } catch (const mistake &e) {
        caught = e.what() == "at " + std::to_string(e.index) &&
                 (at == LAST_WORKER || s.thrower == e.index);
    }
    s.over = true;
    if (!caught || alive != 0 || s.late > workers * CLAIM ||
        s.begun > BILLION / 2) {
        diag("%lld begun, %lld of them after the stop",
             static_cast<long long>(s.begun), static_cast<long long>(s.late));
        return false;
    }
    return loops_are_right(pool, 1000);
}

bool stops_anywhere(int workers, tweed_pool *pool, const tweed_loop_options *o)
{
    for (int64_t at : { 0, 1, 1000, 100000, 0 + LAST_WORKER })
        for (int range = 0; range <= 1; range++)
            if (!stops(at, workers, pool, o, range))
                return false;
    return true;
}

/* A claim is a group here: its other indices are skipped. */
bool skips(tweed_pool *pool, int workers)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    std::atomic<int64_t> begun(0);
    std::atomic<bool> thrown(false);

    o.grain = 1000000;
    try {
        tweed::parallel_for(
            0, BILLION,
            [&](int64_t i) {
                begun++;
                if (i % 1000000 == 3) {
                    thrown = true;
                    throw mistake(i);
                }
            },
            pool, &o);
    } catch (const mistake &e) {
        /* each worker has thrown once at most */
        return thrown && e.index % 1000000 == 3 && begun >= 4 &&
               begun <= 4 * workers;
    }
    return false;
}

/* Every body throws, on all workers at once: one exception comes, the others are
   destroyed. */
struct counted_exception {
    static std::atomic<int> number;
    int64_t index;
    explicit counted_exception(int64_t i) : index(i) { number++; }
    counted_exception(const counted_exception &e) : index(e.index) { number++; }
    ~counted_exception() { number--; }
};
std::atomic<int> counted_exception::number;

bool all_throw(tweed_pool *pool, int workers)
{
    for (int round = 0; round < 200; round++) {
        std::atomic<int> begun(0);
        int caught = 0;

        try {
            tweed::parallel_for(
                0, workers,
                [&](int64_t i) {
                    int spins = 0;

                    for (begun++; begun < workers && spins++ < 1000;)
                        sched_yield();
                    throw counted_exception(i);
                },
                pool);
        } catch (const counted_exception &e) {
            caught = e.index >= 0 && e.index < workers;
        }
        if (!caught || counted_exception::number != 0 || begun > workers)
            return false;
    }
    return true;
}

/* The first that was caught is kept: the second is thrown when the first one has
   stopped the loop. */
bool first_is_kept(tweed_pool *pool)
{
    for (int round = 0; round < 50; round++) {
        std::atomic<int> arrived(0);
        int64_t kept = -1;

        stopped = false;
        try {
            tweed::parallel_for(
                0, 2,
                [&](int64_t i) {
                    for (arrived++; arrived < 2;)
                        sched_yield();
                    usleep(100); /* never taken for a short loop: nobody meets
                                    in one that its caller walks alone */
                    while (i == round % 2 && !stopped)
                        sched_yield();
                    throw mistake(i);
                },
                pool);
        } catch (const mistake &e) {
            kept = e.index;
        }
        if (kept == round % 2)
            return false;
    }
    return true;
}

/* A loop known to be short, which its caller walks alone, throws. */
bool alone(tweed_pool *pool)
{
    std::vector<int> y(200);
    int at = -1, caught = 0;
    auto body = [&](int64_t i) {
        if (i == at)
            throw mistake(i);
        y[static_cast<size_t>(i)]++;
    };

    for (int round = 0; round < 300; round++) {
        at = round % 3 ? -1 : round % 200;
        try {
            tweed::parallel_for(0, 200, body, pool);
        } catch (const mistake &e) {
            caught += e.index == at;
        }
    }
    for (int i = 0; i < 200; i++) /* in all the loops that threw nothing */
        if (y[static_cast<size_t>(i)] < 200)
            return false;
    return caught == 100 && loops_are_right(pool, 1000);
}

/* A long loop under a kind that knows short ones: it is shared half way. */
bool alone_then_shared(tweed_pool *pool)
{
    bool good = true;

    for (int round = 0; round < 100; round++) {
        int64_t n = round % 2 ? 20000 : 100, at = round % 4 == 3 ? n - 1 : -1;
        std::vector<std::atomic<unsigned char>> count(20000);
        bool caught = false;

        try {
            tweed::parallel_for(
                0, n,
                [&](int64_t i) {
                    count[static_cast<size_t>(i)]++;
                    if (i == at)
                        throw mistake(i);
                },
                pool);
        } catch (const mistake &e) {
            caught = e.index == at;
        }
        good = good && caught == (at >= 0);
        for (int64_t i = 0; i < 20000; i++)
            good = good && (count[static_cast<size_t>(i)] == (i < n) ||
                            (caught && count[static_cast<size_t>(i)] == 0));
    }
    return good;
}

/* Out of the inner loop, through the outer one's body; or caught between. */
bool nested(tweed_pool *pool)
{
    std::atomic<int> inside(0);
    int64_t through = -1;

    tweed::parallel_for(
        0, 30,
        [&](int64_t i) {
            try {
                tweed::parallel_for(
                    0, 1000,
                    [&](int64_t j) {
                        local l;

                        if (j == 31 * i)
                            throw mistake(i);
                    },
                    pool);
            } catch (const mistake &e) {
                inside += e.index == i;
            }
        },
        pool);
    try {
        tweed::parallel_for(
            0, BILLION,
            [&](int64_t) {
                local l;

                tweed::parallel_for(
                    0, 100,
                    [&](int64_t j) {
                        local m;

                        if (j == 77)
                            throw mistake(j);
                    },
                    pool);
            },
            pool);
    } catch (const mistake &e) {
        through = e.index;
    }
    return inside == 30 && through == 77 && alive == 0 &&
           tweed_worker_index() == -1 && loops_are_right(pool, 1000);
}

/* Several callers; the exceptions of one are not those of another. */
struct thrower {
    tweed_pool *pool;
    int number;
    bool good;
    pthread_t thread;
};

void *throw_often(void *arg)
{
    thrower *t = static_cast<thrower *>(arg);

    t->good = true;
    for (int round = 0; round < 100; round++) {
        int caught = -1, number = t->number;

        try {
            tweed::parallel_for(
                0, BILLION, [number](int64_t) { throw number; }, t->pool);
        } catch (int n) {
            caught = n;
        }
        t->good = t->good && caught == number;
    }
    return nullptr;
}

bool callers(tweed_pool *pool)
{
    thrower t[4];
    bool good = true;

    for (int k = 0; k < 4; k++) {
        t[k].pool = pool;
        t[k].number = k;
        if (pthread_create(&t[k].thread, nullptr, throw_often, &t[k]) != 0)
            std::abort();
    }
    for (thrower &each : t) {
        pthread_join(each.thread, nullptr);
        good = good && each.good;
    }
    return good;
}

/* In loops of all of int64_t. */
bool endless(tweed_pool *pool)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    int caught = 0;

    for (int range = 0; range <= 1; range++)
        try {
            if (range)
                tweed::parallel_for_range(
                    INT64_MIN, INT64_MAX,
                    [](int64_t b, int64_t) { throw mistake(b); }, pool, &o);
            else
                tweed::parallel_for(
                    INT64_MIN, INT64_MAX, [](int64_t i) { throw mistake(i); },
                    pool, &o);
        } catch (const mistake &) {
            caught++;
        }
    return caught == 2;
}

/* Every index once, in any order, on a worker or the next one; an exception arrives. */
bool arranged(tweed_pool *pool, int workers)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    std::vector<double> weights(1000);
    std::vector<int> times(1000), worker(1000);
    bool thrown = false;

    for (size_t i = 0; i < weights.size(); i++)
        weights[i] = static_cast<double>(i);
    o.schedule = TWEED_SCHEDULE_STATIC;
    o.weights = weights.data();
    tweed::parallel_for(
        0, 1000,
        [&](int64_t i) {
            times[static_cast<size_t>(i)]++;
            worker[static_cast<size_t>(i)] = tweed_worker_index();
        },
        pool, &o);
    for (size_t i = 0; i < times.size(); i++)
        if (times[i] != 1 || (i > 0 && worker[i] < worker[i - 1]))
            return false;
    try {
        tweed::parallel_for(
            0, 1000, [&](int64_t i) { if (i == 500) throw mistake(i); }, pool, &o);
    } catch (const mistake &e) {
        thrown = e.index == 500;
    }
    return thrown && worker[999] == workers - 1;
}

void of_pool(tweed_pool *pool, int workers, const char *name)
{
    tweed_loop_options one = TWEED_LOOP_OPTIONS_INIT;

    one.max_workers = 1;
    ok(stops_anywhere(workers, pool, nullptr),
       "%s: a billion indices, and one throws: the loop stops", name);
    ok(stops_anywhere(1, pool, &one), "%s: so it does on one worker", name);
    ok(arranged(pool, workers), "%s: static, by weight", name);
    ok(skips(pool, workers), "%s: what is left of a group is skipped", name);
    ok(all_throw(pool, workers), "%s: all throw, one arrives, none leaks", name);
    ok(alone(pool) && alone_then_shared(pool),
       "%s: thrown in loops that were short", name);
    ok(nested(pool), "%s: thrown in inner loops", name);
    ok(callers(pool), "%s: several callers", name);
    ok(endless(pool), "%s: all of int64_t", name);
}

} // namespace

int main()
{
    plan(7 + 3 * 9 + 2);
    watchdog();

    tweed_pool *pool = pool_of(4), *two = pool_of(2),
               *one = pool_of(1);

    if (!pool || tweed_pool_num_workers(pool) != 4)
        return printf("Bail out! no threads\n"), 99;
    ok(braces(pool) && braces(nullptr), "TWEED_LOOP");
    ok(once(by_index{ pool }) && once(by_index{ nullptr }),
       "parallel_for: every index once");
    ok(once(by_range{ pool }) && once(by_range{ nullptr }),
       "parallel_for_range: every index once");
    ok(callables(pool) && callables(nullptr), "callables of every sort");
    ok(in_place(pool) && in_place(one), "a named callable is not copied");
    ok(captured(pool) && captured(one), "a small temporary keeps its captures");
    ok(types(pool) && types(nullptr), "indices of other types");
    of_pool(one, 1, "1 worker");
    of_pool(two, 2, "2 workers");
    of_pool(pool, 4, "4 workers");
    ok(first_is_kept(two), "the first exception is kept");
    ok(tweed_pool_destroy(pool) == TWEED_OK &&
           tweed_pool_destroy(two) == TWEED_OK &&
           tweed_pool_destroy(one) == TWEED_OK,
       "the pools end");
    return done_testing();
}

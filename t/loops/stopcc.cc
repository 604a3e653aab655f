/*
 * stopcc.cc - in C++: searches, bodies that fail, stops from within and from without.
 *
 * SPDX-License-Identifier: MIT
 */
#include <tweed.hpp>

#include "tap.h"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

static const int N = 5000;

/* The lowest hit, wherever it is; f is a temporary or has a name. */
static bool finds(tweed_pool *pool, int at)
{
    std::vector<int> x(N);
    std::vector<std::atomic<int>> count(N);
    bool good = true;

    for (int i = at; i < N; i += 7)
        x[i] = 1;
    const auto named = [&](int64_t i) { return x[i] == 1; };
    good = tweed::parallel_find(0, N, named, pool) == (at < N ? at : N);
    good &= tweed::parallel_find(
                0, N, [&](int64_t i) { count[i]++; return x[i]; }, pool) ==
            (at < N ? at : N);
    for (int i = 0; i < N; i++)
        good &= count[i] == 1 || (count[i] == 0 && i > at);
    return good;
}

static void searches(tweed_pool *pool)
{
    bool good = true;

    for (int at = 0; at <= N; at += 1 + at / 4)
        good &= finds(pool, at);
    ok(good, "parallel_find: the lowest index");
    ok(tweed::parallel_find(7, 7, [](int64_t) { return true; }) == 7, "... of none");
    std::unique_ptr<int> owner(new int(3));
    ok(tweed::parallel_find(0, 10, [&](int64_t i) { return i == *owner; }) == 3,
       "... what was captured may be anything");
}

static void failures(tweed_pool *pool)
{
    std::vector<std::atomic<int>> count(N);
    tweed_outcome o = tweed::parallel_try(
        0, N, [&](int64_t i) { count[i]++; return i >= 900 ? static_cast<int>(-i) : 0; },
        pool);
    uint64_t ran = 0;
    bool good = true;

    for (int i = 0; i < N; i++) {
        ran += count[i];
        good &= count[i] <= 1;
    }
    ok(good && o.index >= 900 && o.code == -o.index && o.ran == ran && count[o.index],
       "parallel_try: an index that failed, its code, and how many were executed");
    o = tweed::parallel_try(0, N, [](int64_t) { return false; }, pool);
    ok(o.code == 0 && o.index == N && o.ran == N, "... none fails");
}

static void stops(tweed_pool *pool)
{
    tweed_outcome all = TWEED_OUTCOME_INIT;
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    std::atomic<int> calls(0);
    tweed::token token;

    o.outcome = &all;
    tweed::parallel_for(
        0, 50000000, [&](int64_t) { calls++; tweed::stop(); }, pool, &o);
    ok(calls > 0 && calls < 50000000 && all.ran == static_cast<uint64_t>(calls),
       "stop: no exception");
    calls = 0;
    o.token = token.get();
    tweed::parallel_for(
        0, 50000000, [&](int64_t) { calls++; token.set(); }, pool, &o);
    ok(calls > 0 && calls < 50000000 && all.ran == static_cast<uint64_t>(calls) &&
           token.is_set(),
       "a token: no exception either");
    int code = 0;
    try {
        (void)tweed::parallel_find(0, N, [](int64_t) { return false; }, pool, &o);
    } catch (const tweed::error &e) {
        code = e.code();
    }
    ok(code == TWEED_ESTOPPED, "a search that is stopped throws");
    token.clear();
    o.timeout_ns = 1;
    try {
        tweed::parallel_for(0, 50000000, [&](int64_t) { calls++; }, pool, &o);
    } catch (const tweed::error &e) {
        code = e.code();
    }
    ok(code == TWEED_ETIMEOUT && !token.is_set(), "so does a loop whose time is over");
}

/* What a call throws. */
template <class F> static std::string thrown(const F &f)
{
    try {
        f();
    } catch (const std::exception &e) {
        return e.what();
    }
    return "nothing";
}

static void exceptions(tweed_pool *pool)
{
    ok(thrown([&] {
           tweed::parallel_find(
               0, N,
               [](int64_t i) {
                   if (i == 30)
                       throw std::runtime_error("thirty");
                   return false;
               },
               pool);
       }) == "thirty",
       "an exception out of a search");
    ok(thrown([&] {
           tweed::parallel_try(
               0, N,
               [](int64_t i) {
                   if (i == 40)
                       throw std::runtime_error("forty");
                   return 0;
               },
               pool);
       }) == "forty",
       "an exception out of a body that may fail");
    /* walked alone, so that a claim has many indices */
    tweed_outcome all = TWEED_OUTCOME_INIT;
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    int calls = 0;

    o.outcome = &all;
    o.max_workers = 1;
    ok(thrown([&] {
           tweed::parallel_for(
               0, N,
               [&](int64_t) {
                   if (++calls == 70)
                       throw std::runtime_error("seventy");
               },
               pool, &o);
       }) == "seventy" && all.ran == 70,
       "out of a loop: what was executed is counted, and no index more");
    calls = 0;
    ok(thrown([&] {
           tweed::parallel_try(
               0, N,
               [&](int64_t) {
                   if (++calls == 70)
                       throw std::runtime_error("seventy");
                   return 0;
               },
               pool, &o);
       }) == "seventy" && all.ran == 70,
       "... of one that may fail, too");
    tweed_loop_options bad = TWEED_LOOP_OPTIONS_INIT;
    bad.grain = -1;
    ok(thrown([&] {
           tweed::parallel_try(0, N, [](int64_t) { return 1; }, pool, &bad);
       }) == "invalid argument: tweed_loop_options.grain is -1: expected 0 or more",
       "wrong options");
}

/* Loops of which one block would last for seconds: t/loops/huge.c. */
static void huge(tweed_pool *pool)
{
    const int64_t n = INT64_C(1) << 54, few = INT64_C(1) << 26;
    std::atomic<int64_t> late(0);
    std::atomic<bool> over(false);
    const auto add = [](double &into, double from) { into += from; };
    const auto five = [&](int64_t i) {
        late += over;
        if (i == 5) {
            over = true;
            throw std::runtime_error("five");
        }
        return 1.0;
    };
    const auto fives = [&](int64_t b, int64_t e) {
        for (; b < e; b++)
            five(b);
    };
    const auto ends = [&](const std::string &how, const char *what) {
        ok(how == "five" && late < few, "2^54 indices: %s", what);
        late = 0;
        over = false;
    };

    ends(thrown([&] { tweed::parallel_for(int64_t(0), n, five, pool); }), "parallel_for");
    ends(thrown([&] { tweed::parallel_for_range(int64_t(0), n, fives, pool); }),
         "parallel_for_range");
    ends(thrown([&] {
             tweed::parallel_find(int64_t(0), n, [&](int64_t i) { return five(i) < 0; }, pool);
         }), "parallel_find");
    ends(thrown([&] { tweed::parallel_sum(int64_t(0), n, five, pool); }), "parallel_sum");
    ends(thrown([&] { tweed::parallel_reduce(int64_t(0), n, 0.0, five, add, pool); }),
         "parallel_reduce: a value");
    ends(thrown([&] {
             tweed::parallel_reduce(
                 int64_t(0), n, 0.0, [&](int64_t i, double &t) { t += five(i); }, add, pool);
         }), "... an index");
    ends(thrown([&] {
             tweed::parallel_reduce(
                 int64_t(0), n, 0.0,
                 [&](int64_t b, int64_t e, double &) { fives(b, e); }, add, pool);
         }), "... a run");
    ends(thrown([&] {
             tweed::parallel_sum_2d(
                 0, 1 << 20, 0, n >> 20,
                 [&](int64_t i, int64_t j) { return five(i * (n >> 20) + j); }, pool);
         }), "parallel_sum_2d");
    ends(thrown([&] {
             tweed::parallel_reduce_3d(
                 0, 1, 0, 1 << 20, 0, n >> 20, 0.0,
                 [&](int64_t, int64_t i, int64_t j, double &t) { t += five(i * (n >> 20) + j); },
                 add, pool);
         }), "parallel_reduce_3d: an index");
}

int main()
{
    tweed_pool *pool = nullptr;
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;

    plan(2 * (3 + 2 + 4 + 5 + 9));
    o.num_workers = 5;
    must(tweed_pool_create(&pool, &o));
    for (int round = 0; round < 2; round++) { /* the second by what the kinds learnt */
        searches(pool);
        failures(pool);
        stops(pool);
        exceptions(pool);
        huge(pool);
    }
    tweed_pool_destroy(pool);
    return done_testing();
}

/*
 * reducecc.cc - reductions in C++: forms of the body, partial results of any type, and
 * what becomes of these when something throws.
 *
 * SPDX-License-Identifier: MIT
 */
#include "child.h"
#include "pools.h"
#include "self.h"

#include <tweed.hpp>

#include <atomic>
#include <cmath>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

/* No more memory in large pieces, while this is set. */
std::atomic<bool> short_of_memory;

} // namespace

extern "C" void *__real_malloc(size_t bytes);
extern "C" void *__wrap_malloc(size_t bytes);
extern "C" void *__wrap_malloc(size_t bytes)
{
    return short_of_memory && bytes > 16384 ? nullptr : __real_malloc(bytes);
}

namespace {

const int sizes[] = { 0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 300, 4096, 5001, 70001 };

/* ---- the same bits as the macros ---- */

TWEED_SUM(double, c_sum, i, const double *, x)
{
    return x[i];
}

TWEED_MIN(double, c_min, INFINITY, i, const double *, x)
{
    return x[i];
}

TWEED_MAX(double, c_max, -INFINITY, i, const double *, x)
{
    return x[i];
}

std::vector<double> numbers(int n)
{
    std::vector<double> x(static_cast<size_t>(n));
    double value = 0.5;

    for (double &each : x) {
        value = 3.99 * value * (1 - value);
        each = value - 0.4;
    }
    return x;
}

bool same(double a, double b)
{
    return std::memcmp(&a, &b, sizeof a) == 0;
}

/* Takes so long that claims are of a few indices. */
double slowly(double value)
{
    for (volatile int k = 0; k < 200; k = k + 1)
        ;
    return value;
}

/* Large numbers are alone in their lanes, and cancel: elsewhere small ones would be lost. */
bool slow_as_macros(tweed_pool *pool, std::vector<double> x)
{
    const double *p = x.data();
    int k = 0;

    for (double &each : x) {
        each = k % 2 == 0 ? each : k % 4 == 1 ? 1e16 : -1e16;
        k++;
    }
    return same(c_sum(0, static_cast<int64_t>(x.size()), p),
                tweed::parallel_sum(x, slowly, pool));
}

bool as_macros(tweed_pool *pool)
{
    bool good = true;

    for (int n : sizes) {
        const std::vector<double> x = numbers(n);
        const double *p = x.data(), s = c_sum(0, n, p);
        const auto itself = [](double value) { return value; };

        good &= same(s, tweed::parallel_sum(0, n, [=](int i) { return p[i]; }, pool));
        good &= same(s, tweed::parallel_sum(
                            size_t(0), x.size(), [&](size_t i) { return x[i]; }, pool));
        good &= same(s, tweed::parallel_sum(x, itself, pool));
        if (n <= 5001)
            good &= slow_as_macros(pool, x);
        good &= same(s, tweed::parallel_sum(x.begin(), x.end(), itself, pool));
        good &= c_min(0, n, p) == tweed::parallel_min(x, INFINITY * 1.0, itself, pool);
        good &= c_max(0, n, p) ==
                tweed::parallel_max(0, n, -INFINITY * 1.0, [=](int i) { return p[i]; },
                                    pool);
    }
    return good;
}

/* ---- every form of the body, each position once ---- */

template <class T> struct counts {
    std::vector<std::atomic<T>> of;
    explicit counts(int n) : of(static_cast<size_t>(n)) {}
    bool once()
    {
        bool good = true;
        for (auto &each : of)
            good &= each.exchange(0) == 1;
        return good;
    }
};

bool forms(tweed_pool *pool)
{
    bool good = true;

    for (int n : sizes) {
        const int64_t sum = int64_t(n) * (n - 1) / 2;
        counts<int> count(n);
        const auto see = [&](int i) {
            count.of[static_cast<size_t>(i)]++;
            return int64_t(i);
        };
        const auto plus = std::plus<int64_t>();

        good &= tweed::parallel_reduce(0, n, int64_t(0), see, plus, pool) == sum;
        good &= count.once();
        good &= tweed::parallel_reduce(
                    0, n, int64_t(0), [&](int i, int64_t &t) { t += see(i); },
                    [](int64_t &into, int64_t from) { into += from; }, pool) == sum;
        good &= count.once();
        good &= tweed::parallel_reduce(
                    0, n, int64_t(0),
                    [&](int i, int64_t t) { return t + see(i); }, plus, pool) == sum;
        good &= count.once();
        good &= tweed::parallel_reduce(
                    0, n, int64_t(0),
                    [&](int b, int e, int64_t &t) {
                        for (; b < e; b++)
                            t += see(b);
                    },
                    plus, pool) == sum;
        good &= count.once();
        good &= tweed::parallel_reduce( /* as for oneTBB */
                    0, n, int64_t(0),
                    [&](int b, int e, int64_t t) {
                        for (; b < e; b++)
                            t += see(b);
                        return t;
                    },
                    plus, pool) == sum;
        good &= count.once();
    }
    return good;
}

bool sources(tweed_pool *pool)
{
    bool good = true;
    const auto plus = std::plus<int64_t>();

    for (int n : sizes) {
        const int64_t sum = int64_t(n) * (n - 1) / 2;
        std::deque<int> d;
        std::vector<int> v;

        for (int i = 0; i < n; i++) {
            d.push_back(i);
            v.push_back(i);
        }
        const auto add = [](int x, int64_t &t) { t += x; };
        good &= tweed::parallel_reduce(d, int64_t(0), add, plus, pool) == sum;
        good &= tweed::parallel_reduce(d.crbegin(), d.crend(), int64_t(0), add, plus,
                                       pool) == sum;
        good &= tweed::parallel_reduce(v.data(), v.data() + n, int64_t(0), add, plus,
                                       pool) == sum;
        good &= tweed::parallel_reduce(
                    v, int64_t(0),
                    [](std::vector<int>::iterator b, std::vector<int>::iterator e,
                       int64_t &t) {
                        for (; b != e; ++b)
                            t += *b;
                    },
                    plus, pool) == sum;
        good &= tweed::parallel_sum<int64_t>(d, [](int x) { return x; }, pool) == sum;
        good &= tweed::parallel_sum<int64_t>(v.rbegin(), v.rend(),
                                             [](int x) { return x % 2 == 0; },
                                             pool) == (n + 1) / 2;
    }
    return good;
}

/* ---- combining that is not commutative, in every form ---- */

std::string text_of(int n)
{
    std::string s;

    for (int i = 0; i < n; i++)
        s += static_cast<char>('a' + i % 26);
    return s;
}

std::string joined(const std::string &a, const std::string &b)
{
    return a + b;
}

/* Two of them can be combined by a member function. */
struct text {
    std::string s;
    void append(const text &from) { s += from.s; }
};

bool in_order(tweed_pool *pool)
{
    typedef std::string string;
    bool good = true;

    for (int n : sizes) {
        const string all = text_of(n);
        const auto put = [](char c, string &t) { t += c; };

        good &= tweed::parallel_reduce(all, string(), put, std::plus<string>(), pool) ==
                all;
        good &= tweed::parallel_reduce(all, string(), put, joined, pool) == all;
        good &= tweed::parallel_reduce(all, string(), put, &joined, pool) == all;
        good &= tweed::parallel_reduce(
                    all, string(), put,
                    [](string &into, const string &from) { into += from; }, pool) == all;
        good &= tweed::parallel_reduce(
                    all, string(), put, [](string &into, string &from) { into += from; },
                    pool) == all;
        good &= tweed::parallel_reduce(
                    all, string(), put,
                    [](string into, string &&from) { return into += from; }, pool) ==
                all;
        good &= tweed::parallel_reduce(
                    all, string(), [](char c) { return string(1, c); },
                    [](string a, string b) { return a + b; }, pool) == all;
        good &= tweed::parallel_reduce(
                    all, text(), [](char c, text &t) { t.s += c; }, &text::append, pool)
                    .s == all;
    }
    return good;
}

/* ---- types, and what begins a block ---- */

struct pair_of { /* copied as bytes, though it cannot be made of nothing */
    double least;
    int at;
    pair_of(double x, int i) : least(x), at(i) {}
};

struct large { /* bytes, but too many */
    int64_t of[600];
};

bool types(tweed_pool *pool)
{
    std::vector<double> x = numbers(10000);
    bool good = true;

    x[777] = -5;
    const pair_of p = tweed::parallel_reduce(
        0, 10000, pair_of(INFINITY, -1),
        [&](int i) { return pair_of(x[static_cast<size_t>(i)], i); },
        [](const pair_of &a, const pair_of &b) { return b.least < a.least ? b : a; },
        pool);
    good &= p.least == -5 && p.at == 777;
    const std::pair<double, int> q = tweed::parallel_reduce(
        0, 10000, std::make_pair(1e9, -1),
        [&](int i, std::pair<double, int> &t) {
            t = std::min(t, std::make_pair(x[static_cast<size_t>(i)], i));
        },
        [](std::pair<double, int> &a, const std::pair<double, int> &b) {
            a = std::min(a, b);
        },
        pool);
    good &= q.first == -5 && q.second == 777;
    const large l = tweed::parallel_reduce(
        0, 10000, large(), [](int i, large &t) { t.of[i % 600]++; },
        [](large &a, const large &b) {
            for (int k = 0; k < 600; k++)
                a.of[k] += b.of[k];
        },
        pool);
    for (int k = 0; k < 600; k++)
        good &= l.of[k] == (k < 10000 % 600 ? 17 : 16);
    const std::vector<int> h = tweed::parallel_reduce(
        0, 10000, std::vector<int>(7),
        [](int i, std::vector<int> &t) { t[static_cast<size_t>(i % 7)]++; },
        [](std::vector<int> &a, const std::vector<int> &b) {
            for (size_t k = 0; k < 7; k++)
                a[k] += b[k];
        },
        pool);
    for (int k = 0; k < 7; k++)
        good &= h[static_cast<size_t>(k)] == (k < 4 ? 1429 : 1428);
    std::unique_ptr<int> only(new int(2)); /* moved into what cannot be copied */
    struct mover {
        std::unique_ptr<int> factor;
        int operator()(int i) const { return i * *factor; }
    } body = { std::move(only) };
    good &= tweed::parallel_sum(0, 100, std::move(body), pool) == 9900;
    return good;
}

bool not_numbers(tweed_pool *pool)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> x = { nan, 3, nan, -2, nan };
    const auto itself = [](double value) { return value; };
    int codes = 0;

    for (int largest = 0; largest <= 1; largest++)
        try {
            if (largest)
                tweed::parallel_max(x, nan, itself, pool);
            else
                tweed::parallel_min(x, nan, itself, pool);
        } catch (const tweed::error &e) {
            codes += e.code() == TWEED_EINVAL;
        }
    return codes == 2 && tweed::parallel_min(x, 9.0, itself, pool) == -2 &&
           tweed::parallel_max(x, -9.0, itself, pool) == 3 &&
           tweed::parallel_max(5, 5, 7, [](int) { return 9; }, pool) == 7;
}

/* ---- lifetimes ---- */

/* Counts what is alive; one of its operations throws. */
struct tracked {
    static std::atomic<int> alive, copies;
    static std::atomic<int> throws_at; /* that copy; negative: none */
    std::vector<int> seen;

    tracked() : seen() { alive++; }
    tracked(const tracked &from) : seen(from.seen)
    {
        if (copies++ == throws_at)
            throw std::length_error("copy");
        alive++;
    }
    tracked(tracked &&from) : seen(std::move(from.seen)) { alive++; }
    tracked &operator=(const tracked &) = default;
    tracked &operator=(tracked &&) = default;
    ~tracked() { alive--; }
};
std::atomic<int> tracked::alive, tracked::copies, tracked::throws_at;

enum { NEVER = -1 };

struct plan_of_throws {
    int body, combine, copy;
    bool stops;
};

/* What came of it: what was thrown; "" for nothing, and a result that is right. */
std::string outcome(tweed_pool *pool, int n, plan_of_throws t, int64_t grain)
{
    std::atomic<int> combined(0);
    tracked result;

    tracked::copies = 0;
    tracked::throws_at = t.copy;
    try {
        result = tweed::parallel_reduce(
            0, n, tracked(),
            [&](int i, tracked &mine) {
                if (i == t.body && t.stops)
                    tweed::stop();
                else if (i == t.body)
                    throw std::logic_error("body");
                mine.seen.push_back(i);
            },
            [&](tracked &into, const tracked &from) {
                if (combined++ == t.combine)
                    throw std::runtime_error("combine");
                into.seen.insert(into.seen.end(), from.seen.begin(), from.seen.end());
            },
            pool, tweed::loop_options().grain(grain));
    } catch (const std::exception &e) {
        return e.what();
    }
    for (int i = 0; i < n; i++)
        if (result.seen.size() != static_cast<size_t>(n) ||
            result.seen[static_cast<size_t>(i)] != i)
            return "wrong";
    return "";
}

bool expects(const char *what, tweed_pool *pool, int n, plan_of_throws t)
{
    for (int64_t grain : { 0, 1, 50 })
        for (int tight = 0; tight <= 1; tight++) {
            short_of_memory = tight;
            const std::string came = outcome(pool, n, t, grain);
            short_of_memory = false;

            if (came != what || tracked::alive != 0) {
                diag("%d indices, grain %d: \"%s\", %d alive", n,
                     static_cast<int>(grain), came.c_str(),
                     static_cast<int>(tracked::alive));
                return false;
            }
        }
    return true;
}

bool lifetimes(tweed_pool *pool)
{
    bool good = true;

    for (int n : sizes)
        good &= expects("", pool, n, { NEVER, NEVER, NEVER, false });
    for (int at : { 0, 1, 64, 777, 4999 }) {
        good &= expects("body", pool, 5000, { at, NEVER, NEVER, false });
        good &= expects(tweed_strerror(TWEED_ESTOPPED), pool, 5000,
                        { at, NEVER, NEVER, true });
    }
    for (int at : { 0, 1, 10, 60, 70, 97, 98 }) /* of 99, with grain 50 */
        good &= expects("combine", pool, 5000, { NEVER, at, NEVER, false });
    for (int at : { 0, 1, 50, 99 })
        good &= expects("copy", pool, 5000, { NEVER, NEVER, at, false });
    return good;
}

/* Bodies, combine and copies all throw, everywhere. */
bool all_throw(tweed_pool *pool)
{
    for (int round = 0; round < 50; round++) {
        int caught = 0;

        tracked::throws_at = NEVER;
        try {
            tweed::parallel_reduce(
                0, 10000, tracked(),
                [&](int i, tracked &) {
                    if (i % 64 == round)
                        throw i;
                },
                [](tracked &, const tracked &) { throw -1; }, pool);
        } catch (int) {
            caught++;
        }
        if (caught != 1 || tracked::alive != 0)
            return false;
    }
    return loops_are_right(pool, 1000);
}

bool nested(tweed_pool *pool)
{
    const auto plus = std::plus<int64_t>();
    const int64_t sum = tweed::parallel_reduce(
        0, 100, int64_t(0),
        [&](int i) {
            return tweed::parallel_sum<int64_t>(0, i * 10, [](int j) { return j; }, pool);
        },
        plus, pool);
    int64_t expected = 0;

    for (int i = 0; i < 100; i++)
        expected += int64_t(i) * 10 * (i * 10 - 1) / 2;
    const std::set<int> all = tweed::parallel_reduce(
        0, 40, std::set<int>(),
        [&](int i, std::set<int> &t) {
            const std::set<int> some = tweed::parallel_reduce(
                0, 40, std::set<int>(),
                [&](int j, std::set<int> &u) { u.insert(i * 40 + j); },
                [](std::set<int> &a, const std::set<int> &b) {
                    a.insert(b.begin(), b.end());
                },
                pool);
            t.insert(some.begin(), some.end());
        },
        [](std::set<int> &a, const std::set<int> &b) { a.insert(b.begin(), b.end()); },
        pool);
    return sum == expected && all.size() == 1600;
}

/* ---- errors ---- */

template <class Call> int code_of(Call call)
{
    try {
        call();
    } catch (const tweed::error &e) {
        return e.code();
    }
    return TWEED_OK;
}

bool errors(tweed_pool *pool)
{
    const auto wrong = tweed::loop_options().grain(-1);
    const auto body = [](int) -> int { std::abort(); };
    const auto plus = std::plus<int>();
    const auto join = std::plus<std::string>();
    const auto word = [](int) -> std::string { std::abort(); };

    return code_of([&] { tweed::parallel_sum(0, 9, body, pool, wrong); }) ==
               TWEED_EINVAL &&
           code_of([&] { tweed::parallel_reduce(0, 0, 0, body, plus, pool, wrong); }) ==
               TWEED_EINVAL &&
           code_of([&] {
               tweed::parallel_reduce(0, 9, std::string(), word, join, pool, wrong);
           }) == TWEED_EINVAL &&
           code_of([&] {
               tweed::parallel_reduce(-1, size_t(9), 0, body, plus, pool);
           }) == TWEED_EINVAL &&
           tweed::parallel_reduce(9, 9, std::string("none"), word, join, pool) == "none";
}

/* ---- two and three dimensions ---- */

double cell(int64_t h, int64_t i, int64_t j)
{
    return 1 / static_cast<double>((h * 41 + i) * 67 + j + 1);
}

TWEED_SUM_2D(double, macro_2d, i, j) { return cell(0, i, j); }
TWEED_MAX_3D(double, macro_3d, 0, h, i, j) { return cell(h, i, j); }

bool spaces(tweed_pool *pool)
{
    typedef std::vector<int64_t> list;
    const auto plane = [](int64_t i, int64_t j) { return cell(0, i, j); };
    const auto join = [](list &into, const list &from) {
        into.insert(into.end(), from.begin(), from.end());
    };
    double sum = 0;
    bool good = macro_2d_with(pool, nullptr, 0, 41, 0, 67, &sum) == TWEED_OK;
    const list all = tweed::parallel_reduce_3d(
        0, 3, 0, 41, 0, 67, list(),
        [](int64_t h, int64_t i, int64_t j, list &mine) {
            mine.push_back((h * 41 + i) * 67 + j);
        },
        join, pool);

    good = good && all.size() == 3 * 41 * 67;
    for (size_t k = 0; good && k < all.size(); k++)
        good = all[k] == static_cast<int64_t>(k);
    good = good && sum > 8 && sum < 9 &&
           sum == tweed::parallel_sum_2d(0, 41, 0, 67, plane, pool) &&
           tweed::parallel_max_3d(0, 3, 0, 41, 0, 67, 0.0, cell, pool) ==
               macro_3d(0, 3, 0, 41, 0, 67) &&
           tweed::parallel_min_2d(0, 41, 0, 67, 1.0, plane, pool) ==
               cell(0, 40, 66) &&
           tweed::parallel_sum_3d<int64_t>(
               0, 3, 0, 41, 0, 67, [](int64_t, int64_t, int64_t) { return 1; },
               pool) == 3 * 41 * 67 &&
           tweed::parallel_reduce_2d(
               0, 41, 0, 67, int64_t(0), [](int64_t i, int64_t j) { return i * j; },
               std::plus<int64_t>(), pool) == 41 * 40 / 2 * (67 * 66 / 2);
    return good && code_of([&] {
               tweed::parallel_sum_2d(0, INT64_MAX, 0, 2, plane, pool);
           }) == TWEED_ERANGE;
}

} // namespace

int main()
{
    plan(4 * 11 + 1);
    watchdog();
    for (int workers = 1; workers <= 8; workers *= 2) {
        tweed_pool *pool = pool_of(workers);

        if (has_more_bits())
            skip(1, "x87: gcc rounds in C++ otherwise than in C");
        else
            ok(as_macros(pool), "%d workers: the bits of the macros", workers);
        ok(forms(pool), "%d workers: every form of the body, each index once", workers);
        ok(sources(pool), "%d workers: iterators and containers", workers);
        ok(in_order(pool), "%d workers: every form of combine, in order", workers);
        ok(types(pool), "%d workers: partial results of any type", workers);
        ok(not_numbers(pool), "%d workers: what is not a number", workers);
        ok(lifetimes(pool), "%d workers: all that was made is destroyed", workers);
        ok(all_throw(pool), "%d workers: all throw, and one arrives", workers);
        ok(nested(pool), "%d workers: reductions in reductions", workers);
        ok(errors(pool), "%d workers: errors", workers);
        ok(spaces(pool), "%d workers: two and three dimensions", workers);
        must(tweed_pool_destroy(pool));
    }
    ok(forms(nullptr) && in_order(nullptr), "on the default pool");
    return done_testing();
}

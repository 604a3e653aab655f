/*
 * scancc.cc - scans in C++: the standard's, and those whose body writes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "child.h"
#include "pools.h"
#include "self.h"

#include <tweed.hpp>

#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

/* Blocks of one index, of some, and parts of 256 blocks of 1,024. */
const int sizes[] = { 0, 1, 2, 3, 63, 64, 65, 300, 4096, 70001, 300007 };

/* What is combined in order only: functions a * x + b. */
struct map_of {
    uint32_t a, b;
    bool operator==(const map_of &m) const { return a == m.a && b == m.b; }
};

map_of after(const map_of &first, const map_of &second)
{
    return map_of{ first.a * second.a, first.b * second.a + second.b };
}

std::vector<map_of> maps(int n)
{
    std::vector<map_of> m(static_cast<size_t>(n));

    for (size_t i = 0; i < m.size(); i++)
        m[i] = map_of{ static_cast<uint32_t>(2 * i + 3), static_cast<uint32_t>(i * i) };
    return m;
}

/* ---- as one after the other ---- */

bool is_inclusive(const std::vector<map_of> &m, const std::vector<map_of> &out,
                  const map_of *init)
{
    map_of sum = init ? *init : map_of{ 1, 0 };

    for (size_t i = 0; i < m.size(); i++) {
        sum = after(sum, m[i]);
        if (!(out[i] == sum))
            return false;
    }
    return true;
}

bool is_exclusive(const std::vector<map_of> &m, const std::vector<map_of> &out,
                  map_of sum)
{
    for (size_t i = 0; i < m.size(); i++) {
        if (!(out[i] == sum))
            return false;
        sum = after(sum, m[i]);
    }
    return true;
}

bool in_order(tweed_pool *pool)
{
    const map_of init = { 7, 11 };
    bool good = true;

    for (int n : sizes)
        for (int64_t grain : { 0, 1, 1000 }) {
            const auto how = tweed::loop_options().grain(grain);
            const std::vector<map_of> m = maps(n);
            std::vector<map_of> out(m.size()), over = m, past = m;

            good &= tweed::parallel_inclusive_scan(m.begin(), m.end(), out.begin(), after,
                                                   pool, how) == out.end() &&
                    is_inclusive(m, out, nullptr);
            good &= tweed::parallel_inclusive_scan(m.begin(), m.end(), out.begin(), after,
                                                   init, pool, how) == out.end() &&
                    is_inclusive(m, out, &init);
            good &= tweed::parallel_exclusive_scan(m.begin(), m.end(), out.begin(), init,
                                                   after, pool, how) == out.end() &&
                    is_exclusive(m, out, init);
            tweed::parallel_inclusive_scan(over.begin(), over.end(), over.begin(), after,
                                           pool, how);
            tweed::parallel_exclusive_scan(past.begin(), past.end(), past.begin(), init,
                                           after, pool, how);
            good &= is_inclusive(m, over, nullptr) && is_exclusive(m, past, init);
        }
    return good;
}

/* The body is called without writing at most once, and then with it once. */
bool by_body(tweed_pool *pool)
{
    bool good = true;

    for (int n : sizes) {
        const std::vector<map_of> m = maps(n);
        std::vector<map_of> out(m.size());
        std::vector<std::atomic<int>> sums(m.size()), writes(m.size());
        std::atomic<int> late(0);
        const auto put = [](map_of &into, const map_of &from) {
            into = after(into, from);
        };
        const map_of all = tweed::parallel_scan(
            0, n, map_of{ 1, 0 },
            [&](int i, map_of &sum, bool writing) {
                const size_t k = static_cast<size_t>(i);

                sum = after(sum, m[k]);
                if (writing) {
                    out[k] = sum;
                    writes[k]++;
                } else {
                    late += sums[k]++ != 0 || writes[k] != 0;
                }
            },
            put, pool);
        good &= is_inclusive(m, out, nullptr) && late == 0 &&
                (n == 0 ? all == map_of{ 1, 0 } : all == out.back());
        for (const auto &w : writes)
            good &= w == 1;
        std::vector<map_of> over = m; /* of elements, written over */
        tweed::parallel_scan(
            over, map_of{ 1, 0 },
            [&](map_of &x, map_of &sum, bool writing) {
                const map_of before = sum;

                sum = after(sum, x);
                if (writing)
                    x = before;
            },
            after, pool);
        good &= is_exclusive(m, over, map_of{ 1, 0 });
    }
    return good;
}

/* ---- iterators, types ---- */

bool iterators(tweed_pool *pool)
{
    bool good = true;

    for (int n : sizes) {
        const size_t size = static_cast<size_t>(n);
        std::deque<short> d(size, 1);
        std::vector<int64_t> out(size + 1);

        good &= tweed::parallel_inclusive_scan(d.crbegin(), d.crend(), out.rbegin(),
                                               std::plus<int64_t>(), int64_t(0),
                                               pool) == out.rbegin() + n;
        for (size_t i = 0; i < size; i++)
            good &= out[size - i] == static_cast<int64_t>(i) + 1;
        int64_t *end = tweed::parallel_exclusive_scan(d.begin(), d.end(), out.data(),
                                                      int64_t(5));
        good &= end == out.data() + n;
        for (size_t i = 0; i < size; i++)
            good &= out[i] == static_cast<int64_t>(i) + 5;
        if (n < 30000)
            tweed::parallel_inclusive_scan(d.begin(), d.end(), d.begin());
        good &= n == 0 || n >= 30000 || d.back() == n;
    }
    return good;
}

/* What cannot be assigned as bytes, but copied so. */
bool pairs(tweed_pool *pool)
{
    typedef std::pair<int, int> pair;
    std::vector<pair> x;
    bool good = true;

    for (int i = 0; i < 5000; i++)
        x.push_back(pair(i % 7, i));
    const auto later = [](const pair &a, const pair &b) {
        return b.first >= a.first ? b : a;
    };
    tweed::parallel_inclusive_scan(x.begin(), x.end(), x.begin(), later, pool);
    for (int i = 6; i < 5000; i++) /* the last 6 */
        good &= x[static_cast<size_t>(i)] == pair(6, i - (i + 1) % 7);
    return good;
}

bool same_bits(tweed_pool *pool)
{
    const int n = 300007;
    static std::vector<double> before;
    std::vector<double> x(n), y(n);
    double value = 0.3;

    for (double &each : x)
        each = value = 3.99 * value * (1 - value);
    tweed::parallel_inclusive_scan(x.begin(), x.end(), y.begin(), std::plus<double>(),
                                   pool);
    const bool good = before.empty() ||
                      std::memcmp(before.data(), y.data(), n * sizeof(double)) == 0;
    before = y;
    return good;
}

/* ---- what is thrown, and what stops ---- */

/* Addition number `at` throws. */
std::string thrown(tweed_pool *pool, int n, int at, bool init)
{
    std::vector<int> x(static_cast<size_t>(n), 1), y(x);
    std::atomic<int> calls(0);
    const auto op = [&](int a, int b) {
        if (calls++ == at)
            throw std::runtime_error("op");
        return a + b;
    };

    try {
        if (init)
            tweed::parallel_exclusive_scan(x.begin(), x.end(), y.begin(), 0, op, pool);
        else
            tweed::parallel_inclusive_scan(x.begin(), x.end(), y.begin(), op, pool);
    } catch (const std::runtime_error &e) {
        return e.what();
    }
    return y.back() == (init ? n - 1 : n) ? "" : "wrong";
}

bool throws(tweed_pool *pool)
{
    bool good = true;

    for (int at = 0; at < 5000; at += 1 + at / 3)
        for (int init = 0; init <= 1; init++)
            good &= thrown(pool, 3000, at, init) ==
                        (at < 2999 ? "op" : thrown(pool, 3000, at, init)) &&
                    thrown(pool, 3000, 1000000, init).empty();
    return good && loops_are_right(pool, 1000);
}

/* Combining throws, which the caller does between the passes. */
bool combine_throws(tweed_pool *pool)
{
    int caught = 0;

    for (int round = 0; round < 30; round++)
        try {
            tweed::parallel_scan(
                0, 5000, 0, [](int, int &sum, bool) { sum++; },
                [](int &, int) { throw 5; }, pool, tweed::loop_options().grain(10));
        } catch (int five) {
            caught += five == 5;
        }
    return caught == 30;
}

bool stops(tweed_pool *pool)
{
    tweed::token quit;
    std::vector<int> x(3000, 1);
    int codes = 0;

    quit.set();
    try {
        tweed::parallel_inclusive_scan(x.begin(), x.end(), x.begin(), std::plus<int>(),
                                       pool, tweed::loop_options().token(quit));
    } catch (const tweed::error &e) {
        codes += e.code() == TWEED_ESTOPPED;
    }
    try {
        tweed::parallel_scan(
            0, 3000, 0, [](int, int &, bool) { tweed::stop(); },
            [](int &, int) {}, pool);
    } catch (const tweed::error &e) {
        codes += e.code() == TWEED_ESTOPPED;
    }
    try {
        tweed::parallel_exclusive_scan(x.begin(), x.end(), x.begin(), 0,
                                       std::plus<int>(), pool,
                                       tweed::loop_options().grain(-1));
    } catch (const tweed::error &e) {
        codes += e.code() == TWEED_EINVAL;
    }
    return codes == 3;
}

} // namespace

int main()
{
    plan(4 * 6);
    watchdog();
    for (int workers = 1; workers <= 8; workers *= 2) {
        tweed_pool *pool = pool_of(workers);

        ok(in_order(pool), "%d workers: what is not commutative", workers);
        ok(by_body(pool), "%d workers: bodies that write", workers);
        ok(iterators(pool) && pairs(pool), "%d workers: iterators of all sorts", workers);
        if (has_more_bits())
            skip(1, "x87: sums are not rounded to a double each time");
        else
            ok(same_bits(pool), "%d workers: the same bits", workers);
        ok(throws(pool) && combine_throws(pool), "%d workers: exceptions", workers);
        ok(stops(pool), "%d workers: stopped, or refused", workers);
        must(tweed_pool_destroy(pool));
    }
    return done_testing();
}

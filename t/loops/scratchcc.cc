/*
 * scratchcc.cc - tweed::scratch: an object for each worker.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pools.h"

#include <atomic>
#include <stdexcept>
#include <tweed.hpp>
#include <vector>

static std::atomic<int> alive, copies;
static std::atomic<bool> refuses;

/* Counts its copies, and may refuse to be copied. */
struct counter {
    std::vector<long> bins;
    int64_t mark;

    explicit counter(size_t n) : bins(n), mark(0) { alive++; }
    counter(const counter &other) : bins(other.bins), mark(other.mark)
    {
        if (refuses)
            throw std::runtime_error("refused");
        alive++;
        copies++;
    }
    ~counter() { alive--; }
};

static bool counts_are(tweed::scratch<counter> &s, int64_t n, long times)
{
    std::vector<long> sum(100);

    for (counter &c : s)
        for (size_t k = 0; k < 100; k++)
            sum[k] += c.bins[k];
    for (size_t k = 0; k < 100; k++)
        if (sum[k] != times * (n / 100 + (int64_t(k) < n % 100)))
            return false;
    return true;
}

static void counts()
{
    tweed_pool *pool = pool_of(4);
    {
        tweed::scratch<counter> s((counter(100)));
        std::atomic<bool> wrong(false);
        int before = copies;

        ok(s.begin() == s.end(), "no object at first");
        for (int k = 0; k < 20; k++)
            tweed::parallel_for(0, 12345, [&](int64_t i) {
                counter &c = s.local();

                if (c.mark)
                    wrong = true;
                c.mark = i + 1;
                c.bins[size_t(i % 100)]++;
                if (&s.local() != &c || c.mark != i + 1)
                    wrong = true;
                c.mark = 0;
            }, pool);
        ok(!wrong && counts_are(s, 12345, 20), "every index counted");
        ok(copies - before >= 1 && copies - before <= 4, "a copy for each worker");
    }
    ok(alive == 0, "all of them gone with the scratch");
    tweed_pool_destroy(pool);
}

/* An inner body has another object than the one outside. */
static void nested()
{
    tweed_pool *pool = pool_of(3);
    tweed::scratch<counter> s((counter(100)));
    std::atomic<bool> wrong(false);

    tweed::parallel_for(0, 30, [&](int64_t i) {
        counter &outer = s.local();

        if (outer.mark)
            wrong = true;
        outer.mark = i + 1;
        tweed::parallel_for(0, 100, [&](int64_t j) {
            counter &inner = s.local();

            if (inner.mark)
                wrong = true;
            inner.mark = 1000 + j;
            inner.bins[size_t(j)]++;
            inner.mark = 0;
        }, pool);
        if (&s.local() != &outer || outer.mark != i + 1)
            wrong = true;
        outer.mark = 0;
    }, pool);
    ok(!wrong, "a loop inside has other objects");
    ok(counts_are(s, 100, 30), "every index counted");
    tweed_pool_destroy(pool);
}

/* A copy that throws ends the loop; the next body tries again. */
static void throws()
{
    bool thrown = false;
    {
        tweed::scratch<counter> s((counter(100)));

        refuses = true;
        try {
            tweed::parallel_for(0, 100, [&](int64_t) { s.local(); });
        } catch (const std::runtime_error &) {
            thrown = true;
        }
        refuses = false;
        ok(thrown && s.begin() == s.end(), "a copy that throws reaches the caller");
        tweed::parallel_for(0, 100, [&](int64_t i) { s.local().bins[size_t(i)]++; });
        ok(counts_are(s, 100, 1), "and is made by the next body");
    }
    ok(alive == 0, "what was not made is not destroyed");
}

struct alignas(256) wide {
    long n;
};

static void plain()
{
    tweed::scratch<long> sums;
    tweed::scratch<wide> wides(wide{ 7 });
    std::atomic<bool> wrong(false);
    long sum = 0;

    tweed::parallel_for(0, 5000, [&](int64_t i) {
        sums.local() += long(i);
        wide &w = wides.local();
        if (w.n != 7 || reinterpret_cast<uintptr_t>(&w) % 256 != 0)
            wrong = true;
    });
    for (auto p = sums.begin(); p != sums.end(); p++)
        sum += *p;
    ok(sum == 4999 * 2500, "numbers, zero at first");
    ok(!wrong, "aligned as their type is");
}

int main()
{
    plan(11);
    watchdog();
    counts();
    nested();
    throws();
    plain();
    return done_testing();
}

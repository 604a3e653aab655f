/*
 * alloccc.cc - arrays in C++: made, moved, gone through by loops.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pools.h"

#include <complex>
#include <tweed.hpp>

static int failures;

/* What a call throws. */
template <class F> static int code_of(const F &f)
{
    try {
        f();
    } catch (const tweed::error &e) {
        return e.code();
    }
    return TWEED_OK;
}

static bool is_each(const tweed::numa_array<int> &a, std::size_t n, int value)
{
    bool all = a.size() == n && a.end() - a.begin() == static_cast<std::ptrdiff_t>(n);

    for (int x : a)
        all &= x == value;
    return all;
}

int main()
{
    watchdog();
    plan(7);
    tweed::pool four(4);
    tweed::numa_array<int> a(100000), none, zero(0);

    ok(is_each(a, 100000, 0) && none.size() == 0 && none.begin() == none.end() &&
           zero.size() == 0 && zero.data(),
       "arrays are zero, and may have no elements");
    tweed::parallel_for(0, 100000, [&](int i) { a[i] += 1; });
    tweed::parallel_for(a, [&](int &x) { x += 1; });
    ok(is_each(a, 100000, 2) &&
           tweed::parallel_sum(a, [](int x) { return x; }) == 200000,
       "loops go over indices, and over elements");

    tweed::numa_array<int> b(std::move(a));
    ok(is_each(b, 100000, 2) && is_each(a, 0, 0), "moved by construction");
    a = std::move(b);
    b = tweed::numa_array<int>(50, four);
    ok(is_each(a, 100000, 2) && is_each(b, 50, 0), "moved by assignment, with a pool");

    tweed::numa_array<std::complex<double>> c(
        1000, four, tweed::loop_options().grain(10).schedule(TWEED_SCHEDULE_STATIC));
    tweed::numa_array<char> d(77, tweed::loop_options().max_workers(1));
    ok(c[999] == 0.0 && d[76] == 0 && c.size() == 1000 && d.size() == 77,
       "with options, and with both");
    ok(code_of([&] { tweed::numa_array<int> e(10, tweed::loop_options().grain(-1)); }) ==
           TWEED_EINVAL,
       "options that make no sense are thrown");
    failures += code_of([&] { tweed::numa_array<long> e(SIZE_MAX); }) != TWEED_ENOMEM;
    /* nearly all addresses: 32 bits of them have room for 2 GiB */
    failures += code_of([&] { tweed::numa_array<long> e(SIZE_MAX / sizeof(long)); }) !=
                TWEED_ENOMEM;
    failures += code_of([&] { tweed::numa_array<char> e(SIZE_MAX / 8 * 7); }) !=
                TWEED_ENOMEM;
    ok(failures == 0, "more than any memory is thrown");
    return done_testing();
}

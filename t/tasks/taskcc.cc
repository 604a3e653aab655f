/*
 * taskcc.cc - tasks from C++: types, templates' instances, no copies that C has not.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tap.h"

#include <cstdint>
#include <tweed.h>
#include <vector>

namespace
{
struct pair {
    int a, b;
    pair(int x, int y) : a(x), b(y) {}
};
} // namespace

TWEED_TASK(long, fib, int, n)
{
    if (n < 2)
        return n;
    TWEED_SPAWN(fib, n - 1);
    long b = TWEED_CALL(fib, n - 2);
    return TWEED_SYNC(fib) + b;
}

TWEED_TASK(void, fill, std::vector<int> *, v, size_t, lo, size_t, hi)
{
    if (hi - lo < 8) {
        for (size_t i = lo; i < hi; i++)
            (*v)[i]++;
        return;
    }
    size_t mid = lo + (hi - lo) / 2;

    TWEED_SPAWN(fill, v, lo, mid);
    TWEED_CALL(fill, v, mid, hi);
    TWEED_SYNC(fill);
}

TWEED_TASK(pair, swapped, pair, p)
{
    return pair(p.b, p.a);
}

TWEED_TASK(const int *, address, const int &, i)
{
    return &i;
}

TWEED_TASK(bool, references)
{
    int i = 0;

    TWEED_SPAWN(address, i);
    TWEED_SPAWN(swapped, pair(1, 2));
    pair p = TWEED_SYNC(swapped);
    return (p.a == 2) & (p.b == 1) & (TWEED_SYNC(address) == &i);
}

TWEED_TASK(void, nothing)
{
}

int main()
{
    std::vector<int> v(100000);
    bool once = true;

    plan(4);
    ok(TWEED_RUN(fib, 22) == 17711, "fib");
    TWEED_RUN(fill, &v, 0, v.size());
    for (int n : v)
        once &= n == 1;
    ok(once, "a task without result fills each element once");
    ok(TWEED_RUN(references), "a class without default constructor, a reference");
    TWEED_RUN(nothing);
    ok(true, "no arguments, no result");
    return done_testing();
}

/*
 * narrowcc.cc - sums of values that are narrower than an int, as narrow.c has them.
 *
 * SPDX-License-Identifier: MIT
 */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif
#include "tap.h"

#include <tweed.hpp>

static const int most = 3000;

template <class T> static int wrong_lengths()
{
    static T x[most];
    int wrong = 0;

    for (int n = 0; n <= most; n += n < 300 ? 1 : 100) {
        unsigned sum = 0;

        for (int i = 0; i < n; i++) {
            x[i] = static_cast<T>((i * 31 + n) % 101 - 50);
            sum += static_cast<unsigned>(x[i]);
        }
        wrong += tweed::parallel_sum(0, n, [](int i) { return x[i]; }) !=
                 static_cast<T>(sum);
    }
    return wrong;
}

int main()
{
    int wrong;

    plan(2);
    wrong = wrong_lengths<signed char>();
    ok(wrong == 0, "signed char: %d lengths with a wrong sum", wrong);
    wrong = wrong_lengths<short>();
    ok(wrong == 0, "short: %d lengths with a wrong sum", wrong);
    return done_testing();
}

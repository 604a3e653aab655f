/*
 * narrow.c - sums of values that are narrower than an int, where the compiler makes vectors.
 *
 * SPDX-License-Identifier: MIT
 *
 * gcc 12 has wrong sums of such lanes where it makes a vector of them, as at -O3: see
 * TWEED_END_LANES_ in tweed/partials.h.  This file is compiled so whatever CFLAGS say, and its
 * twin narrowcc.cc, too.
 */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif
#include "tap.h"

#include <stdint.h>
#include <tweed.h>

TWEED_SUM(signed char, sum_of_chars, i, const signed char *, x) { return x[i]; }
TWEED_SUM(short, sum_of_shorts, i, const short *, x) { return x[i]; }
TWEED_SUM(short, product_of_shorts, i, const short *, x, const short *, y)
{
    return (short)(x[i] * y[i]);
}
TWEED_SUM_2D(short, sum_of_rows, i, j, const short *, x, int64_t, width)
{
    return x[i * width + j];
}

#define MOST 3000

static signed char chars[MOST];
static short shorts[MOST];

/* Lengths of which any sum is not what a serial loop finds; one block, and as many as there
   are by themselves. */
static int wrong_lengths(int64_t grain)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    int wrong = 0;

    o.grain = grain;
    for (int n = 0; n <= MOST; n += n < 300 ? 1 : 100) {
        unsigned c = 0, s = 0, p = 0;
        signed char got_c;
        short got_s, got_p, got_r;

        for (int i = 0; i < n; i++) {
            chars[i] = (signed char)((i * 31 + n) % 101 - 50);
            shorts[i] = (short)(chars[i] * 300);
            c += (unsigned)chars[i];
            s += (unsigned)shorts[i];
            p += (unsigned)(short)(shorts[i] * shorts[i]);
        }
        must(sum_of_chars_with(NULL, &o, 0, n, chars, &got_c));
        must(sum_of_shorts_with(NULL, &o, 0, n, shorts, &got_s));
        must(product_of_shorts_with(NULL, &o, 0, n, shorts, shorts, &got_p));
        must(sum_of_rows_with(NULL, &o, 0, 1, 0, n, shorts, n, &got_r));
        wrong += (unsigned char)got_c != (unsigned char)c ||
                 (unsigned short)got_s != (unsigned short)s ||
                 (unsigned short)got_p != (unsigned short)p || got_r != got_s;
    }
    return wrong;
}

int main(void)
{
    int wrong;

    plan(2);
    wrong = wrong_lengths(2 * MOST);
    ok(wrong == 0, "one block: %d lengths with a wrong sum", wrong);
    wrong = wrong_lengths(0);
    ok(wrong == 0, "blocks: %d lengths with a wrong sum", wrong);
    return done_testing();
}

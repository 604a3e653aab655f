/*
 * weigh.c - shares that weigh the same, whatever the weights.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "draw.h"
#include "tap.h"

#include "range/deal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST 500
#define SHARES 40

static double weights[MOST];
static uint32_t ends[SHARES];

static struct tweed__body body_of(uint64_t count, uint64_t grain)
{
    return (struct tweed__body){ .lo = 1000, .count = count, .grain = grain,
                                 .blocks = partition_blocks(count, grain) };
}

/* The shares are all blocks, in their order. */
static bool cover(const struct tweed__body *b, uint32_t shares)
{
    for (uint32_t k = 0; k < shares; k++)
        if (ends[k] > b->blocks || (k > 0 && ends[k] < ends[k - 1]))
            return false;
    return ends[shares - 1] == b->blocks;
}

static long double weight_before(const struct tweed__body *b, uint32_t block)
{
    long double sum = 0;

    for (uint64_t k = 0; k < body_offset(b, block); k++)
        sum += (long double)weights[k];
    return sum;
}

/* Each share ends within half a block of where it is due. */
static bool is_fair(const struct tweed__body *b, uint32_t shares)
{
    long double all = weight_before(b, b->blocks), heaviest = 0;

    for (uint32_t k = 0; k < b->blocks; k++) {
        long double block = weight_before(b, k + 1) - weight_before(b, k);

        heaviest = block > heaviest ? block : heaviest;
    }
    for (uint32_t k = 0; k + 1 < shares; k++) {
        long double off = weight_before(b, ends[k]) - all * (k + 1) / shares;

        if (off > heaviest / 2 + all * 1e-12L || off < -heaviest / 2 - all * 1e-12L)
            return false;
    }
    return true;
}

static bool split(uint64_t count, uint64_t grain, uint32_t shares)
{
    struct tweed__body b = body_of(count, grain);
    struct tweed__weights w = { .each = weights };

    memset(ends, 0xff, sizeof ends);
    if (!tweed__deal_weigh(&w, &b) || !(w.total > 0) || !(w.total <= DBL_MAX))
        return false;
    tweed__deal_split(&w, &b, shares, NULL, ends);
    return cover(&b, shares) && is_fair(&b, shares);
}

/* From 0 to 1. */
static double fraction(void)
{
    static uint64_t state;

    return (double)(draw(&state) >> 11) / 0x1p53;
}

static void test_random(void)
{
    bool good = true;

    for (int n = 0; n < 3000; n++) {
        uint64_t count = 1 + (uint64_t)(fraction() * (MOST - 1));
        uint64_t grain = n % 3 ? 1 : 1 + (uint64_t)(fraction() * 20);
        double sparse = n % 4 ? 0 : 0.9, skew = 1 + n % 10;

        for (uint64_t k = 0; k < count; k++)
            weights[k] = fraction() < sparse ? 0 : pow(fraction(), skew) + 1e-9;
        weights[count - 1] = 1;
        good &= split(count, grain, 1 + (uint32_t)(fraction() * (SHARES - 1)));
    }
    ok(good, "random weights, grains and numbers of shares: all blocks, and fair");
}

static void fill(double x)
{
    for (int k = 0; k < MOST; k++)
        weights[k] = x;
}

/* With all weights x four shares of 100 indices are equal. */
static bool are_equal(double x)
{
    fill(x);
    return split(100, 1, 4) && ends[0] == 25 && ends[1] == 50 && ends[2] == 75;
}

static void test_extremes(void)
{
    fill(0);
    weights[70] = 1;
    ok(split(100, 1, 4) && ends[0] == 70 && ends[1] == 70 && ends[2] == 71,
       "one index weighs all: it is alone in its share");
    ok(split(100, 10, 4) && ends[0] == 7 && ends[1] == 7 && ends[2] == 8,
       "... or its block");
    ok(are_equal(1) && are_equal(3.7e-300) && are_equal(DBL_MAX),
       "equal weights: equal shares; no sum overflows");
    /* a quarter of a few of the least numbers is none */
    fill(DBL_TRUE_MIN);
    ok(split(100, 1, 4), "the least weights that there are");
    fill(1e-300);
    weights[0] = DBL_MAX;
    weights[99] = DBL_MAX;
    ok(split(100, 1, 2) && ends[0] >= 1 && ends[0] <= 99, "the least and the greatest");
    fill(1);
    ok(split(3, 1, 8), "fewer blocks than shares: some are empty");
    ok(split(MOST, 499, 2) && ends[0] == 1, "a last block that is shorter");
}

static bool is_refused(double x)
{
    struct tweed__body b = body_of(100, 1);
    struct tweed__weights w = { .each = weights };
    bool refused = true;

    for (int k = 0; k < 100; k += 33) {
        fill(1);
        weights[k] = x;
        refused &= !tweed__deal_weigh(&w, &b);
    }
    return refused;
}

static void test_refused(void)
{
    struct tweed__body b = body_of(100, 1);
    struct tweed__weights w = { .each = weights };

    ok(is_refused(-1) && is_refused(-DBL_TRUE_MIN), "negative: refused");
    ok(is_refused((double)INFINITY) && is_refused(-(double)INFINITY),
       "infinite: refused");
    ok(is_refused((double)NAN), "not a number: refused");
    fill(-0.0);
    ok(tweed__deal_weigh(&w, &b) && !(w.total > 0) && !(w.total < 0),
       "all zero: known to say nothing");
}

/* Equal weights, and workers who can do 1, 2 and 5. */
static void test_unequal(void)
{
    static const uint32_t before[] = { 0, 1, 3, 8 };
    struct tweed__body b = body_of(400, 1);
    struct tweed__weights w = { .each = weights };

    for (int k = 0; k < 400; k++)
        weights[k] = 0.5;
    ok(tweed__deal_weigh(&w, &b), "weights");
    tweed__deal_split(&w, &b, 3, before, ends);
    ok(ends[0] == 50 && ends[1] == 150 && ends[2] == 400, "shares of unequal workers");
}

int main(void)
{
    plan(14);
    test_random();
    test_extremes();
    test_refused();
    test_unequal();
    return done_testing();
}

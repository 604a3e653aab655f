/*
 * deal.c - how a loop is dealt out: blocks, shares and windows; shares that weigh the same.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "draw.h"
#include "tap.h"

#include "range/body.h"
#include "range/deal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MAX TWEED__MAX_BLOCKS

/* Shares of `blocks` on `places`: cover it, in order, and differ by one. */
static int spread(uint32_t blocks, uint32_t places)
{
    uint32_t least = blocks / places, most = least + (blocks % places != 0);

    if (partition_begin(blocks, 0, places) != 0 ||
        partition_begin(blocks, places, places) != blocks)
        return 0;
    for (uint32_t k = 0; k < places; k++) {
        uint32_t begin = partition_begin(blocks, k, places);
        uint32_t end = partition_begin(blocks, k + 1, places);

        if (end < begin || end - begin < least || end - begin > most)
            return 0;
    }
    return 1;
}

static void test_shares(void)
{
    static const uint32_t places[] = { 1, 2, 3, 7, 64, 1000, 4094 };
    static const uint32_t blocks[] = { 1,    2,    63,      64,      65,
                                       4093, 4095, 1000003, MAX - 1, MAX };
    int good = 1;

    for (uint32_t b = 0; b <= 200; b++)
        for (uint32_t p = 1; p <= 40; p++)
            good &= spread(b, p);
    ok(good, "up to 200 blocks on up to 40 places: shares differ by one");
    good = 1;
    for (size_t p = 0; p < sizeof places / sizeof *places; p++)
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
            good &= spread(blocks[b], places[p]);
    ok(good, "up to 2^26 - 2 blocks on up to 4094 places: the same");
    /* not all at one end: each half of the places gets half of the remainder */
    ok(partition_begin(70, 4, 8) == 35 && partition_begin(8 * 9 + 2, 4, 8) == 37,
       "the remainder is spread over the places");
}

static int grain_is(uint64_t count, uint64_t asked, uint64_t grain,
                    uint32_t blocks)
{
    uint64_t g = partition_grain(count, asked);
    uint32_t b = partition_blocks(count, g);

    if (g == grain && b == blocks)
        return 1;
    diag("%llu by %llu: grain %llu, %u blocks", (unsigned long long)count,
         (unsigned long long)asked, (unsigned long long)g, b);
    return 0;
}

/* Whatever the count and the grain asked for: the least multiple of it that gives
   no more blocks than there may be. */
static void raised(void)
{
    int good = 1;

    for (int bits = 1; bits <= 64; bits++)
        for (int less = -1; less <= 1; less++)
            for (uint64_t asked = 1; asked <= INT64_MAX / 3; asked += 1 + asked / 3) {
                uint64_t count = (UINT64_MAX >> (64 - bits)) + (uint64_t)less;
                uint64_t g = partition_grain(count ? count : 1, asked);
                uint64_t blocks = (count - 1) / g + 1;

                good &= g >= asked && g % asked == 0 && (!count || blocks <= MAX);
                if (count && g > asked)
                    good &= (count - 1) / (g - asked) + 1 > MAX;
            }
    ok(good && partition_grain(UINT64_MAX, INT64_MAX) == INT64_MAX,
       "up to 2^64 indices by a grain of up to 2^63: the least such multiple");
}

static void test_grain(void)
{
    ok(grain_is(1, 0, 1, 1) && grain_is(10, 0, 1, 10) &&
           grain_is(10, 1, 1, 10),
       "no grain is a grain of one");
    ok(grain_is(10, 3, 3, 4) && grain_is(9, 3, 3, 3) && grain_is(10, 10, 10, 1),
       "a last block may be shorter");
    ok(grain_is(10, UINT64_MAX, UINT64_MAX, 1), "a grain beyond the loop");
    ok(grain_is(MAX - 1, 0, 1, MAX - 1) && grain_is(MAX, 0, 1, MAX),
       "2^26 - 2 indices: a block each");
    ok(grain_is((uint64_t)MAX + 1, 0, 2, MAX / 2 + 1) &&
           grain_is((uint64_t)MAX + 1, 1, 2, MAX / 2 + 1),
       "one more: two indices a block");
    ok(grain_is((uint64_t)MAX * 2, 0, 2, MAX) &&
           grain_is((uint64_t)MAX * 2 + 1, 0, 3, (MAX * 2 + 1 + 2) / 3),
       "twice as many: two, one more: three");
    ok(partition_grain((uint64_t)MAX * 5, 7) == 7,
       "a grain asked for is not lowered");

    ok(grain_is(600000000, 8, 16, 37500000) &&
           grain_is(600000000, 9, 9, 66666667) &&
           grain_is((uint64_t)MAX * 8, 8, 8, MAX) &&
           grain_is((uint64_t)MAX * 8 + 1, 8, 16, MAX / 2 + 1) &&
           grain_is((uint64_t)MAX * 1000 + 1, 1000, 2000, MAX / 2 + 1) &&
           grain_is((uint64_t)MAX * 1000 + 1, 999, 1998, 33588020),
       "one that is too small is raised to a multiple of itself");
    raised();

    uint64_t g = partition_grain(UINT64_MAX, 0);
    uint32_t b = partition_blocks(UINT64_MAX, g);

    ok(b <= MAX && (g - 1) < UINT64_MAX / MAX + 1 &&
           partition_blocks(UINT64_MAX, g - 1) > MAX,
       "2^64 - 1 indices: the least grain that will do");

    struct tweed__body body = { .count = UINT64_MAX, .grain = g, .blocks = b };

    ok(body_offset(&body, 0) == 0 && body_offset(&body, b) == UINT64_MAX &&
           body_offset(&body, b - 1) < UINT64_MAX &&
           UINT64_MAX - body_offset(&body, b - 1) <= g,
       "2^64 - 1 indices: the last block ends with the loop");
}

/* ---- windows ---- */

#define MOST 12 /* workers of the windows that are looked at one by one */

/* How many places the window shall have. */
static int places(int workers, uint32_t blocks, int limit)
{
    int most = limit > 0 && limit < workers ? limit : workers;

    return blocks < (uint32_t)most ? (int)blocks : most;
}

/* Each place is another seat of these workers, the caller's is among them, and
   window_has() knows exactly these. */
static int seats_are_right(struct tweed__window w, int workers, int self)
{
    static unsigned char has[4094];

    for (int seat = 0; seat < workers; seat++)
        has[seat] = 0;
    for (int p = 0; p < w.count; p++) {
        int seat = window_seat(w, workers, p);

        if (seat < 0 || seat >= workers || has[seat]++)
            return 0;
    }
    for (int seat = 0; seat < workers; seat++)
        if (window_has(w, workers, seat) != has[seat])
            return 0;
    return has[self] == 1;
}

static int window_is_right(int workers, int self, uint32_t blocks, int limit,
                           unsigned turn)
{
    struct tweed__window w = partition_window(workers, self, blocks, limit, turn);

    return w.count == places(workers, blocks, limit) &&
           w.open == (limit <= 0 || limit >= workers) &&
           seats_are_right(w, workers, self);
}

/* Seats that each have a share in one of these many turns at most, but for the
   caller's: true. */
static int turns_differ(int workers, int self, uint32_t blocks, int turns)
{
    unsigned char shares[MOST] = { 0 };

    for (int t = 0; t < turns; t++) {
        struct tweed__window w =
            partition_window(workers, self, blocks, 0, (unsigned)t);

        for (int p = 0; p < w.count; p++)
            shares[window_seat(w, workers, p)]++;
    }
    for (int seat = 0; seat < workers; seat++)
        if (shares[seat] > 1 && seat != self)
            return 0;
    return shares[self] == turns;
}

/* Loops with fewer blocks than there are workers, each of the next turn: as long as
   there are workers enough, none is given shares in two of them. */
static void test_turns(void)
{
    int good = 1;

    for (int workers = 2; workers <= MOST; workers++)
        for (int self = 0; self < workers; self++)
            for (int blocks = 2; blocks < workers; blocks++)
                good &= turns_differ(workers, self, (uint32_t)blocks,
                                     (workers - 1) / (blocks - 1));
    ok(good, "windows of loops that follow each other have other workers");
}

static void test_all_seats(void)
{
    struct tweed__window w = partition_window(5, 3, 5, 0, 7);
    int good = w.count == 5;

    for (int p = 0; p < 5; p++)
        good &= window_seat(w, 5, p) == p;
    ok(good, "of all workers: place p is seat p, whoever calls");
    w = partition_window(5, 3, 4, 0, 7);
    ok(w.count == 4 && window_seat(w, 5, 0) == 3,
       "of some: the caller's place is the first");
}

static void test_windows(void)
{
    int good = 1;

    for (int workers = 1; workers <= MOST; workers++)
        for (int self = 0; self < workers; self++)
            for (uint32_t blocks = 1; blocks <= 14; blocks++)
                for (int limit = 0; limit <= 13; limit++)
                    for (unsigned turn = 0; turn < 64; turn += 1 + turn / 3)
                        good &= window_is_right(workers, self, blocks, limit,
                                                turn);
    ok(good, "windows of up to 12 workers: right size, open without a limit only, "
             "each seat once, self among them");
    ok(window_is_right(4094, 4093, 1, 0, 63) &&
           window_is_right(4094, 4093, 4000, 0, 63) &&
           window_is_right(4094, 4093, 4093, 0, 62) &&
           window_is_right(4094, 1, MAX, INT32_MAX, 5) &&
           window_is_right(4094, 2000, MAX, 4093, 63) &&
           window_is_right(4094, 0, MAX, 0, 0),
       "windows of 4094 workers");
    test_all_seats();
    test_turns();
}

/* ---- shares by weight ---- */

#define INDICES 500
#define SHARES 40

static double weights[INDICES];
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
        uint64_t count = 1 + (uint64_t)(fraction() * (INDICES - 1));
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
    for (int k = 0; k < INDICES; k++)
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
    bool good;

    fill(0);
    weights[70] = 1;
    ok(split(100, 1, 4) && ends[0] == 70 && ends[1] == 70 && ends[2] == 71,
       "one index weighs all: it is alone in its share");
    ok(split(100, 10, 4) && ends[0] == 7 && ends[1] == 7 && ends[2] == 8,
       "... or its block");
    ok(are_equal(1) && are_equal(3.7e-300) && are_equal(DBL_MAX),
       "equal weights: equal shares; no sum overflows");
    /* halves and fifths of the least numbers are none */
    fill(DBL_TRUE_MIN);
    good = split(100, 1, 4);
    fill(3 * DBL_TRUE_MIN);
    ok(good && split(9, 1, 5), "the least weights that there are");
    fill(1e-300);
    weights[0] = DBL_MAX;
    weights[99] = DBL_MAX;
    ok(split(100, 1, 2) && ends[0] >= 1 && ends[0] <= 99, "the least and the greatest");
    fill(1);
    ok(split(3, 1, 8), "fewer blocks than shares: some are empty");
    ok(split(INDICES, 499, 2) && ends[0] == 1, "a last block that is shorter");
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

/* A worker without a share may steal one, and executes all of it alone. */
static void test_few(void)
{
    struct tweed__body few = body_of(15, 1), more = body_of(16, 1);
    const uint32_t *dealt = ends;
    bool good;

    fill(1);
    weights[0] = 1000;
    good = tweed__deal_by_weight(&few, weights, 64, 0, NULL, ends, &dealt) && !dealt;
    good &= tweed__deal_by_weight(&few, weights, 15, 0, NULL, ends, &dealt) && !dealt;
    ok(good, "no more blocks than shares: each share is one block");
    ok(tweed__deal_by_weight(&more, weights, 15, 0, NULL, ends, &dealt) && dealt == ends &&
           cover(&more, 15) && is_fair(&more, 15),
       "... one more: by weight");
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
    plan(19 + 16);
    test_shares();
    test_grain();
    test_windows();
    test_random();
    test_extremes();
    test_refused();
    test_few();
    test_unequal();
    return done_testing();
}

/*
 * partition.c - how a loop is cut into blocks, shares and windows.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "tap.h"

#include "body.h"
#include "partition.h"

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

/* A range body's grain, w workers, before and after it is made sound. */
static int range_grain_is(uint64_t count, int w, uint64_t wanted)
{
    uint64_t least = partition_range_grain(count, w);
    uint64_t grain = partition_grain(count, least);
    uint32_t blocks = partition_blocks(count, grain);

    if (least == wanted && grain == (wanted ? wanted : 1) && blocks <= MAX)
        return 1;
    diag("%llu on %d: grain %llu, then %llu, %u blocks",
         (unsigned long long)count, w, (unsigned long long)least,
         (unsigned long long)grain, blocks);
    return 0;
}

static void test_range_grain(void)
{
    static const int workers[] = { 1, 4094 };

    for (int k = 0; k < 2; k++) {
        int w = workers[k];
        uint64_t many = 1024 * (uint64_t)w; /* blocks of so many shares */

        ok(range_grain_is(1, w, 0) && range_grain_is(many - 1, w, 0),
           "range bodies, %d workers: below 1024 indices a share one each", w);
        ok(range_grain_is(many, w, 1) &&
               range_grain_is(many / 1024 * 2047, w, 1) &&
               range_grain_is(2 * many - 1, w, 1) &&
               range_grain_is(2 * many, w, 2),
           "range bodies, %d workers: a 1024th of a share, rounded down", w);
        ok(range_grain_is(UINT64_MAX, w, UINT64_MAX / many),
           "range bodies, %d workers: of 2^64 - 1 indices", w);
    }
}

/* Within the workers, as many as can be used, self among them, and the caller
   from outside only in its own loops. */
static int window_is_right(int workers, int self, uint32_t blocks, int limit)
{
    struct tweed__window w = partition_window(workers, self, blocks, limit);
    int most = workers - (self > 0);

    if (limit > 0 && limit < most)
        most = limit;
    if (blocks < (uint32_t)most)
        most = (int)blocks;
    return w.count == most && w.first >= (self > 0) &&
           w.first + w.count <= workers && self >= w.first &&
           self < w.first + w.count;
}

static void test_windows(void)
{
    int good = 1;

    for (int workers = 1; workers <= 12; workers++)
        for (int self = 0; self < workers; self++)
            for (uint32_t blocks = 1; blocks <= 14; blocks++)
                for (int limit = 0; limit <= 13; limit++)
                    good &= window_is_right(workers, self, blocks, limit);
    ok(good, "windows of up to 12 workers: right size, self in it");
    ok(window_is_right(4094, 4093, 1, 0) &&
           window_is_right(4094, 4093, 4000, 0) &&
           window_is_right(4094, 1, MAX, INT32_MAX) &&
           window_is_right(4094, 0, MAX, 0),
       "windows of 4094 workers");
}

int main(void)
{
    plan(22);
    test_shares();
    test_grain();
    test_range_grain();
    test_windows();
    return done_testing();
}

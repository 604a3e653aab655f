/*
 * history.c - which shares follow from what runs have shown, and how many loops are
 * remembered.
 *
 * SPDX-License-Identifier: MIT
 *
 * Workers are made up: each has a rate, and a run with some shares shows for each worker
 * by how much it was too quick, or too slow, for its share.  No time is measured.
 */
#include "config.h"

#include "draw.h"
#include "tap.h"

#include "history.h"

#include <string.h>

#define MOST 40
#define WHOLE 1e9 /* blocks, where they do not matter */

static struct tweed__history history;
static struct tweed__past loop = { .label = 7, .lo = 100, .count = 1000 };
static const uint32_t *plain;
static uint32_t before[MOST + 1], kept[MOST + 1];
static int workers;

/* Nothing is known any more. */
static void begin(int n, const uint32_t *parts)
{
    tweed__history_end(&history);
    memset(&history, 0, sizeof history);
    tweed__history_begin(&history);
    loop.placement = 0;
    workers = n;
    plain = parts;
}

static double part(const uint32_t *of, int w)
{
    return of[w + 1] - of[w];
}

static double plain_part(int w)
{
    return plain ? part(plain, w) : TWEED__ALIKE;
}

static bool recall(void)
{
    return tweed__history_recall(&history, &loop, plain, workers, before);
}

/* One run, of workers with these rates; the speeds are apart from the truth by a factor of
   up to 1 + noise.  True: there is more to learn. */
static bool run(const double *rate, double blocks, double noise)
{
    static uint64_t state;
    double speed[MOST], all = 0, sum = 0;

    if (!recall())
        return false;
    for (int w = 0; w < workers; w++) {
        all += part(before, w);
        sum += rate[w];
    }
    for (int w = 0; w < workers; w++) {
        double off = 1 + noise * (double)(draw(&state) >> 11) / 0x1p53;

        speed[w] = rate[w] / sum * all / part(before, w) *
                   (draw(&state) & 1 ? off : 1 / off);
    }
    tweed__history_learn(&history, &loop, plain, workers, before, speed, 1 / blocks);
    return true;
}

/* How many runs there are until the shares are settled. */
static int settle(const double *rate, double blocks, double noise)
{
    int runs = 0;

    while (runs < 100 && run(rate, blocks, noise))
        runs++;
    return runs;
}

static double far(double x, double y)
{
    return x > y ? x / y - 1 : y / x - 1;
}

/* Are all parts in proportion to these, but for so much? */
static bool are_like(const double *rate, double but)
{
    double all = 0, sum = 0;
    bool good = true;

    for (int w = 0; w < workers; w++) {
        all += part(before, w);
        sum += rate[w];
    }
    for (int w = 0; w < workers; w++)
        good &= far(part(before, w), rate[w] / sum * all) <= but;
    return good;
}

static bool are_plain(void)
{
    bool good = true;

    for (int w = 0; w < workers; w++)
        good &= part(before, w) == plain_part(w);
    return good;
}

/* No part is less than half the plain one, or more than twice, and the sum is the same:
   but for rounding. */
static bool are_bounded(void)
{
    double sum = 0;
    bool good = true;

    for (int w = 0; w < workers; w++) {
        good &= part(before, w) >= plain_part(w) / 2 - 1;
        good &= part(before, w) <= plain_part(w) * 2 + 1;
        sum += plain_part(w);
    }
    return good && far(sum, before[workers]) < 1e-4;
}

static void test_settles(void)
{
    static const double unequal[] = { 3, 4, 5, 4 }, equal[] = { 1, 1, 1, 1 };
    int runs;

    begin(4, NULL);
    ok(recall() && are_plain(), "of a loop that is not known shares are plain");
    run(unequal, WHOLE, 0);
    ok(recall() && are_plain(), "its first run is not believed");
    runs = settle(unequal, WHOLE, 0);
    ok(runs > 3 && runs < 10 && are_like(unequal, 0.05),
       "shares come to what workers can do, and settle");
    memcpy(kept, before, sizeof kept);
    ok(settle(equal, WHOLE, 0) == 0 && memcmp(kept, before, sizeof kept) == 0,
       "what is settled stays, whatever is measured");
    for (int k = 0; k < 10; k++)
        tweed__history_learn(&history, &loop, plain, workers, before, unequal, 0);
    ok(!recall() && memcmp(kept, before, sizeof kept) == 0,
       "also for a run that began before");
    begin(4, NULL);
    ok(settle(unequal, WHOLE, 0) == runs + 1 && memcmp(kept, before, sizeof kept) == 0,
       "the same runs give the same shares");
    begin(4, NULL);
    ok(settle(equal, WHOLE, 0) == 4 && are_plain(),
       "where shares are right the fourth run settles them");
}

static void test_bounds(void)
{
    static const double slow[] = { 100, 100, 1, 100 }, quick[] = { 1, 1, 100, 1 };
    static const double none[] = { 1, 0, 1, 1 };
    bool good;

    begin(4, NULL);
    good = true;
    while (run(slow, WHOLE, 0))
        good &= are_bounded();
    ok(good && are_bounded() && far(part(before, 2), TWEED__ALIKE / 2) < 0.01,
       "a very slow worker keeps half its share");
    begin(4, NULL);
    while (run(quick, WHOLE, 0))
        good &= are_bounded();
    ok(good && are_bounded() && far(part(before, 2), TWEED__ALIKE * 2) < 0.01,
       "a very quick one gets no more than twice its share");
    begin(4, NULL);
    ok(settle(none, WHOLE, 0) < 20 && are_bounded() &&
           far(part(before, 1), TWEED__ALIKE / 2) < 0.01,
       "one that has done nothing, too");
    begin(4, NULL);
    run(slow, WHOLE, 0);
    run(slow, WHOLE, 0);
    recall();
    ok(part(before, 2) >= TWEED__ALIKE * 0.74, "one run takes no more than a quarter of a share");
}

/* CPUs that are known to be unequal, of which one is slower than that. */
static void test_unequal(void)
{
    static const uint32_t parts[] = { 0, 800, 1600, 2000, 2400 };
    static const double as_said[] = { 2, 2, 1, 1 }, other[] = { 2, 1.5, 1, 1 };
    static const double reverse[] = { 1, 1, 8, 8 };

    begin(4, parts);
    ok(settle(as_said, WHOLE, 0) == 4 && are_plain(),
       "unequal CPUs that are as the system says: nothing changes");
    begin(4, parts);
    ok(settle(other, WHOLE, 0) < 12 && are_like(other, 0.05), "one that is slower than that");
    begin(4, parts);
    ok(settle(reverse, WHOLE, 0) <= 33 && are_bounded() &&
           far(part(before, 0), 400) < 0.01 && far(part(before, 2), 800) < 0.01,
       "the bounds are of what the system says");
}

/* Whatever is measured, shares settle within 33 runs. */
static void test_noise(void)
{
    double rate[MOST];
    static uint64_t state;
    bool good = true, near = true;

    for (int n = 0; n < 300; n++) {
        begin(2 + n % (MOST - 1), NULL);
        for (int w = 0; w < workers; w++)
            rate[w] = 1 + (double)(draw(&state) % 1000) / 2000;
        good &= settle(rate, WHOLE, n % 3 ? 0.2 : 3) <= 33 && are_bounded();
        near &= n % 3 == 0 || are_like(rate, 0.25);
    }
    ok(good, "with noise shares settle after 33 runs, and are bounded");
    ok(near, "little noise is averaged out");
}

/* Of ten blocks a share cannot be said more exactly than by one. */
static void test_blocks(void)
{
    static const double unequal[] = { 9, 10, 11, 10 };

    begin(4, NULL);
    ok(settle(unequal, 36, 0) == 4, "what is less than a block is no difference");
    begin(4, NULL);
    ok(settle(unequal, WHOLE, 0) > 4, "among many blocks it is one");
}

static void test_forgets(void)
{
    static const double unequal[] = { 2, 3 };
    struct tweed__past early;

    begin(2, NULL);
    settle(unequal, WHOLE, 0);
    early = loop;
    tweed__history_forget(&history);
    loop.placement = 1;
    ok(recall() && are_plain(), "when workers have moved nothing is known");
    run(unequal, WHOLE, 0);
    for (int k = 0; k < 9; k++)
        tweed__history_learn(&history, &early, plain, workers, before, unequal, 0);
    ok(recall() && are_plain(), "runs that began before that are not learnt");
    ok(settle(unequal, WHOLE, 0) > 3 && are_like(unequal, 0.05), "it is learnt anew");
}

static bool is_settled(unsigned label)
{
    loop.label = label;
    return !recall();
}

static int how_many_settled(unsigned from, unsigned to)
{
    int n = 0;

    for (unsigned label = from; label < to; label++)
        n += is_settled(label);
    return n;
}

static void test_table(void)
{
    static const double unequal[] = { 2, 3 };
    struct tweed__past other = loop;

    begin(2, NULL);
    settle(unequal, WHOLE, 0);
    loop.lo++;
    ok(recall() && are_plain(), "other bounds are another loop");
    loop.lo--;
    loop.count++;
    ok(recall() && are_plain(), "so is another length");
    loop.count--;
    ok(!recall(), "the first is known");
    for (loop.label = 100; loop.label < 100 + TWEED__REMEMBERED - 1; loop.label++)
        settle(unequal, WHOLE, 0);
    ok(is_settled(other.label) &&
           how_many_settled(100, 100 + TWEED__REMEMBERED - 1) == TWEED__REMEMBERED - 1,
       "64 loops are remembered");
    (void)is_settled(other.label); /* used: not the oldest now */
    loop.label = 1000;
    settle(unequal, WHOLE, 0);
    ok(is_settled(1000) && is_settled(other.label) && is_settled(101) && !is_settled(100),
       "for one more the one goes that was not used for longest");
}

int main(void)
{
    plan(26);
    test_settles();
    test_bounds();
    test_unequal();
    test_noise();
    test_blocks();
    test_forgets();
    test_table();
    tweed__history_end(&history);
    return done_testing();
}

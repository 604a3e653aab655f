/*
 * basic.c - every index once, whatever the loop's shape.
 *
 * SPDX-License-Identifier: MIT
 */
#include "forms.h"

#include <string.h>

#define MOST 100000

static unsigned char count[MOST + 2];

static void each(int64_t i, void *arg)
{
    unsigned char *c = arg;

    c[i]++;
}

static void range(int64_t begin, int64_t end, void *arg)
{
    unsigned char *c = arg;

    if (begin >= end)
        c[0] = 100; /* an empty piece is a mistake */
    for (int64_t i = begin; i < end; i++)
        c[i]++;
}

/* count[0] and count[n + 1] are guards; the loop runs over [1, n + 1). */
static int once(int n)
{
    for (int i = 1; i <= n; i++)
        if (count[i] != 1)
            return 0;
    return count[0] == 0 && count[n + 1] == 0;
}

static int run(int form, int n, int64_t grain, int limit)
{
    tweed_loop_options o = { .size = sizeof o,
                             .grain = grain,
                             .max_workers = limit };

    memset(count, 0, sizeof count);
    return run_form(form, NULL, &o, 1, n + 1, each, count) == TWEED_OK && once(n);
}

int main(void)
{
    static const int sizes[] = { 0,   1,   2,    3,    4,     5,    7,
                                 16,  17,  63,   64,   65,    100,  1000,
                                 999, 997, 4096, 4097, 65537, MOST, 12345 };
    static const int64_t grains[] = { 0, 1, 2, 3, 7, 64, MOST, INT64_MAX };
    int num_sizes = sizeof sizes / sizeof *sizes;
    int num_grains = sizeof grains / sizeof *grains;

    plan(FORMS * num_sizes + 2);
    watchdog();
    for (int f = 0; f < FORMS; f++) {
        for (int s = 0; s < num_sizes; s++) {
            int good = 1;

            for (int g = 0; g < num_grains; g++)
                for (int limit = 0; limit <= 3; limit++)
                    good &= run(f, sizes[s], grains[g], limit);
            ok(good, "%d indices, %s, all grains and limits: once each",
               sizes[s], forms[f].name);
        }
    }
    memset(count, 0, sizeof count);
    ok(tweed_parallel_for(1, MOST + 1, each, count) == TWEED_OK && once(MOST),
       "tweed_parallel_for: once each");
    memset(count, 0, sizeof count);
    ok(tweed_parallel_for_range(1, MOST + 1, range, count) == TWEED_OK &&
           once(MOST),
       "tweed_parallel_for_range: once each");
    return done_testing();
}

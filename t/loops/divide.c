/*
 * divide.c - any number of indices over any number of workers, and the shares
 * are always the same; so are the blocks of a reduction.
 *
 * SPDX-License-Identifier: MIT
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "forms.h"

#include <string.h>

#define MOST_WORKERS 17
#define MOST 1000

static unsigned char count[MOST];

static void each(int64_t i, void *arg)
{
    (void)arg;
    count[i]++;
}

static int once(int n)
{
    for (int i = 0; i < MOST; i++)
        if (count[i] != (i < n))
            return 0;
    memset(count, 0, sizeof count);
    return 1;
}

static int covered(tweed_pool *pool, int n)
{
    int good = 1;

    for (int f = 0; f < FORMS; f++) {
        good &= run_form(f, pool, NULL, 0, n, each, NULL) == TWEED_OK;
        good &= once(n);
    }
    return good;
}

/*
 * The share of a worker begins with the first index it runs, if nobody has come
 * before it.  So nobody's first body ends before all have begun theirs.
 */
static struct {
    int workers;
    atomic_int begun, bad;
    int64_t first[MOST_WORKERS];
    unsigned char came[MOST_WORKERS];
} meet;

static void meeting(int64_t i, void *arg)
{
    int w = tweed_worker_index();

    each(i, arg);
    if (w < 0 || w >= meet.workers) {
        atomic_fetch_add(&meet.bad, 1);
    } else if (!meet.came[w]) {
        meet.came[w] = 1;
        meet.first[w] = i;
        atomic_fetch_add(&meet.begun, 1);
        while (atomic_load(&meet.begun) < meet.workers)
            nap_us(50);
    }
}

/* Equal parts, in the workers' order, that differ by one block at most. */
static int shares(tweed_pool *pool, int workers, int n, int64_t grain)
{
    tweed_loop_options o = { .size = sizeof o, .grain = grain };
    int64_t blocks = (n + grain - 1) / grain;
    int good;

    memset(&meet, 0, sizeof meet);
    meet.workers = workers;
    good = tweed_parallel_for_with(pool, &o, 0, n, meeting, NULL) == TWEED_OK;
    for (int w = 0; w < workers; w++)
        good &= meet.first[w] == blocks * w / workers * grain;
    return good & once(n) & (atomic_load(&meet.bad) == 0);
}

/* The blocks of a reduction, by the number of its indices alone: a program's results depend
   on them. */
static void blocks_of_reductions(void)
{
    static const struct {
        uint64_t count, grain;
    } of_doubles[] = { { 1, 1 },          { 256, 1 },         { 257, 2 },
                       { 4096, 16 },      { 4097, 32 },       { 8192, 32 },
                       { 16384, 32 },     { 16385, 64 },      { 65536, 64 },
                       { 65537, 128 },    { 1 << 26, 2048 },  { UINT64_C(1) << 40, 1 << 25 } };
    int as_said = 1;

    for (size_t k = 0; k < sizeof of_doubles / sizeof *of_doubles; k++)
        if (tweed_reduction_grain_(of_doubles[k].count, 0, 8) != of_doubles[k].grain) {
            diag("%lld indices: blocks of %lld", (long long)of_doubles[k].count,
                 (long long)tweed_reduction_grain_(of_doubles[k].count, 0, 8));
            as_said = 0;
        }
    ok(as_said, "the blocks of a reduction");
    ok(tweed_reduction_grain_(65536, 0, 1024) == 256 &&
           tweed_reduction_grain_(65536, 0, 8192) == 1024,
       "larger elements: 256 KiB of them, or 64");
    ok(tweed_reduction_grain_(1000, 7, 8) == 7 && tweed_reduction_grain_(1000000, 7, 8) == 56,
       "the option grain: multiples, 32,768 blocks at most");
}

int main(void)
{
    static const int sizes[] = { 97, 127, 128, 129, 255, 257, 509, 997, MOST };

    plan(2 * MOST_WORKERS + 3);
    watchdog();
    for (int w = 1; w <= MOST_WORKERS; w++) {
        tweed_pool *pool = pool_fenced(w, w % 2 ? TWEED_FENCE_EXCHANGE : TWEED_FENCE_MEMBARRIER);
        int good = 1;

        for (int n = 0; n <= 3 * w + 1; n++)
            good &= covered(pool, n);
        for (int s = 0; s < (int)(sizeof sizes / sizeof *sizes); s++)
            good &= covered(pool, sizes[s]);
        ok(good, "%d workers, 0 to %d indices and more: each once", w,
           3 * w + 1);
        good = 1;
        for (int again = 0; again < 5; again++)
            good &= shares(pool, w, w, 1) && shares(pool, w, 3 * w - 1, 1) &&
                    shares(pool, w, 997, 1) && shares(pool, w, 997, 7);
        ok(good, "%d workers: the same shares every time", w);
        tweed_pool_destroy(pool);
    }
    blocks_of_reductions();
    return done_testing();
}

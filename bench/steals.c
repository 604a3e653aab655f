/*
 * steals.c - what it costs to get at a range that somebody else holds.
 *
 * SPDX-License-Identifier: MIT
 *
 * Loops in which some shares have all the work, so that the other workers must
 * take it from an owner that is, then, in a body: in a short one, a long one,
 * or in one that is as long as the rest of its share.  The serial time over the
 * workers is the ideal; what is more is the price of the steals that tweed
 * counts beside it.
 */
#include "bench.h"
#include "suite.h"

#define MOST_WORKERS 4096
#define SHARE 1000 /* indices of a share */
#define SHARE_NS 1e6

enum where { SHORT, LONG, FRONT };

struct steals {
    enum where where;
    int64_t share;       /* indices of each */
    uint32_t turns;      /* of an index with work */
    unsigned char *done; /* how often an index ran, modulo 256 */
    unsigned char expected;
    int64_t marked; /* so many of these are in use */
};

static void *prepare(enum bench_size size, int variant)
{
    struct steals *s = bench_alloc(sizeof *s);

    (void)size;
    if (!s)
        return NULL;
    s->where = (enum where)variant;
    s->share = s->where == LONG ? SHARE / 50 : SHARE;
    s->turns = bench_turns(SHARE_NS / (double)s->share);
    s->done = bench_alloc((size_t)SHARE * MOST_WORKERS);
    return s->done ? s : NULL;
}

/* Every second share has work, or has it in its first index. */
static void body(int64_t i, void *arg)
{
    struct steals *s = arg;
    bool first = i % s->share == 0, even = i / s->share % 2 == 0;

    if (s->where == FRONT)
        bench_spin(first && even ? s->turns * (uint32_t)s->share : s->turns);
    else if (even)
        bench_spin(s->turns);
    s->done[i]++;
}

static double run(void *input, const struct bench_loop *loop)
{
    struct steals *s = input;
    double start = bench_now();

    bench_for(loop, 0, s->share * loop->shares, body, s);
    s->expected++;
    s->marked = s->share * loop->shares;
    return bench_now() - start;
}

static double answer(void *input)
{
    const struct steals *s = input;

    return bench_marked(s->done, s->marked, s->expected);
}

static double heaviest(const void *input)
{
    (void)input;
    return 0;
}

#define STEALS(where, title, text)                                             \
    { .name = title, .group = "overhead", .form = "index",                     \
      .unit = "us a loop", .scale = 1e6, .what = text, .quick = true,          \
      .variant = where, .prepare = prepare, .run = run, .answer = answer,      \
      .heaviest = heaviest }

const struct bench_kernel bench_steals[] = {
    STEALS(SHORT, "steal-short", "every second share has 1 ms of work, 1 us each"),
    STEALS(LONG, "steal-long", "every second share has 1 ms of work, 50 us each"),
    STEALS(FRONT, "steal-front",
           "the first index of every second share takes 1 ms, all others 1 us"),
    { .name = NULL },
};

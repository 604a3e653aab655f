/*
 * loop.c - a loop chosen by its seed, and its bodies.
 *
 * SPDX-License-Identifier: MIT
 *
 * Most loops are small, since it is there that owner and thief meet; a few are
 * of millions of index bodies, some of up to the whole span of range bodies.
 */
#include "config.h"

#include "soak.h"

#include <stdio.h>

#define TINY 64 /* most indices of a small or nesting loop */
#define SMALL 4096
#define SPREAD 8192 /* of so many loops on average */
#define HUGE_LOOPS 4 /* ... are of millions of index bodies */
#define WIDE_LOOPS 80 /* ... of 2^26 indices and more, in range bodies */
#define SMALL_LOOPS 300

static void inner(const struct loop *outer, uint64_t k);

/* What an index costs: nothing, or steps of useless work, or a nap; now and
   then an inner loop. */
static void spend(const struct loop *l, uint64_t k)
{
    uint64_t state = l->seed ^ k * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t steps;

    if (l->nest_every && below(&state, l->nest_every) == 0)
        inner(l, k);
    if (l->nap_every && below(&state, l->nap_every) == 0) {
        add(&totals.naps, 1);
        nap(20 + (long)below(&state, 300));
    }
    steps = l->cost * (k < l->n / 8 ? l->skew : 1);
    if (l->uneven)
        steps *= below(&state, 4) ? 0 : 4;
    for (; steps > 0; steps--)
        __asm__ volatile("" : : "r"(steps));
}

static void each_body(int64_t i, void *arg)
{
    struct loop *l = arg;

    account_index(l, i);
    if (l->nest_every | l->nap_every | l->cost)
        spend(l, (uint64_t)i - (uint64_t)l->lo);
}

static void range_body(int64_t begin, int64_t end, void *arg)
{
    struct loop *l = arg;
    uint64_t from = (uint64_t)begin - (uint64_t)l->lo;
    uint64_t to = (uint64_t)end - (uint64_t)l->lo;

    account_range(l, begin, end);
    if (l->n > SMALL) /* once a run, whatever its length */
        to = from + 1;
    for (; from < to; from++)
        spend(l, from);
}

/* ---- choosing ---- */

static int any_place(uint64_t *state)
{
    if (below(state, 64) == 0)
        return PLACES - 1;
    return (int)below(state, PLACES - 1);
}

static uint64_t tiny(uint64_t *state)
{
    uint64_t n;

    switch (below(state, 4)) {
    case 0: /* less than workers */
        return below(state, 5);
    case 1: /* beside a multiple of them */
        n = (1 + below(state, 9)) * (1 + below(state, 7));
        return n - 1 + below(state, 3);
    default:
        return below(state, TINY + 1);
    }
}

static void choose_size(struct loop *l, uint64_t *state)
{
    uint32_t lot = below(state, SPREAD);

    if (l->depth > 0 || l->outer_place >= 0)
        lot = SPREAD;
    if (lot < HUGE_LOOPS) {
        l->n = (1000000 + below(state, 9000001)) / SLOWER;
        l->ranges = false;
    } else if (lot < HUGE_LOOPS + WIDE_LOOPS) {
        l->n = (UINT64_MAX >> below(state, 8) * 5) - below(state, 1000);
        l->n = l->n >> below(state, 5) | UINT64_C(1) << 26;
        l->ranges = true;
    } else if (lot < HUGE_LOOPS + WIDE_LOOPS + SMALL_LOOPS) {
        l->n = below(state, SMALL + 1);
    } else {
        l->n = tiny(state);
    }
}

static void choose_bounds(struct loop *l, uint64_t *state)
{
    uint64_t lo;

    switch (below(state, 5)) {
    case 0:
        lo = 0 - below(state, 100);
        break;
    case 1:
        lo = (uint64_t)INT64_MIN;
        break;
    case 2:
        lo = (uint64_t)INT64_MAX - l->n;
        break;
    default:
        lo = draw(state);
    }
    l->lo = (int64_t)lo;
    if (l->n > (uint64_t)INT64_MAX - lo) /* the loop would run over the end */
        l->lo = (int64_t)((uint64_t)INT64_MAX - l->n);
    l->hi = (int64_t)((uint64_t)l->lo + l->n);
    if (l->n == 0 && l->hi > INT64_MIN && below(state, 2))
        l->hi = below(state, 2) ? INT64_MIN : l->hi - 1; /* reversed */
}

static void choose_cost(struct loop *l, uint64_t *state)
{
    uint32_t kind = below(state, 64);

    l->skew = 1;
    if (l->n > SMALL && !l->ranges)
        return;
    if (kind < 32) /* up to some us: longer than thieves' patience and fences */
        l->cost = below(state, 20000) >> below(state, 8);
    if (kind < 8)
        l->skew = 10;
    l->uneven = kind >= 16 && kind < 32;
    if (kind == 63)
        l->nap_every = 1 + below(state, 32);
    if (l->n > 256) {
        l->cost /= l->ranges ? 1 : 16;
        l->nap_every *= 64;
    }
}

/* outer: the loop in whose body it runs, or NULL. */
static void choose(struct loop *l, uint64_t seed, const struct loop *outer)
{
    uint64_t state = seed;

    l->seed = seed;
    l->place = any_place(&state);
    l->outer_place = outer ? outer->place : -1;
    l->depth = below(&state, 8) ? 0 : 1 + (int)below(&state, 3);
    if (outer) {
        uint32_t lot = below(&state, 4);

        l->depth = outer->depth - 1;
        if (lot == 0)
            l->place = outer->place;
        else if (lot == 1 && outer->outer_place >= 0)
            l->place = outer->outer_place; /* A calls B calls A */
    }
    l->ranges = below(&state, 3) == 0;
    choose_size(l, &state);
    choose_bounds(l, &state);
    choose_cost(l, &state);
    if (l->depth > 0)
        l->nest_every = 1 + (uint32_t)l->n / 2;
    snprintf(l->name, sizeof l->name, "%016" PRIx64, seed);
    l->options = (tweed_loop_options){
        .size = sizeof l->options,
        .grain = any_grain(&state),
        .max_workers = below(&state, 2) ? 0 : (int)below(&state, 12),
        .name = l->name
    };
}

void loop_print(const struct loop *l)
{
    say("  loop %s: [%" PRId64 ", %" PRId64 "), %" PRIu64 " indices, %s body, "
        "grain %" PRId64 ", max_workers %d, on pool %d, inside of pool %d, "
        "depth %d, cost %u x %u%s, naps 1/%u, inner 1/%u\n",
        l->name, l->lo, l->hi, l->n, l->ranges ? "range" : "index",
        l->options.grain, l->options.max_workers, l->place, l->outer_place,
        l->depth, (unsigned)l->cost, (unsigned)l->skew,
        l->uneven ? " uneven" : "", (unsigned)l->nap_every,
        (unsigned)l->nest_every);
}

/* ---- running ---- */

static void count(const struct loop *l)
{
    add(&totals.loops, 1);
    add(&totals.all, l->n);
    if (l->outer_place >= 0)
        add(&totals.inner, 1);
    if (l->n == 0)
        add(&totals.empty, 1);
    if (l->n >= UINT64_C(1) << 26)
        add(&totals.wide, 1);
    if (!l->ranges)
        add(&totals.by_index, l->n);
    else if (l->n < UINT64_C(1) << 40)
        add(&totals.by_range, l->n);
}

static void run(struct loop *l)
{
    tweed_pool *pool = place_enter(l->place);
    struct watched *watched;
    int code;

    l->account = account_new(l, tweed_pool_num_workers(pool));
    watched = watch_begin("runs", l);
    code = l->ranges ? tweed_parallel_for_range_with(pool, &l->options, l->lo,
                                                     l->hi, range_body, l)
                     : tweed_parallel_for_with(pool, &l->options, l->lo, l->hi,
                                               each_body, l);
    watch_end(watched);
    if (code != TWEED_OK)
        fail(l, "result %d: %s", code, tweed_strerror(code));
    else if (account_check(l))
        count(l);
    account_free(l->account);
    place_leave(l->place);
}

static void inner(const struct loop *outer, uint64_t k)
{
    uint64_t state = outer->seed + k;
    struct loop l = { .seed = 0 };

    choose(&l, draw(&state), outer);
    run(&l);
}

void loop_run(uint64_t seed)
{
    struct loop l = { .seed = 0 };

    choose(&l, seed, NULL);
    run(&l);
}

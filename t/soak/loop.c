/*
 * loop.c - a loop, or a tree of tasks, chosen by its seed, and what an index of it costs.
 *
 * SPDX-License-Identifier: MIT
 *
 * Most loops are small, since it is there that owner and thief meet; a few are
 * of millions of indices, some of up to the whole span of range bodies, or of
 * searches and failures that end them early.
 */
#include "config.h"

#include "soak.h"

#include <stdio.h>

#define TINY 64 /* most indices of a small or nesting loop */
#define SMALL 4096
#define SPREAD 8192 /* of so many loops on average */
#define HUGE_LOOPS 4 /* ... are of millions of index bodies */
#define WIDE_LOOPS 80 /* ... of 2^26 indices and more */
#define SMALL_LOOPS 300
#define HITS_MOST 4096 /* one in so many hits, where a loop is wide */
#define WIDE_NS 2000000000 /* the time limit of a wide loop under a sanitizer */

static const struct {
    const char *text;
    int (*run)(tweed_pool *pool, struct loop *l);
} kinds[] = {
#define SOAK_KIND(NAME, function, text) { text, run_##function },
    SOAK_KINDS(SOAK_KIND)
#undef SOAK_KIND
};

/* ---- what bodies do ---- */

/* Useless work.  gcov's counters would make a step so dear, and that it is not optimised,
   that the library does not look for what a call costs however few indices it gets
   (PROBED_NS in pace.c): 10^8 indices, each a call. */
__attribute__((no_profile_instrument_function)) static void burn(uint32_t steps)
{
#ifndef __OPTIMIZE__
    steps /= 8;
#endif
    for (; steps > 0; steps--)
        __asm__ volatile("" : : "r"(steps));
}

/* What an index costs: nothing, or steps of useless work, or a nap; now and
   then an inner loop. */
static void spend(const struct loop *l, uint64_t k)
{
    uint64_t state = l->seed ^ k * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t steps;

    if (l->nest_every && below(&state, l->nest_every) == 0)
        loop_inner(l, k);
    if (l->nap_every && below(&state, l->nap_every) == 0) {
        add(&totals.naps, 1);
        nap(20 + (long)below(&state, 300));
    }
    steps = l->cost * (k < l->n / 8 ? l->skew : 1);
    if (l->uneven)
        steps *= below(&state, 4) ? 0 : 4;
    burn(steps);
}

/* Index k, or a run that has it, may end the loop. */
static void end(struct loop *l, uint64_t from, uint64_t to)
{
    if (l->token_at >= from && l->token_at < to)
        tweed_token_set(&l->token);
    if (l->stop_at >= from && l->stop_at < to) {
        atomic_store_explicit(&l->stopped, true, memory_order_relaxed);
        if (tweed_parallel_stop() != TWEED_OK)
            fail(l, "a body cannot stop its loop");
    }
}

void loop_index(struct loop *l, uint64_t k)
{
    account_index(l, k);
    if (l->shares)
        arrange_note(l, k, k + 1);
    if (l->nest_every | l->nap_every | l->cost)
        spend(l, k);
    if ((l->stop_at & l->token_at) != NEVER)
        end(l, k, k + 1);
}

void loop_range(struct loop *l, uint64_t from, uint64_t to)
{
    uint64_t past = l->n > SMALL ? from + 1 : to; /* once a run, whatever its length */

    account_range(l, from, to);
    if (l->shares)
        arrange_note(l, from, to);
    for (uint64_t k = from; k < past; k++)
        spend(l, k);
    if ((l->stop_at & l->token_at) != NEVER)
        end(l, from, to);
}

bool loop_hits(const struct loop *l, uint64_t k)
{
    uint64_t state = l->seed + k;

    return l->hit_every && below(&state, l->hit_every) == 0;
}

void loop_failed(struct loop *l, uint64_t k)
{
    uint64_t lowest = atomic_load_explicit(&l->lowest, memory_order_relaxed);

    while (k < lowest && !atomic_compare_exchange_weak_explicit(
                             &l->lowest, &lowest, k, memory_order_relaxed,
                             memory_order_relaxed))
        ;
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

static bool may_hit(const struct loop *l)
{
    return l->kind >= KIND_GROUPS;
}

/* A quarter are tasks, and half are of the two kinds that all other loops come
   down to. */
static void choose_kind(struct loop *l, uint64_t *state)
{
    uint32_t lot = below(state, 4);

    l->kind = lot == 0 ? (enum kind)(KIND_TREE + below(state, 3))
                       : (enum kind)below(state, lot == 1 ? KINDS : KIND_LOOP);
}

static void choose_size(struct loop *l, uint64_t *state)
{
    uint32_t lot = below(state, SPREAD);

    if (l->depth > 0 || l->outer_place >= 0)
        lot = SPREAD;
    if (l->kind == KIND_GROUPS || l->kind == KIND_SUBMITTED) /* there is a task an index */
        lot = lot < HUGE_LOOPS + WIDE_LOOPS ? HUGE_LOOPS + WIDE_LOOPS : lot;
    if (lot < HUGE_LOOPS && l->kind != KIND_RANGE && !is_scan(l)) {
        l->n = (1000000 + below(state, 9000001)) / SLOWER;
    } else if (lot < WIDE_LOOPS && (l->kind == KIND_RANGE || may_hit(l))) {
        l->n = (UINT64_MAX >> below(state, 8) * 5) - below(state, 1000);
        l->n = l->n >> below(state, 5) | UINT64_C(1) << 26;
    } else if (lot < HUGE_LOOPS + WIDE_LOOPS + SMALL_LOOPS) {
        l->n = below(state, SMALL + 1);
    } else {
        l->n = tiny(state);
    }
}

static bool is_wide(const struct loop *l)
{
    return l->n >= UINT64_C(1) << 26;
}

/* [lo, lo + n) somewhere; reversed, where it is empty and may be. */
static int64_t choose_bounds(int64_t *lo, uint64_t n, uint64_t *state)
{
    uint64_t from;
    int64_t hi;

    switch (below(state, 5)) {
    case 0:
        from = 0 - below(state, 100);
        break;
    case 1:
        from = (uint64_t)INT64_MIN;
        break;
    case 2:
        from = (uint64_t)INT64_MAX - n;
        break;
    default:
        from = draw(state);
    }
    *lo = (int64_t)from;
    if (n > (uint64_t)INT64_MAX - from) /* the loop would run over the end */
        *lo = (int64_t)((uint64_t)INT64_MAX - n);
    hi = (int64_t)((uint64_t)*lo + n);
    if (n == 0 && hi > INT64_MIN && below(state, 2))
        hi = below(state, 2) ? INT64_MIN : hi - 1;
    return hi;
}

/* Of about n indices; one row, or one column, too. */
static void choose_space(struct loop *l, uint64_t *state)
{
    uint64_t left = l->n, count[3] = { 1, 1, 1 };
    int dimensions = l->kind == KIND_PLANE || l->kind == KIND_PAIRS ? 2 : 3;

    for (int d = 0; d < dimensions; d++) {
        count[d] = d == dimensions - 1 ? left : left ? 1 + draw(state) % left : left;
        left = count[d] ? left / count[d] : 0;
        l->past[d] = choose_bounds(&l->base[d], count[d], state);
    }
    if (below(state, 2))
        for (int d = 0; d < dimensions; d++)
            l->options.tile[d] = 1 + below(state, 40);
    l->n = count[0] * count[1] * count[2];
    l->lo = 0;
    l->hi = (int64_t)l->n;
}

/* Who ends the loop before its time, if anybody does.  Scans have no such options in
   one (see TWEED_SCAN(3)), and trees none. */
static void choose_end(struct loop *l, uint64_t *state)
{
    uint32_t most = l->n < SMALL ? 1 + 4 * (uint32_t)l->n : HITS_MOST;

    l->stop_at = l->token_at = NEVER;
    l->lowest = NEVER;
    if (may_hit(l) && (is_wide(l) || below(state, 4)))
        l->hit_every = 1 + below(state, most);
    switch (is_scan(l) || is_tasks(l) || l->n == 0 ? 16 : below(state, 16)) {
    case 0:
        l->stop_at = draw(state) % l->n;
        break;
    case 1:
        l->token_at = draw(state) % l->n;
        l->options.token = &l->token;
        break;
    case 2:
        l->options.token = alarm_token();
        break;
    case 3:
        l->options.timeout_ns = 1 + (INT64_C(1000000) >> below(state, 20));
    }
    /* A wide loop may be 2^26 calls of its body, each of which a sanitizer makes as long as
       a claim: the loop would not hang, and would not be over for minutes. */
    if (is_wide(l) && HAVE_RUNTIME_SANITIZER && !l->options.timeout_ns)
        l->options.timeout_ns = WIDE_NS;
}

static void choose_cost(struct loop *l, uint64_t *state)
{
    uint32_t kind = below(state, 64);

    l->skew = 1;
    if (l->n > SMALL && l->kind != KIND_RANGE)
        return;
    if (kind < 32) /* up to some us: longer than thieves' patience and fences */
        l->cost = below(state, 20000) >> below(state, 8);
    if (kind < 8)
        l->skew = 10;
    l->uneven = kind >= 16 && kind < 32;
    if (kind == 63)
        l->nap_every = 1 + below(state, 32);
    if (l->n > 256) {
        l->cost /= l->kind == KIND_RANGE ? 1 : 16;
        l->nap_every *= 64;
    }
    /* A run of a wide loop is as long as its time allows.  What each run costs whatever its
       length has to be less than that, or the loop is not over for years. */
    if (is_wide(l)) {
        l->cost /= 256;
        l->nap_every = 0;
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
    l->options = (tweed_loop_options){
        .size = sizeof l->options,
        .grain = any_grain(&state),
        .max_workers = below(&state, 2) ? 0 : (int)below(&state, 12),
        .name = l->name,
        .outcome = &l->outcome
    };
    l->outcome = (tweed_outcome)TWEED_OUTCOME_INIT;
    choose_kind(l, &state);
    choose_size(l, &state);
    if (is_space(l))
        choose_space(l, &state);
    else
        l->hi = choose_bounds(&l->lo, l->n, &state);
    choose_cost(l, &state);
    choose_end(l, &state);
    if (l->depth > 0)
        l->nest_every = 1 + (uint32_t)l->n / 2;
    snprintf(l->name, sizeof l->name, "%016" PRIx64, seed);
    if (outer)
        l->histogram = outer->histogram;
    arrange_choose(l, &state);
}

void loop_print(const struct loop *l)
{
    say("  loop %s: %s, [%" PRId64 ", %" PRId64 "), %" PRIu64 " indices, "
        "grain %" PRId64 ", max_workers %d, on pool %d, inside of pool %d, "
        "schedule %d, weights %d (bad at %" PRId64 "), "
        "depth %d, cost %u x %u%s, naps 1/%u, inner 1/%u, hits 1/%u, stop at %" PRIu64
        ", token at %" PRIu64 "%s, timeout %" PRId64 " ns\n",
        l->name, kinds[l->kind].text, l->lo, l->hi, l->n, l->options.grain,
        l->options.max_workers, l->place, l->outer_place,
        l->options.schedule, l->weights != NULL, l->bad_at,
        l->depth,
        (unsigned)l->cost, (unsigned)l->skew, l->uneven ? " uneven" : "",
        (unsigned)l->nap_every, (unsigned)l->nest_every, (unsigned)l->hit_every,
        l->stop_at, l->token_at, l->options.token ? " (given)" : "",
        l->options.timeout_ns);
}

/* ---- running ---- */

static void count(const struct loop *l, uint64_t done)
{
    add(&totals.loops, 1);
    add(&totals.kinds[l->kind], 1);
    add(&totals.passes, l->passes);
    add(&totals.all, l->counted);
    add(&totals.tasks, l->tasks);
    add(&totals.roots, l->roots);
    add(&totals.spawned, l->spawned);
    add(&totals.skipped, l->skipped_tasks);
    if (l->outer_place >= 0)
        add(&totals.inner, 1);
    if (l->n == 0)
        add(&totals.empty, 1);
    if (is_wide(l))
        add(&totals.wide, 1);
    if (done < l->n)
        add(&totals.ended, 1);
    if (done == 0 && l->n > 0)
        add(&totals.unbegun, 1);
    if (l->kind != KIND_RANGE)
        add(&totals.by_index, done - l->skipped);
    else if (l->n < UINT64_C(1) << 40)
        add(&totals.by_range, done);
}

/* May the loop have ended so? */
static bool may_end(const struct loop *l, int code)
{
    bool stopped = atomic_load(&l->stopped);
    bool failed = l->kind >= KIND_TRY && atomic_load(&l->lowest) != NEVER;

    if (is_tasks(l)) /* what came of them is looked at where they are run */
        return code == TWEED_OK;
    if (l->refusal && code == l->refusal)
        return true;
    if (l->refusal) /* a token may have stopped it before */
        return code == TWEED_ESTOPPED && l->options.token;
    if (code == TWEED_EBUSY) /* so many loops were there */
        return l->options.schedule == TWEED_SCHEDULE_STATIC;
    switch (code) {
    case TWEED_OK:
        return !stopped && !failed;
    case TWEED_ESTOPPED:
        return stopped || failed || l->options.token;
    default:
        return code == TWEED_ETIMEOUT && l->options.timeout_ns;
    }
}

/* What the library says was executed. */
static bool check_outcome(const struct loop *l, uint64_t done)
{
    uint64_t ran = l->outcome.ran;

    if (is_scan(l) || is_tasks(l) || ran == done)
        return true;
    fail(l, "it says that %" PRIu64 " indices were executed, not %" PRIu64, ran, done);
    return false;
}

static void check(const struct loop *l, int code)
{
    uint64_t done;

    if (!may_end(l, code))
        fail(l, "result %d: %s", code, tweed_strerror(code));
    else if (account_check(l, code == TWEED_OK ? l->must : 0, &done) &&
             check_outcome(l, done))
        count(l, done);
}

static void run(struct loop *l)
{
    tweed_pool *pool = place_enter(l->place);
    struct watched *watched;
    int code;

    l->account = account_new(l, tweed_pool_num_workers(pool));
    l->must = l->n;
    l->passes = l->n > 0 && !is_tasks(l);
    arrange_begin(l, tweed_pool_num_workers(pool));
    watched = watch_begin("runs", l);
    code = kinds[l->kind].run(pool, l);
    watch_end(watched);
    if (!is_scan(l) && !is_tasks(l)) /* its statistics are of tiles, where these are given */
        l->counted = l->kind == KIND_BOXES && l->options.tile[0] ? l->boxes
                                                                 : l->outcome.ran;
    arrange_end(l, tweed_pool_num_workers(pool), code);
    check(l, code);
    account_free(l->account);
    place_leave(l->place);
}

void loop_inner(const struct loop *outer, uint64_t k)
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

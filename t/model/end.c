/*
 * end.c - the end of a loop, with its caller asleep.
 *
 * SPDX-License-Identifier: MIT
 *
 *   helpers=2    each returns its blocks, in
 *   pieces=2     pieces of one block
 *   loot=0       1: the first helper exposes a stolen range and is then in a block
 *                that lasts until somebody has run that: only the caller can
 *   spin=0       1: the caller spins before it sleeps
 *   touch=0      1: what bodies wrote is checked for races
 *
 * lib/pool/wait.c with tweed__end_...() of lib/pool/sleep.c, as lib/loop/work.c has them; the loot is a
 * range, of lib/range/range.c, with one block to steal.
 */
#include "model.h"

#include "../../lib/range/glance.c"
#include "../../lib/range/range.c"
#include "../../lib/pool/team.h"
#include "selves.h"
#include "../../lib/pool/sleep.c"
#include "../../lib/pool/wait.c"

#define HELPERS 4

static _Atomic uint32_t remaining;
static struct tweed__range loot;
static struct tweed__team team; /* nobody of it is asleep but the caller */
static struct tweed__worker worker;
static struct tweed__tally tally;
static int helpers, pieces, with_loot;
static char result[HELPERS + 1];
static bool touches;

static struct {
    MODEL_MARK(unsigned char) run, last; /* blocks; told that it was the last */
    MODEL_MARK(bool) loot_is_run, over;
} now;

static void run(int who)
{
    if (touches)
        model_touch(&result[who], true);
    mark_one_more(now.run);
}

static void give_back(void)
{
    if (tweed__end_return(&remaining, 1, &tally))
        mark_one_more(now.last);
}

static bool is_run(void *arg)
{
    (void)arg;
    return mark_of(now.loot_is_run);
}

static void help(void *arg)
{
    int me = (int)(intptr_t)arg;

    if (with_loot && me == 1) {
        struct tweed__owner o = { .range = &loot, .asymmetric = true };

        tweed__range_install(&o, 0, 2); /* 0 is its own, 1 may be stolen */
        tweed__sleep_hint(&team.sleep, &loot, 1, UINT32_MAX, &tally);
        tweed__end_hint(&remaining, &tally);
        model_await(is_run, NULL);
    }
    for (int i = 0; i < pieces; i++) {
        run(me);
        give_back();
        /* a hint: orders nothing */
        if (model_knows(tweed__end_left(&remaining) == 0))
            model_assert(mark_of(now.run) ==
                         helpers * pieces + (with_loot > 0));
    }
}

static bool steal(void)
{
    uint32_t begin, end;

    return tweed__range_steal(&loot, 0, true, true, &tally, &begin, &end) >=
           TWEED__LOOT;
}

static bool has_ended(struct tweed__wait *w)
{
    (void)w;
    return tweed__end_has_come(&remaining);
}

static bool help_loop(struct tweed__wait *w)
{
    if (!with_loot || !steal())
        return false;
    wait_found(w->team);
    run(0);
    mark(now.loot_is_run, true);
    give_back();
    return true;
}

static bool lie_down(struct tweed__wait *w)
{
    (void)w;
    return tweed__end_lie_down(&remaining);
}

static void sleep_until_end(struct tweed__wait *w)
{
    tweed__end_sleep(&remaining, w->tally);
}

static void call(void *arg)
{
    static const struct tweed__wait_kind kind = { .is_over = has_ended, .is_over_soon = has_ended,
                                                  .help = help_loop, .lie_down = lie_down,
                                                  .sleep = sleep_until_end };
    struct tweed__wait wait = { .team = &team, .worker = &worker, .tally = &tally };

    (void)arg;
    tweed__wait(&wait, &kind);
    model_assert(mark_of(now.run) == helpers * pieces + (with_loot > 0));
    for (int i = 0; touches && i <= helpers; i++)
        model_touch(&result[i], false);
    mark(now.over, true);
}

static void verify(void)
{
    model_assert(mark_of(now.over) && mark_of(now.last) == 1);
    model_assert(load_relaxed(&remaining) % TWEED__CALLER_ASLEEP == 0);
}

void model_setup(void)
{
    helpers = MODEL_NUMBER(helpers, 2);
    pieces = MODEL_NUMBER(pieces, 2);
    with_loot = MODEL_NUMBER(loot, 0);
    if (MODEL_NUMBER(spin, 0)) {
        team.spin_ns = 1;
        team.capacity = 1000000;
    }
    touches = MODEL_NUMBER(touch, 0);
    store_relaxed(&remaining, (uint32_t)(helpers * pieces + (with_loot > 0)));
    model_place(&remaining, sizeof remaining, "remaining");
    tweed__range_clear(&loot);
    model_place(&loot.low, sizeof loot.low, "low");
    model_place(&loot.S, sizeof loot.S, "S");
    model_figure(&team.sleep.waiters);
    model_figure(&team.sleep.event);
    model_figure(&tweed__fence_ns);
    model_figure(&tweed__awake[0].threads);
    model_figure(&tweed__awake_parts);
    model_figure(&team.active);
    for (int i = 0; touches && i <= helpers; i++)
        model_plain(&result[i], 1, "result");
    model_memory(&now, sizeof now);
    model_self(&tweed__self, sizeof tweed__self);
    model_thread(call, NULL, false);
    for (int i = 1; i <= helpers; i++)
        model_thread(help, (void *)(intptr_t)i, false);
    model_verify(verify);
}

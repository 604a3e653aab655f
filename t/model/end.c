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
 * lib/sleep.c's tweed__end_...() as lib/slot.c calls them.
 */
#include "model.h"

#include "../../lib/sleep.c"

#define HELPERS 4

static _Atomic uint32_t remaining, loot;
static struct tweed__tally tally;
static int helpers, pieces, with_loot, spin_ns;
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
        (void)exchange_seq_cst(&loot, 1); /* as show does */
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

static void call(void *arg)
{
    uint32_t full = 1;

    (void)arg;
    while (!tweed__end_wait(&remaining, (uint64_t)spin_ns, &tally))
        if (with_loot && load_seq_cst(&loot) && cas_acq_rel(&loot, &full, 0)) {
            run(0);
            mark(now.loot_is_run, true);
            give_back();
        }
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
    spin_ns = MODEL_NUMBER(spin, 0);
    touches = MODEL_NUMBER(touch, 0);
    store_relaxed(&remaining, (uint32_t)(helpers * pieces + (with_loot > 0)));
    model_place(&remaining, sizeof remaining, "remaining");
    model_place(&loot, sizeof loot, "loot");
    for (int i = 0; touches && i <= helpers; i++)
        model_plain(&result[i], 1, "result");
    model_memory(&now, sizeof now);
    model_thread(call, NULL, false);
    for (int i = 1; i <= helpers; i++)
        model_thread(help, (void *)(intptr_t)i, false);
    model_verify(verify);
}

/*
 * counts.c - what the workers of a node count together: lib/loop/counts.c, with lib/pool/sleep.c.
 *
 * SPDX-License-Identifier: MIT
 *
 *   program=0    blocks: each helper has a share of one block and returns it
 *           1    sleepers: each falls asleep, but helper 1, which has found work;
 *                then a loop is announced
 *           2    a range of loot in a node that had no holder, and a sleeper that goes by
 *                the count of that node
 *   helpers=3    the first two are on one node, the others on another
 *   last=0       1: of program 0: a share on the first node that nobody claims, whose
 *                block helper 1 steals
 *   again=0      1: of program 0: helper 1 has returned before it finds that, or
 *                another block
 *   twice=0      1: of program 0: helper 2 has no share, and steals a block twice
 *   touch=0      1: what bodies wrote is checked for races
 *
 * The rest of a slot is played by a block each, and by the caller in tweed__end_...().
 */
#include "model.h"

#include "../../lib/range/glance.c"
#include "../../lib/range/range.c"
#include "../../lib/pool/team.h"
#include "selves.h"
#include "../../lib/pool/sleep.c"
#include "../../lib/loop/counts.c"

#define HELPERS 3
#define SHARE_OF_NOBODY 0 /* a seat */

static struct tweed__team team;
static struct tweed__worker worker[HELPERS + 1], *workers[HELPERS + 1];
static struct tweed__part part[HELPERS + 1];
static struct tweed__node_counts counts[2], *node_counts[2];
static struct tweed__range loot;
static int program, helpers, with_last, again, twice;
static int blocks; /* of all */
static char result[HELPERS + 1];
static bool touches;

static struct {
    MODEL_MARK(unsigned char) run;
    MODEL_MARK(bool) loot_is_run, over;
} now;

static _Atomic uint32_t *remaining(void)
{
    return &team.slots[0].remaining;
}

static void run(int who)
{
    if (touches)
        model_touch(&result[who], true);
    mark_one_more(now.run);
}

/* ---- blocks ---- */

/* The block of a share that nobody claims, or of another that needs no holder. */
static void steal_one(int me)
{
    if (with_last)
        tweed__counts_drop(&part[me], SHARE_OF_NOBODY);
    run(me);
}

static void steal_and_return(int me)
{
    tweed__counts_hold(&part[me]);
    run(me);
    tweed__counts_return(&part[me], 1);
}

static void return_blocks(void *arg)
{
    int me = (int)(intptr_t)arg, extra = me == 1 && (with_last || again);

    if (me == 2 && twice) {
        steal_and_return(me);
        steal_and_return(me);
        return;
    }
    run(me);
    if (extra && again) {
        tweed__counts_return(&part[me], 1);
        tweed__counts_hold(&part[me]);
        steal_one(me);
        tweed__counts_return(&part[me], 1);
        return;
    }
    if (extra)
        steal_one(me);
    /* a hint: orders nothing */
    if (model_knows(tweed__counts_is_over(&part[me], 1 + (uint32_t)extra)))
        model_assert(mark_of(now.run) == blocks);
    tweed__counts_return(&part[me], 1 + (uint32_t)extra);
}

static void call(void *arg)
{
    (void)arg;
    while (tweed__end_lie_down(remaining()))
        tweed__end_sleep(remaining(), &worker[0].tally);
    model_assert(mark_of(now.run) == blocks);
    for (int i = 1; touches && i <= helpers; i++)
        model_touch(&result[i], false);
    mark(now.over, true);
}

/* ---- sleepers ---- */

static void doze(void *arg)
{
    struct tweed__worker *w = &worker[(intptr_t)arg];

    tweed__counts_sleep(w);
    if (w->index > 1)
        tweed__sleep_wait(&team.sleep, 0, wake_mask(w->index), 0, &w->tally);
    tweed__counts_wake(w);
}

static void announce(void *arg)
{
    (void)arg;
    tweed__sleep_announce(&team.sleep, INT_MAX, UINT32_MAX, &worker[0].tally);
    mark(now.over, true);
}

/* ---- loot ---- */

static bool is_run(void *arg)
{
    (void)arg;
    return mark_of(now.loot_is_run);
}

/* What is to be stolen from it has to be executed before its own block ends. */
static void have_loot(void *arg)
{
    struct tweed__part *p = arg;
    struct tweed__owner o = { .range = &loot, .asymmetric = true };

    tweed__counts_hold(p);
    tweed__range_install(&o, 0, 2);
    tweed__sleep_hint(&team.sleep, &loot, 1, UINT32_MAX, &worker[0].tally);
    model_await(is_run, NULL);
    mark(now.over, true);
}

static bool steal(struct tweed__part *p)
{
    uint32_t begin, end;

    return tweed__counts_has_some(p, 0) &&
           tweed__range_steal(&loot, p->index, true, true, &p->worker->tally, &begin,
                              &end) >= TWEED__LOOT;
}

static void look_and_doze(void *arg)
{
    struct tweed__part *p = arg;
    struct tweed__worker *w = p->worker;

    for (;;) {
        uint32_t ticket = tweed__sleep_ticket(&team.sleep);

        tweed__counts_sleep(w);
        if (steal(p))
            break;
        tweed__sleep_wait(&team.sleep, ticket, wake_mask(w->index), 0, &w->tally);
        tweed__counts_wake(w);
    }
    tweed__counts_wake(w);
    mark(now.loot_is_run, true);
}

/* ---- all of it ---- */

static void verify(void)
{
    model_assert(mark_of(now.over));
    model_assert(load_relaxed(&team.sleep.waiters) == 0);
    model_assert(load_relaxed(remaining()) % TWEED__CALLER_ASLEEP == 0);
    for (int g = 0; g < 2; g++) {
        model_assert(load_relaxed(&counts[g].asleep) == 0);
        model_assert(program == 2 || load_relaxed(&counts[g].slots[0].held) == 0);
    }
}

static void place_words(void)
{
    model_place(remaining(), sizeof *remaining(), "remaining");
    model_place(&team.sleep.event, sizeof team.sleep.event, "event");
    model_place(&team.sleep.waiters, sizeof team.sleep.waiters, "waiters");
    for (int g = 0; g < 2; g++) {
        model_place(&counts[g].asleep, sizeof counts[g].asleep, g ? "asleep 1" : "asleep 0");
        model_place(&counts[g].slots[0].held, sizeof counts[g].slots[0].held,
                    g ? "held 1" : "held 0");
    }
    model_place(&loot.low, sizeof loot.low, "low");
    model_place(&loot.S, sizeof loot.S, "S");
    model_figure(&tweed__fence_ns);
    model_figure(&tweed__awake[0].threads);
    model_figure(&tweed__awake_parts);
    model_self(&tweed__self, sizeof tweed__self);
    for (int i = 1; touches && i <= helpers; i++)
        model_plain(&result[i], 1, "result");
    model_memory(&now, sizeof now);
}

static void begin_threads(void)
{
    for (int i = 1; i <= helpers; i++) {
        if (program < 2)
            model_thread(program == 0 ? return_blocks : doze, (void *)(intptr_t)i, false);
    }
    if (program < 2) {
        model_thread(program == 0 ? call : announce, NULL, false);
        return;
    }
    model_thread(have_loot, &part[1], false);
    model_thread(look_and_doze, &part[2], false);
}

void model_setup(void)
{
    program = MODEL_NUMBER(program, 0);
    helpers = MODEL_NUMBER(helpers, 3);
    with_last = MODEL_NUMBER(last, 0);
    again = MODEL_NUMBER(again, 0);
    twice = MODEL_NUMBER(twice, 0);
    touches = MODEL_NUMBER(touch, 0);
    blocks = helpers + (with_last || again) + twice;
    model_assert(helpers <= HELPERS && (program < 2 || helpers == 2));
    team.workers = workers;
    team.node_counts = node_counts;
    node_counts[0] = &counts[0];
    node_counts[1] = &counts[1];
    for (int i = 0; i <= helpers; i++) {
        int g = i <= 2 && program < 2 ? 0 : i > 1;

        workers[i] = &worker[i];
        worker[i].team = &team;
        worker[i].index = i;
        worker[i].group = g;
        worker[i].counts = &counts[g];
        part[i].team = &team;
        part[i].worker = &worker[i];
        part[i].index = i;
        part[i].walker.owner.tally = &worker[i].tally;
    }
    for (int g = 0; program == 0 && g < 2; g++) {
        int shares = g == 0 ? (helpers > 1) + !twice + with_last : helpers - 2;

        tweed__counts_deal(&part[0], g, shares > 0 ? (uint32_t)shares : 0);
    }
    store_relaxed(remaining(), program ? 0 : (uint32_t)blocks);
    tweed__range_clear(&loot);
    place_words();
    begin_threads();
    model_verify(verify);
}

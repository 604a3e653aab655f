/*
 * sleep.c - workers that look for work and sleep, against those who have some.
 *
 * SPDX-License-Identifier: MIT
 *
 *   sleepers=3
 *   loops=2      published one after the other, each with
 *   items=2      things to do, each by another worker, all at the same time: so
 *                none may be missed for good, nor left to a busy worker
 *   wakes=2      whom the publisher wakes; who found work passes on the others
 *   hint=0       1: the things to do are stolen ranges, exposed and hinted at
 *                one by one, in a loop that is live all the time
 *   loot=0       1: the first item of a loop has something in it that another
 *                worker has to do: a stolen range, exposed late
 *   spin=0       1: spins before it sleeps
 *   crowded=0    1: there is no CPU for it: with spin=1 it yields in place of that
 *   nodes=1      2: the first of them are on one node, the last on another (lib/loop/counts.c)
 *
 * This is lib/pool/sleep.c and wait.c, with lib/pool/thread.c for the workers' lives, and stolen
 * ranges of lib/range/range.c; the rest of a slot is played by a count of things to
 * take.
 */
#include "model.h"

#include "../../lib/range/glance.c"
#include "../../lib/range/range.c"
#include "../../lib/pool/team.h"
#include "selves.h"
#include "../../lib/pool/sleep.c"
#include "no-jobs.h"
#include "no-text.h"
#include "../../lib/loop/counts.c"
#include "../../lib/pool/wait.c"
#include "../../lib/pool/thread.c"

#define SLEEPERS 4
#define RANGES 2
/* Inlined, what is over in one would make the states of the next different. */
#define APART __attribute__((noinline))

static struct tweed__team team;
static struct tweed__worker worker[SLEEPERS];
static struct tweed__node_counts counts[2];
static _Atomic uint32_t open; /* items that nobody has taken yet */
static _Atomic int owed;      /* wakes to be passed on */
static struct tweed__range range[RANGES];
static int sleepers, loops, items, wakes_first, with_loot, hints, ranges;

static struct {
    /* the loop, and how many of its things are done */
    MODEL_MARK(unsigned char) loop, done;
} now;

static int things(void)
{
    return items + (with_loot > 0);
}

static bool loop_is_done(void *arg)
{
    int loop = (int)(intptr_t)arg;

    return mark_of(now.loop) > loop || mark_of(now.done) == things();
}

/* What found_work() in work.c does. */
static APART void found(struct tweed__worker *w)
{
    int left = load_relaxed(&owed);

    wait_found(&team);
    if (left > 0)
        left = fetch_sub_relaxed(&owed, 1);
    if (left > 0)
        tweed__sleep_pass_on(&team.sleep, 1, UINT32_MAX, &w->tally);
}

static APART void work(void)
{
    mark_one_more(now.done);
    model_await(loop_is_done, (void *)(intptr_t)mark_of(now.loop));
}

/* One of the items that are left; 0: none. */
static APART uint32_t take(void)
{
    /* seq_cst: as tweed__range_steal() */
    uint32_t left = hints ? 0 : load_seq_cst(&open);

    while (left > 0 && !cas_acq_rel(&open, &left, left - 1))
        ;
    return left;
}

/* What take_part() in work.c does with loot: block 1 of it may be stolen. */
static APART void expose(struct tweed__range *r, struct tweed__tally *tally)
{
    struct tweed__owner o = { .range = r, .asymmetric = true };

    tweed__range_clear(r); /* what was in it is done */
    tweed__range_install(&o, 0, 2);
    tweed__sleep_hint(&team.sleep, r, 1, UINT32_MAX, tally);
}

static APART bool steal(struct tweed__worker *w)
{
    enum tweed__loot got = TWEED__NOTHING;
    uint32_t begin = 0, end = 0;

    for (int k = 0; k < ranges && got < TWEED__LOOT; k++)
        do
            got = tweed__range_steal(&range[k], w->index, true, true, &w->tally,
                                     &begin, &end);
        while (got == TWEED__RETRY);
    return got >= TWEED__LOOT;
}

/* As tweed__work_look(). */
bool tweed__work_look(struct tweed__worker *w)
{
    uint32_t item;

    if (!load_acquire(&team.active))
        return false;
    item = take();
    if (!item && !steal(w))
        return false;
    found(w);
    if (with_loot && item == (uint32_t)items)
        expose(&range[0], &w->tally);
    work();
    return true;
}

static void publish(void *arg)
{
    (void)arg;
    for (int k = 1; k <= loops; k++) {
        int first = wakes_first < things() ? wakes_first : things();

        mark(now.loop, (unsigned char)k);
        mark(now.done, 0);
        store_relaxed(&owed, 0);
        if (hints) {
            for (int i = 0; i < items; i++)
                expose(&range[i], &worker[0].tally);
            model_await(loop_is_done, (void *)(intptr_t)k);
            continue;
        }
        store_relaxed(&open, (uint32_t)items);
        fetch_or_seq_cst(&team.active, 1);
        tweed__sleep_tell(&team.sleep);
        store_relaxed(&owed, items - first);
        tweed__sleep_rouse(&team.sleep, first, UINT32_MAX, &worker[0].tally);
        model_await(loop_is_done, (void *)(intptr_t)k);
        fetch_and_seq_cst(&team.active, ~UINT64_C(1));
    }
    store_release(&team.stop, 1); /* as tweed__team_end() */
    tweed__sleep_announce(&team.sleep, sleepers, UINT32_MAX, &worker[0].tally);
}

static void live(void *arg)
{
    (void)tweed__thread_main(arg);
}

static void verify(void)
{
    model_assert(mark_of(now.loop) == loops && mark_of(now.done) == things());
    model_assert(load_relaxed(&team.active) == (uint64_t)hints);
    model_assert(load_relaxed(&team.sleep.waiters) == 0);
    for (int g = 0; worker[0].counts && g < 2; g++)
        model_assert(load_relaxed(&counts[g].asleep) == 0);
}

void model_setup(void)
{
    bool by_nodes_;

    sleepers = MODEL_NUMBER(sleepers, 3);
    loops = MODEL_NUMBER(loops, 2);
    items = MODEL_NUMBER(items, 2);
    wakes_first = MODEL_NUMBER(wakes, 2);
    with_loot = MODEL_NUMBER(loot, 0);
    hints = MODEL_NUMBER(hint, 0);
    ranges = hints ? items : with_loot;
    by_nodes_ = MODEL_NUMBER(nodes, 1) > 1;
    model_assert(ranges <= RANGES);
    if (hints)
        team.active = 1;
    team.spin_ns = (uint64_t)MODEL_NUMBER(spin, 0);
    team.capacity = MODEL_NUMBER(crowded, 0) ? 0 : 1000000; /* then workers yield */
    model_place(&team.active, sizeof team.active, "active");
    model_place(&team.stop, sizeof team.stop, "stop");
    model_place(&team.sleep.event, sizeof team.sleep.event, "event");
    model_place(&team.sleep.waiters, sizeof team.sleep.waiters, "waiters");
    for (int g = 0; by_nodes_ && g < 2; g++) {
        model_place(&counts[g].asleep, sizeof counts[g].asleep, g ? "asleep 1" : "asleep 0");
        if (team.spin_ns)
            model_place(&counts[g].looking, sizeof counts[g].looking,
                        g ? "looking 1" : "looking 0");
    }
    model_place(&open, sizeof open, "open");
    model_place(&owed, sizeof owed, "owed");
    for (int k = 0; k < ranges; k++) {
        tweed__range_clear(&range[k]);
        model_place(&range[k].low, sizeof range[k].low, "low");
        model_place(&range[k].S, sizeof range[k].S, "S");
    }
    model_figure(&tweed__fence_ns);
    model_figure(&team.slots[0].publisher);
    model_figure(&team.slots[0].parent);
    model_figure(&tweed__awake[0].threads);
    model_figure(&tweed__awake_parts);
    model_memory(&now, sizeof now);
    model_self(&tweed__self, sizeof tweed__self);
    model_thread(publish, NULL, false);
    for (int i = 0; i < sleepers; i++) {
        worker[i].team = &team;
        worker[i].index = i + 1;
        if (by_nodes_)
            worker[i].counts = &counts[i == sleepers - 1];
        model_thread(live, &worker[i], false);
    }
    model_verify(verify);
}

/*
 * range.c - one range: its owner, and thieves until all of it is taken.
 *
 * SPDX-License-Identifier: MIT
 *
 *   blocks=4     the range is [first, first + blocks)
 *   first=0
 *   thieves=2
 *   exchange=0   1: the exchange mode instead of the asymmetric one
 *   install=0    1: the owner installs the range; 0: it claims its share
 *   runs=0       1: several blocks a claim, as many as time allows; 2: from the first
 *                claim on, what a block takes being known, and blocks that are
 *                not parted; 3: one, and four claims between two looks at the clock
 *   stop=0       1: the first thief stops the loop at its first look
 *   mortal=0     thieves (the first so many) that may stop for ever at any step
 *   stuck=0      1: the owner may stop for ever in a body
 *   looks=0      how often a thief looks; 0: until all is taken
 *   stale=0      what low holds from the loop before
 *
 * Each block is taken once; each is run under the bounds that were asked for; at
 * the end the range is drained.
 */
#include "model.h"

#include "../../lib/range.c"
#include "../../lib/cursor.c"

#define BLOCKS 12
#define THIEVES 4

static struct tweed__range range;
static struct tweed__tally tally;
static struct tweed__body body;
static tweed_kind kind;
static _Atomic uint32_t stop;
static uint32_t first, last;
static int exchange, installs, looks, stops;

/* What has been taken, and by whom is of no importance. */
static struct {
    MODEL_MARK(unsigned char) times[BLOCKS];
    MODEL_MARK(bool) stuck; /* the owner has been */
    /* the loop was stopped, and whoever looks afterwards sees it */
    MODEL_MARK(bool) stopped;
    MODEL_MARK(unsigned char) late; /* claims begun after that */
} got;

static bool may_stop;

static void note(uint32_t begin, uint32_t end)
{
    model_assert(first <= begin && begin < end && end <= last);
    for (uint32_t i = begin; i < end; i++) {
        unsigned char before = mark_one_more(got.times[i]);

        model_assert(before == 0);
    }
}

/* ---- the owner ---- */

static bool all_is_taken(void *arg)
{
    (void)arg;
    for (uint32_t i = first; i < last; i++)
        if (mark_of(got.times[i]) == 0)
            return false;
    return true;
}

/* A claim, up to `end`, that is begun though the loop was stopped: the one that the
   owner had then, or one of which S has changed already, which the owner does not see
   yet.  Or the last one: S was changed, and changed back since all seemed to be
   taken. */
static void count_late(const struct tweed__owner *o, uint32_t end)
{
    if (mark_of(got.stopped)) {
        unsigned char before = mark_one_more(got.late);

        model_assert(before == 0 || end == mid_of(o->seen) ||
                     !model_knows(model_newest(&range.S) == o->seen));
    }
}

static void run_some(int64_t from, int64_t to, void *arg)
{
    count_late(&((struct tweed__walker *)arg)->owner, (uint32_t)to);
    note((uint32_t)from, (uint32_t)to);
    if (may_stop && !mark_of(got.stuck) && model_choose(2)) {
        mark(got.stuck, true); /* a body that takes longer than all the rest */
        model_await(all_is_taken, NULL);
    }
}

static void run_one(int64_t i, void *arg)
{
    run_some(i, i + 1, arg);
}

/* A kind that has its body inside, and remembers what it takes. */
static void work_known(tweed_cursor *c)
{
    do
        run_some(tweed_first(c), tweed_past(c), c->arg);
    while (tweed_next(c));
}

/* Blocks that were given up: as good as taken. */
static void give_up(uint32_t begin, uint32_t end)
{
    if (begin < end)
        note(begin, end);
}

static void owner(void *arg)
{
    struct tweed__walker w;
    bool ready = true;
    uint32_t n;

    (void)arg;
    tweed__cursor_init(&w, &body, !exchange);
    w.owner.range = &range;
    w.owner.tally = &tally;
    w.owner.stop = stops ? &stop : NULL;
    if (installs) {
        tweed__range_install(&w.owner, first, last);
        tweed__range_show(&range); /* as hint() */
    } else {
        ready = tweed__range_claim(&w.owner);
    }
    if (!ready)
        return;
    w.cursor.arg = &w;
    n = stops && load_seq_cst(&stop) ? tweed__cursor_abandon(&w)
                                     : tweed__cursor_range(&w, &kind);
    n += w.owner.first;
    give_up(n - w.abandoned, n);
}

/* ---- the thieves ---- */

/* As tweed_cursor_stop(). */
static void stop_all(int me)
{
    uint32_t begin = 0, end = 0;

    if (exchange_seq_cst(&stop, 1))
        return;
    if (tweed__range_disturb(&range, me, &begin, &end))
        give_up(begin, end);
    mark(got.stopped, true);
}

static void thief(void *arg)
{
    int me = (int)(intptr_t)arg;
    uint32_t begin, end;

    if (stops && me == 1)
        stop_all(me);
    for (int n = 0; looks ? n < looks && !model_knows(all_is_taken(NULL))
                          : !all_is_taken(NULL);
         n += looks > 0) {
        begin = end = 0; /* nothing that is over makes states different */
        if (tweed__range_steal(&range, me, !exchange, true, &tally, &begin,
                               &end) == TWEED__LOOT)
            note(begin, end);
    }
}

static void verify(void)
{
    struct tweed__look look = tweed__range_look(&range);

    for (uint32_t i = first; i < last; i++)
        model_assert(mark_of(got.times[i]) == 1);
    model_assert(look.drained || look.mid == look.high);
    if (installs)
        model_assert(look.drained);
}

void model_setup(void)
{
    int thieves = MODEL_NUMBER(thieves, 2), mortal = MODEL_NUMBER(mortal, 0);

    first = (uint32_t)MODEL_NUMBER(first, 0);
    last = first + (uint32_t)MODEL_NUMBER(blocks, 4);
    model_assert(last <= BLOCKS);
    exchange = MODEL_NUMBER(exchange, 0);
    installs = MODEL_NUMBER(install, 0);
    looks = MODEL_NUMBER(looks, 0);
    may_stop = MODEL_NUMBER(stuck, 0);
    body.blocks = last;
    body.count = last;
    body.grain = 1;
    stops = MODEL_NUMBER(stop, 0);
    body.kind = &kind;
    kind.work = tweed_work_index_;
    body.fn = (void (*)(void))run_one;
    if (MODEL_NUMBER(runs, 0)) { /* four seconds: see tweed__clock() in vm.c */
        kind.claim_ns = 4000000000u;
        kind.work = tweed_work_range_;
        body.fn = (void (*)(void))run_some;
    }
    if (MODEL_NUMBER(runs, 0) == 2) { /* two blocks; four are not parted */
        kind.claim_ns = UNIT_NS / 2;
        kind.work = work_known;
        kind.cost = UNIT_NS / 4 * 1024;
        body.fn = NULL;
    }
    if (MODEL_NUMBER(runs, 0) == 3) /* what the clock says that a claim took */
        kind.claim_ns = 1000000000;
    model_figure(&kind.cost);
    tweed__cursor_prepare(&body);
    tweed__range_clear(&range);
    store_relaxed(&range.low, (uint32_t)MODEL_NUMBER(stale, 0));
    if (!installs)
        tweed__range_share(&range, first, last);
    model_place(&range.low, sizeof range.low, "low");
    model_place(&range.S, sizeof range.S, "S");
    if (stops)
        model_place(&stop, sizeof stop, "stop");
    model_figure(&tweed__fence_ns);
    model_memory(&got, sizeof got);
    model_thread(owner, NULL, false);
    for (int i = 1; i <= thieves; i++)
        model_thread(thief, (void *)(intptr_t)i, i <= mortal);
    model_verify(verify);
}

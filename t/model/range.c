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
 *   stop=0       so many thieves stop the loop, each at its first look
 *   find=0       n > 0: the owner finds something in the n-th block, and cancels the loop
 *                behind that claim
 *   mortal=0     thieves (the first so many) that may stop for ever at any step
 *   stuck=0      1: the owner may stop for ever in a body
 *   looks=0      how often a thief looks; 0: until all is taken
 *   stale=0      what low holds from the loop before
 *
 * Each block is taken once; each is run under the bounds that were asked for; at
 * the end the range is drained.
 */
#include "model.h"

#include "../../lib/range/glance.c"
#include "../../lib/range/range.c"
/* What an owner gives up is noted. */
static bool take_noted(struct tweed__owner *o, uint32_t i, uint32_t *end);
#define tweed__range_take take_noted
#define REMEMBERED 1
#include "../../lib/range/costs.c"
#include "../../lib/range/pace.c"
#include "../../lib/range/cursor.c"
#undef tweed__range_take

#define BLOCKS 20
#define THIEVES 4

static struct tweed__range range;
static struct tweed__tally tally;
static struct tweed__body body;
static tweed_kind kind;
static _Atomic uint32_t cancelled;
static uint32_t first, last;
static uint32_t sought; /* the block in which something is found; UINT32_MAX: none */
static int exchange, installs, looks, stops;

/* What has been taken, and by whom is of no importance. */
static struct {
    MODEL_MARK(unsigned char) times[BLOCKS];
    MODEL_MARK(bool) stuck; /* the owner has been */
    /* where the loop was cancelled, and whoever looks afterwards sees it; 255: nowhere */
    MODEL_MARK(unsigned char) cancelled;
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

/* ---- cancelling ---- */

/* Blocks that are given up: as good as taken. */
static void give_up(uint32_t begin, uint32_t end)
{
    model_assert(stops || begin >= end || begin > sought);
    if (begin < end)
        note(begin, end);
}

static bool take_noted(struct tweed__owner *o, uint32_t i, uint32_t *end)
{
    bool taken = tweed__range_take(o, i, end);

    if (taken)
        *end = 0; /* nothing that is over makes states different */
    else
        give_up(i, *end);
    return taken;
}

/* As cancel() in lib/loop/cancel.c. */
static void cancel_loop(int me, uint32_t at)
{
    uint32_t begin = 0, end = 0, now = load_relaxed(&cancelled);
    bool lowered = false;

    while (at < now && !lowered)
        lowered = cas_seq_cst(&cancelled, &now, at);
    if (!lowered && at > 0)
        return;
    while (tweed__range_cancel(&range, me, at, &begin, &end))
        give_up(begin, end);
    if (at < mark_of(got.cancelled))
        mark(got.cancelled, (unsigned char)at);
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

/* A claim of blocks [begin, end) that is begun though the loop was cancelled below it: the
   one that the owner had then, or one of which S has changed already, which the owner
   does not see yet.  Or the last one of a range with no steal range: the owner may have
   missed that, see (6) in lib/range/range.c. */
static void count_late(const struct tweed__owner *o, uint32_t begin, uint32_t end)
{
    if (begin >= mark_of(got.cancelled)) {
        unsigned char before = mark_one_more(got.late);

        model_assert(before == 0 ||
                     (end == mid_of(o->seen) && end == high_of(o->seen)) ||
                     !model_knows(model_newest(&range.S) == o->seen));
    }
}

static void run_some(int64_t from, int64_t to, void *arg)
{
    struct tweed__walker *w = arg;

    count_late(&w->owner, (uint32_t)from, (uint32_t)to);
    note((uint32_t)from, (uint32_t)to);
    if (from <= (int64_t)sought && (int64_t)sought < to) {
        w->halted = true;
        w->cursor.limit = 0;
        cancel_loop(0, w->cursor.end);
        mark(got.late, 1); /* none is begun any more */
    }
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

static void owner(void *arg)
{
    struct tweed__walker w;
    bool ready = true;

    (void)arg;
    tweed__cursor_init(&w, &body, !exchange);
    w.owner.range = &range;
    w.owner.tally = &tally;
    w.owner.cancelled = stops || sought < last ? &cancelled : NULL;
    if (installs) {
        tweed__range_install(&w.owner, first, last);
        tweed__range_show(&range); /* as hint() */
    } else {
        ready = tweed__range_claim(&w.owner);
    }
    if (!ready)
        return;
    w.cursor.arg = &w;
    (void)tweed__cursor_range(&w, &kind);
}

/* ---- the thieves ---- */

static void thief(void *arg)
{
    int me = (int)(intptr_t)arg;
    uint32_t begin, end;

    if (me <= stops)
        cancel_loop(me, first);
    for (int n = 0; looks ? n < looks && !model_knows(all_is_taken(NULL))
                          : !all_is_taken(NULL);
         n += looks > 0) {
        begin = end = 0; /* nothing that is over makes states different */
        if (tweed__range_steal(&range, me, !exchange, true, &tally, &begin,
                               &end) >= TWEED__LOOT)
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
    sought = first + (uint32_t)MODEL_NUMBER(find, 0) - 1;
    if (!MODEL_NUMBER(find, 0))
        sought = UINT32_MAX;
    cancelled = TWEED__UNCANCELLED;
    mark(got.cancelled, 255);
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
    if (stops || sought < last)
        model_place(&cancelled, sizeof cancelled, "cancelled");
    model_figure(&tweed__fence_ns);
    model_memory(&got, sizeof got);
    model_thread(owner, NULL, false);
    for (int i = 1; i <= thieves; i++)
        model_thread(thief, (void *)(intptr_t)i, i <= mortal);
    model_verify(verify);
}

/*
 * loops.c - one loop after another through one slot: publishing, joining, taking
 * part, the end, and who is still inside.
 *
 * SPDX-License-Identifier: MIT
 *
 *   workers=2    the caller and its helpers
 *   callers=1    2: two threads from outside, on seat 0 both, each with loops of its
 *                own; a slot more, and who finds none runs the loop alone
 *   blocks=4     each loop is over [0, blocks)
 *   loops=2      of each caller, of the same bounds; of one caller through one slot
 *   uneven=0     1: all blocks but one a helper are the share of the last worker:
 *                what is stolen from that is long enough to be installed
 *   mirrored=0   1: and of the first worker, the caller, instead
 *   exchange=0   1: the exchange mode instead of the asymmetric one
 *   runs=0       1: several blocks a claim; 2: one, and two are not parted
 *   narrow=0     1: the second loop is for two workers only
 *   fixed=0      1: the loops are static: each block on the worker that it was dealt to
 *   large=0      1: each block has three indices, since there would be too many blocks, and
 *                is gone through in pieces of one
 *   nest=0       1: the body of block 0 starts a loop of two blocks in another slot;
 *                2: of the last block; 3: of all blocks but block 0
 *   inner=2      blocks of that loop
 *   series=1     so many such loops, one after the other
 *   alone=0      1: it is walked by its caller alone
 *   deep=0       1: the body of its block 0 starts a loop of two blocks in a third
 *   looks=0      1: with nest, another thread from outside looks at that loop on seat
 *                0 again and again, and has no part in it
 *   meet=0       1: the bodies of the innermost loop wait for each other (with
 *                loops=1: the second may find no room, and is then run by its caller
 *                alone)
 *   stop=0       1: the body of block 0 stops the loop; 2: of the last block; 3: both
 *   tree=0       1: the loops are reductions (lib/loop/reduce.c), with groups of two blocks
 *   find=0       1: block `blocks` / 2 is found, and those above it; 2: all blocks are.
 *                The lowest of these is the result
 *   part=4       thieves take such a part; 2 gives stolen ranges worth installing
 *                when there are few blocks
 *   sleeps=0     1: helpers live as in lib/pool/thread.c, and sleep; else they look into
 *                the slot again and again
 *   absent=0     1: no helper ever comes
 *   apart=0      1: each worker has a bit of its own in `visited`; not with order=1
 *   tries=0      how often a helper looks into one loop; 0: again and again
 *   nodes=1      2: the first half of the workers are on one node, the others on
 *                another, and blocks are counted by nodes (lib/loop/counts.c)
 *   order=0      1: helper 1 sees the first loop before helper 2 does, and a helper
 *                goes for the caller's seat before it goes for the other's
 *   touch=0      1: each caller's argument, the slots' descriptors and what bodies
 *                write are plain objects, checked for races
 *
 * Elements of a reduction are what has been executed: those that are combined must lie
 * next to each other, and at the end there is one, of all blocks.
 *
 * These are slot.c, publish.c and work.c of lib/loop/ with all that they call but the
 * system, in a team that has one slot a caller, and one for loops in loops.  Victims are
 * chosen in every way, not by chance.
 *
 * FEWER STATES.  What is over is forgotten (afresh.h).  Without sleepers nobody
 * waits for an event: the words that only they look at are figures.  (Not with
 * touch=1, where what is written to them may order something.)
 *
 * order=1 is for two helpers that are alike, that is, have shares of one length
 * (mirrored=1).  The order in which a helper tries the other two seats is fixed, and
 * other orders are not explored.  That helper 1 comes first loses nothing.  Exchange
 * the helpers, and a schedule in which helper 2 is the first to see the first loop is
 * one in which helper 1 is.  One thing tells them apart: the caller looks at the flag
 * of helper 1 before that of helper 2 when it publishes the second loop.  The first
 * loop is over then.  A helper that is still inside looks at words that nobody
 * changes any more, sets the bit in `visited` that both helpers share, and raises
 * and lowers its flag, which only the caller looks at.  So the steps of one helper
 * can be put before those of the other, and which of the two looks comes first makes
 * no difference.
 */
#define TWEED_GROUP_ UINT32_C(2)
#include "model.h"

static uint32_t steal_part;
#define STEAL_PART steal_part
#include "../../lib/range/glance.c"
#include "../../lib/range/range.c"
#define REMEMBERED 1
#include "../../lib/range/costs.c"
#include "../../lib/loop/loop.h"
#include "../../lib/range/pace.c"
#include "../../lib/range/cursor.c"
#include "../../lib/pool/team.h"
#include "selves.h"
#include "../../lib/pool/sleep.c"

#include "../../lib/base/random.h"
static uint32_t begin_at(uint32_t n);
#define random_below(seed, n) ((void)(seed), begin_at(n))
#include "afresh.h"
#include "../../lib/loop/counts.c"
#include "../../lib/loop/victim.c"
#define tweed__victim_steal look_for_loot

#undef TWEED__SLOTS
#define TWEED__SLOTS slots
static unsigned slots;
static uint32_t next_as_dealt(struct tweed__deal *s)
{
    return deal_next(s);
}
static uint32_t end_of_share(struct tweed__deal *s);
#define deal_next end_of_share
static int visitors_a_bit;
#define VISITORS visitors_a_bit
/* tweed__slot_join() looks into the slot after that. */
#include "../../lib/base/tsan.h"
static void read_descriptor(const volatile void *object);
#undef tweed__tsan_acquire
#define tweed__tsan_acquire(object) read_descriptor(object)
/* Nobody is bound to a CPU here. */
void tweed__affinity_caller(struct tweed__team *team, bool among_others)
{
    (void)team, (void)among_others;
}
#include "no-jobs.h"
#include "no-text.h"
#include "../../lib/pool/part.c"
#include "../../lib/loop/cancel.c"
#include "../../lib/loop/slot.c"
#include "../../lib/loop/publish.c"
#include "../../lib/loop/work.c"
#include "../../lib/pool/wait.c"
#include "../../lib/task/within.c"
#include "../../lib/pool/thread.c"
#define run_in run_reduction_in
/* The drivers' reductions have no options. */
int tweed__loop_read(tweed_loop_options *known, const tweed_loop_options *options)
{
    (void)known, (void)options;
    return TWEED_EINVAL;
}
#include "../../lib/loop/reduce.c"
#undef run_in

#define WORKERS 4
#define NODES 2
#define CALLERS 2
#define BLOCKS 12

static struct tweed__team team;
static struct tweed__worker worker[WORKERS], *workers[WORKERS];
static struct tweed__group group[NODES];
static struct tweed__node_counts counts[NODES], *node_counts[NODES];
static tweed_kind kind, inner_kind;
static int nearness[NODES * NODES] = { 0, 1, 1, 0 };
static int nodes, workers_asked, callers, blocks, inner_blocks, loops, tries;
static int nests, series, deep, stops, finds;
static bool alone, uneven, mirrored, narrow, touches, sleeps, ordered, meets, reduces;
static uint32_t manner;
/* Only touched. */
static char argument[CALLERS], descriptor[CALLERS + 2], result[CALLERS][BLOCKS];

static struct {
    /* Of each caller, and which of its loops runs. */
    MODEL_MARK(unsigned char) times[CALLERS][BLOCKS], inner[CALLERS][BLOCKS];
    MODEL_MARK(unsigned char) innermost[CALLERS][2];
    MODEL_MARK(unsigned char) loop[CALLERS];
    MODEL_MARK(unsigned char) tried[WORKERS];
    MODEL_MARK(bool) busy[CALLERS + WORKERS]; /* in a body of an outer loop */
    /* The loop was stopped, and so many claims were begun after that. */
    MODEL_MARK(bool) stopped;
    MODEL_MARK(unsigned char) late[WORKERS];
    MODEL_MARK(unsigned char) over; /* callers that have no loop any more */
} now;

static bool is_over(void)
{
    return mark_of(now.over) == callers;
}

/* Who runs a body of this caller's loop: of the threads from outside, which are all
   on seat 0, only that caller. */
static int who(int caller)
{
    int me = tweed__self.here->index;

    model_assert(me != 0 || tweed__self.seed == (uint64_t)caller);
    return me == 0 ? caller : CALLERS + me;
}

static void read_descriptor(const volatile void *object)
{
    const volatile char *at = object, *first = (const char *)team.slots;

    if (touches && at >= first && at < (const char *)(&team.slots + 1))
        model_touch(&descriptor[(size_t)(at - first) / sizeof team.slots[0]],
                    false);
}

static uint32_t begin_at(uint32_t n)
{
    return ordered && tweed__self.here->index > 0 ? 0
                                                  : (uint32_t)model_choose((int)n);
}

static uint32_t first_of_share(uint32_t n, uint32_t place, uint32_t places)
{
    if (!uneven)
        return (uint32_t)((uint64_t)n * place / places);
    if (mirrored && place > 0)
        return n - (places - place);
    return place < places ? place : n;
}

/* In place of deal_next(), where shares are dealt by number. */
static uint32_t end_of_share(struct tweed__deal *s)
{
    uint32_t place;

    if (team.is_uneven)
        return next_as_dealt(s);
    place = (uint32_t)++s->place;
    if (touches && place == 1) /* the descriptor is being written */
        model_touch(&descriptor[tweed__self.here->slot], true);
    return first_of_share(s->blocks, place, s->total);
}

/* Is this block in the share of this worker? */
static bool was_dealt(int64_t block, int w, int workers_there)
{
    uint32_t n = (uint32_t)blocks, places = (uint32_t)workers_there;

    places = places < n ? places : n;
    return block >= first_of_share(n, (uint32_t)w, places) &&
           block < first_of_share(n, (uint32_t)w + 1, places);
}

/* The lowest block that is found, if bodies look for one. */
static int wanted(void)
{
    return finds == 1 ? blocks / 2 : 0;
}

/* What came of a loop that may end early. */
static void verify_result(const struct tweed__part *p)
{
    const struct tweed__early *e = &p->walker.early;

    model_assert(!(stops || finds) || p->walker.ends_early);
    if (stops)
        model_assert(tweed__cancel_result(p) == TWEED_ESTOPPED);
    if (finds)
        model_assert(tweed__cancel_result(p) == TWEED_OK && e->hit.code &&
                     e->hit.offset == (uint64_t)wanted());
}

/* As run() in lib/loop/loop.c; whether the loop has begun, which a static one may not. */
static bool run_in(int k, struct tweed__worker *w, struct tweed__body *body,
                   int limit, uint64_t patience)
{
    struct tweed__part part;

    tweed__cursor_prepare(body);
    tweed__part_init(&part, w, body);
    part.limit = limit;
    if (k >= 0) {
        if (tweed__work_run(&part, k, patience) != TWEED_OK)
            return false;
        verify_result(&part);
        return true;
    }
    if (body->manner & TWEED__FIXED)
        return false;
    tweed__self.here = &part; /* there is no slot */
    (void)tweed__cursor_alone(&part.walker, body, UINT64_MAX, NULL);
    tweed__self.here = part.outer;
    return true;
}

/* Slot k, or another, is the slot of a loop in a loop of this caller; started by
   whoever runs this block. */
static void run_inside(unsigned k, int caller, void (*fn)(int64_t, void *), int n,
                       uint64_t patience)
{
    struct tweed__body body = { .kind = &inner_kind, .fn = (void (*)(void))fn,
                                .arg = (void *)(intptr_t)caller,
                                .count = (uint64_t)n, .grain = 1,
                                .blocks = (uint32_t)n };

    (void)run_in(tweed__slot_acquire(&team, k), tweed__self.here->worker, &body, 0,
                 patience);
}

static bool both_run(void *arg)
{
    int caller = (int)(intptr_t)arg;

    if (deep)
        return mark_of(now.innermost[caller][0]) &&
               mark_of(now.innermost[caller][1]);
    return mark_of(now.inner[caller][0]) && mark_of(now.inner[caller][1]);
}

static void run_innermost(int64_t i, void *arg)
{
    int caller = (int)(intptr_t)arg;
    unsigned char before = mark_one_more(now.innermost[caller][i]);

    (void)who(caller);
    model_assert(before == 0);
    if (meets)
        model_await(both_run, arg);
}

static void run_inner(int64_t i, void *arg)
{
    int caller = (int)(intptr_t)arg;
    unsigned char before = mark_one_more(now.inner[caller][i]);

    (void)who(caller);
    model_assert(before == 0);
    if (meets && !deep)
        model_await(both_run, arg);
    if (!deep || i > 0)
        return;
    run_inside(slots - 1, caller, run_innermost, 2, 0);
    for (int n = 0; n < 2; n++) {
        model_assert(mark_of(now.innermost[caller][n]) == 1);
        mark(now.innermost[caller][n], 0);
    }
}

static void nest(int caller)
{
    for (int n = 0; n < series; n++) {
        run_inside((unsigned)callers, caller, run_inner, inner_blocks,
                   alone ? UINT64_MAX : 0);
        for (int i = 0; i < inner_blocks; i++) {
            model_assert(mark_of(now.inner[caller][i]) == 1);
            mark(now.inner[caller][i], 0);
        }
    }
}

static bool nests_in(int64_t block)
{
    return (nests == 1 && block == 0) || (nests == 2 && block == blocks - 1) ||
           (nests == 3 && block > 0);
}

/* A claim that worker `me` begins though the loop was stopped: the one that it had
   when that happened (the worker that has stopped the loop had one), or one of which S
   has changed already, which the worker does not see yet. */
static void verify_claim(int me, const struct tweed__walker *w)
{
    model_assert(w->walk == TWEED__LONE || !w->halted); /* it has halted the loop itself */
    if (mark_of(now.stopped)) {
        unsigned char before = mark_one_more(now.late[me]);

        model_assert(before == 0 ||
                     (w->walk == TWEED__RANGE && !w->halted &&
                      !model_knows(model_newest(&w->owner.range->S) ==
                                   w->owner.seen)));
    }
}

static void stop(int me)
{
    tweed_cursor_stop(&tweed__self.here->walker.cursor);
    mark(now.late[me], 1);
    mark(now.stopped, true);
}

static void run_some(int64_t from, int64_t to, void *arg)
{
    int me = tweed__self.here->index, caller = (int)(intptr_t)arg % CALLERS;
    int thread = who(caller);

    model_assert(mark_of(now.loop[caller]) == (intptr_t)arg / CALLERS);
    model_assert(from < to && to <= blocks);
    model_assert(!mark_of(now.busy[thread]));
    model_assert(!narrow || mark_of(now.loop[caller]) != 2 || me < 2);
    model_assert(!(manner & TWEED__FIXED) ||
                 was_dealt(from, me, narrow && mark_of(now.loop[caller]) == 2
                                         ? 2
                                         : workers_asked));
    mark(now.busy[thread], true);
    verify_claim(me, &tweed__self.here->walker);
    if (touches)
        model_touch(&argument[caller], false);
    for (; from < to; from++) {
        unsigned char before = mark_one_more(now.times[caller][from]);

        model_assert(before == 0);
        if (touches)
            model_touch(&result[caller][from], true);
        if (nests_in(from))
            nest(caller);
        if ((stops & 1 && from == 0) || (stops & 2 && from == blocks - 1))
            stop(me);
        if (finds && from >= wanted()) {
            tweed_cursor_found(&tweed__self.here->walker.cursor, from);
            break; /* the rest of the claim is left out */
        }
    }
    mark(now.busy[thread], false);
}

static void run_one(int64_t i, void *arg)
{
    run_some(i, i + 1, arg);
}

/* Of a large loop: the first index of a block, and the others.  Of these a worker begins one
   at most when the loop has been stopped. */
static void run_third(int64_t i, void *arg)
{
    const struct tweed__part *here = tweed__self.here;

    if (i % 3 == 0) {
        run_one(i / 3, arg);
        return;
    }
    model_assert(mark_one_more(now.times[(intptr_t)arg % CALLERS][i / 3]) == i % 3);
    model_assert(!here->walker.halted);
    model_assert(!mark_of(now.stopped) || mark_one_more(now.late[here->index]) == 0);
}

/* A search: whoever has found something asks tweed_next(), as tweed_work_find_(). */
static void work_find(tweed_cursor *c)
{
    do
        run_some(tweed_first(c), tweed_past(c), c->arg);
    while (tweed_next(c));
}

#include "folds.h"

/* ---- callers and helpers ---- */

/* The slot for a loop of a caller: of one caller always the same. */
static int acquire(void)
{
    int k = tweed__slot_acquire(&team, 0);

    model_assert(callers > 1 || k == 0);
    return k;
}

static void call(void *arg)
{
    int caller = (int)(intptr_t)arg;
    struct tweed__body body = { .kind = &kind, .fn = (void (*)(void))run_one,
                                .count = (uint64_t)blocks, .grain = 1,
                                .blocks = (uint32_t)blocks, .manner = manner };

    tweed__self.seed = (uint64_t)caller;
    if (kind.claim_ns)
        body.fn = (void (*)(void))run_some;
    if (manner & TWEED__LARGE) {
        body.fn = (void (*)(void))run_third;
        body.count = 3 * (uint64_t)blocks;
        body.grain = 3;
        body.unit = 1;
    }
    for (int k = 1; k <= loops; k++) {
        mark(now.loop[caller], (unsigned char)k);
        mark(now.stopped, false);
        for (int i = 0; i < WORKERS; i++) {
            mark(now.tried[i], 0);
            mark(now.late[i], 0);
        }
        body.arg = (void *)(intptr_t)(k * CALLERS + caller);
        if (touches)
            model_touch(&argument[caller], true);
        if (reduces)
            begin_tree(&body);
        while (!run_in(acquire(), &worker[0], &body, narrow && k == 2 ? 2 : 0, 0))
            model_forget(); /* TWEED_EBUSY: tries once more */
        for (int i = 0; i < blocks; i++) {
            model_assert(mark_of(now.times[caller][i]) == body.grain ||
                         mark_of(now.stopped) || (finds && i > wanted()));
            mark(now.times[caller][i], 0);
            if (touches)
                model_touch(&result[caller][i], false);
        }
        if (reduces)
            end_tree();
    }
    if (mark_one_more(now.over) + 1 < callers)
        return;
    store_release(&team.stop, 1); /* as tweed__team_end() */
    if (sleeps)
        tweed__sleep_announce(&team.sleep, workers_asked, UINT32_MAX,
                              &worker[0].tally);
}

static void live(void *arg)
{
    (void)tweed__thread_main(arg);
}

static bool is_news(void *arg)
{
    const struct tweed__worker *w = arg;

    return is_over() || mark_of(now.tried[w->index]) < tries;
}

static bool has_come(void *arg)
{
    (void)arg;
    return is_over() || mark_of(now.loop[0]) > 1 || mark_of(now.tried[1]) > 0;
}

static void help(void *arg)
{
    struct tweed__worker *w = arg;

    if (ordered && w->index > 1)
        model_await(has_come, NULL);
    while (!is_over()) {
        uint64_t live;

        if (tries && mark_of(now.tried[w->index]) == tries)
            model_await(is_news, w);
        live = load_acquire(&team.active); /* as tweed__work_look() */
        if (tries && live)
            mark_one_more(now.tried[w->index]);
        for (unsigned k = 0; live >> k; k++)
            if (live >> k & 1) {
                model_forget();
                (void)tweed__work_help(w, k, -1);
            }
    }
}

/* Another caller, which waits for a loop in a slot that is not among these: what
   such a one may do at any time, having looked at what slots are used for no more. */
static void look_in_vain(void *arg)
{
    unsigned k = (unsigned)callers;

    (void)arg;
    while (!is_over())
        if (load_seq_cst(&team.active) >> k & 1) {
            bool worked;

            model_forget();
            worked = tweed__work_help(&worker[0], k, (int)slots);
            model_assert(!worked);
        }
}

static void verify_slot(unsigned k)
{
    struct tweed__slot *slot = &team.slots[k];

    model_assert(load_relaxed(&slot->taken) == 0);
    model_assert(load_relaxed(&slot->remaining) % TWEED__CALLER_ASLEEP == 0);
    for (int i = 0; i < workers_asked; i++) {
        struct tweed__range *r = &worker[i].seats[k].range;
        struct tweed__look look = tweed__range_look(r);

        model_assert(load_relaxed(&r->inside) == 0);
        model_assert(look.drained || (look.unclaimed && look.mid == look.high));
    }
}

static void verify(void)
{
    model_assert(load_relaxed(&team.active) == 0);
    for (int g = 0; nodes > 1 && g < nodes; g++) {
        model_assert(!sleeps || load_relaxed(&counts[g].asleep) == 0);
        for (unsigned k = 0; k < slots; k++)
            model_assert(load_relaxed(&counts[g].slots[k].held) == 0);
    }
    for (unsigned k = 0; k < slots; k++)
        verify_slot(k);
}

static void name_slot(unsigned k)
{
    static const char *const names[WORKERS][3] = {
        { "inside 0", "S 0", "low 0" }, { "inside 1", "S 1", "low 1" },
        { "inside 2", "S 2", "low 2" }, { "inside 3", "S 3", "low 3" }
    };
    struct tweed__slot *slot = &team.slots[k];

    for (int i = 0; i < workers_asked; i++) {
        struct tweed__range *r = &worker[i].seats[k].range;

        model_place(&r->inside, sizeof r->inside, names[i][0]);
        model_place(&r->S, sizeof r->S, names[i][1]);
        model_place(&r->low, sizeof r->low, names[i][2]);
    }
    for (int g = 0; nodes > 1 && g < nodes; g++)
        model_place(&counts[g].slots[k].held, sizeof counts[g].slots[k].held,
                    g ? "held 1" : "held 0");
    model_place(&slot->visited, sizeof slot->visited, "visited");
    model_place(&slot->remaining, sizeof slot->remaining, "remaining");
    if (sleeps || touches)
        model_place(&slot->wakes_owed, sizeof slot->wakes_owed, "wakes_owed");
    else
        model_figure(&slot->wakes_owed);
    if (callers > 1)
        model_place(&slot->taken, sizeof slot->taken, "taken");
    else
        model_own(&slot->taken, sizeof slot->taken); /* one caller a slot */
    model_figure(&slot->readers);                /* no dumps */
    model_figure(&slot->of_group); /* both: no groups */
    model_figure(&slot->uses);
    slot->parent = -1; /* as an outermost loop leaves it */
    if (nests) {
        model_place(&slot->publisher, sizeof slot->publisher, "publisher");
        model_place(&slot->parent, sizeof slot->parent, "parent");
    } else {
        model_figure(&slot->publisher);
        model_figure(&slot->parent);
    }
    if (stops || finds)
        model_place(&slot->cancelled, sizeof slot->cancelled, "cancelled");
    else
        model_figure(&slot->cancelled);
    slot->cancelled = TWEED__UNCANCELLED;
    for (int i = 0; (stops || finds) && i < workers_asked; i++)
        model_memory(&worker[i].seats[k].early, sizeof worker[i].seats[k].early);
    model_memory(&slot->body, sizeof slot->body);
    model_memory(&slot->window, sizeof slot->window);
    model_memory(&slot->by_nodes, sizeof slot->by_nodes);
}

static void name_plain(int caller)
{
    model_plain(&argument[caller], 1, "argument");
    for (int i = 0; i < blocks; i++)
        model_plain(&result[caller][i], 1, "result");
}

static void name_objects(void)
{
    for (unsigned k = 0; k < slots; k++)
        name_slot(k);
    model_place(&team.active, sizeof team.active, "active");
    if (manner & TWEED__FIXED)
        model_place(&team.fixed, sizeof team.fixed, "fixed");
    else
        model_figure(&team.fixed);
    if (sleeps || touches) {
        model_place(&team.sleep.event, sizeof team.sleep.event, "event");
        model_place(&team.sleep.waiters, sizeof team.sleep.waiters, "waiters");
    } else { /* nobody waits for an event */
        model_figure(&team.sleep.event);
        model_figure(&team.sleep.waiters);
    }
    for (int g = 0; sleeps && nodes > 1 && g < nodes; g++)
        model_place(&counts[g].asleep, sizeof counts[g].asleep,
                    g ? "asleep 1" : "asleep 0");
    if (sleeps)
        model_place(&team.stop, sizeof team.stop, "stop");
    else
        model_figure(&team.stop);
    model_figure(&team.has_jobs); /* no groups */
    model_figure(&team.sleep.waiting);
    model_figure(&tweed__awake[0].threads);
    model_figure(&tweed__awake_parts);
    model_figure(&tweed__fence_ns);
    model_figure(&kind.cost);
    model_figure(&inner_kind.cost);
    for (int c = 0; touches && c < callers; c++)
        name_plain(c);
    for (unsigned k = 0; touches && k < slots; k++)
        model_plain(&descriptor[k], 1, "descriptor");
    for (int i = 1; manner & TWEED__FIXED && i < workers_asked; i++)
        model_memory(&worker[i].turn, sizeof worker[i].turn);
    model_memory(&now, sizeof now);
    if (reduces) {
        model_memory(elements, sizeof elements);
        model_memory(folded, sizeof folded);
        model_memory(&partials.executed, sizeof partials.executed);
        model_memory(&tree.arg, sizeof tree.arg);
    }
    model_self(&tweed__self, sizeof tweed__self);
}

void model_setup(void)
{
    workers_asked = MODEL_NUMBER(workers, 2);
    nodes = MODEL_NUMBER(nodes, 1);
    blocks = MODEL_NUMBER(blocks, 4);
    loops = MODEL_NUMBER(loops, 2);
    uneven = MODEL_NUMBER(uneven, 0);
    mirrored = MODEL_NUMBER(mirrored, 0);
    narrow = MODEL_NUMBER(narrow, 0);
    meets = MODEL_NUMBER(meet, 0);
    nests = MODEL_NUMBER(nest, 0);
    stops = MODEL_NUMBER(stop, 0);
    finds = MODEL_NUMBER(find, 0);
    callers = MODEL_NUMBER(callers, 1);
    inner_blocks = MODEL_NUMBER(inner, 2);
    series = MODEL_NUMBER(series, 1);
    alone = MODEL_NUMBER(alone, 0);
    deep = MODEL_NUMBER(deep, 0);
    visitors_a_bit = MODEL_NUMBER(apart, 0) ? 1 : 16;
    slots = (unsigned)callers + (nests > 0) + (unsigned)deep;
    kind.work = inner_kind.work = tweed_work_index_;
    if (MODEL_NUMBER(runs, 0)) { /* four seconds: see tweed__clock() in vm.c */
        kind.claim_ns = 4000000000u;
        kind.work = tweed_work_range_;
    }
    if (MODEL_NUMBER(runs, 0) == 2)
        kind.claim_ns = UNIT_NS / 2;
    if (finds)
        kind.work = work_find;
    reduces = MODEL_NUMBER(tree, 0);
    if (reduces)
        kind.work = work_by_pointer;
    manner = MODEL_NUMBER(fixed, 0) ? TWEED__FIXED : 0;
    manner |= MODEL_NUMBER(large, 0) ? TWEED__LARGE : 0;
    tries = MODEL_NUMBER(tries, 0);
    ordered = MODEL_NUMBER(order, 0);
    model_assert(!ordered || (tries && uneven && mirrored));
    model_assert(!ordered || visitors_a_bit > 1);
    model_assert(callers == 1 || !(ordered || stops || finds || reduces));
    model_assert(!finds || !(nests || reduces || manner));
    model_assert(!(manner & TWEED__LARGE) || !(kind.claim_ns || finds || reduces));
    touches = MODEL_NUMBER(touch, 0);
    sleeps = MODEL_NUMBER(sleeps, 0);
    steal_part = (uint32_t)MODEL_NUMBER(part, 4);
    model_assert(nodes >= 1 && nodes <= NODES && workers_asked >= nodes);
    model_assert(workers_asked <= WORKERS && callers <= CALLERS &&
                 blocks <= BLOCKS && inner_blocks <= BLOCKS && steal_part > 1);
    team.asymmetric_loops = !MODEL_NUMBER(exchange, 0);
    team.num_workers = workers_asked;
    team.workers = workers;
    team.num_groups = nodes;
    team.groups = group;
    team.nearness = nearness;
    team.nearest = nodes > 1 ? TWEED__IN_DOMAIN : TWEED__NEAREST;
    group[0].end = workers_asked / nodes;
    group[1].begin = workers_asked / nodes;
    group[1].end = workers_asked;
    if (nodes > 1)
        team.node_counts = node_counts;
    team.is_uneven = nodes > 1;
    for (int i = 0; i < workers_asked; i++) {
        int g = i < group[0].end ? 0 : 1;

        workers[i] = &worker[i];
        worker[i].team = &team;
        worker[i].index = i;
        worker[i].group = g;
        node_counts[g] = &counts[g];
        worker[i].counts = nodes > 1 ? &counts[g] : NULL;
        worker[i].domain = (struct tweed__span){ group[g].begin, group[g].end };
        for (unsigned k = 0; k < slots; k++)
            tweed__range_clear(&worker[i].seats[k].range);
    }
    name_objects();
    for (int i = 0; i < callers; i++)
        model_thread(call, (void *)(intptr_t)i, false);
    for (int i = 1; i < workers_asked && !MODEL_NUMBER(absent, 0); i++)
        model_thread(sleeps ? live : help, &worker[i], false);
    if (MODEL_NUMBER(looks, 0)) {
        model_figure(&team.slots[slots].uses); /* of its loop */
        model_thread(look_in_vain, NULL, false);
    }
    model_verify(verify);
}

/*
 * loops.c - one loop after another through one slot: publishing, joining, taking
 * part, the end, and who is still inside.
 *
 * SPDX-License-Identifier: MIT
 *
 *   workers=2    the caller and its helpers
 *   blocks=4     each loop is over [0, blocks)
 *   loops=2      of the same bounds, through the same slot
 *   uneven=0     1: all blocks but one a helper are the share of the last worker:
 *                what is stolen from that is long enough to be installed
 *   mirrored=0   1: and of the first worker, the caller, instead
 *   exchange=0   1: the exchange mode instead of the asymmetric one
 *   runs=0       1: several blocks a claim
 *   narrow=0     1: the second loop is for two workers only
 *   nest=0       1: the body of block 0 starts a loop of two blocks in another slot;
 *                2: of the last block
 *   meet=0       1: the bodies of that loop wait for each other (with loops=1: the
 *                second may find no room, and is then run by its caller alone)
 *   stop=0       1: the body of block 0 stops the loop; 2: of the last block
 *   part=4       thieves take such a part; 2 gives stolen ranges worth installing
 *                when there are few blocks
 *   sleeps=0     1: helpers live as in lib/thread.c, and sleep; else they look into
 *                the slot again and again
 *   tries=0      how often a helper looks into one loop; 0: again and again
 *   order=0      1: helper 1 sees the first loop before helper 2 does, and a helper
 *                goes for the caller's seat before it goes for the other's
 *   touch=0      1: the caller's argument, the slot's descriptor and what bodies
 *                write are plain objects, checked for races
 *
 * This is lib/slot.c with all that it calls but the system, in a team that has one
 * slot, or two for loops in loops.  Victims are chosen in every way, not by chance.
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
#include "model.h"

static uint32_t steal_part;
#define STEAL_PART steal_part
#include "../../lib/range.c"
#include "../../lib/cursor.c"
#include "../../lib/sleep.c"
#include "../../lib/team.h"
#ifdef GENMC
static struct tweed__self selves[MODEL_THREADS];
#define tweed__self selves[model_me]
#else
_Thread_local struct tweed__self tweed__self;
#endif

#include "afresh.h"
#include "../../lib/random.h"
static uint32_t begin_at(uint32_t n);
#define random_below(seed, n) ((void)(seed), begin_at(n))
#include "../../lib/victim.c"
#define tweed__victim_steal look_for_loot

#undef TWEED__SLOTS
#define TWEED__SLOTS slots
static unsigned slots;
static uint32_t begin_of_share(uint32_t n, uint32_t place, uint32_t places);
#define partition_begin begin_of_share
/* join() looks into the slot after that. */
#include "../../lib/tsan.h"
static void read_descriptor(void);
#undef tweed__tsan_acquire
#define tweed__tsan_acquire(object) ((void)(object), read_descriptor())
/* Nobody is bound to a CPU here. */
void tweed__place_caller(struct tweed__team *team, bool among_others)
{
    (void)team, (void)among_others;
}
#include "../../lib/slot.c"
#include "../../lib/thread.c"

#define WORKERS 3
#define BLOCKS 12

static struct tweed__team team;
static struct tweed__worker worker[WORKERS], *workers[WORKERS];
static struct tweed__group group;
static tweed_kind kind, inner_kind;
static int nearness[1], workers_asked, blocks, loops, tries, nests, stops;
static bool uneven, mirrored, narrow, touches, sleeps, ordered, meets;
static char argument, descriptor, result[BLOCKS]; /* only touched */

static struct {
    MODEL_MARK(unsigned char) times[BLOCKS], inner[2];
    MODEL_MARK(unsigned char) loop; /* the one that runs */
    MODEL_MARK(unsigned char) tried[WORKERS];
    MODEL_MARK(bool) busy[WORKERS]; /* in a body of the outer loop */
    /* The loop was stopped, and so many claims were begun after that. */
    MODEL_MARK(bool) stopped;
    MODEL_MARK(unsigned char) late[WORKERS];
    MODEL_MARK(bool) over;
} now;

static void read_descriptor(void)
{
    if (touches)
        model_touch(&descriptor, false);
}

static uint32_t begin_at(uint32_t n)
{
    return ordered && tweed__self.here->index > 0 ? 0
                                                  : (uint32_t)model_choose((int)n);
}

static uint32_t begin_of_share(uint32_t n, uint32_t place, uint32_t places)
{
    if (touches && place == 1) /* publish() is writing it */
        model_touch(&descriptor, true);
    if (!uneven)
        return (uint32_t)((uint64_t)n * place / places);
    if (mirrored && place > 0)
        return n - (places - place);
    return place < places ? place : n;
}

static bool both_run(void *arg)
{
    (void)arg;
    return mark_of(now.inner[0]) && mark_of(now.inner[1]);
}

static void run_inner(int64_t i, void *arg)
{
    unsigned char before = mark_one_more(now.inner[i]);

    (void)arg;
    model_assert(before == 0);
    if (meets)
        model_await(both_run, NULL);
}

static void run_in(int k, struct tweed__worker *w, struct tweed__body *body,
                   int limit)
{
    struct tweed__part part;

    tweed__cursor_prepare(body);
    tweed__part_init(&part, w, body);
    part.limit = limit;
    tweed__slot_run(&part, k, 0);
}

/* A loop in a loop; by whoever runs this block. */
static void nest(void)
{
    struct tweed__body inner = {
        .kind = &inner_kind, .fn = (void (*)(void))run_inner, .count = 2,
        .grain = 1, .blocks = 2
    };

    run_in(tweed__slot_acquire(&team, 1), tweed__self.here->worker, &inner, 0);
    for (int i = 0; i < 2; i++) {
        model_assert(mark_of(now.inner[i]) == 1);
        mark(now.inner[i], 0);
    }
}

/* A claim that worker `me` begins though the loop was stopped: the one that it had
   when that happened (the worker that has stopped the loop had one), or one of which S
   has changed already, which the worker does not see yet. */
static void count_late(int me, const struct tweed__walker *w)
{
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
    int me = tweed__self.here->index;

    model_assert(mark_of(now.loop) == (unsigned char)(intptr_t)arg);
    model_assert(from < to && to <= blocks);
    model_assert(!mark_of(now.busy[me]));
    model_assert(!narrow || mark_of(now.loop) != 2 || me < 2);
    mark(now.busy[me], true);
    count_late(me, &tweed__self.here->walker);
    if (touches)
        model_touch(&argument, false);
    for (; from < to; from++) {
        unsigned char before = mark_one_more(now.times[from]);

        model_assert(before == 0);
        if (touches)
            model_touch(&result[from], true);
        if (nests && from == (nests == 1 ? 0 : blocks - 1))
            nest();
        if (stops && from == (stops == 1 ? 0 : blocks - 1))
            stop(me);
    }
    mark(now.busy[me], false);
}

static void run_one(int64_t i, void *arg)
{
    run_some(i, i + 1, arg);
}

static void call(void *arg)
{
    struct tweed__body body = { .kind = &kind, .fn = (void (*)(void))run_one,
                                .count = (uint64_t)blocks, .grain = 1,
                                .blocks = (uint32_t)blocks };

    (void)arg;
    if (kind.claim_ns)
        body.fn = (void (*)(void))run_some;
    for (int k = 1; k <= loops; k++) {
        mark(now.loop, (unsigned char)k);
        mark(now.stopped, false);
        for (int i = 0; i < WORKERS; i++) {
            mark(now.tried[i], 0);
            mark(now.late[i], 0);
        }
        body.arg = (void *)(intptr_t)k;
        if (touches)
            model_touch(&argument, true);
        model_assert(tweed__slot_acquire(&team, 0) == 0);
        run_in(0, &worker[0], &body, narrow && k == 2 ? 2 : 0);
        for (int i = 0; i < blocks; i++) {
            model_assert(mark_of(now.times[i]) == 1 || mark_of(now.stopped));
            mark(now.times[i], 0);
            if (touches)
                model_touch(&result[i], false);
        }
    }
    mark(now.over, true);
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

    return mark_of(now.over) || mark_of(now.tried[w->index]) < tries;
}

static bool has_come(void *arg)
{
    (void)arg;
    return mark_of(now.over) || mark_of(now.loop) > 1 ||
           mark_of(now.tried[1]) > 0;
}

static void help(void *arg)
{
    struct tweed__worker *w = arg;

    if (ordered && w->index > 1)
        model_await(has_come, NULL);
    while (!mark_of(now.over)) {
        uint64_t live;

        if (tries && mark_of(now.tried[w->index]) == tries)
            model_await(is_news, w);
        live = load_acquire(&team.active); /* as tweed__slot_look() */
        if (tries && live)
            mark_one_more(now.tried[w->index]);
        for (unsigned k = 0; live >> k; k++)
            if (live >> k & 1) {
                model_forget();
                (void)tweed__slot_help(w, k, -1);
            }
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
    for (unsigned k = 0; k < slots; k++)
        verify_slot(k);
}

static void name_slot(unsigned k)
{
    static const char *const names[WORKERS][3] = {
        { "inside 0", "S 0", "low 0" }, { "inside 1", "S 1", "low 1" },
        { "inside 2", "S 2", "low 2" }
    };
    struct tweed__slot *slot = &team.slots[k];

    for (int i = 0; i < workers_asked; i++) {
        struct tweed__range *r = &worker[i].seats[k].range;

        model_place(&r->inside, sizeof r->inside, names[i][0]);
        model_place(&r->S, sizeof r->S, names[i][1]);
        model_place(&r->low, sizeof r->low, names[i][2]);
    }
    model_place(&slot->visited, sizeof slot->visited, "visited");
    model_place(&slot->remaining, sizeof slot->remaining, "remaining");
    if (sleeps || touches)
        model_place(&slot->wakes_owed, sizeof slot->wakes_owed, "wakes_owed");
    else
        model_figure(&slot->wakes_owed);
    model_own(&slot->taken, sizeof slot->taken); /* one caller a slot */
    model_figure(&slot->readers);                /* no dumps */
    if (nests) {
        model_place(&slot->publisher, sizeof slot->publisher, "publisher");
        model_place(&slot->parent, sizeof slot->parent, "parent");
    } else {
        model_figure(&slot->publisher);
        slot->parent = -1;
        model_figure(&slot->parent);
    }
    if (stops)
        model_place(&slot->stop, sizeof slot->stop, "stop");
    else
        model_figure(&slot->stop);
    model_memory(&slot->body, sizeof slot->body);
    model_memory(&slot->window, sizeof slot->window);
}

static void name_objects(void)
{
    for (unsigned k = 0; k < slots; k++)
        name_slot(k);
    model_place(&team.active, sizeof team.active, "active");
    if (sleeps || touches) {
        model_place(&team.sleep.event, sizeof team.sleep.event, "event");
        model_place(&team.sleep.waiters, sizeof team.sleep.waiters, "waiters");
    } else { /* nobody waits for an event */
        model_figure(&team.sleep.event);
        model_figure(&team.sleep.waiters);
    }
    if (sleeps)
        model_place(&team.stop, sizeof team.stop, "stop");
    else
        model_figure(&team.stop);
    model_figure(&tweed__awake);
    model_figure(&tweed__fence_ns);
    model_figure(&kind.cost);
    model_figure(&inner_kind.cost);
    if (touches) {
        model_plain(&argument, 1, "argument");
        model_plain(&descriptor, 1, "descriptor");
    }
    for (int i = 0; touches && i < blocks; i++)
        model_plain(&result[i], 1, "result");
    for (int i = 1; sleeps && i < workers_asked; i++)
        model_memory(&worker[i].dozing, sizeof worker[i].dozing);
    model_memory(&now, sizeof now);
    model_self(&tweed__self, sizeof tweed__self);
}

void model_setup(void)
{
    workers_asked = MODEL_NUMBER(workers, 2);
    blocks = MODEL_NUMBER(blocks, 4);
    loops = MODEL_NUMBER(loops, 2);
    uneven = MODEL_NUMBER(uneven, 0);
    mirrored = MODEL_NUMBER(mirrored, 0);
    narrow = MODEL_NUMBER(narrow, 0);
    meets = MODEL_NUMBER(meet, 0);
    nests = MODEL_NUMBER(nest, 0);
    stops = MODEL_NUMBER(stop, 0);
    slots = nests ? 2 : 1;
    kind.work = inner_kind.work = tweed_work_index_;
    if (MODEL_NUMBER(runs, 0)) { /* four seconds: see tweed__clock() in vm.c */
        kind.claim_ns = 4000000000u;
        kind.work = tweed_work_range_;
    }
    tries = MODEL_NUMBER(tries, 0);
    ordered = MODEL_NUMBER(order, 0);
    model_assert(!ordered || (tries && uneven && mirrored));
    touches = MODEL_NUMBER(touch, 0);
    sleeps = MODEL_NUMBER(sleeps, 0);
    steal_part = (uint32_t)MODEL_NUMBER(part, 4);
    model_assert(workers_asked <= WORKERS && blocks <= BLOCKS && steal_part > 1);
    team.asymmetric = !MODEL_NUMBER(exchange, 0);
    team.num_workers = workers_asked;
    team.workers = workers;
    team.num_groups = 1;
    team.groups = &group;
    team.nearness = nearness;
    group.end = workers_asked;
    for (int i = 0; i < workers_asked; i++) {
        workers[i] = &worker[i];
        worker[i].team = &team;
        worker[i].index = i;
        for (unsigned k = 0; k < slots; k++)
            tweed__range_clear(&worker[i].seats[k].range);
    }
    name_objects();
    model_thread(call, NULL, false);
    for (int i = 1; i < workers_asked; i++)
        model_thread(sleeps ? live : help, &worker[i], false);
    model_verify(verify);
}

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
 *   runs=0       1: a range body, which joins blocks
 *   part=4       thieves take such a part; 2 gives stolen ranges worth installing
 *                when there are few blocks
 *   sleeps=0     1: helpers live as in lib/thread.c, and sleep; else they look into
 *                the slot again and again
 *   tries=0      how often a helper looks into one loop; 0: again and again
 *   touch=0      1: the caller's argument, the slot's descriptor and what bodies
 *                write are plain objects, checked for races
 *
 * This is lib/slot.c with all that it calls but the system, in a team that has one
 * slot.  Victims are chosen in every way, not by chance.
 */
#include "model.h"

#define RUN_PART 2
static uint32_t steal_part;
#define STEAL_PART steal_part
#include "../../lib/range.c"
#include "../../lib/sleep.c"
#include "../../lib/worker.c"
#ifdef GENMC
static struct tweed__self selves[MODEL_THREADS];
#define tweed__self selves[model_me]
#endif

#include "../../lib/random.h"
#define random_below(seed, n) ((void)(seed), (uint32_t)model_choose((int)(n)))
#include "../../lib/victim.c"

#undef TWEED__SLOTS
#define TWEED__SLOTS 1
static uint32_t begin_of_share(uint32_t n, uint32_t place, uint32_t places);
#define partition_begin begin_of_share
static void read_descriptor(void);
#define window_has(w, i) (read_descriptor(), (window_has)(w, i))
#include "../../lib/slot.c"
#include "../../lib/thread.c"

#define WORKERS 3
#define BLOCKS 12

static struct tweed__team team;
static struct tweed__worker worker[WORKERS], *workers[WORKERS];
static struct tweed__group group;
static int nearness[1], workers_asked, blocks, loops, tries;
static bool uneven, mirrored, joins, touches, sleeps;
static char argument, descriptor, result[BLOCKS]; /* only touched */

static struct {
    MODEL_MARK(unsigned char) times[BLOCKS];
    MODEL_MARK(unsigned char) loop; /* the one that runs */
    MODEL_MARK(unsigned char) tried[WORKERS];
    MODEL_MARK(bool) over;
} now;

/* join() looks into the slot. */
static void read_descriptor(void)
{
    if (touches)
        model_touch(&descriptor, false);
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

static void run_some(int64_t from, int64_t to, void *arg)
{
    model_assert(mark_of(now.loop) == (unsigned char)(intptr_t)arg);
    model_assert(from < to && to <= blocks);
    if (touches)
        model_touch(&argument, false);
    for (; from < to; from++) {
        unsigned char before = mark_one_more(now.times[from]);

        model_assert(before == 0);
        if (touches)
            model_touch(&result[from], true);
    }
}

static void run_one(int64_t i, void *arg)
{
    run_some(i, i + 1, arg);
}

static void call(void *arg)
{
    struct tweed__window window = { 0, workers_asked };
    struct tweed__body body = { .count = (uint64_t)blocks, .grain = 1,
                                .blocks = (uint32_t)blocks };

    (void)arg;
    if (joins)
        body.range = run_some;
    else
        body.each = run_one, body.single = true;
    for (int k = 1; k <= loops; k++) {
        while (tweed__slot_acquire(&team, 0, window) < 0)
            ;
        mark(now.loop, (unsigned char)k);
        for (int i = 0; i < WORKERS; i++)
            mark(now.tried[i], 0);
        body.arg = (void *)(intptr_t)k;
        if (touches)
            model_touch(&argument, true);
        tweed__slot_run(&worker[0], 0, &body, NULL, window);
        for (int i = 0; i < blocks; i++) {
            model_assert(mark_of(now.times[i]) == 1);
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

static void help(void *arg)
{
    struct tweed__worker *w = arg;

    while (!mark_of(now.over))
        if (tries && mark_of(now.tried[w->index]) == tries) {
            model_await(is_news, w);
        } else if (load_acquire(&team.active)) { /* as look_round() in thread.c */
            if (tries)
                mark_one_more(now.tried[w->index]);
            (void)tweed__slot_help(w, 0);
        }
}

static void verify(void)
{
    struct tweed__slot *slot = &team.slots[0];

    model_assert(load_relaxed(&team.active) == 0);
    model_assert(load_relaxed(&slot->taken) == 0);
    model_assert(load_relaxed(&slot->remaining) % TWEED__CALLER_ASLEEP == 0);
    for (int i = 0; i < workers_asked; i++) {
        struct tweed__range *r = &worker[i].seats[0].range;
        struct tweed__look look = tweed__range_look(r);

        model_assert(load_relaxed(&r->inside) == 0);
        model_assert(look.drained || (look.unclaimed && look.mid == look.high));
    }
}

static void name_objects(void)
{
    static const char *const names[WORKERS][3] = {
        { "inside 0", "S 0", "low 0" }, { "inside 1", "S 1", "low 1" },
        { "inside 2", "S 2", "low 2" }
    };
    struct tweed__slot *slot = &team.slots[0];

    for (int i = 0; i < workers_asked; i++) {
        struct tweed__range *r = &worker[i].seats[0].range;

        model_place(&r->inside, sizeof r->inside, names[i][0]);
        model_place(&r->S, sizeof r->S, names[i][1]);
        model_place(&r->low, sizeof r->low, names[i][2]);
    }
    model_place(&team.active, sizeof team.active, "active");
    model_place(&team.sleep.event, sizeof team.sleep.event, "event");
    model_place(&team.sleep.waiters, sizeof team.sleep.waiters, "waiters");
    if (sleeps)
        model_place(&team.stop, sizeof team.stop, "stop");
    else
        model_figure(&team.stop);
    model_place(&slot->remaining, sizeof slot->remaining, "remaining");
    model_place(&slot->wakes_owed, sizeof slot->wakes_owed, "wakes_owed");
    model_own(&slot->taken, sizeof slot->taken); /* one caller */
    model_figure(&slot->readers);                /* no dumps */
    model_figure(&slot->publisher);
    model_figure(&tweed__awake);
    model_figure(&tweed__fence_ns);
    if (touches) {
        model_plain(&argument, 1, "argument");
        model_plain(&descriptor, 1, "descriptor");
    }
    for (int i = 0; touches && i < blocks; i++)
        model_plain(&result[i], 1, "result");
    model_memory(&slot->body, sizeof slot->body);
    model_memory(&slot->window, sizeof slot->window);
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
    joins = MODEL_NUMBER(runs, 0);
    tries = MODEL_NUMBER(tries, 0);
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
        tweed__range_clear(&worker[i].seats[0].range);
    }
    name_objects();
    model_thread(call, NULL, false);
    for (int i = 1; i < workers_asked; i++)
        model_thread(sleeps ? live : help, &worker[i], false);
    model_verify(verify);
}

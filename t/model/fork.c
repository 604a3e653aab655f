/*
 * fork.c - tasks that are spawned, stolen and joined, by two workers or three.
 *
 * SPDX-License-Identifier: MIT
 *
 *   tree=0       the program, see trees[]
 *   runs=1       so often, one after the other
 *   workers=2    who executes it: thread 0, which starts it, and its helpers
 *   looks=0      a helper looks so often for a task; 0: helpers live as in lib/thread.c,
 *                and sleep.  Else no task waits for others
 *   doze=0       1: before each look they have said that they sleep; not with looks
 *   keen=0       1: they look when a task lies somewhere, again and again; not with looks
 *   exchange=0   1: the exchange mode instead of the asymmetric one
 *   records=4    so many of a thread fit into memory; there is no more
 *   order=1      a helper goes for the others' tasks in the order of their numbers; 0: in
 *                every order
 *   shared=0     1: all workers can be woken by the same bit
 *   touch=0      1: the records, and what each deque is, are checked for races
 *
 * Each task is executed once; a join returns when its task is over; what a worker begins
 * in a join was spawned by the task that it waits for, or on its behalf; tasks that wait
 * for each other to begin all do, as long as there are workers, awake or not.
 *
 * This is lib/fork.c, deque.c, sleep.c and thread.c.  The slot is played: it is open all
 * the time.  What loops and slots have to do with it: tasks.c.
 */
#include "model.h"

#include <string.h>

#define ASK_NS 1 /* see vm.c on time */
#include "../../lib/deque.c"
#include "../../lib/sleep.c"
#include "../../lib/team.h"
#ifdef GENMC
static struct tweed__self selves[MODEL_THREADS];
#define tweed__self selves[model_me]
#else
_Thread_local struct tweed__self tweed__self;
#endif
#include "../../lib/random.h"
static bool ordered;
#define random_below(seed, n) ((void)(seed), ordered ? 0 : (uint32_t)model_choose((int)(n)))
static bool shared;
#define wake_mask(index) (shared ? 1 : wake_mask(index))
#include "../../lib/tsan.h"
static void stolen_from(const volatile void *object);
#undef tweed__tsan_acquire
#define tweed__tsan_acquire(object) stolen_from(object)
/* What is over makes no states different. */
static uint32_t ticket_afresh(struct tweed__sleep *z)
{
    model_forget();
    return tweed__sleep_ticket(z);
}
static enum tweed__loot steal_afresh(struct tweed__deque *d, int thief, bool asymmetric,
                                     struct tweed__tally *tally, uint32_t *at)
{
    model_forget();
    *at = 0;
    return tweed__deque_steal(d, thief, asymmetric, tally, at);
}
#define tweed__sleep_ticket ticket_afresh
#define tweed__deque_steal steal_afresh
#define spin spin_in_join
#include "../../lib/fork.c"
#undef spin
#include "../../lib/thread.c"

#define WORKERS 3

static struct tweed__team team;
static struct tweed__worker worker[WORKERS], *workers[WORKERS];
static struct tweed__group group;
static struct tweed__part part[WORKERS];
static int nearness[1], workers_asked, looks, runs;
static uint32_t room_for;
static _Atomic uint32_t pinned;
static bool touches, waits, dozes, keen;

#include "tree.h"

/* ---- the slot ---- */

/* No loop, and no range. */
void tweed__range_show(struct tweed__range *r)
{
    (void)r;
    model_assert(false);
}

bool tweed__slot_was_visited(struct tweed__slot *slot, int index)
{
    (void)slot, (void)index;
    return true;
}

bool tweed__slot_help_if(struct tweed__worker *w, unsigned k, int ancestor,
                         bool (*may)(const void *), const void *arg)
{
    (void)w, (void)k, (void)ancestor, (void)may, (void)arg;
    model_assert(false); /* there is no other */
    return false;
}

/* As work_on_tasks() in slot.c. */
bool tweed__slot_look(struct tweed__worker *w)
{
    tweed_cursor *c = &part[w->index].walker.cursor;
    bool worked;

    model_forget();
    tweed__fork_kind.work(c);
    worked = c->end != 0;
    c->end = 0;
    model_forget();
    return worked;
}

/* ---- threads ---- */

/* A heavy fence is to reach all threads as long as there is one that may need it. */
static bool is_over(void *arg)
{
    (void)arg;
    return mark_of(now.over);
}

static bool is_news(void *arg)
{
    return is_over(arg) || is_task_left();
}

static bool helpers_have_left(void *arg)
{
    (void)arg;
    return mark_of(now.left) == workers_asked - 1;
}

static void start(void *arg)
{
    struct tweed__deque *d = &worker[0].seats[0].deque;

    (void)arg;
    for (int n = 0; n < runs; n++) {
        begin_program();
        (void)tweed__fork_begin(&part[0], d, tweed__fork_memory(&part[0]));
        run_root(d);
        tweed__fork_end(d);
    }
    mark(now.over, true);
    if (!looks && !keen) {
        store_release(&team.stop, 1); /* as tweed__team_end() */
        tweed__sleep_announce(&team.sleep, INT_MAX, UINT32_MAX, &worker[0].tally);
    }
    model_await(helpers_have_left, NULL);
}

/* As tweed__thread_main(), without the looks after which it would not sleep. */
static void doze(struct tweed__worker *w)
{
    tweed__self.worker = w;
    for (;;) {
        uint32_t ticket = tweed__sleep_ticket(&team.sleep);

        if (load_acquire(&team.stop))
            break;
        w->dozing = true;
        tweed__sleep_enter(&team.sleep);
        if (!tweed__slot_look(w))
            tweed__sleep_wait(&team.sleep, ticket, wake_mask(w->index), &w->tally);
        worker_awakes(w);
    }
}

static void look_keenly(struct tweed__worker *w)
{
    for (;;) {
        model_await(is_news, NULL);
        if (mark_of(now.over))
            break;
        fetch_or_seq_cst(&pinned, 0); /* as join() in slot.c; what is stored is seen */
        (void)tweed__slot_look(w);
    }
}

static void help_out(void *arg)
{
    struct tweed__worker *w = arg;

    if (dozes)
        doze(w);
    else if (keen)
        look_keenly(w);
    else if (looks == 0)
        (void)tweed__thread_main(w);
    for (int n = 0; n < looks && !model_knows(mark_of(now.over)); n++)
        (void)tweed__slot_look(w);
    mark_one_more(now.left);
    model_await(is_over, NULL);
}

static void verify(void)
{
    verify_program();
    model_assert(looks || load_relaxed(&team.sleep.waiters) == 0);
    for (int i = 0; i < workers_asked; i++) {
        model_assert(load_relaxed(&worker[i].seats[0].deque.top) == 0);
        model_assert(load_relaxed(&worker[i].seats[0].deque.word) == 0);
        model_assert(worker[i].deque == NULL);
    }
}

/* ---- the setup ---- */

static void name_worker(int i)
{
    static const char *const names[WORKERS][3] = { { "top 0", "ceiling 0", "word 0" },
                                                   { "top 1", "ceiling 1", "word 1" },
                                                   { "top 2", "ceiling 2", "word 2" } };
    struct tweed__worker *w = &worker[i];
    struct tweed__deque *d = &w->seats[0].deque;

    workers[i] = w;
    w->team = &team;
    w->index = i;
    part[i].team = &team;
    part[i].worker = w;
    part[i].index = i;
    part[i].walker.walk = TWEED__RANGE;
    part[i].walker.owner.tally = &w->seats[0].tally;
    part[i].walker.owner.asymmetric = team.asymmetric;
    model_memory(&part[i].walker.cursor.end, sizeof part[i].walker.cursor.end);
    model_memory(&w->dozing, sizeof w->dozing);
    model_memory(&w->deque, sizeof w->deque);
    model_place(&d->top, sizeof d->top, names[i][0]);
    model_place(&d->ceiling, sizeof d->ceiling, names[i][1]);
    model_place(&d->word, sizeof d->word, names[i][2]);
    model_memory(&d->records,
                 (size_t)((char *)(&d->outer + 1) - (char *)&d->records));
    name_records(i, i ? &w->records : &team.slots[0].records);
}

void model_setup(void)
{
    workers_asked = MODEL_NUMBER(workers, 2);
    model_assert(workers_asked <= WORKERS);
    looks = MODEL_NUMBER(looks, 0);
    dozes = MODEL_NUMBER(doze, 0);
    keen = MODEL_NUMBER(keen, 0);
    waits = looks == 0;
    runs = MODEL_NUMBER(runs, 1);
    ordered = MODEL_NUMBER(order, 1);
    shared = MODEL_NUMBER(shared, 0);
    touches = MODEL_NUMBER(touch, 0);
    team.asymmetric = !MODEL_NUMBER(exchange, 0);
    team.num_workers = workers_asked;
    team.workers = workers;
    team.num_groups = 1;
    team.groups = &group;
    team.nearness = nearness;
    team.active = 1;
    team.slots[0].parent = -1;
    group.end = workers_asked;
    room_for = (uint32_t)MODEL_NUMBER(records, 4);
    name_program(MODEL_NUMBER(tree, 0));
    for (int i = 0; i < workers_asked; i++)
        name_worker(i);
    model_place(&team.sleep.event, sizeof team.sleep.event, "event");
    model_place(&team.sleep.waiters, sizeof team.sleep.waiters, "waiters");
    if (looks || keen)
        model_figure(&team.stop);
    else
        model_place(&team.stop, sizeof team.stop, "stop");
    if (keen)
        model_place(&pinned, sizeof pinned, "pinned");
    model_figure(&team.active);
    model_figure(&team.joining);
    model_figure(&team.slots[0].parent);
    model_figure(&team.slots[0].publisher);
    model_figure(&tweed__awake);
    model_self(&tweed__self, sizeof tweed__self);
    model_thread(start, NULL, false);
    for (int i = 1; i < workers_asked; i++)
        model_thread(help_out, &worker[i], false);
    model_verify(verify);
}

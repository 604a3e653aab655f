/*
 * fork.c - tasks that are spawned, stolen and joined, by two workers or three.
 *
 * SPDX-License-Identifier: MIT
 *
 *   order=1      a helper goes for the others' tasks in the order of their numbers; 0: in
 *                every order
 *   shared=0     1: all workers can be woken by the same bit
 *
 * The program, and what must hold: tree.h.
 * This is lib/task/fork.c, join.c, deque.c, sleep.c and thread.c.  The slot is played: it is
 * open all the time.  What loops and slots have to do with it: tasks.c.  A run that a task
 * starts is played in a slot of its own: two bodies, each of which waits until both have
 * begun.  The task's thread executes one.
 */
#include "model.h"

#include <string.h>

#define ASK_NS 1 /* see vm.c on time */
#include "../../lib/range/deque.c"
#include "../../lib/pool/team.h"
_Atomic uint64_t tweed__fence_ns;
#include "selves.h"
#include "../../lib/pool/sleep.c"
#include "../../lib/base/random.h"
static bool ordered;
#define random_below(seed, n) ((void)(seed), ordered ? 0 : (uint32_t)model_choose((int)(n)))
static bool shared;
#define wake_mask(index) (shared ? 1 : wake_mask(index))
#define wait_mask(index) (shared ? 1 : wait_mask(index))
#include "../../lib/base/tsan.h"
static void stolen_from(const volatile void *object);
#undef tweed__tsan_acquire
#define tweed__tsan_acquire(object) stolen_from(object)
/* What is over makes no states different. */
static uint32_t ticket_afresh(struct tweed__sleep *z)
{
    model_forget();
    return tweed__sleep_ticket(z);
}
static enum tweed__loot steal_afresh(struct tweed__deque *d, int thief, int64_t fence_ns,
                                     struct tweed__tally *tally, uint32_t *at)
{
    model_forget();
    *at = 0;
    return tweed__deque_steal(d, thief, fence_ns, tally, at);
}
#define tweed__sleep_ticket ticket_afresh
#define tweed__deque_steal steal_afresh
#include "no-jobs.h"
#include "no-text.h"
#include "../../lib/range/fence.c"
/* No thread waits for another one's fence: fences.c has that. */
#define team_has_cpus(team) ((void)(team), false)
#define tweed__glance_fence_patience() 0
#include "../../lib/task/fork.c"
#include "../../lib/task/join.c"
#include "../../lib/loop/counts.c"
#include "../../lib/pool/wait.c"
#include "../../lib/task/within.c"
#include "../../lib/pool/thread.c"

#include "tree.h"

static struct tweed__part part[WORKERS];
static _Atomic uint32_t pinned;

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

/* ---- the run inside of a task ---- */

enum { INSIDE = 1 }; /* its slot */

static struct {
    MODEL_MARK(unsigned char) begun, over;
} bodies;

static bool have_begun(void *arg)
{
    (void)arg;
    return mark_of(bodies.begun) == 2;
}

static bool are_over(void *arg)
{
    (void)arg;
    return mark_of(bodies.over) == 2;
}

static void run_body(void)
{
    mark_one_more(bodies.begun);
    model_await(have_begun, NULL);
    mark_one_more(bodies.over);
}

/* As tweed__publish_root(), and the first spawn there (wake_one()): unlike the publisher of
   a loop, the thread raises no event. */
static void run_two_bodies(struct tweed__part *p)
{
    model_assert(p->index == load_relaxed(&team.slots[INSIDE].publisher));
    fetch_or_seq_cst(&team.active, UINT64_C(1) << INSIDE);
    tweed__state_tell_outer(&team, INSIDE, &p->worker->tally);
    run_body();
    model_await(are_over, NULL);
    fetch_and_seq_cst(&team.active, ~(UINT64_C(1) << INSIDE));
}

bool tweed__work_help_if(struct tweed__worker *w, unsigned k, int ancestor,
                         bool (*may)(const void *), const void *arg)
{
    model_assert(k == INSIDE && ancestor == 0);
    /* as tweed__slot_join() */
    if (!(load_seq_cst(&team.active) >> k & 1) || !may(arg) || mark_of(bodies.begun) == 2)
        return false;
    wait_found(w->team);
    run_body();
    return true;
}

/* As work_on_tasks() in work.c. */
bool tweed__work_look(struct tweed__worker *w)
{
    tweed_cursor *c = &part[w->index].walker.cursor;
    bool worked;

    model_forget();
    if (keen)
        fetch_or_seq_cst(&pinned, 0); /* as tweed__slot_join(); what is stored is seen */
    tweed__fork_kind.work(c);
    worked = c->end != 0;
    c->end = 0;
    model_forget();
    return worked;
}

/* ---- threads ---- */

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
    end_program();
}

/* ---- the setup ---- */

static void name_part(int i)
{
    struct tweed__worker *w = &worker[i];

    part[i].team = &team;
    part[i].worker = w;
    part[i].index = i;
    part[i].walker.walk = TWEED__RANGE;
    part[i].walker.owner.tally = &w->seats[0].tally;
    model_memory(&part[i].walker.cursor.end, sizeof part[i].walker.cursor.end);
}

/* Of the run inside.  It is worker 1's, in slot 0. */
static void name_inside(void)
{
    struct tweed__slot *slot = &team.slots[INSIDE];

    run_inside = run_two_bodies;
    slot->publisher = 1;
    model_figure(&slot->publisher);
    model_figure(&slot->parent);
    model_figure(&slot->of_group);
    model_figure(&team.slots[0].uses);
    model_figure(&team.slots[0].remaining);
    model_memory(&bodies, sizeof bodies);
}

void model_setup(void)
{
    ordered = MODEL_NUMBER(order, 1);
    shared = MODEL_NUMBER(shared, 0);
    set_up_program();
    team.active = 1;
    for (int i = 0; i < workers_asked; i++)
        name_part(i);
    if (keen)
        model_place(&pinned, sizeof pinned, "pinned");
    if (strchr(tree[1], '@')) {
        model_place(&team.active, sizeof team.active, "active");
        name_inside();
    } else {
        model_figure(&team.active);
    }
    model_figure(&tweed__fence_ns);
    model_figure(&team.slots[0].parent);
    model_figure(&team.slots[0].of_group);
    model_figure(&team.slots[0].publisher);
    model_thread(start, NULL, false);
    for (int i = 1; i < workers_asked; i++)
        model_thread(help_out, &worker[i], false);
    model_verify(verify_program);
}

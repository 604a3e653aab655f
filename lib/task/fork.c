/*
 * fork.c - spawned tasks: how they become public, and which workers execute them.
 *
 * SPDX-License-Identifier: MIT
 *
 * A task that is run from outside opens a slot, as a loop does (slot.c).  Each worker
 * that comes has a deque on its seat there (deque.c), steals a task, and executes it;
 * tasks that this task spawns lie in the worker's own deque.  So deques of two calls never
 * mix.  A join of a task that was stolen: join.c.
 *
 * STACKS.  Each frame of a task on a worker's stack is of a task spawned or called, at
 * whatever distance, by the task below.  So no stack has more such frames than the longest
 * chain of tasks, as in the serial program; with a frame of this file at each steal.
 *
 * SLEEPING.  A worker that is about to sleep sets the ceiling of each deque to 0.  The
 * next spawn of that deque's owner then comes here, publishes half of its private records,
 * and wakes one worker.  The worker that is about to sleep looks once more:
 *
 *     worker:  ceiling <- 0;  heavy;  top?     owner:  top <- top + 1;  light;  ceiling?
 *
 * Store buffering again: the owner sees the ceiling, or the worker sees the task.  An
 * owner that has just come here for another reason has put the ceiling back before it
 * looks for sleepers, and the worker has said that it sleeps before it has set the
 * ceiling: so the owner sees the sleeper.  A worker that is not in the slot yet sets
 * ceilings there only if it sees the slot's bit.  The first spawn, whose ceiling is 0,
 * looks for sleepers after the bit was set; the worker looks at the bit after it has said
 * that it sleeps (tweed__work_look()).
 *
 * One worker is woken at a time.  The next is woken by a spawn that lies above the spawn
 * that has woken the last, while more workers sleep; and by each thief that leaves tasks
 * behind.  A joiner that sleeps (wait.c) has asked its thief: the thief's next spawn comes
 * here, and finds WAITING in the state of a record that the thief executes (`thefts`).  A
 * loop that is started in a task finds the joiner's mask in the slot (`joins`).
 *
 * WITHOUT MEMORY for one more record the owner executes the last one itself, and its
 * result stays there (KEPT).  The record becomes public, so that its join goes to join.c.
 * A thief that takes the record has nothing to execute; the thief says DONE when it does
 * not look at the record any more, and the join waits for that.
 */
#include "config.h"

#include "task/fork.h"
#include "base/print.h"
#include "base/tsan.h"
#include "log/trace.h"
#include "loop/slot.h"
#include "loop/victim.h"
#include "pool/above.h"
#include "pool/wait.h"
#include "range/fence.h"
#include "range/glance.h"
#include "system/system.h"

#include <stdlib.h>

_Static_assert(TWEED__MAX_WORKERS <= UINT32_MAX >> SLEEPER_SHIFT, "owners fit");

/* From one record to the next, as top has it. */
#define RECORD (UINT32_C(1) << TWEED_PLACE_SHIFT_)

/* How long a thief waits at least for an owner that it has asked to publish, before the
   thief pays for a heavy fence; in ns. */
#ifndef ASK_NS
#define ASK_NS 1000
#endif

struct tweed__arena *tweed__fork_memory(struct tweed__part *p)
{
    return p->index ? &p->worker->arena : &slot_of(p)->arena;
}

/* ---- memory ---- */

/* The top at which the owner is to come here for more memory, as the deque has it. */
static uint32_t room(const struct tweed__deque *d)
{
    return tweed_low_(d->memory->base + (d->memory->open - d->memory->reserve));
}

static bool is_workers(const struct tweed__part *p, const struct tweed__arena *memory)
{
    return p->worker && memory == &p->worker->arena;
}

/* The deques of a worker lie one above the other in one memory; each deque of an outside
   caller has the memory of its slot. */
bool tweed__fork_begin(struct tweed__part *p, struct tweed__deque *d,
                       struct tweed__arena *memory)
{
    tweed__tsan_acquire(memory); /* written by a thread that had the slot, or this seat */
    if (!tweed__arena_begin(memory))
        return false;
    d->part = p;
    d->memory = memory;
    d->outer = is_workers(p, memory) ? p->worker->deque : NULL;
    d->records = d->outer ? deque_record(d->outer, deque_top(d->outer)) : memory->base;
    if (is_workers(p, memory))
        p->worker->deque = d;
    d->kept = UINT32_MAX;
    d->thefts = NULL;
    tweed__deque_begin(d, tweed_low_(d->records));
    /* relaxed: the thread's own.  0: the first spawn comes here, and wakes a worker */
    store_relaxed(&d->ceiling, p->walker.walk == TWEED__ALONE ? room(d) : 0);
    return true;
}

void tweed__fork_end(struct tweed__deque *d)
{
    if (is_workers(d->part, d->memory))
        d->part->worker->deque = d->outer;
    if (!d->outer)
        tweed__arena_trim(d->memory);
    tweed__tsan_release(d->memory);
}

/* ---- executing ---- */

/* A record does not have its task's name, but the call from outside has one. */
_Noreturn static void was_not_synced(const struct tweed__part *p)
{
    const char *name = p->slot >= 0 ? slot_of(p)->name : p->name;

    (void)tweed__print(tweed__stderr(),
                       "tweed: in TWEED_RUN(%s) a task has returned and left a task that "
                       "it had spawned without TWEED_SYNC()\n",
                       name ? name : "");
    abort();
}

void tweed_task_sync_failed_(const char *name, int wrong)
{
    (void)tweed__print(tweed__stderr(), "tweed: TWEED_SYNC(%s): %s\n", name,
                       wrong ? "the task that was spawned last is another one"
                             : "no task is left that the caller has spawned");
    abort();
}

_Noreturn static void has_no_room(void)
{
    (void)tweed__print(tweed__stderr(),
                       "tweed: no memory for the results of so many spawned tasks\n");
    abort();
}

void tweed__fork_root(struct tweed__deque *d, struct tweed_task_ *t)
{
    uint32_t top = load_relaxed(&d->top); /* the thread's own */

    TRACE_RUN_BEGIN(d->part, 0);
    t->run((struct tweed_deque_ *)d, deque_record(d, record_place(top)), t);
    TRACE_RUN_END(d->part, 0, 0);
    if (unlikely(load_relaxed(&d->top) != top))
        was_not_synced(d->part);
}

void tweed__fork_give(struct tweed__deque *d, struct tweed_task_ *t, uint32_t how)
{
    struct tweed__part *p = d->part;
    uint32_t state;

    tweed__tsan_release(state_of(t));
    /* seq_cst: with the joiner's WAITING, see JOINING in join.c.  release: the result, to
       the joiner's acquire.  weaker: acq_rel would do, since both are read-modify-writes
       of one word */
    state = exchange_seq_cst(state_of(t), how);
    if (state & WAITING) /* wakes all sleepers that share the joiner's bit */
        tweed__wait_call(p->team, wait_mask((int)(state >> SLEEPER_SHIFT)), tally_of(p));
}

/* Asks the owner to publish records, at its next spawn. */
static void ask(struct tweed__deque *d)
{
    /* seq_cst: after the asking thread has said that it sleeps, see SLEEPING; with the
       owner's exchange, in tweed_task_spawn_slow_(), before the owner's look for sleepers:
       an old 0 would be taken for a question that stands.  (A look first: the line is the
       owner's.)  weaker: of the exchange acq_rel would do, since a heavy fence comes after
       it */
    if (load_seq_cst(&d->ceiling))
        (void)exchange_seq_cst(&d->ceiling, 0);
}

void tweed__fork_execute(struct tweed__deque *d, struct tweed_task_ *t)
{
    /* seq_cst: with lie_down_in_join(): either the joiner sees the thief's number, or the
       thief sees that the joiner sleeps.  weaker: acq_rel would do, since both are
       read-modify-writes of one word, and tell_joins() looks at that word, too */
    uint32_t state = fetch_or_seq_cst(state_of(t), (uint32_t)d->part->index + 1);
    struct tweed__theft theft = { t, d->thefts };

    if (state & WAITING) /* the joiner could not ask: it did not know the thief */
        ask(d);
    d->thefts = &theft;
    if (!(state & KEPT))
        tweed__fork_root(d, t);
    d->thefts = theft.outer;
    tweed__fork_give(d, t, DONE);
}

/* There is a task in the deque: joiners that wait for what the deque's owner executes may
   help with it. */
static void tell_joins(struct tweed__deque *d)
{
    uint32_t masks = 0, state;

    for (struct tweed__theft *theft = d->thefts; theft; theft = theft->outer) {
        /* seq_cst, both: after the task is public, with lie_down_in_join().  weaker: of
           the second any order would do, since the first has read the bit */
        if (load_seq_cst(state_of(theft->task)) & WAITING) {
            state = fetch_and_seq_cst(state_of(theft->task), ~WAITING);
            if (state & WAITING)
                masks |= wait_mask((int)(state >> SLEEPER_SHIFT));
        }
    }
    tweed__wait_call(d->part->team, masks, tally_of(d->part));
}

/* Asks, and waits until the owner has published records: as long as the last heavy fence
   took, see tweed__glance_acknowledged(); for ASK_NS where the owner may have no CPU. */
static void wait_for_public(const struct tweed__part *p, struct tweed__deque *d)
{
    uint64_t start, ns = load_relaxed(&tweed__fence_ns); /* a figure */

    ns = ns > ASK_NS && team_has_cpus(p->team) ? ns : ASK_NS;
    ask(d);
    if (!tweed__deque_has_any(d))
        return;
    start = tweed__clock();
    while (!tweed__deque_has_public(d) && tweed__deque_has_any(d) &&
           tweed__clock() - start < ns)
        tweed__pause();
}

/* A thief has taken a task where there are more: wakes one more worker. */
static void pass_on(struct tweed__part *p, struct tweed__deque *victim)
{
    struct tweed__sleep *z = &p->team->sleep;

    /* relaxed: workers that fall asleep later look once more */
    if (load_relaxed(&z->waiters) && tweed__deque_has_any(victim))
        tweed__sleep_announce(z, 1, TWEED__WAKE_WORKERS, tally_of(p));
}

/* How long a thread waits for another thread's heavy fence; -1: exchange mode.  With more
   threads than CPUs that thread may be stopped: then none waits for it here.  (Thieves of
   ranges do: such a pool's ranges go by exchange, unless the user says otherwise.) */
static int64_t fence_ns(const struct tweed__part *p)
{
    if (!is_asymmetric(p))
        return -1;
    return team_has_cpus(p->team) ? (int64_t)tweed__glance_fence_patience() : 0;
}

struct tweed_task_ *tweed__fork_steal(struct tweed__part *p, struct tweed__worker *victim)
{
    struct tweed__deque *d = &victim->seats[p->slot].deque;
    bool far = !is_near(victim, p->worker);
    struct tweed__tally *tally = tally_of(p);
    enum tweed__loot loot;
    uint32_t at;

    if (!tweed__deque_has_public(d))
        wait_for_public(p, d);
    do
        loot = tweed__deque_steal(d, p->index, fence_ns(p), tally, &at);
    while (loot == TWEED__RETRY);
    if (loot != TWEED__LOOT) {
        tally_add(tally, failed_probes, 1);
        return NULL;
    }
    tweed__tsan_acquire(&d->top);
    TRACE_TASK_STEAL(p, victim->index, far);
    if (far)
        tally_add(tally, tasks_stolen_far, 1);
    else
        tally_add(tally, tasks_stolen_near, 1);
    pass_on(p, d);
    return deque_record(d, at);
}

/* A thief's way round all victims. */
struct round {
    struct tweed__part *part;
    struct tweed_task_ *loot;
};

static bool steal_in_turn(struct tweed__worker *victim, void *arg)
{
    struct round *round = arg;
    struct tweed__part *p = round->part;

    if (victim->index != p->index && tweed__slot_was_visited(slot_of(p), victim->index))
        round->loot = tweed__fork_steal(p, victim);
    return round->loot;
}

/* Steals from any worker; NULL: there is nothing. */
static struct tweed_task_ *steal(struct tweed__part *p)
{
    struct round round = { p, NULL };

    (void)victim_walk(p->worker, steal_in_turn, &round);
    return round.loot;
}

/* Between asking and the last look: see SLEEPING.  Threads that fall asleep at the same
   time share one heavy fence.  If the fence is refused, nothing is fenced. */
static void fence(struct tweed__part *p)
{
    int64_t ns = fence_ns(p);

    if (ns >= 0)
        (void)tweed__fence_shared((uint64_t)ns, tally_of(p));
}

void tweed__fork_ask(struct tweed__part *p, int owner)
{
    ask(deque_of(p, owner));
    fence(p);
}

/* Asks all owners, before the worker's last look: see SLEEPING. */
static void ask_all(struct tweed__part *p)
{
    for (int i = 0; i < p->team->num_workers; i++)
        if (tweed__slot_was_visited(slot_of(p), i))
            ask(deque_of(p, i));
    fence(p);
}

/* A worker has come to the slot: it executes one task, if there is one. */
static void help(tweed_cursor *c)
{
    struct tweed__part *p = (struct tweed__part *)c;
    struct tweed__deque *d = deque_of(p, p->index);
    struct tweed_task_ *t;

    if (!tweed__fork_begin(p, d, tweed__fork_memory(p)))
        return;
    if (tweed__self.dozes)
        ask_all(p);
    t = steal(p);
    if (t) {
        wait_found(p->team);
        tweed__fork_execute(d, t);
        c->end = 1;
    }
    tweed__fork_end(d);
}

tweed_kind tweed__fork_kind = { .size = sizeof(tweed_kind), .work = help };

/* ---- the owner ---- */

/* There is no room for more records: the owner executes the last one, unless that is
   stolen, and the record keeps the result. */
static void at_once(struct tweed__deque *d, uint32_t at)
{
    struct tweed_task_ *t = deque_record(d, at);

    if (t == d->memory->base + d->memory->open - 1)
        has_no_room();
    if (tweed_is_private_((struct tweed_deque_ *)d, t) || tweed__deque_pop(d, at, true)) {
        tally_add(tally_of(d->part), tasks_at_once, 1);
        t->run((struct tweed_deque_ *)d, t, t);
        /* relaxed: published below.  Not DONE: a thief may take the record, and says DONE
           when it does not look at it any more */
        store_relaxed(state_of(t), KEPT);
    }
    if (d->kept > at) /* after the task's own spawns, which lay in the same place */
        d->kept = at;
    /* as tweed_spawned_().  release: KEPT, too: a thief that takes the record, and does
       not see KEPT, would execute it once more */
    store_release(&d->top, tweed_low_(t + 1));
    /* so that the record's join comes to tweed_task_sync_slow_(), which knows of KEPT */
    (void)tweed__deque_publish(d, true);
}

/* Wakes one worker.  If others sleep, too, the next record above this one wakes another.
   */
static void wake_one(struct tweed__deque *d, uint32_t top)
{
    struct tweed__team *team = d->part->team;
    uint32_t ceiling = load_relaxed(&d->ceiling);

    tweed__state_tell_outer(team, d->part->slot, tally_of(d->part));
    tell_joins(d);
    /* seq_cst: see SLEEPING */
    if (!load_seq_cst(&team->sleep.waiters))
        return;
    tweed__sleep_announce(&team->sleep, 1, TWEED__WAKE_WORKERS, tally_of(d->part));
    /* acq_rel: a CAS leaves a sleeper's 0 as it is.  weaker: any order would do, since
       this is no look, and releases nothing */
    if (tweed__sleep_asleep(&team->sleep) && top + RECORD < ceiling)
        (void)cas_acq_rel(&d->ceiling, &ceiling, top + RECORD);
}

void tweed_task_spawn_slow_(struct tweed_deque_ *its)
{
    struct tweed__deque *d = (struct tweed__deque *)its;
    struct tweed__part *p = d->part;
    uint32_t top = load_relaxed(&d->top); /* the thread's own */
    bool fits = top < room(d) || tweed__arena_grow(d->memory);

    if (p->walker.walk == TWEED__ALONE) {
        store_relaxed(&d->ceiling, room(d)); /* no other thread has the deque */
    } else {
        /* seq_cst: before the look for sleepers, see SLEEPING */
        (void)exchange_seq_cst(&d->ceiling, is_asymmetric(p) ? room(d) : 0);
        (void)tweed__deque_publish(d, !is_asymmetric(p));
        wake_one(d, top);
    }
    if (unlikely(!fits))
        at_once(d, deque_top(d) - 1);
}

/*
 * join.c - how a join waits for a task that was stolen, and what it helps with meanwhile.
 *
 * SPDX-License-Identifier: MIT
 *
 * JOINING.  The owner of a record that was stolen, the JOINER, learns its end from the
 * record's state:
 *
 *     thief                                joiner
 *       state |= its number                  state: which thief?  Helps that thief.
 *       executes the task                    nothing to help with, for a while:
 *       old <- state, state <- DONE            state |= WAITING
 *       WAITING in old: wakes the joiner       DONE?  else sleeps
 *
 * Read-modify-writes of one word.  If DONE comes before WAITING the joiner sees DONE; if
 * after, the thief sees that the joiner sleeps.
 *
 * WHICH THREAD A JOINER HELPS.  Only the thief: the joiner steals from the thief's deque
 * (leapfrogging; Wagner and Calder, "Leapfrogging: a portable technique for implementing
 * efficient futures", 1993), and takes part in the loops that the thief has started
 * there.  A worker begins a stolen task only when nothing of its own can be stolen.  So
 * all that can be stolen from the thief until the task is over was spawned by that task,
 * or on its behalf.  None of this can need a lock that the joiner holds, unless the task
 * itself does.
 *
 * The thief may have ended the task meanwhile, and be about something else.  So a joiner
 * that has stolen looks at the state once more.  Stealing acquires what the thief did
 * before it spawned the loot: if the state then is not DONE, the loot belongs to the
 * task.  If it is DONE, the joiner gives the loot back (RETURNED), and the loot's owner
 * executes it itself.
 */
#include "config.h"

#include "base/tsan.h"
#include "log/trace.h"
#include "loop/slot.h"
#include "loop/work.h"
#include "pool/wait.h"
#include "task/fork.h"

/* For a dump; relaxed, both: a dump is a glance.  (Not in a checker, for which each access
   would be a step.) */
#ifdef TWEED_UNTRACED
#define SHOWN_JOIN(d) UINT32_C(0)
#define SHOW_JOIN(d, how) ((void)sizeof(how))
#else
#define SHOWN_JOIN(d) load_relaxed(&(d)->join)
#define SHOW_JOIN(d, how) store_relaxed(&(d)->join, (how))
#endif

/* ---- what a joiner helps with ---- */

/* Is a stolen task neither over nor given back? */
static bool is_open(const void *t)
{
    /* acquire: with tweed__fork_give(), what the thief did before */
    return !(load_acquire((const _Atomic uint32_t *)&((const struct tweed_task_ *)t)
                              ->state) &
             (DONE | RETURNED));
}

/* A loop that the thief of a task has started. */
struct started {
    const struct tweed_task_ *t;
    const struct tweed__slot *slot;
    int parent, thief;
};

/* Is the slot's loop one that the thief has started for t?  The slot is pinned: while it
   is live no other loop comes there. */
static bool is_started(const void *arg)
{
    const struct started *s = arg;

    return load_relaxed(&s->slot->parent) == s->parent &&
           load_relaxed(&s->slot->publisher) == s->thief && is_open(s->t);
}

/* Takes part in a loop that the thief has started while it is in this slot. */
static bool help_loops(struct tweed__part *p, const struct tweed_task_ *t, int thief)
{
    /* seq_cst: after the mask in the slot, with the bit of tweed__publish_root() in active
       and take_joins() in within.c.  Of a loop acquire would do: announce() raises the
       event */
    uint64_t live = load_seq_cst(&p->team->active);

    for (live &= ~(UINT64_C(1) << p->slot); live; live &= live - 1) {
        int k = __builtin_ctzll(live);
        struct started s = { t, &p->team->slots[k], p->slot, thief };

        if (is_started(&s) &&
            tweed__work_help_if(p->worker, (unsigned)k, p->slot, is_started, &s))
            return true;
    }
    return false;
}

/* The thief of t; -1: the thief is not known yet. */
static int thief_of(struct tweed_task_ *t)
{
    /* seq_cst: with tweed__fork_execute().  weaker: acquire would do, since a joiner that
       has set WAITING sees all earlier changes of the word: if the thief's number is not
       there, the thief's own change comes later and sees WAITING */
    return (int)(load_seq_cst(state_of(t)) & THIEF) - 1;
}

/* Executes the loot that was stolen from the thief of t, or gives it back. */
static void use(struct tweed__deque *d, struct tweed_task_ *t, struct tweed_task_ *loot)
{
    struct tweed__tally *tally = tally_of(d->part);

    if (is_open(t)) {
        tally_add(tally, tasks_helped, 1);
        tweed__fork_execute(d, loot);
    } else {
        /* KEPT: the loot's owner has executed it already (fork.c).  relaxed: KEPT was
           there before the record was published */
        tally_add(tally, tasks_returned, 1);
        tweed__fork_give(d, loot, load_relaxed(state_of(loot)) & KEPT ? DONE : RETURNED);
    }
}

/* ---- a join ---- */

struct joining {
    struct tweed__wait wait; /* first */
    struct tweed__deque *d;
    struct tweed_task_ *t;
};

static bool is_joined(struct tweed__wait *w)
{
    return !is_open(((struct joining *)w)->t);
}

/* Does something for the thief: see WHICH THREAD A JOINER HELPS. */
static bool help_thief(struct tweed__wait *w)
{
    struct tweed__deque *d = ((struct joining *)w)->d;
    struct tweed_task_ *t = ((struct joining *)w)->t, *loot;
    int thief = thief_of(t);

    SHOW_JOIN(d, TWEED__IN_JOIN | (uint32_t)(thief + 1));
    if (thief < 0)
        return false;
    if (tweed__self.dozes)
        tweed__fork_ask(d->part, thief);
    loot = tweed__fork_steal(d->part, d->part->team->workers[thief]);
    if (!loot)
        return help_loops(d->part, t, thief);
    wait_found(d->part->team);
    use(d, t, loot);
    return true;
}

static bool lie_down_in_join(struct tweed__wait *w)
{
    struct joining *join = (struct joining *)w;
    struct tweed__part *p = join->d->part;

    tweed__wait_enter(w);
    /* seq_cst: before the last look at loops, with take_joins() in within.c */
    fetch_or_seq_cst(&slot_of(p)->joins, wait_mask(p->index));
    /* seq_cst: see JOINING, and tell_joins().  weaker: any order would do for the end,
       since all changes of state are read-modify-writes of one word, and is_open()
       acquires what came with DONE */
    if (!(fetch_or_seq_cst(state_of(join->t), WAITING | (uint32_t)p->index << SLEEPER_SHIFT) &
          (DONE | RETURNED)))
        return true;
    tweed__wait_leave(w);
    return false;
}

static const struct tweed__wait_kind join_kind = {
    .is_over = is_joined,
    .is_over_soon = is_joined,
    .help = help_thief,
    .lie_down = lie_down_in_join,
    .get_up = tweed__wait_leave,
    .sleep = tweed__wait_on_event,
};

static void wait_for(struct tweed__deque *d, struct tweed_task_ *t)
{
    struct tweed__part *p = d->part;
    struct joining join = { .wait = { .team = p->team, .worker = p->worker,
                                      .tally = tally_of(p) }, .d = d, .t = t };
    uint32_t outer;

    if (!is_open(t))
        return;
    TRACE_JOIN_BEGIN(p, thief_of(t));
    outer = SHOWN_JOIN(d);
    tweed__wait(&join.wait, &join_kind);
    SHOW_JOIN(d, outer);
    TRACE_JOIN_END(p);
}

int tweed_task_sync_slow_(struct tweed_deque_ *its, struct tweed_task_ *t)
{
    struct tweed__deque *d = (struct tweed__deque *)its;
    uint32_t at = record_place(tweed_low_(t)), state;

    if (!tweed__deque_pop(d, at, !is_asymmetric(d->part) || at >= d->kept)) {
        /* moves top past t: tasks that this thread spawns while it waits lie above t.
           release: if this thread has moved the deque, a thief that reads this top changes
           word after that, and fails; see (7) in deque.c */
        store_release(&d->top, tweed_low_(t + 1));
        wait_for(d, t);
        store_relaxed(&d->top, tweed_low_(t)); /* no record there could be stolen */
        tweed__deque_joined(d, at);
        tweed__tsan_acquire(state_of(t));
    }
    if (at <= d->kept)
        d->kept = UINT32_MAX;
    state = load_relaxed(state_of(t)); /* acquired by wait_for(), or the thread's own */
    store_relaxed(state_of(t), 0);     /* the same */
    return !(state & (DONE | KEPT));
}

/*
 * work.c - threads work in a loop: its caller, which waits for the end, and helpers.
 *
 * SPDX-License-Identifier: MIT
 *
 * A thread that has a part in a loop takes blocks of its own range, then steals, until
 * there is nothing left to take or to steal.  The caller waits for the end after that, and
 * helps meanwhile with what is inside of its loop (INSIDE A LOOP in slot.c).  A helper
 * goes back to look for other work.
 *
 * STATIC LOOPS are dealt as others, to the first workers of the pool.  But no thread
 * steals: worker w executes its share, or no thread does, and the caller, which is worker
 * 0, waits for all of the workers that have one.  Why that ends:
 *
 *  - A worker that owns a share learns of it.  The worker's thread looks at static loops
 *    before all others (tweed__work_look()), each time that it looks for work.  The look
 *    begins with the slot after that of the static loop that the worker helped last.  So
 *    a share waits for at most one static share of each other slot.  The publisher itself
 *    wakes all sleepers of the window: a worker that was woken instead of another might
 *    have no share, or be about something else for long, and pass nothing on.  By the
 *    event (sleep.c) no worker falls asleep past the loop.
 *  - A worker's thread comes back to that look, if the bodies that it is in end.
 *    Bodies wait in tweed for loops that they have started.  These are not static
 *    (TWEED_ENESTED), so they need no certain worker: their caller can execute all
 *    blocks that no thread has taken, and the blocks that a thread has taken are bodies,
 *    one level deeper.
 *  - So if no body waits for anything but loops of its own, every share is executed.
 *    Two static loops in bodies of two workers would each wait for the other's worker.
 *    Hence THE RULE: no static loop begins in a body (TWEED_ENESTED).  The rule holds in
 *    bodies of loops on any pool, since these may start loops on another pool.  And it
 *    holds for all that a pool's own thread runs, because that thread is not worker 0.
 *
 * What is left to the user: a body of any loop on the pool must not wait for a lock which
 * the caller of a static loop holds.
 */
#include "config.h"

#include "loop/work.h"
#include "base/tsan.h"
#include "log/trace.h"
#include "loop/cancel.h"
#include "loop/counts.h"
#include "loop/gain.h"
#include "loop/publish.h"
#include "loop/slot.h"
#include "loop/soon.h"
#include "loop/victim.h"
#include "pool/above.h"
#include "pool/wait.h"
#include "system/system.h"

/* How long a thread waits at most for others that seem to be about to end: about as long as
   a unit takes.
   (The model checker, t/model/, takes 0: a look after a wait is no new case.) */
#ifndef SOON_NS
#define SOON_NS 2000
#endif

/* The blocks [first, end) have been executed, but for what was left out. */
static void count_indices(struct tweed__part *p, uint32_t first, uint32_t end)
{
    uint64_t executed = body_indices(p->body, first, end);

    if (unlikely(p->walker.ends_early))
        executed -= tweed__cursor_left_out(&p->walker);
    TRACE_RUN_END(p, first, executed);
    tally_add(tally_of(p), indices, executed);
}

/* ---- taking part ---- */

/* What a helper does when it has found the first work in a loop, before it
   begins with it. */
static void found_work(struct tweed__part *p)
{
    wait_found(p->team);
    tweed__publish_pass_on(p);
}

/* The loot is installed, and may be stolen: shows it to threads that have just looked and
   found nothing, and wakes some. */
static void tell_others(struct tweed__part *p)
{
    struct tweed__team *team = p->team;
    struct tweed__slot *slot = slot_of(p);

    tweed__sleep_hint(&team->sleep, p->walker.owner.range,
                      wakes(team, slot->window, 1),
                      wake_mask_of(team, slot->window, p->index), tally_of(p));
    if (load_relaxed(&slot->publisher) != p->index)
        tweed__end_hint(&slot->remaining, tally_of(p));
    tweed__state_tell_outer(team, p->slot, tally_of(p));
}

/* Blocks that were given up since the last call. */
static uint32_t given_up(struct tweed__part *p)
{
    uint32_t n;

    if (likely(!p->walker.ends_early))
        return 0;
    n = p->walker.given_up;
    p->walker.given_up = 0;
    return n;
}

/* The owner's range is drained: n blocks of it have been executed. */
static uint32_t account(struct tweed__part *p, uint32_t n)
{
    uint32_t first = p->walker.owner.first;

    count_indices(p, first, first + n);
    return n + given_up(p);
}

/* Takes the loot.  True: the owner has made a range of it.  A single block is executed at
   once, since it is too little to make a range of.  *done: blocks that are disposed of. */
TWEED_INLINE_ bool take_home(struct tweed__part *p, uint32_t begin, uint32_t end,
                             uint32_t *done)
{
    struct tweed__walker *w = &p->walker;
    /* seq_cst: so a thief that has stolen after the cancellation does not begin the loot.
       weaker: any order would do: loot that becomes a range is looked at again by the
       owner, and if the loot is one block, one block more is allowed */
    if (end > load_seq_cst(&slot_of(p)->cancelled)) { /* all of the loot: (6) in range.c */
        tweed__cursor_give_up(w, begin, end);
        *done += given_up(p);
        return false;
    }
    if (end - begin == 1) {
        TRACE_RUN_BEGIN(p, begin);
        tweed__cursor_lone(w, p->body->kind, begin);
        count_indices(p, begin, end);
        *done += 1 + given_up(p);
        return false;
    }
    /* exposed first, so that thieves need not wait for the owner */
    tweed__range_install(&w->owner, begin, end);
    tell_others(p);
    return true;
}

TWEED_INLINE_ void return_blocks(struct tweed__part *p, uint32_t done, bool by_nodes)
{
    struct tweed__slot *slot = slot_of(p);

    if (unlikely(p->walker.ends_early))
        tweed__cancel_leave(p);
    tweed__tsan_release(&slot->remaining);
    if (by_nodes)
        tweed__counts_return(p, done);
    else
        (void)tweed__end_return(&slot->remaining, done, tally_of(p));
}

/* Of a loop that is counted by nodes: returns what the worker has done before it looks
   on other nodes, which takes longer than all else, and makes the worker a holder again
   with what it has found there. */
TWEED_INLINE_ bool find_in_node_counts(struct tweed__part *p, uint32_t *begin, uint32_t *end,
                                  uint32_t *done, bool *returned)
{
    if (*done) {
        if (tweed__victim_steal_near(p, begin, end))
            return true;
        return_blocks(p, *done, true);
        *done = 0;
        *returned = true;
    }
    if (!tweed__victim_steal_on_node(p, begin, end))
        return false;
    tweed__counts_hold(p);
    return true;
}

/* Has this part disposed of all blocks that are left?  Then there is nothing to steal. */
TWEED_INLINE_ bool are_done(struct tweed__part *p, uint32_t done, bool by_nodes)
{
    return by_nodes ? tweed__counts_is_over(p, done)
                   : tweed__end_left(&slot_of(p)->remaining) == done;
}

static bool wait_briefly_for_end(struct tweed__part *p, uint64_t ns);

/* If the end seems to be near: returns the blocks that this thread has done, and waits for
   the end for a while.  So owners that are about to end need not fetch back the lines of
   their ranges from a thief.  True: the loop is over. */
TWEED_INLINE_ bool ends_soon(struct tweed__part *p, uint32_t *done, bool *returned)
{
    const struct tweed__walker *w = &p->walker;
    struct tweed__slot *slot = slot_of(p);
    uint64_t ns = SOON_NS;

    if (!soon_is_end(w->owner.unit, *done, tweed__end_left(&slot->remaining) - *done,
                     (uint32_t)slot->window.count - 1, w->timed_ns, &ns))
        return false;
    return_blocks(p, *done, false);
    *returned = true;
    *done = 0;
    return wait_briefly_for_end(p, ns);
}

/* Of a loop that is counted by blocks.  A thread that has stolen does not wait: as a rule
   it stole the share of a worker that has not come; there may be more such shares, and if
   this thread does not execute them, no thread does. */
TWEED_INLINE_ bool find(struct tweed__part *p, uint32_t *begin, uint32_t *end,
                        uint32_t *done, bool *returned, bool stole)
{
    if (*done && !stole && ends_soon(p, done, returned))
        return false;
    return tweed__victim_steal(p, begin, end);
}

/*
 * Takes part until there is nothing left to take or to steal, and returns the blocks
 * that were disposed of to the loop's count.  ready: the owner holds a range.  done:
 * blocks that the owner has disposed of already.  A helper passes wakes on once it has
 * found work; the caller has done its share of waking.  True: there was work.
 */
TWEED_INLINE_ bool take_part_in(struct tweed__part *p, bool ready, uint32_t done,
                                bool helper, bool by_nodes)
{
    bool returned = false, stole = false;
    uint32_t begin, end;

    if (helper && ready)
        found_work(p);
    for (;;) {
        if (ready) {
            TRACE_RUN_BEGIN(p, p->walker.owner.first);
            done += account(p, tweed__cursor_range(&p->walker, p->body->kind));
        }
        if (are_done(p, done, by_nodes) ||
            unlikely(p->body->manner & TWEED__FIXED) ||
            !(by_nodes ? find_in_node_counts(p, &begin, &end, &done, &returned)
                      : find(p, &begin, &end, &done, &returned, stole)))
            break;
        if (helper && done == 0 && !returned)
            found_work(p);
        else
            wait_found(p->team); /* a caller may be in its last look before it sleeps */
        stole = true;
        ready = take_home(p, begin, end, &done);
    }
    if (done)
        return_blocks(p, done, by_nodes);
    return done > 0 || returned;
}

__attribute__((noinline)) static bool take_part_by_nodes(struct tweed__part *p, bool ready,
                                                          uint32_t done, bool helper)
{
    return take_part_in(p, ready, done, helper, true);
}

__attribute__((noinline)) static bool take_part_by_blocks(struct tweed__part *p, bool ready,
                                                          uint32_t done, bool helper)
{
    return take_part_in(p, ready, done, helper, false);
}

TWEED_INLINE_ bool take_part(struct tweed__part *p, bool ready, uint32_t done, bool helper)
{
    return unlikely(slot_of(p)->by_nodes) ? take_part_by_nodes(p, ready, done, helper)
                                         : take_part_by_blocks(p, ready, done, helper);
}

/* ---- the end ---- */

/* Helps a loop that was started inside the one that the caller waits for. */
static bool help_inside(struct tweed__part *p)
{
    /* seq_cst: after the bit of tweed__end_lie_down() in remaining, with the bit of
       announce(), or of tweed__publish_root(), in active and the look at remaining after
       that: see THE END in sleep.c */
    uint64_t live = load_seq_cst(&p->team->active);

    for (live &= ~(UINT64_C(1) << p->slot); live; live &= live - 1) {
        int k = __builtin_ctzll(live);

        if (tweed__slot_is_inside(p->team, k, p->slot) &&
            tweed__work_help(p->worker, (unsigned)k, p->slot))
            return true;
    }
    return false;
}

/* Helps with a task that was spawned inside the loop that the caller waits for. */
static bool help_jobs(struct tweed__part *p)
{
    /* seq_cst: as in help_inside(), with tweed__jobs_spawn() */
    return unlikely(load_seq_cst(&p->team->has_jobs)) &&
           tweed__jobs_help(p->team, where_of_slot(p->team, p->slot));
}

/* The caller of a loop, at its end. */
struct ending {
    struct tweed__wait wait; /* first */
    struct tweed__part *p;
    bool again; /* the caller looks again for what it has just not found in its loop */
};

static _Atomic uint32_t *remaining_of(struct tweed__wait *w)
{
    return &slot_of(((struct ending *)w)->p)->remaining;
}

static bool has_ended(struct tweed__wait *w)
{
    return tweed__end_has_come(remaining_of(w));
}

static bool help_loop(struct tweed__wait *w)
{
    struct ending *end = (struct ending *)w;
    bool again = end->again;

    end->again = true;
    return (again && take_part(end->p, false, 0, false)) || help_inside(end->p) ||
           help_jobs(end->p);
}

static bool lie_down_at_end(struct tweed__wait *w)
{
    return tweed__end_lie_down(remaining_of(w));
}

static void sleep_until_end(struct tweed__wait *w)
{
    tweed__end_sleep(remaining_of(w), w->tally);
}

static const struct tweed__wait_kind loop_kind = {
    .is_over = has_ended,
    .is_over_soon = has_ended,
    .help = help_loop,
    .lie_down = lie_down_at_end,
    .sleep = sleep_until_end,
};

static struct ending ending_of(struct tweed__part *p)
{
    return (struct ending){ .wait = { .team = p->team, .worker = p->worker,
                                      .tally = tally_of(p) }, .p = p };
}

/* Waits until all blocks are disposed of. */
static void wait_for_end(struct tweed__part *p)
{
    struct ending end = ending_of(p);

    tweed__wait(&end.wait, &loop_kind);
}

/* The same for that long at most.  True: all blocks are disposed of. */
static bool wait_briefly_for_end(struct tweed__part *p, uint64_t ns)
{
    struct ending end = ending_of(p);

    return tweed__wait_briefly(&end.wait, &loop_kind, ns);
}

/* ---- the caller ---- */

static bool share_rest(struct tweed__walker *w, uint32_t from)
{
    struct tweed__part *p = (struct tweed__part *)w;

    p->ends = NULL; /* which divide the whole loop; what is left is dealt by number */
    if (!tweed__publish_loop(p, from))
        return false;
    count_indices(p, 0, from);
    TRACE_RUN_BEGIN(p, from);
    return true;
}

/* A loop that no other thread has seen is over: so many blocks were executed. */
static void count_alone(struct tweed__part *p, uint32_t n)
{
    tally_add(tally_of(p), loops, 1);
    tally_add(tally_of(p), serial, 1);
    count_indices(p, 0, n);
}

int tweed__work_run(struct tweed__part *p, int k, uint64_t patience_ns)
{
    struct tweed__walker *w = &p->walker;
    bool running BODY_GUARD = true, shares = patience_ns != UINT64_MAX, spread = false;
    uint32_t done;

    sit_down(p, k);
    tweed__self.here = p;
    if (patience_ns == 0 && tweed__publish_loop(p, 0)) { /* seen 0: its share is empty */
        (void)take_part(p, w->owner.seen != 0, 0, false);
        spread = true;
    } else if (unlikely((p->body->manner & TWEED__FIXED) && shares)) {
        running = false;
        tweed__self.here = p->outer;
        tweed__slot_release(slot_of(p));
        return TWEED_EBUSY;
    } else {
        TRACE_RUN_BEGIN(p, 0);
        done = tweed__cursor_alone(w, p->body, patience_ns,
                                   shares ? share_rest : NULL);
        if (w->walk != TWEED__ALONE) {
            (void)take_part(p, false, account(p, done), false);
        } else {
            count_alone(p, done);
        }
    }
    if (w->walk != TWEED__ALONE) {
        wait_for_end(p);
        gain_end(p);
        tweed__publish_end(p);
        /* relaxed: acquired with the last return */
        if (unlikely(load_relaxed(&slot_of(p)->cancelled) != TWEED__UNCANCELLED))
            tweed__cancel_collect(p);
    }
    running = false;
    tweed__cursor_learn(w, p->body);
    if (spread)
        tweed__costs_note_spread(p->body);
    tweed__self.here = p->outer;
    tweed__slot_release(slot_of(p));
    return TWEED_OK;
}

/* ---- the caller of tasks ---- */

bool tweed__work_open(struct tweed__part *p, int k, void (*fn)(struct tweed__part *p))
{
    bool running BODY_GUARD = false;

    sit_down(p, k);
    if (!tweed__publish_root(p)) {
        p->slot = -1;
        return false;
    }
    running = true;
    tweed__self.here = p;
    p->walker.walk = TWEED__RANGE;
    tally_add(tally_of(p), roots, 1);
    fn(p);
    /* relaxed: a worker that still sees 1 finds no task */
    store_relaxed(&slot_of(p)->remaining, 0);
    tweed__publish_end(p);
    running = false;
    tweed__self.here = p->outer;
    tweed__slot_release(slot_of(p));
    return true;
}

/* ---- the helper ---- */

/* The kind says by the cursor's end whether there was something to do. */
__attribute__((noinline)) static bool work_on_tasks(struct tweed__part *p)
{
    p->walker.cursor.end = 0;
    p->body->kind->work(&p->walker.cursor);
    return p->walker.cursor.end != 0;
}

/* The worker has joined. */
static bool work_in_slot(struct tweed__worker *w, unsigned k)
{
    struct tweed__part part;
    bool running BODY_GUARD = false;
    bool worked;

    tweed__part_init(&part, w, &w->team->slots[k].body);
    sit_down(&part, (int)k);
    tweed__self.here = &part;
    running = true;
    if (unlikely(part.body->manner & TWEED__TASKS))
        worked = work_on_tasks(&part);
    else
        worked = take_part(&part, tweed__range_claim(&part.walker.owner), 0, true);
    running = false;
    tweed__self.here = part.outer;
    tweed__slot_leave(w, k);
    return worked;
}

bool tweed__work_help(struct tweed__worker *w, unsigned k, int ancestor)
{
    return tweed__slot_join(w, k, ancestor) && work_in_slot(w, k);
}

bool tweed__work_help_if(struct tweed__worker *w, unsigned k, int ancestor,
                         bool (*may)(const void *), const void *arg)
{
    if (!tweed__slot_join(w, k, ancestor))
        return false;
    if (may(arg))
        return work_in_slot(w, k);
    tweed__slot_leave(w, k);
    return false;
}

/* Helps one of these loops; *which is the number of its slot. */
static bool help_one(struct tweed__worker *w, uint64_t loops, unsigned *which)
{
    for (; loops; loops &= loops - 1) {
        *which = (unsigned)__builtin_ctzll(loops);
        if (tweed__work_help(w, *which, -1)) {
            w->last = *which;
            return true;
        }
    }
    return false;
}

/* Helps one of these loops, those from slot `from` on first. */
static bool help_from(struct tweed__worker *w, uint64_t loops, unsigned from,
                      unsigned *which)
{
    return help_one(w, loops & (UINT64_MAX << from), which) ||
           help_one(w, loops & ~(UINT64_MAX << from), which);
}

/* Helps one of these static loops, each in turn. */
static bool help_fixed(struct tweed__worker *w, uint64_t loops)
{
    unsigned which;

    if (!help_from(w, loops, w->turn, &which))
        return false;
    w->turn = (which + 1) % TWEED__SLOTS;
    return true;
}

/* The slot of one of these loops.  The next worker, and the next time, takes the next: so
   all of several loops get helpers at the same time. */
static unsigned first_slot(const struct tweed__worker *w, uint64_t loops)
{
    unsigned n = ((unsigned)w->index + w->helped) % (unsigned)__builtin_popcountll(loops);

    while (n-- > 0)
        loops &= loops - 1;
    return (unsigned)__builtin_ctzll(loops);
}

/* Helps one of these loops, which are not static. */
static bool help_any(struct tweed__worker *w, uint64_t loops)
{
    bool several = loops & (loops - 1);
    unsigned which;

    if (!help_from(w, loops, unlikely(several) ? first_slot(w, loops) : 0, &which))
        return false;
    w->helped++;
    return true;
}

bool tweed__work_look(struct tweed__worker *w)
{
    /* seq_cst: after the worker has said that it sleeps (enter() in sleep.c), with the bit
       of tweed__publish_root() and the first spawn's look for sleepers (wake_one() in
       fork.c), which wakes no worker if there are none.  Of a loop relaxed would do: the
       loop is announced, and a worker that falls asleep looks at the event;
       tweed__slot_join() acquires the slot.  relaxed, of fixed: a worker that misses a bit
       finds the loop among the others, and the next time before them */
    uint64_t live, fixed;

    tweed__slot_fetch(w, w->last); /* most often the next loop is there, too */
    live = load_seq_cst(&w->team->active);
    fixed = live & load_relaxed(&w->team->fixed);

    if (unlikely(fixed)) {
        if (help_fixed(w, fixed))
            return true;
        live &= ~fixed;
    }
    return help_any(w, live);
}

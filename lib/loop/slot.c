/*
 * slot.c - one loop from publishing to its end.
 *
 * SPDX-License-Identifier: MIT
 *
 * A slot is a descriptor and a seat for each worker, used for one loop after
 * another and never freed while the pool lives.  Its life:
 *
 *      free --acquire--> taken --publish--> live --finish--> free
 *
 *   taken  one caller owns it (slot->taken); nobody else looks inside
 *   live   its bit in team->active is set; workers may join
 *
 * PINNING.  A worker that joins raises the flag `inside` on its own seat, then
 * looks again whether the slot is live, and leaves if not.  (The flag is a count: on
 * seat 0 any number of outside callers may be looking, and one of them has a part.)
 * A publisher takes a slot only if, the slot being not live, no flag is up:
 *
 *     worker:     inside <- 1;       active?         (join)
 *     publisher:  active &= ~bit;    inside?         (finish, then acquire)
 *
 * all four sequentially consistent.  Either the publisher sees the flag and
 * takes another slot, or the worker's store came after that look, so after the
 * clearing of the bit, and its second look sees the slot dead, or the next loop
 * in it, which is then an honest joining of that one.  So nobody carries a range
 * word, or half a steal, from one loop into the next: a straggler that dozed
 * through the end of its loop would otherwise steal from the next one before it
 * has claimed its own new share, install its loot over it, and lose it.
 *
 * The flags are all looked at before the first share is written, since shares
 * are stolen without asking who is live.
 *
 * THE INVARIANT that lets publish() write only the seats of its window: at the
 * end of a loop every seat is empty (drained, or unclaimed with nothing left).
 *
 * A publisher need not look at the flag of a worker that was never here.  So a
 * worker, once its flag is up, sees to it that the bit of its group of workers is
 * set in `visited`, and the publisher takes these bits away before it looks at the
 * flags of those groups:
 *
 *     worker:     inside <- 1;  visited |= bit, unless it is set;  active?
 *     publisher:  active &= ~bit;  v <- visited, visited <- 0;  inside, of v?
 *
 * Sequentially consistent again.  If the publisher got the worker's bit, set by
 * whomever, after the worker had seen it or set it, the flag was up before: it is
 * seen.  If not, the worker sets the bit after that, so it looks at `active` after
 * that too, and what it joins is the next loop, or none; and the next publisher
 * gets the bit.  A publisher that finds a flag up puts the bits back.
 *
 * Where workers are on several nodes and all have a share, the publisher sets all bits
 * itself, before the loop is live: all would come and set them, one after the other on
 * one line.  It has looked at the flags by then, and whoever sets a bit meanwhile finds
 * it set.  A worker that sees the publisher's bit has looked before the exchange of the
 * next publisher, who gets the bit, as if the worker had set it.
 *
 * A dump (dump.c) pins the slot in the same way, by the count `readers`.
 *
 * INSIDE A LOOP.  Whoever waits for the end of a loop helps the loops that were
 * started in its bodies, and in the bodies of those, and no other: such a body
 * cannot need a lock that the one who waits holds, or it would never have come to
 * its end.  parent leads from a loop to the one that it was started in.  The helper
 * pins the slot, walks the chain, and then looks whether the loop is live once
 * more: a loop that is live has live ancestors, so none of the slots on the chain
 * was reused meanwhile.  A worker helps on its own seat, and the outside caller on
 * seat 0: a chain has one outermost loop, so one outside caller; and whoever helps
 * has no part in the loop yet, for all loops on its stack are ancestors of it.
 * Those who sleep are told of a loop inside as of a stolen range: by the bit in the
 * remaining count of the loop that they wait for (sleep.c).
 *
 * STATIC LOOPS are dealt as others, to the first workers of the pool.  But nobody
 * steals: worker w executes its share, or nobody does, and the caller, which is worker 0,
 * waits for all of them.  Why that ends:
 *
 *  - A worker that owns a share learns of it.  Its thread looks at static loops before
 *    all others (tweed__slot_look()), each time that it looks for work, beginning
 *    behind the one that it has helped last: so a share waits for at most one share of
 *    each other slot.  The publisher itself wakes all sleepers of the window: one woken
 *    instead of another might have no share, or be about something else for long, and
 *    pass nothing on.  By the event (sleep.c) nobody of them falls asleep past the loop.
 *  - A worker's thread comes back to that look, if the bodies that it is in end.
 *    Bodies wait in tweed for loops that they have started.  These are not static
 *    (TWEED_ENESTED), so they need no certain worker: their caller can execute all
 *    that nobody has taken, and what somebody has taken is bodies, one level deeper.
 *  - So if no body waits for anything but loops of its own, every share is executed.
 *    Two static loops in bodies of two workers would each wait for the other's worker:
 *    hence the rule.  It holds for loops on any pool, since bodies of one may start
 *    loops on another; and for all that a pool's thread runs, which is not worker 0.
 *
 * What is left to the user: a body of any loop on the pool that waits for a lock which
 * the caller of a static loop holds.
 *
 * WHO MAY WRITE A SEAT'S TALLY, and what it has of an early end: the worker that has a
 * part, or the caller that has the slot taken, on its own seat; the exchange and the
 * release on `taken` order one such caller after the other.  The caller also takes
 * away, after the end, what is on all seats of an early end.
 *
 * What the caller wrote before the call happens before every body by the release
 * of the bit in active, which a joining worker acquires; the bodies happen before
 * the return by the remaining count (sleep.c).
 */
#include "config.h"

#include "loop/slot.h"
#include "base/text.h"
#include "base/tsan.h"
#include "loop/cancel.h"
#include "loop/counts.h"
#include "loop/victim.h"
#include "pool/above.h"
#include "pool/wait.h"
#include "range/trace.h"
#include "system/system.h"

#include <limits.h>
#include <string.h>

#define WAKES 2 /* how many workers a publisher, or a woken worker, wakes */

/* The bit in slot->visited of a worker's group: of so many workers next to each
   other, and of those that are 64 groups apart.  (A check with few workers takes 1.) */
#ifndef VISITORS
#define VISITORS 16
#endif

_Atomic uint32_t tweed__slot_watched;

static uint64_t visitors(int worker)
{
    return UINT64_C(1) << (worker / VISITORS % 64);
}

/* The lines of those who were there, which are looked at and written: all on their way
   together. */
static void fetch_seats(struct tweed__team *team, unsigned k, uint64_t visited)
{
    for (int w = 0; w < team->num_workers; w++)
        if (visited & visitors(w))
            __builtin_prefetch(&team->workers[w]->seats[k].range.S, 1);
}

/* Is the flag of anybody up who was there? */
__attribute__((noinline)) static bool is_a_flag_up(struct tweed__team *team, unsigned k)
{
    struct tweed__slot *slot = &team->slots[k];
    /* seq_cst, all: see somebody_inside() */
    uint64_t visited = exchange_seq_cst(&slot->visited, 0);

    if (team->node_counts)
        fetch_seats(team, k, visited);
    for (int w = 0; w < team->num_workers; w++)
        if (visited & visitors(w) &&
            load_seq_cst(&team->workers[w]->seats[k].range.inside)) {
            /* looked at again.  weaker: acq_rel would do: the next publisher has taken
               the slot after this one, and a worker that misses its bit sets it */
            fetch_or_seq_cst(&slot->visited, visited);
            return true;
        }
    return false;
}

static bool somebody_inside(struct tweed__team *team, unsigned k)
{
    struct tweed__slot *slot = &team->slots[k];

    /* seq_cst, all here: after finish()'s clearing of the bit, see PINNING; the
       looks at the flags also acquire what the worker, or the dump, did before it
       left */
    if (load_seq_cst(&slot->readers))
        return true;
    return load_seq_cst(&slot->visited) && is_a_flag_up(team, k);
}

int tweed__slot_acquire(struct tweed__team *team, unsigned hint)
{
    for (unsigned n = 0; n < TWEED__SLOTS; n++) {
        unsigned k = (hint + n) % TWEED__SLOTS;
        struct tweed__slot *slot = &team->slots[k];

        /* relaxed: a look before the exchange; which acquires, and pairs with
           the release in tweed__slot_release() */
        if (!load_relaxed(&slot->taken) && !exchange_seq_cst(&slot->taken, 1))
            return (int)k;
    }
    return -1;
}

void tweed__slot_release(struct tweed__slot *slot)
{
    store_release(&slot->taken, 0); /* pairs with acquire's exchange */
}

static struct tweed__tally *tally_of(const struct tweed__part *p)
{
    return p->walker.owner.tally;
}

/* The part takes its worker's seat in a slot. */
static void sit_down(struct tweed__part *p, int k)
{
    struct tweed__owner *o = &p->walker.owner;
    struct tweed__seat *seat = &p->worker->seats[k];

    tweed__tsan_acquire(p->team); /* of the thread that started the team: the seat's memory */
    p->slot = k;
    o->range = &seat->range;
    o->tally = &seat->tally;
    o->cancelled = &p->team->slots[k].cancelled;
}

/* The blocks [first, end) have been executed, but for what was left out. */
static void count_indices(struct tweed__part *p, uint32_t first, uint32_t end)
{
    uint64_t executed = body_indices(p->body, first, end);

    if (unlikely(p->walker.ends_early))
        executed -= tweed__cursor_left_out(&p->walker);
    TRACE_RUN_END(p, first, executed);
    tally_add(tally_of(p), indices, executed);
}

/* ---- publishing ---- */

/* A slot in which nobody is any more: the one that the caller has, or another. */
static bool find_room(struct tweed__part *p)
{
    int other;

    if (!somebody_inside(p->team, (unsigned)p->slot))
        return true;
    for (unsigned n = 1; n < TWEED__SLOTS; n++) {
        other = tweed__slot_acquire(p->team, (unsigned)p->slot + n);
        if (other < 0)
            return false;
        if (!somebody_inside(p->team, (unsigned)other)) {
            tweed__slot_release(slot_of(p));
            sit_down(p, other);
            return true;
        }
        tweed__slot_release(&p->team->slots[other]);
    }
    return false;
}

/* What this loop is inside of: another one, or a job.  Loops that their callers still
   walk alone are nowhere to be seen. */
static const struct tweed__part *outer_of(const struct tweed__part *p)
{
    const struct tweed__part *outer = p->outer;

    while (outer && outer->team == p->team &&
           outer->walker.walk == TWEED__ALONE)
        outer = outer->outer;
    return outer;
}

/* The slot of the loop that this one is inside of, in the same pool; else -1, or
   TWEED__ELSEWHERE. */
static int parent_of(const struct tweed__part *p, const struct tweed__part *outer)
{
    if (likely(!outer))
        return -1;
    return outer->team == p->team ? outer->slot : TWEED__ELSEWHERE;
}

/* The group of the job that it is inside of, if that is nearer; 0: there is none. */
static uint64_t group_state_of(const struct tweed__part *p, const struct tweed__part *outer)
{
    return unlikely(outer != NULL) && outer->team == p->team ? outer->of_group : 0;
}

/* A dump may read it when the caller has left. */
__attribute__((noinline)) static void copy_name(struct tweed__slot *slot,
                                                const char *name)
{
    strncat(slot->name, name, sizeof slot->name - 1);
    text_trim(slot->name, sizeof slot->name);
}

/* What everybody who joins reads. */
TWEED_INLINE_ void describe(struct tweed__part *p, struct tweed__window window)
{
    struct tweed__slot *slot = slot_of(p);
    const struct tweed__part *outer = outer_of(p);

    slot->body = *p->body;
    slot->name[0] = '\0';
    if (p->name)
        copy_name(slot, p->name);
    slot->window = window;
    /* relaxed, most: released with the bit in active.  Whoever joins before the loop
       is announced has no wakes to pass on: they would be lost. */
    store_relaxed(&slot->publisher, p->index);
    store_relaxed(&slot->uses, load_relaxed(&slot->uses) + 1);
    /* release, both: the use, to next_outer() in within.c */
    store_release(&slot->parent, parent_of(p, outer));
    store_release(&slot->of_group, group_state_of(p, outer));
    store_relaxed(&slot->cancelled, TWEED__UNCANCELLED);
    store_relaxed(&slot->wakes_owed, 0);
}

/* The share of a seat; the caller's is claimed at once, if there is a block in it. */
TWEED_INLINE_ void give(struct tweed__part *p, int seat, uint32_t begin, uint32_t end)
{
    if (seat == p->index && likely(begin < end))
        tweed__range_install(&p->walker.owner, begin, end);
    else
        tweed__range_share(&p->team->workers[seat]->seats[p->slot].range, begin, end);
}

/* A share of the blocks from `from` on for each seat of the window. */
static void deal(struct tweed__part *p, struct tweed__window window,
                 uint32_t from)
{
    struct tweed__team *team = p->team;
    uint32_t left = p->body->blocks - from, end = from;

    for (int place = 0; place < window.count; place++) /* once over, not twice */
        __builtin_prefetch(
            &team->workers[window_seat(window, team->num_workers, place)]
                 ->seats[p->slot]
                 .range.S,
            1);
    for (int place = 0; place < window.count; place++) {
        int seat = window_seat(window, team->num_workers, place);
        uint32_t begin = end;

        end = from + partition_begin(left, (uint32_t)place + 1,
                                     (uint32_t)window.count);
        give(p, seat, begin, end);
    }
}

static const struct tweed__group *group_of(const struct tweed__part *p, int seat)
{
    return &p->team->groups[p->team->workers[seat]->group];
}

/* Is the loop counted by nodes?  If so all workers are to be looked for by the next
   publisher, since all will come. */
static bool is_for_nodes(struct tweed__part *p, struct tweed__window window)
{
    /* threads that did not start may leave one group of several nodes */
    if (!p->team->node_counts || p->team->num_groups == 1 ||
        window.count < p->team->num_workers)
        return false;
    store_relaxed(&slot_of(p)->visited, UINT64_MAX); /* relaxed: see PINNING */
    return true;
}

/* The same of a loop that is dealt by weight, or among CPUs that are not equal, or that is
   counted by nodes. */
__attribute__((noinline)) static void
deal_arranged(struct tweed__part *p, struct tweed__window window, uint32_t from)
{
    uint32_t left = p->body->blocks - from, high = 0;
    bool by_nodes = is_for_nodes(p, window);
    uint32_t shares = 0; /* of a group */
    struct tweed__deal each;

    slot_of(p)->by_nodes = by_nodes;
    each = deal_of(p->ends, p->team->before, window, p->team->num_workers, left);
    for (int place = 0; place < window.count; place++) {
        uint32_t low = high; /* of the blocks that are left */
        int seat = window_seat(window, p->team->num_workers, place);

        high = deal_next(&each);
        give(p, seat, from + low, from + high);
        shares += high > low;
        if (by_nodes && seat + 1 == group_of(p, seat)->end) {
            tweed__counts_deal(p, p->team->workers[seat]->group, shares);
            shares = 0;
        }
    }
}

/* An outside caller's outermost loop is to be announced: sees to it that the
   workers are not on the caller's CPU. */
static void look_after_caller(struct tweed__part *p)
{
    struct tweed__team *team = p->team;
    bool others;

    if (!team->affinity || p->index != 0 ||
        load_relaxed(&slot_of(p)->parent) >= 0)
        return;
    /* relaxed: a guess.  Inside of something the calls may be its own */
    others = team_callers(team) > 0 || (!p->outer && load_relaxed(&team->leaving) > 0);
    tweed__affinity_caller(team, others);
}

/* Makes the loop live, and tells and wakes those who may help. */
static void announce(struct tweed__part *p)
{
    struct tweed__team *team = p->team;
    struct tweed__slot *slot = slot_of(p);
    struct tweed__window window = slot->window;
    int helpers = window.count - 1;
    int woken = wakes(team, window, helpers < WAKES ? helpers : WAKES);

    if (unlikely(p->body->manner & TWEED__FIXED)) {
        /* relaxed: released by the bit in active.  A sum is as good as an or: whoever
           has the slot writes its bit */
        fetch_add_relaxed(&team->fixed, UINT64_C(1) << p->slot);
        woken = INT_MAX;
        helpers = WAKES; /* nobody else has to */
    }
    look_after_caller(p);
    tally_add(tally_of(p), loops, 1);
    tweed__tsan_release(slot);
    /* release: all of the above, to join()'s acquire.  weaker: acq_rel would do, it
       is sequentially consistent only because its sibling in finish() is */
    fetch_or_seq_cst(&team->active, UINT64_C(1) << p->slot);
    tweed__sleep_tell(&team->sleep);
    /* relaxed: a figure; the call that wakes orders it for those who are woken.  Whoever
       falls asleep after the look at who sleeps has seen the loop: if nobody sleeps yet
       nobody is owed, and the helpers need not write this line. */
    if (unlikely(helpers > WAKES) && !tweed__sleep_asleep(&team->sleep))
        helpers = WAKES;
    store_relaxed(&slot->wakes_owed, helpers - WAKES);
    tweed__sleep_rouse(&team->sleep, woken,
                       wake_mask_of(team, window, p->index), tally_of(p));
    tweed__state_tell_outer(team, p->slot, tally_of(p));
}

/* Of a static loop: the first seats, the same ones always. */
__attribute__((noinline)) static struct tweed__window
fixed_window(const struct tweed__part *p)
{
    struct tweed__window window =
        partition_window(p->team->num_workers, p->index, p->body->blocks, p->limit, 0);

    check(p->index == 0);
    window.open = false;
    return window;
}

/* Makes the blocks from `from` on a loop in a slot, with the caller's own share
   claimed.  False: there is no slot to be had. */
static bool publish(struct tweed__part *p, uint32_t from)
{
    struct tweed__window window;

    if (!find_room(p))
        return false;
    window = partition_window(p->team->num_workers, p->index,
                              p->body->blocks - from, p->limit,
                              (unsigned)p->slot);
    if (unlikely(p->body->manner & TWEED__FIXED))
        window = fixed_window(p);
    describe(p, window);
    if (unlikely(p->body->manner & TWEED__WEIGHTED || p->team->is_uneven))
        deal_arranged(p, window, from);
    else
        deal(p, window, from);
    store_relaxed(&slot_of(p)->remaining, p->body->blocks - from); /* as in describe() */
    announce(p);
    return true;
}

static bool share_rest(struct tweed__walker *w, uint32_t from)
{
    struct tweed__part *p = (struct tweed__part *)w;

    p->ends = NULL; /* those are of the whole loop: shares by number now */
    if (!publish(p, from))
        return false;
    count_indices(p, 0, from);
    TRACE_RUN_BEGIN(p, from);
    return true;
}

/* All blocks are done: takes the loop down. */
static void finish(struct tweed__part *p)
{
    tweed__tsan_acquire(&slot_of(p)->remaining);
    if (unlikely(p->body->manner & TWEED__FIXED)) /* relaxed: looked at where active is set */
        fetch_sub_relaxed(&p->team->fixed, UINT64_C(1) << p->slot);
    /* seq_cst: before the next publisher's look at the flags, see PINNING */
    fetch_and_seq_cst(&p->team->active, ~(UINT64_C(1) << p->slot));
}

/* ---- joining ---- */

static void leave(struct tweed__worker *w, unsigned k)
{
    /* release: pairs with somebody_inside(), whose caller overwrites all this.  weaker:
       release alone would do, since who leaves takes nothing over */
    fetch_sub_acq_rel(&w->seats[k].range.inside, 1);
}

static bool is_live(struct tweed__team *team, unsigned k)
{
    /* seq_cst: after the flag was raised, see PINNING; acquires what publish() has
       released */
    return load_seq_cst(&team->active) >> k & 1;
}

/* Was loop k started inside the loop `ancestor`, directly or not? */
static bool is_inside(struct tweed__team *team, int k, int ancestor)
{
    /* relaxed: a guess, or looked at again when the slot is pinned, see INSIDE.
       So many steps, since what is guessed may go round. */
    for (unsigned n = 0; n < TWEED__SLOTS; n++) {
        int outer = load_relaxed(&team->slots[k].parent);

        if (outer == ancestor)
            return true;
        if (outer < 0)
            return tweed__is_within(team, load_relaxed(&team->slots[k].of_group),
                                    where_of_slot(team, ancestor));
        k = outer;
    }
    return false;
}

/* May the outside caller, which looks, have a part on seat 0?  Where there are jobs others
   from outside may be inside of the same: one of them at most, and not the publisher. */
static bool has_seat_0(struct tweed__worker *w, unsigned k)
{
    /* seq_cst: after the flag was raised: of two who look, one sees the other */
    return !load_relaxed(&w->team->has_jobs) ||
           (load_seq_cst(&w->seats[k].range.inside) == 1 &&
            load_relaxed(&w->team->slots[k].publisher) != 0);
}

/* False if there is no loop (any more), or none that w may have a part in.
   ancestor: only if it was started inside that one; -1: any loop will do. */
static bool join(struct tweed__worker *w, unsigned k, int ancestor)
{
    struct tweed__team *team = w->team;
    struct tweed__slot *slot = &team->slots[k];

    /* seq_cst, all: see PINNING */
    fetch_add_seq_cst(&w->seats[k].range.inside, 1);
    if (!(load_seq_cst(&slot->visited) & visitors(w->index)))
        fetch_or_seq_cst(&slot->visited, visitors(w->index));
    if (is_live(team, k) && (w->index > 0 || has_seat_0(w, k))) {
        tweed__tsan_acquire(slot);
        if ((slot->window.open ||
             window_has(slot->window, team->num_workers, w->index)) &&
            (ancestor < 0 ||
             (is_inside(team, (int)k, ancestor) && is_live(team, k))) &&
            tweed__end_left(&slot->remaining) != 0)
            return true;
    }
    leave(w, k);
    return false;
}

/* ---- taking part ---- */

/* Wakes some of the workers that this loop could use and that still sleep. */
static void pass_on_wakes(struct tweed__part *p)
{
    struct tweed__team *team = p->team;
    struct tweed__slot *slot = slot_of(p);
    int owed = load_relaxed(&slot->wakes_owed); /* relaxed: a figure only */

    /* Subtracted blindly, below zero if need be: of a node that compares and
       swaps one succeeds and all others try again. */
    if (owed > 0)
        owed = fetch_sub_relaxed(&slot->wakes_owed, WAKES);
    if (owed > 0)
        tweed__sleep_pass_on(&team->sleep,
                             wakes(team, slot->window,
                                   owed < WAKES ? owed : WAKES),
                             wake_mask_of(team, slot->window, p->index),
                             tally_of(p));
}

/* What a helper does when it has found the first work in a loop, before it
   begins with it. */
static void found_work(struct tweed__part *p)
{
    wait_found(p->team);
    pass_on_wakes(p);
}

/* A stolen range is about: for those who have just looked, and found nothing. */
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

/* Blocks that were stolen.  A single one is too little to make a range of; of more
   than one a range is made, which is true.  done: blocks that are disposed of. */
TWEED_INLINE_ bool take_home(struct tweed__part *p, uint32_t begin, uint32_t end,
                             uint32_t *done)
{
    struct tweed__walker *w = &p->walker;
    /* seq_cst: a thief that comes late does not begin its one block.  weaker: any order
       would do: what is installed is looked at again, and one block more is allowed */
    if (end > load_seq_cst(&slot_of(p)->cancelled)) { /* all of it: (6) in range.c */
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
    /* exposed first, so that others need not wait for us */
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
   on other nodes, which takes longer than all else, and makes it a holder again with what
   it has found there. */
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

/* Whoever has the last blocks has nobody to steal from. */
TWEED_INLINE_ bool are_done(struct tweed__part *p, uint32_t done, bool by_nodes)
{
    return by_nodes ? tweed__counts_is_over(p, done)
                   : tweed__end_left(&slot_of(p)->remaining) == done;
}

/*
 * Takes part until there is nothing left to take or to steal, and returns what
 * was done.  ready: the owner holds a range.  done: blocks that it has disposed of
 * already.  A helper passes wakes on once it has found work; the caller has done
 * its share of waking.  True: there was work.
 */
TWEED_INLINE_ bool take_part_in(struct tweed__part *p, bool ready, uint32_t done,
                                bool helper, bool by_nodes)
{
    bool returned = false;
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
                      : tweed__victim_steal(p, &begin, &end)))
            break;
        if (helper && done == 0 && !returned)
            found_work(p);
        else
            wait_found(p->team); /* a caller's last look */
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

/* ---- the caller ---- */

/* Helps a loop that was started inside the one that the caller waits for. */
static bool help_inside(struct tweed__part *p)
{
    /* seq_cst: after end_lie_down()'s bit in remaining, with announce()'s bit in active
       and its look at remaining: see THE END in sleep.c */
    uint64_t live = load_seq_cst(&p->team->active);

    for (live &= ~(UINT64_C(1) << p->slot); live; live &= live - 1) {
        int k = __builtin_ctzll(live);

        if (is_inside(p->team, k, p->slot) &&
            tweed__slot_help(p->worker, (unsigned)k, p->slot))
            return true;
    }
    return false;
}

/* The same of a task that was spawned inside. */
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
    bool again; /* it has come back to what it has just left */
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

/* Until all blocks are disposed of. */
static void wait_for_end(struct tweed__part *p)
{
    struct ending end = { .wait = { .team = p->team, .worker = p->worker,
                                    .tally = tally_of(p) }, .p = p };

    tweed__wait(&end.wait, &loop_kind);
}

/* ---- tasks ---- */

static bool open_to_all(struct tweed__part *p)
{
    struct tweed__team *team = p->team;
    struct tweed__window all = { p->index, 0, team->num_workers, true };

    if (team->num_workers == 1 || !find_room(p))
        return false;
    describe(p, all);
    slot_of(p)->by_nodes = false;
    store_relaxed(&slot_of(p)->remaining, 1); /* as in describe() */
    store_relaxed(&slot_of(p)->joins, 0);     /* the same */
    /* the caller's seat has tasks to be stolen: see tweed__slot_was_visited().  Before
       the bit in active, as in join() */
    fetch_or_seq_cst(&slot_of(p)->visited, visitors(p->index));
    look_after_caller(p);
    tweed__tsan_release(slot_of(p));
    fetch_or_seq_cst(&team->active, UINT64_C(1) << p->slot); /* as in announce() */
    return true;
}

bool tweed__slot_open(struct tweed__part *p, int k, void (*fn)(struct tweed__part *p))
{
    bool running BODY_GUARD = false;

    sit_down(p, k);
    if (!open_to_all(p)) {
        p->slot = -1;
        return false;
    }
    running = true;
    tweed__self.here = p;
    p->walker.walk = TWEED__RANGE;
    tally_add(tally_of(p), roots, 1);
    fn(p);
    /* relaxed: whoever still sees 1 finds no task */
    store_relaxed(&slot_of(p)->remaining, 0);
    finish(p);
    running = false;
    tweed__self.here = p->outer;
    tweed__slot_release(slot_of(p));
    return true;
}

bool tweed__slot_was_visited(struct tweed__slot *slot, int worker)
{
    /* relaxed: whoever comes later looks for sleepers when it has something */
    return load_relaxed(&slot->visited) & visitors(worker);
}

/* ---- the caller of a loop ---- */

/* A loop that nobody else has seen was over: so many blocks were executed. */
static void count_alone(struct tweed__part *p, uint32_t n)
{
    tally_add(tally_of(p), loops, 1);
    tally_add(tally_of(p), serial, 1);
    count_indices(p, 0, n);
}

/* The caller, in a slot: all of the loop.  patience_ns: how long it walks the loop
   alone before it shares it; UINT64_MAX: for ever. */
int tweed__slot_run(struct tweed__part *p, int k, uint64_t patience_ns)
{
    struct tweed__walker *w = &p->walker;
    bool running BODY_GUARD = true, shares = patience_ns != UINT64_MAX;
    uint32_t done;

    sit_down(p, k);
    tweed__self.here = p;
    if (patience_ns == 0 && publish(p, 0)) { /* seen: not if the share is empty */
        (void)take_part(p, w->owner.seen != 0, 0, false);
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
        finish(p);
        /* relaxed: acquired with the last return */
        if (unlikely(load_relaxed(&slot_of(p)->cancelled) != TWEED__UNCANCELLED))
            tweed__cancel_collect(p);
    }
    running = false;
    tweed__cursor_learn(w, p->body);
    tweed__self.here = p->outer;
    tweed__slot_release(slot_of(p));
    return TWEED_OK;
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
    leave(w, k);
    return worked;
}

bool tweed__slot_help(struct tweed__worker *w, unsigned k, int ancestor)
{
    return join(w, k, ancestor) && work_in_slot(w, k);
}

bool tweed__slot_help_if(struct tweed__worker *w, unsigned k, int ancestor,
                         bool (*may)(const void *), const void *arg)
{
    if (!join(w, k, ancestor))
        return false;
    if (may(arg))
        return work_in_slot(w, k);
    leave(w, k);
    return false;
}

/* Helps one of these loops; which one: of this one the slot's number. */
static bool help_one(struct tweed__worker *w, uint64_t loops, unsigned *which)
{
    for (; loops; loops &= loops - 1) {
        *which = (unsigned)__builtin_ctzll(loops);
        if (tweed__slot_help(w, *which, -1))
            return true;
    }
    return false;
}

/* The same, from slot `from` on first. */
static bool help_from(struct tweed__worker *w, uint64_t loops, unsigned from,
                      unsigned *which)
{
    return help_one(w, loops & (UINT64_MAX << from), which) ||
           help_one(w, loops & ~(UINT64_MAX << from), which);
}

/* Static loops: each in turn. */
static bool help_fixed(struct tweed__worker *w, uint64_t loops)
{
    unsigned which;

    if (!help_from(w, loops, w->turn, &which))
        return false;
    w->turn = (which + 1) % TWEED__SLOTS;
    return true;
}

/* The slot of one of these loops, each the next: so that of several all get helpers at the
   same time, and each gets them in its turn. */
static unsigned first_slot(const struct tweed__worker *w, uint64_t loops)
{
    unsigned n = ((unsigned)w->index + w->helped) % (unsigned)__builtin_popcountll(loops);

    while (n-- > 0)
        loops &= loops - 1;
    return (unsigned)__builtin_ctzll(loops);
}

/* Other loops. */
static bool help_any(struct tweed__worker *w, uint64_t loops)
{
    bool several = loops & (loops - 1);
    unsigned which;

    if (!help_from(w, loops, unlikely(several) ? first_slot(w, loops) : 0, &which))
        return false;
    w->helped++;
    return true;
}

bool tweed__slot_look(struct tweed__worker *w)
{
    /* seq_cst: after the worker has said that it sleeps (enter() in sleep.c), with
       open_to_all()'s bit and the first spawn's look for sleepers (wake_one() in fork.c),
       which tells nobody if there are none.  Of a loop acquire would do, and relaxed: it
       is announced, and whoever sleeps looks at the event; join() acquires the slot; and
       who misses a bit in fixed finds the loop among the others, and the next time before
       them */
    uint64_t live = load_seq_cst(&w->team->active);
    uint64_t fixed = live & load_relaxed(&w->team->fixed);

    if (unlikely(fixed)) {
        if (help_fixed(w, fixed))
            return true;
        live &= ~fixed;
    }
    return help_any(w, live);
}

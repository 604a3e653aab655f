/*
 * publish.c - a loop is described, dealt out, announced, and taken down again.
 *
 * SPDX-License-Identifier: MIT
 *
 * A loop's WINDOW is the seats that get a share (deal.h).  The publisher writes only these
 * seats.  The INVARIANT that allows it: at the end of a loop every seat is empty (drained,
 * or unclaimed with nothing left).
 *
 * What the caller wrote before the call happens before every body by the release
 * of the bit in active, which a joining worker acquires; the bodies happen before
 * the return by the remaining count (sleep.c).
 */
#include "config.h"

#include "loop/publish.h"
#include "base/fetch.h"
#include "base/text.h"
#include "base/tsan.h"
#include "loop/counts.h"
#include "loop/slot.h"
#include "pool/above.h"

#include <limits.h>

#define WAKES 2 /* how many workers a publisher, or a woken worker, wakes */

/* What this loop is inside of: another loop, or a job.  Loops that their callers still
   walk alone are in no slot, and are passed over. */
static const struct tweed__part *outer_of(const struct tweed__part *p)
{
    const struct tweed__part *outer = p->outer;

    while (outer && outer->team == p->team &&
           outer->walker.walk == TWEED__ALONE)
        outer = outer->outer;
    return outer;
}

/* The slot of the outer loop.  -1: there is none, or it is a job in no slot.
   TWEED__ELSEWHERE: it is in another pool. */
static int parent_of(const struct tweed__part *p, const struct tweed__part *outer)
{
    if (likely(!outer))
        return -1;
    return outer->team == p->team ? outer->slot : TWEED__ELSEWHERE;
}

/* The state of the group of the job that the loop is inside of, if that is nearer than a
   loop; 0: there is none. */
static uint64_t group_state_of(const struct tweed__part *p, const struct tweed__part *outer)
{
    return unlikely(outer != NULL) && outer->team == p->team ? outer->of_group : 0;
}

/* A copy, since a dump may read the name when the caller has left. */
static void copy_name(struct tweed__slot *slot, const char *name)
{
    size_t n = 0;

    for (; n < sizeof slot->name - 1 && name[n]; n++)
        slot->name[n] = name[n];
    slot->name[n] = '\0';
    text_trim(slot->name, sizeof slot->name);
}

/* Writes what each thread that joins reads. */
TWEED_INLINE_ void describe(struct tweed__part *p, struct tweed__window window)
{
    struct tweed__slot *slot = slot_of(p);
    const struct tweed__part *outer = outer_of(p);

    slot->body = *p->body;
    copy_name(slot, p->name ? p->name : "");
    slot->window = window;
    /* relaxed, most: released with the bit in active.  A worker that joins before the
       loop is announced has no wakes to pass on: they would be lost. */
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

/* A share of the blocks from `from` on for each seat of the window, all alike. */
static void deal(struct tweed__part *p, struct tweed__window window,
                 uint32_t from)
{
    struct tweed__team *team = p->team;
    struct tweed__deal each =
        deal_of(NULL, NULL, window, team->num_workers, p->body->blocks - from);
    uint32_t high = 0;

    for (int place = 0; place < window.count; place++) {
        int seat = window_seat(window, team->num_workers, place);
        uint32_t low = high; /* of the blocks that are left */

        high = deal_next(&each);
        give(p, seat, from + low, from + high);
    }
}

static const struct tweed__group *group_of(const struct tweed__part *p, int seat)
{
    return &p->team->groups[p->team->workers[seat]->group];
}

/* Is the loop counted by nodes?  If so all workers will come: sets all bits of `visited`,
   so that the next publisher looks at every worker's flag. */
static bool is_for_nodes(struct tweed__part *p, struct tweed__window window)
{
    /* threads that did not start may leave one group of several nodes */
    if (!p->team->node_counts || p->team->num_groups == 1 ||
        window.count < p->team->num_workers)
        return false;
    store_relaxed(&slot_of(p)->visited, UINT64_MAX); /* relaxed: PINNING in slot.c */
    return true;
}

/* As deal(), of a loop that is dealt by weight, or among CPUs that are not equal, or that
   is counted by nodes. */
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
    /* relaxed: a guess.  Inside of something the calls may be the caller's own */
    others = team_callers(team) > 0 || (!p->outer && load_relaxed(&team->leaving) > 0);
    tweed__affinity_caller(team, others);
}

/* Makes the loop live, announces it, and wakes workers that may help. */
static void announce(struct tweed__part *p)
{
    struct tweed__team *team = p->team;
    struct tweed__slot *slot = slot_of(p);
    struct tweed__window window = slot->window;
    int helpers = window.count - 1;
    int woken = wakes(team, window, helpers < WAKES ? helpers : WAKES);

    if (unlikely(p->body->manner & TWEED__FIXED)) {
        /* relaxed: released by the bit in active.  A sum is as good as an or: only
           the caller that has the slot writes its bit */
        fetch_add_relaxed(&team->fixed, UINT64_C(1) << p->slot);
        woken = INT_MAX;
        helpers = WAKES; /* all are woken here: no wake is owed */
    }
    look_after_caller(p);
    tally_add(tally_of(p), loops, 1);
    tweed__tsan_release(slot);
    /* release: all of the above, to the acquire in is_live() (slot.c).  seq_cst: before
       tweed__state_tell_outer() looks who waits, with the looks at active of help_inside()
       (THE END in sleep.c) and help_loops() in sync.c.  weaker: acq_rel would do on every
       CPU, since the event is changed in between, by a sequentially consistent
       read-modify-write; C11 does not say so */
    fetch_or_seq_cst(&team->active, UINT64_C(1) << p->slot);
    tweed__sleep_tell(&team->sleep);
    /* relaxed: only a number; the futex call orders it for the workers that are woken.  If
       no worker sleeps now no worker is owed a wake, since one that falls asleep later has
       seen the loop.  Then wakes_owed stays 0, and no helper writes its line. */
    if (unlikely(helpers > WAKES) && !tweed__sleep_asleep(&team->sleep))
        helpers = WAKES;
    if (helpers > WAKES) /* else none is owed: describe() has stored 0 */
        store_relaxed(&slot->wakes_owed, helpers - WAKES);
    tweed__sleep_rouse(&team->sleep, woken,
                       wake_mask_of(team, window, p->index), tally_of(p));
    tweed__state_tell_outer(team, p->slot, tally_of(p));
}

/* The window of a static loop: the first seats, always the same ones. */
__attribute__((noinline)) static struct tweed__window
fixed_window(const struct tweed__part *p)
{
    struct tweed__window window =
        partition_window(p->team->num_workers, p->index, p->body->blocks, p->limit, 0);

    check(p->index == 0);
    window.open = false;
    return window;
}

/* Fetches the slot and `active`.  Helpers of the last loop have read these lines, and the
   publisher writes them.  Without the fetches each read-modify-write would wait for its
   line, one after the other.  (If threads are still inside, another slot is taken, and its
   lines come one by one.) */
static void fetch_lines(const struct tweed__part *p)
{
    slot_fetch_to_write(slot_of(p));
    fetch_to_write(&p->team->active);
}

bool tweed__publish_loop(struct tweed__part *p, uint32_t from)
{
    struct tweed__window window;

    fetch_lines(p);
    if (!tweed__slot_find_room(p))
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

bool tweed__publish_root(struct tweed__part *p)
{
    struct tweed__team *team = p->team;
    struct tweed__window all = { p->index, 0, team->num_workers, true };

    if (team->num_workers == 1)
        return false;
    fetch_lines(p);
    if (!tweed__slot_find_room(p))
        return false;
    describe(p, all);
    slot_of(p)->by_nodes = false;
    store_relaxed(&slot_of(p)->remaining, 1); /* as in describe() */
    store_relaxed(&slot_of(p)->joins, 0);     /* the same */
    /* the caller's seat has tasks to be stolen: see tweed__slot_was_visited().  Before
       the bit in active */
    tweed__slot_visit(slot_of(p), p->index);
    look_after_caller(p);
    tweed__tsan_release(slot_of(p));
    /* release: as in announce().  seq_cst: before the first spawn looks for threads that
       wait, and for sleepers (wake_one() in fork.c), with the looks at active of
       help_inside() in work.c, help_loops() in join.c and sync.c, tweed__work_look() */
    fetch_or_seq_cst(&team->active, UINT64_C(1) << p->slot);
    return true;
}

void tweed__publish_end(struct tweed__part *p)
{
    tweed__tsan_acquire(&slot_of(p)->remaining);
    if (unlikely(p->body->manner & TWEED__FIXED)) /* relaxed: read where active is set */
        fetch_sub_relaxed(&p->team->fixed, UINT64_C(1) << p->slot);
    /* seq_cst: before the next publisher's look at the flags: PINNING in slot.c */
    fetch_and_seq_cst(&p->team->active, ~(UINT64_C(1) << p->slot));
}

void tweed__publish_pass_on(struct tweed__part *p)
{
    struct tweed__team *team = p->team;
    struct tweed__slot *slot = slot_of(p);
    int owed = load_relaxed(&slot->wakes_owed); /* relaxed: only a number */

    /* Subtracted blindly, below zero if need be: of many workers that compare and swap
       one succeeds, and all others try again. */
    if (owed > 0)
        owed = fetch_sub_relaxed(&slot->wakes_owed, WAKES);
    if (owed > 0)
        tweed__sleep_pass_on(&team->sleep,
                             wakes(team, slot->window,
                                   owed < WAKES ? owed : WAKES),
                             wake_mask_of(team, slot->window, p->index),
                             tally_of(p));
}

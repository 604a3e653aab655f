/*
 * within.c - what is inside of what, and which threads are woken for it.
 *
 * SPDX-License-Identifier: MIT
 *
 * A thread that waits for a group, or for a loop, helps what is inside of that and
 * nothing else.  So it never executes a task or a body that needs a lock that the thread
 * holds: the group or loop could not end without that lock, whichever thread helps.
 *
 * THE CHAIN.  A group's `inside` leads to the group or the slot in whose task or body
 * the group's first task was spawned.  A slot's `parent` leads to the slot in whose body
 * its loop was started, and its `of_group` to the group in whose task.  A link has the
 * number of uses that its target had (tweed__where).
 *
 * Let a group be synced in the task or body that has made it.  Then that task or body is
 * not over while the group's state is in use.  So each link leads to what is in use, too,
 * and still in the use that the link names.  A group that is synced elsewhere may live
 * longer.  Its link then leads to something that is over: to a group or a slot in another
 * use, or to a slot that is not live.  next_outer() sees that by the number of uses, or by
 * the slot's bit in `active`, and ends the chain there.
 */
#include "config.h"

#include "pool/above.h"
#include "pool/wait.h"
#include "task/state.h"

#define FAR 1024 /* steps at most: a chain that changes meanwhile may be a ring */

struct tweed__group_state *tweed__state_at(struct tweed__team *team, uint32_t index)
{
    struct tweed__group_state *chunk;

    if (index == 0)
        return &team->group_states.submitted;
    /* acquire: with add_chunk() */
    chunk = load_acquire(&team->group_states.chunks[index / TWEED__CHUNK]);
    return chunk ? &chunk[index % TWEED__CHUNK] : NULL;
}

static struct tweed__group_state *group_state_named(struct tweed__team *team, tweed__where it)
{
    return tweed__state_at(team, (uint32_t)it - 1);
}

static tweed__where next_outer(struct tweed__team *team, tweed__where it)
{
    struct tweed__slot *slot;
    struct tweed__group_state *f;
    tweed__where outer;
    int k;

    /* acquire, all: with describe() in publish.c, and tweed__state_new(), which count the
       new use before they write the link.  So the link that was read is of the use that
       is looked at afterwards, or of an earlier one: THE CHAIN.  (No test: the loads
       stand next to each other.) */
    if (where_is_slot(it)) {
        slot = &team->slots[where_number(it)];
        k = load_acquire(&slot->parent);
        outer = k >= 0 ? where_of_slot(team, k) : load_acquire(&slot->of_group);
        /* relaxed, both: a guess, or constant */
        return load_relaxed(&slot->uses) == it >> 32 &&
                       load_relaxed(&team->active) >> where_number(it) & 1
                   ? outer
                   : 0;
    }
    f = group_state_named(team, it);
    if (!f) /* a guess: a group that is newer than all that this thread knows */
        return 0;
    outer = load_acquire(&f->inside);
    return load_relaxed(&f->uses) == it >> 32 ? outer : 0; /* the same */
}

bool tweed__is_within(struct tweed__team *team, tweed__where it, tweed__where outer)
{
    for (int n = 0; it && n < FAR; n++) {
        if (it == outer)
            return true;
        it = next_outer(team, it);
    }
    return false;
}

tweed__where tweed__state_here(struct tweed__team *team)
{
    for (const struct tweed__part *p = tweed__self.here; p && p->team == team; p = p->outer) {
        if (p->of_group)
            return p->of_group;
        /* loops that their callers walk alone are in no slot */
        if (p->slot >= 0 && p->walker.walk != TWEED__ALONE)
            return where_of_slot(team, p->slot);
    }
    return 0;
}

/* Takes the masks of the threads that have said that they sleep.  The caller wakes these
   threads; one that finds nothing sets its mask anew. */
static uint32_t take_masks(struct tweed__group_state *f)
{
    /* seq_cst, both: after the job or loop is public, with lie_down_in_sync().  weaker: of
       the second any order would do, since the first has read the mask */
    if (!(load_seq_cst(&f->flight) & TWEED__MASKS))
        return 0;
    return (uint32_t)((fetch_and_seq_cst(&f->flight, ~TWEED__MASKS) & TWEED__MASKS) >>
                      TWEED__MASK_SHIFT);
}

static uint32_t take_joins(struct tweed__slot *slot)
{
    /* seq_cst, both: as in take_masks(), with lie_down_in_join() */
    return load_seq_cst(&slot->joins) ? exchange_seq_cst(&slot->joins, 0) : 0;
}

void tweed__state_tell(struct tweed__team *team, tweed__where it, struct tweed__tally *tally)
{
    bool some = tweed__wait_are_some(team);
    struct tweed__group_state *f;
    uint32_t masks = 0;

    for (int n = 0; it && n < FAR; n++, it = next_outer(team, it)) {
        if (where_is_slot(it)) {
            struct tweed__slot *slot = &team->slots[where_number(it)];

            tweed__end_hint(&slot->remaining, tally);
            masks |= some ? take_joins(slot) : 0;
        } else if (some && (f = group_state_named(team, it))) {
            masks |= take_masks(f);
        }
    }
    tweed__wait_call(team, masks, tally);
}

void tweed__state_tell_outer(struct tweed__team *team, int k, struct tweed__tally *tally)
{
    /* relaxed, both: the slot is live while the thread is in it */
    int parent = load_relaxed(&team->slots[k].parent);
    tweed__where outer = load_relaxed(&team->slots[k].of_group);

    if (likely(parent < 0 && !outer))
        return;
    tweed__state_tell(team, parent >= 0 ? where_of_slot(team, parent) : outer, tally);
}

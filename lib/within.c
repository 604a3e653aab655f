/*
 * within.c - what is inside of what, and who is told of it.
 *
 * SPDX-License-Identifier: MIT
 *
 * A thread that waits for a family, or for a loop, helps what is inside of it and
 * nothing else.  inside leads from a family to the family, or the slot of the loop, in
 * whose task or body its first task was spawned; parent and family lead on from a slot.
 * The chain of something that is in use is in use itself, where a group is synced in the
 * task, or body, that has made it.  A group that lives longer leads to something that is
 * over: to a family, or a slot, of another use, or a slot that is not live.  That is
 * noticed.
 */
#include "config.h"

#include "family.h"
#include "wait.h"

#define FAR 1024 /* steps of a chain that are gone; a torn one might be a circle */

struct tweed__family *tweed__family_at(struct tweed__team *team, uint32_t index)
{
    struct tweed__family *chunk;

    if (index == 0)
        return &team->families.submitted;
    /* acquire: with add_chunk() */
    chunk = load_acquire(&team->families.chunks[index / TWEED__CHUNK]);
    return chunk ? &chunk[index % TWEED__CHUNK] : NULL;
}

static struct tweed__family *family_named(struct tweed__team *team, tweed__where it)
{
    return tweed__family_at(team, (uint32_t)it - 1);
}

static tweed__where next_outer(struct tweed__team *team, tweed__where it)
{
    struct tweed__slot *slot;
    struct tweed__family *f;
    tweed__where outer;
    int k;

    /* acquire, all: with describe() in slot.c, and tweed__family_new(), which count the new use
       before they write what that is inside of.  So what was read is of the use that is looked
       at afterwards, or of an earlier one: see above.  (No test: the loads stand next to each
       other.) */
    if (where_is_slot(it)) {
        slot = &team->slots[where_number(it)];
        k = load_acquire(&slot->parent);
        outer = k >= 0 ? where_of_slot(team, k) : load_acquire(&slot->family);
        /* relaxed, both: a guess, or constant */
        return load_relaxed(&slot->uses) == it >> 32 &&
                       load_relaxed(&team->active) >> where_number(it) & 1
                   ? outer
                   : 0;
    }
    f = family_named(team, it);
    if (!f) /* what was guessed is newer than all that this thread knows */
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

tweed__where tweed__family_here(struct tweed__team *team)
{
    for (const struct tweed__part *p = tweed__self.here; p && p->team == team; p = p->outer) {
        if (p->family)
            return p->family;
        /* loops that their callers walk alone are nowhere to be seen */
        if (p->slot >= 0 && p->walker.walk != TWEED__ALONE)
            return where_of_slot(team, p->slot);
    }
    return 0;
}

/* The masks of those who have said that they sleep: they are to be called, and say so anew
   if they find nothing. */
static uint32_t take_masks(struct tweed__family *f)
{
    /* seq_cst, both: after what is public, with lie_down_in_sync().  weaker: of the second
       any order would do, since the first has read the bit */
    if (!(load_seq_cst(&f->flight) & TWEED__MASKS))
        return 0;
    return (uint32_t)((fetch_and_seq_cst(&f->flight, ~TWEED__MASKS) & TWEED__MASKS) >>
                      TWEED__MASK_SHIFT);
}

static uint32_t take_joins(struct tweed__slot *slot)
{
    /* seq_cst, both: the same with lie_down_in_join() */
    return load_seq_cst(&slot->joins) ? exchange_seq_cst(&slot->joins, 0) : 0;
}

void tweed__family_tell(struct tweed__team *team, tweed__where it, struct tweed__tally *tally)
{
    bool some = tweed__wait_are_some(team);
    struct tweed__family *f;
    uint32_t masks = 0;

    for (int n = 0; it && n < FAR; n++, it = next_outer(team, it)) {
        if (where_is_slot(it)) {
            struct tweed__slot *slot = &team->slots[where_number(it)];

            tweed__end_hint(&slot->remaining, tally);
            masks |= some ? take_joins(slot) : 0;
        } else if (some && (f = family_named(team, it))) {
            masks |= take_masks(f);
        }
    }
    tweed__wait_call(team, masks, tally);
}

void tweed__family_tell_outer(struct tweed__team *team, int k, struct tweed__tally *tally)
{
    /* relaxed, both: the slot is live while the thread is in it */
    int parent = load_relaxed(&team->slots[k].parent);
    tweed__where outer = load_relaxed(&team->slots[k].family);

    if (likely(parent < 0 && !outer))
        return;
    tweed__family_tell(team, parent >= 0 ? where_of_slot(team, parent) : outer, tally);
}

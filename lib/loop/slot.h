/*
 * slot.h - the life of a slot, and which threads are inside it.
 *
 * SPDX-License-Identifier: MIT
 *
 * The rule that a worker inside pins the slot: slot.c.
 */
#ifndef TWEED_LIB_SLOT_H
#define TWEED_LIB_SLOT_H

#include "base/fetch.h"
#include "base/tsan.h"
#include "pool/team.h"

/* 1: a thread looks at the slots of all pools, and reports how far loops are. */
extern _Atomic uint32_t tweed__slot_watched;

/* A free slot, tried from `hint` on; -1: all are in use. */
int tweed__slot_acquire(struct tweed__team *team, unsigned hint);

/* Gives a slot back. */
void tweed__slot_release(struct tweed__slot *slot);

/* The caller's part, which has a slot: goes to a slot in which no thread is any more, its
   own slot or another.  False: there is none, and the part keeps its slot. */
bool tweed__slot_find_room(struct tweed__part *p);

/* Was the loop in slot k started inside the one in slot `ancestor`, directly or not? */
bool tweed__slot_is_inside(struct tweed__team *team, int k, int ancestor);

/* The lines of a slot from its beginning to `visited`, which is needed first, and that of
   the count: a publisher writes them, and threads inside read them. */
static inline void slot_fetch_to_write(const struct tweed__slot *slot)
{
    fetch_all_to_write(slot, &slot->visited);
    fetch_to_write(&slot->remaining);
}
static inline void slot_fetch_to_read(const struct tweed__slot *slot)
{
    const char *at = (const char *)&slot->visited;

    for (; at >= (const char *)slot; at -= TWEED__FETCHED)
        fetch_to_read(at);
    fetch_to_read(&slot->remaining);
}

/* Worker w may look into slot k next: fetches the lines of the slot, all together. */
void tweed__slot_fetch(struct tweed__worker *w, unsigned k);

/* Worker w pins slot k, until it leaves.  False, and nothing is pinned: there is no loop,
   or none that w may have a part in.  ancestor: only if the loop was started inside the
   one in that slot; -1: any loop will do. */
bool tweed__slot_join(struct tweed__worker *w, unsigned k, int ancestor);
void tweed__slot_leave(struct tweed__worker *w, unsigned k);

/* Notes that this worker has been in the slot, or that its seat has work for others. */
void tweed__slot_visit(struct tweed__slot *slot, int worker);

/* May this worker, or one of its group in `visited`, have been in the slot in this use? */
bool tweed__slot_was_visited(struct tweed__slot *slot, int worker);

/* The part takes its worker's seat in slot k. */
static inline void sit_down(struct tweed__part *p, int k)
{
    struct tweed__owner *o = &p->walker.owner;
    struct tweed__seat *seat = &p->worker->seats[k];

    tweed__tsan_acquire(p->team); /* the seat's memory, of the thread that made the team */
    p->slot = k;
    o->range = &seat->range;
    o->tally = &seat->tally;
    o->cancelled = &p->team->slots[k].cancelled;
}

#endif

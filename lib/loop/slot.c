/*
 * slot.c - the life of a slot, and which threads are inside it.
 *
 * SPDX-License-Identifier: MIT
 *
 * A slot is a descriptor and a seat for each worker, used for one loop after
 * another and never freed while the pool lives.  Its life:
 *
 *      free --acquire--> taken --publish--> live --end--> taken --release--> free
 *
 *   taken  one caller owns the slot (slot->taken); no other thread relies on what is inside
 *   live   the slot's bit in team->active is set; workers may join
 *
 * publish.c makes a slot live and ends that; work.c has what threads do in it.
 *
 * PINNING.  A worker that joins raises the flag `inside` on its own seat, then
 * looks again whether the slot is live, and leaves if not.  (The flag is a count: on
 * seat 0 any number of outside callers may be looking, and one of them has a part.)
 * A publisher takes a slot only if, the slot being not live, no flag is up:
 *
 *     worker:     inside <- 1;       active?         (tweed__slot_join)
 *     publisher:  active &= ~bit;    inside?         (tweed__publish_end, then the
 *                                                     next tweed__slot_find_room)
 *
 * all four sequentially consistent.  Either the publisher sees the flag and
 * takes another slot, or the worker's store came after that look, so after the
 * clearing of the bit.  Then the worker's second look sees no live loop, or the next
 * loop in it, and the worker joins that loop as any other worker does.  So no thread
 * carries a range word, or half a steal, from one loop into the next: a straggler that
 * dozed through the end of its loop would otherwise steal from the next one before it
 * has claimed its own new share, install its loot over that share, and lose it.
 *
 * The publisher looks at all flags before it writes the first share, since a thief
 * steals a share without asking whether its owner is inside.
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
 * any thread, after the worker had seen it or set it, the flag was up before: the
 * publisher sees the flag.  If not, the worker sets the bit after that, so the worker
 * looks at `active` after that too, and joins the next loop, or none; and the next
 * publisher gets the bit.  A publisher that finds a flag up puts the bits back.
 *
 * Where workers are on several nodes and all have a share, the publisher sets all bits
 * itself, before the loop is live: all workers would come and set them, one after the
 * other on one line.  The publisher has looked at the flags by then, and a worker that
 * sets its bit meanwhile finds it set.  A worker that sees the publisher's bit has looked
 * before the exchange of the next publisher, which gets the bit as if the worker had set
 * it.
 *
 * A dump (dump.c) pins the slot in the same way, by the count `readers`, and so does the
 * thread that reports progress (progress.c).
 *
 * INSIDE A LOOP.  A thread that waits for the end of a loop helps the loops that were
 * started in its bodies, and in the bodies of those, and no other.  A body of such a loop
 * cannot need a lock that the waiting thread holds, or the loop that the thread waits for
 * would never come to its end.  `parent` leads from a loop to the loop that it was
 * started in.  The helper pins the slot, walks the chain, and then looks whether the loop
 * is live once more: a loop that is live has live ancestors, so none of the slots on the
 * chain was reused meanwhile.  A worker helps on its own seat, and the outside caller on
 * seat 0: a chain has one outermost loop, so one outside caller.  The helper has no part
 * in the loop yet, for all loops on its stack are ancestors of that loop.
 * A thread that sleeps until its loop ends is woken for a loop inside as for a stolen
 * range: by the bit in the remaining count of the loop that it waits for (sleep.c).
 *
 * A SEAT'S TALLY, and what the seat has of an early end, are written by the worker that
 * has a part, or by the caller that has the slot taken, each on its own seat; the exchange
 * and the release on `taken` order one such caller after the other.  The caller also takes
 * away, after the end, what is on all seats of an early end.
 */
#include "config.h"

#include "loop/slot.h"
#include "base/fetch.h"
#include "base/tsan.h"
#include "pool/above.h"

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

/* Fetches the lines of the workers that may have been there, all together: the publisher
   looks at them and may write them. */
static void fetch_seats(struct tweed__team *team, unsigned k, uint64_t visited)
{
    for (int w = 0; w < team->num_workers; w++)
        if (visited & visitors(w))
            fetch_to_write(&team->workers[w]->seats[k].range.S);
}

/* Is the flag of any worker up that may have been in the slot? */
__attribute__((noinline)) static bool is_a_flag_up(struct tweed__team *team, unsigned k)
{
    struct tweed__slot *slot = &team->slots[k];
    /* seq_cst, all: see somebody_inside() */
    uint64_t visited = exchange_seq_cst(&slot->visited, 0);

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

    /* seq_cst, all here: after the clearing of the bit in tweed__publish_end(), see
       PINNING; the looks at the flags also acquire what the worker, or the dump, did
       before it left */
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
    store_release(&slot->taken, 0); /* pairs with the exchange in tweed__slot_acquire() */
}

void tweed__slot_visit(struct tweed__slot *slot, int worker)
{
    /* seq_cst: before the look at active, or the bit there: see PINNING */
    if (!(load_seq_cst(&slot->visited) & visitors(worker)))
        fetch_or_seq_cst(&slot->visited, visitors(worker));
}

bool tweed__slot_was_visited(struct tweed__slot *slot, int worker)
{
    /* relaxed: a worker that comes later looks for sleepers when it has something */
    return load_relaxed(&slot->visited) & visitors(worker);
}

bool tweed__slot_find_room(struct tweed__part *p)
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

/* ---- joining ---- */

void tweed__slot_leave(struct tweed__worker *w, unsigned k)
{
    /* release: pairs with somebody_inside(), whose caller overwrites all this.  weaker:
       release alone would do, since the thread that leaves takes nothing over */
    fetch_sub_acq_rel(&w->seats[k].range.inside, 1);
}

static bool is_live(struct tweed__team *team, unsigned k)
{
    /* seq_cst: after the flag was raised, see PINNING; acquires what the publisher
       has released in announce(), or tweed__publish_root() */
    return load_seq_cst(&team->active) >> k & 1;
}

bool tweed__slot_is_inside(struct tweed__team *team, int k, int ancestor)
{
    /* relaxed: a guess, or looked at again when the slot is pinned, see INSIDE.
       So many steps at most, since a chain that is guessed may be a ring. */
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

/* May the outside caller that looks have a part on seat 0?  Where there are jobs several
   threads from outside may look: one of them at most may have a part, and none if the
   publisher is on that seat. */
static bool has_seat_0(struct tweed__worker *w, unsigned k)
{
    /* seq_cst: after the flag was raised: of two threads that look, one sees two flags */
    return !load_relaxed(&w->team->has_jobs) ||
           (load_seq_cst(&w->seats[k].range.inside) == 1 &&
            load_relaxed(&w->team->slots[k].publisher) != 0);
}

void tweed__slot_fetch(struct tweed__worker *w, unsigned k)
{
    fetch_to_write(&w->seats[k].range.S);
    slot_fetch_to_read(&w->team->slots[k]);
}

bool tweed__slot_join(struct tweed__worker *w, unsigned k, int ancestor)
{
    struct tweed__team *team = w->team;
    struct tweed__slot *slot = &team->slots[k];

    /* seq_cst, all: see PINNING */
    fetch_add_seq_cst(&w->seats[k].range.inside, 1);
    tweed__slot_visit(slot, w->index);
    if (is_live(team, k) && (w->index > 0 || has_seat_0(w, k))) {
        tweed__tsan_acquire(slot);
        if ((slot->window.open ||
             window_has(slot->window, team->num_workers, w->index)) &&
            (ancestor < 0 ||
             (tweed__slot_is_inside(team, (int)k, ancestor) && is_live(team, k))) &&
            tweed__end_left(&slot->remaining) != 0)
            return true;
    }
    tweed__slot_leave(w, k);
    return false;
}

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
 * looks again whether the slot is live, and leaves if not.  A publisher takes a
 * slot only if, the slot being not live, no flag is up:
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
 * A dump (dump.c) pins the slot in the same way, by the count `readers`.
 *
 * WHO MAY WRITE A SEAT'S TALLY: the worker inside, or the caller that has the
 * slot taken, on its own seat; the exchange and the release on `taken` order one
 * such caller after the other.
 *
 * What the caller wrote before the call happens before every body by the release
 * of the bit in active, which a joining worker acquires; the bodies happen before
 * the return by the remaining count (sleep.c).
 */
#include "config.h"

#include "slot.h"
#include "tsan.h"
#include "victim.h"

#include <string.h>

#define WAKES 2 /* how many workers a publisher, or a woken worker, wakes */

static bool somebody_inside(struct tweed__team *team, unsigned slot,
                            struct tweed__window window)
{
    /* these lines are written next, if all is well: once over, not twice */
    for (int w = window.first; w < window.first + window.count; w++)
        __builtin_prefetch(&team->workers[w]->seats[slot].range.S, 1);
    /* seq_cst, both: after finish()'s clearing of the bit, see PINNING; they also
       acquire what the worker, or the dump, did before it left */
    if (load_seq_cst(&team->slots[slot].readers))
        return true;
    for (int w = 0; w < team->num_workers; w++)
        if (load_seq_cst(&team->workers[w]->seats[slot].range.inside))
            return true;
    return false;
}

int tweed__slot_acquire(struct tweed__team *team, unsigned hint,
                        struct tweed__window window)
{
    for (unsigned n = 0; n < TWEED__SLOTS; n++) {
        unsigned k = (hint + n) % TWEED__SLOTS;
        struct tweed__slot *slot = &team->slots[k];

        /* relaxed: a look before the exchange; which acquires, and pairs with
           the release in tweed__slot_release() */
        if (load_relaxed(&slot->taken) || exchange_seq_cst(&slot->taken, 1))
            continue;
        if (!somebody_inside(team, k, window))
            return (int)k;
        tweed__slot_release(slot);
    }
    return -1;
}

void tweed__slot_release(struct tweed__slot *slot)
{
    store_release(&slot->taken, 0); /* pairs with acquire's exchange */
}

static struct tweed__owner owner_of(struct tweed__worker *w, unsigned slot)
{
    struct tweed__seat *seat = &w->seats[slot];
    struct tweed__owner o = { .range = &seat->range,
                              .body = &w->team->slots[slot].body,
                              .tally = &seat->tally,
                              .asymmetric = w->team->asymmetric };

    return o;
}

/* Publishes a loop with the caller w's own share already claimed for it: owner
   is left ready for tweed__range_work(). */
static void publish(struct tweed__worker *w, unsigned k,
                    const struct tweed__body *body, const char *name,
                    struct tweed__window window, struct tweed__owner *owner)
{
    struct tweed__team *team = w->team;
    struct tweed__slot *slot = &team->slots[k];
    uint32_t places = (uint32_t)window.count, end = 0;

    check(window.count > 1);
    slot->body = *body;
    slot->name[0] = '\0';
    if (name) /* copied: a dump may read it when the caller has left */
        strncat(slot->name, name, sizeof slot->name - 1);
    slot->window = window;
    store_relaxed(&slot->publisher, w->index); /* a figure for team_spin_ns() */
    for (uint32_t p = 0; p < places; p++) {
        int index = window.first + (int)p;
        uint32_t begin = end;

        end = partition_begin(body->blocks, p + 1, places);
        if (index == w->index)
            tweed__range_install(owner, begin, end);
        else
            tweed__range_share(&team->workers[index]->seats[k].range, begin,
                               end);
    }
    /* relaxed, both: released with the bit below.  Whoever joins before the loop
       is announced has no wakes to pass on: they would be lost. */
    store_relaxed(&slot->remaining, body->blocks);
    store_relaxed(&slot->wakes_owed, 0);
    tally_add(owner->tally, loops, 1);
    tweed__tsan_release(slot);
    /* release: all of the above, to join()'s acquire.  weaker: acq_rel would do, it
       is sequentially consistent only because its sibling in finish() is */
    fetch_or_seq_cst(&team->active, UINT64_C(1) << k);
    tweed__sleep_tell(&team->sleep);
    /* relaxed: a figure; the call that wakes orders it for those who are woken */
    store_relaxed(&slot->wakes_owed, window.count - 1 - WAKES);
    tweed__sleep_rouse(&team->sleep,
                       wakes(team, window,
                             window.count - 1 < WAKES ? window.count - 1 : WAKES),
                       wake_mask_of(window, w->index), owner->tally);
}

/* All blocks are done: takes the loop down and gives the slot back. */
static void finish(struct tweed__worker *w, unsigned k)
{
    struct tweed__team *team = w->team;
    struct tweed__slot *slot = &team->slots[k];

    tweed__tsan_acquire(&slot->remaining);
    /* seq_cst: before the next publisher's look at the flags, see PINNING */
    fetch_and_seq_cst(&team->active, ~(UINT64_C(1) << k));
    tweed__slot_release(slot);
}

static void leave(struct tweed__worker *w, unsigned k)
{
    /* release: pairs with somebody_inside(), whose caller overwrites all this */
    store_release(&w->seats[k].range.inside, 0);
}

/* False if there is no loop (any more), or none that w may have a part in. */
static bool join(struct tweed__worker *w, unsigned k)
{
    struct tweed__team *team = w->team;
    struct tweed__slot *slot = &team->slots[k];

    /* seq_cst, both: see PINNING.  The load acquires the descriptor, too. */
    (void)exchange_seq_cst(&w->seats[k].range.inside, 1);
    if (load_seq_cst(&team->active) >> k & 1) {
        if (window_has(slot->window, w->index) &&
            tweed__end_left(&slot->remaining)) {
            tweed__tsan_acquire(slot);
            return true;
        }
    }
    leave(w, k);
    return false;
}

/* A worker that has found work wakes up to WAKES others, so that waking a large
   pool takes the caller no longer than waking a small one. */
static void pass_on_wakes(struct tweed__worker *w, unsigned k)
{
    struct tweed__team *team = w->team;
    struct tweed__slot *slot = &team->slots[k];
    int owed = load_relaxed(&slot->wakes_owed); /* relaxed: a figure only */

    /* Subtracted blindly, below zero if need be: of a crowd that compares and
       swaps one succeeds and all others try again. */
    if (owed > 0)
        owed = fetch_sub_relaxed(&slot->wakes_owed, WAKES);
    if (owed > 0)
        tweed__sleep_pass_on(&team->sleep,
                             wakes(team, slot->window,
                                   owed < WAKES ? owed : WAKES),
                             wake_mask_of(slot->window, w->index),
                             &w->seats[k].tally);
}

/* What a helper does when it has found the first work in a loop, before it
   begins with it. */
static void found_work(struct tweed__worker *w, unsigned k)
{
    tweed__worker_awakes(w);
    pass_on_wakes(w, k);
}

/* A stolen range is about: for those who have just looked, and found nothing. */
static void tell_others(struct tweed__worker *w, unsigned k)
{
    struct tweed__slot *slot = &w->team->slots[k];
    struct tweed__tally *tally = &w->seats[k].tally;

    tweed__sleep_hint(&w->team->sleep, &w->seats[k].range,
                      wakes(w->team, slot->window, 1),
                      wake_mask_of(slot->window, w->index), tally);
    if (load_relaxed(&slot->publisher) != w->index)
        tweed__end_hint(&slot->remaining, tally);
}

static void count_indices(struct tweed__owner *o, uint32_t first, uint32_t n)
{
    tally_add(o->tally, indices,
              body_offset(o->body, first + n) - body_offset(o->body, first));
}

/* Runs the range that the owner holds until it is drained. */
static uint32_t run_range(struct tweed__owner *o)
{
    uint32_t n = tweed__range_work(o);

    count_indices(o, o->first, n);
    return n;
}

/* Runs a single stolen block: too little to make a range of. */
static uint32_t run_block(struct tweed__owner *o, uint32_t block)
{
    body_run(o->body, block, 1);
    count_indices(o, block, 1);
    return 1;
}

/*
 * Takes part until there is nothing left to take or to steal, and returns what
 * was done.  ready: o holds a range.  A helper passes wakes on once it has found
 * work; the caller has done its share of waking.  True: there was work.
 */
static bool take_part(struct tweed__worker *w, unsigned k,
                      struct tweed__owner *o, bool ready, bool helper)
{
    struct tweed__slot *slot = &w->team->slots[k];
    uint64_t *seed = &tweed__self.seed;
    uint32_t done = 0, begin, end;

    if (helper && ready)
        found_work(w, k);
    for (;;) {
        if (ready)
            done += run_range(o);
        /* whoever has the last blocks has nobody to steal from */
        if (tweed__end_left(&slot->remaining) == done ||
            !tweed__victim_steal(w, k, seed, &begin, &end))
            break;
        if (helper && done == 0)
            found_work(w, k);
        ready = end - begin > 1;
        if (ready) { /* exposed first, so that others need not wait for us */
            tweed__range_install(o, begin, end);
            tell_others(w, k);
        } else {
            done += run_block(o, begin);
        }
    }
    if (done) {
        tweed__tsan_release(&slot->remaining);
        (void)tweed__end_return(&slot->remaining, done, o->tally);
    }
    return done > 0;
}

void tweed__slot_run(struct tweed__worker *w, unsigned k,
                     const struct tweed__body *body, const char *name,
                     struct tweed__window window)
{
    struct tweed__context here = { w->team, w->index, w->node,
                                   tweed__self.here };
    struct tweed__owner owner = owner_of(w, k);
    struct tweed__slot *slot = &w->team->slots[k];
    bool running BODY_GUARD = true;

    publish(w, k, body, name, window, &owner);
    tweed__self.here = &here;
    (void)take_part(w, k, &owner, true, false);
    while (!tweed__end_wait(&slot->remaining, team_spin_ns(w->team),
                            owner.tally))
        (void)take_part(w, k, &owner, false, false);
    running = false;
    finish(w, k);
    tweed__self.here = here.outer;
}

bool tweed__slot_help(struct tweed__worker *w, unsigned k)
{
    struct tweed__context here = { w->team, w->index, w->node, NULL };
    struct tweed__owner owner = owner_of(w, k);
    bool running BODY_GUARD = false;
    bool worked;

    if (!join(w, k))
        return false;
    tweed__self.here = &here;
    running = true;
    worked = take_part(w, k, &owner, tweed__range_claim(&owner), true);
    running = false;
    tweed__self.here = NULL;
    leave(w, k);
    return worked;
}

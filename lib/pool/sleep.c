/*
 * sleep.c - the event count, and the end of a loop.
 *
 * SPDX-License-Identifier: MIT
 *
 * To SHOW a range is to make it visible in sequentially consistent order
 * (tweed__range_show()).  To TELL is to raise `event` (tweed__sleep_tell()).  To WAKE is a
 * futex call.  To ANNOUNCE is to tell, then to wake sleepers (tweed__sleep_announce()).
 *
 * THE EVENT COUNT.  A worker that finds no work must sleep, and must not sleep
 * through work that came while the worker was making up its mind:
 *
 *     worker                              publisher
 *       t <- event          (ticket)        make the loop visible
 *       look for work, find none            event++                 (tell)
 *       spin or yield: event == t?          any waiters asleep?
 *       waiters++           (enter)           yes: futex_wake(event)
 *       look for work once more
 *       while event == t:   (wait)        thief with a range to expose
 *           futex_wait(event, t)            expose it
 *       waiters--           (leave)         show it; any waiters?   (hint)
 *                                             yes: announce
 *
 * No loop is slept through.  If the publisher's look at waiters sees the worker, the
 * publisher wakes it.  If not, the worker's waiters++ came after that look, so after
 * event++; then the worker's next look at event (the kernel's own, too) sees that event !=
 * t.  That is Dekker's argument, so the four accesses are sequentially consistent.  And if
 * event was raised before the worker took its ticket, acquiring the ticket shows the loop.
 *
 * No installed range is slept through.  The thief's loot was out of sight between the
 * steal and the exposing, so a worker may have looked at every seat and found nothing.
 * Dekker again: either hint's look at waiters sees the worker, or the worker's enter came
 * after that look, so after the range was shown; then the worker's second look, at the
 * range word itself, sees the range.  Hint is no read-modify-write of waiters: at a
 * thousand workers all thieves would queue up for that line.
 *
 * If event is raised exactly 2^32 times between a worker's ticket and its wait, the worker
 * sleeps through these events, and not through the next one.  No loop but a static one
 * needs a certain worker, and the loop's caller finishes it alone if need be.  A static
 * loop then waits for the next event.
 *
 * Waking is a tree: the publisher wakes one or two workers, and each woken worker that
 * has found work wakes two more (pass_on), so the caller pays for two.  The publisher
 * owes these wakes only after event++: a worker that was woken before would find event ==
 * t, and sleep on.
 *
 * Waking is selective.  A loop that is limited to some workers wakes these, by futex bit
 * sets.  Workers 16 apart share a bit.  So on larger pools some more workers are woken
 * than are meant, or others in their place; then fewer help, and nothing is lost.
 *
 * Where workers are on several nodes (counts.c) one worker of a node is counted in
 * `waiters` for all of that node, so that the workers need not write that line one after
 * the other: in the upper half while any worker of the node looks, in the lower while
 * any is asleep.
 *
 * THE END.  Every participant subtracts the blocks that it has done from the remaining
 * count, release; the caller acquires the zero: all bodies happen before the return.  A
 * caller that sleeps says so by a bit in the same word.  So the participant that brings
 * the count to zero learns of the sleeper in the same operation, and no other participant
 * needs to look:
 *
 *     participant                         caller
 *       old <- remaining -= done            remaining |= CALLER_ASLEEP
 *       if count(old) == done               look for work once more
 *          and CALLER_ASLEEP in old:        while count(remaining) != 0
 *            futex_wake(remaining)                and CALLER_ASLEEP in remaining:
 *                                               futex_wait(remaining, as seen)
 *     thief with a range to expose
 *       expose it, show it
 *       CALLER_ASLEEP in remaining?
 *           old <- remaining &= ~CALLER_ASLEEP
 *           if CALLER_ASLEEP in old:
 *               futex_wake(remaining)
 *
 * A thread that starts a loop, or a run of tasks, inside the loop that the caller waits for
 * does as the thief does: the new bit in `active` is in the place of the range (publish.c).
 *
 * Returns and bit are read-modify-writes of one word, so they have one order.  If the
 * zero comes before the bit, the caller sees the zero and does not sleep.  If the zero
 * comes after the bit, the last participant wakes the caller.  For the thief's range the
 * argument is that of hint and enter.  The word is never freed while the pool lives, so a
 * late wake at worst disturbs the next loop's caller, which looks again.
 *
 * `remaining` is a count, not a barrier: no caller waits for a worker that has nothing to
 * do.  At every moment it is the sum of the blocks in the ranges, and of those that were
 * claimed or stolen, and not yet returned.
 * A participant returns what it has done when it finds nothing more to claim or to steal,
 * or little is left to others.
 */
#include "config.h"

#include "pool/sleep.h"
#include "base/self.h"
#include "log/trace.h"
#include "pool/worker.h"
#include "system/system.h"

#include <limits.h>

#define LOOKING (UINT32_C(1) << 16)
#define ASLEEP_COUNT (LOOKING - 1)

struct tweed__awake tweed__awake[TWEED__AWAKE_PARTS];
_Atomic int tweed__awake_parts = 1;

static void wake(_Atomic uint32_t *word, int n, uint32_t mask,
                 struct tweed__tally *tally)
{
    int woken;

    tally_add(tally, wakes, 1);
    woken = tweed__futex_wake(word, n, mask);
    (void)woken; /* where there are no traces */
    TRACE_WAKE(n, woken);
}

uint32_t tweed__sleep_ticket(struct tweed__sleep *z)
{
    return load_acquire(&z->event); /* pairs with tell()'s increment */
}

/* The first worker of a node that looks counts itself for all of them, and the last one
   that stops takes that 1 away.  So `waiters` may have 1 too many, or lack 1, for a
   moment; the two changes cancel out.  relaxed, all: a worker that a publisher misses
   here looks again after enter() */
void tweed__sleep_look(struct tweed__sleep *z, _Atomic uint32_t *looking)
{
    if (!looking || fetch_add_relaxed(looking, 1) == 0)
        fetch_add_relaxed(&z->waiters, LOOKING);
}

void tweed__sleep_look_away(struct tweed__sleep *z, _Atomic uint32_t *looking)
{
    if (!looking || fetch_sub_relaxed(looking, 1) == 1)
        fetch_sub_relaxed(&z->waiters, LOOKING);
}

bool tweed__sleep_is_deep(struct tweed__sleep *z)
{
    uint32_t waiters = load_relaxed(&z->waiters); /* a guess */

    return waiters && waiters < LOOKING;
}

uint32_t tweed__sleep_asleep(struct tweed__sleep *z)
{
    /* seq_cst: after the caller's tell(), with enter(): a worker that is missed here looks
       at event afterwards.  weaker: any order would do, since a worker that is missed, and
       sleeps, has no part in one loop.  In wake_one() (fork.c) the load comes after a
       look at the same word, so it misses no worker that was there then */
    return load_seq_cst(&z->waiters) & ASLEEP_COUNT;
}

void tweed__sleep_enter(struct tweed__sleep *z)
{
    /* seq_cst: before wait()'s look at event, with tell()'s increment and rouse()'s
       look at waiters; and before the second look at the ranges, with show() and
       hint()'s look at waiters */
    fetch_add_seq_cst(&z->waiters, 1);
}

void tweed__sleep_leave(struct tweed__sleep *z)
{
    /* relaxed: a publisher that still counts the worker makes a call that wakes none */
    fetch_sub_relaxed(&z->waiters, 1);
}

/* Counts the thread as asleep.  Returns the time, for wake_up(). */
static uint64_t fall_asleep(struct tweed__tally *tally)
{
    tally_add(tally, sleeps, 1);
    awake_add(awake_part(tweed__self.worker), -1);
    TRACE_SLEEP_BEGIN();
    return tweed__clock();
}

/* Counts the thread as awake, and how long it slept. */
static void wake_up(uint64_t start, struct tweed__tally *tally)
{
    TRACE_SLEEP_END();
    awake_add(awake_part(tweed__self.worker), 1);
    tally_add(tally, idle_ns, tweed__clock() - start);
}

void tweed__sleep_wait(struct tweed__sleep *z, uint32_t ticket, uint32_t mask, uint64_t ns,
                       struct tweed__tally *tally)
{
    uint64_t start;

    /* see enter().  weaker: acquire would do, for the kernel looks again, after a
       full barrier */
    if (load_seq_cst(&z->event) != ticket)
        return;
    start = fall_asleep(tally);
    if (ns)
        tweed__futex_wait_for(&z->event, ticket, mask, ns);
    else
        do
            tweed__futex_wait(&z->event, ticket, mask);
        /* pairs with the increment in tell().  weaker: relaxed would do, for a new ticket
           is taken */
        while (load_acquire(&z->event) == ticket);
    wake_up(start, tally);
}

void tweed__sleep_tell(struct tweed__sleep *z)
{
    /* seq_cst, as the load in rouse(): with enter() and wait()'s look at event.
       The increment also releases the work to workers that acquire event. */
    fetch_add_seq_cst(&z->event, 1);
}

void tweed__sleep_rouse(struct tweed__sleep *z, int n, uint32_t mask,
                        struct tweed__tally *tally)
{
    if (load_seq_cst(&z->waiters) & ASLEEP_COUNT) { /* see tell() */
        wake(&z->event, n, mask, tally);
    }
}

void tweed__sleep_announce(struct tweed__sleep *z, int n, uint32_t mask,
                           struct tweed__tally *tally)
{
    tweed__sleep_tell(z);
    tweed__sleep_rouse(z, n, mask, tally);
}

void tweed__sleep_call(struct tweed__sleep *z, uint32_t masks, struct tweed__tally *tally)
{
    tweed__sleep_tell(z);
    wake(&z->event, INT_MAX, masks, tally);
}

void tweed__sleep_hint(struct tweed__sleep *z, struct tweed__range *exposed,
                       int n, uint32_t mask, struct tweed__tally *tally)
{
    tweed__range_show(exposed);
    /* seq_cst: after show(), see above */
    if (load_seq_cst(&z->waiters))
        tweed__sleep_announce(z, n, mask, tally);
}

void tweed__sleep_pass_on(struct tweed__sleep *z, int n, uint32_t mask,
                          struct tweed__tally *tally)
{
    /* relaxed: workers that fall asleep later have seen the announcement */
    if (load_relaxed(&z->waiters) & ASLEEP_COUNT) {
        wake(&z->event, n, mask, tally);
    }
}

bool tweed__end_return(_Atomic uint32_t *remaining, uint32_t done,
                       struct tweed__tally *tally)
{
    tally_add(tally, returns, 1);
    /* release: the participant's bodies, to end_has_come()'s acquire.  acquire: so that
       the last participant passes the others' bodies on as well.  weaker: release would
       do, for the thread that reads the last return reads all of its release sequence */
    uint32_t old = fetch_sub_acq_rel(remaining, done);

    check((old & ~TWEED__CALLER_ASLEEP) >= done);
    if ((old & ~TWEED__CALLER_ASLEEP) != done)
        return false;
    if (old & TWEED__CALLER_ASLEEP) {
        wake(remaining, 1, UINT32_MAX, tally);
    }
    return true;
}

void tweed__end_hint(_Atomic uint32_t *remaining, struct tweed__tally *tally)
{
    /* seq_cst: after hint()'s show(), see above */
    if (!(load_seq_cst(remaining) & TWEED__CALLER_ASLEEP))
        return;
    /* acq_rel: for its place among those in lie_down().  weaker: any order would do: the
       load above has read the bit, so that this load, and show() before it, come before
       the caller's next fetch_or, and that before the caller's next look */
    if (fetch_and_acq_rel(remaining, ~TWEED__CALLER_ASLEEP) &
        TWEED__CALLER_ASLEEP) {
        wake(remaining, 1, UINT32_MAX, tally);
    }
}

bool tweed__end_has_come(_Atomic uint32_t *remaining)
{
    return (load_acquire(remaining) & ~TWEED__CALLER_ASLEEP) == 0; /* with end_return() */
}

bool tweed__end_lie_down(_Atomic uint32_t *remaining)
{
    /* seq_cst: before the caller's last look at the ranges, see hint(); acquires
       the returns before it */
    return (fetch_or_seq_cst(remaining, TWEED__CALLER_ASLEEP) & ~TWEED__CALLER_ASLEEP) != 0;
}

void tweed__end_sleep(_Atomic uint32_t *remaining, struct tweed__tally *tally)
{
    uint32_t now = load_acquire(remaining); /* as tweed__end_has_come() */
    uint64_t start;

    if (now <= TWEED__CALLER_ASLEEP) /* no blocks, or no bit */
        return;
    start = fall_asleep(tally);
    do {
        tweed__futex_wait(remaining, now, UINT32_MAX);
        now = load_acquire(remaining); /* as tweed__end_has_come() */
    } while (now > TWEED__CALLER_ASLEEP);
    wake_up(start, tally);
}

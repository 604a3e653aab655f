/*
 * wait.c - how a thread waits: the one place.
 *
 * SPDX-License-Identifier: MIT
 *
 * A worker waits for work; the caller of a loop for its end (slot.c); a join for one task
 * (fork.c); a sync, or a drain, for the last task of a family (sync.c); and
 * tweed_run_until() for a condition (sync.c).  All wait in this order:
 *
 *     1  ticket <- event
 *     2  over?              then that is all
 *     3  help               one thing; then 1
 *     4  spin               over?  event != ticket?  then 1
 *     5  say so             the thread sleeps, to whoever has to wake it.  over?  then 1
 *     6  help               one thing; the thread does not sleep, says so, and begins
 *     7  sleep              unless event != ticket, or the word has changed
 *     8  say so             it does not sleep any more; then 1
 *
 * A. NOTHING IS BETWEEN two looks at the end but one thing to do.  So nobody waits for
 *    longer than for what it waits for, and one such thing.
 *
 * B. A THREAD OWES NOTHING while it helps with something else, spins or sleeps.  What it
 *    owes are ends of tasks that it has not told anybody of yet (jobs.c).  Somebody could
 *    wait for these in what it helps with, and it for that.
 *
 * C. NOBODY SLEEPS THROUGH an end, or through something that it may help with.  What can be
 *    seen before 1 is found in 3, or nobody has it to give away any more.  For what comes
 *    later there is 5, and 6:
 *
 *        sleeper:  says so;  looks        teller:  makes it public;  did anybody say so?
 *
 *    Store buffering, all sequentially consistent.  The sleeper finds it in 6, or the teller
 *    sees that somebody sleeps, and wakes.  Where sleepers say so, and who looks there:
 *
 *        worker     waiters (sleep.c, crowd.c)    whoever has something for any worker
 *        run_until  the same                      the same, of tasks; it also polls
 *        loop       a bit of `remaining`          whoever returns the last block, and
 *                                                 whoever has something inside the loop
 *        family     masks in `flight`             the last task, and whoever has something
 *                                                 inside the family
 *        join       WAITING in the record's state the thief: at the end, and at each
 *                                                 spawn for which it was asked
 *                   masks of the slot             whoever has a loop inside of the slot's
 *                                                 tasks
 *
 *    A hint takes the bit away by a read-modify-write of the same word as the one that has
 *    set it, and wakes all that it stands for.  So a bit is either there, or those who have
 *    set it were woken.  Whoever lies down sets its bit anew.  An end wakes all whose bits it
 *    finds in the read-modify-write that makes it one.
 *
 *    Between the ticket and the sleep the event may change because of something else: then
 *    the thread looks once more.  Whoever wakes those who sleep on the event raises it
 *    first, so whoever has said so, and does not sleep yet, does not.
 *
 * D. NOBODY IS WOKEN for what it may not do.  Of a futex's 32 bits workers have 16, threads
 *    that wait for something of their own 15, and run_until one.  Work for any worker wakes
 *    workers, and a task run_until; the others are woken by what they have said alone.
 *
 * E. A WORKER THAT WAS WOKEN for a job (jobs.c), and finds a loop first, wakes another one, if
 *    there is a job still: `woken`.  So a job does not wait for the end of that loop.  The same
 *    goes for a thread that was woken in run_until, and returns: tweed__jobs_leave().
 *
 * `waiting` counts those of the third and fourth row, so that a spawner needs not look at the
 * words of all that its task is inside of while nobody sleeps there.  It is raised before
 * they say so, and lowered after it: C holds for both together.
 */
#include "config.h"

#include "wait.h"
#include "seam.h"

#include <limits.h>

/* Looks between two readings of the clock; as PATIENCE in range.c. */
#ifndef SPINS_A_CLOCK
#define SPINS_A_CLOCK 16
#endif

/* ---- spinning ---- */

/* So many looks.  True: it is over, or something was announced: *announced. */
static bool look_often(struct tweed__wait *w, bool *announced)
{
    for (int n = 0; n < SPINS_A_CLOCK; n++) {
        if (w->kind->is_over_soon && w->kind->is_over_soon(w))
            return true;
        *announced = tweed__sleep_ticket(&w->team->sleep) != w->ticket;
        if (*announced)
            return true;
        tweed__pause();
    }
    return false;
}

/* True: it is over, or there may be something to do.  But where others publish a lot a thread
   that may do none of it does not spin for ever. */
static bool spin_for(struct tweed__wait *w, uint64_t spin_ns, uint64_t now)
{
    bool announced = false, seen;

    if (!w->since || w->kind->is_idle)
        w->since = now;
    do
        seen = look_often(w, &announced);
    while (!seen && tweed__clock() - w->since < spin_ns);
    if (seen && announced && !w->kind->is_idle)
        return tweed__clock() - w->since < spin_ns;
    return seen;
}

static bool spin_a_while(struct tweed__wait *w)
{
    uint64_t spin_ns = team_spin_ns(w->team), start;
    struct tweed__sleep *z = &w->team->sleep;
    bool seen;

    if (!spin_ns)
        return false;
    start = tweed__clock();
    if (w->kind->is_idle)
        tweed__sleep_look(z, looking_of(w->worker));
    TRACE_SPIN_BEGIN();
    seen = spin_for(w, spin_ns, start);
    TRACE_SPIN_END();
    if (w->kind->is_idle)
        tweed__sleep_look_away(z, looking_of(w->worker));
    tally_add(w->tally, idle_ns, tweed__clock() - start);
    w->waited = true;
    return seen;
}

/* ---- sleeping ---- */

static void stop_dozing(struct tweed__wait *w)
{
    tweed__self.dozes = NULL;
    if (w->kind->get_up)
        w->kind->get_up(w);
}

static bool help_once(struct tweed__wait *w)
{
    bool helped = w->kind->help(w);

    w->waited = false;
    if (helped)
        w->since = 0;
    else
        tweed__self.woken = NULL; /* there is nothing to wake another one for */
    return helped;
}

/* The thread has said so. */
static void doze_off(struct tweed__wait *w)
{
    int outside = !tweed__self.worker && !w->kind->is_idle;

    tweed__self.dozes = w;
    if (!help_once(w)) {
        fetch_add_relaxed(&tweed__awake, outside); /* it is not among those counted */
        w->kind->sleep(w);
        fetch_sub_relaxed(&tweed__awake, outside);
        w->waited = true;
        stop_dozing(w);
    } else if (tweed__self.dozes == w) { /* what it did was nothing of the program's */
        stop_dozing(w);
    }
}

void tweed__wait(struct tweed__wait *w, const struct tweed__wait_kind *kind)
{
    w->kind = kind;
    w->since = 0;
    w->waited = false;
    for (;;) {
        w->ticket = tweed__sleep_ticket(&w->team->sleep);
        if (kind->is_over(w))
            break;
        if (!help_once(w) && !spin_a_while(w) && kind->lie_down(w))
            doze_off(w);
    }
}

/* A thread that was woken for a task does something else: it wakes another one. */
static void wake_next(struct tweed__team *team)
{
    void (*wake_another)(struct tweed__team *) = tweed__self.woken;

    tweed__self.woken = NULL;
    if (wake_another)
        wake_another(team);
}

void tweed__wait_found(struct tweed__team *team)
{
    if (tweed__self.dozes)
        stop_dozing(tweed__self.dozes);
    wake_next(team);
}

/* ---- those who wait for any job, and have no crowd ---- */

bool tweed__wait_lie_down(struct tweed__wait *w)
{
    tweed__sleep_enter(&w->team->sleep);
    return true;
}

void tweed__wait_get_up(struct tweed__wait *w)
{
    tweed__sleep_leave(&w->team->sleep);
}

/* ---- those who wait for something of their own ---- */

void tweed__wait_enter(struct tweed__wait *w)
{
    /* seq_cst: before the last look, with are_some() */
    fetch_add_seq_cst(&w->team->sleep.waiting, 1);
}

void tweed__wait_leave(struct tweed__wait *w)
{
    /* relaxed: a teller that still counts it looks in vain */
    fetch_sub_relaxed(&w->team->sleep.waiting, 1);
}

void tweed__wait_on_event(struct tweed__wait *w)
{
    tweed__sleep_wait(&w->team->sleep, w->ticket, wait_mask(w->worker->index), 0, w->tally);
}

bool tweed__wait_are_some(struct tweed__team *team)
{
    return load_seq_cst(&team->sleep.waiting); /* with enter() */
}

void tweed__wait_call(struct tweed__team *team, uint32_t masks, struct tweed__tally *tally)
{
    if (masks)
        tweed__sleep_call(&team->sleep, masks, tally);
}

/*
 * wait.c - how a thread waits for loops and tasks: looks, helps, spins or yields, says so, sleeps.
 *
 * SPDX-License-Identifier: MIT
 *
 * A worker waits for work (thread.c), and so does the runner (runner.c); the caller of a
 * loop for its end (work.c); a join for one task (join.c); a sync, or a drain, for the
 * last task of a group (sync.c); and tweed_pool_run_until() for a condition (sync.c).
 * What a thread waits for is its END here.  Three waits help with nothing, and do not come
 * here: for a short lock (lock.h), for callers that leave a pool which ends (team.c), and
 * for a report of progress (progress.c).  The others go in this order, of which
 * tweed__wait_briefly() has 2, 1 and 4 alone:
 *
 *     1  ticket <- event
 *     2  over?              then that is all
 *     3  help               with one thing; then 1
 *     4  spin, or yield     event != ticket?  then 1.  Spinning: over?  then 1
 *     5  say so             the thread says in a word that it sleeps.  Loop, sync and
 *                           join: over?  then 1
 *     6  help               with one thing: the thread takes 5 back, then begins
 *     7  sleep              unless event != ticket, or the word has changed
 *     8  take back          the thread does not sleep any more; then 1
 *
 * A. A THREAD DOES ONE THING between two looks at its end.  So its wait lasts no longer
 *    than until its end has come, and the one thing is done.
 *
 * B. A THREAD OWES NOTHING while it helps with something else, spins or sleeps.  A thread
 *    owes the returns of tasks that it has executed and not yet taken from their group's
 *    count (session.c).  Else another thread might wait for these tasks in what this
 *    thread helps with, so that the two would wait for each other.
 *
 * C. NO THREAD SLEEPS THROUGH its end, or through WORK: anything that it may help with.
 *    Work that was public before 1 is found in 3, unless another thread has taken it.  For
 *    an end that comes, or work that is published, after 1 there are 5 and 6:
 *
 *        sleeper                             waker
 *          says so in a word                   makes the work public, or the end come
 *          looks for work, and at its end      did any thread say so?  then wakes it
 *
 *    Store buffering, all four sequentially consistent: the sleeper finds the work in 6,
 *    or the waker sees that the sleeper sleeps, and wakes it.  The words, by the kind of
 *    the wait (worker_kind in thread.c, and so on):
 *
 *        sleeper    says so in                 the waker that looks there
 *        worker     waiters (sleep.c, counts.c) a thread that has work for any worker
 *        runner     waiters (sleep.c)          a thread that has a job
 *        until      waiters (sleep.c)          a thread that has a task; the sleeper also
 *                                              polls its condition
 *        loop       a bit of `remaining`       the thread that returns the last block, and
 *                                              threads with work inside the loop
 *        sync       masks in `flight`          the thread that ends the last task, and
 *                                              threads with work inside the group
 *        join       WAITING in the record      the thief: at the end, and at each spawn
 *                                              for which it was asked
 *                   masks of the slot          a thread that starts a loop inside of the
 *                                              slot's tasks, and a spawn of a run that was
 *                                              started there
 *
 *    `waiters` is a count, which the sleeper itself lowers.  Of a loop, a sync and a join
 *    a waker with work takes the bit away by a read-modify-write of the word in which the
 *    sleeper has set it, and wakes all threads that the bit stands for.  So either the bit
 *    is there, or the threads that have set it were woken.  A thread that lies down again
 *    sets its bit anew.  A waker that makes an end come finds the bits in the
 *    read-modify-write that makes it come, and wakes the threads of all of these.  Worker
 *    and runner learn of their end, the pool's, by the event.
 *
 *    A waker of threads that sleep on the event raises the event first.  So a
 *    thread that has said so, and is not asleep yet, does not fall asleep.  If the event
 *    changes between a thread's ticket and its sleep for another reason, the thread looks
 *    once more.
 *
 * D. NO THREAD IS WOKEN for work that it may not do.  Of a futex's 32 bits workers have
 *    16, threads that wait for an end 15, and run_until one.  Work for any worker wakes
 *    workers, and a task run_until; the other threads are woken by their own words alone.
 *
 * E. A WORKER THAT WAS WOKEN for a job (waking.c), and finds a loop first, wakes another
 *    worker, if there is a job still: `woken`.  So the job does not wait for the end of
 *    that loop.  The same goes for a thread that was woken in run_until, and returns:
 *    tweed__jobs_leave().
 *
 * Which work a thread may help with, before it sleeps too, is up to its kind's help():
 * doc/protocol.md has the table.
 *
 * `waiting` counts the threads of the rows sync and join: a spawner looks at the words
 * of all that its task is inside of only while some sleep there.  `waiting` is raised
 * before a thread says so in its word, and lowered after the thread has taken that back:
 * C holds for both words together.
 */
#include "config.h"

#include "pool/wait.h"
#include "system/system.h"

#include <limits.h>

/* Looks between two readings of the clock; as PATIENCE in glance.c. */
#ifndef SPINS_A_CLOCK
#define SPINS_A_CLOCK 16
#endif

/* How often a worker gives its CPU away before it sleeps, where there are more threads than
   CPUs.  If no other thread wants the CPU, that costs less than a spin. */
#ifndef YIELDS /* a checker takes 1 */
#define YIELDS 16
#endif

/* ---- spinning ---- */

/* So many looks.  True: the wait is over, or something was announced: *announced. */
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

bool tweed__wait_briefly(struct tweed__wait *w, const struct tweed__wait_kind *kind,
                         uint64_t ns)
{
    bool announced = false;
    uint64_t start;

    w->kind = kind;
    if (kind->is_over(w))
        return true;
    if (!ns || !team_spin_ns(w->team))
        return false;
    /* no sleep follows: the ticket ends the spin early, and no more */
    w->ticket = tweed__sleep_ticket(&w->team->sleep);
    start = tweed__clock();
    while (!look_often(w, &announced) && tweed__clock() - start < ns)
        ;
    return kind->is_over(w);
}

/* True: the wait is over, or there may be something to do.  A thread that finds nothing
   it may do, however much is announced, spins for spin_ns in all and not for ever. */
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

/* Where spinning would take the CPU of a thread that works.  A worker that slept at once
   would have to be woken for the next task.  True: something was announced. */
static bool yield_often(struct tweed__wait *w)
{
    bool announced = false;

    for (int n = 0; n < YIELDS && !announced; n++) {
        tweed__yield();
        announced = tweed__sleep_ticket(&w->team->sleep) != w->ticket;
    }
    return announced;
}

static bool spin_a_while(struct tweed__wait *w)
{
    uint64_t spin_ns = team_spin_ns(w->team), start;
    struct tweed__sleep *z = &w->team->sleep;
    bool seen;

    if (!w->team->spin_ns || (!spin_ns && !w->kind->is_idle))
        return false;
    start = tweed__clock();
    if (w->kind->is_idle)
        tweed__sleep_look(z, looking_of(w->worker));
    TRACE_SPIN_BEGIN();
    seen = spin_ns ? spin_for(w, spin_ns, start) : yield_often(w);
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
        tweed__self.woken = NULL; /* there is no job to wake another thread for */
    return helped;
}

/* The thread has said that it sleeps. */
static void doze_off(struct tweed__wait *w)
{
    bool outside = !tweed__self.worker && !w->kind->is_idle;

    tweed__self.dozes = w;
    if (!help_once(w)) {
        if (outside) /* tweed__awake lacks these threads; sleep() takes 1 away for any */
            awake_add(0, 1);
        w->kind->sleep(w);
        if (outside)
            awake_add(0, -1);
        w->waited = true;
        stop_dozing(w);
    } else if (tweed__self.dozes == w) { /* the thread helped, and executed nothing */
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

/* A thread that was woken for a task does something else: it wakes another thread. */
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

/* ---- threads that wait for any job, and are counted one by one ---- */

bool tweed__wait_lie_down(struct tweed__wait *w)
{
    tweed__sleep_enter(&w->team->sleep);
    return true;
}

void tweed__wait_get_up(struct tweed__wait *w)
{
    tweed__sleep_leave(&w->team->sleep);
}

/* ---- threads that wait for an end of their own ---- */

void tweed__wait_enter(struct tweed__wait *w)
{
    /* seq_cst: before the last look, with are_some() */
    fetch_add_seq_cst(&w->team->sleep.waiting, 1);
}

void tweed__wait_leave(struct tweed__wait *w)
{
    /* relaxed: a waker that still counts the thread looks in vain */
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

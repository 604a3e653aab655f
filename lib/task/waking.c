/*
 * waking.c - which threads are woken when a job is public.
 *
 * SPDX-License-Identifier: MIT
 *
 * WAKING.  A thread that has made a job public, here the spawner, looks whether any worker
 * sleeps:
 *
 *     spawner                                sleeper
 *       job public                             waiters++
 *       any waiters?                           waking <- 0
 *       waking is 0?  waking <- 1, announces   any job?
 *
 * All are sequentially consistent.  No job is slept through:
 *  - If the sleeper's last look misses the job, the spawner's look at waiters comes after
 *    waiters++, and sees the sleeper.
 *  - If the spawner then finds waking = 1, another thread set this 1 after the sleeper's
 *    0, and announces after that.  The announcement keeps the sleeper from sleeping, or
 *    wakes it (sleep.c).
 * So waking is 1 from an announcement until a woken worker is about to look, and other
 * spawners wake no worker meanwhile.  The spawner that sets waking wakes two workers, if
 * there is a CPU for each thread, else one: if one of two gets no CPU there is the other.
 * Should none of them come, each 128th spawn of a thread wakes as many more.  A worker
 * that finds a job, and leaves others behind, wakes the next worker.  A thread in
 * tweed_pool_run_until() may be woken, find its condition true, and return: it sets waking
 * to 0, and wakes others if there is a job.  Threads that wait for the end of something
 * are woken as wait.c says.
 */
#include "config.h"

#include "task/waking.h"
#include "pool/above.h"
#include "pool/affinity.h"
#include "pool/wait.h"
#include "task/queue.h"

#ifndef JOB_WAKES   /* a checker takes 1: so the woken worker has to wake the next */
#define JOB_WAKES 2 /* how many workers are woken where there is a CPU for each thread */
#endif

void tweed__jobs_tell_all(struct tweed__team *team)
{
    struct tweed__tally none;

    memset(&none, 0, sizeof none); /* not counted */
    tweed__wait_call(team, UINT32_MAX, &none);
    /* relaxed: a loop that is not live any more is disturbed at worst */
    for (uint64_t live = load_relaxed(&team->active); live; live &= live - 1)
        tweed__end_hint(&team->slots[__builtin_ctzll(live)].remaining, &none);
}

/* A job is public: the threads that wait for what the job is inside of may help. */
static void tell_waiting(struct tweed__team *team, const struct tweed__inside *in,
                         struct tweed__tally *tally)
{
    if (unlikely(in->slot >= 0 || tweed__wait_are_some(team)))
        tweed__state_tell(team, in->it, tally);
}

/* One spawn of so many wakes another worker, though the workers that were woken last have
   not come: they may get no CPU. */
#define SPAWNS_A_WAKE 128

/* Shall the caller wake workers?  Not while others that were woken are on their way. */
static bool has_to_wake(struct tweed__team *team)
{
    /* seq_cst, both: see WAKING.  weaker: of the exchange acq_rel would do, since the
       sleeper that sets waking to 0 after it acquires the job by that */
    return !load_seq_cst(&team->waking) ? !exchange_seq_cst(&team->waking, 1)
                                        : ++tweed__self.quiet % SPAWNS_A_WAKE == 0;
}

/* Is there a CPU for each of the team's threads?  If not, two workers that are woken are
   in each other's way: empty tasks of a group took twice as long. */
static bool has_cpu_each(const struct tweed__team *team)
{
    return (team->num_workers - 1) * INT64_C(1000) <= team->capacity;
}

/* Wakes threads that sleep and could execute any job. */
static void wake_some(struct tweed__team *team, struct tweed__tally *tally)
{
    if (!has_to_wake(team))
        return;
    /* Else a worker that is woken might wait for the caller's CPU.  A caller in a body or
       a task has made way before.  relaxed: a guess; one of the calls that `leaving`
       counts is the caller's own */
    if (!team_worker(team) && team->affinity && !tweed__self.here)
        tweed__affinity_caller(team, team_callers(team) > 0 ||
                                      load_relaxed(&team->leaving) > 1);
    tweed__sleep_announce(&team->sleep, has_cpu_each(team) ? JOB_WAKES : 1,
                          TWEED__WAKE_WORKERS | TWEED__WAKE_UNTIL, tally);
}

void tweed__jobs_tell(struct tweed__team *team, const struct tweed__inside *in)
{
    struct tweed__tally none, *tally;
    bool sleeps = load_seq_cst(&team->sleep.waiters); /* see WAKING */

    if (likely(!sleeps && in->slot < 0 && !tweed__wait_are_some(team)))
        return;
    tally = tally_here(team);
    if (!tally) {
        memset(&none, 0, sizeof none); /* wakes from outside are not counted */
        tally = &none;
    }
    tell_waiting(team, in, tally);
    if (sleeps)
        wake_some(team, tally);
}

/* Are there jobs that no thread has taken, as far as can be seen from here?  While any
   thread sleeps, also in other deques: a spawner may have left that thread asleep, since
   the caller had been woken. */
static bool are_more(struct tweed__team *team)
{
    if (tweed__queue_count(team))
        return true;
    for (int i = 0; i < team->num_workers && tweed__sleep_asleep(&team->sleep); i++)
        if (tweed__deque_peek(&team->workers[i]->jobs) >= 0) /* seq_cst: after `waking` */
            return true;
    return false;
}

/* The caller was woken for a job and does something else. */
static void hand_on(struct tweed__team *team)
{
    const struct tweed__inside nothing = { 0, -1 };

    /* seq_cst: as in tweed__jobs_tell() */
    if (load_seq_cst(&team->sleep.waiters) && are_more(team))
        tweed__jobs_tell(team, &nothing);
}

void tweed__jobs_awake(struct tweed__team *team)
{
    /* A look first: all threads read that line.  seq_cst: before the look for jobs, see
       WAKING.  weaker: acq_rel would do: the woken thread sees 0, or sets it, before it
       says again that it sleeps, and a spawner whose job it has missed acquires that */
    if (load_relaxed(&team->waking) && exchange_seq_cst(&team->waking, 0))
        tweed__self.woken = hand_on;
}

void tweed__jobs_leave(struct tweed__team *team)
{
    tweed__jobs_awake(team);
    tweed__self.woken = NULL;
    hand_on(team); /* in any case: the thread may have met a locked queue */
}

void tweed__jobs_pass_on(struct tweed__session *s)
{
    const struct tweed__inside nothing = { 0, -1 };

    tweed__self.woken = NULL; /* the thread was woken for a job, and has one */
    wait_found(s->worker->team);
    if (s->leaves_some || are_more(s->worker->team))
        tweed__jobs_tell(s->worker->team, &nothing);
}

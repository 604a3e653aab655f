/*
 * jobs.c - tasks of groups, and submitted ones: where they lie, and what executes them.
 *
 * SPDX-License-Identifier: MIT
 *
 * A job is such a task: 64 bytes, its group (state.c), a function, and up to 48 bytes
 * that the function is given.  A worker puts the jobs that it spawns into a deque of its
 * own (deque.c), all of which is public: a job costs two compare-and-swaps there, and as
 * many updates of its group's count.  A thread that takes a job copies the job out, so
 * the place is free at once.  An outside caller uses the deque of worker 0, if no other
 * caller does just then: that caller is the deque's GUEST.  All other jobs go into the
 * submission queue (queue.c).
 *
 * session.c has the deque, and the execution of jobs; waking.c, which threads are woken.
 *
 * WHERE A WORKER LOOKS, when there is no loop: the last job of its own deque; a portion of
 * the submission queue; the first job of another deque, near ones first.  A portion of the
 * queue lasts longer than what a worker can steal from another worker's portion
 * (doc/experiments.md has both orders).  One look of DEQUES_FIRST begins with the other
 * deques: else no worker would come to them while tasks are submitted without end.  No
 * worker takes more before its own deque is empty: so there are never many more jobs than
 * the depth-first walk of each worker has.
 *
 * A THREAD THAT WAITS for a group or a loop executes only jobs that are inside of that
 * (within.c).  Of its own deque the thread takes the last job, of another deque the first
 * job, if that job is inside.  The thread looks before it steals, and once more at its
 * copy.
 *
 * Jobs that are not inside may hide some that are.  A deque is SPLIT at its first job of
 * another group than the jobs before.  Below the split no job hides another: these jobs
 * are all inside, or none is.  So the thread that waits carries the last jobs of its own
 * deque, down to the split, to the submission queue.  Before the thread sleeps, it also
 * carries the first jobs of each other deque that is split.  In the queue each group has
 * a list, so every thread finds the jobs that it waits for.  The thread carries some jobs
 * at a time, and looks after each time whether its wait is over (wait.c).  So no thread
 * sleeps while a job that it waits for lies behind others.  And a backlog of one group
 * stays where it is, unless jobs of other groups lay in the same deque, and thieves have
 * taken these.
 *
 * PATIENCE.  A thief whose job took no time comes back at once, and the line with the
 * first and the last job goes to and fro: the spawner then waits longer for that line than
 * its jobs take.  So a worker lets PATIENCE_NS pass between two takings from the queue or
 * from other deques, where there is a CPU for each thread.  Meanwhile jobs gather, and the
 * worker takes more of them together.
 */
#include "config.h"

#include "task/jobs.h"
#include "base/number.h"
#include "base/tsan.h"
#include "log/trace.h"
#include "loop/victim.h"
#include "pool/above.h"
#include "system/system.h"
#include "task/queue.h"
#include "task/waking.h"

#include <errno.h>

#define PORTION 32  /* the most jobs that are taken from the submission queue at once */
#define LOOT 16     /* the most jobs that are stolen at once */
#define SHARE 16    /* a thief takes one job of so many: of a tree the first are large */
#define PATIENCE_NS 1000
#define DEQUES_FIRST 16 /* one look of so many begins with other workers' deques */

/* Puts jobs that were taken together into the thread's own deque, the first of them last.
   The jobs were out of sight: wakes threads that have looked meanwhile. */
static void keep(struct tweed__session *s, struct tweed__job *jobs, uint32_t n)
{
    struct tweed__team *team = s->worker->team;

    while (n-- > 0) {
        struct tweed__group_state *f = group_of_job(&jobs[n]);
        struct tweed__inside in = inside_of(&jobs[n]);

        if (!tweed__jobs_push(s->worker, &jobs[n]) && !tweed__queue_put_copy(team, &jobs[n], true))
            tweed__jobs_run(s, &jobs[n]); /* without memory there is no other way */
        else if (n == 0 || group_of_job(&jobs[n - 1]) != f) /* once for each group */
            tweed__jobs_tell(team, &in);
    }
}

/* ---- jobs that are not in the own deque ---- */

/* Not with more threads than CPUs: another thread could use the CPU meanwhile. */
static bool is_patient(const struct tweed__session *s)
{
    return has_deque(s->worker) && !s->takes_one && team_spin_ns(s->worker->team);
}

static void wait_a_little(const struct tweed__session *s)
{
    const struct tweed__worker *w = s->worker;

    if (is_patient(s))
        while (tweed__clock() - w->took < PATIENCE_NS)
            tweed__pause();
}

static void has_taken(const struct tweed__session *s)
{
    if (is_patient(s))
        s->worker->took = tweed__clock();
}

/* To a trace, which has an outside thread by its number. */
__attribute__((cold, noinline)) static void
trace_steal(const struct tweed__session *s, const struct tweed__worker *victim, uint32_t n)
{
    int saved = errno;

    tweed__trace_job_steal(s->worker->team->number, s->worker->index,
                           tweed__self.worker ? -1 : tweed__number(), victim->index,
                           !is_near(s->worker, victim), n);
    errno = saved;
}

/* Steals one job of each `share` that are there, but `most` at most; how many. */
static uint32_t steal_some(struct tweed__session *s, struct tweed__worker *victim,
                           uint32_t share, uint32_t most, struct tweed__job *jobs)
{
    struct tweed__deque *d = &victim->jobs;
    uint32_t at, n = tweed__deque_steal_some(d, share, most, &at);

    if (n == 0)
        return 0;
    has_taken(s);
    tweed__tsan_acquire(&d->word);
    for (uint32_t i = 0; i < n; i++)
        job_copy(&jobs[i], job_in(&d->records[at + i]));
    tweed__deque_copied(d, n);
    s->leaves_some |= tweed__deque_has_public(d);
    if (is_near(s->worker, victim))
        tally_add(s->tally, tasks_stolen_near, n);
    else
        tally_add(s->tally, tasks_stolen_far, n);
    TRACE_IF(TRACES, PROBE3(task_steal, s->worker->index, victim->index,
                               !is_near(s->worker, victim)),
             trace_steal(s, victim, n));
    return n;
}

/* Steals some: *job is the first, the others go into the thief's own deque. */
static bool steal_from(struct tweed__session *s, struct tweed__worker *victim,
                       uint32_t most, struct tweed__job *job)
{
    struct tweed__job jobs[LOOT];
    uint32_t n = steal_some(s, victim, SHARE, most, jobs);

    if (n == 0)
        return false;
    keep(s, jobs + 1, n - 1);
    job_copy(job, &jobs[0]);
    return true;
}

/* ---- any deque, and the queue ---- */

/* What a thief wants. */
struct wish {
    struct tweed__session *s;
    tweed__where outer; /* what the job is to be inside of; not used for any job */
    struct tweed__job *job;
    enum tweed__found found;
};

/* Does the deque belong to another thread?  That of worker 0 may be another caller's. */
static bool is_victim(const struct tweed__session *s, const struct tweed__worker *w)
{
    return w != s->worker || !has_deque(w);
}

static bool take_first(struct tweed__worker *victim, void *arg)
{
    const struct wish *wish = arg;
    struct tweed__session *s = wish->s;

    return is_victim(s, victim) &&
           steal_from(s, victim, has_deque(s->worker) && !s->takes_one ? LOOT : 1,
                      wish->job);
}

/* Puts jobs of one group into the submission queue, for the threads that wait for them, or
   have nothing to do. */
static void put_back(struct tweed__session *s, const struct tweed__job *jobs, uint32_t n)
{
    struct tweed__team *team = s->worker->team;
    struct tweed__inside in = inside_of(&jobs[0]);
    struct tweed__job mine;

    if (tweed__queue_put_copies(team, jobs, n, true)) {
        tweed__jobs_tell(team, &in);
        return;
    }
    for (uint32_t i = 0; i < n; i++) { /* without memory there is no other way */
        job_copy(&mine, &jobs[i]);
        tweed__jobs_run(s, &mine);
    }
}

static bool is_within(struct tweed__session *s, struct tweed__group_state *f, tweed__where outer)
{
    return f && (where_of_group(f) == outer ||
                 tweed__is_within(s->worker->team, where_of_group(f), outer));
}

/* Of jobs that were taken *wish->job becomes one that is inside; the others go into the
   submission queue.  False: none is inside. */
static bool sort_out(const struct wish *wish, const struct tweed__job *jobs, uint32_t n)
{
    bool found = false;

    for (uint32_t i = 0, end; i < n; i = end) {
        struct tweed__group_state *f = group_of_job(&jobs[i]);

        end = i + 1;
        if (!found && is_within(wish->s, f, wish->outer)) {
            job_copy(wish->job, &jobs[i]);
            found = true;
            continue;
        }
        while (end < n && group_of_job(&jobs[end]) == f)
            end++;
        put_back(wish->s, &jobs[i], end - i);
    }
    return found;
}

/* Carries the first jobs of another deque, if they may hide jobs behind them. */
static void carry(struct wish *wish, struct tweed__worker *victim)
{
    struct tweed__job jobs[LOOT];
    uint32_t n;

    /* relaxed: acquired with the job that was looked at, or with a later one */
    if (!tweed__self.dozes || load_relaxed(&victim->split) == TWEED__WHOLE)
        return;
    n = steal_some(wish->s, victim, 2, LOOT, jobs);
    if (n)
        wish->found = sort_out(wish, jobs, n) ? TWEED__FOUND : TWEED__CARRIED;
}

/* Carries the last jobs of the own deque, in their order. */
static void carry_own(struct wish *wish)
{
    struct tweed__worker *w = wish->s->worker;
    struct tweed__job jobs[LOOT];
    uint32_t n = 0;

    /* relaxed, both: the owner's own */
    while (n < LOOT && deque_top(&w->jobs) > load_relaxed(&w->split) &&
           tweed__jobs_pop(w, &jobs[LOOT - 1 - n]))
        n++;
    if (n)
        wish->found = sort_out(wish, jobs + LOOT - n, n) ? TWEED__FOUND : TWEED__CARRIED;
}

static bool take_first_within(struct tweed__worker *victim, void *arg)
{
    struct wish *wish = arg;
    struct tweed__session *s = wish->s;
    struct tweed__deque *d = &victim->jobs;
    int64_t at = is_victim(s, victim) ? tweed__deque_peek(d) : -1;
    struct tweed__job job;

    if (at < 0)
        return false;
    /* acquire: with job_copy(): another job may lie there by now, of a group that is new
       to this thread.  A guess: the memory of a group is always a group's */
    if (!is_within(s, load_acquire(&job_in(&d->records[at])->of_group), wish->outer))
        carry(wish, victim);
    else if (steal_some(s, victim, SHARE, 1, &job))
        wish->found = sort_out(wish, &job, 1) ? TWEED__FOUND : TWEED__CARRIED;
    return wish->found != TWEED__NONE;
}

/* Takes a portion of the submission queue, of this group or (NULL) of any: *job is the
   first, the others go into the own deque, the next of them last. */
static bool take_portion(struct tweed__session *s, struct tweed__group_state *f,
                         struct tweed__job *job)
{
    struct tweed__worker *w = s->worker;
    struct tweed__team *team = w->team;
    uint64_t share = tweed__queue_count(team) / (2 * (uint64_t)team->num_workers);
    struct tweed__job jobs[PORTION];
    uint32_t n = 1;
    /* a thread that finds no task here may return without one, or sleep */
    bool waits = s->takes_one || tweed__self.dozes;

    if (has_deque(w) && !s->takes_one)
        n += (uint32_t)(share < PORTION ? share : PORTION - 1);
    n = tweed__queue_take(team, f, n, waits, jobs);
    if (n == 0)
        return false;
    has_taken(s);
    keep(s, jobs + 1, n - 1);
    job_copy(job, &jobs[0]);
    tally_add(s->tally, tasks_queue, n);
    return true;
}

bool tweed__jobs_take(struct tweed__session *s, struct tweed__job *job)
{
    struct wish any = { s, 0, job, TWEED__NONE };

    if (has_deque(s->worker) && tweed__jobs_pop(s->worker, job))
        return true;
    wait_a_little(s);
    if (draw(s->worker->team, DEQUES_FIRST) < DEQUES_FIRST - 1 &&
        take_portion(s, NULL, job))
        return true;
    return victim_walk(s->worker, take_first, &any) || take_portion(s, NULL, job);
}

/* The last job of the own deque, if that job is inside. */
static bool take_own_within(struct wish *wish)
{
    struct tweed__worker *w = wish->s->worker;
    uint32_t top = deque_top(&w->jobs); /* used if the thread is the owner */

    /* relaxed: the owner has put the job there; it may be stolen by now */
    return has_deque(w) && top > 0 &&
           is_within(wish->s, load_relaxed(&job_in(&w->jobs.records[top - 1])->of_group),
                     wish->outer) &&
           tweed__jobs_pop(w, wish->job);
}

/* A job of the submission queue, of the group that the thread waits for.  For the groups
   inside of that other threads wait, as a rule; but before the thread sleeps it looks for
   their jobs, too. */
static bool take_queued_of(struct tweed__session *s, tweed__where outer,
                           struct tweed__job *job)
{
    struct tweed__team *team = s->worker->team;
    struct tweed__group_state *f = NULL;

    if (!where_is_slot(outer) &&
        take_portion(s, tweed__state_at(team, (uint32_t)outer - 1), job))
        return true;
    if (tweed__self.dozes)
        f = tweed__queue_find(team, outer);
    return f && take_portion(s, f, job);
}

enum tweed__found tweed__jobs_take_within(struct tweed__session *s, tweed__where outer,
                                          struct tweed__job *job)
{
    struct wish wish = { s, outer, job, TWEED__NONE };

    if (take_own_within(&wish))
        return TWEED__FOUND;
    wait_a_little(s);
    if (take_queued_of(s, outer, job))
        return TWEED__FOUND;
    if (!victim_walk(s->worker, take_first_within, &wish) && has_deque(s->worker))
        carry_own(&wish);
    return wish.found;
}

/* ---- spawning ---- */

void tweed__jobs_count_spawned(struct tweed__team *team, uint64_t n)
{
    struct tweed__tally *tally = tally_here(team);

    if (tally)
        tally_add(tally, tasks_spawned, n);
    else /* relaxed: a figure, of several threads */
        fetch_add_relaxed(&team->workers[0]->tally.tasks_spawned, n);
}

void tweed__jobs_begun(struct tweed__team *team)
{
    /* it stays 1.  seq_cst: the 1 comes before this caller's look for sleepers, also if
       another thread has set it.  weaker: acquire would do where a store that one thread
       has seen is seen by all */
    if (!load_seq_cst(&team->has_jobs))
        /* before the job; with tweed__jobs_look() */
        (void)exchange_seq_cst(&team->has_jobs, 1);
}

bool tweed__jobs_spawn(struct tweed__team *team, const struct tweed__job *job)
{
    struct tweed__inside in = inside_of(job);

    tweed__jobs_count_spawned(team, 1);
    tweed__jobs_begun(team);
    if (!tweed__jobs_push_own(team, job) && !tweed__queue_put_copy(team, job, false))
        return false;
    tweed__jobs_tell(team, &in);
    return true;
}

/* ---- threads that look for jobs ---- */

bool tweed__jobs_look(struct tweed__worker *w)
{
    struct tweed__session s;
    struct tweed__job job;

    /* seq_cst: after the worker has said that it sleeps, with tweed__jobs_begun() */
    if (likely(!load_seq_cst(&w->team->has_jobs)))
        return false;
    tweed__jobs_begin(&s, w->team);
    if (!tweed__jobs_take(&s, &job)) {
        tweed__jobs_end(&s);
        return false;
    }
    tweed__jobs_pass_on(&s);
    do /* until there is a loop; relaxed: a guess */
        tweed__jobs_run(&s, &job);
    while (!load_relaxed(&w->team->active) && tweed__jobs_pop(w, &job));
    tweed__jobs_end(&s);
    return true;
}

bool tweed__jobs_help(struct tweed__team *team, tweed__where outer)
{
    struct tweed__session s;
    struct tweed__job job;
    enum tweed__found found;

    if (likely(!load_seq_cst(&team->has_jobs))) /* as above */
        return false;
    tweed__jobs_begin(&s, team);
    found = tweed__jobs_take_within(&s, outer, &job);
    if (found == TWEED__FOUND)
        tweed__jobs_run(&s, &job);
    tweed__jobs_end(&s);
    return found != TWEED__NONE;
}

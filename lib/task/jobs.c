/*
 * jobs.c - tasks of groups, and submitted ones: where they lie, and who executes them.
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
 * WHERE A WORKER LOOKS, when there is no loop: the last job of its own deque; a portion
 * of the submission queue; the first job of another deque, near ones first.  A portion of the
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
 * are all inside, or none is.  So the thread that waits carries the jobs at the end of
 * its own deque, down to the split, to the submission queue; and before it sleeps the first
 * jobs of any deque that is split.  In the queue each group has a list, so every thread
 * finds the jobs that it waits for.  The thread carries some jobs at a time, and looks
 * after each time whether its wait is over (wait.c).  So no thread sleeps while a job
 * that it waits for lies behind others.  And a backlog of one group stays where it is,
 * unless it is what thieves have left of a mixture.
 *
 * PATIENCE.  A thief whose job took no time comes back at once, and the line with the
 * first and the last job goes to and fro: the spawner then waits longer for that line than
 * its jobs take.  So a worker lets PATIENCE_NS pass between two takings from the queue or
 * from other deques, where there is a CPU for each thread.  Meanwhile jobs gather, and the
 * worker takes more of them together.
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
 * spawners wake nobody meanwhile.  The spawner that sets waking wakes two workers, if
 * there is a CPU for each thread, else one: if one of two gets no CPU there is the other.
 * Should none of them come, each 128th spawn of a thread wakes as many more.  A worker
 * that finds a job, and leaves others behind, wakes the next worker.  A thread in
 * tweed_pool_run_until() may be woken, find its condition true, and return: it sets waking to
 * 0, and wakes others if there is a job.  Threads that wait for the end of something are
 * woken as wait.c says.
 */
#include "config.h"

#include "task/jobs.h"
#include "base/number.h"
#include "base/tsan.h"
#include "loop/counts.h"
#include "loop/victim.h"
#include "pool/above.h"
#include "pool/affinity.h"
#include "pool/wait.h"
#include "range/trace.h"
#include "system/system.h"
#include "task/queue.h"

#include <errno.h>

#ifndef JOB_WAKES   /* a checker takes 1: so the woken worker has to wake the next */
#define JOB_WAKES 2 /* how many workers are woken where there is a CPU for each thread */
#endif
#define PORTION 32  /* the most jobs that are taken from the submission queue at once */
#define LOOT 16     /* the most jobs that are stolen at once */
#define SHARE 16    /* a thief takes one job of so many: of a tree the first are large */
#define PATIENCE_NS 1000
#define DEQUES_FIRST 16 /* one look of so many begins with other workers' deques */
#define KEPT_RECORDS (UINT32_C(1) << 16) /* records, 4 MiB, whose memory an empty deque keeps */
#define DRIFTED 256 /* records below the first job, where an empty deque is rewound */

static tweed_kind jobs_kind = { .size = sizeof(tweed_kind) };

static const struct tweed__body jobs_body = { .kind = &jobs_kind, .count = 1, .grain = 1,
                                              .blocks = 1, .manner = TWEED__JOBS };

static struct tweed__group_state *group_state_of(const struct tweed__job *job)
{
    return load_relaxed(&job->of_group); /* the thread's own copy, or its own record */
}

/* Is the worker's deque the calling thread's? */
static bool has_deque(const struct tweed__worker *w)
{
    return w == tweed__self.worker || (w->index == 0 && tweed__jobs_is_guest(w->team));
}

/* ---- one deque ---- */

/* All threads that sleep shall look, whatever they wait for. */
static void tell_all(struct tweed__team *team)
{
    struct tweed__tally none;

    memset(&none, 0, sizeof none); /* not counted */
    tweed__wait_call(team, UINT32_MAX, &none);
    /* relaxed: a loop that is not live any more is disturbed at worst */
    for (uint64_t live = load_relaxed(&team->active); live; live &= live - 1)
        tweed__end_hint(&team->slots[__builtin_ctzll(live)].remaining, &none);
}

/* Moves the jobs that are left to the beginning of the array. */
static bool rewind_jobs(struct tweed__worker *w)
{
    /* relaxed, all: the owner's own; thieves only look whether there is a split */
    uint32_t top = load_relaxed(&w->jobs.top), split = load_relaxed(&w->split), moved;

    if (!tweed__deque_rewind(&w->jobs))
        return false;
    moved = top - load_relaxed(&w->jobs.top);
    if (split != TWEED__WHOLE)
        store_relaxed(&w->split, split > moved ? split - moved : 0);
    if (moved && tweed__deque_has_any(&w->jobs))
        tell_all(w->team); /* the jobs that are left were out of sight */
    return true;
}

/* Makes room for one more job.  False: there is no memory, or the deque is as long as a
   deque can be, and few jobs have been stolen. */
static bool make_room(struct tweed__worker *w)
{
    struct tweed__deque *d = &w->jobs;

    if (!w->job_memory.base) {
        if (!tweed__arena_begin(&w->job_memory))
            return false;
        d->records = w->job_memory.base; /* released with the first job */
    }
    /* relaxed: the owner's own.  A rewinding shall free half of all places at least: else
       the next one would come soon, and move more jobs than are spawned meanwhile */
    return load_relaxed(&d->top) < w->job_memory.open ||
           (2 * tweed__deque_taken(d) >= w->job_memory.open && rewind_jobs(w)) ||
           tweed__arena_grow(&w->job_memory);
}

/* The next job is of another group than the first ones, or there is a split. */
__attribute__((noinline)) static void note_split(struct tweed__worker *w,
                                                 struct tweed__group_state *f, uint32_t top)
{
    /* relaxed, all: the owner's own; released with the job */
    if (!tweed__deque_has_any(&w->jobs)) {
        w->first = f;
        store_relaxed(&w->split, TWEED__WHOLE);
    } else if (load_relaxed(&w->split) == TWEED__WHOLE) {
        store_relaxed(&w->split, top);
    }
}

static bool push(struct tweed__worker *w, const struct tweed__job *job)
{
    struct tweed__deque *d = &w->jobs;
    uint32_t top = load_relaxed(&d->top); /* the owner's own */

    if (unlikely(top >= w->job_memory.open)) {
        if (!make_room(w))
            return false;
        top = load_relaxed(&d->top);
    }
    if (group_state_of(job) != w->first || unlikely(load_relaxed(&w->split) != TWEED__WHOLE))
        note_split(w, group_state_of(job), top);
    job_copy(job_in(&d->records[top]), job);
    tweed__tsan_release(&d->word);
    store_relaxed(&d->top, top + 1); /* released by publish() */
    (void)tweed__deque_publish(d, true);
    return true;
}

/* What a job is inside of.  Noted before the job is public: afterwards its group may be
   over. */
struct inside {
    tweed__where it;
    int slot;
};

static struct inside inside_of(const struct tweed__job *job)
{
    struct tweed__group_state *f = group_state_of(job);

    return (struct inside){ where_of_group(f), f->slot };
}

/* A job is public: the threads that wait for what the job is inside of may help. */
static void tell_waiting(struct tweed__team *team, const struct inside *in,
                         struct tweed__tally *tally)
{
    if (unlikely(in->slot >= 0 || tweed__wait_are_some(team)))
        tweed__state_tell(team, in->it, tally);
}

static void tell(struct tweed__team *team, const struct inside *in);

/* Puts jobs that were taken together into the thread's own deque, the first of them last.
   They were out of sight: threads that have looked meanwhile are told. */
static void keep(struct tweed__session *s, struct tweed__job *jobs, uint32_t n)
{
    struct tweed__team *team = s->worker->team;

    while (n-- > 0) {
        struct tweed__group_state *f = group_state_of(&jobs[n]);
        struct inside in = inside_of(&jobs[n]);

        if (!push(s->worker, &jobs[n]) && !tweed__queue_put_copy(team, &jobs[n], true))
            tweed__jobs_run(s, &jobs[n]); /* without memory there is no other way */
        else if (n == 0 || group_state_of(&jobs[n - 1]) != f) /* once for each group */
            tell(team, &in);
    }
}

/* The deque is empty: the next jobs lie at its beginning, and memory goes back. */
static void tidy(struct tweed__worker *w)
{
    /* relaxed: the owner's own.  Places below DRIFTED are never given back, so a thief may
       still be copying from there */
    if (load_relaxed(&w->jobs.top) >= DRIFTED && !rewind_jobs(w))
        return;
    if (w->job_memory.open > KEPT_RECORDS)
        tweed__arena_clean(&w->job_memory);
}

static bool pop(struct tweed__worker *w, struct tweed__job *job)
{
    struct tweed__deque *d = &w->jobs;
    uint32_t top = load_relaxed(&d->top); /* the owner's own */

    if (top == 0 || !tweed__deque_pop(d, top - 1, true)) {
        tidy(w);
        return false;
    }
    store_relaxed(&d->top, top - 1); /* thieves of jobs do not look at top */
    if (top - 1 == load_relaxed(&w->split)) /* relaxed, both: thieves only glance at it */
        store_relaxed(&w->split, TWEED__WHOLE);
    job_copy(job, job_in(&d->records[top - 1]));
    return true;
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
    tweed__where outer; /* a job that is inside of that; not used for any job */
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
    struct inside in = inside_of(&jobs[0]);
    struct tweed__job mine;

    if (tweed__queue_put_copies(team, jobs, n, true)) {
        tell(team, &in);
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

/* Of jobs that were taken *wish->job is one that is inside; the others go into the
   submission queue.  False: none is inside. */
static bool sort_out(const struct wish *wish, const struct tweed__job *jobs, uint32_t n)
{
    bool found = false;

    for (uint32_t i = 0, end; i < n; i = end) {
        struct tweed__group_state *f = group_state_of(&jobs[i]);

        end = i + 1;
        if (!found && is_within(wish->s, f, wish->outer)) {
            job_copy(wish->job, &jobs[i]);
            found = true;
            continue;
        }
        while (end < n && group_state_of(&jobs[end]) == f)
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
    while (n < LOOT && load_relaxed(&w->jobs.top) > load_relaxed(&w->split) &&
           pop(w, &jobs[LOOT - 1 - n]))
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
       to this thread.  A guess: the memory that it leads to is always a group's */
    if (!is_within(s, load_acquire(&job_in(&d->records[at])->of_group), wish->outer))
        carry(wish, victim);
    else if (steal_some(s, victim, SHARE, 1, &job))
        wish->found = sort_out(wish, &job, 1) ? TWEED__FOUND : TWEED__CARRIED;
    return wish->found != TWEED__NONE;
}

/* Takes a portion of the submission queue, of this group or (NULL) of any: *job is the first,
   the others go into the own deque, the next of them last. */
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

    if (has_deque(s->worker) && pop(s->worker, job))
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
    uint32_t top = load_relaxed(&w->jobs.top); /* used if the thread is the owner */

    /* relaxed: the owner has put the job there; it may be stolen by now */
    return has_deque(w) && top > 0 &&
           is_within(wish->s, load_relaxed(&job_in(&w->jobs.records[top - 1])->of_group),
                     wish->outer) &&
           pop(w, wish->job);
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

/* ---- sessions ---- */

/* The calling thread, from outside, gets the deque of worker 0: true.  Jobs that it leaves
   there are the next guest's, and any thief's. */
static bool become_guest(struct tweed__team *team)
{
    uintptr_t nobody = 0;

    /* a look first.  acquire: the jobs that the last guest has left there, with
       leave_guest().  weaker: acquire would do */
    return !load_relaxed(&team->guest) &&
           cas_acq_rel(&team->guest, &nobody, TWEED__THREAD_ID);
}

static void leave_guest(struct tweed__team *team)
{
    store_release(&team->guest, 0); /* with the next guest's compare-and-swap */
}

void tweed__jobs_begin(struct tweed__session *s, struct tweed__team *team)
{
    struct tweed__worker *self = team_worker(team);
    struct tweed__session *outer = session_here(team); /* the session that s is in */

    s->worker = self ? self : team->workers[0];
    s->is_guest = s->takes_one = s->leaves_some = false;
    s->owed_to = NULL;
    s->owed = 0;
    s->tally = outer ? outer->tally : &s->worker->tally;
    /* a part of the session's own, since a job inside of a job is one deeper: scratch.c */
    tweed__part_init(&s->part, s->worker, &jobs_body);
    if (s->worker->index > 0)
        return;
    s->is_guest = become_guest(team);
    if (!outer) { /* of outside callers there may be several */
        memset(&s->of_guest, 0, sizeof s->of_guest);
        s->tally = &s->of_guest;
    }
}

/* Adds what an outside caller has counted, in this session or in an outer one. */
static void add_up(struct tweed__session *s)
{
    struct tweed__tally *sum = &s->worker->tally, *own = s->tally;

    if (s->worker->index > 0)
        return;
#define TWEED_ADD_UP(name, title, meaning)                                     \
    if (load_relaxed(&own->name)) {                                            \
        fetch_add_relaxed(&sum->name, load_relaxed(&own->name));               \
        store_relaxed(&own->name, 0);                                          \
    }
    TWEED_STATS_FIELDS_(TWEED_ADD_UP) /* relaxed: figures */
#undef TWEED_ADD_UP
}

void tweed__jobs_end(struct tweed__session *s)
{
    struct tweed__team *team = s->worker->team;

    tweed__jobs_return(s);
    if (has_deque(s->worker) && unlikely(s->worker->job_memory.open > KEPT_RECORDS) &&
        !tweed__deque_has_any(&s->worker->jobs))
        tidy(s->worker); /* pop() has not found the deque empty yet */
    if (s->is_guest)
        leave_guest(team);
    add_up(s);
}

/* To a trace: the execution of a task begins, or ends. */
__attribute__((cold, noinline)) static void
trace_job(const struct tweed__session *s, const struct tweed__group_state *f,
          enum tweed__event_phase phase)
{
    int saved = errno;

    tweed__trace_job(s->worker->team->number, s->worker->index,
                     tweed__self.worker ? -1 : tweed__number(), f->index, phase);
    errno = saved;
}

void tweed__jobs_run(struct tweed__session *s, struct tweed__job *job)
{
    struct tweed__group_state *f = group_state_of(job);
    struct tweed__part *p = &s->part;
    bool running BODY_GUARD = true, traced;
    int how, code;

    wait_found(s->worker->team);
    /* relaxed: a wish */
    how = load_relaxed(&f->skips) ? TWEED_TASK_DROP_ : TWEED_TASK_RUN_;
    if (s->owed_to != f)
        tweed__jobs_return(s);
    p->of_group = where_of_group(f);
    tweed__self.here = p;
    traced = TRACES && how == TWEED_TASK_RUN_;
    if (traced)
        trace_job(s, f, TRACE_BEGIN);
    code = job->fn(job->closure, how);
    if (traced || (TRACES && how == TWEED_TASK_RUN_))
        trace_job(s, f, TRACE_END);
    tweed__self.here = p->outer;
    running = false;
    tally_add(s->tally, tasks_run, how == TWEED_TASK_RUN_);
    if (code)
        tweed__state_fail(f, code);
    if (how == TWEED_TASK_DROP_ && f == &s->worker->team->group_states.submitted)
        fetch_add_relaxed(&s->worker->team->group_states.dropped, 1); /* read after its return */
    s->owed_to = f;
    s->owed++;
    if (load_relaxed(&s->worker->team->watched)) /* relaxed: conditions are polled, too */
        tweed__jobs_return(s);
}

void tweed__jobs_return(struct tweed__session *s)
{
    uint64_t n = s->owed;

    s->owed = 0; /* first: after its return the group may be another group's */
    if (!n)
        return;
    add_up(s); /* a thread that waits for these tasks finds them counted */
    tweed__state_return(s->worker->team, s->owed_to, n, s->tally);
}

/* ---- spawning ---- */

/* The tally of the calling thread; NULL: a thread from outside that executes no job. */
static struct tweed__tally *tally_here(struct tweed__team *team)
{
    struct tweed__worker *w = team_worker(team);
    struct tweed__session *s = w ? NULL : session_here(team);

    return w ? &w->tally : s ? s->tally : NULL;
}

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
        (void)exchange_seq_cst(&team->has_jobs, 1); /* before the job; with look() */
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

/* A job is public. */
static void tell(struct tweed__team *team, const struct inside *in)
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

void tweed__jobs_tell(struct tweed__team *team, struct tweed__group_state *f)
{
    struct inside in = { where_of_group(f), f->slot };

    tell(team, &in);
}

/* Puts a job into the caller's deque.  False: it has none, or there is no memory. */
static bool push_own(struct tweed__team *team, const struct tweed__job *job)
{
    struct tweed__worker *w = team_worker(team);
    bool is_guest, done;

    if (w)
        return push(w, job);
    is_guest = become_guest(team);
    done = tweed__jobs_is_guest(team) && push(team->workers[0], job);
    if (is_guest)
        leave_guest(team);
    return done;
}

bool tweed__jobs_spawn(struct tweed__team *team, const struct tweed__job *job)
{
    struct inside in = inside_of(job);

    tweed__jobs_count_spawned(team, 1);
    tweed__jobs_begun(team);
    if (!push_own(team, job) && !tweed__queue_put_copy(team, job, false))
        return false;
    tell(team, &in);
    return true;
}

/* ---- threads that look for jobs ---- */

/* Are there jobs that nobody has taken, as far as can be seen from here?  While any
   thread sleeps, also in other deques: a spawner may have left it asleep, since the
   caller had been woken. */
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
    const struct inside nothing = { 0, -1 };

    if (load_seq_cst(&team->sleep.waiters) && are_more(team)) /* as in tell() */
        tell(team, &nothing);
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

/* The caller has a job: it wakes the next worker if there are more jobs. */
static void pass_on(struct tweed__session *s)
{
    const struct inside nothing = { 0, -1 };

    tweed__self.woken = NULL; /* it was woken for a job, and has one */
    wait_found(s->worker->team);
    if (s->leaves_some || are_more(s->worker->team))
        tell(s->worker->team, &nothing);
}

bool tweed__jobs_look(struct tweed__worker *w)
{
    struct tweed__session s;
    struct tweed__job job;

    /* seq_cst: after the worker has said that it sleeps, with spawn() */
    if (likely(!load_seq_cst(&w->team->has_jobs)))
        return false;
    tweed__jobs_begin(&s, w->team);
    if (!tweed__jobs_take(&s, &job)) {
        tweed__jobs_end(&s);
        return false;
    }
    pass_on(&s);
    do
        tweed__jobs_run(&s, &job);
    while (!load_relaxed(&w->team->active) && pop(w, &job)); /* a guess: loops come first */
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

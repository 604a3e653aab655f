/*
 * session.c - a thread that executes jobs, and the deque of jobs that it has.
 *
 * SPDX-License-Identifier: MIT
 *
 * A worker's deque of jobs is the worker's own.  The deque of worker 0 is used by outside
 * callers, one at a time, the GUEST (jobs.c).
 *
 * A thread that has executed jobs of one group returns them together, to the group's
 * count: before it executes a job of another group, and at the end of the session.
 */
#include "config.h"

#include "task/session.h"
#include "base/number.h"
#include "base/tsan.h"
#include "log/trace.h"
#include "pool/above.h"
#include "pool/wait.h"
#include "task/waking.h"

#include <errno.h>

#define KEPT_RECORDS (UINT32_C(1) << 16) /* 4 MiB, which an empty deque keeps */
#define DRIFTED 256 /* records below the first job, where an empty deque is rewound */

static tweed_kind jobs_kind = { .size = sizeof(tweed_kind) };

static const struct tweed__body jobs_body = { .kind = &jobs_kind, .count = 1, .grain = 1,
                                              .blocks = 1, .manner = TWEED__JOBS };

/* ---- the deque ---- */

/* Moves the jobs that are left to the beginning of the array. */
static bool rewind_jobs(struct tweed__worker *w)
{
    /* relaxed, all: the owner's own; thieves only look whether there is a split */
    uint32_t top = deque_top(&w->jobs), split = load_relaxed(&w->split), moved;

    if (!tweed__deque_rewind(&w->jobs))
        return false;
    moved = top - deque_top(&w->jobs);
    if (split != TWEED__WHOLE)
        store_relaxed(&w->split, split > moved ? split - moved : 0);
    if (moved && tweed__deque_has_any(&w->jobs))
        tweed__jobs_tell_all(w->team); /* the jobs that are left were out of sight */
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
    return deque_top(d) < w->job_memory.open ||
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

bool tweed__jobs_push(struct tweed__worker *w, const struct tweed__job *job)
{
    struct tweed__deque *d = &w->jobs;
    uint32_t top = deque_top(d);

    if (unlikely(top >= w->job_memory.open)) {
        if (!make_room(w))
            return false;
        top = deque_top(d);
    }
    if (group_of_job(job) != w->first || unlikely(load_relaxed(&w->split) != TWEED__WHOLE))
        note_split(w, group_of_job(job), top);
    job_copy(job_in(&d->records[top]), job);
    tweed__tsan_release(&d->word);
    deque_set_top(d, top + 1);
    (void)tweed__deque_publish(d, true);
    return true;
}

/* The deque is empty: the next jobs lie at its beginning, and memory goes back. */
static void tidy(struct tweed__worker *w)
{
    /* relaxed: the owner's own.  Places below DRIFTED are never given back, so a thief may
       still be copying from there */
    if (deque_top(&w->jobs) >= DRIFTED && !rewind_jobs(w))
        return;
    if (w->job_memory.open > KEPT_RECORDS)
        tweed__arena_clean(&w->job_memory);
}

bool tweed__jobs_pop(struct tweed__worker *w, struct tweed__job *job)
{
    struct tweed__deque *d = &w->jobs;
    uint32_t top = deque_top(d);

    if (top == 0 || !tweed__deque_pop(d, top - 1, true)) {
        tidy(w);
        return false;
    }
    deque_set_top(d, top - 1); /* thieves of jobs do not look at top */
    if (top - 1 == load_relaxed(&w->split)) /* relaxed, both: thieves only glance at it */
        store_relaxed(&w->split, TWEED__WHOLE);
    job_copy(job, job_in(&d->records[top - 1]));
    return true;
}

/* ---- guests ---- */

/* True: the calling thread, from outside, has the deque of worker 0 now.  Jobs that the
   thread leaves there are the next guest's, and any thief's. */
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

bool tweed__jobs_push_own(struct tweed__team *team, const struct tweed__job *job)
{
    struct tweed__worker *w = team_worker(team);
    bool is_guest, done;

    if (w)
        return tweed__jobs_push(w, job);
    is_guest = become_guest(team);
    done = tweed__jobs_is_guest(team) && tweed__jobs_push(team->workers[0], job);
    if (is_guest)
        leave_guest(team);
    return done;
}

/* ---- sessions ---- */

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
        tidy(s->worker); /* tweed__jobs_pop() has not found the deque empty yet */
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
    struct tweed__group_state *f = group_of_job(job);
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
        /* relaxed: read after the task's return */
        fetch_add_relaxed(&s->worker->team->group_states.dropped, 1);
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

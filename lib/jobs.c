/*
 * jobs.c - tasks of groups, and submitted ones: where they lie, and who executes them.
 *
 * SPDX-License-Identifier: MIT
 *
 * A worker puts the jobs that it spawns into a deque of its own (deque.c), all of which
 * is public: a job costs two compare-and-swaps there, and as many updates of its family's
 * count.  Whoever takes a job copies it out, so its place is free at once.  An outside
 * caller uses the deque of worker 0, if no other one does just then; all else goes into
 * the common queue (common.c).
 *
 * WHERE A WORKER LOOKS, when there is no loop: the last job of its own deque; a portion
 * of the common queue; the first of somebody else's deque, near ones first.  A portion
 * lasts longer than what can be stolen from others' portions (doc/experiments.md has both
 * orders).  One look of DEQUES_FIRST begins with the deques: else nobody would come to
 * them while tasks are submitted without end.  Nobody begins more before its own deque is
 * empty: so there are never many more jobs than what the depth-first walk of each worker
 * has.
 *
 * A THREAD THAT WAITS for a group or a loop executes only jobs that are inside of that
 * (within.c).  Of its own deque the thread takes the last job, of other deques the first one,
 * if that job is inside; the look comes before the theft, and once more after it.
 *
 * Jobs that are not inside may hide some that are.  A deque is SPLIT where the first job lies
 * that is of another family than those before it.  Below that nothing is hidden: these
 * jobs are all inside, or none is.  So the thread carries the jobs at the end of its own
 * deque, down to the split, to the common queue; and before it sleeps the first jobs of any
 * deque that is split.  There whoever waits for a job finds it.  The thread carries some at
 * a time, and looks at its end after each time (wait.c).  So nobody sleeps while what it
 * waits for lies behind something else; and a backlog of one family stays where it is, unless
 * it is what thieves have left of a mixture.
 *
 * PATIENCE.  A thief whose job took no time comes back at once, and the line with the
 * first and the last job goes to and fro: the spawner then waits longer for that line than
 * its jobs take.  So nobody takes jobs of others, or of the queue, twice within
 * PATIENCE_NS, where there is a CPU for that: meanwhile jobs gather, and more of them are
 * taken together.
 *
 * SLEEPING.  Whoever has made a job public looks whether anybody sleeps:
 *
 *     spawner:  job public;  any waiters?  waking?     sleeper:  waiters++;  waking <- 0;
 *                 waking <- 1;  announces                        any job?
 *
 * all sequentially consistent.  If the sleeper misses the job, the spawner sees the
 * sleeper; and if it leaves the waking to another one, because waking is 1, that was set
 * after the sleeper's 0, and what was announced then keeps the sleeper from sleeping
 * (sleep.c).  So two are woken, where there is a CPU for each thread, else one, and no more
 * before one has come: a worker that gets no CPU keeps no job from the other.  Should none
 * come, each 128th spawn of a thread wakes as many more.  A worker that finds a job, and
 * leaves some behind, wakes the next.  A thread in tweed_run_until() may be woken, find its
 * condition true, and return: it says that it has come, and wakes others if there is a job.  Threads that wait for something of their own are
 * told as wait.c says.
 */
#include "config.h"

#include "jobs.h"
#include "common.h"
#include "crowd.h"
#include "number.h"
#include "place.h"
#include "seam.h"
#include "trace.h"
#include "tsan.h"
#include "victim.h"
#include "wait.h"

#include <errno.h>

#ifndef JOB_WAKES   /* a checker has one, so that the next has to be woken by that */
#define JOB_WAKES 2 /* how many workers are woken: if one of them gets no CPU there is the other */
#endif
#define PORTION 32  /* the most that is taken from the common queue at once */
#define LOOT 16     /* the most that is stolen at once */
#define SHARE 16    /* of so many one: a tree of tasks has few, and the first are large */
#define PATIENCE_NS 1000
#define DEQUES_FIRST 16 /* one look of so many begins with the deques of others */
#define KEPT_RECORDS (UINT32_C(1) << 16) /* records, 4 MiB, whose memory an empty deque keeps */
#define DRIFTED 256 /* records below the first job, where an empty deque is rewound */

static tweed_kind jobs_kind = { .size = sizeof(tweed_kind) };

static const struct tweed__body jobs_body = { .kind = &jobs_kind, .count = 1, .grain = 1,
                                              .blocks = 1, .manner = TWEED__JOBS };

static struct tweed__family *family_of(const struct tweed__job *job)
{
    return load_relaxed(&job->family); /* the thread's own copy, or its own record */
}

/* Is the worker's deque the calling thread's? */
static bool has_deque(const struct tweed__worker *w)
{
    return w == tweed__self.worker || (w->index == 0 && tweed__jobs_is_guest(w->team));
}

/* ---- one deque ---- */

/* All who sleep shall look, whatever they wait for. */
static void tell_all(struct tweed__team *team)
{
    struct tweed__tally none;

    memset(&none, 0, sizeof none); /* not counted */
    tweed__wait_call(team, UINT32_MAX, &none);
    /* relaxed: a loop that is not live any more is disturbed at worst */
    for (uint64_t live = load_relaxed(&team->active); live; live &= live - 1)
        tweed__end_hint(&team->slots[__builtin_ctzll(live)].remaining, &none);
}

/* What is left lies at the beginning. */
static bool rewind_jobs(struct tweed__worker *w)
{
    /* relaxed, all: the owner's own; others only look whether there is a split */
    uint32_t top = load_relaxed(&w->jobs.top), split = load_relaxed(&w->split), moved;

    if (!tweed__deque_rewind(&w->jobs))
        return false;
    moved = top - load_relaxed(&w->jobs.top);
    if (split != TWEED__WHOLE)
        store_relaxed(&w->split, split > moved ? split - moved : 0);
    if (moved && tweed__deque_has_any(&w->jobs))
        tell_all(w->team); /* those that are left were out of sight */
    return true;
}

/* There is room for one more.  False: there is no memory for it, or the deque is as long as it
   can be, and few have been stolen. */
static bool make_room(struct tweed__worker *w)
{
    struct tweed__deque *d = &w->jobs;

    if (!w->job_memory.base) {
        if (!tweed__records_begin(&w->job_memory))
            return false;
        d->records = w->job_memory.base; /* released with the first job */
    }
    /* relaxed: the owner's own.  Half of all places become free, or the next call came soon:
       so no job is moved more often than another one is spawned */
    return load_relaxed(&d->top) < w->job_memory.open ||
           (2 * tweed__deque_taken(d) >= w->job_memory.open && rewind_jobs(w)) ||
           tweed__records_grow(&w->job_memory);
}

/* The next job is of another family than the first ones, or there is a split. */
__attribute__((noinline)) static void note_split(struct tweed__worker *w,
                                                 struct tweed__family *f, uint32_t top)
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
    if (family_of(job) != w->first || unlikely(load_relaxed(&w->split) != TWEED__WHOLE))
        note_split(w, family_of(job), top);
    job_copy(job_in(&d->records[top]), job);
    tweed__tsan_release(&d->word);
    store_relaxed(&d->top, top + 1); /* released by publish() */
    (void)tweed__deque_publish(d, true);
    return true;
}

/* What jobs are inside of, noted before they are public: then the family may be over. */
struct inside {
    tweed__where it;
    int slot;
};

static struct inside inside_of(const struct tweed__job *job)
{
    struct tweed__family *f = family_of(job);

    return (struct inside){ where_of_family(f), f->slot };
}

/* A job is public: those who wait for what it is inside of may help. */
static void tell_waiting(struct tweed__team *team, const struct inside *in,
                         struct tweed__tally *tally)
{
    if (unlikely(in->slot >= 0 || tweed__wait_are_some(team)))
        tweed__family_tell(team, in->it, tally);
}

static void tell(struct tweed__team *team, const struct inside *in);

/* They lie in the thread's own deque, so that the first is the last there.  They were out of
   sight: whoever has looked meanwhile is told. */
static void keep(struct tweed__session *s, struct tweed__job *jobs, uint32_t n)
{
    struct tweed__team *team = s->worker->team;

    while (n-- > 0) {
        struct tweed__family *f = family_of(&jobs[n]);
        struct inside in = inside_of(&jobs[n]);

        if (!push(s->worker, &jobs[n]) && !tweed__common_put_copy(team, &jobs[n], true))
            tweed__jobs_run(s, &jobs[n]); /* without memory there is no other way */
        else if (n == 0 || family_of(&jobs[n - 1]) != f) /* all of one family together */
            tell(team, &in);
    }
}

/* Nothing is left: the next jobs lie where the first did, and memory goes back. */
static void tidy(struct tweed__worker *w)
{
    /* relaxed: the owner's own.  Places below DRIFTED are never given back, so it does not
       matter who still copies what lies there */
    if (load_relaxed(&w->jobs.top) >= DRIFTED && !rewind_jobs(w))
        return;
    if (w->job_memory.open > KEPT_RECORDS)
        tweed__records_clean(&w->job_memory);
}

static bool pop(struct tweed__worker *w, struct tweed__job *job)
{
    struct tweed__deque *d = &w->jobs;
    uint32_t top = load_relaxed(&d->top); /* the owner's own */

    if (top == 0 || !tweed__deque_pop(d, top - 1, true)) {
        tidy(w);
        return false;
    }
    store_relaxed(&d->top, top - 1); /* thieves do not go by it here */
    if (top - 1 == load_relaxed(&w->split)) /* relaxed, both: a glance of others */
        store_relaxed(&w->split, TWEED__WHOLE);
    job_copy(job, job_in(&d->records[top - 1]));
    return true;
}

/* ---- what is not in the own deque ---- */

/* On more workers than CPUs somebody else has something to do meanwhile. */
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

/* To a trace; a thread that is no pool's goes by its number. */
__attribute__((cold, noinline)) static void
trace_steal(const struct tweed__session *s, const struct tweed__worker *victim, uint32_t n)
{
    int saved = errno;

    tweed__trace_job_steal(s->worker->team->number, s->worker->index,
                           tweed__self.worker ? -1 : tweed__number(), victim->index,
                           !is_near(s->worker, victim), n);
    errno = saved;
}

/* So many jobs, one of `share` that are there, but `most` at most. */
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

/* The first is taken, the others lie in the thief's own deque. */
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
    tweed__where outer; /* inside of that; not of any job */
    struct tweed__job *job;
    enum tweed__found found;
};

/* Is that deque another one's?  That of worker 0 is perhaps another caller's. */
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

/* Jobs of one family: nobody but whoever waits for them, or has nothing to do, shall execute
   them. */
static void put_back(struct tweed__session *s, const struct tweed__job *jobs, uint32_t n)
{
    struct tweed__team *team = s->worker->team;
    struct inside in = inside_of(&jobs[0]);
    struct tweed__job mine;

    if (tweed__common_put_copies(team, jobs, n, true)) {
        tell(team, &in);
        return;
    }
    for (uint32_t i = 0; i < n; i++) { /* without memory there is no other way */
        job_copy(&mine, &jobs[i]);
        tweed__jobs_run(s, &mine);
    }
}

static bool is_within(struct tweed__session *s, struct tweed__family *f, tweed__where outer)
{
    return f && (where_of_family(f) == outer ||
                 tweed__is_within(s->worker->team, where_of_family(f), outer));
}

/* Of jobs that were stolen one is taken that is inside; the others go to the queue, where
   whoever waits for them finds them.  False: none is inside. */
static bool sort_out(const struct wish *wish, const struct tweed__job *jobs, uint32_t n)
{
    bool found = false;

    for (uint32_t i = 0, end; i < n; i = end) {
        struct tweed__family *f = family_of(&jobs[i]);

        end = i + 1;
        if (!found && is_within(wish->s, f, wish->outer)) {
            job_copy(wish->job, &jobs[i]);
            found = true;
            continue;
        }
        while (end < n && family_of(&jobs[end]) == f)
            end++;
        put_back(wish->s, &jobs[i], end - i);
    }
    return found;
}

/* The first jobs of another deque, if they may hide some behind them. */
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

/* The last jobs of the own one, in their order. */
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
    /* acquire: with job_copy(): another job may lie there by now, of a family that is new
       to this thread.  A guess: whatever it was, its memory is a family's */
    if (!is_within(s, load_acquire(&job_in(&d->records[at])->family), wish->outer))
        carry(wish, victim);
    else if (steal_some(s, victim, SHARE, 1, &job))
        wish->found = sort_out(wish, &job, 1) ? TWEED__FOUND : TWEED__CARRIED;
    return wish->found != TWEED__NONE;
}

/* A portion of the common queue, of this family or of any: the first is taken, the others
   lie in the deque, so that the next one is the last there. */
static bool take_portion(struct tweed__session *s, struct tweed__family *f,
                         struct tweed__job *job)
{
    struct tweed__worker *w = s->worker;
    struct tweed__team *team = w->team;
    uint64_t share = tweed__common_count(team) / (2 * (uint64_t)team->num_workers);
    struct tweed__job jobs[PORTION];
    uint32_t n = 1;
    /* the thread may go without a task, or sleep, when it has found none */
    bool waits = s->takes_one || tweed__self.dozes;

    if (has_deque(w) && !s->takes_one)
        n += (uint32_t)(share < PORTION ? share : PORTION - 1);
    n = tweed__common_take(team, f, n, waits, jobs);
    if (n == 0)
        return false;
    has_taken(s);
    keep(s, jobs + 1, n - 1);
    job_copy(job, &jobs[0]);
    tally_add(s->tally, tasks_common, n);
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

/* The last jobs of its own deque, down to the first that is not inside. */
static bool take_own_within(struct wish *wish)
{
    struct tweed__worker *w = wish->s->worker;
    uint32_t top = load_relaxed(&w->jobs.top); /* the owner's own, if it is that */

    /* relaxed: the owner has put it there, and it may be stolen by now */
    return has_deque(w) && top > 0 &&
           is_within(wish->s, load_relaxed(&job_in(&w->jobs.records[top - 1])->family),
                     wish->outer) &&
           pop(w, wish->job);
}

/* Of the family that is waited for itself; of those inside it mostly somebody else waits for
   them, but before it sleeps the thread looks for these, too. */
static bool take_common_of(struct tweed__session *s, tweed__where outer,
                           struct tweed__job *job)
{
    struct tweed__team *team = s->worker->team;
    struct tweed__family *f = NULL;

    if (!where_is_slot(outer) &&
        take_portion(s, tweed__family_at(team, (uint32_t)outer - 1), job))
        return true;
    if (tweed__self.dozes)
        f = tweed__common_find(team, outer);
    return f && take_portion(s, f, job);
}

enum tweed__found tweed__jobs_take_within(struct tweed__session *s, tweed__where outer,
                                          struct tweed__job *job)
{
    struct wish wish = { s, outer, job, TWEED__NONE };

    if (take_own_within(&wish))
        return TWEED__FOUND;
    wait_a_little(s);
    if (take_common_of(s, outer, job))
        return TWEED__FOUND;
    if (!victim_walk(s->worker, take_first_within, &wish) && has_deque(s->worker))
        carry_own(&wish);
    return wish.found;
}

/* ---- sessions ---- */

/* The calling thread, from outside, has the deque of worker 0: true.  What it leaves
   there is the next one's, and everybody's. */
static bool become_guest(struct tweed__team *team)
{
    uintptr_t nobody = 0;

    /* a look first.  acquire: what the last guest has left there, with leave_guest().
       weaker: acquire would do */
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
    struct tweed__session *outer = session_here(team); /* which this one is in */

    s->worker = self ? self : team->workers[0];
    s->is_guest = s->takes_one = s->leaves_some = false;
    s->owed_to = NULL;
    s->owed = 0;
    s->tally = outer ? outer->tally : &s->worker->tally;
    /* a part of its own, since a job inside of a job is one deeper: scratch.c */
    tweed__part_init(&s->part, s->worker, &jobs_body);
    if (s->worker->index > 0)
        return;
    s->is_guest = become_guest(team);
    if (!outer) { /* of outside callers there may be several */
        memset(&s->of_guest, 0, sizeof s->of_guest);
        s->tally = &s->of_guest;
    }
}

/* What an outside caller has counted, in this session or in one that this is in. */
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
    TWEED_STATS_FIELDS(TWEED_ADD_UP) /* relaxed: figures */
#undef TWEED_ADD_UP
}

void tweed__jobs_end(struct tweed__session *s)
{
    struct tweed__team *team = s->worker->team;

    tweed__jobs_return(s);
    if (has_deque(s->worker) && unlikely(s->worker->job_memory.open > KEPT_RECORDS) &&
        !tweed__deque_has_any(&s->worker->jobs))
        tidy(s->worker); /* the last job was its own: it has not looked for one more */
    if (s->is_guest)
        leave_guest(team);
    add_up(s);
}

/* To a trace: this task is executed from now on, or was. */
__attribute__((cold, noinline)) static void
trace_job(const struct tweed__session *s, const struct tweed__family *f,
          enum tweed__event_phase phase)
{
    int saved = errno;

    tweed__trace_job(s->worker->team->number, s->worker->index,
                     tweed__self.worker ? -1 : tweed__number(), f->index, phase);
    errno = saved;
}

void tweed__jobs_run(struct tweed__session *s, struct tweed__job *job)
{
    struct tweed__family *f = family_of(job);
    struct tweed__part *p = &s->part;
    bool running BODY_GUARD = true, traced;
    int how, code;

    wait_found(s->worker->team);
    /* relaxed: a wish */
    how = load_relaxed(&f->skips) ? TWEED_TASK_DROP_ : TWEED_TASK_RUN_;
    if (s->owed_to != f)
        tweed__jobs_return(s);
    p->family = where_of_family(f);
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
        tweed__family_fail(f, code);
    if (how == TWEED_TASK_DROP_ && f == &s->worker->team->families.submitted)
        fetch_add_relaxed(&s->worker->team->families.dropped, 1); /* read after its return */
    s->owed_to = f;
    s->owed++;
    if (load_relaxed(&s->worker->team->watched)) /* a condition is polled, besides */
        tweed__jobs_return(s);
}

void tweed__jobs_return(struct tweed__session *s)
{
    uint64_t n = s->owed;

    s->owed = 0; /* first: the family may be no more */
    if (!n)
        return;
    add_up(s); /* whoever waits for these tasks finds them counted */
    tweed__family_return(s->worker->team, s->owed_to, n, s->tally);
}

/* ---- spawning ---- */

/* What the calling thread counts in; NULL: it is from outside, and executes no job. */
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
    /* it stays.  seq_cst: whoever set it did so before this caller looks who sleeps.
       weaker: acquire would do where a store that one thread has seen is seen by all */
    if (!load_seq_cst(&team->has_jobs))
        (void)exchange_seq_cst(&team->has_jobs, 1); /* before the job; with look() */
}

/* Of so many jobs one wakes another worker, though those that were woken last have not come:
   they may get no CPU. */
#define SPAWNS_A_WAKE 128

/* Shall the caller wake some?  Not while those that were woken are on their way. */
static bool has_to_wake(struct tweed__team *team)
{
    /* seq_cst, both: see SLEEPING.  weaker: of the exchange acq_rel would do, since whoever
       sets it to 0 after that acquires the job with it */
    return !load_seq_cst(&team->waking) ? !exchange_seq_cst(&team->waking, 1)
                                        : ++tweed__self.quiet % SPAWNS_A_WAKE == 0;
}

/* Is there a CPU for each of the team's threads?  If not, two that are woken are in each
   other's way: tasks of a group of empty ones took twice as long. */
static bool has_cpu_each(const struct tweed__team *team)
{
    return (team->num_workers - 1) * INT64_C(1000) <= team->capacity;
}

/* Wakes some who sleep, and could execute any job. */
static void wake_some(struct tweed__team *team, struct tweed__tally *tally)
{
    if (!has_to_wake(team))
        return;
    /* Or whoever is woken waits for the caller's CPU.  Inside of something the caller has
       made way before.  relaxed: a guess; one of these calls is the caller's own */
    if (!team_worker(team) && team->places && !tweed__self.here)
        tweed__place_caller(team, team_callers(team) > 0 ||
                                      load_relaxed(&team->leaving) > 1);
    tweed__sleep_announce(&team->sleep, has_cpu_each(team) ? JOB_WAKES : 1,
                          TWEED__WAKE_WORKERS | TWEED__WAKE_UNTIL, tally);
}

/* A job is public. */
static void tell(struct tweed__team *team, const struct inside *in)
{
    struct tweed__tally none, *tally;
    bool sleeps = load_seq_cst(&team->sleep.waiters); /* see SLEEPING */

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

void tweed__jobs_tell(struct tweed__team *team, struct tweed__family *f)
{
    struct inside in = { where_of_family(f), f->slot };

    tell(team, &in);
}

/* Into the caller's deque.  False: it has none, or there is no memory. */
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
    if (!push_own(team, job) && !tweed__common_put_copy(team, job, false))
        return false;
    tell(team, &in);
    return true;
}

/* ---- those who look ---- */

/* Are there jobs that nobody has taken, as far as can be seen from here?  Where some sleep,
   in any deque: they were perhaps not woken, since the caller was. */
static bool are_more(struct tweed__team *team)
{
    if (tweed__common_count(team))
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
    /* A look first: it is everybody's line.  seq_cst: before the look for jobs, see SLEEPING.
       weaker: acq_rel would do: whoever was woken has seen 0, and then says that it sleeps
       again, which a spawner acquires whose job it has missed */
    if (load_relaxed(&team->waking) && exchange_seq_cst(&team->waking, 0))
        tweed__self.woken = hand_on;
}

void tweed__jobs_leave(struct tweed__team *team)
{
    tweed__jobs_awake(team);
    tweed__self.woken = NULL;
    hand_on(team); /* also without that: it may have looked while the queue was locked */
}

/* The caller has a job: wakes the next if there are more. */
static void pass_on(struct tweed__session *s)
{
    const struct inside nothing = { 0, -1 };

    tweed__self.woken = NULL; /* that is it */
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

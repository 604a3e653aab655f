/*
 * session.h - a thread that executes jobs, and the deque of jobs that it has.
 *
 * SPDX-License-Identifier: MIT
 *
 * A job is a task that no thread joins for itself (deque.h: struct tweed__job).
 */
#ifndef TWEED_LIB_SESSION_H
#define TWEED_LIB_SESSION_H

#include "pool/here.h"
#include "task/state.h"

/* A thread that executes jobs, in a call from the program or as a worker. */
struct tweed__session {
    struct tweed__part part; /* first: see session_here() */
    struct tweed__worker *worker;
    struct tweed__tally *tally, of_guest;
    bool is_guest;    /* the thread got the deque of worker 0 at the session's beginning */
    bool takes_one;   /* the thread takes one job at a time */
    bool leaves_some; /* the thread has left jobs where it stole */
    /* How many jobs of this group the thread has executed and not returned. */
    struct tweed__group_state *owed_to;
    uint64_t owed;
};

/* The innermost session of the calling thread, if the thread is in a task of the team;
   NULL: it is in none. */
static inline struct tweed__session *session_here(const struct tweed__team *team)
{
    struct tweed__part *here = tweed__self.here;

    return here && here->team == team && here->body->manner & TWEED__JOBS
               ? (struct tweed__session *)here
               : NULL;
}

/* Has the calling thread, from outside, the deque of worker 0? */
static inline bool tweed__jobs_is_guest(struct tweed__team *team)
{
    return load_relaxed(&team->guest) == TWEED__THREAD_ID; /* relaxed: only the thread
                                                              itself writes its id there */
}

static inline struct tweed__group_state *group_of_job(const struct tweed__job *job)
{
    return load_relaxed(&job->of_group); /* the thread's own copy, or its own record */
}

/* Is the worker's deque the calling thread's? */
static inline bool has_deque(const struct tweed__worker *w)
{
    return w == tweed__self.worker || (w->index == 0 && tweed__jobs_is_guest(w->team));
}

/* The tally of the calling thread; NULL: a thread from outside that executes no job. */
static inline struct tweed__tally *tally_here(struct tweed__team *team)
{
    struct tweed__worker *w = team_worker(team);
    struct tweed__session *s = w ? NULL : session_here(team);

    return w ? &w->tally : s ? s->tally : NULL;
}

/* Puts the job into the worker's deque, which is the calling thread's; or into the calling
   thread's own.  False: there is no memory, or no deque that is its own. */
bool tweed__jobs_push(struct tweed__worker *w, const struct tweed__job *job);
bool tweed__jobs_push_own(struct tweed__team *team, const struct tweed__job *job);

/* Takes the last job out of the worker's deque, which is the calling thread's.  False:
   there is none. */
bool tweed__jobs_pop(struct tweed__worker *w, struct tweed__job *job);

void tweed__jobs_begin(struct tweed__session *s, struct tweed__team *team);
void tweed__jobs_end(struct tweed__session *s);

/* Executes the job, or drops it, if its group skips.  The job is returned by
   tweed__jobs_return(), or when the thread runs a job of another group. */
void tweed__jobs_run(struct tweed__session *s, struct tweed__job *job);
void tweed__jobs_return(struct tweed__session *s);

#endif

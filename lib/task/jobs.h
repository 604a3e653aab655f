/*
 * jobs.h - tasks of groups, and submitted ones: where they lie, and who executes them.
 *
 * SPDX-License-Identifier: MIT
 *
 * A job is a task that nobody joins for itself (deque.h: struct tweed__job).
 */
#ifndef TWEED_LIB_JOBS_H
#define TWEED_LIB_JOBS_H

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

void tweed__jobs_begin(struct tweed__session *s, struct tweed__team *team);
void tweed__jobs_end(struct tweed__session *s);

/* Makes a job public, which is counted in flight already.  False: there is no memory, and
   the job is still the caller's. */
bool tweed__jobs_spawn(struct tweed__team *team, const struct tweed__job *job);

/* There are jobs in this team from now on: before the first of them is public. */
void tweed__jobs_begun(struct tweed__team *team);

void tweed__jobs_count_spawned(struct tweed__team *team, uint64_t n);

/* A job of a group that is in use is public: wakes threads that sleep and may execute the
   job. */
void tweed__jobs_tell(struct tweed__team *team, struct tweed__group_state *f);

/* Has the calling thread, from outside, the deque of worker 0? */
static inline bool tweed__jobs_is_guest(struct tweed__team *team)
{
    return load_relaxed(&team->guest) == TWEED__THREAD_ID; /* relaxed: only the thread itself
                                                              writes its id there */
}

/* Executes the job, or drops it, if its group skips.  The job is returned by
   tweed__jobs_return(), or when the thread runs a job of another group. */
void tweed__jobs_run(struct tweed__session *s, struct tweed__job *job);
void tweed__jobs_return(struct tweed__session *s);

/* Takes a job; *job is a copy.  False: there was none. */
bool tweed__jobs_take(struct tweed__session *s, struct tweed__job *job);

/* The same of a job that is inside of `outer`. */
enum tweed__found {
    TWEED__NONE,
    TWEED__CARRIED, /* other jobs were in the way, and are in the submission queue now */
    TWEED__FOUND
};
enum tweed__found tweed__jobs_take_within(struct tweed__session *s, tweed__where outer,
                                          struct tweed__job *job);

/* A thread that may have been woken for a job waits no more, and does not look again: it
   wakes another thread, if there is a job. */
void tweed__jobs_leave(struct tweed__team *team);

#endif

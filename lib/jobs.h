/*
 * jobs.h - tasks of groups, and submitted ones: where they lie, and who executes them.
 *
 * SPDX-License-Identifier: MIT
 *
 * A job is a task that nobody joins for itself (deque.h: struct tweed__job).
 */
#ifndef TWEED_LIB_JOBS_H
#define TWEED_LIB_JOBS_H

#include "family.h"

/* Of split in struct tweed__worker. */
#define TWEED__WHOLE UINT32_MAX

/* A thread that executes jobs, in a call from the program or as a worker. */
struct tweed__session {
    struct tweed__part part; /* first: see session_here() */
    struct tweed__worker *worker;
    struct tweed__tally *tally, of_guest;
    bool is_guest;    /* it has come to use the deque of worker 0 */
    bool takes_one;   /* at a time */
    bool leaves_some; /* there was more where it has stolen */
    /* Of this family so many jobs are over that were not returned yet. */
    struct tweed__family *owed_to;
    uint64_t owed;
};

/* The innermost that the calling thread is in, if it is in a task; NULL: it is in none. */
static inline struct tweed__session *session_here(const struct tweed__team *team)
{
    struct tweed__part *here = tweed__self.here;

    return here && here->team == team && here->body->manner & TWEED__JOBS
               ? (struct tweed__session *)here
               : NULL;
}

void tweed__jobs_begin(struct tweed__session *s, struct tweed__team *team);
void tweed__jobs_end(struct tweed__session *s);

/* The job may be executed from now on.  It is in flight.  False: there is no memory, and it
   is the caller's. */
bool tweed__jobs_spawn(struct tweed__team *team, const struct tweed__job *job);

/* There are jobs in this team from now on: before the first of them is public. */
void tweed__jobs_begun(struct tweed__team *team);

void tweed__jobs_count_spawned(struct tweed__team *team, uint64_t n);

/* A job of a family that lives is public: wakes those who sleep and may execute it. */
void tweed__jobs_tell(struct tweed__team *team, struct tweed__family *f);

/* Has the calling thread, from outside, the deque of worker 0? */
static inline bool tweed__jobs_is_guest(struct tweed__team *team)
{
    return load_relaxed(&team->guest) == TWEED__THREAD_ID; /* its own doing */
}

/* The caller executes it, or drops it.  It is returned by the next call of a job of
   another family, or of this one. */
void tweed__jobs_run(struct tweed__session *s, struct tweed__job *job);
void tweed__jobs_return(struct tweed__session *s);

/* A job; *job is a copy.  False: there was none. */
bool tweed__jobs_take(struct tweed__session *s, struct tweed__job *job);

/* The same of one that is inside of that. */
enum tweed__found {
    TWEED__NONE,
    TWEED__CARRIED, /* some that are not were in the way, and are not any more */
    TWEED__FOUND
};
enum tweed__found tweed__jobs_take_within(struct tweed__session *s, tweed__where outer,
                                          struct tweed__job *job);

/* One job that is inside of that is executed, or what is in the way taken away.  False: there
   is nothing. */
bool tweed__jobs_help(struct tweed__team *team, tweed__where outer);

/* A source of work: some jobs.  False: there was none. */
bool tweed__jobs_look(struct tweed__worker *w);

/* A worker that was woken, or waits no more, is about to look. */
void tweed__jobs_awake(struct tweed__team *team);

/* A thread that may have been woken for a job waits no more, and does not look again: another
   one is woken if there is any. */
void tweed__jobs_leave(struct tweed__team *team);

#endif

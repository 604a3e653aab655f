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

/* A thread that executes jobs, in a call from the program or as a worker. */
struct tweed__session {
    struct tweed__part part; /* first: see outer_session() */
    struct tweed__worker *worker;
    struct tweed__tally *tally, of_guest;
    bool is_guest; /* it has come to use the deque of worker 0 */
    /* Of this family so many jobs are over that were not returned yet. */
    struct tweed__family *owed_to;
    uint64_t owed;
};

void tweed__jobs_begin(struct tweed__session *s, struct tweed__team *team);
void tweed__jobs_end(struct tweed__session *s);

/* The job may be executed from now on.  It is in flight.  False: there is no memory, and it
   is the caller's. */
bool tweed__jobs_spawn(struct tweed__team *team, const struct tweed__job *job);

void tweed__jobs_count_spawned(struct tweed__team *team, uint64_t n);

/* There is something in the common queue that belongs to the family: wakes one who sleeps. */
void tweed__jobs_tell(struct tweed__team *team, struct tweed__family *f);

/* The caller executes it, or drops it.  It is returned by the next call of a job of
   another family, or of this one. */
void tweed__jobs_run(struct tweed__session *s, struct tweed__job *job);
void tweed__jobs_return(struct tweed__session *s);

/* A job, or one that is inside of that; *job is a copy.  False: there was none. */
bool tweed__jobs_take(struct tweed__session *s, struct tweed__job *job);
bool tweed__jobs_take_within(struct tweed__session *s, tweed__where outer,
                             struct tweed__job *job);

/* A thread of the team that is about to wait for something: others shall execute what lies
   in its deque. */
void tweed__jobs_leave(struct tweed__worker *w);

/* It executes one job that is inside of that.  False: there was none. */
bool tweed__jobs_help(struct tweed__team *team, tweed__where outer);

/* A source of work: some jobs.  False: there was none. */
bool tweed__jobs_look(struct tweed__worker *w);

/* Whoever was woken, or waits no more, is about to look. */
void tweed__jobs_awake(struct tweed__team *team);

#endif

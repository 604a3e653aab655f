/*
 * jobs.h - tasks of groups, and submitted ones: where they lie, and what executes them.
 *
 * SPDX-License-Identifier: MIT
 *
 * A job is a task that no thread joins for itself (deque.h: struct tweed__job).
 */
#ifndef TWEED_LIB_JOBS_H
#define TWEED_LIB_JOBS_H

#include "task/session.h"

/* Makes a job public, which is counted in flight already.  False: there is no memory, and
   the job is still the caller's. */
bool tweed__jobs_spawn(struct tweed__team *team, const struct tweed__job *job);

/* Notes that the team has jobs from now on: before the first of them is public. */
void tweed__jobs_begun(struct tweed__team *team);

void tweed__jobs_count_spawned(struct tweed__team *team, uint64_t n);

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

#endif

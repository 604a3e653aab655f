/*
 * waking.h - which threads are woken when a job is public.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_WAKING_H
#define TWEED_LIB_WAKING_H

#include "task/session.h"

/* What a job is inside of.  Noted before the job is public: afterwards its group may be
   over. */
struct tweed__inside {
    tweed__where it;
    int slot;
};

static inline struct tweed__inside inside_of_group(struct tweed__group_state *f)
{
    return (struct tweed__inside){ where_of_group(f), f->slot };
}

static inline struct tweed__inside inside_of(const struct tweed__job *job)
{
    return inside_of_group(group_of_job(job));
}

/* A job is public that is inside of *in: wakes threads that sleep and may execute the
   job. */
void tweed__jobs_tell(struct tweed__team *team, const struct tweed__inside *in);

/* Wakes all threads that sleep, whatever they wait for. */
void tweed__jobs_tell_all(struct tweed__team *team);

/* The thread has a job: it wakes the next worker if there are more jobs. */
void tweed__jobs_pass_on(struct tweed__session *s);

/* A thread that may have been woken for a job waits no more, and does not look again: it
   wakes another thread, if there is a job. */
void tweed__jobs_leave(struct tweed__team *team);

#endif

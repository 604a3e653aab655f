/*
 * here.h - what the calling thread is to a team.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_HERE_H
#define TWEED_LIB_HERE_H

#include "team.h"

/* The worker of this team that the calling thread is; NULL: none. */
static inline struct tweed__worker *team_worker(const struct tweed__team *t)
{
    struct tweed__worker *w = tweed__self.worker;

    return w && w->team == t ? w : NULL;
}

/* The calling thread is about to choose victims.  One from outside draws as worker 0 of
   the first team that it looks for work in. */
static inline void seed_thread(const struct tweed__team *t)
{
    if (unlikely(!tweed__self.seed))
        tweed__self.seed = t->workers[0]->seed;
}

#endif

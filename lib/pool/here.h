/*
 * here.h - what the calling thread is to a team.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_HERE_H
#define TWEED_LIB_HERE_H

#include "base/random.h"
#include "pool/team.h"

/* The worker of this team that the calling thread is; NULL: none. */
static inline struct tweed__worker *team_worker(const struct tweed__team *t)
{
    struct tweed__worker *w = tweed__self.worker;

    return w && w->team == t ? w : NULL;
}

/* One of 0 .. n-1 for the calling thread, which looks for work there.  A thread from
   outside draws as worker 0 of the first team that it looks for work in. */
static inline uint32_t draw(const struct tweed__team *t, uint32_t n)
{
    if (unlikely(!tweed__self.seed))
        tweed__self.seed = t->workers[0]->seed;
    return random_below(&tweed__self.seed, n);
}

static inline bool is_near(const struct tweed__worker *a, const struct tweed__worker *b)
{
    return a->group == b->group;
}

/*
 * Is the calling thread in a function of the program's, which tweed has called?
 *
 * Bodies, tasks and conditions stand in tweed__self.here.  All others are counted here:
 * hooks, reports of progress, a task in no team.  Below each such function on the stack
 * stands a call of tweed's with its team: see FORK in registry.c.
 */
static inline void call_begin(void)
{
    tweed__self.calls++;
}

static inline void call_end(void)
{
    tweed__self.calls--;
}

static inline bool is_called(void)
{
    return tweed__self.here || tweed__self.calls;
}

#endif

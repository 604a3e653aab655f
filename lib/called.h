/*
 * called.h - is the calling thread in a function of the program's, which tweed has called?
 *
 * SPDX-License-Identifier: MIT
 *
 * Bodies, tasks and conditions stand in tweed__self.here.  All others are counted here:
 * hooks, reports of progress, a task in no team.  Below each stands a call of
 * tweed's with its team: see FORK in registry.c.
 */
#ifndef TWEED_LIB_CALLED_H
#define TWEED_LIB_CALLED_H

#include "team.h"

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

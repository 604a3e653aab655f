/*
 * sync.h - waiting for tasks, and executing some meanwhile.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_SYNC_H
#define TWEED_LIB_SYNC_H

#include "pool/pool.h"
#include "task/jobs.h"

/* A call about tasks.  Until the call is over its thread is not cancelled, not even
   asynchronously: the thread would never say that it has left. */
struct tweed__stay {
    struct tweed__team *team;
    bool outside; /* the thread is no worker of the team's, and in no task or condition */
    int cancel;
};

/* The call keeps the pool's team from ending until tweed__sync_end().
   TWEED_OK, TWEED_ENOPOOL, TWEED_ECLOSED; TWEED_ENOMEM: there is no team. */
int tweed__sync_begin(struct tweed__stay *stay, tweed_pool *pool);
void tweed__sync_end(struct tweed__stay *stay);

/* A closure of tweed_task_fn and its argument. */
struct tweed__call {
    tweed_task_fn *fn;
    void *arg;
};
int tweed__call(void *closure, int how);

/* The same where tasks in flight keep the team from ending.  The last task may be over
   before the call is: the end of the team waits for calls from outside. */
void tweed__sync_enter(struct tweed__stay *stay, struct tweed__team *team);
void tweed__sync_leave(struct tweed__stay *stay);

/* Returns when no task of the group is in flight. */
void tweed__sync_state(struct tweed__team *team, struct tweed__group_state *f);

/* Executes a job.  False: there was none. */
bool tweed__sync_try(struct tweed__team *team);

/* Executes jobs until the condition is not 0. */
void tweed__sync_until(struct tweed__team *team, int (*condition)(void *arg), void *arg);

#endif

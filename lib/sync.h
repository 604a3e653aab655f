/*
 * sync.h - waiting for tasks, and executing some meanwhile.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_SYNC_H
#define TWEED_LIB_SYNC_H

#include "jobs.h"
#include "pool.h"

/* The team of a call with tasks, which it keeps from ending until tweed__sync_end().
   TWEED_OK, TWEED_ENOPOOL, TWEED_ECLOSED; TWEED_ENOMEM: there is none. */
int tweed__sync_begin(tweed_pool *pool, struct tweed__team **team);
void tweed__sync_end(struct tweed__team *team);

/* A closure of tweed_task_fn and its argument. */
struct tweed__call {
    tweed_task_fn *fn;
    void *arg;
};
int tweed__call(void *closure, int how);

/* The same where tasks in flight keep the pool from ending: their last one may be over
   before the call is.  The team then waits for that, but for its own workers. */
int tweed__sync_enter(struct tweed__team *team);
void tweed__sync_leave(struct tweed__team *team, int entered);

/* Returns when no task of the family is in flight. */
void tweed__sync_family(struct tweed__team *team, struct tweed__family *f);

/* Executes a job and returns true; or a loop in a job's place. */
bool tweed__sync_try(struct tweed__team *team);

/* Executes jobs until the condition is not 0. */
void tweed__sync_until(struct tweed__team *team, int (*condition)(void *arg), void *arg);

#endif

/*
 * above.h - what a room calls in one above it.
 *
 * SPDX-License-Identifier: MIT
 *
 * A team is begun and ended with its tasks, its threads look for work, a loop's caller
 * helps with tasks, and what the environment asks for is shown.  Each of these is declared
 * here and defined above.  All other calls go down, which t/unit/layers.sh looks at.
 */
#ifndef TWEED_LIB_ABOVE_H
#define TWEED_LIB_ABOVE_H

#include "pool/pool.h"
#include "pool/team.h"

/* ---- a loop ---- */

/* A source of work: helps one live loop that has some.  False: there was none. */
bool tweed__work_look(struct tweed__worker *w);

/* Counts a worker whose thread is about to sleep, by its node or by itself; and does not
   count it any more. */
void tweed__counts_sleep(struct tweed__worker *w);

void tweed__counts_wake(struct tweed__worker *w);

/* ---- tasks ---- */

/* The submission queue of a team that starts, and of a team that ends. */
void tweed__queue_begin(struct tweed__team *team);

void tweed__queue_end(struct tweed__team *team);

/* Is any task in flight, of any group, or submitted? */
bool tweed__state_any(struct tweed__team *team);

/* The memory of all groups of a team that ends. */
void tweed__state_end_all(struct tweed__team *team);

/* A source of a worker's work: executes some jobs.  False: there was none. */
bool tweed__jobs_look(struct tweed__worker *w);

/* A thread that was woken, or has spun, is about to look for jobs. */
void tweed__jobs_awake(struct tweed__team *team);

/* Executes one job that is inside of `outer`, or takes away a job that hides some.  False:
   there is neither. */
bool tweed__jobs_help(struct tweed__team *team, tweed__where outer);

/* Is `it` the same as `outer`, or inside of `outer`, at whatever distance?  A guess,
   unless both are in use. */
bool tweed__is_within(struct tweed__team *team, tweed__where it, tweed__where outer);

/* Work is public in slot k: wakes the threads that sleep until a loop or task is over
   which the slot's loop is inside of. */
void tweed__state_tell_outer(struct tweed__team *team, int k, struct tweed__tally *tally);

/* The life of the thread that executes the tasks of a pool of one worker; arg is its
   struct tweed__team.  Returns when the team stops. */
void *tweed__runner_main(void *arg);

/* ---- what is shown ---- */

/* All five under the lock of the registry.  The pool has a team now, or a function of
   progress: the thread that reports is started if it is wanted and is not there.  If no
   thread can be had nothing is reported. */
void tweed__progress_begin(tweed_pool *pool);

/* Takes the pool's function away, and waits until no call of it is under way.  The lock is
   given up meanwhile. */
void tweed__progress_forget(tweed_pool *pool);

/* Is the pool's function being called, by another thread? */
bool tweed__progress_calls(const tweed_pool *pool);

/* The lock is given up until the pool's function, if it is being called, has returned. */
void tweed__progress_wait(const tweed_pool *pool);

/* Is there no team any more?  Then the thread that reports is to end: *thread is to be
   joined when the lock has been given up. */
bool tweed__progress_end(pthread_t *thread);

/* The table of TWEED_STATS=1: one row a worker, and the imbalance; and tasks, if there
   were some.  What cannot be written is given up. */
void tweed__table_print(struct tweed__team *team, const char *name, int fd);

/* At exit, under TWEED_STATS: a line that says how many tasks of groups, and submitted
   ones, are not over, if any is. */
void tweed__table_undone(struct tweed__team *team, const char *name, int fd);

/* The table of TWEED_STATS=loops: one row a name, if any loop was counted. */
void tweed__table_print_loops(int fd);

/* Under the registry's lock, since the machine is looked at.  Writes the options in force
   in a pool, and where each comes from.  team NULL: it could not be started. */
void tweed__display_options(const tweed_pool *pool, const struct tweed__team *team, int fd);

/* Both under the registry's lock.  Before a team starts: begins the trace of
   TWEED_TRACE, once a process. */
void tweed__trace_as_asked(void);

/* The same when a team has started: its workers are in the trace, whether they do anything
   or not. */
void tweed__trace_team(struct tweed__team *team);

#endif

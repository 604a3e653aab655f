/*
 * thread.h - what a worker's thread does.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_THREAD_H
#define TWEED_LIB_THREAD_H

#include <tweed.h>

/* The life of a thread; arg is its struct tweed__worker.  Returns when the team
   stops. */
void *tweed__thread_main(void *arg);

struct tweed__team;

/* Calls a hook of the program's, or NULL, for that worker. */
void tweed__thread_hook(const struct tweed__team *team, int index, tweed_worker_fn *hook);

#endif

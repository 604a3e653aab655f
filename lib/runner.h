/*
 * runner.h - the thread that executes the submitted tasks of a pool of one worker.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_RUNNER_H
#define TWEED_LIB_RUNNER_H

/* The life of that thread; arg is its struct tweed__team.  Returns when the team stops. */
void *tweed__runner_main(void *arg);

#endif

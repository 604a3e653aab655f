/*
 * thread.h - what a worker's thread does.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_THREAD_H
#define TWEED_LIB_THREAD_H

/* The life of a thread; arg is its struct tweed__worker.  Returns when the team
   stops. */
void *tweed__thread_main(void *arg);

#endif

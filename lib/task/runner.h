/*
 * runner.h - the thread that executes the submitted tasks of a pool of one worker.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_RUNNER_H
#define TWEED_LIB_RUNNER_H

#endif

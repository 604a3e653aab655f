/*
 * throw.h - a loop in C++ whose bodies throw.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_SOAK_THROW_H
#define TWEED_T_SOAK_THROW_H

#include <stdbool.h>
#include <tweed.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef bool soak_body(int64_t i, void *arg);

/* body(i, arg) for each index; where it returns true an exception is thrown.  *where:
   the index of the one that is caught: *caught. */
int soak_throwing(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                  int64_t hi, soak_body *body, void *arg, int64_t *where,
                  bool *caught);

#ifdef __cplusplus
}
#endif

#endif

/*
 * error.h - why a call fails: the texts that several calls have in common.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_ERROR_H
#define TWEED_LIB_ERROR_H

#include <stdint.h>
#include <tweed.h>

/* All of them return the code: TWEED_EINVAL where none is given. */

/* An option or argument has this value. */
int tweed__fail_value(const char *option, int64_t value, const char *expected);

/* An option or argument has this text. */
int tweed__fail_text(int code, const char *option, const char *value, const char *wrong);

/* TWEED_ENOPOOL; TWEED_ECLOSED. */
int tweed__fail_pool(const void *pool);
int tweed__fail_closed(const void *pool);

#endif

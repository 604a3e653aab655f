/*
 * no-text.h - failed calls and threads have no text: in place of lib/base/error.c and
 * tweed__self_name().
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_MODEL_NO_TEXT_H
#define TWEED_T_MODEL_NO_TEXT_H

#include "../../lib/base/error.h"
#include "../../lib/base/self.h"

int tweed_fail_(int code, const char *format, ...)
{
    (void)format;
    return code;
}

int tweed__fail_pool(const void *pool)
{
    (void)pool;
    return TWEED_ENOPOOL;
}

int tweed__fail_closed(const void *pool)
{
    (void)pool;
    return TWEED_ECLOSED;
}

int tweed__fail_value(const char *option, int64_t value, const char *expected)
{
    (void)option, (void)value, (void)expected;
    return TWEED_EINVAL;
}

const char *tweed_version(void)
{
    return "";
}

void tweed__self_name(const char *pool, int number, const char *task)
{
    (void)pool, (void)number, (void)task;
}

#endif

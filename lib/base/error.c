/*
 * error.c - the texts of the result codes, what was wrong in a call, and the version.
 *
 * SPDX-License-Identifier: MIT
 *
 * A call that fails returns what tweed_fail_() returns.  So there is a text for each
 * failure, and the text is made nowhere else.  The text is the thread's own, and no call
 * that succeeds touches it.
 */
#include "config.h"

#include "base/error.h"
#include "base/print.h"
#include "base/self.h"
#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/* Room for the longest text, with a value of 60 bytes in it. */
static TWEED__TLS char last[224];

const char *tweed_strerror(int code)
{
    switch (code) {
#define TWEED_ERROR_CASE(name, value, text)                                    \
    case value:                                                                \
        return text;
        TWEED_ERRORS_(TWEED_ERROR_CASE)
#undef TWEED_ERROR_CASE
    default:
        return "unknown tweed result code";
    }
}

int tweed_fail_(int code, const char *format, ...)
{
    int saved = errno;
    int n = snprintf(last, sizeof last, "%s: ", tweed_strerror(code));
    va_list args;

    va_start(args, format);
    (void)vsnprintf(last + n, sizeof last - (size_t)n, format, args);
    va_end(args);
    text_trim(last, sizeof last);
    errno = saved;
    return code;
}

int tweed__fail_value(const char *option, int64_t value, const char *expected)
{
    return tweed_fail_(TWEED_EINVAL, "%s is %lld: expected %s", option, (long long)value,
                       expected);
}

int tweed__fail_text(int code, const char *option, const char *value, const char *wrong)
{
    char shown[61];

    return tweed_fail_(code, "%s is '%s': %s", option,
                       tweed__printable(shown, sizeof shown, value), wrong);
}

int tweed__fail_pool(const void *pool)
{
    return tweed_fail_(TWEED_ENOPOOL, "%p is none, or has been destroyed", pool);
}

int tweed__fail_closed(const void *pool)
{
    return tweed_fail_(TWEED_ECLOSED, "%p", pool);
}

const char *tweed_last_error(void)
{
    return last;
}

const char *tweed_version(void)
{
    return TWEED_VERSION;
}

/*
 * error.c - the texts of the result codes, and the version.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include <tweed.h>

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

const char *tweed_version(void)
{
    return TWEED_VERSION;
}

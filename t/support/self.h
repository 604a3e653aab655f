/*
 * self.h - where a test finds its own program, and what it runs under.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_SELF_H
#define TWEED_T_SELF_H

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* This program's path; "" if there is no /proc.  To run "/proc/self/exe" itself
   would be to run valgrind, where that interprets the test. */
static inline const char *self_path(void)
{
    static char path[PATH_MAX];

    if (!path[0] && readlink("/proc/self/exe", path, sizeof path - 1) < 0)
        path[0] = '\0';
    return path;
}

/* make check-memcheck says so. */
static inline int under_memcheck(void)
{
    return getenv("TWEED_TEST_MEMCHECK") != NULL;
}

#endif

/*
 * self.h - where a test finds its own program, and what it runs under.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_SELF_H
#define TWEED_T_SELF_H

#include <float.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* The process is qemu's, which runs the test: it cannot fork() where there are threads, nor
   execute the test anew. */
static inline int under_qemu(void)
{
    char name[16] = "";
    FILE *f = fopen("/proc/self/comm", "r");

    if (f) {
        if (!fgets(name, sizeof name, f))
            name[0] = '\0';
        fclose(f);
    }
    return strncmp(name, "qemu-", 5) == 0;
}

/* Has the FPU more bits than a double (x87)?  How a sum is rounded then depends on what the
   compiler keeps in registers. */
static inline int has_more_bits(void)
{
    return FLT_EVAL_METHOD != 0;
}

#endif

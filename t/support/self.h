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

/* The process is qemu's, which runs the test.  After a fork() beside other threads qemu 7.2
   starts no thread in the child: it ends itself. */
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

/* execv() of this program; where an emulator runs it, the makefile has the emulator's
   command in EMULATOR, and the kernel is given that.  Returns if it fails. */
static inline void self_execute(const char *const *argv)
{
    static char words[2 * PATH_MAX];
    const char *emulator = getenv("EMULATOR");
    const char *all[32];
    size_t n = 0;

    if (!emulator || !emulator[0]) {
        execv(self_path(), (char *const *)(size_t)argv);
        return;
    }
    snprintf(words, sizeof words, "%s", emulator);
    for (char *at = strtok(words, " "); at && n < 16; at = strtok(NULL, " "))
        all[n++] = at;
    all[n++] = self_path();
    for (size_t k = 1; argv[0] && argv[k] && n < 31; k++)
        all[n++] = argv[k];
    all[n] = NULL;
    execvp(all[0], (char *const *)(size_t)all);
}

/* Has the FPU more bits than a double (x87)?  How a sum is rounded then depends on what the
   compiler keeps in registers. */
static inline int has_more_bits(void)
{
    return FLT_EVAL_METHOD == 1 || FLT_EVAL_METHOD == 2;
}

#endif

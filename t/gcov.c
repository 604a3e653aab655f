/*
 * gcov.c - whoever ends by _exit() or abort() writes its counters, too.
 *
 * SPDX-License-Identifier: MIT
 *
 * Part of the library with --enable-coverage only.  gcov writes what was counted
 * at exit() and before fork() and exec.  But the children of tests end by _exit(),
 * or are made to abort; what they did would go uncounted.  So these two stand
 * here, before the C library's.
 */
#include "config.h"

#include <gcov.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void _exit(int status)
{
    __gcov_dump();
    for (;;)
        syscall(SYS_exit_group, status);
}

void abort(void)
{
    sigset_t just;

    __gcov_dump();
    signal(SIGABRT, SIG_DFL);
    sigemptyset(&just);
    sigaddset(&just, SIGABRT);
    pthread_sigmask(SIG_UNBLOCK, &just, NULL);
    raise(SIGABRT);
    for (;;)
        syscall(SYS_exit_group, 127);
}

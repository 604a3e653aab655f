/*
 * gcov.c - whoever ends by _exit() or abort() writes its counters, too.
 *
 * SPDX-License-Identifier: MIT
 *
 * Part of the library with --enable-coverage only.  gcov writes what was counted
 * at exit() and before exec.  But the children of tests end by _exit(), or are
 * made to abort; what they did would go uncounted.  So these two stand here,
 * before the C library's.
 *
 * gcov counts some of the branches and concludes the others, by what must have
 * come in and gone out.  A thread that is cut off on its way between two of its
 * counters makes that wrong by one (see coverage.sh).  So those that are about to fall
 * asleep are given the time to.
 */
#include "config.h"

#include <gcov.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Before gcov's own destructor, which comes last. */
__attribute__((destructor(101))) static void let_threads_sleep(void)
{
    struct timespec nap = { 0, 5000000 };

    nanosleep(&nap, NULL);
}

void _exit(int status)
{
    let_threads_sleep();
    __gcov_dump();
    for (;;)
        syscall(SYS_exit_group, status);
}

void abort(void)
{
    sigset_t just;

    let_threads_sleep();
    __gcov_dump();
    signal(SIGABRT, SIG_DFL);
    sigemptyset(&just);
    sigaddset(&just, SIGABRT);
    pthread_sigmask(SIG_UNBLOCK, &just, NULL);
    raise(SIGABRT);
    for (;;)
        syscall(SYS_exit_group, 127);
}

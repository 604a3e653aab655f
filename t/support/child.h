/*
 * child.h - runs a function in a process of its own and tells how it ended.
 *
 * SPDX-License-Identifier: MIT
 *
 * A child has a watchdog of its own.
 */
#ifndef TWEED_T_CHILD_H
#define TWEED_T_CHILD_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tsan.h"
#include "watchdog.h"

#if defined(__SANITIZE_ADDRESS__)
#define CHILD_HAVE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHILD_HAVE_ASAN 1
#endif
#endif
#ifndef CHILD_HAVE_ASAN
#define CHILD_HAVE_ASAN 0
#endif

#ifndef CHILD_SECONDS
#define CHILD_SECONDS 100
#endif

/* fork(); the child has a watchdog of its own, since timers are not inherited.  A child
   without one that hangs keeps its parent's pipes open, and the parent waits for ever,
   whoever killed what was between. */
static inline pid_t child_fork(void)
{
    pid_t pid = fork();

    if (pid == 0)
        killed_in(CHILD_SECONDS);
    return pid;
}

/* Waits for a child; its status as waitpid() gives it, -1 if there is none. */
static inline int child_wait(pid_t pid)
{
    int status = -1;

    while (pid > 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return pid > 0 ? status : -1;
}

/* The child runs fn(arg) and leaves with _exit(result).  If it is to say
   something on stderr, text receives the beginning of that. */
static inline int child_run_text(int (*fn)(void *), void *arg, char *text,
                                 size_t size)
{
    static const struct rlimit none = { 0, 0 };
    int ends[2];
    size_t length = 0;
    ssize_t got;
    pid_t pid;

    if (pipe(ends) != 0)
        return -1;
    pid = child_fork();
    if (pid == 0) {
        setrlimit(RLIMIT_CORE, &none); /* some are meant to abort */
        if (text)
            dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        _exit(fn(arg));
    }
    close(ends[1]);
    while (text && length + 1 < size &&
           ((got = read(ends[0], text + length, size - 1 - length)) > 0 ||
            (got < 0 && errno == EINTR)))
        length += got > 0 ? (size_t)got : 0;
    if (text)
        text[length] = '\0';
    close(ends[0]);
    return child_wait(pid);
}

static inline int child_run(int (*fn)(void *), void *arg)
{
    return child_run_text(fn, arg, NULL, 0);
}

static inline int child_exited(int status, int code)
{
    return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == code;
}

static inline int child_killed(int status, int signo)
{
    return status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == signo;
}

/* Is there time for what takes long?  make check-long sets TWEED_TEST_LONG. */
static inline bool is_long(void)
{
    const char *text = getenv("TWEED_TEST_LONG");

    return text && strcmp(text, "yes") == 0;
}

/* How often to do what a test does over and over: TWEED_TEST_ROUNDS, for those
   who have the time, else what make check has time for. */
static inline int rounds(int usual)
{
    const char *text = getenv("TWEED_TEST_ROUNDS");
    int n = text ? atoi(text) : 0;

    if (n > 0)
        return n;
    if (TWEED_HAVE_TSAN)
        usual /= 10;
    else if (CHILD_HAVE_ASAN || under_qemu())
        usual /= 4;
    return usual > 0 ? usual : 1;
}

#endif

/*
 * print.c - what tweed says comes out whole, or is said not to have.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "tap.h"

#include "base/print.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* A file that takes `most` bytes at a time; whose n-th write, from 1, gives
   `result` with `error` instead. */
static struct {
    char text[2000];
    size_t length, most;
    int writes, n;
    ssize_t result;
    int error;
} file;

ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size);

ssize_t __wrap_write(int fd, const void *data, size_t size)
{
    if (fd != -7)
        return __real_write(fd, data, size);
    if (++file.writes == file.n) {
        errno = file.error;
        return file.result;
    }
    if (size > file.most)
        size = file.most;
    if (size > sizeof file.text - file.length)
        size = sizeof file.text - file.length;
    memcpy(file.text + file.length, data, size);
    file.length += size;
    return (ssize_t)size;
}

static void file_with(size_t most, int n, ssize_t result, int error)
{
    memset(&file, 0, sizeof file);
    file.most = most;
    file.n = n;
    file.result = result;
    file.error = error;
}

static int holds(const char *text)
{
    return file.length == strlen(text) &&
           memcmp(file.text, text, file.length) == 0;
}

/* A SIGPIPE that waits for the program is the program's. */
static int leaves_it(void)
{
    sigset_t broken, pending;

    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, NULL);
    raise(SIGPIPE);
    file_with(4, 1, -1, EPIPE);
    return !tweed__print(-7, "%s", "nobody") && file.writes == 1 &&
           sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE);
}

int main(void)
{
    char longest[601];

    plan(8);
    file_with(1000, 0, 0, 0);
    ok(tweed__print(-7, "%s %d\n", "seven", 7) && holds("seven 7\n") &&
           file.writes == 1,
       "a line, by one write");
    file_with(1, 0, 0, 0);
    ok(tweed__print(-7, "%s", "byte by byte") && holds("byte by byte"),
       "by writes of one byte");
    file_with(4, 2, -1, EINTR);
    ok(tweed__print(-7, "%s", "interrupted") && holds("interrupted") &&
           file.writes == 4,
       "interrupted by a signal: goes on");
    file_with(4, 2, -1, ENOSPC);
    ok(!tweed__print(-7, "%s", "no space") && holds("no s") &&
           file.writes == 2,
       "an error: said, and not tried again");
    file_with(4, 2, 0, EINTR);
    ok(!tweed__print(-7, "%s", "stuck here") && file.writes == 2,
       "a file that takes nothing more: the same");
    file_with(1000, 0, 0, 0);
    ok(tweed__print(-7, "%s", "") && file.writes == 0, "nothing: no write");
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    ok(tweed__print(-7, "%s", longest) && file.length == 511 &&
           memcmp(file.text, longest, 511) == 0,
       "what is longer than 511 bytes is cut there");
    ok(leaves_it(), "a pipe that nobody reads: a SIGPIPE from elsewhere stays pending");
    return done_testing();
}

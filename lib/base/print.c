/*
 * print.c - formatted output to a file descriptor.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "base/print.h"

#include "base/atomic.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The signal goes to the thread that writes, and is taken away again where it is new. */
ssize_t tweed__write(int fd, const void *data, size_t n)
{
    static const struct timespec now = { 0, 0 };
    sigset_t broken, before, pending;
    ssize_t written;
    int saved;

    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    sigemptyset(&pending);
    (void)sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    written = write(fd, data, n);
    saved = errno;
    if (written < 0 && saved == EPIPE && !sigismember(&pending, SIGPIPE))
        (void)sigtimedwait(&broken, NULL, &now); /* which does not sleep: no EINTR */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    return written;
}

bool tweed__print(int fd, const char *format, ...)
{
    char text[512];
    const char *at = text;
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n >= (int)sizeof text)
        n = (int)sizeof text - 1;
    while (n > 0) {
        ssize_t written = tweed__write(fd, at, (size_t)n);

        if (written > 0) {
            at += written;
            n -= (int)written;
        } else if (written == 0 || errno != EINTR) {
            return false;
        }
    }
    return n == 0;
}

/* C1, which UTF-8 has in two bytes, are control characters, too. */
static bool is_control(const unsigned char *s)
{
    return *s < 0x20 || *s == 0x7f || (*s == 0xc2 && s[1] < 0xa0);
}

const char *tweed__printable(char *to, size_t size, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t used = 0;

    while (*s) {
        int n = text_character(s);
        bool good = n && !is_control(s);
        size_t more = good ? (size_t)n : 1;

        if (used + more >= size)
            break;
        memcpy(to + used, good ? (const char *)s : "?", more);
        used += more;
        s += n ? n : 1;
    }
    to[used] = '\0';
    return to;
}

size_t tweed__columns(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* Was the file descriptor open when the library was loaded, or first asked? */
static _Atomic int was_open; /* 0: no thread has looked; 1: it was; -1: it was not */

/* Before the program opens files; others' constructors may come first. */
__attribute__((constructor)) static void look(void)
{
    int saved = errno;

    if (load_relaxed(&was_open) == 0) /* relaxed: a figure, the same for all */
        store_relaxed(&was_open, fcntl(STDERR_FILENO, F_GETFD) < 0 ? -1 : 1);
    errno = saved;
}

int tweed__stderr(void)
{
    int saved = errno;
    bool closed = fileno(stderr) != STDERR_FILENO; /* by fclose() */

    errno = saved;
    look();
    return closed || load_relaxed(&was_open) < 0 ? -1 : STDERR_FILENO;
}

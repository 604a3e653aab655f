/*
 * print.c - formatted output to a file descriptor.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "print.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

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
        ssize_t written = write(fd, at, (size_t)n);

        if (written > 0) {
            at += written;
            n -= (int)written;
        } else if (written == 0 || errno != EINTR) {
            return false;
        }
    }
    return n == 0;
}

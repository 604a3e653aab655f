/*
 * print.h - formatted output to a file descriptor.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_PRINT_H
#define TWEED_LIB_PRINT_H

#include <stdbool.h>
#include <sys/types.h>

/* As dprintf(), for up to 511 bytes (a longer text is shortened); false: not all of
   it could be written.  Does not allocate: glibc's dprintf() does, and loses the
   memory if fd cannot be written to. */
__attribute__((format(printf, 2, 3))) bool tweed__print(int fd,
                                                        const char *format, ...);

/* The text as a terminal may have it, in `to`, shortened between characters if need be:
   control characters, and what is no UTF-8, become question marks. */
const char *tweed__printable(char *to, size_t size, const char *text);

/* How many columns such a text takes, a character being one. */
size_t tweed__columns(const char *text);

/* As write(), but for SIGPIPE, which is not raised: what the library has to say is no
   reason to end a program, whose own output may not be written yet. */
ssize_t tweed__write(int fd, const void *data, size_t n);

/* Where messages go: file descriptor 2.  -1: nowhere, the program has closed stderr, or
   was started without it; then any file that the program opens may have the number 2. */
int tweed__stderr(void);

#endif

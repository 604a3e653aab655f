/*
 * print.h - formatted output to a file descriptor.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_PRINT_H
#define TWEED_LIB_PRINT_H

#include <stdbool.h>

/* As dprintf(), for up to 511 bytes (what is longer is cut); false: not all of
   it could be written.  Does not allocate: glibc's dprintf() does, and loses the
   memory if fd cannot be written to. */
__attribute__((format(printf, 2, 3))) bool tweed__print(int fd,
                                                        const char *format, ...);

/* Where messages go: file descriptor 2.  -1: nowhere, the program has closed stderr,
   or was started without it; the number may then be that of any file it opens. */
int tweed__stderr(void);

#endif

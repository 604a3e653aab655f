/*
 * finish.h - the end of a program that prints.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_TOOLS_FINISH_H
#define TWEED_TOOLS_FINISH_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The status to exit with: 1 if stdout did not take what was printed. */
static inline int finish(const char *program, int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "%s: cannot write: %s\n", program, strerror(errno));
    return 1;
}

#endif

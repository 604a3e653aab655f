/*
 * check.c - what a failed assertion says.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

void tweed__check_failed(const char *what, const char *file, int line)
{
    fprintf(stderr, "tweed: %s:%d: violated: %s\n", file, line, what);
    abort();
}

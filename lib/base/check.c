/*
 * check.c - the last words: of a failed assertion, about a body that was left, and about
 * a signal handler.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "base/check.h"
#include "base/print.h"

#include <stdio.h>
#include <stdlib.h>

void tweed__check_failed(const char *what, const char *file, int line)
{
    fprintf(stderr, "tweed: %s:%d: violated: %s\n", file, line, what);
    abort();
}

void tweed__body_was_left(void)
{
    fputs("tweed: a body (or a task, a hook, a report of progress) was left by "
          "a C++ exception, pthread_exit() or longjmp(): a body has to return. For "
          "exceptions use <tweed.hpp>, whose bodies may throw.\n",
          stderr);
    abort();
}

/* Not by stdio, which may have been interrupted, too. */
void tweed__handler_called(void)
{
    (void)tweed__print(tweed__stderr(),
                       "tweed: a signal handler called tweed while tweed was at work: a "
                       "handler may only call tweed_token_set().\n");
    abort();
}

/*
 * tap.h - the Test Anything Protocol, as much of it as we need.
 *
 * SPDX-License-Identifier: MIT
 *
 * A program says plan(n) first, then n times ok(); it ends with
 * `return done_testing();`.  One subject a program, a fixed plan.
 */
#ifndef TWEED_T_TAP_H
#define TWEED_T_TAP_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int tap_planned, tap_run, tap_failed;

static inline void plan(int n)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    tap_planned = n;
    printf("1..%d\n", n);
}

/* The whole program cannot run here, for a reason. */
static inline void skip_all(const char *reason)
{
    printf("1..0 # SKIP %s\n", reason);
    exit(0);
}

__attribute__((format(printf, 2, 3))) static inline int
ok(int good, const char *format, ...)
{
    va_list args;

    printf("%sok %d - ", good ? "" : "not ", ++tap_run);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    tap_failed += !good;
    return good;
}

/* Nothing can be tested here, for a reason that is a failure. */
__attribute__((__noreturn__)) static inline void bail_out(const char *why)
{
    printf("Bail out! %s\n", why);
    exit(99);
}

/* Of a call of tweed's that has to go well: else there is nothing to test. */
static inline void must(int code)
{
    if (code == 0)
        return;
    printf("Bail out! a call gave %d\n", code);
    exit(99);
}

/* n planned tests that cannot run here, for a reason. */
static inline void skip(int n, const char *reason)
{
    while (n-- > 0)
        printf("ok %d # SKIP %s\n", ++tap_run, reason);
}

__attribute__((format(printf, 1, 2))) static inline void
diag(const char *format, ...)
{
    va_list args;

    printf("# ");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

static inline int done_testing(void)
{
    if (tap_run != tap_planned)
        printf("# planned %d tests and ran %d\n", tap_planned, tap_run);
    return tap_failed != 0 || tap_run != tap_planned;
}

#endif

/*
 * check.h - assertions, and what branches are likely.
 *
 * SPDX-License-Identifier: MIT
 *
 * check() is for what can only be wrong by a mistake of tweed's, or of a program that
 * breaks the contract.  It is always compiled, so that it cannot rot, and evaluated with
 * --enable-debug only.
 */
#ifndef TWEED_LIB_CHECK_H
#define TWEED_LIB_CHECK_H

#ifndef TWEED_DEBUG
#define TWEED_DEBUG 0
#endif

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Says on stderr what was wrong and where, and aborts. */
_Noreturn void tweed__check_failed(const char *what, const char *file,
                                   int line);

/* A body was left other than by a return: says so in the words of the body's author, and
   aborts. */
_Noreturn void tweed__body_was_left(void);

/* A signal handler has called tweed in the middle of a call that the handler has
   interrupted, and would wait for that call: says so, and aborts. */
_Noreturn void tweed__handler_called(void);

#define check(condition)                                                       \
    ((void)(TWEED_DEBUG && unlikely(!(condition)) &&                           \
            (tweed__check_failed(#condition, __FILE__, __LINE__), 0)))

#endif

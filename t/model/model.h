/*
 * model.h - what a driver says: the objects, the threads, and what must hold.
 *
 * SPDX-License-Identifier: MIT
 *
 * A driver #includes the sources of lib/ that it checks, sets them up in
 * model_setup(), and names threads that call them.  The explorer (explore.c) runs
 * the threads in every order that the memory model allows; with -DGENMC the same
 * file is a program with real threads and the atomics of C11 (for-genmc.h).
 */
#ifndef TWEED_T_MODEL_H
#define TWEED_T_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each thief makes a heavy fence of its own (lib/range/glance.h). */
#define TWEED__THIEF_FENCE(ns, tally) ((void)(ns), tweed__fence_timed(tally))

/* The driver: called once, before the threads run. */
void model_setup(void);

#ifndef GENMC
/* Something that must hold does not: says so, with the steps that led there. */
#define model_assert(condition)                                                \
    ((condition) ? (void)0 : model_fail(#condition, __FILE__, __LINE__))
_Noreturn void model_fail(const char *what, const char *file, int line);

/* What a driver notes of what happened, and its own conditions look at.  Marks
   are not part of the program: they take no step and order nothing. */
#define MODEL_MARK(type) type
#define mark_of(mark) (mark)
#define mark(mark, value) ((void)((mark) = (value)))
#define mark_one_more(mark) ((mark)++) /* what it was before */

/* A condition that no thread needs to know.  Here looking takes no step, and
   what is seen is the newest; elsewhere it is false. */
#define model_knows(condition) (condition)

/* Within such a condition: what a shared place will hold when all that was stored
   has become visible. */
uint64_t model_newest(const volatile void *place);

/* A number that is given as name=value when the driver is started. */
#define MODEL_NUMBER(name, standard) model_number(#name, standard)
int model_number(const char *name, int standard);

/* Objects.  place: an atomic that the threads share.  figure: an atomic that
   decides nothing: keeps its first value.  own: an atomic that only one thread
   reaches here.  plain: no atomic, checked for races
   when model_touch() says that it is read or written.  memory: any bytes that
   belong to the state (they change with it).  self: bytes of which each thread
   has its own. */
void model_place(volatile void *object, size_t bytes, const char *name);
void model_figure(volatile void *object);
void model_own(volatile void *object, size_t bytes);
void model_plain(volatile void *object, size_t bytes, const char *name);
void model_memory(void *bytes, size_t n);
void model_self(void *bytes, size_t n);
void model_touch(volatile void *plain, bool writes);

/* Threads, numbered from 0.  A mortal one may stop for ever at any step. */
void model_thread(void (*run)(void *), void *arg, bool mortal);

/* Called when all threads that did not stop for ever have returned. */
void model_verify(void (*verify)(void));

/* One of 0 .. n-1: each is tried. */
int model_choose(int n);

/* Goes on only when the condition holds; it looks at memory, not at atomics. */
void model_await(bool (*condition)(void *), void *arg);

/* Looks until the condition, of atomics, holds. */
#define MODEL_SPIN_UNTIL(condition)                                            \
    do {                                                                       \
    } while (!(condition))

/* What the calls before have left on the stack, and what the clock has shown, is
   over: states that differ in that alone are one. */
void model_forget(void);

#else
#include "for-genmc.h"
#endif

#endif

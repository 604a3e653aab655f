/*
 * fiber.h - threads of control that switch only when told to.
 *
 * SPDX-License-Identifier: MIT
 *
 * What checks and simulates tweed runs its threads as fibers of one real thread,
 * so that it alone decides who goes on.  A fiber that is not running is its
 * registers and the part of its stack that is in use: copied away and back, it
 * goes on from the same place any number of times.
 */
#ifndef TWEED_T_FIBER_H
#define TWEED_T_FIBER_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

struct fiber {
    jmp_buf registers;
    char *stack;
    size_t bytes;
    char *low; /* the part of the stack in use begins here */
    void (*run)(void *);
    void *arg;
    bool started;
};

/* Makes a fiber that will execute run(arg), which must never return.  Aborts if
   there is no memory. */
void fiber_make(struct fiber *f, size_t bytes, void (*run)(void *), void *arg);
void fiber_free(struct fiber *f);

/* From outside of fibers: lets f run until it leaves. */
void fiber_enter(struct fiber *f);

/* From within a fiber: back to whoever entered it. */
void fiber_leave(void);

/* The fiber that runs; NULL outside of fibers. */
struct fiber *fiber_current(void);

#endif

/*
 * system.h - the seven functions through which ranges, sleep.c and wait.c reach the
 * system.
 *
 * SPDX-License-Identifier: MIT
 *
 * These files reach the system in no other way, so that a test can put itself here and
 * see every wait, wake, fence, pause, yield and look at the clock.
 */
#ifndef TWEED_LIB_SYSTEM_H
#define TWEED_LIB_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

/* Sleeps while *word == value, unless woken with a mask that shares a bit.  May
   return for no reason at all: the caller loops on its own condition. */
void tweed__futex_wait(_Atomic uint32_t *word, uint32_t value, uint32_t mask);

/* The same, for ns at most. */
void tweed__futex_wait_for(_Atomic uint32_t *word, uint32_t value, uint32_t mask,
                           uint64_t ns);

/* Wakes at most n of the threads that sleep on word with a bit of mask; returns how many
   it woke. */
int tweed__futex_wake(_Atomic uint32_t *word, int n, uint32_t mask);

/* A full fence on every CPU that runs a thread of this process.  False if the
   kernel refused: then nothing was fenced and nothing may be concluded. */
bool tweed__fence_heavy(void);

/* Makes that fence usable in this process: registers for membarrier(2).  Again and
   again does no harm, and a child of fork() has to.  0, or the errno that says why
   the exchange mode must do.  Called by none of those files. */
int tweed__fence_register(void);

/* Lets the CPU know that this is a spin loop. */
void tweed__pause(void);

/* Lets another thread have the CPU, if one is ready to run. */
void tweed__yield(void);

/* Monotonic, ns. */
uint64_t tweed__clock(void);

#endif

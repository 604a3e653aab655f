/*
 * number.h - a number for each thread that asks for one.
 *
 * SPDX-License-Identifier: MIT
 *
 * Numbers are small, from 0 on: what there is for each thread is kept in a table.  No two
 * threads have the same number at a time.  The number of a thread that has ended goes to a
 * later thread, with all that the table has there.
 */
#ifndef TWEED_LIB_NUMBER_H
#define TWEED_LIB_NUMBER_H

#define TWEED__NUMBERS 65536

/* To be called before the first number is asked for; under the registry's lock. */
void tweed__number_prepare(void);

/* The calling thread's number; -1: so many threads have one already. */
int tweed__number(void);

/* In the child of a fork(): the threads of the parent are none of its own. */
void tweed__number_after_fork(void);

#endif

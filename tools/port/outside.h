/*
 * outside.h - what outside.c has found in the tokens of all files, for called.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_PORT_OUTSIDE_H
#define TWEED_PORT_OUTSIDE_H

#include "port.h"

/* Places of the file that ask for the thread; NOWHERE: in another file; NOWHERE - 1: ported
   already. */
extern unsigned *askings;
extern int asking_count;
extern bool has_own; /* variables that each thread has */

/* Does a function of OpenMP give another value to each thread, or to each team? */
bool is_name_of_thread(const char *name);

bool is_threadprivate(const char *name);

/* Why this text must stay OpenMP's, by what was found in it; NULL: nothing was. */
const char *why_spot(unsigned lo, unsigned hi);

#endif

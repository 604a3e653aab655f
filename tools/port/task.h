/*
 * task.h - what the porting of tasks in C and in C++ shares.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PORT_TASK_H
#define PORT_TASK_H

#include "port.h"

bool is_task_word(const directive *d);
int body_of(int function);
bool is_inside(unsigned at, int n);
/* The innermost directive of these words around a place, or -1. */
int construct_around(unsigned at, unsigned words);
bool task_clauses_fit(directive *d);
bool is_static(int v);
int without_braces(int statement);
/* Does nothing leave it, and is nothing in it left alone? */
bool is_sound(const directive *d, int statement);
bool *no_visits(void);
bool reaches(unsigned lo, unsigned hi, bool *visited); /* a function with tasks */
int start_of_tasks(int number);                        /* the single of a region, or -1 */
void port_start(int number);
bool locks_fit(void); /* task_locks.c: none is held where tasks start */
bool leaves_in_thread(unsigned lo, unsigned hi); /* a lock, or errno */
char *comments_between(unsigned lo, unsigned hi, const char *indent);
char *lines_at(const char *lines, const char *indent);
char *condition_of(const directive *d);

/* ---- task_cxx.c ---- */

bool port_tasks_cxx(void);
bool reaches_cxx(unsigned lo, unsigned hi, bool *visited);

#endif /* PORT_TASK_H */

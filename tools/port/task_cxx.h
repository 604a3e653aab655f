/*
 * task_cxx.h - functions with tasks in them, in C++.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PORT_TASK_CXX_H
#define PORT_TASK_CXX_H

#include "task.h"

typedef struct scope { /* what spawns */
    int owner;         /* directive: a task, or a single; -1: the function */
    int function;
    int body; /* a statement */
    int depth;
    const char *group;
    int tasks, waits;
} scope;

typedef struct invocation { /* a call of parallel_invoke() */
    int block;
    int *tasks, count;
    int first, last; /* statements beside the tasks: the last callable; or -1 */
    int wait;        /* directive, or -1 */
} invocation;

extern scope *scopes;
extern int scope_count;
extern bool is_chained; /* groups know each other */
extern invocation *invocations;
extern int invocation_count;
extern int *all_functions; /* nodes */
extern int function_count;

scope *scope_of(int owner, int function);
int start_with(int single);
const scope *scope_with(int number);
bool is_function_node(int n);
bool names_function(int n, int function);
int named_function_of(unsigned at);
bool is_named_alone(int function, bool *visited);
bool is_shared_in(int number, int v);
char *captures_of(int number);
int ancestor(int n, bool (*is)(int));
bool is_block(int n);
bool is_any_loop(int n);
bool may_leave(int function, unsigned lo, unsigned hi);
bool is_waited_in(int number, int home);
bool is_over(int number, unsigned place);
bool outlives(int number, int v);
void read_names(void);
invocation *invocation_of(int number, int *place);
bool is_alone(int number);
void find_invocations(void);
void put_task(int number);
void put_wait(int number);
bool put_group(const scope *s);

#endif /* PORT_TASK_CXX_H */

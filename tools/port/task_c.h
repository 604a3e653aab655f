/*
 * task_c.h - functions with tasks in them, in C.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PORT_TASK_C_H
#define PORT_TASK_C_H

#include "making.h"
#include "task.h"

typedef struct batch { /* tasks of one kind, one after the other */
    const char *kind;
    int target;    /* variable that gets the result, or -1 */
    char *counter; /* NULL: each of them is spawned, and once */
    int count;     /* of its directives */
} batch;

typedef struct spawned {
    int number; /* directive */
    int unit;
    int call;   /* node; -1: it moves */
    int callee; /* task function */
    int target;
    const char *kind;
} spawned;

typedef struct spawner {
    int node; /* the function's */
    int body;
    const char *name, *task;
    spawned *all;
    int count;
    batch *units;
    int unit_count;
    int *waits; /* directives: taskwait, taskgroup */
    int wait_count;
    bool jumps, breaks;
} spawner;

extern spawner *forks;
extern int fork_count;

spawner *fork_of(int function);
int called_function(int at);
bool is_shared(const directive *d, int v);
bool is_task_call(int n, const spawner *from, int *callee);
bool port_tasks_c(void);
unsigned place_of_wait(const spawner *f, int k);
bool is_pending(const spawner *f, const spawned *s, unsigned at);
bool make_units(spawner *f);
char *sync_text(const spawner *f, unsigned at);
long long with_member(long long bytes, CXType t); /* the size of a struct, a member more */
bool put_function(spawner *f);

#endif /* PORT_TASK_C_H */

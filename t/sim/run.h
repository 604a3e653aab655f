/*
 * run.h - the program that is simulated: a loop, tasks, or submitted tasks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_SIM_RUN_H
#define TWEED_T_SIM_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <tweed.h>

#define PROGRAMS "index|range|tasks|groups|group|submit|front|batch|close|abandon"

/*
 * index    a loop by index; range: by range
 * tasks    a tree of TWEED_TASK that divides the indices in halves, down to one
 * groups   the same tree of group tasks, each with a group of its own, which it syncs
 * group    the same tree in one group, which the caller syncs
 * submit   each of some callers submits its part of the tasks, one by one, and drains
 * front    the same, in front of all others
 * batch    each submits batches of `grain` tasks (0: one batch), and drains
 * close    while they submit one by one, another thread closes the pool, and drains it
 * abandon  the same, and abandons it
 */
struct program {
    const char *name;
    bool is_loop;      /* indices are counted by the library */
    bool is_fork;      /* tasks of TWEED_TASK */
    bool is_queue;     /* from outside, by `callers` */
    bool ends;         /* not all are executed */
    int (*run)(tweed_pool *pool);
};

/* NULL: there is none such. */
const struct program *run_find(const char *name);

/* What to do; set before run(). */
extern struct run {
    int64_t n, grain;
    int callers;       /* of the queue; each is a thread */
    double close_ns;   /* from the beginning to the close */
    const double *ns;  /* that the body of each index takes */
    unsigned char *count; /* how often each was executed */

    /* What was done. */
    double end;         /* when the last caller went on, by the clock of the machine */
    uint64_t spawned, executed, dropped;
} run;

#endif

/*
 * affinity.h - on which CPUs the worker threads run.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_AFFINITY_H
#define TWEED_LIB_AFFINITY_H

#include "base/atomic.h"
#include "system/plan.h"

#include <sched.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

struct tweed__team;

/* The CPUs of a team whose workers have one each.  All but
   `seen`, `crowd` and what is constant is read and written by whoever has `moving`. */
struct tweed__affinity {
    /* The CPU that the outside caller was on when it was last looked after. */
    alignas(128) _Atomic int seen;
    /* Twice the loops that were started, and the wakes for tasks, while another outside
       caller was at work, less those of a caller alone; 0 to a bound. */
    _Atomic int crowd;
    _Atomic uint32_t moving; /* 1: somebody is moving workers */
    bool loose;              /* the workers are bound to their nodes */
    /* Constant. */
    bool cores_do; /* each worker was planned for a core of its own */
    int num_cpus, num_nodes;
    struct tweed__cpu *cpus;
    int *distances; /* of the nodes, as in the topology */
    int *home;      /* of each worker: the place that it was planned for */

    int *worker_on; /* who is bound to each CPU; 0: nobody */
};

/* Which binding there is when this one was asked for. */
int tweed__affinity_bind(const struct tweed__topology *t, int bind, int workers);

/* The CPUs, of so many, that a worker which is planned for `cpu` may run on; to be
   freed by CPU_FREE().  NULL: out of memory. */
cpu_set_t *tweed__affinity_mask(const struct tweed__cpu *cpus, int num_cpus,
                             const struct tweed__cpu *cpu, int bind,
                             size_t *bytes);

/* Notes that the team's workers have been bound to CPUs; if there is no memory for that
   they stay where they are. */
void tweed__affinity_begin(struct tweed__team *team,
                        const struct tweed__topology *t,
                        const struct tweed__plan *plan);
void tweed__affinity_end(struct tweed__team *team);

/* An outside caller shares a loop, or wakes somebody for a task; among others: so does
   another one just now.  If a worker is bound to the caller's CPU it is moved to the one
   that is free. */
void tweed__affinity_caller(struct tweed__team *team, bool among_others);

#endif

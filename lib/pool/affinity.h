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

/* The CPUs of a team whose workers have one each.  Any thread reads `seen`, `crowd` and
   what is constant.  All else is for the thread alone that has `moving`. */
struct tweed__affinity {
    /* The CPU that an outside caller was last seen on; -1: none. */
    alignas(128) _Atomic int seen;
    /* Twice the loops that were started, and the wakes for tasks, while another outside
       caller was at work, less those of a caller alone; 0 to a bound. */
    _Atomic int crowd;
    _Atomic uint32_t moving; /* 1: a thread is moving workers */
    bool loose;              /* the workers are bound to their nodes */
    /* Constant. */
    bool cores_do; /* each worker was planned for a core of its own */
    int num_cpus, num_nodes;
    struct tweed__cpu *cpus;
    int *distances; /* of the nodes, as in the topology */
    int *home;      /* of each worker: the place that it was planned for */

    int *worker_on; /* the worker that is bound to each CPU; 0: none */
};

/* Which binding so many workers get when `bind` was asked for. */
int tweed__affinity_bind(const struct tweed__topology *t, int bind, int workers);

/* The CPUs, of so many, that a worker which is planned for `cpu` may run on; to be
   freed by CPU_FREE().  NULL: out of memory. */
cpu_set_t *tweed__affinity_mask(const struct tweed__cpu *cpus, int num_cpus,
                             const struct tweed__cpu *cpu, int bind,
                             size_t *bytes);

/* Notes to which CPUs the team's workers are bound; if there is no memory for that the
   workers are not moved. */
void tweed__affinity_begin(struct tweed__team *team,
                        const struct tweed__topology *t,
                        const struct tweed__plan *plan);
void tweed__affinity_end(struct tweed__team *team);

/* An outside caller shares a loop, or wakes a worker for a task; among_others: so does
   another outside caller just now.  A worker that is bound to the caller's CPU is moved to
   a free one. */
void tweed__affinity_caller(struct tweed__team *team, bool among_others);

#endif

/*
 * plan.h - which workers a team has: where each belongs, and which are near each other.
 *
 * SPDX-License-Identifier: MIT
 *
 * Workers stand in the order of the topology's CPUs.  So the workers of a node stand next
 * to each other, and the workers of a domain, and so do their shares of a loop.
 */
#ifndef TWEED_LIB_PLAN_H
#define TWEED_LIB_PLAN_H

#include "system/topology.h"

/* The workers [begin, end). */
struct tweed__span {
    int begin, end;
};

/* The workers of one node. */
struct tweed__group {
    int begin, end, node; /* node: the system's number */
};

struct tweed__plan {
    int num_workers;
    struct tweed__cpu *workers;  /* the CPU of each */
    struct tweed__span *domains; /* of each worker: the workers of its domain */
    int num_groups;
    struct tweed__group *groups;
    int *nearness; /* row g: all groups, the nearest to g first, g itself first */
    bool uneven;   /* some workers can do more than others */
    uint32_t *before; /* for each worker, what all workers before can do; and for all */
};

/* Chooses a CPU for each of n workers: cores first; if there are more workers
   than CPUs, each CPU gets its share.  False: out of memory. */
bool tweed__plan_make(struct tweed__plan *plan,
                      const struct tweed__topology *t, int n);

/* Fills in the rest for the first n of the workers, which are bound so (TWEED_BIND_...).
   A worker that is bound to its node may be in any domain there, and can do what the
   workers of the node can on average. */
void tweed__plan_arrange(struct tweed__plan *plan, const struct tweed__topology *t,
                         int n, int bind);

void tweed__plan_free(struct tweed__plan *plan);

#endif

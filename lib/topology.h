/*
 * topology.h - the CPUs that the process may use, and how near they are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_TOPOLOGY_H
#define TWEED_LIB_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tweed__cpu {
    int cpu;    /* the system's number */
    int node;   /* place in tweed__topology.nodes */
    int thread; /* hardware thread of its core: 0 is the first */
};

/* Nodes stand in an order in which neighbours are near: each is the nearest of
   those left to the one before.  CPUs stand node by node, and within a node
   cores before further hardware threads. */
struct tweed__topology {
    int num_cpus, num_nodes;
    struct tweed__cpu *cpus;
    int *nodes;          /* the system's numbers */
    int *distances;      /* num_nodes x num_nodes, 10: local */
    int64_t quota;       /* thousandths of a CPU; 0: none */
    bool synthetic;      /* made up: do not bind, do not place */
    const char *source;  /* where it comes from, in words */
};

/* Where each worker of a pool goes, in the order of the topology. */
struct tweed__plan {
    int num_workers;
    struct tweed__cpu *workers;
};

/* The machine as it is now, cut down to the affinity mask of the process; or
   TWEED_TOPOLOGY.  NULL: out of memory.  One thread at a time. */
struct tweed__topology *tweed__topology_get(void);
void tweed__topology_free(struct tweed__topology *t);

/* The process is ending: from now on do without libnuma.  One thread at a time, as
   tweed__topology_get(). */
void tweed__topology_close(void);

/* "nodes:N,cpus:M[,threads:T][,distance:D]".  NULL: not that (*wrong says what is
   wrong then, and is NULL otherwise), or no memory. */
struct tweed__topology *tweed__topology_parse(const char *text,
                                              const char **wrong);

/* Orders nodes and CPUs as said above; for those who fill one in themselves. */
void tweed__topology_order(struct tweed__topology *t);

/* The distance between two nodes, by the system's numbers. */
int tweed__topology_distance(const struct tweed__topology *t, int from, int to);

/* Are all CPUs of the list (cpus.h) in it? */
bool tweed__topology_has(const struct tweed__topology *t, const char *list);

/* Cuts it down to the CPUs of the list; if it has none of them it stays as it is. */
void tweed__topology_keep(struct tweed__topology *t, const char *list);

/* How many workers suit it: a worker a CPU, but no more than the quota. */
int tweed__topology_workers(const struct tweed__topology *t);

/* Thousandths of a CPU that the process can really use at a time. */
int64_t tweed__topology_capacity(const struct tweed__topology *t);

/* Chooses a CPU for each of n workers: cores first; if there are more workers
   than CPUs, each CPU gets its share.  False: out of memory. */
bool tweed__plan_make(struct tweed__plan *plan,
                      const struct tweed__topology *t, int n);
void tweed__plan_free(struct tweed__plan *plan);

/* The nearest node that has memory: the node itself, unless it has none. */
int tweed__memory_node(int node);

/* Asks for memory at [address, address + bytes) to be on a node (the system's
   number), or the nearest that has memory, when it is touched.  A wish: failing
   is no error. */
void tweed__place_memory(void *address, size_t bytes, int node);

/* The affinity mask as CPU numbers, ascending, of a thread (0: the caller's);
   the count, or -1.  *cpus is to be freed. */
int tweed__affinity(int thread, int **cpus);

#endif

/*
 * topology.h - the CPUs that the process may use, and how near they are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_TOPOLOGY_H
#define TWEED_LIB_TOPOLOGY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TWEED__MAX_WORKERS 4094 /* of a pool: they fit into the tid of a range (range.h) */

#define TWEED__LOCAL 10  /* distances, as the kernel gives them */
#define TWEED__REMOTE 20
#define TWEED__NO_DOMAIN INT_MAX
#define TWEED__CAPACITY 1024
#define TWEED__SMALL_CORE 604 /* of a machine of two kinds, see sysfs.c */

/* A domain: the CPUs of one node that share a last-level cache. */
struct tweed__cpu {
    int cpu;    /* the system's number */
    int node;   /* place in tweed__topology.nodes */
    int domain; /* domains have numbers from 0 on, in the order of their CPUs; before
                   tweed__topology_order(): any, but the same for CPUs of one cache;
                   TWEED__NO_DOMAIN: no cache is known */
    int core;   /* a number of its own for each core */
    int thread; /* hardware thread of its core: 0 is the first */
    int capacity; /* what the CPU can do alone on its core, 1 to TWEED__CAPACITY; 0: all */
    int sharers; /* in a plan: how many threads of its core have workers */
};

/* Nodes stand in an order in which neighbours are near: of the nodes that are left the
   nearest comes next.  CPUs stand node by node, in a node domain by domain, and within a
   domain cores before further hardware threads. */
struct tweed__topology {
    int num_cpus, num_nodes;
    struct tweed__cpu *cpus;
    int *nodes;          /* the system's numbers */
    int *distances;      /* num_nodes x num_nodes, 10: local */
    int64_t quota;       /* thousandths of a CPU; 0: none */
    bool synthetic;      /* made up: do not bind, do not place */
    const char *source;  /* where it comes from, in words */
};

/* The machine as it is now, without the CPUs that the process's affinity mask lacks; or
   TWEED_TOPOLOGY.  NULL: out of memory.  One thread at a time. */
struct tweed__topology *tweed__topology_get(void);
void tweed__topology_free(struct tweed__topology *t);

/* A topology of so many CPUs and nodes, with nothing in it; NULL: out of memory. */
struct tweed__topology *tweed__topology_new(int num_cpus, int num_nodes);

/* The process is ending: from now on do without libnuma.  One thread at a time, as
   tweed__topology_get(). */
void tweed__topology_close(void);

/* A made-up machine, from TWEED_TOPOLOGY as options.def has it.  NULL: the text is wrong
   (*wrong says how, and is NULL otherwise), or there is no memory. */
struct tweed__topology *tweed__topology_parse(const char *text,
                                              const char **wrong);

/* Orders nodes, domains and CPUs as said above, once all are filled in.  Caches that
   single cores have are no domains: those cores are one domain together. */
void tweed__topology_order(struct tweed__topology *t);

/* Fills in which thread of its core each CPU is, of the CPUs that there are. */
void tweed__topology_count_threads(struct tweed__topology *t);

/* Compares two CPUs of one topology, for qsort(): in which order do they stand? */
int tweed__topology_in_order(const void *a, const void *b);

/* The distance between two nodes, by the system's numbers. */
int tweed__topology_distance(const struct tweed__topology *t, int from, int to);

/* Are all CPUs of the list (cpus.h) in the topology? */
bool tweed__topology_has(const struct tweed__topology *t, const char *list);

/* Keeps only the CPUs of the list; a topology that has none of them stays as it is. */
void tweed__topology_keep(struct tweed__topology *t, const char *list);

/* How many workers suit the machine: a worker a CPU, but no more than the quota. */
int tweed__topology_workers(const struct tweed__topology *t);

/* Thousandths of a CPU that the process can really use at a time. */
int64_t tweed__topology_capacity(const struct tweed__topology *t);

/* The nearest node that has memory: the node itself, unless it has none. */
int tweed__memory_node(int node);

/* The affinity mask as CPU numbers, ascending, of a thread (0: the caller's);
   the count, or -1.  *cpus is to be freed. */
int tweed__topology_mask(int thread, int **cpus);

#endif

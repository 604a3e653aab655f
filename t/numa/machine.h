/*
 * machine.h - the emulated machine, as whoever made it says that it is.
 *
 * SPDX-License-Identifier: MIT
 *
 * What the library says is compared with this, and not with libnuma or /sys, where the
 * library has it from.
 */
#ifndef TWEED_T_MACHINE_H
#define TWEED_T_MACHINE_H

#include "system/cpus.h"
#include "pool/pool.h"
#include "pool/team.h"
#include "system/topology.h"

#include <errno.h>
#include <numaif.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tweed.h>
#include <unistd.h>

#define MACHINE_CPUS 256
#define MACHINE_NODES 16
#define MACHINE_PAGE 4096

static struct machine {
    int num_cpus, num_nodes;
    struct {
        int node, core;
        bool allowed; /* the process may use it: TWEED_TEST_CPUS, or all */
    } cpus[MACHINE_CPUS];
    struct {
        int mib;  /* of memory that the process may have: TWEED_TEST_NODES, or all */
        int cpus; /* that are allowed */
    } nodes[MACHINE_NODES];
    int distances[MACHINE_NODES][MACHINE_NODES];
    int allowed[MACHINE_CPUS], num_allowed; /* the CPUs of these, ascending */
} machine;

static inline void machine_fact(const char *line)
{
    int a, b, c;

    if (sscanf(line, "cpu %d %d %d", &a, &b, &c) == 3 && a < MACHINE_CPUS) {
        machine.cpus[a].node = b;
        machine.cpus[a].core = c;
        machine.num_cpus++;
    } else if (sscanf(line, "node %d %d", &a, &b) == 2 && a < MACHINE_NODES) {
        machine.nodes[a].mib = b;
        machine.num_nodes++;
    } else if (sscanf(line, "distance %d %d %d", &a, &b, &c) == 3 &&
               a < MACHINE_NODES && b < MACHINE_NODES) {
        machine.distances[a][b] = c;
    } else {
        printf("Bail out! a line of the machine's description: %s", line);
        exit(99);
    }
}

/* Outside of such a machine there is nothing to be said. */
static inline void machine_read(void)
{
    const char *list = getenv("TWEED_TEST_CPUS");
    const char *nodes = getenv("TWEED_TEST_NODES");
    FILE *f = getenv("TWEED_TEST_MACHINE") ? fopen(getenv("TWEED_TEST_MACHINE"), "r")
                                           : NULL;
    char line[80];

    if (!f)
        skip_all("not in an emulated machine: make check-numa");
    alarm(200); /* a test that hangs fails, and the others go on */
    while (fgets(line, sizeof line, f))
        machine_fact(line);
    fclose(f);
    for (int c = 0; c < machine.num_cpus; c++) {
        machine.cpus[c].allowed = !list || tweed__cpus_has(list, c);
        if (!machine.cpus[c].allowed)
            continue;
        machine.allowed[machine.num_allowed++] = c;
        machine.nodes[machine.cpus[c].node].cpus++;
    }
    for (int i = 0; i < machine.num_nodes; i++)
        if (nodes && !tweed__cpus_has(nodes, i)) /* a list of numbers is one */
            machine.nodes[i].mib = 0;
}

/* Of a CPU's number that somebody else has told. */
static inline bool machine_may_use(int cpu)
{
    return cpu >= 0 && cpu < machine.num_cpus && machine.cpus[cpu].allowed;
}

/* What a CPU can do, in eighths of a core that one thread has for itself.  The two
   threads of a core do a quarter more together than one alone: ten. */
static inline int machine_power(int cpu)
{
    int threads = 0;

    for (int i = 0; i < machine.num_allowed; i++)
        threads += machine.cpus[machine.allowed[i]].core == machine.cpus[cpu].core;
    return threads < 2 ? 8 : 10 / threads;
}

static inline int machine_nodes_with_cpus(void)
{
    int n = 0;

    for (int i = 0; i < machine.num_nodes; i++)
        n += machine.nodes[i].cpus > 0;
    return n;
}

/* The least distance from a node to one that has memory. */
static inline int machine_memory_distance(int node)
{
    int least = 1 << 20;

    for (int i = 0; i < machine.num_nodes; i++)
        if (machine.nodes[i].mib && machine.distances[node][i] < least)
            least = machine.distances[node][i];
    return least;
}

/* May what belongs to `node` lie on node `memory`? */
static inline bool machine_is_near(int node, int memory)
{
    return node >= 0 && node < machine.num_nodes && memory >= 0 &&
           memory < machine.num_nodes && machine.nodes[memory].mib &&
           machine.distances[node][memory] == machine_memory_distance(node);
}

/* ---- the calling thread ---- */

static inline void caller_goes_to(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        printf("Bail out! cannot go to CPU %d: %s\n", cpu, strerror(errno));
        exit(99);
    }
}

static inline void caller_goes_anywhere(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    for (int i = 0; i < machine.num_allowed; i++)
        CPU_SET((size_t)machine.allowed[i], &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* ---- pools ---- */

/* A pool with a worker for each CPU.  The caller goes to where worker 0 is planned, so
   that nobody has to make way. */
static inline tweed_pool *machine_pool(void)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;
    tweed_pool *pool;

    caller_goes_anywhere(); /* the first thread's CPUs are the process's */
    must(tweed_pool_create(&pool, &o));
    caller_goes_to(tweed__pool_team(pool)->workers[0]->cpu);
    return pool;
}

static inline int node_of_worker(tweed_pool *pool, int w)
{
    return tweed__pool_team(pool)->workers[w]->node;
}

/* The nodes that pages lie on; below 0: an errno, of a page that was never touched
   ENOENT. */
static inline void nodes_of_pages(void *address, int n, int *nodes)
{
    void **pages = malloc((size_t)n * sizeof *pages);

    for (int i = 0; pages && i < n; i++)
        pages[i] = (char *)address + (size_t)i * MACHINE_PAGE;
    if (!pages || move_pages(0, (unsigned long)n, pages, NULL, nodes, 0) != 0) {
        printf("Bail out! move_pages: %s\n", strerror(errno));
        exit(99);
    }
    free(pages);
}

/* ---- all workers of a pool at the same time ---- */

/* Where so many threads wait for each other, asleep: emulated CPUs that look again and
   again keep each other from running. */
static pthread_barrier_t gathering;

static inline void gather_so_many(int n)
{
    pthread_barrier_init(&gathering, NULL, (unsigned)n);
}

static inline void gather(void)
{
    pthread_barrier_wait(&gathering);
}

struct meeting {
    void (*body)(int worker, void *arg); /* called by each when all have come */
    void *arg;
};

static inline void meeting_body(int64_t i, void *arg)
{
    struct meeting *m = arg;

    (void)i;
    gather();
    m->body(tweed_worker_index(), m->arg);
    gather();
}

/* A static loop of one index for each worker: all are in their bodies at a time.  Where
   there are as many blocks as workers each has one, whatever its CPU can do. */
static inline int meet(tweed_pool *pool, void (*body)(int worker, void *arg), void *arg)
{
    struct meeting m = { body, arg };
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    int n = tweed_pool_num_workers(pool), code;

    gather_so_many(n);
    o.schedule = TWEED_SCHEDULE_STATIC;
    code = tweed_parallel_for_with(pool, &o, 0, n, meeting_body, &m);
    pthread_barrier_destroy(&gathering);
    return code;
}

#endif

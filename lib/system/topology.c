/*
 * topology.c - the machine: nodes, CPUs and distances; the affinity mask.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nodes come from libnuma where it was found at configure time.  The way goes
 * from the CPUs of the mask to their nodes, never over all node numbers: so
 * nodes without CPUs, nodes without memory and gaps in the numbers need no care.
 * Without libnuma, or where /sys does not show nodes, there is one flat node.
 *
 * The mask is that of the process's first thread, not of the thread that happens
 * to start the pool: the program may have bound that thread.
 */
#include "config.h"

#include "system/topology.h"
#include "base/options.h"
#include "system/cgroup.h"
#include "system/cpus.h"
#include "system/sysfs.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if HAVE_LIBNUMA
#include <numa.h>
#endif

int tweed__topology_mask(int thread, int **result)
{
    for (int n = 1024; n <= TWEED__MOST_CPUS; n *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)n);
        size_t bytes = CPU_ALLOC_SIZE((size_t)n);
        int count = 0, error = ENOMEM;

        if (set && sched_getaffinity(thread, bytes, set) == 0) {
            int *cpus = malloc((size_t)CPU_COUNT_S(bytes, set) * sizeof *cpus +
                               sizeof *cpus);

            for (int c = 0; cpus && c < n; c++)
                if (CPU_ISSET_S((size_t)c, bytes, set))
                    cpus[count++] = c;
            CPU_FREE(set);
            *result = cpus;
            return cpus && count ? count : (free(cpus), -1);
        }
        if (set) {
            error = errno;
            CPU_FREE(set);
        }
        if (error != EINVAL) /* EINVAL: the kernel has more CPUs than n */
            break;
    }
    return -1;
}

#if HAVE_LIBNUMA
/* libnuma reports what it cannot read on stderr, and guesses; look first. */
static bool cpumap_is_sound(int node)
{
    char path[64];
    int c, n = 0;

    snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpumap", node);
    FILE *f = fopen(path, "re");

    if (!f)
        return false;
    while ((c = getc(f)) != EOF && c != '\0' &&
           strchr("0123456789abcdef,\n", c))
        n++;
    fclose(f);
    return n > 0 && c == EOF;
}

/* libnuma frees its tables in a destructor of its own, after ours, while other
   threads may still be starting pools. */
static bool numa_is_gone;

void tweed__topology_close(void)
{
    numa_is_gone = true;
}

static bool nodes_are_sound(void)
{
    if (numa_is_gone || numa_available() < 0)
        return false;
    for (int node = 0; node <= numa_max_node(); node++)
        if (numa_bitmask_isbitset(numa_nodes_ptr, (unsigned)node) &&
            !cpumap_is_sound(node))
            return false;
    return true;
}

static int node_of(int cpu)
{
    int node = numa_node_of_cpu(cpu);

    return node < 0 ? 0 : node;
}

static int distance(int from, int to)
{
    int d = numa_distance(from, to);

    return d > 0 ? d : from == to ? TWEED__LOCAL : TWEED__REMOTE;
}

static const char libnuma_source[] = "libnuma";
static const char flat_source[] = "one flat node (/sys shows no nodes)";
#else
static bool nodes_are_sound(void)
{
    return false;
}

void tweed__topology_close(void)
{
}

static int node_of(int cpu)
{
    (void)cpu;
    return 0;
}

static int distance(int from, int to)
{
    return from == to ? TWEED__LOCAL : TWEED__REMOTE;
}

static const char libnuma_source[] = "";
static const char flat_source[] = "one flat node (built without libnuma)";
#endif

/* The distinct nodes of the CPUs, in the order met; where[i] is the place in
   `nodes` of the i-th CPU's node.  Returns how many nodes. */
static int find_nodes(const int *cpus, int n, bool flat, int *nodes, int *where)
{
    int count = 0;

    for (int i = 0; i < n; i++) {
        int node = flat ? 0 : node_of(cpus[i]);

        where[i] = 0;
        while (where[i] < count && nodes[where[i]] != node)
            where[i]++;
        if (where[i] == count)
            nodes[count++] = node;
    }
    return count;
}

static struct tweed__topology *read_machine(const int *cpus, int n)
{
    bool flat = !nodes_are_sound();
    int *nodes = calloc(4 * (size_t)n, sizeof *nodes);
    int *where = nodes ? nodes + n : NULL, *domains = nodes ? where + n : NULL;
    int *capacities = nodes ? domains + n : NULL;
    int num_nodes = nodes ? find_nodes(cpus, n, flat, nodes, where) : 0;
    struct tweed__topology *t = nodes ? tweed__topology_new(n, num_nodes) : NULL;

    if (t) {
        memcpy(t->nodes, nodes, (size_t)num_nodes * sizeof *nodes);
        tweed__sysfs_domains(cpus, n, domains);
        tweed__sysfs_capacities(cpus, n, capacities);
        for (int i = 0; i < n; i++)
            t->cpus[i] = (struct tweed__cpu){ .cpu = cpus[i],
                                              .node = where[i],
                                              .domain = domains[i],
                                              .core = tweed__sysfs_core(cpus[i]),
                                              .capacity = capacities[i] };
        for (int i = 0; i < num_nodes * num_nodes; i++)
            t->distances[i] = flat ? TWEED__LOCAL
                                   : distance(nodes[i / num_nodes],
                                              nodes[i % num_nodes]);
        t->source = flat ? flat_source : libnuma_source;
        tweed__topology_count_threads(t);
        tweed__topology_order(t);
    }
    free(nodes);
    return t;
}

struct tweed__topology *tweed__topology_get(void)
{
    const struct tweed__option *o = tweed__option(TWEED__TOPOLOGY);
    struct tweed__topology *t = NULL;
    const char *wrong = NULL;

    if (o->origin) /* made up; the quota below is real all the same */
        t = tweed__topology_parse(o->text, &wrong);
    if (wrong)
        tweed__option_reject(TWEED__TOPOLOGY, wrong);
    if (!t) {
        int *cpus, one = 0, n = tweed__topology_mask(getpid(), &cpus);

        t = n > 0 ? read_machine(cpus, n) : read_machine(&one, 1);
        if (n > 0)
            free(cpus);
    }
    if (t)
        t->quota = tweed__cgroup_quota("");
    return t;
}

int64_t tweed__topology_capacity(const struct tweed__topology *t)
{
    int64_t online = sysconf(_SC_NPROCESSORS_ONLN), cpus = t->num_cpus;

    if (t->synthetic && online > 0) /* made-up CPUs run nothing */
        cpus = online;
    return t->quota && t->quota < cpus * 1000 ? t->quota : cpus * 1000;
}

int tweed__topology_workers(const struct tweed__topology *t)
{
    int64_t n = t->num_cpus;

    if (!t->synthetic && (tweed__topology_capacity(t) + 999) / 1000 < n)
        n = (tweed__topology_capacity(t) + 999) / 1000;
    return (int)(n < TWEED__MAX_WORKERS ? n : TWEED__MAX_WORKERS);
}

#if HAVE_LIBNUMA
static bool has_memory(int node)
{
    return node >= 0 && numa_bitmask_isbitset(numa_all_nodes_ptr, (unsigned)node);
}

int tweed__memory_node(int node)
{
    int nearest = node;

    if (numa_is_gone || numa_available() < 0 || has_memory(node))
        return node;
    for (int other = 0; other <= numa_max_node(); other++)
        if (has_memory(other) && (nearest == node || distance(node, other) <
                                                         distance(node, nearest)))
            nearest = other;
    return nearest;
}
#else
int tweed__memory_node(int node)
{
    return node;
}
#endif

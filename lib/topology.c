/*
 * topology.c - nodes, CPUs and distances; the affinity mask; the plan.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nodes come from libnuma where it was found at configure time.  The way goes
 * from the CPUs of the mask to their nodes, never over all node numbers: so
 * nodes without CPUs, nodes without memory and gaps in the numbers need no care.
 * Without libnuma, or where /sys does not show nodes, there is one flat node.
 *
 * The mask is that of the process's first thread, not of the one that happens
 * to start the pool: that one may have been bound by its owner.
 */
#include "config.h"

#include "topology.h"
#include "cgroup.h"
#include "check.h"
#include "cpus.h"
#include "options.h"
#include "range.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if HAVE_LIBNUMA
#include <numa.h>
#include <numaif.h>
#endif

#define LOCAL 10
#define REMOTE 20

int tweed__affinity(int thread, int **result)
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

static struct tweed__topology *allocate(int num_cpus, int num_nodes)
{
    struct tweed__topology *t = calloc(1, sizeof *t);

    if (!t)
        return NULL;
    t->num_cpus = num_cpus;
    t->num_nodes = num_nodes;
    t->cpus = calloc((size_t)num_cpus, sizeof *t->cpus);
    t->nodes = calloc((size_t)num_nodes, sizeof *t->nodes);
    t->distances =
        calloc((size_t)num_nodes * (size_t)num_nodes, sizeof *t->distances);
    if (!t->cpus || !t->nodes || !t->distances) {
        tweed__topology_free(t);
        return NULL;
    }
    return t;
}

void tweed__topology_free(struct tweed__topology *t)
{
    if (!t)
        return;
    free(t->cpus);
    free(t->nodes);
    free(t->distances);
    free(t);
}

/* By node, then cores first, then number. */
static int in_order(const void *a, const void *b)
{
    const struct tweed__cpu *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* Cores first, whatever the node. */
static int cores_first(const void *a, const void *b)
{
    const struct tweed__cpu *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return in_order(a, b);
}

/* Exchanges the numbers of two nodes wherever they stand. */
static void swap_nodes(struct tweed__topology *t, int a, int b)
{
    int n = t->num_nodes, node = t->nodes[a];

    t->nodes[a] = t->nodes[b];
    t->nodes[b] = node;
    for (int i = 0; i < n; i++) {
        int d = t->distances[a * n + i];

        t->distances[a * n + i] = t->distances[b * n + i];
        t->distances[b * n + i] = d;
    }
    for (int i = 0; i < n; i++) {
        int d = t->distances[i * n + a];

        t->distances[i * n + a] = t->distances[i * n + b];
        t->distances[i * n + b] = d;
    }
    for (int i = 0; i < t->num_cpus; i++) {
        if (t->cpus[i].node == a)
            t->cpus[i].node = b;
        else if (t->cpus[i].node == b)
            t->cpus[i].node = a;
    }
}

void tweed__topology_order(struct tweed__topology *t)
{
    int n = t->num_nodes;

    for (int at = 1; at < n; at++) { /* the nearest to at - 1 comes next */
        int nearest = at;

        for (int i = at + 1; i < n; i++) {
            int d = t->distances[(at - 1) * n + i];
            int least = t->distances[(at - 1) * n + nearest];

            if (d < least || (d == least && t->nodes[i] < t->nodes[nearest]))
                nearest = i;
        }
        if (nearest != at)
            swap_nodes(t, at, nearest);
    }
    qsort(t->cpus, (size_t)t->num_cpus, sizeof *t->cpus, in_order);
}

/* Which hardware thread of its core a CPU is, counted among those in the mask:
   "0-1" or "0,64" in /sys; a core of its own if that cannot be read. */
static int thread_of(int cpu, const int *mask, int n)
{
    char path[96], list[256] = "";
    int thread = 0;

    snprintf(path, sizeof path,
             "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
             cpu);
    FILE *f = fopen(path, "re");

    if (!f)
        return 0;
    if (!fgets(list, sizeof list, f))
        list[0] = '\0';
    fclose(f);
    for (const char *at = list; isdigit((unsigned char)*at);) {
        int64_t first, last;

        if (!tweed__parse_number(at, &at, 0, TWEED__MOST_CPUS, &first))
            break;
        last = first;
        if (*at == '-' &&
            !tweed__parse_number(at + 1, &at, 0, TWEED__MOST_CPUS, &last))
            break;
        for (int i = 0; i < n; i++)
            thread += mask[i] >= first && mask[i] <= last && mask[i] < cpu;
        if (*at == ',')
            at++;
    }
    return thread;
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

    return d > 0 ? d : from == to ? LOCAL : REMOTE;
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
    return from == to ? LOCAL : REMOTE;
}

static const char libnuma_source[] = "";
static const char flat_source[] = "one flat node (built without libnuma)";
#endif

/* The distinct nodes of the CPUs, in the order met; where[i] is the place in
   `nodes` of the i-th CPU's node.  Returns how many. */
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
    int *nodes = calloc(2 * (size_t)n, sizeof *nodes);
    int *where = nodes ? nodes + n : NULL;
    int num_nodes = nodes ? find_nodes(cpus, n, flat, nodes, where) : 0;
    struct tweed__topology *t = nodes ? allocate(n, num_nodes) : NULL;

    if (t) {
        memcpy(t->nodes, nodes, (size_t)num_nodes * sizeof *nodes);
        for (int i = 0; i < n; i++) {
            t->cpus[i].cpu = cpus[i];
            t->cpus[i].node = where[i];
            t->cpus[i].thread = thread_of(cpus[i], cpus, n);
        }
        for (int i = 0; i < num_nodes * num_nodes; i++)
            t->distances[i] = flat ? LOCAL
                                   : distance(nodes[i / num_nodes],
                                              nodes[i % num_nodes]);
        t->source = flat ? flat_source : libnuma_source;
        tweed__topology_order(t);
    }
    free(nodes);
    return t;
}

/* ---- a made-up machine ---- */

enum key { NODES, CPUS, THREADS, APART, KEYS };

static const struct {
    const char *name;
    int64_t least, most;
    const char *takes; /* what is said if the number is none of these */
    const char *twice;
} keys[KEYS] = {
    { "nodes:", 1, 1024, "nodes: takes 1 to 1024", "nodes: is given twice" },
    { "cpus:", 1, 4096, "cpus: takes 1 to 4096", "cpus: is given twice" },
    { "threads:", 1, 16, "threads: takes 1 to 16", "threads: is given twice" },
    { "distance:", LOCAL, 255, "distance: takes 10 to 255",
      "distance: is given twice" },
};

/* Reads "key:number,..." into value[] and given[].  NULL, or what is wrong. */
static const char *read_keys(const char *at, int64_t *value, bool *given)
{
    for (;; at++) {
        int k = 0;

        while (k < KEYS && strncmp(at, keys[k].name, strlen(keys[k].name)) != 0)
            k++;
        if (k == KEYS)
            return "each part is nodes:, cpus:, threads: or distance: and a "
                   "number";
        if (given[k])
            return keys[k].twice;
        if (!tweed__parse_number(at + strlen(keys[k].name), &at, keys[k].least,
                                 keys[k].most, &value[k]))
            return keys[k].takes;
        given[k] = true;
        if (*at == '\0')
            return NULL;
        if (*at != ',')
            return "parts are numbers with commas between them";
    }
}

/* The parts together.  NULL, or what is wrong. */
static const char *judge_keys(const int64_t *value, const bool *given)
{
    if (!given[NODES])
        return "nodes: is missing";
    if (!given[CPUS])
        return "cpus: is missing";
    if (value[CPUS] % value[THREADS] != 0)
        return "cpus: is no multiple of threads:";
    if (value[NODES] * value[CPUS] > TWEED__MAX_WORKERS)
        return "nodes: times cpus: may be 4094 at most";
    return NULL;
}

struct tweed__topology *tweed__topology_parse(const char *text,
                                              const char **wrong)
{
    int64_t value[KEYS] = { 0, 0, 1, REMOTE };
    bool given[KEYS] = { false };

    *wrong = read_keys(text, value, given);
    if (!*wrong)
        *wrong = judge_keys(value, given);
    if (*wrong)
        return NULL;

    struct tweed__topology *t =
        allocate((int)(value[NODES] * value[CPUS]), (int)value[NODES]);

    if (!t)
        return NULL;
    for (int i = 0; i < t->num_cpus; i++) {
        t->cpus[i].cpu = i;
        t->cpus[i].node = i / (int)value[CPUS];
        t->cpus[i].thread = i % (int)value[THREADS];
    }
    for (int a = 0; a < t->num_nodes; a++) {
        t->nodes[a] = a;
        for (int b = 0; b < t->num_nodes; b++)
            t->distances[a * t->num_nodes + b] =
                a == b ? LOCAL : (int)value[APART];
    }
    t->synthetic = true;
    t->source = "TWEED_TOPOLOGY";
    tweed__topology_order(t);
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
        int *cpus, one = 0, n = tweed__affinity(getpid(), &cpus);

        t = n > 0 ? read_machine(cpus, n) : read_machine(&one, 1);
        if (n > 0)
            free(cpus);
    }
    if (t)
        t->quota = tweed__cgroup_quota("");
    return t;
}

/* ---- a part of the machine ---- */

bool tweed__topology_has(const struct tweed__topology *t, const char *list)
{
    struct tweed__cpu_run run;

    while (tweed__cpus_next(&list, &run)) {
        int64_t missing = (run.last - run.first) / run.step + 1;

        for (int i = 0; i < t->num_cpus; i++)
            missing -= cpu_run_has(&run, t->cpus[i].cpu);
        if (missing)
            return false;
    }
    return true;
}

/* Counts hardware threads anew: the first of a core may not be there any more.  (If
   there is no memory for that they stay what they were.) */
static void renumber(struct tweed__topology *t)
{
    int *cpus = malloc((size_t)t->num_cpus * sizeof *cpus);

    if (!cpus)
        return;
    for (int i = 0; i < t->num_cpus; i++)
        cpus[i] = t->cpus[i].cpu;
    for (int i = 0; i < t->num_cpus; i++)
        t->cpus[i].thread = thread_of(cpus[i], cpus, t->num_cpus);
    free(cpus);
}

void tweed__topology_keep(struct tweed__topology *t, const char *list)
{
    int n = 0;

    for (int i = 0; i < t->num_cpus; i++)
        if (tweed__cpus_has(list, t->cpus[i].cpu))
            t->cpus[n++] = t->cpus[i];
    if (n == 0)
        return;
    t->num_cpus = n;
    if (!t->synthetic) /* cores of a made-up one are not in /sys */
        renumber(t);
    tweed__topology_order(t);
}

static int place_of(const struct tweed__topology *t, int node)
{
    int place = 0;

    while (place + 1 < t->num_nodes && t->nodes[place] != node)
        place++;
    return place;
}

int tweed__topology_distance(const struct tweed__topology *t, int from, int to)
{
    return t->distances[place_of(t, from) * t->num_nodes + place_of(t, to)];
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

bool tweed__plan_make(struct tweed__plan *plan,
                      const struct tweed__topology *t, int n)
{
    int distinct = n < t->num_cpus ? n : t->num_cpus;
    struct tweed__cpu *chosen = malloc((size_t)t->num_cpus * sizeof *chosen);

    plan->num_workers = n;
    plan->workers = malloc((size_t)n * sizeof *plan->workers);
    if (!chosen || !plan->workers) {
        free(chosen);
        tweed__plan_free(plan);
        return false;
    }
    memcpy(chosen, t->cpus, (size_t)t->num_cpus * sizeof *chosen);
    qsort(chosen, (size_t)t->num_cpus, sizeof *chosen, cores_first);
    qsort(chosen, (size_t)distinct, sizeof *chosen, in_order);
    for (int w = 0; w < n; w++)
        plan->workers[w] = chosen[(int64_t)w * distinct / n];
    free(chosen);
    return true;
}

void tweed__plan_free(struct tweed__plan *plan)
{
    free(plan->workers);
    plan->workers = NULL;
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

void tweed__place_memory(void *address, size_t bytes, int node)
{
    enum { bits = 8 * sizeof(unsigned long), words = 64 };
    unsigned long mask[words] = { 0 };
    int saved = errno;

    node = tweed__memory_node(node);
    if (node < 0 || node >= bits * words)
        return;
    mask[node / bits] = 1ul << node % bits;
    /* Preferred, not strict: a full node, or a container that may not use it,
       must not kill the process.  The kernel wants one bit more than it reads. */
    (void)mbind(address, bytes, MPOL_PREFERRED, mask, bits * words + 1, 0);
    errno = saved;
}
#else
int tweed__memory_node(int node)
{
    return node;
}

void tweed__place_memory(void *address, size_t bytes, int node)
{
    (void)address;
    (void)bytes;
    (void)node;
}
#endif

/*
 * tweed-info.c - shows what tweed makes of this machine.
 *
 * SPDX-License-Identifier: MIT
 *
 * Linked with the library's inside, so that what it shows is what the library
 * decides, and not a second opinion.
 */
#include "config.h"

#include "finish.h"
#include "launcher.h"
#include "base/options.h"
#include "range/deal.h"
#include "pool/above.h"
#include "pool/pool.h"
#include "system/topology.h"
#include "plantree.h"

#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if HAVE_LIBNUMA
#include <numaif.h>
#endif

#define SAMPLE 1000000 /* indices of the sample loop */

/* A list of ascending numbers as ranges: "0-3 8 10-11". */
static void print_ranges(const int *numbers, int n)
{
    for (int i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && numbers[j] == numbers[j - 1] + 1;)
            j++;
        if (j - i > 1)
            printf(" %d-%d", numbers[i], numbers[j - 1]);
        else
            printf(" %d", numbers[i]);
    }
}

static int ascending(const void *a, const void *b)
{
    const int *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void print_node(const struct tweed__topology *t, int place)
{
    int *cpus = malloc((size_t)t->num_cpus * sizeof *cpus), n = 0, cores = 0;

    if (!cpus)
        return;
    for (int i = 0; i < t->num_cpus; i++)
        if (t->cpus[i].node == place) {
            cores += t->cpus[i].thread == 0;
            cpus[n++] = t->cpus[i].cpu;
        }
    qsort(cpus, (size_t)n, sizeof *cpus, ascending);
    printf("  node %-4d CPUs", t->nodes[place]);
    print_ranges(cpus, n);
    printf(" (%d core%s)\n", cores, cores == 1 ? "" : "s");
    free(cpus);
}

static void print_machine(const struct tweed__topology *t)
{
    printf("machine\n  nodes from  %s%s\n", t->source,
           t->synthetic ? " (made up: nothing is bound or placed)" : "");
    printf("  usable      %d CPU%s on %d node%s\n", t->num_cpus,
           t->num_cpus == 1 ? "" : "s", t->num_nodes,
           t->num_nodes == 1 ? "" : "s");
    if (t->quota)
        printf("  quota       %" PRId64 ".%03" PRId64 " CPUs (cgroup)\n",
               t->quota / 1000, t->quota % 1000);
    else
        printf("  quota       none\n");
    for (int i = 0; i < t->num_nodes; i++)
        print_node(t, i);
    if (t->num_nodes < 2)
        return;
    printf("  distances to");
    for (int b = 0; b < t->num_nodes; b++)
        printf(" %4d", t->nodes[b]);
    printf("\n");
    for (int a = 0; a < t->num_nodes; a++) {
        printf("    from %-4d  ", t->nodes[a]);
        for (int b = 0; b < t->num_nodes; b++)
            printf(" %4d", t->distances[a * t->num_nodes + b]);
        printf("\n");
    }
}

static void print_fence(const struct tweed__team *team)
{
    printf("fence mode    ");
    if (team->asymmetric_loops)
        printf("membarrier: the kernel has it, thieves pay\n");
    else if (team->asymmetric)
        printf("exchange in loops, for more workers than CPUs; membarrier in tasks\n");
    else if (team->fence_error)
        printf("exchange: membarrier(2) says: %s\n",
               strerror(team->fence_error));
    else
        printf("exchange: asked for\n");
}

/* What a worker found out about itself, in a body. */
struct finding {
    _Atomic int cpu; /* -1: it did not come */
};

struct meeting {
    struct finding *findings;
    _Atomic int here;
    int expected;
};

/* One index a worker; nobody leaves before all have come, or 2 s are over, so
   that nobody does another one's. */
static void meet(int64_t i, void *arg)
{
    struct meeting *m = arg;
    int me = tweed_worker_index();

    (void)i;
    atomic_store(&m->findings[me].cpu, sched_getcpu());
    atomic_fetch_add(&m->here, 1);
    for (int ms = 0; ms < 2000 && atomic_load(&m->here) < m->expected; ms++)
        usleep(1000);
}

/* The node that the worker's seats are on; -1: cannot be told. */
static int node_of_memory(struct tweed__worker *w)
{
    int node = -1;

#if HAVE_LIBNUMA
    if (get_mempolicy(&node, NULL, 0, w, MPOL_F_NODE | MPOL_F_ADDR) != 0)
        node = -1;
#else
    (void)w;
#endif
    return node;
}

/* Is the CPU that worker w was seen on one that it is bound to? */
static bool is_placed(const struct tweed__worker *w,
                      const struct tweed__topology *t, int cpu)
{
    if (w->index == 0 || w->team->bind == TWEED_BIND_NONE)
        return true;
    if (w->team->bind == TWEED_BIND_CPU)
        return cpu == load_relaxed(&w->cpu); /* of people */
    for (int i = 0; i < t->num_cpus; i++)
        if (t->cpus[i].cpu == cpu)
            return t->nodes[t->cpus[i].node] == w->node;
    return false;
}

static bool print_workers(struct tweed__team *team,
                          const struct tweed__topology *t, bool verify)
{
    int n = team->num_workers;
    struct meeting m = { calloc((size_t)n, sizeof *m.findings), 0, n };
    struct tweed__deal shares =
        deal_of(NULL, team->before, partition_window(n, 0, SAMPLE, 0, 0), n, SAMPLE);
    uint32_t end = 0;
    bool good = true;

    if (!m.findings)
        return false;
    for (int w = 0; w < n; w++)
        atomic_store(&m.findings[w].cpu, -1);
    if (verify)
        tweed_parallel_for(0, n, meet, &m);
    printf("workers       %d, bound to %s\n", n,
           team->bind == TWEED_BIND_CPU    ? "a CPU each"
           : team->bind == TWEED_BIND_NODE ? "the CPUs of their node"
                                           : "nothing");
    printf("  worker   node   cpu%s   share of a loop of %d\n",
           verify ? "   runs on   seats on" : "", SAMPLE);
    for (int i = 0; i < n; i++) {
        struct tweed__worker *w = team->workers[i];
        uint32_t begin = end;

        end = deal_next(&shares);
        printf("  %6d   %4d   %3d", i, w->node,
               load_relaxed(&w->cpu)); /* for people */
        if (verify) {
            int cpu = atomic_load(&m.findings[i].cpu);
            int memory = node_of_memory(w);
            bool placed = is_placed(w, t, cpu);
            bool near = t->synthetic || memory < 0 || memory == w->node ||
                        tweed__memory_node(w->node) != w->node;

            good &= placed && near && cpu >= 0;
            printf("   %7d%s   %8d%s", cpu, placed ? " " : "!", memory,
                   near ? " " : "!");
        }
        printf("   [%u, %u)%s\n", begin, end,
               i == 0 ? "   the calling thread, not bound" : "");
    }
    free(m.findings);
    return good;
}

/* ---- variables of the environment that nobody reads ---- */

/* Says of each variable that is named as options are and is none. */
static void print_unknown(const char *name, const char *similar)
{
    static bool is_later;

    printf("%s  %s", is_later ? "" : "unknown variables\n", name);
    if (similar)
        printf("   did you mean %s?", similar);
    printf("\n");
    is_later = true;
}

/* ---- as one of several ranks ---- */

/* Under mpirun one table for all ranks says more than as many as there are of these: by
   tweed-mpi-info, which lies beside this program where there is one. */
static void become_one_of_ranks(void)
{
    static const char name[] = "tweed-mpi-info";
    char path[PATH_MAX], *slash;
    int rank, ranks = launcher_size(&rank);
    ssize_t n = ranks > 1 ? readlink("/proc/self/exe", path, sizeof path - sizeof name) : -1;

    if (n < 0)
        return;
    path[n] = '\0';
    slash = strrchr(path, '/');
    strcpy(slash ? slash + 1 : path, name);
    execl(path, name, (char *)NULL);
    if (rank == 0)
        fprintf(stderr, "tweed-info: each of %d ranks is shown by itself: no %s here\n",
                ranks, name);
}

static int usage(FILE *to, int status)
{
    fprintf(to, "usage: tweed-info [--verify | --plan]\n"
                "Shows the machine, the workers and the options as tweed sees "
                "them.\n"
                "  --verify   also run a loop, and show where each worker runs "
                "and where its\n"
                "             memory is; status 1 if one is not where it "
                "should be\n"
                "  --plan     show only the machine as a tree, with its workers, their "
                "shares, and\n"
                "             who steals from whom\n"
                "  --help     show this\n"
                "  --version  show the version\n");
    return status;
}

int main(int argc, char **argv)
{
    bool verify = false, plan = false;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--verify") == 0) {
            verify = true;
        } else if (strcmp(argv[i], "--plan") == 0) {
            plan = true;
        } else if (strcmp(argv[i], "--help") == 0) {
            return finish("tweed-info", usage(stdout, 0));
        } else if (strcmp(argv[i], "--version") == 0) {
            printf("tweed-info %s\n", tweed_version());
            return finish("tweed-info", 0);
        } else {
            fprintf(stderr, "tweed-info: unknown argument '%s'\n", argv[i]);
            return usage(stderr, 2);
        }
    }

    if (!verify && !plan)
        become_one_of_ranks();

    struct tweed__topology *t = tweed__topology_get();
    struct tweed__team *team = tweed__pool_team(tweed__pool_or_default(NULL));
    bool good;

    if (!t || !team) {
        fprintf(stderr, "tweed-info: out of memory\n");
        return 1;
    }
    if (plan) {
        good = tree_print(t, team, SAMPLE);
        tweed__topology_free(t);
        return finish("tweed-info", good ? 0 : 1);
    }
    printf("tweed %s\n", tweed_version());
    print_machine(t);
    print_fence(team);
    good = print_workers(team, t, verify);
    tweed__unknown_names(print_unknown);
    printf("options\n");
    fflush(stdout);
    tweed__display_options(tweed__pool_or_default(NULL), team, STDOUT_FILENO);
    tweed__topology_free(t);
    if (!good)
        fprintf(stderr, "tweed-info: not everything is where it should be "
                        "(marked !)\n");
    return finish("tweed-info", good ? 0 : 1);
}

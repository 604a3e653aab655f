/*
 * layout.c - makes a topology, puts it in order, and keeps a part of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "system/cpus.h"
#include "system/topology.h"

#include <stdlib.h>

struct tweed__topology *tweed__topology_new(int num_cpus, int num_nodes)
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

/* By node, by domain, then cores first, then number. */
int tweed__topology_in_order(const void *a, const void *b)
{
    const struct tweed__cpu *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->domain != y->domain)
        return x->domain < y->domain ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static void sort(struct tweed__topology *t)
{
    qsort(t->cpus, (size_t)t->num_cpus, sizeof *t->cpus, tweed__topology_in_order);
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

/* CPU i and the next ones that are of one domain: where they end. */
static int end_of_domain(const struct tweed__topology *t, int i)
{
    int end = i + 1;

    while (end < t->num_cpus && t->cpus[end].node == t->cpus[i].node &&
           t->cpus[end].domain == t->cpus[i].domain)
        end++;
    return end;
}

static bool is_one_core(const struct tweed__topology *t, int begin, int end)
{
    for (int i = begin + 1; i < end; i++)
        if (t->cpus[i].core != t->cpus[begin].core)
            return false;
    return true;
}

/* A cache that a single core has for itself makes no domain: these cores are one
   domain of their node together.  Then domains get numbers from 0 on. */
static void number_domains(struct tweed__topology *t)
{
    int domain = 0;

    for (int i = 0, end; i < t->num_cpus; i = end) {
        end = end_of_domain(t, i);
        for (bool alone = is_one_core(t, i, end); alone && i < end; i++)
            t->cpus[i].domain = TWEED__NO_DOMAIN;
    }
    sort(t);
    for (int i = 0, end; i < t->num_cpus; domain++) {
        end = end_of_domain(t, i);
        for (; i < end; i++)
            t->cpus[i].domain = domain;
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
    sort(t);
    number_domains(t);
}

static int by_core(const void *a, const void *b)
{
    const struct tweed__cpu *x = a, *y = b;

    if (x->core != y->core)
        return x->core < y->core ? -1 : 1;
    return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

void tweed__topology_count_threads(struct tweed__topology *t)
{
    struct tweed__cpu *c = t->cpus;

    qsort(c, (size_t)t->num_cpus, sizeof *c, by_core);
    for (int i = 0; i < t->num_cpus; i++)
        c[i].thread = i > 0 && c[i].core == c[i - 1].core ? c[i - 1].thread + 1 : 0;
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

void tweed__topology_keep(struct tweed__topology *t, const char *list)
{
    int n = 0;

    for (int i = 0; i < t->num_cpus; i++)
        if (tweed__cpus_has(list, t->cpus[i].cpu))
            t->cpus[n++] = t->cpus[i];
    if (n == 0)
        return;
    t->num_cpus = n;
    /* the first thread of a core may not be there any more */
    tweed__topology_count_threads(t);
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

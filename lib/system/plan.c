/*
 * plan.c - which workers a team has: where each belongs, and which are near each other.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "system/plan.h"

#include <stdlib.h>
#include <string.h>
#include <tweed.h>

/* ---- CPUs ---- */

static int capacity_of(const struct tweed__cpu *cpu)
{
    return cpu->capacity ? cpu->capacity : TWEED__CAPACITY;
}

/* Cores first, and of these the ablest, whatever the node. */
static int cores_first(const void *a, const void *b)
{
    const struct tweed__cpu *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (capacity_of(x) != capacity_of(y))
        return capacity_of(x) > capacity_of(y) ? -1 : 1;
    return tweed__topology_in_order(a, b);
}

static int by_core(const void *a, const void *b)
{
    const struct tweed__cpu *x = a, *y = b;

    return (x->core > y->core) - (x->core < y->core);
}

/* Fills in for each of n CPUs how many of them are of the same core. */
static void count_sharers(struct tweed__cpu *cpus, int n)
{
    qsort(cpus, (size_t)n, sizeof *cpus, by_core);
    for (int i = 0, end; i < n;) {
        for (end = i + 1; end < n && cpus[end].core == cpus[i].core;)
            end++;
        for (int sharers = end - i; i < end; i++)
            cpus[i].sharers = sharers;
    }
}

/* Chooses CPUs for all workers, `distinct` different ones. */
static bool choose(struct tweed__plan *plan, const struct tweed__topology *t,
                   int distinct)
{
    struct tweed__cpu *chosen = malloc((size_t)t->num_cpus * sizeof *chosen);

    if (!chosen)
        return false;
    memcpy(chosen, t->cpus, (size_t)t->num_cpus * sizeof *chosen);
    qsort(chosen, (size_t)t->num_cpus, sizeof *chosen, cores_first);
    count_sharers(chosen, distinct);
    qsort(chosen, (size_t)distinct, sizeof *chosen, tweed__topology_in_order);
    for (int w = 0; w < plan->num_workers; w++)
        plan->workers[w] = chosen[(int64_t)w * distinct / plan->num_workers];
    free(chosen);
    return true;
}

bool tweed__plan_make(struct tweed__plan *plan,
                      const struct tweed__topology *t, int n)
{
    size_t workers = (size_t)n, nodes = (size_t)t->num_nodes;

    memset(plan, 0, sizeof *plan);
    plan->num_workers = n;
    plan->workers = calloc(workers, sizeof *plan->workers);
    plan->domains = calloc(workers, sizeof *plan->domains);
    plan->before = calloc(workers + 1, sizeof *plan->before);
    plan->groups = calloc(nodes, sizeof *plan->groups);
    plan->nearness = calloc(nodes * nodes, sizeof *plan->nearness);
    if (plan->workers && plan->domains && plan->groups && plan->nearness &&
        plan->before && choose(plan, t, n < t->num_cpus ? n : t->num_cpus))
        return true;
    tweed__plan_free(plan);
    return false;
}

void tweed__plan_free(struct tweed__plan *plan)
{
    free(plan->workers);
    free(plan->domains);
    free(plan->groups);
    free(plan->nearness);
    free(plan->before);
    memset(plan, 0, sizeof *plan);
}

/* ---- which are near each other ---- */

static void make_groups(struct tweed__plan *plan, const struct tweed__topology *t)
{
    struct tweed__group *g = NULL;

    plan->num_groups = 0;
    for (int i = 0; i < plan->num_workers; i++) {
        int node = t->nodes[plan->workers[i].node];

        if (!g || g->node != node) {
            g = &plan->groups[plan->num_groups++];
            g->begin = i;
            g->node = node;
        }
        g->end = i + 1;
    }
}

static void make_domains(struct tweed__plan *plan, bool exact)
{
    const struct tweed__cpu *w = plan->workers;

    for (int i = 0, end; i < plan->num_workers; i = end) {
        for (end = i + 1; end < plan->num_workers && w[end].node == w[i].node &&
                          (!exact || w[end].domain == w[i].domain);)
            end++;
        for (int k = i; k < end; k++)
            plan->domains[k] = (struct tweed__span){ i, end };
    }
}

static void reverse(int *a, int n)
{
    for (int i = 0; i < n / 2; i++) {
        int swap = a[i];

        a[i] = a[n - 1 - i];
        a[n - 1 - i] = swap;
    }
}

/* Makes a[by] the first of n. */
static void rotate(int *a, int n, int by)
{
    reverse(a, by);
    reverse(a + by, n - by);
    reverse(a, n);
}

/* Row by row: groups by distance, near ones first.  Of m groups that are equally far,
   group g begins with number g modulo m, so that not all turn to the same group first:
   where all are equally far each group begins with the next. */
static void order_groups(struct tweed__plan *plan, const struct tweed__topology *t)
{
    int n = plan->num_groups;

    for (int g = 0; g < n; g++) {
        int *row = plan->nearness + g * n;
        const int *from = t->distances +
                          plan->workers[plan->groups[g].begin].node * t->num_nodes;
#define FAR(k) from[plan->workers[plan->groups[row[k]].begin].node]

        for (int k = 0; k < n; k++)
            row[k] = k == 0 ? g : k - (k <= g);
        for (int k = 2; k < n; k++) /* by insertion: stable */
            for (int j = k; j > 1 && FAR(j) < FAR(j - 1); j--)
                reverse(row + j - 1, 2);
        for (int k = 1, end; k < n; k = end) {
            for (end = k + 1; end < n && FAR(end) == FAR(k);)
                end++;
            rotate(row + k, end - k, g % (end - k));
        }
#undef FAR
    }
}

/* ---- how much each can do ---- */

/*
 * What a worker can do, in units of 1/48 of a 1,024th of the ablest CPU.  The hardware
 * threads of a core do a quarter more together than one of them does alone: makers and
 * users of such machines report a tenth to a third for programs that compute.  (Intel says
 * 15 to 30 %; Linux's scheduler had 15 % as its smt_gain, 1,178 of 1,024.)  So a thread
 * that has its core for itself counts 48, and each of two that share it 30: 48 x 1.25 / 2.
 * It is a judgement between these figures; tweed has not measured it.
 */
static uint32_t power_of(const struct tweed__cpu *cpu)
{
    return (uint32_t)(capacity_of(cpu) * (cpu->sharers > 1 ? 60 / cpu->sharers : 48));
}

/* What each of the workers [begin, end) can do if they are moved about: the mean. */
static uint32_t mean_power(const struct tweed__plan *plan, int begin, int end)
{
    uint64_t sum = 0;

    for (int i = begin; i < end; i++)
        sum += power_of(&plan->workers[i]);
    return (uint32_t)(sum / (uint64_t)(end - begin));
}

/* Equal CPUs, or more workers than CPUs: all workers count alike. */
static void make_powers(struct tweed__plan *plan, const struct tweed__topology *t,
                        int bind)
{
    plan->uneven = false;
    if (plan->num_workers > t->num_cpus || bind == TWEED_BIND_NONE)
        return;
    for (int g = 0; g < plan->num_groups; g++) {
        struct tweed__group *group = &plan->groups[g];
        uint32_t mean = mean_power(plan, group->begin, group->end);

        for (int i = group->begin; i < group->end; i++) {
            uint32_t power = bind == TWEED_BIND_CPU ? power_of(&plan->workers[i]) : mean;

            plan->before[i + 1] = plan->before[i] + power;
            plan->uneven |= power != plan->before[1];
        }
    }
}

void tweed__plan_arrange(struct tweed__plan *plan, const struct tweed__topology *t,
                         int n, int bind)
{
    plan->num_workers = n;
    make_groups(plan, t);
    make_domains(plan, bind == TWEED_BIND_CPU);
    order_groups(plan, t);
    make_powers(plan, t, bind);
}

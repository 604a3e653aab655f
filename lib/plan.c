/*
 * plan.c - which workers a team has: where each belongs, and who is near whom.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "plan.h"

#include <stdlib.h>
#include <string.h>

/* ---- CPUs ---- */

/* Cores first, whatever the node. */
static int cores_first(const void *a, const void *b)
{
    const struct tweed__cpu *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return tweed__topology_in_order(a, b);
}

/* CPUs for all workers; distinct of them are different. */
static bool choose(struct tweed__plan *plan, const struct tweed__topology *t,
                   int distinct)
{
    struct tweed__cpu *chosen = malloc((size_t)t->num_cpus * sizeof *chosen);

    if (!chosen)
        return false;
    memcpy(chosen, t->cpus, (size_t)t->num_cpus * sizeof *chosen);
    qsort(chosen, (size_t)t->num_cpus, sizeof *chosen, cores_first);
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
    plan->groups = calloc(nodes, sizeof *plan->groups);
    plan->nearness = calloc(nodes * nodes, sizeof *plan->nearness);
    if (plan->workers && plan->domains && plan->groups && plan->nearness &&
        choose(plan, t, n < t->num_cpus ? n : t->num_cpus))
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
    memset(plan, 0, sizeof *plan);
}

/* ---- who is near whom ---- */

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

/* Row by row: groups by distance, near ones first.  Ties go by the distance in
   number, so that not everybody turns to group 0 at first. */
static void order_groups(struct tweed__plan *plan, const struct tweed__topology *t)
{
    int n = plan->num_groups;

    for (int g = 0; g < n; g++) {
        int *row = plan->nearness + g * n;
        const int *from = t->distances +
                          plan->workers[plan->groups[g].begin].node * t->num_nodes;

        for (int k = 0; k < n; k++)
            row[k] = (g + k) % n;
        for (int k = 2; k < n; k++) /* by insertion: stable */
            for (int j = k; j > 1; j--) {
                int swap = row[j], before = row[j - 1];

                if (from[plan->workers[plan->groups[swap].begin].node] >=
                    from[plan->workers[plan->groups[before].begin].node])
                    break;
                row[j] = before;
                row[j - 1] = swap;
            }
    }
}

void tweed__plan_arrange(struct tweed__plan *plan, const struct tweed__topology *t,
                         int n, bool exact)
{
    plan->num_workers = n;
    make_groups(plan, t);
    make_domains(plan, exact);
    order_groups(plan, t);
}

/*
 * plantree.c - tweed-info --plan: the machine as a tree, with its workers and their shares.
 *
 * SPDX-License-Identifier: MIT
 *
 * The leaves of the tree are workers of one domain that stand next to each other and are
 * on equal hardware threads.  t/plans has such trees of many machines.
 */
#include "config.h"

#include "plantree.h"

#include <stdio.h>
#include <stdlib.h>

struct tree {
    const struct tweed__topology *machine;
    struct tweed__team *team;
    const struct tweed__cpu **cpus; /* of each worker */
    uint32_t *ends;                 /* where the share of each worker ends */
    uint32_t indices;
};

/* ---- text ---- */

static uint32_t tree_begin(const struct tree *p, int worker)
{
    return worker ? p->ends[worker - 1] : 0;
}

static void print_span(struct tweed__span s)
{
    if (s.end - s.begin > 1)
        printf("%d-%d", s.begin, s.end - 1);
    else
        printf("%d", s.begin);
}

static void print_share(const struct tree *p, struct tweed__span s)
{
    printf("[%u, %u)", tree_begin(p, s.begin), p->ends[s.end - 1]);
}

/* The CPUs of workers, as taskset takes them: "0-14:2,20". */
static void print_cpus(const struct tree *p, struct tweed__span s)
{
    for (int i = s.begin, end; i < s.end; i = end) {
        int first = p->cpus[i]->cpu, step;

        end = i + 1;
        step = end < s.end ? p->cpus[end]->cpu - first : 0;
        while (step > 0 && end < s.end &&
               p->cpus[end]->cpu == p->cpus[end - 1]->cpu + step)
            end++;
        if (end - i == 2 && step > 1) /* those two are no run */
            end = i + 1;
        printf("%s%d", i > s.begin ? "," : "", first);
        if (end - i > 1)
            printf("-%d", p->cpus[end - 1]->cpu);
        if (end - i > 1 && step > 1)
            printf(":%d", step);
    }
}

/* How many indices each of these workers has. */
static void print_sizes(const struct tree *p, struct tweed__span s)
{
    uint32_t least = UINT32_MAX, most = 0;

    for (int i = s.begin; i < s.end; i++) {
        uint32_t size = p->ends[i] - tree_begin(p, i);

        least = size < least ? size : least;
        most = size > most ? size : most;
    }
    printf(least < most ? "%u or %u" : "%u", least, most);
}

static bool is_alike(const struct tweed__cpu *a, const struct tweed__cpu *b)
{
    return a->thread == b->thread && a->capacity == b->capacity;
}

static void print_leaves(const struct tree *p, struct tweed__span s)
{
    for (struct tweed__span leaf = { s.begin, s.begin }; leaf.begin < s.end;
         leaf.begin = leaf.end) {
        const struct tweed__cpu *cpu = p->cpus[leaf.begin];

        while (leaf.end < s.end && is_alike(p->cpus[leaf.end], cpu))
            leaf.end++;
        printf("      workers ");
        print_span(leaf);
        printf(" on CPUs ");
        print_cpus(p, leaf);
        if (cpu->thread)
            printf(", threads %d of their cores", cpu->thread);
        if (cpu->capacity && cpu->capacity != TWEED__CAPACITY)
            printf(", capacity %d", cpu->capacity);
        printf(": ");
        print_sizes(p, leaf);
        printf(leaf.end - leaf.begin > 1 ? " indices each\n" : " indices\n");
    }
}

static void print_node(const struct tree *p, int g)
{
    const struct tweed__group *group = &p->team->groups[g];
    struct tweed__span node = { group->begin, group->end }, domain;

    printf("  node %d  workers ", group->node);
    print_span(node);
    printf("  ");
    print_share(p, node);
    printf("\n");
    for (int i = node.begin; i < node.end; i = domain.end) {
        domain = p->team->workers[i]->domain;
        printf("    domain %d  workers ", p->cpus[i]->domain);
        print_span(domain);
        printf("  ");
        print_share(p, domain);
        printf("\n");
        print_leaves(p, domain);
    }
}

/* Where the workers of a domain look, near ones first. */
static void print_victims(const struct tree *p, int worker)
{
    const struct tweed__team *team = p->team;
    const struct tweed__worker *w = team->workers[worker];
    const struct tweed__group *own = &team->groups[w->group];
    const int *row = team->nearness + w->group * team->num_groups;

    printf("  workers ");
    print_span(w->domain);
    printf(": domain");
    if (w->domain.end - w->domain.begin < own->end - own->begin)
        printf(", node %d", own->node);
    for (int k = 1; k < team->num_groups; k++)
        printf(", node %d (%d)", team->groups[row[k]].node,
               tweed__topology_distance(p->machine, own->node,
                                        team->groups[row[k]].node));
    printf("\n");
}

static void print_text(const struct tree *p)
{
    int n = p->team->num_workers;

    printf("plan of %d worker%s for %u indices\n", n, n == 1 ? "" : "s", p->indices);
    for (int g = 0; g < p->team->num_groups; g++)
        print_node(p, g);
    printf("who looks where for blocks to steal, near ones first\n");
    for (int i = 0; i < n; i = p->team->workers[i]->domain.end)
        print_victims(p, i);
}

/* ---- what is to be shown ---- */

/* The CPU of a worker; it is one of the machine's, unless that has just changed. */
static const struct tweed__cpu *cpu_of(const struct tweed__topology *t,
                                       const struct tweed__worker *w)
{
    int number = load_relaxed(&w->cpu); /* for people */

    for (int i = 0; i < t->num_cpus; i++)
        if (t->cpus[i].cpu == number)
            return &t->cpus[i];
    return &t->cpus[0];
}

bool tree_print(const struct tweed__topology *t, struct tweed__team *team,
                uint32_t indices)
{
    int n = team->num_workers;
    struct tweed__deal shares =
        deal_of(NULL, team->before, partition_window(n, 0, indices, 0, 0), n, indices);
    struct tree p = { .machine = t, .team = team, .indices = indices };
    bool good;

    p.cpus = calloc((size_t)n, sizeof *p.cpus);
    p.ends = calloc((size_t)n, sizeof *p.ends);
    good = p.cpus && p.ends;
    if (good) {
        for (int i = 0; i < n; i++) {
            p.cpus[i] = cpu_of(t, team->workers[i]);
            p.ends[i] = deal_next(&shares);
        }
        print_text(&p);
    }
    free(p.cpus);
    free(p.ends);
    return good;
}

/*
 * machine.c - a fuzzer of made-up machines, and of the plans of workers for them.
 *
 * SPDX-License-Identifier: MIT
 *
 * The input is what TWEED_TOPOLOGY has.
 */
#include "config.h"

#include "fuzz.h"
#include "system/plan.h"
#include "system/topology.h"

#include <tweed.h>

static void check_topology(const struct tweed__topology *t)
{
    fuzz_must(t->num_nodes >= 1 && t->num_cpus >= t->num_nodes &&
              t->num_cpus <= TWEED__MAX_WORKERS);
    for (int i = 0; i < t->num_cpus; i++) {
        fuzz_must(t->cpus[i].node >= 0 && t->cpus[i].node < t->num_nodes);
        fuzz_must(i == 0 || tweed__topology_in_order(&t->cpus[i - 1], &t->cpus[i]) < 0);
    }
    for (int k = 0; k < t->num_nodes * t->num_nodes; k++)
        fuzz_must(t->distances[k] >= TWEED__LOCAL && t->distances[k] <= 255);
}

static void check_plan(const struct tweed__plan *plan, int n)
{
    int next = 0;

    fuzz_must(plan->num_workers == n);
    for (int g = 0; g < plan->num_groups; g++) {
        fuzz_must(plan->groups[g].begin == next && plan->groups[g].end > next);
        next = plan->groups[g].end;
        fuzz_must(plan->nearness[g * plan->num_groups] == g);
    }
    fuzz_must(next == n);
    for (int w = 0; w < n; w++)
        fuzz_must(plan->domains[w].begin <= w && w < plan->domains[w].end);
}

static void make_plan(const struct tweed__topology *t, int n)
{
    struct tweed__plan plan;

    if (!tweed__plan_make(&plan, t, n))
        return;
    tweed__plan_arrange(&plan, t, n, TWEED_BIND_CPU);
    check_plan(&plan, n);
    tweed__plan_arrange(&plan, t, n, TWEED_BIND_NODE);
    check_plan(&plan, n);
    tweed__plan_free(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = size <= 512 ? fuzz_text(data, size) : NULL;
    const char *wrong = NULL;
    struct tweed__topology *t = text ? tweed__topology_parse(text, &wrong) : NULL;

    if (t) {
        check_topology(t);
        if (t->num_cpus <= 256) { /* larger ones take the same ways, and longer */
            make_plan(t, 1);
            make_plan(t, t->num_cpus);
            make_plan(t, t->num_cpus / 2 + 1);
            make_plan(t, t->num_cpus + 3);
        }
    }
    fuzz_must(!t || !wrong);
    tweed__topology_free(t);
    free(text);
    return 0;
}

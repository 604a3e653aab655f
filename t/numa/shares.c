/*
 * shares.c - how loops are dealt to the nodes of an emulated machine.
 *
 * SPDX-License-Identifier: MIT
 */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "tap.h"

#include "machine.h"

/* No multiple of the workers. */
#define INDICES (1000 * machine.num_allowed + 7)

static tweed_pool *pool;

struct who {
    short worker, cpu, node; /* both by what the kernel says */
};

static void note_who(int64_t i, void *arg)
{
    struct who *who = arg;
    unsigned cpu = 0, node = 0;

    getcpu(&cpu, &node);
    who[i].worker = (short)tweed_worker_index();
    who[i].cpu = (short)cpu;
    who[i].node = (short)node;
}

/* Who executes which index of a static loop. */
static struct who *run_static(int64_t lo, int64_t n)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    struct who *who = calloc((size_t)n, sizeof *who);

    o.schedule = TWEED_SCHEDULE_STATIC;
    memset(who, -1, (size_t)n * sizeof *who);
    must(tweed_parallel_for_with(pool, &o, lo, lo + n, note_who, who - lo));
    return who;
}

/* ---- shares ---- */

/* The nodes in the order of the indices; how many runs of indices of one node. */
static int runs(const struct who *who, int n, int *order)
{
    int count = 0;

    for (int i = 0; i < n; i++)
        if (i == 0 || who[i].node != who[i - 1].node) {
            if (count < MACHINE_NODES)
                order[count] = who[i].node;
            count++;
        }
    return count;
}

/* So many of n indices are due to who can do `power` of `total`, but for less than one. */
static int is_due(const char *what, int k, int count, int n, int power, int total)
{
    int64_t miss = (int64_t)count * total - (int64_t)n * power;

    if (llabs(miss) < total)
        return 1;
    diag("%s %d can do %d of %d, and has %d of %d indices", what, k, power, total, count,
         n);
    return 0;
}

static int nodes_are_proportional(const struct who *who, int n)
{
    int count[MACHINE_NODES] = { 0 }, power[MACHINE_NODES] = { 0 }, total = 0, good = 1;

    for (int i = 0; i < n; i++)
        count[who[i].node]++;
    for (int i = 0; i < machine.num_allowed; i++) {
        power[machine.cpus[machine.allowed[i]].node] += machine_power(machine.allowed[i]);
        total += machine_power(machine.allowed[i]);
    }
    for (int k = 0; k < machine.num_nodes; k++)
        good &= is_due("node", k, count[k], n, power[k], total);
    return good;
}

static int cpus_are_proportional(const struct who *who, int n)
{
    int count[MACHINE_CPUS] = { 0 }, total = 0, good = 1;

    for (int i = 0; i < n; i++)
        count[who[i].cpu]++;
    for (int i = 0; i < machine.num_allowed; i++)
        total += machine_power(machine.allowed[i]);
    for (int c = 0; c < machine.num_cpus; c++)
        good &= is_due("CPU", c, count[c], n,
                       machine.cpus[c].allowed ? machine_power(c) : 0, total);
    return good;
}

/* Workers by number, and each on the node that the pool says it is on. */
static int ascend(const struct who *who, int n)
{
    for (int i = 0; i < n; i++) {
        int w = who[i].worker;

        if (w < 0 || (i && w < who[i - 1].worker) ||
            node_of_worker(pool, w) != who[i].node) {
            diag("index %d: worker %d on node %d", i, w, who[i].node);
            return 0;
        }
    }
    return 1;
}

/* Each node is one of the nearest to the one before, of those that are left. */
static int are_chained(const int *order, int n)
{
    int good = 1;

    for (int k = 1; k < n; k++)
        for (int j = k + 1; j < n; j++)
            if (machine.distances[order[k - 1]][order[j]] <
                machine.distances[order[k - 1]][order[k]]) {
                diag("node %d comes after %d; %d is nearer", order[k], order[k - 1],
                     order[j]);
                good = 0;
            }
    return good;
}

static void test_shares(void)
{
    int n = INDICES, order[MACHINE_NODES], count;
    struct who *who = run_static(0, n);

    count = runs(who, n, order);
    if (!ok(count == machine_nodes_with_cpus(), "the share of each node is one interval"))
        diag("%d intervals, %d nodes", count, machine_nodes_with_cpus());
    ok(nodes_are_proportional(who, n), "it is in proportion to what the node's CPUs can do");
    ok(cpus_are_proportional(who, n), "so is the part of each CPU");
    ok(ascend(who, n), "its workers are those of the node, by number");
    ok(count <= MACHINE_NODES && are_chained(order, count),
       "neighbours among the shares are near each other");
    free(who);
}

/* ---- the same again ---- */

static int are_same(const struct who *a, const struct who *b, int64_t n)
{
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static int static_again(int64_t lo, int64_t n)
{
    struct who *first = run_static(lo, n);
    int good = 1;

    for (int round = 0; round < 3; round++) {
        struct who *other = run_static(1, 100 + round), *again = run_static(lo, n);

        good &= are_same(first, again, n);
        free(other);
        free(again);
    }
    free(first);
    return good;
}

/* A loop in which each worker waits with its first index until all have come: so
   nobody is without work, and nobody steals. */
struct firsts {
    int64_t first[MACHINE_CPUS]; /* of each worker */
    struct who *who;
};

static void begin_together(int64_t i, void *arg)
{
    struct firsts *f = arg;
    int w = tweed_worker_index();

    note_who(i, f->who);
    if (f->first[w] >= 0)
        return;
    f->first[w] = i;
    gather();
}

static void run_dynamic(struct firsts *f, int n)
{
    memset(f->first, -1, sizeof f->first);
    f->who = calloc((size_t)n, sizeof *f->who);
    gather_so_many(machine.num_allowed);
    must(tweed_parallel_for_with(pool, NULL, 0, n, begin_together, f));
}

/* Loops that may be stolen from begin with the shares of the static one. */
static int dynamic_again(void)
{
    int n = INDICES, good = 1;
    struct who *fixed = run_static(0, n);

    for (int round = 0; round < 3; round++) {
        struct firsts f;

        run_dynamic(&f, n);
        for (int w = 0; w < machine.num_allowed; w++) {
            int64_t i = f.first[w];

            if (i >= 0 && fixed[i].worker == w && fixed[i].node == f.who[i].node &&
                (i == 0 || fixed[i - 1].worker == w - 1))
                continue;
            diag("worker %d begins with %lld", w, (long long)i);
            good = 0;
        }
        free(f.who);
    }
    free(fixed);
    return good;
}

int main(void)
{
    machine_read();
    pool = machine_pool();
    plan(7);
    test_shares();
    ok(static_again(0, INDICES) && static_again(-5, 3 * machine.num_allowed + 1),
       "static loops of the same bounds have each index on the same worker and node");
    ok(dynamic_again(), "others of the same bounds begin with these shares, too");
    tweed_pool_destroy(pool);
    return done_testing();
}

/*
 * memory.c - what belongs to a worker lies on its node.
 *
 * SPDX-License-Identifier: MIT
 */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "tap.h"

#include "machine.h"

#include <stdint.h>
#include <tweed/scratch.h>

#define SCRATCH (16 * MACHINE_PAGE)

static tweed_pool *pool;

/* All touched pages of [address, address + bytes) are near worker w, and there are
   that many at least. */
static int is_near(const char *what, int w, void *address, size_t bytes, int least)
{
    uintptr_t first = (uintptr_t)address / MACHINE_PAGE;
    uintptr_t past = ((uintptr_t)address + bytes + MACHINE_PAGE - 1) / MACHINE_PAGE;
    int n = (int)(past - first), touched = 0, good = 1;
    int *nodes = calloc((size_t)n, sizeof *nodes);

    nodes_of_pages((char *)address - (uintptr_t)address % MACHINE_PAGE, n, nodes);
    for (int i = 0; i < n; i++) {
        if (nodes[i] == -ENOENT || nodes[i] == -EFAULT)
            continue;
        touched++;
        if (machine_is_near(node_of_worker(pool, w), nodes[i]))
            continue;
        diag("page %d of %s of worker %d of node %d is on node %d", i, what, w,
             node_of_worker(pool, w), nodes[i]);
        good = 0;
    }
    if (touched < least)
        diag("%d of %d pages of %s of worker %d are touched", touched, n, what, w);
    free(nodes);
    return good && touched >= least;
}

/* Each worker's structure; its seats are in it. */
static int structures(void)
{
    struct tweed__team *team = tweed__pool_team(pool);
    int good = 1;

    for (int w = 0; w < team->num_workers; w++)
        good &= is_near("the structure", w, team->workers[w], sizeof *team->workers[w],
                        (int)(sizeof team->workers[w]->seats / MACHINE_PAGE));
    return good;
}

/* The node of the page at an address, by the kernel's other call. */
static int node_at(void *address)
{
    int node = -1;

    if (get_mempolicy(&node, NULL, 0, address, MPOL_F_NODE | MPOL_F_ADDR) != 0)
        return -1;
    return node;
}

static int seats(void)
{
    struct tweed__team *team = tweed__pool_team(pool);
    int good = 1;

    for (int w = 0; w < team->num_workers; w++)
        for (int k = 0; k < TWEED__SLOTS; k++) {
            int node = node_at(&team->workers[w]->seats[k].range);

            if (machine_is_near(team->workers[w]->node, node))
                continue;
            diag("seat %d of worker %d of node %d is on node %d", k, w,
                 team->workers[w]->node, node);
            good = 0;
        }
    return good;
}

static void work(int64_t i, void *arg)
{
    atomic_int *counts = arg;

    atomic_fetch_add(&counts[i], 1);
}

/* Loops of several shapes, so that all that they need is touched. */
static int loops(void)
{
    static atomic_int counts[3000];
    int rounds = 0, good = 1;

    for (int n = 1; n <= 3000; n += 1 + n / 2, rounds++)
        must(tweed_parallel_for_with(pool, NULL, 0, n, work, counts));
    good &= counts[0] == rounds;
    return good;
}

/* ---- scratch ---- */

static void *buffers[MACHINE_CPUS]; /* of each worker, of when all were in their bodies */

static void fill(int worker, void *arg)
{
    buffers[worker] = tweed_scratch_get(arg);
    memset(buffers[worker], 1, SCRATCH);
}

/* Of the workers from this one on. */
static int scratch(int from)
{
    tweed_scratch *s;
    int good = 1;

    must(tweed_scratch_create(&s, SCRATCH, NULL));
    must(meet(pool, fill, s));
    for (int w = from; w < tweed_pool_num_workers(pool); w++)
        good &= is_near("the scratch", w, buffers[w], SCRATCH, SCRATCH / MACHINE_PAGE);
    tweed_scratch_destroy(s);
    return good;
}

/* The caller is on a CPU of the last node, and a worker from there on the first one. */
static int scratch_away(void)
{
    int good;

    caller_goes_to(machine.allowed[machine.num_allowed - 1]);
    good = scratch(1);
    caller_goes_to(tweed__pool_team(pool)->workers[0]->cpu);
    return good;
}

/* ---- the caller's policy ---- */

static int policy_is(int expected)
{
    int policy = -1;

    get_mempolicy(&policy, NULL, 0, NULL, 0);
    return policy == expected;
}

int main(void)
{
    machine_read();
    plan(7);
    pool = machine_pool();
    ok(policy_is(MPOL_DEFAULT), "starting a pool leaves the caller's memory policy alone");
    ok(structures(), "the structure of each worker is on its node (move_pages)");
    ok(seats(), "each of its seats is (get_mempolicy)");
    ok(scratch(0), "its scratch memory is");
    ok(scratch_away(), "that of a worker which has made way for the caller, too");
    ok(loops() && structures() && seats(), "so it stays when loops run");
    tweed_pool_destroy(pool);
    set_mempolicy(MPOL_INTERLEAVE, (unsigned long[]){ machine.nodes[1].mib ? 3 : 1 }, 64);
    pool = machine_pool();
    ok(structures() && seats(), "nor does the caller's policy matter");
    tweed_pool_destroy(pool);
    return done_testing();
}

/*
 * place.c - workers on the right CPUs of an emulated machine.
 *
 * SPDX-License-Identifier: MIT
 */
/* Each loop is published: what is called through the library remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "tap.h"

#include "crowd.h"
#include "machine.h"

#define ROUNDS 20

static tweed_pool *start(int workers, int bind)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;
    tweed_pool *pool;

    o.num_workers = workers;
    o.bind = bind;
    must(tweed_pool_create(&pool, &o));
    return pool;
}

/* The CPUs that worker w is bound to; how many. */
static int bound_to(tweed_pool *pool, int w, cpu_set_t *set)
{
    CPU_ZERO(set);
    pthread_getaffinity_np(tweed__pool_team(pool)->workers[w]->thread, sizeof *set, set);
    return CPU_COUNT(set);
}

/* The CPU that worker w is bound to; -1: to several. */
static int cpu_of(tweed_pool *pool, int w)
{
    cpu_set_t set;
    int cpu = 0;

    if (bound_to(pool, w, &set) != 1)
        return -1;
    while (!CPU_ISSET((size_t)cpu, &set))
        cpu++;
    return cpu;
}

static int node_of(tweed_pool *pool, int w)
{
    return tweed__pool_team(pool)->workers[w]->node;
}

/* ---- a worker for each CPU ---- */

/* Those of a pool that was just started, whose caller was nowhere yet. */
static int are_at_home(tweed_pool *pool)
{
    int good = 1;

    for (int w = 1; w < tweed_pool_num_workers(pool); w++) {
        int cpu = cpu_of(pool, w);

        if (machine_may_use(cpu) && machine.cpus[cpu].node == node_of(pool, w))
            continue;
        diag("worker %d of node %d is bound to CPU %d", w, node_of(pool, w), cpu);
        good = 0;
    }
    return good;
}

/* How many workers each node has. */
static int are_spread(tweed_pool *pool)
{
    int count[MACHINE_NODES] = { 0 }, good = 1;

    for (int w = 0; w < tweed_pool_num_workers(pool); w++)
        count[node_of(pool, w)]++;
    for (int i = 0; i < machine.num_nodes; i++) {
        if (count[i] == machine.nodes[i].cpus)
            continue;
        diag("node %d: %d workers, %d CPUs", i, count[i], machine.nodes[i].cpus);
        good = 0;
    }
    return good;
}

/* Nobody is bound where the caller is, nor two on one CPU. */
static int are_apart(tweed_pool *pool, int caller)
{
    int who[MACHINE_CPUS] = { 0 }, good = 1;

    for (int w = 1; w < tweed_pool_num_workers(pool); w++) {
        int cpu = cpu_of(pool, w);

        if (!machine_may_use(cpu)) {
            diag("caller on %d: worker %d is bound to CPU %d", caller, w, cpu);
            good = 0;
        } else if (cpu == caller || who[cpu]) {
            diag("caller on %d: workers %d and %d on CPU %d", caller, w,
                 cpu == caller ? 0 : who[cpu], cpu);
            good = 0;
        } else {
            who[cpu] = w;
        }
    }
    return good;
}

static void empty(int64_t i, void *arg)
{
    (void)i, (void)arg;
}

/* Where the caller has gone, a loop of its. */
static void loop_from(tweed_pool *pool, int cpu)
{
    caller_goes_to(cpu);
    must(tweed_parallel_for_with(pool, NULL, 0, 1000, empty, NULL));
}

/* The caller goes round. */
static int stay_apart(tweed_pool *pool)
{
    int good = 1;

    for (int i = 0; i < machine.num_allowed; i++) {
        int cpu = machine.allowed[i * 7 % machine.num_allowed];

        loop_from(pool, cpu);
        good &= are_apart(pool, cpu);
    }
    caller_goes_anywhere();
    return good;
}

static void note_cpu(int worker, void *arg)
{
    int *cpus = arg;

    cpus[worker] = sched_getcpu();
}

/* In their bodies, all at a time: each on a CPU of its own?  The caller is bound, since
   the system may move it in the midst of a loop. */
static int run_apart(tweed_pool *pool)
{
    int good = 1;

    for (int round = 0; round < ROUNDS; round++) {
        int cpus[MACHINE_CPUS], who[MACHINE_CPUS];

        memset(who, -1, sizeof who);
        caller_goes_to(machine.allowed[round * 3 % machine.num_allowed]);
        must(meet(pool, note_cpu, cpus));
        for (int w = 0; w < tweed_pool_num_workers(pool); w++) {
            int cpu = cpus[w];

            if (!machine_may_use(cpu) || who[cpu] >= 0) {
                diag("round %d: workers %d and %d on CPU %d", round, w,
                     machine_may_use(cpu) ? who[cpu] : -1, cpu);
                good = 0;
            } else {
                who[cpu] = w;
            }
        }
    }
    caller_goes_anywhere();
    return good;
}

/* ---- fewer workers than CPUs ---- */

/* Sets core[] to the workers on each core, the caller among them; the CPUs that are
   allowed there are `threads`. */
static void count_cores(tweed_pool *pool, int caller, int *core, int *threads)
{
    memset(core, 0, MACHINE_CPUS * sizeof *core);
    memset(threads, 0, MACHINE_CPUS * sizeof *threads);
    for (int i = 0; i < machine.num_allowed; i++)
        threads[machine.cpus[machine.allowed[i]].core]++;
    if (caller >= 0)
        core[machine.cpus[caller].core]++;
    for (int w = 1; w < tweed_pool_num_workers(pool); w++) {
        int cpu = cpu_of(pool, w);

        if (machine_may_use(cpu))
            core[machine.cpus[cpu].core]++;
    }
}

/* No core has two workers while another has none. */
static int are_on_cores(tweed_pool *pool, int caller)
{
    int core[MACHINE_CPUS], threads[MACHINE_CPUS], twice = 0, idle = 0;

    count_cores(pool, caller, core, threads);
    for (int k = 0; k < MACHINE_CPUS; k++) {
        twice += core[k] > 1;
        idle += threads[k] > 0 && core[k] == 0;
    }
    if (twice && idle)
        diag("%d workers, caller on %d: %d cores with two, %d with none",
             tweed_pool_num_workers(pool), caller, twice, idle);
    return !twice || !idle;
}

static int num_cores(void)
{
    int core[MACHINE_CPUS] = { 0 }, n = 0;

    for (int i = 0; i < machine.num_allowed; i++)
        n += core[machine.cpus[machine.allowed[i]].core]++ == 0;
    return n;
}

/* Pools of each size, before any loop: the caller is thought to be where worker 0 is
   planned. */
static int take_cores_first(void)
{
    int good = 1;

    for (int n = 2; n <= machine.num_allowed; n++) {
        tweed_pool *pool = start(n, TWEED_BIND_CPU);

        good &= are_on_cores(pool, tweed__pool_team(pool)->workers[0]->cpu);
        tweed_pool_destroy(pool);
    }
    return good;
}

/* Is this the first hardware thread of its core, of those that are allowed? */
static bool is_first(int cpu)
{
    for (int c = 0; c < cpu; c++)
        if (machine.cpus[c].allowed && machine.cpus[c].core == machine.cpus[cpu].core)
            return false;
    return true;
}

/* A pool of so many; the caller goes from core to core, and workers make way. */
static int take_free_cores(int n)
{
    tweed_pool *pool = start(n, TWEED_BIND_CPU);
    int good = 1;

    for (int i = 0; i < 3 * machine.num_allowed; i++) {
        int cpu = machine.allowed[i * 7 % machine.num_allowed];

        if (!is_first(cpu))
            continue;
        loop_from(pool, cpu);
        good &= are_apart(pool, cpu) && are_on_cores(pool, cpu);
    }
    caller_goes_anywhere();
    tweed_pool_destroy(pool);
    return good;
}

/* Nobody is on a foreign node while a CPU of its own is free; and at most one is.  Where
   a core is enough for each worker second hardware threads do not count as free. */
static int are_on_own_nodes(tweed_pool *pool, int caller)
{
    bool cores_do = tweed_pool_num_workers(pool) <= num_cores();
    int free[MACHINE_NODES] = { 0 }, away = 0, good = 1;

    for (int i = 0; i < machine.num_allowed; i++)
        free[machine.cpus[machine.allowed[i]].node] +=
            machine.allowed[i] != caller &&
            (!cores_do || is_first(machine.allowed[i]));
    for (int w = 1; w < tweed_pool_num_workers(pool); w++)
        if (cpu_of(pool, w) >= 0)
            free[machine.cpus[cpu_of(pool, w)].node]--;
    for (int w = 1; w < tweed_pool_num_workers(pool); w++) {
        int at = cpu_of(pool, w), home = node_of(pool, w);

        if (at >= 0 && machine.cpus[at].node == home)
            continue;
        good &= free[home] == 0 && away++ == 0;
        if (!good)
            diag("caller on %d: worker %d of node %d is on CPU %d", caller, w, home, at);
    }
    return good;
}

/* Pools of several sizes; the caller goes round. */
static int stay_on_nodes(void)
{
    int good = 1;

    for (int n = machine.num_allowed; n > 1; n /= 2) {
        tweed_pool *pool = start(n, TWEED_BIND_CPU);

        for (int i = 0; i < 3 * machine.num_allowed; i++) {
            int cpu = machine.allowed[i * 11 % machine.num_allowed];

            loop_from(pool, cpu);
            good &= are_on_own_nodes(pool, cpu);
        }
        caller_goes_anywhere();
        tweed_pool_destroy(pool);
    }
    return good;
}

/* Bound to their nodes: to all CPUs there, and to no other. */
static int are_on_nodes(tweed_pool *pool)
{
    int good = 1;

    for (int w = 1; w < tweed_pool_num_workers(pool); w++) {
        cpu_set_t set;

        bound_to(pool, w, &set);
        for (int c = 0; c < machine.num_cpus; c++) {
            bool mine = machine.cpus[c].allowed &&
                        machine.cpus[c].node == node_of(pool, w);

            if (mine == (CPU_ISSET((size_t)c, &set) != 0))
                continue;
            diag("worker %d of node %d %s run on CPU %d", w, node_of(pool, w),
                 mine ? "may not" : "may", c);
            good = 0;
        }
    }
    return good;
}

static void test_full(void)
{
    tweed_pool *pool = start(0, TWEED_BIND_DEFAULT);

    if (!ok(tweed_pool_num_workers(pool) == machine.num_allowed,
            "a worker for each CPU that the process may use"))
        diag("%d workers, %d CPUs", tweed_pool_num_workers(pool), machine.num_allowed);
    ok(are_at_home(pool), "each worker is bound to one CPU, of its node");
    ok(are_spread(pool), "each node has as many workers as CPUs");
    ok(run_apart(pool), "workers in their bodies are on different CPUs");
    ok(stay_apart(pool), "wherever the caller is, no two are on one CPU, and none on its");
    tweed_pool_destroy(pool);
}

static void test_some(void)
{
    int cores = num_cores(), n = machine.num_allowed;
    tweed_pool *pool = start(n < 2 ? 2 : n - n / 4, TWEED_BIND_NODE);

    ok(are_on_nodes(pool), "workers that are bound to nodes may use all CPUs there");
    tweed_pool_destroy(pool);
    if (n < 2) {
        skip(3, "one CPU: there is no choice");
        return;
    }
    ok(take_cores_first(), "pools of each size take cores before hyper-threads");
    ok(take_free_cores(cores < n ? cores : n - n / 4),
       "who makes way for the caller takes a free core before a hyper-thread");
    ok(stay_on_nodes(), "who makes way for the caller stays on its node, or comes back");
}

/* ---- several callers ---- */

/* Is a worker bound to a CPU of another node? */
static bool one_is_away(tweed_pool *pool)
{
    for (int w = 1; w < tweed_pool_num_workers(pool); w++)
        if (cpu_of(pool, w) >= 0 && machine.cpus[cpu_of(pool, w)].node != node_of(pool, w))
            return true;
    return false;
}

/* The caller is on a CPU of the last node, so a worker from there has made way to the
   first one; then there are two callers, and one again. */
static void test_crowd(void)
{
    tweed_pool *pool = start(0, TWEED_BIND_DEFAULT);
    int last = machine.allowed[machine.num_allowed - 1], away;

    if (machine.num_allowed < 2) {
        skip(2, "one CPU: nobody to be bound");
        tweed_pool_destroy(pool);
        return;
    }
    loop_from(pool, last);
    away = one_is_away(pool) || machine_nodes_with_cpus() < 2;
    crowd_begin(pool);
    ok(away && are_on_nodes(pool),
       "with two callers workers are bound to their nodes, one that had made way, too");
    crowd_end(pool);
    ok(are_apart(pool, last) && are_on_own_nodes(pool, last),
       "with one again each is on a CPU of its own");
    caller_goes_anywhere();
    tweed_pool_destroy(pool);
}

int main(void)
{
    machine_read();
    plan(11);
    test_full();
    test_some();
    test_crowd();
    return done_testing();
}

/*
 * many-cpus.c - a machine with more than 1024 CPUs.
 *
 * SPDX-License-Identifier: MIT
 *
 * A shim plays a kernel that was built for 8192 CPUs: it answers EINVAL to a
 * smaller set, and the mask has CPUs beyond what fits into a cpu_set_t.  That
 * threads cannot really be bound there is part of the test: they run all the
 * same.
 */
#include "config.h"

#include "tap.h"

#include "once.h"
#include "pool/team.h"
#include "system/topology.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

static int cpus_of_kernel = 8192, calls, refusals;
static int error_instead, nothing_set;
static const int mask[] = { 0, 1, 1023, 1024, 1500, 4095, 8191 };
enum { COUNT = sizeof mask / sizeof *mask };

int __wrap_sched_getaffinity(pid_t, size_t, cpu_set_t *);
int __wrap_sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set)
{
    (void)pid;
    calls++;
    if (error_instead || bytes * 8 < (size_t)cpus_of_kernel) {
        refusals++;
        errno = error_instead ? error_instead : EINVAL;
        return -1;
    }
    CPU_ZERO_S(bytes, set);
    for (int i = 0; i < COUNT; i++)
        if (mask[i] < cpus_of_kernel && !nothing_set)
            CPU_SET_S((size_t)mask[i], bytes, set);
    return 0;
}

int main(void)
{
    int *cpus = NULL, n, good;
    struct tweed__topology *t;

    alarm(120);
    unsetenv("TWEED_TOPOLOGY");
    unsetenv("TWEED_NUM_WORKERS");
    unsetenv("OMP_NUM_THREADS");
    plan(10);

    n = tweed__topology_mask(0, &cpus);
    good = n == COUNT;
    for (int i = 0; good && i < COUNT; i++)
        good = cpus[i] == mask[i];
    ok(good, "all CPUs of the mask, up to 8191, ascending");
    ok(refusals == 3 && calls == 4, "sets of 1024, 2048 and 4096 were too small");
    if (n > 0)
        free(cpus);

    cpus_of_kernel = 1024;
    calls = 0;
    n = tweed__topology_mask(0, &cpus);
    ok(n == 3 && calls == 1, "an ordinary kernel is asked once");
    if (n > 0)
        free(cpus);

    cpus_of_kernel = 1 << 22; /* more than anybody will build */
    ok(tweed__topology_mask(0, &cpus) == -1, "a kernel that is never content: given up");
    error_instead = EPERM;
    calls = 0;
    ok(tweed__topology_mask(0, &cpus) == -1 && calls == 1, "refused: not asked again");
    t = tweed__topology_get();
    ok(t && t->num_cpus == 1 && t->num_nodes == 1, "then it is a lone CPU");
    tweed__topology_free(t);
    error_instead = 0;

    cpus_of_kernel = 8192;
    nothing_set = 1;
    ok(tweed__topology_mask(0, &cpus) == -1, "a mask without a CPU is none");
    nothing_set = 0;
    t = tweed__topology_get();
    good = t && t->num_cpus == COUNT;
    for (int i = 0; good && i < COUNT; i++) {
        int seen = 0;

        for (int k = 0; k < COUNT; k++)
            seen += t->cpus[k].cpu == mask[i];
        good = seen == 1;
    }
    ok(good, "the topology has them all");
    if (t)
        t->quota = 0; /* the machine's own, whatever it is */
    ok(t && tweed__topology_workers(t) == COUNT, "a worker each");
    tweed__topology_free(t);

    tweed_pool_options o = { .size = sizeof o, .num_workers = COUNT };
    tweed_pool *pool = NULL;

    good = tweed_pool_create(&pool, &o) == TWEED_OK &&
           tweed_pool_num_workers(pool) == COUNT && once_loops(pool, 12) &&
           tweed_pool_destroy(pool) == TWEED_OK;
    ok(good, "threads that cannot be bound there run where they may");
    return done_testing();
}

/*
 * follow.c - the caller is seen on a worker's CPU: the worker moves.
 *
 * SPDX-License-Identifier: MIT
 *
 * Where the caller is, is what the wrapped sched_getcpu() says; how many system
 * calls that costs is what the wrapped pthread_setaffinity_np() counts.
 */
/* Each loop is published: what is called through the library remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "pools.h"

#include "pool/affinity.h"
#include "pool/pool.h"
#include "system/topology.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#define PLENTY 100 /* loops, more than it takes to see that there is a crowd */

#define TRUE_CPU (-2)

static _Thread_local int here = TRUE_CPU; /* the caller's CPU; workers say nothing */
static atomic_int moves, refused;

int __real_sched_getcpu(void);
int __wrap_sched_getcpu(void);
int __real_pthread_setaffinity_np(pthread_t thread, size_t bytes,
                                  const cpu_set_t *set);
int __wrap_pthread_setaffinity_np(pthread_t thread, size_t bytes,
                                  const cpu_set_t *set);

int __wrap_sched_getcpu(void)
{
    return here == TRUE_CPU ? __real_sched_getcpu() : here;
}

int __wrap_pthread_setaffinity_np(pthread_t thread, size_t bytes,
                                  const cpu_set_t *set)
{
    moves++;
    return refused ? EPERM : __real_pthread_setaffinity_np(thread, bytes, set);
}

static tweed_pool *pool;
static int *cpus, num_cpus;

/* The workers are bound to all CPUs but this one, a CPU each. */
static int all_but(int cpu)
{
    struct tweed__team *team = tweed__pool_team(pool);
    cpu_set_t taken;
    int good = 1;

    CPU_ZERO(&taken);
    for (int w = 1; w < team->num_workers; w++) {
        cpu_set_t set;

        CPU_ZERO(&set);
        pthread_getaffinity_np(team->workers[w]->thread, sizeof set, &set);
        good &= CPU_COUNT(&set) == 1;
        CPU_OR(&taken, &taken, &set);
    }
    return good && CPU_COUNT(&taken) == num_cpus - 1 && !CPU_ISSET((size_t)cpu, &taken);
}

static int are_loose(void)
{
    struct tweed__team *team = tweed__pool_team(pool);
    int good = 1;

    for (int w = 1; w < team->num_workers; w++) {
        cpu_set_t set;

        CPU_ZERO(&set);
        pthread_getaffinity_np(team->workers[w]->thread, sizeof set, &set);
        good &= CPU_COUNT(&set) > 1;
    }
    return good;
}

static void count(int64_t i, void *arg)
{
    atomic_int *counts = arg;

    counts[i]++;
}

/* So many loops: each index once? */
static int loops(int n)
{
    atomic_int counts[64] = { 0 };
    int good = 1;

    for (int k = 0; k < n; k++)
        must(tweed_parallel_for_with(pool, NULL, 0, 64, count, counts));
    for (int i = 0; i < 64; i++)
        good &= counts[i] == n;
    return good;
}

/* Loops from a CPU: all right, and so many system calls. */
static int loops_from(int cpu, int n, int expected)
{
    int before = moves, good;

    here = cpu;
    good = loops(n);
    if (moves - before != expected)
        diag("%d moves", moves - before);
    return good && moves - before == expected;
}

/* ---- tasks ---- */

static int count_one(void *arg)
{
    ++*(atomic_int *)arg;
    return 0;
}

/* A task, submitted or of a group, by a caller on that CPU, when all workers are idle:
   executed once, and so many system calls. */
static int task_from(int cpu, int submitted, int expected)
{
    tweed_group g = TWEED_GROUP_INIT;
    atomic_int n = 0;
    int before = moves, moved;

    g.pool = pool;
    here = cpu;
    usleep(50000); /* asleep, or looking: both are told */
    if (submitted)
        must(tweed_pool_submit(pool, count_one, &n));
    else
        must(tweed_group_spawn(&g, count_one, &n));
    moved = moves - before;
    must(submitted ? tweed_pool_drain(pool) : tweed_group_sync(&g));
    return n == 1 && moved == expected;
}

#define DEPTH 5

/* Each waits for what it has spawned: the caller from outside is in several calls. */
static int grow(void *arg)
{
    tweed_group g = TWEED_GROUP_INIT;
    intptr_t depth = (intptr_t)arg;

    g.pool = pool;
    if (depth == 0) {
        usleep(10); /* workers go to sleep, and are woken */
        return 0;
    }
    for (int k = 0; k < 2; k++)
        must(tweed_group_spawn(&g, grow, (void *)(depth - 1)));
    return tweed_group_sync(&g);
}

/* The caller is alone: no crowd is seen, whatever it spawns. */
static int trees_are_no_crowd(void)
{
    int before, good = 1;

    here = TRUE_CPU;
    must(grow((void *)1) ? 1 : 0);
    before = tweed__pool_team(pool)->affinity->crowd;
    for (int n = 0; n < PLENTY; n++) {
        good &= grow((void *)(intptr_t)DEPTH) == 0;
        good &= tweed__pool_team(pool)->affinity->crowd <= before;
    }
    return good;
}

/* ---- two callers at the same time ---- */

static atomic_int inside, lost;

static void meet(int64_t i, void *arg)
{
    atomic_int *met = arg;

    ++*met;
    if (i == 0)
        for (++inside; inside < 2;) /* the other caller's loop is live, too */
            sched_yield();
}

static pthread_barrier_t barrier;

static void *call(void *second)
{
    for (int n = 0; n < PLENTY; n++) {
        atomic_int met = 0;

        here = cpus[n % 2];
        pthread_barrier_wait(&barrier);
        inside = 0;
        pthread_barrier_wait(&barrier);
        while (second && inside == 0) /* the first one's loop is live */
            sched_yield();
        must(tweed_parallel_for_with(pool, NULL, 0, 4, meet, &met));
        lost += met != 4;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void two_callers(void)
{
    pthread_t other;

    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&other, NULL, call, &barrier); /* the second */
    call(NULL);
    pthread_join(other, NULL);
    pthread_barrier_destroy(&barrier);
}

int main(void)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;

    num_cpus = tweed__topology_mask(0, &cpus);
    if (num_cpus < 2)
        skip_all("one CPU: there is no other to move to");
    if (num_cpus > 64)
        skip_all("more CPUs than this test wants threads");
    plan(12);
    watchdog();
    o.num_workers = num_cpus;
    must(tweed_pool_create(&pool, &o));
    ok(all_but(cpus[0]), "the first CPU is left to the caller");
    ok(loops_from(cpus[0], 5, 0) && all_but(cpus[0]),
       "the caller is there: nobody is moved");
    ok(loops_from(cpus[1], 1, 1) && all_but(cpus[1]),
       "it is on a worker's CPU: that worker is moved to the one it left");
    ok(loops_from(cpus[1], 5, 0), "it stays: nobody is moved");
    ok(loops_from(-1, 1, 0) && loops_from(1 << 20, 1, 0) && all_but(cpus[1]),
       "it is on no CPU that is known");
    refused = 1;
    ok(loops_from(cpus[0], 1, 1) && all_but(cpus[1]),
       "the system refuses: the loop is right all the same");
    refused = 0;
    ok(loops_from(cpus[1], 1, 0) && loops_from(cpus[0], 1, 1) && all_but(cpus[0]),
       "and may allow it again");
    ok(task_from(cpus[1], 1, 1) && all_but(cpus[1]) && task_from(cpus[1], 1, 0),
       "a task is submitted from a worker's CPU: that worker is moved");
    ok(task_from(cpus[0], 0, 1) && all_but(cpus[0]) && task_from(cpus[0], 0, 0),
       "or spawned into a group");
    ok(trees_are_no_crowd(), "trees of groups of one caller: no crowd");
    here = cpus[0];
    two_callers();
    ok(are_loose() && lost == 0, "two callers at a time: workers go where the system likes");
    here = cpus[1]; /* where it was last seen, and a worker was bound */
    ok(loops(PLENTY) && all_but(cpus[1]),
       "one caller again: each on a CPU of its own");
    tweed_pool_destroy(pool);
    free(cpus);
    return done_testing();
}

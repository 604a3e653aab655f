/*
 * offline.c - a CPU is taken off line, and comes back, while loops run.
 *
 * SPDX-License-Identifier: MIT
 *
 * When its only CPU goes the kernel lets a thread run anywhere.
 */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "tap.h"

#include "machine.h"

#define INDICES 3000

static tweed_pool *pool;
static int victim; /* the CPU that goes, the last one: the caller is never there */

static int set_online(int cpu, int on)
{
    char path[64];
    FILE *f;
    int good;

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/online", cpu);
    f = fopen(path, "w");
    if (!f)
        return 0;
    good = fprintf(f, "%d\n", on) > 0;
    return fclose(f) == 0 && good;
}

/* ---- loops that run meanwhile ---- */

static atomic_int counts[INDICES];
static _Atomic bool over;
static int loops, wrong;

static void count(int64_t i, void *arg)
{
    (void)arg;
    atomic_fetch_add(&counts[i], 1);
    for (volatile int k = 0; k < 200; k++)
        ;
}

static void loop_once(int schedule)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    o.schedule = schedule;
    must(tweed_parallel_for_with(pool, &o, 0, INDICES, count, NULL));
    loops++;
    for (int i = 0; i < INDICES; i++)
        wrong += atomic_load(&counts[i]) != loops;
}

static void *goes_and_comes(void *good)
{
    for (int round = 0; round < 5; round++) {
        *(int *)good &= set_online(victim, 0);
        usleep(50000);
        *(int *)good &= set_online(victim, 1);
        usleep(50000);
    }
    atomic_store(&over, true);
    return NULL;
}

static void test_loops(void)
{
    pthread_t thread;
    int switched = 1;

    pthread_create(&thread, NULL, goes_and_comes, &switched);
    while (!atomic_load(&over)) {
        loop_once(TWEED_SCHEDULE_DEFAULT);
        loop_once(TWEED_SCHEDULE_STATIC);
    }
    pthread_join(thread, NULL);
    ok(switched && wrong == 0, "loops are right while a CPU goes and comes");
    diag("%d loops", loops);
}

/* ---- where workers are ---- */

static int cpus[MACHINE_CPUS]; /* of each worker, when its body began */

static void note_cpu(int64_t i, void *arg)
{
    (void)i, (void)arg;
    cpus[tweed_worker_index()] = sched_getcpu();
    gather();
}

/* All have slept, and are in their bodies now. */
static void look_where_all_are(void)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    int n = tweed_pool_num_workers(pool);

    usleep(50000);
    o.schedule = TWEED_SCHEDULE_STATIC;
    gather_so_many(n);
    must(tweed_parallel_for_with(pool, &o, 0, n, note_cpu, NULL));
}

static int are_apart(void)
{
    int who[MACHINE_CPUS], good = 1;

    memset(who, -1, sizeof who);
    for (int w = 0; w < tweed_pool_num_workers(pool); w++) {
        if (who[cpus[w]] >= 0) {
            diag("workers %d and %d are on CPU %d", who[cpus[w]], w, cpus[w]);
            good = 0;
        }
        who[cpus[w]] = w;
    }
    return good;
}

static int meet_apart(void)
{
    look_where_all_are();
    return are_apart();
}

/* A pool that starts without it. */
static void test_new_pools(void)
{
    int good;

    good = set_online(victim, 0);
    pool = machine_pool();
    ok(good && tweed_pool_num_workers(pool) == machine.num_allowed - 1 && meet_apart(),
       "a pool that starts meanwhile has one worker less");
    set_online(victim, 1);
    loop_once(TWEED_SCHEDULE_DEFAULT);
    ok(wrong == 0 && meet_apart(), "and stays as it is");
    tweed_pool_destroy(pool);
}

int main(void)
{
    machine_read();
    victim = machine.allowed[machine.num_allowed - 1];
    if (machine.num_allowed < 3)
        skip_all("too few CPUs");
    if (getenv("TWEED_TEST_CPUS"))
        skip_all("of a process that was cut down, the kernel widens the mask");
    plan(3);
    pool = machine_pool();
    test_loops();
    tweed_pool_destroy(pool);
    test_new_pools();
    return done_testing();
}

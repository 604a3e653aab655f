/*
 * offline.c - a CPU is taken off line, and comes back, while loops run.
 *
 * SPDX-License-Identifier: MIT
 *
 * When its only CPU goes the kernel lets a thread run anywhere, and leaves it so when
 * the CPU comes back.
 */
#define TWEED_CALLS_APART 1
#include "config.h"

#include "tap.h"

#include "crowd.h"
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

/* Each on the CPU that it was bound to in the beginning; if it happens to be there it
   need not be bound. */
static int are_at_home(void)
{
    struct tweed__team *team = tweed__pool_team(pool);
    int good = 1;

    for (int w = 1; w < team->num_workers; w++) {
        if (cpus[w] == team->workers[w]->cpu)
            continue;
        diag("worker %d, of CPU %d, is on CPU %d", w, team->workers[w]->cpu, cpus[w]);
        good = 0;
    }
    return good;
}

static void test_back(void)
{
    int apart = 1, at_home = 1;

    for (int round = 0; round < 5; round++) {
        set_online(victim, 0);
        loop_once(TWEED_SCHEDULE_DEFAULT);
        set_online(victim, 1);
        for (int look = 0; look < 3; look++) {
            look_where_all_are();
            apart &= are_apart();
            at_home &= are_at_home();
        }
    }
    ok(apart, "when it is back no two workers are on one CPU");
    ok(at_home, "each is on its own again");
}

/* A pool that starts without it, and one that starts when it is back. */
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

/* ---- a whole node, while the workers are bound to nodes ---- */

/* All CPUs of the victim's node.  (One comes back before the next one.) */
static int set_node_online(int on)
{
    int good = 1;

    for (int i = 0; i < machine.num_allowed; i++)
        if (machine.cpus[machine.allowed[i]].node == machine.cpus[victim].node)
            good &= set_online(machine.allowed[i], on);
    return good;
}

static int are_on_their_nodes(bool say)
{
    struct tweed__team *team = tweed__pool_team(pool);
    int away = 0;

    look_where_all_are();
    for (int w = 1; w < team->num_workers; w++) {
        if (machine.cpus[cpus[w]].node == team->workers[w]->node)
            continue;
        away++;
        if (say)
            diag("worker %d, of node %d, is on CPU %d", w, team->workers[w]->node, cpus[w]);
    }
    return away == 0;
}

/* Who awakes while another worker binds itself does so after its next sleep: one does
   each time, and others go first. */
static int come_back(void)
{
    int good = 1;

    for (int w = 0; w < machine.num_allowed && !are_on_their_nodes(false); w++)
        ;
    for (int round = 0; round < 5; round++)
        good &= are_on_their_nodes(true);
    return good;
}

/* The same of a pool whose workers were bound to nodes from the beginning. */
static void test_bound_to_nodes(void)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;
    int good = 1;

    o.bind = TWEED_BIND_NODE;
    caller_goes_anywhere();
    must(tweed_pool_create(&pool, &o));
    caller_goes_to(tweed__pool_team(pool)->workers[0]->cpu);
    for (int round = 0; round < 3; round++) {
        good &= set_node_online(0);
        loop_once(TWEED_SCHEDULE_DEFAULT);
        good &= set_node_online(1);
        good &= come_back();
    }
    ok(good && wrong == 0,
       "of a pool that is bound to nodes, too: all workers come back to their own");
    tweed_pool_destroy(pool);
}

static void test_node(void)
{
    int good;

    if (machine_nodes_with_cpus() < 2) {
        skip(2, "one node has all CPUs");
        return;
    }
    pool = machine_pool();
    crowd_begin(pool);
    good = set_node_online(0);
    loop_once(TWEED_SCHEDULE_DEFAULT);
    good &= set_node_online(1);
    good &= come_back();
    ok(good && wrong == 0,
       "with two callers a node goes and comes: all workers come back to their own");
    crowd_end(pool);
    tweed_pool_destroy(pool);
    test_bound_to_nodes();
}

int main(void)
{
    machine_read();
    victim = machine.allowed[machine.num_allowed - 1];
    if (machine.num_allowed < 3)
        skip_all("too few CPUs");
    if (getenv("TWEED_TEST_CPUS"))
        skip_all("of a process that was cut down, the kernel widens the mask");
    plan(7);
    pool = machine_pool();
    test_loops();
    test_back();
    tweed_pool_destroy(pool);
    test_new_pools();
    test_node();
    return done_testing();
}

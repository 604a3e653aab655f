/*
 * nodes.c - loops whose blocks are counted by nodes: workers on several nodes of a
 * made-up machine.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each loop is to execute every index once and to return; after it nothing is left in
 * any crowd's count.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "pool/pool.h"

#include "dozing.h"
#include "meet.h"

#include "system/topology.h"

#include <errno.h>
#include <pthread.h>

#define MOST 10000

struct tweed__topology *__wrap_tweed__topology_get(void);

static const char *made_up;

struct tweed__topology *__wrap_tweed__topology_get(void)
{
    const char *wrong;

    return tweed__topology_parse(made_up, &wrong);
}

static int threads_left = 1000; /* so many may be started */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                          void *(*start)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                          void *(*start)(void *), void *arg);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                          void *(*start)(void *), void *arg)
{
    if (threads_left == 0)
        return EAGAIN;
    threads_left--;
    return __real_pthread_create(thread, attr, start, arg);
}

static tweed_pool *pool;
static struct tweed__team *team;
static atomic_uchar count[MOST];
static atomic_int arrived;

static void one(int64_t i, void *arg)
{
    (void)arg;
    atomic_fetch_add(&count[i], 1);
}

/* A short body; some are long. */
static void uneven(int64_t i, void *arg)
{
    one(i, arg);
    if (i % 1000 == 7)
        nap_us(300);
}

static void some(int64_t begin, int64_t end, void *arg)
{
    for (int64_t i = begin; i < end; i++)
        one(i, arg);
}

static void nest(int64_t i, void *arg)
{
    (void)arg;
    must(tweed_parallel_for_with(pool, NULL, i * 100, i * 100 + 100, one, NULL));
}

/* Everybody but the caller's worker stays in its first body until all are begun. */
static void stay(int64_t i, void *arg)
{
    one(i, arg);
    atomic_fetch_add(&arrived, 1);
    while (tweed_worker_index() > 0 &&
           atomic_load(&arrived) < (int)(intptr_t)arg)
        nap_us(20);
}

/* Each of n indices once, and no others. */
static bool once(int n)
{
    bool good = true;

    for (int i = 0; i < MOST; i++)
        good &= atomic_exchange(&count[i], 0) == (i < n);
    return good;
}

/* And no loop being about no crowd has anything. */
static bool is_clean(int n)
{
    bool good = once(n);

    for (int g = 0; g < team->num_node_counts; g++)
        for (int k = 0; k < TWEED__SLOTS; k++)
            good &= load_seq_cst(&team->node_counts[g]->slots[k].held) == 0;
    return good;
}

static bool run(tweed_loop_options o, int n, void (*body)(int64_t i, void *arg))
{
    bool good = true;

    o.size = sizeof o;
    for (int k = 0; k < 20; k++) {
        must(tweed_parallel_for_with(pool, &o, 0, n, body, (void *)(intptr_t)n));
        good &= is_clean(n);
    }
    return good;
}

static bool run_range(int n)
{
    must(tweed_parallel_for_range_with(pool, NULL, 0, n, some, NULL));
    return is_clean(n);
}

static int stop_at_9(int64_t i, void *arg)
{
    one(i, arg);
    return i == 9 ? 5 : 0;
}

/* Ends early, again and again: what nobody has claimed is taken off all seats. */
static bool run_stopped(void)
{
    bool good = true;

    for (int k = 0; k < 100; k++) {
        tweed_outcome end = { .size = sizeof end };
        tweed_loop_options o = { .size = sizeof o, .outcome = &end };

        good &= tweed_parallel_try_with(pool, &o, 0, MOST, stop_at_9, NULL) ==
                    TWEED_ESTOPPED &&
                end.code == 5 && end.index == 9 && atomic_load(&count[9]) == 1;
        for (int i = 0; i < MOST; i++)
            good &= atomic_exchange(&count[i], 0) <= 1;
        good &= is_clean(0);
    }
    return good;
}

/* All others are held elsewhere: the caller takes every share to its last block. */
static bool run_alone(void)
{
    struct occupier o;
    bool good;

    occupy(&o, pool);
    must(tweed_parallel_for_with(pool, NULL, 0, 1000, one, NULL));
    good = once(1000);
    occupier_end(&o);
    return is_clean(0) && good;
}

static bool run_steals(void)
{
    bool good = true;

    for (int k = 0; k < 5; k++) {
        atomic_store(&arrived, 0);
        must(tweed_parallel_for_with(pool, NULL, 0, 500, stay, (void *)(intptr_t)500));
        good &= is_clean(500);
    }
    return good;
}

/* Asleep, and awake again. */
static bool run_asleep(void)
{
    bool good = true;

    for (int k = 0; k < 10; k++) {
        while (threads_dozing(team) != (uint32_t)team->num_workers - 1)
            nap_us(100);
        must(tweed_parallel_for_with(pool, NULL, 0, 2000, uneven, NULL));
        good &= is_clean(2000);
    }
    return good;
}

static void check_machine(const char *machine, int workers, int nodes)
{
    made_up = machine;
    pool = pool_of(workers);
    team = tweed__pool_team(pool);
    ok(team->num_node_counts == nodes && (team->node_counts != NULL) == (nodes > 0),
       "%s: %d nodes", machine, nodes);
    ok(run((tweed_loop_options){ 0 }, MOST, one), "%s: short bodies", machine);
    ok(run((tweed_loop_options){ 0 }, 3000, uneven), "%s: some are long", machine);
    ok(run((tweed_loop_options){ 0 }, workers, one), "%s: a block each", machine);
    ok(run((tweed_loop_options){ 0 }, 2, one), "%s: fewer blocks than workers", machine);
    ok(run((tweed_loop_options){ .max_workers = 2 }, 1000, one), "%s: two workers",
       machine);
    ok(run((tweed_loop_options){ .grain = 7 }, 1000, one), "%s: grains", machine);
    ok(run((tweed_loop_options){ .schedule = TWEED_SCHEDULE_STATIC }, 1000, one), "%s: static",
       machine);
    ok(run_range(MOST), "%s: range bodies", machine);
    must(tweed_parallel_for_with(pool, NULL, 0, 20, nest, NULL));
    ok(is_clean(2000), "%s: loops in loops", machine);
    ok(run_stopped(), "%s: loops that are stopped", machine);
    ok(run_alone(), "%s: nobody comes", machine);
    ok(run_steals(), "%s: all the rest is stolen", machine);
    ok(run_asleep(), "%s: workers that sleep", machine);
    must(tweed_pool_destroy(pool));
}

/* Threads that start are all on one node of two. */
static void check_fewer(void)
{
    tweed_pool_options o = { .size = sizeof o, .num_workers = 4 };

    made_up = "nodes:2,cpus:2";
    threads_left = 1;
    must(tweed_pool_create(&pool, &o));
    threads_left = 1000;
    team = tweed__pool_team(pool);
    ok(team->num_workers == 2 && team->num_groups == 1, "two threads do not start");
    ok(run((tweed_loop_options){ 0 }, MOST, one) &&
           run((tweed_loop_options){ 0 }, 2, one) && run_alone() && run_asleep(),
       "and all workers are on one node");
    must(tweed_pool_destroy(pool));
}

int main(void)
{
    watchdog();
    plan(58);
    check_machine("nodes:1,cpus:4", 4, 0);
    check_machine("nodes:2,cpus:1", 2, 2);
    check_machine("nodes:2,cpus:2", 4, 2);
    check_machine("nodes:4,cpus:3", 12, 4);
    check_fewer();
    return done_testing();
}

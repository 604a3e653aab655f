/*
 * spin.c - nobody spins where there is more to run than CPUs to run it: workers give the CPU
 * away there.
 *
 * SPDX-License-Identifier: MIT
 *
 * tweed__topology_get() is wrapped: how many CPUs there are is said here.  And
 * tweed__pause(), which every spin makes, and tweed__yield(): in these loops nothing else
 * makes them, since bodies meet, each worker has one, and there is nothing to propose.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "dozing.h"
#include "pools.h"

#include "pool/pool.h"
#include "system/topology.h"

struct tweed__topology *__wrap_tweed__topology_get(void);
void __real_tweed__pause(void);
void __wrap_tweed__pause(void);
void __real_tweed__yield(void);
void __wrap_tweed__yield(void);

static int cpus;
static atomic_long pauses, yields;

struct tweed__topology *__wrap_tweed__topology_get(void)
{
    char text[32];
    const char *wrong;
    struct tweed__topology *t;

    snprintf(text, sizeof text, "nodes:1,cpus:%d", cpus);
    t = tweed__topology_parse(text, &wrong);
    if (t)
        t->synthetic = false; /* else what the real machine has would count */
    return t;
}

void __wrap_tweed__pause(void)
{
    atomic_fetch_add(&pauses, 1);
    __real_tweed__pause();
}

void __wrap_tweed__yield(void)
{
    atomic_fetch_add(&yields, 1);
    __real_tweed__yield();
}

#define WORKERS 4

static atomic_int arrived;

static void meet(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < WORKERS)
        nap_us(20);
}

/* Counts what is made in some loops and between them. */
static void count_with(int num_cpus, int64_t spin_ns)
{
    tweed_pool *pool;
    struct tweed__team *team;

    cpus = num_cpus;
    atomic_store(&pauses, 0);
    atomic_store(&yields, 0);
    pool = pool_with((tweed_pool_options){ .num_workers = WORKERS,
                                           .bind = TWEED_BIND_NONE,
                                           .spin_ns = spin_ns });
    team = tweed__pool_team(pool);
    for (int k = 0; k < 20; k++) {
        atomic_store(&arrived, 0);
        must(tweed_parallel_for_with(pool, NULL, 0, WORKERS, meet, NULL));
        while (threads_dozing(team) != WORKERS - 1)
            nap_us(20);
    }
    tweed_pool_destroy(pool);
}

int main(void)
{
    plan(6);
    watchdog();
    count_with(64, 20000);
    ok(pauses > 0, "4 workers, 64 CPUs: %ld pauses", pauses);
    ok(yields == 0, "and %ld yields", yields);
    count_with(1, 20000);
    ok(pauses == 0, "4 workers, one CPU: %ld pauses", pauses);
    ok(yields > 0, "and %ld yields", yields);
    count_with(64, -1);
    ok(pauses == 0, "4 workers, 64 CPUs, asked not to spin: %ld pauses", pauses);
    count_with(1, -1);
    ok(pauses + yields == 0, "4 workers, one CPU, asked not to spin: %ld pauses, %ld yields",
       pauses, yields);
    return done_testing();
}

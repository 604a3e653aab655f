/*
 * told.c - a pool never has more workers than tweed_pool_num_workers() told
 * before: arrays were sized by it.
 *
 * SPDX-License-Identifier: MIT
 *
 * tweed__topology_get() is wrapped: how many CPUs the process may use, and whether
 * there is memory for a team, is said here.  Each test is a process of its own, in
 * which the default pool was not used yet.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "child.h"
#include "meet.h"
#include "pool/pool.h"
#include "tap.h"
#include "system/topology.h"
#include "base/tsan.h"

#include <sched.h>
#include <stdatomic.h>

struct tweed__topology *__wrap_tweed__topology_get(void);

static int cpus; /* 0: no memory */

struct tweed__topology *__wrap_tweed__topology_get(void)
{
    char text[32];
    const char *wrong;

    snprintf(text, sizeof text, "nodes:1,cpus:%d", cpus);
    return cpus ? tweed__topology_parse(text, &wrong) : NULL;
}

static atomic_int most; /* the largest number of a worker that was seen */
static atomic_int bodies;

static void note(int64_t i, void *arg)
{
    int me = tweed_worker_index(), seen = most;

    (void)i;
    (void)arg;
    bodies++;
    while (seen < me && !atomic_compare_exchange_weak(&most, &seen, me))
        ;
}

/* Loops run on `workers` workers, which is what the program is then told. */
static int has(tweed_pool *pool, int workers)
{
    struct tweed__team *team;

    most = bodies = 0;
    if (tweed_parallel_for_with(pool, NULL, 0, 1000, note, NULL) != TWEED_OK ||
        bodies != 1000 || most >= workers)
        return 0;
    team = tweed__pool_team(tweed__pool_or_default(pool));
    return team && team->num_workers == workers && gather(pool, workers) &&
           tweed_pool_num_workers(pool) == workers;
}

/* What a child of this process says with so many CPUs to run on. */
static int on_cpus(int n, int (*fn)(void *), void *arg)
{
    cpus = n;
    return child_exited(child_run(fn, arg), 0);
}

static int has_1(void *pool)
{
    return !has(pool, 1);
}

static int has_2(void *pool)
{
    return !has(pool, 2);
}

static int has_4(void *pool)
{
    return !has(pool, 4);
}

static int wider(void *arg)
{
    (void)arg;
    return !(has(NULL, 2) && on_cpus(8, has_2, NULL));
}

static int narrower(void *arg)
{
    (void)arg;
    if (!has(NULL, 1))
        return 1;
    return !on_cpus(8, has_1, NULL);
}

static int narrower_first(void *arg)
{
    (void)arg;
    return !(has(NULL, 4) && on_cpus(1, narrower, NULL));
}

/* The parent has run a loop and has not asked. */
static int untold(void *arg)
{
    (void)arg;
    return !(gather(NULL, 2) && on_cpus(4, has_4, NULL));
}

static int no_memory(void *arg)
{
    int told = tweed_pool_num_workers(NULL);

    (void)arg;
    cpus = 4;
    return told != 1 || !has(NULL, 1);
}

static int no_memory_untold(void *arg)
{
    (void)arg;
    if (tweed_parallel_for(0, 1000, note, NULL) != TWEED_OK)
        return 1;
    cpus = 4;
    return !has(NULL, 4);
}

/* A pool of one's own, by the number that was asked for. */
static int own_no_memory(void *pool)
{
    int told;

    cpus = 0;
    told = tweed_pool_num_workers(pool);
    cpus = 4;
    return told != 1 || !has(pool, 1);
}

static int own(void *arg)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;
    tweed_pool *pool = NULL;

    (void)arg;
    o.num_workers = 4;
    return !(tweed_pool_create(&pool, &o) == TWEED_OK && has(pool, 4) &&
             on_cpus(1, has_4, pool) && on_cpus(1, own_no_memory, pool) &&
             has(pool, 4) && tweed_pool_destroy(pool) == TWEED_OK);
}

int main(void)
{
#if TWEED_HAVE_TSAN
    skip_all("ThreadSanitizer forbids threads in the child of a process that "
             "has some");
#endif
    unsetenv("TWEED_NUM_WORKERS");
    unsetenv("OMP_NUM_THREADS");
    plan(7);
    watchdog();
    ok(on_cpus(2, wider, NULL), "a child that may use more CPUs: as was told");
    ok(on_cpus(4, narrower_first, NULL),
       "a child that may use fewer, and its child: as was told last");
    ok(on_cpus(2, untold, NULL), "nothing was told: all that there are");
    ok(on_cpus(0, no_memory, NULL),
       "no memory when it was told, and some later: as was told");
    ok(on_cpus(0, no_memory_untold, NULL),
       "no memory at first, and nothing was told: all that there are");
    ok(on_cpus(4, own, NULL), "a pool of a certain number of workers");
    ok(on_cpus(4, has_4, NULL), "and each process for itself");
    return done_testing();
}

/*
 * nest.c - tasks in loops, loops in tasks, tasks run in tasks, many callers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "child.h"
#include "fib.h"
#include "self.h"
#include "tap.h"
#include "base/tsan.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <tweed.h>

#define CALLERS 80 /* more than a pool has slots */
#define RUNS 5     /* of each */

static tweed_pool *pools[2];

/* ---- tasks in a loop ---- */

struct results {
    long value[64];
    tweed_pool *pool; /* where the tasks run */
};

TWEED_LOOP(runs_tasks, i, struct results *, r)
{
    r->value[i] = TWEED_RUN_ON(r->pool, fib, 12 + (int)(i % 8));
}

static int tasks_in_loop(tweed_pool *loops, tweed_pool *tasks)
{
    struct results r = { .pool = tasks };
    int good = runs_tasks_with(loops, NULL, 0, 64, &r) == TWEED_OK;

    for (int i = 0; i < 64; i++)
        good &= r.value[i] == fib_of(12 + i % 8);
    return good;
}

/* ---- loops in tasks, and tasks in these again ---- */

struct sums {
    atomic_long sum;
    int depth;
    tweed_pool *pool;
};

TWEED_DECLARE_TASK(int, tree, struct sums *, s, int, depth);

TWEED_LOOP(adds, i, struct sums *, s)
{
    s->sum += i;
    if (s->depth > 0 && i % 40 == 0)
        TWEED_RUN_ON(s->pool, tree, s, 1);
}

TWEED_DEFINE_TASK(int, tree, struct sums *, s, int, depth)
{
    int good;

    if (depth == 0) {
        struct sums inner = { .depth = s->depth - 1, .pool = s->pool };

        if (s->depth == 0)
            return 1;
        good = adds_with(s->pool, NULL, 0, 100, &inner) == TWEED_OK;
        s->sum += inner.sum;
        return good;
    }
    TWEED_SPAWN(tree, s, depth - 1);
    good = TWEED_CALL(tree, s, depth - 1);
    return TWEED_SYNC(tree) & good;
}

/* A loop of 100 adds 4950, and below depth 0 what three trees of two loops add. */
static long all_of(int depth)
{
    return depth == 0 ? 0 : 4950 + (depth > 1 ? 3 * 2 * all_of(depth - 1) : 0);
}

static int loops_in_tasks(tweed_pool *pool)
{
    struct sums s = { .depth = 3, .pool = pool };

    return TWEED_RUN_ON(pool, tree, &s, 4) == 1 && s.sum == 16 * all_of(3);
}

/* ---- a task run in a task, on the same pool or another ---- */

TWEED_TASK(long, outer, tweed_pool *, pool, int, n)
{
    long b;

    if (n == 0)
        return TWEED_RUN_ON(pool, fib, 15);
    TWEED_SPAWN(outer, pool, n - 1);
    b = TWEED_CALL(outer, pool, n - 1);
    return TWEED_SYNC(outer) + b;
}

/* ---- many callers ---- */

static pthread_barrier_t all_here;
static atomic_int good_callers, inside;

/* All callers are in a task at the same time. */
TWEED_TASK(long, crowds, int, n)
{
    for (inside++; inside < CALLERS;)
        sched_yield();
    return TWEED_CALL(fib, n);
}

static void *calls(void *arg)
{
    int n = *(int *)arg, good = 1;

    pthread_barrier_wait(&all_here);
    good &= TWEED_RUN_ON(pools[0], crowds, n) == fib_of(n);
    for (int k = 1; k < RUNS; k++)
        good &= TWEED_RUN_ON(pools[k % 2], fib, n) == fib_of(n);
    good_callers += good;
    return NULL;
}

/* Of both pools. */
static uint64_t runs_counted(void)
{
    uint64_t sum = 0;

    for (int k = 0; k < 2; k++) {
        tweed_stats s = TWEED_STATS_INIT;

        if (tweed_stats_get(pools[k], -1, &s) == TWEED_OK)
            sum += s.roots;
    }
    return sum;
}

static int callers(int n)
{
    pthread_t threads[CALLERS];
    int started = 0;

    uint64_t before = runs_counted();

    good_callers = inside = 0;
    if (pthread_barrier_init(&all_here, NULL, CALLERS) != 0)
        return 0;
    for (; started < CALLERS; started++)
        if (pthread_create(&threads[started], NULL, calls, &n) != 0)
            exit(99);
    for (int k = 0; k < CALLERS; k++)
        pthread_join(threads[k], NULL);
    pthread_barrier_destroy(&all_here);
    return good_callers == CALLERS && runs_counted() - before == RUNS * CALLERS;
}

/* ---- a child of fork() ---- */

static int in_child(void *arg)
{
    (void)arg;
    return TWEED_RUN(fib, 20) == fib_of(20) &&
                   TWEED_RUN_ON(pools[0], fib, 20) == fib_of(20)
               ? 0
               : 1;
}

TWEED_TASK(int, forks)
{
    int good = child_exited(child_run(in_child, NULL), 0);

    TWEED_SPAWN(fib, 18);
    return (TWEED_SYNC(fib) == fib_of(18)) & good;
}

static tweed_pool *pool_of_workers(int n)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;
    tweed_pool *pool;

    o.num_workers = n;
    if (tweed_pool_create(&pool, &o) != TWEED_OK)
        exit(99);
    return pool;
}

int main(void)
{
    long not_a_pool[64] = { 0 };

    plan(11);
    watchdog();
    pools[0] = pool_of_workers(3);
    pools[1] = pool_of_workers(4);
    ok(TWEED_RUN(fib, 25) == fib_of(25), "the default pool");
    ok(tasks_in_loop(pools[0], pools[0]), "tasks in a loop");
    ok(tasks_in_loop(pools[0], pools[1]), "tasks in another pool's loop");
    ok(loops_in_tasks(pools[0]), "loops in tasks, and tasks in these");
    ok(TWEED_RUN_ON(pools[0], outer, pools[0], 6) == 64 * fib_of(15),
       "tasks run in tasks");
    ok(TWEED_RUN_ON(pools[0], outer, pools[1], 6) == 64 * fib_of(15),
       "the same, in another pool");
    ok(callers(16), "more callers than slots, and each run is counted");
    ok(TWEED_RUN_ON((tweed_pool *)(void *)not_a_pool, fib, 20) == fib_of(20),
       "what is no pool: the caller alone");
    if (TWEED_HAVE_TSAN || under_qemu()) {
        skip(2, "ThreadSanitizer, qemu: no threads after a fork()");
    } else {
        ok(child_exited(child_run(in_child, NULL), 0), "a child of fork()");
        ok(TWEED_RUN_ON(pools[1], forks) == 1, "of fork() in a task");
    }
    ok(tweed_pool_destroy(pools[0]) == TWEED_OK && tweed_pool_destroy(pools[1]) == TWEED_OK,
       "the pools can be destroyed");
    return done_testing();
}

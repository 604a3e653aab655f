/*
 * worker-index.c - tweed_worker_index() and tweed_worker_node(): who am I?
 *
 * SPDX-License-Identifier: MIT
 *
 * Within one loop no two bodies have the same number at the same time, so a body
 * may use it as the index of a scratch area without a lock: which is tested by
 * doing so.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "pool/pool.h"

#include "child.h"
#include "pools.h"
#include "base/tsan.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define MOST_WORKERS 8
#define CALLERS 80 /* more than a pool has slots */

/* One loop, and who is in which number's body. */
struct loop {
    tweed_pool *pool;
    int workers;          /* of the pool */
    int levels;           /* loops below this one */
    tweed_pool *below;    /* where those run */
    pthread_t caller;
    int outside;          /* the caller is no thread of the pool */
    atomic_int *wrong;
    atomic_int done;
    atomic_int busy[MOST_WORKERS];
    long scratch[MOST_WORKERS]; /* not atomic: the numbers protect it */
};

static int run_loop(tweed_pool *pool, tweed_pool *below, int levels, int n,
                    atomic_int *wrong);

/* Is the thread one of the pool's? */
static int is_of(tweed_pool *pool)
{
    return tweed__self.worker &&
           tweed__self.worker->team ==
               tweed__pool_team(tweed__pool_or_default(pool));
}

static void check_me(struct loop *l, int me)
{
    int node = tweed_worker_node();

    if (me < 0 || me >= l->workers) {
        ++*l->wrong;
        return;
    }
    if (tweed_worker_index() != me)
        ++*l->wrong;
    if (node != tweed__pool_team(tweed__pool_or_default(l->pool))
                    ->workers[me]->node)
        ++*l->wrong;
    /* number 0 is the calling thread, if that is no thread of the pool; in a loop
       that one of the pool's threads started it is whoever waits outside of that */
    if ((me == 0) == is_of(l->pool) ||
        (l->outside && me == 0 && !pthread_equal(pthread_self(), l->caller)))
        ++*l->wrong;
}

static void body(int64_t i, void *arg)
{
    struct loop *l = arg;
    int me = tweed_worker_index();

    check_me(l, me);
    if (me < 0 || me >= l->workers)
        return;
    if (atomic_fetch_add(&l->busy[me], 1) != 0)
        ++*l->wrong;
    l->scratch[me]++;
    if (i % 8 == 0)
        sched_yield();
    if (l->levels > 0 && i % 4 == 0) {
        run_loop(l->below, l->pool, l->levels - 1, 16, l->wrong);
        run_loop(l->pool, l->below, l->levels - 1, 16, l->wrong);
    }
    l->scratch[me]--;
    if (atomic_fetch_sub(&l->busy[me], 1) != 1)
        ++*l->wrong;
    check_me(l, me); /* the same as long as the body runs */
    l->done++;
}

static int run_loop(tweed_pool *pool, tweed_pool *below, int levels, int n,
                    atomic_int *wrong)
{
    struct tweed__team *team = tweed__pool_team(tweed__pool_or_default(pool));
    struct loop l = { .pool = pool,
                      .workers = team->num_workers,
                      .levels = levels,
                      .below = below,
                      .caller = pthread_self(),
                      .wrong = wrong };
    int outer = tweed_worker_index(), outer_node = tweed_worker_node();

    l.outside = !is_of(pool);
    if (tweed_parallel_for_with(pool, NULL, 0, n, body, &l) != TWEED_OK ||
        l.done != n)
        ++*wrong;
    /* afterwards it is what it was before */
    if (tweed_worker_index() != outer || tweed_worker_node() != outer_node)
        ++*wrong;
    for (int w = 0; w < MOST_WORKERS; w++)
        if (l.scratch[w] != 0)
            ++*wrong;
    return *wrong == 0;
}

static int loops(tweed_pool *pool, tweed_pool *below, int levels, int n)
{
    atomic_int wrong = 0;

    for (int i = 0; i < n; i++)
        run_loop(pool, below, levels, 64, &wrong);
    if (wrong)
        diag("%d times wrong", (int)wrong);
    return wrong == 0;
}

/* ---- several callers, each of which is number 0 of its own loop ---- */

struct caller {
    tweed_pool *pool;
    atomic_int *present, *wrong;
    int loops;
};

static void *call(void *arg)
{
    struct caller *c = arg;

    for (++*c->present; *c->present < CALLERS;)
        sched_yield();
    for (int i = 0; i < c->loops; i++)
        run_loop(c->pool, c->pool, i % 2, 32, c->wrong);
    return NULL;
}

static int callers(tweed_pool *pool, int n)
{
    pthread_t threads[CALLERS];
    atomic_int present = 0, wrong = 0;
    struct caller c = { pool, &present, &wrong, n };

    for (int i = 0; i < CALLERS; i++)
        if (pthread_create(&threads[i], NULL, call, &c) != 0)
            _exit(1); /* the others would wait for ever */
    for (int i = 0; i < CALLERS; i++)
        pthread_join(threads[i], NULL);
    return wrong == 0;
}

static void *outside(void *arg)
{
    atomic_int *good = arg;

    *good += tweed_worker_index() == -1 && tweed_worker_node() == -1;
    *good += loops_are_right(NULL, 10);
    *good += tweed_worker_index() == -1 && tweed_worker_node() == -1;
    return NULL;
}

/* A thread started by a body is in no body. */
static void start_thread(int64_t i, void *arg)
{
    pthread_t thread;

    if (i == 0 && pthread_create(&thread, NULL, outside, arg) == 0)
        pthread_join(thread, NULL);
}

static void limited(int64_t i, void *arg)
{
    atomic_int *seen = arg;

    (void)i;
    seen[tweed_worker_index()] = 1;
    sched_yield();
}

/* No more numbers than workers allowed. */
static int limit(tweed_pool *pool, int workers, int most)
{
    tweed_loop_options o = { .size = sizeof o, .max_workers = most };

    for (int i = 0; i < 20; i++) {
        atomic_int seen[MOST_WORKERS] = { 0 };
        int n = 0;

        if (tweed_parallel_for_with(pool, &o, 0, 200, limited, seen) !=
            TWEED_OK)
            return 0;
        for (int w = 0; w < MOST_WORKERS; w++)
            n += seen[w];
        if (n < 1 || n > most || n > workers || !seen[0])
            return 0;
    }
    return 1;
}

int main(void)
{
    int n = TWEED_HAVE_TSAN ? 3 : 30, good = 1;
    tweed_pool *a, *b;
    atomic_int good_threads = 0;

    /* a machine of two nodes, so that the nodes' numbers are not all the same */
    setenv("TWEED_TOPOLOGY", "nodes:2,cpus:2", 1);
    plan(10);
    watchdog();
    ok(tweed_worker_index() == -1 && tweed_worker_node() == -1,
       "outside, before anything was started: -1");
    a = pool_of(4);
    b = pool_of(3);
    ok(loops(a, NULL, 0, 10 * n), "one loop");
    ok(loops(NULL, NULL, 2, n), "inner loops, on the same pool");
    ok(loops(a, b, 1, n) && loops(a, b, 3, 1), "A calls B calls A");
    ok(callers(a, n / 3), "%d callers at once", CALLERS);
    for (int most = 1; most <= 5; most++)
        good &= limit(a, 4, most);
    ok(good, "no more numbers than workers allowed");
    ok(tweed_parallel_for_with(a, NULL, 0, 4, start_thread, &good_threads) ==
               TWEED_OK &&
           good_threads == 3,
       "a thread started by a body: -1");
    {
        atomic_int wrong = 0;

        ok(run_loop(a, b, 0, 1, &wrong), "a loop of one index: 0");
    }
    ok(tweed_worker_index() == -1 && tweed_worker_node() == -1,
       "outside, afterwards: -1");
    ok(tweed_pool_destroy(a) == TWEED_OK && tweed_pool_destroy(b) == TWEED_OK,
       "the pools end");
    return done_testing();
}

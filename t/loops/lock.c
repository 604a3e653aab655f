/*
 * lock.c - a body that waits for its inner loop runs no other body of the outer.
 *
 * SPDX-License-Identifier: MIT
 *
 * If a thread that waits for the end of an inner loop picked up any other work, a
 * body that holds a lock would find itself below one that wants the same lock.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "child.h"
#include "pools.h"
#include "base/tsan.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#define MOST_DEPTH 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* How many bodies of the loop at each depth this thread is in now. */
static _Thread_local int inside[MOST_DEPTH];

struct outer {
    tweed_pool *pool;
    int n, depth, deepest, inner_n;
    int with_lock; /* bodies at depth 0 hold it during their inner loops */
    atomic_int *twice, *failed, *done;
};

/* Uneven, so that callers do have to wait for others. */
static void doze(int64_t i)
{
    struct timespec us = { 0, 20000 };

    if (i % 3 == 0)
        nanosleep(&us, NULL);
    else
        sched_yield();
}

static void body(int64_t i, void *arg)
{
    struct outer *o = arg;

    if (inside[o->depth]++ != 0)
        ++*o->twice;
    doze(i);
    if (o->depth < o->deepest) {
        struct outer next = *o;

        next.depth++;
        if (o->with_lock && o->depth == 0)
            pthread_mutex_lock(&lock);
        if (tweed_parallel_for_with(o->pool, NULL, 0, o->inner_n, body,
                                    &next) != TWEED_OK)
            ++*o->failed;
        if (o->with_lock && o->depth == 0)
            pthread_mutex_unlock(&lock);
    } else {
        ++*o->done;
    }
    inside[o->depth]--;
}

static int run(tweed_pool *pool, int n, int inner_n, int deepest, int with_lock)
{
    atomic_int twice = 0, failed = 0, done = 0;
    struct outer o = { pool,      n,      0,       deepest, inner_n,
                       with_lock, &twice, &failed, &done };
    int leaves = n;

    for (int d = 0; d < deepest; d++)
        leaves *= inner_n;
    if (tweed_parallel_for_with(pool, NULL, 0, n, body, &o) != TWEED_OK)
        return 0;
    if (twice)
        diag("%d bodies below another of the same loop", (int)twice);
    return twice == 0 && failed == 0 && done == leaves;
}

/* The same, from several threads at once: other callers' loops are no more to be
   picked up than the outer one. */
struct caller {
    tweed_pool *pool;
    int n, good;
};

static void *call(void *arg)
{
    struct caller *c = arg;

    c->good = 1;
    for (int i = 0; i < c->n; i++)
        c->good &= run(c->pool, 6, 6, 1, 1);
    return NULL;
}

static int callers(tweed_pool *pool, int n)
{
    pthread_t threads[4];
    struct caller c[4];
    int good = 1, started = 0;

    for (int i = 0; i < 4; i++) {
        c[i] = (struct caller){ pool, n, 0 };
        if (pthread_create(&threads[i], NULL, call, &c[i]) != 0)
            break;
        started++;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        good &= c[i].good;
    }
    return good && started == 4;
}

int main(void)
{
    tweed_pool *pools[4];
    int n = TWEED_HAVE_TSAN ? 2 : 10, good;

    plan(6);
    watchdog();
    for (int i = 0; i < 4; i++)
        pools[i] = pool_of(i + 1);
    for (int with_lock = 0; with_lock <= 1; with_lock++) {
        const char *how = with_lock ? "a lock held meanwhile" : "no lock";

        good = 1;
        for (int p = 0; p < 4; p++)
            for (int i = 0; i < n; i++)
                good &= run(pools[p], 10, 20, 1, with_lock) &&
                        run(NULL, 20, 5, 1, with_lock);
        ok(good, "inner loops, %s", how);
        good = 1;
        for (int p = 0; p < 4; p++)
            for (int i = 0; i < n; i++)
                good &= run(pools[p], 4, 4, 2, with_lock) &&
                        run(pools[p], 3, 3, 3, with_lock);
        ok(good, "inner loops two and three deep, %s", how);
    }
    ok(callers(pools[3], n), "four callers, one lock");
    good = 1;
    for (int i = 0; i < 4; i++)
        good &= tweed_pool_destroy(pools[i]) == TWEED_OK;
    ok(good, "the pools end");
    return done_testing();
}

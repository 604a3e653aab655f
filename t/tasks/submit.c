/*
 * submit.c - a pool as an executor: nothing is lost, whoever closes it when.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "../support/pools.h"
#include "../support/tap.h"
#include "../support/unserved.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MANY 20000

static _Atomic int runs[MANY];
static _Atomic int order[MANY], ordered; /* the numbers of the runs, as they began */

static int note(void *arg)
{
    atomic_fetch_add_explicit((_Atomic int *)arg, 1, memory_order_relaxed);
    return 0;
}

static int note_order(void *arg)
{
    atomic_store(&order[atomic_fetch_add(&ordered, 1)], (int)((_Atomic int *)arg - runs));
    return note(arg);
}

/* Was each of the first n executed once, and no other?  Forgets them. */
static bool each(int n)
{
    bool right = true;

    for (int i = 0; i < MANY; i++)
        right &= atomic_exchange(&runs[i], 0) == (i < n);
    return right;
}

static bool many(tweed_pool *pool)
{
    for (int i = 0; i < MANY; i++)
        if (tweed_pool_submit(pool, note, &runs[i]) != TWEED_OK)
            return false;
    return tweed_pool_drain(pool) == TWEED_OK && each(MANY);
}

static bool batches(tweed_pool *pool)
{
    void *args[1000];

    for (int i = 0; i < MANY; i += 1000) {
        for (int k = 0; k < 1000; k++)
            args[k] = &runs[i + k];
        if (tweed_pool_submit_batch(pool, note, args, 1000) != TWEED_OK)
            return false;
        memset(args, 0, sizeof args); /* they are not used any more */
    }
    return tweed_pool_submit_batch(pool, note, NULL, 0) == TWEED_OK &&
           tweed_pool_drain(pool) == TWEED_OK && each(MANY);
}

/* Nobody else executes any: the order is that of the queue. */
static bool in_order(void)
{
    tweed_pool *pool = unserved(pool_of(1));
    bool right = true;

    atomic_store(&ordered, 0);
    for (int i = 3; i < 100; i++)
        right &= tweed_pool_submit(pool, note_order, &runs[i]) == TWEED_OK;
    for (int i = 2; i >= 0; i--)
        right &= tweed_pool_submit_front(pool, note_order, &runs[i]) == TWEED_OK;
    right &= atomic_load(&ordered) == 0;
    for (int i = 0; i < 50; i++)
        right &= tweed_pool_try_one(pool) == 1;
    right &= tweed_pool_drain(pool) == TWEED_OK && tweed_pool_try_one(pool) == 0;
    for (int i = 0; i < 100; i++)
        right &= atomic_load(&order[i]) == i;
    return tweed_pool_destroy(pool) == TWEED_OK && each(100) && right;
}

/* ---- tasks that make more ---- */

struct more {
    tweed_pool *pool;
    int first, n;
};

static int submit_more(void *arg)
{
    struct more *m = arg, *half;

    while (m->n > 1) {
        half = malloc(sizeof *half);
        if (!half)
            return 1;
        *half = *m;
        half->n = m->n / 2;
        m->first += half->n;
        m->n -= half->n;
        if (tweed_pool_submit(m->pool, submit_more, half) != TWEED_OK)
            return 2;
    }
    note(&runs[m->first]);
    free(m);
    return 0;
}

/* Closed: from outside there is nothing more, and the tasks' own go on. */
static bool children_after_close(int workers)
{
    tweed_pool *pool = pool_of(workers);
    struct more *m = malloc(sizeof *m);
    bool right;

    if (!m)
        return false;
    *m = (struct more){ pool, 0, 10000 };
    right = tweed_pool_submit(pool, submit_more, m) == TWEED_OK &&
            tweed_pool_close(pool) == TWEED_OK && tweed_pool_close(pool) == TWEED_OK &&
            tweed_pool_submit(pool, note, &runs[0]) == TWEED_ECLOSED &&
            tweed_pool_submit_front(pool, note, &runs[0]) == TWEED_ECLOSED &&
            tweed_pool_drain(pool) == TWEED_OK && each(10000);
    right &= tweed_pool_submit(pool, note, &runs[0]) == TWEED_ECLOSED;
    right &= tweed_parallel_for_with(pool, NULL, 0, 0, NULL, NULL) == TWEED_EINVAL;
    return tweed_pool_destroy(pool) == TWEED_OK && right && each(0);
}

/* ---- closing, abandoning, from other threads ---- */

struct client {
    tweed_pool *pool;
    int first, accepted;
};

static void *until_closed(void *arg)
{
    struct client *c = arg;

    for (c->accepted = 0; c->accepted < MANY / 4; c->accepted++) {
        int code = tweed_pool_submit(c->pool, note, &runs[c->first + c->accepted]);

        if (code == TWEED_ECLOSED)
            break;
        if (code != TWEED_OK)
            bail_out("a task was not taken");
    }
    return NULL;
}

/* What was accepted has been executed when drain returns, and nothing else ever is. */
static bool close_meanwhile(int workers, bool abandons)
{
    bool right = true;

    for (int round = 0; round < 30; round++) {
        tweed_pool *pool = pool_of(workers);
        struct client clients[4];
        pthread_t threads[4];
        int64_t dropped = 0;
        int accepted = 0, executed = 0;

        for (int i = 0; i < 4; i++) {
            clients[i] = (struct client){ pool, i * MANY / 4, 0 };
            if (pthread_create(&threads[i], NULL, until_closed, &clients[i]) != 0)
                bail_out("no thread");
        }
        nap_us(50 * (round % 10));
        if (abandons)
            dropped = tweed_pool_abandon(pool);
        else
            right &= tweed_pool_close(pool) == TWEED_OK;
        for (int i = 0; i < 4; i++) {
            pthread_join(threads[i], NULL);
            accepted += clients[i].accepted;
        }
        right &= tweed_pool_drain(pool) == TWEED_OK;
        if (abandons)
            dropped = tweed_pool_abandon(pool);
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < MANY / 4; k++) {
                int n = atomic_exchange(&runs[clients[i].first + k], 0);

                executed += n;
                right &= n == (k < clients[i].accepted) ||
                         (abandons && n == 0 && k < clients[i].accepted);
            }
        right &= accepted == executed + dropped && dropped >= 0 && (abandons || !dropped);
        right &= tweed_pool_destroy(pool) == TWEED_OK;
    }
    return right;
}

/* Of a pool without threads nothing has begun. */
static bool abandon_all(void)
{
    tweed_pool *pool = unserved(pool_of(1));
    bool right = true;

    for (int i = 0; i < 100; i++)
        right &= tweed_pool_submit(pool, note, &runs[i]) == TWEED_OK;
    right &= tweed_pool_destroy(pool) == TWEED_EBUSY;
    right &= tweed_pool_try_one(pool) == 1 && tweed_pool_abandon(pool) == 99;
    right &= tweed_pool_submit(pool, note, &runs[0]) == TWEED_ECLOSED;
    return tweed_pool_destroy(pool) == TWEED_OK && each(1) && right;
}

/* Fails if session.c counts dropped tasks of any family, and not of the submitted one alone. */
static bool abandon_counts_its_own(void)
{
    tweed_group g = TWEED_GROUP_INIT;
    bool right;

    g.pool = unserved(pool_of(1));
    for (int i = 0; i < 10; i++)
        must(tweed_group_spawn(&g, note, &runs[i]));
    must(tweed_group_cancel(&g));
    right = tweed_group_sync(&g) == TWEED_ESTOPPED && tweed_pool_abandon(g.pool) == 0;
    return tweed_pool_destroy(g.pool) == TWEED_OK && each(0) && right;
}

/* ---- in turn ---- */

static pthread_barrier_t stage;

static int stay(void *arg)
{
    pthread_barrier_wait(&stage);
    pthread_barrier_wait(&stage);
    return note(arg);
}

static void *one_task(void *pool)
{
    (void)tweed_pool_try_one(pool);
    return NULL;
}

static int is_run(void *arg)
{
    return atomic_load((_Atomic int *)arg);
}

/* How many were executed before the task of a group in the submission queue, behind 1,000 submitted
   ones: its spawner has no deque, since another thread is in a task there.  Fails if a family
   that has given a portion stays the first one. */
static bool group_behind_submitted(void)
{
    tweed_pool *pool = unserved(pool_of(1));
    tweed_group g = TWEED_GROUP_INIT;
    pthread_t thread;
    bool right;
    int place = 0;

    g.pool = pool;
    atomic_store(&ordered, 0);
    pthread_barrier_init(&stage, NULL, 2);
    must(tweed_pool_submit(pool, stay, &runs[1]));
    if (pthread_create(&thread, NULL, one_task, pool) != 0)
        bail_out("no thread");
    pthread_barrier_wait(&stage);
    for (int i = 2; i < 1000; i++)
        must(tweed_pool_submit(pool, note_order, &runs[i]));
    must(tweed_group_spawn(&g, note_order, &runs[0]));
    pthread_barrier_wait(&stage);
    pthread_join(thread, NULL);
    right = tweed_pool_run_until(pool, is_run, &runs[0]) == TWEED_OK &&
            tweed_group_sync(&g) == TWEED_OK && tweed_pool_drain(pool) == TWEED_OK;
    while (place < 999 && atomic_load(&order[place]) != 0)
        place++;
    if (place >= 500)
        diag("%d were executed before", place);
    pthread_barrier_destroy(&stage);
    return tweed_pool_destroy(pool) == TWEED_OK && each(1000) && right && place < 500;
}

/* ---- results, and waiting ---- */

static int fail(void *arg)
{
    return *(int *)arg;
}

static bool results(tweed_pool *pool)
{
    int code = 17;

    return tweed_pool_submit(pool, fail, &code) == TWEED_OK && tweed_pool_drain(pool) == 17 &&
           tweed_pool_drain(pool) == TWEED_OK;
}

static int drain_itself(void *arg)
{
    bool right = tweed_pool_drain(arg) == TWEED_EBUSY && tweed_pool_abandon(arg) == TWEED_EBUSY;

    return right ? 0 : 1;
}

static bool drained_by_itself(tweed_pool *pool)
{
    return tweed_pool_submit(pool, drain_itself, pool) == TWEED_OK &&
           tweed_pool_drain(pool) == TWEED_OK;
}

static int is_thousand(void *arg)
{
    int sum = 0;

    (void)arg;
    for (int i = 0; i < 1000; i++)
        sum += atomic_load(&runs[i]);
    return sum == 1000;
}

static bool until(tweed_pool *pool)
{
    for (int i = 0; i < 1000; i++)
        if (tweed_pool_submit(pool, note, &runs[i]) != TWEED_OK)
            return false;
    return tweed_pool_run_until(pool, is_thousand, NULL) == TWEED_OK && each(1000);
}

static _Atomic int flag;

static int is_set(void *arg)
{
    (void)arg;
    return atomic_load(&flag);
}

static void *set_late(void *arg)
{
    (void)arg;
    nap_us(20000);
    atomic_store(&flag, 1);
    return NULL;
}

/* By a thread that has nothing to do with the pool. */
static bool until_told(tweed_pool *pool)
{
    pthread_t thread;
    bool right;

    atomic_store(&flag, 0);
    if (pthread_create(&thread, NULL, set_late, NULL) != 0)
        bail_out("no thread");
    right = tweed_pool_run_until(pool, is_set, NULL) == TWEED_OK && atomic_load(&flag);
    pthread_join(thread, NULL);
    return right;
}

struct condition {
    tweed_pool *pool;
    int refused, drained; /* codes, of a condition that the thread asks after a task */
};

static int ask_closed(void *arg)
{
    struct condition *c = arg;

    if (!atomic_load(&runs[0]))
        return 0;
    c->refused = tweed_pool_submit(c->pool, note, &runs[1]);
    c->drained = tweed_pool_drain(c->pool);
    return 1;
}

/* The condition is in no task, though its thread has just executed one. */
static bool condition_is_outside(void)
{
    tweed_pool *pool = unserved(pool_of(1));
    struct condition c = { pool, -1, -1 };
    bool right;

    right = tweed_pool_submit(pool, note, &runs[0]) == TWEED_OK &&
            tweed_pool_close(pool) == TWEED_OK &&
            tweed_pool_run_until(pool, ask_closed, &c) == TWEED_OK &&
            c.refused == TWEED_ECLOSED && c.drained == TWEED_OK && each(1);
    return tweed_pool_destroy(pool) == TWEED_OK && right;
}

static bool mistakes(tweed_pool *pool)
{
    void *arg = runs;
    tweed_pool *gone = pool_of(1);

    if (tweed_pool_destroy(gone) != TWEED_OK)
        return false;
    return tweed_pool_submit(pool, NULL, NULL) == TWEED_EINVAL &&
           tweed_pool_submit_front(pool, NULL, NULL) == TWEED_EINVAL &&
           tweed_pool_submit_batch(pool, NULL, &arg, 1) == TWEED_EINVAL &&
           tweed_pool_submit_batch(pool, note, NULL, 1) == TWEED_EINVAL &&
           tweed_pool_submit_batch(pool, note, &arg, SIZE_MAX) == TWEED_EINVAL &&
           tweed_pool_run_until(pool, NULL, NULL) == TWEED_EINVAL &&
           tweed_pool_submit(gone, note, arg) == TWEED_ENOPOOL &&
           tweed_pool_close(gone) == TWEED_ENOPOOL &&
           tweed_pool_drain(gone) == TWEED_ENOPOOL &&
           tweed_pool_abandon(gone) == TWEED_ENOPOOL &&
           tweed_pool_try_one(gone) == TWEED_ENOPOOL && each(0);
}

int main(void)
{
    static const int sizes[] = { 1, 2, 4 };

    watchdog();
    plan(3 * 10 + 5);
    for (int k = 0; k < 3; k++) {
        int n = sizes[k];
        tweed_pool *pool = pool_fenced(n, n == 4 ? TWEED_FENCE_EXCHANGE : 0);

        ok(many(pool), "%d workers: many tasks", n);
        ok(batches(pool), "%d workers: batches", n);
        ok(children_after_close(n), "%d workers: tasks of tasks after close", n);
        ok(close_meanwhile(n, false), "%d workers: closed while four threads submit", n);
        ok(close_meanwhile(n, true), "%d workers: abandoned meanwhile", n);
        ok(results(pool), "%d workers: drain gives the first failure", n);
        ok(drained_by_itself(pool), "%d workers: a task that drains its pool is told", n);
        ok(until(pool), "%d workers: until a condition that tasks make true", n);
        ok(until_told(pool), "%d workers: until one that another thread makes true", n);
        ok(mistakes(pool), "%d workers: mistakes are told", n);
        (void)tweed_pool_destroy(pool);
    }
    ok(condition_is_outside(), "a condition is in no task");
    ok(in_order(), "first in, first out; and the front");
    ok(abandon_all(), "a pool with tasks is busy; abandoned it is not");
    ok(abandon_counts_its_own(), "tasks of a cancelled group are not abandoned ones");
    ok(group_behind_submitted(), "a group does not wait for a thousand submitted tasks");
    return done_testing();
}

/*
 * alone.c - tasks that are submitted to a pool of one worker, where nobody calls any more.
 *
 * SPDX-License-Identifier: MIT
 *
 * The first of them starts a thread of the pool's, which is like its other threads: it
 * calls the hooks, stays on the pool's CPUs, and ends with the pool.
 */
#include "config.h"

#include "child.h"
#include "pools.h"
#include "base/tsan.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

#define MANY 100

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static atomic_int started; /* threads */
static bool refused;       /* no more can be had */

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*fn)(void *),
                          void *arg)
{
    started++;
    return refused ? EAGAIN : __real_pthread_create(id, attr, fn, arg);
}

static sem_t done;
static atomic_int runs[MANY], wrong;

static int note(void *arg)
{
    wrong += tweed_worker_index() != 0 || tweed_parallel_stop() != TWEED_EINVAL;
    ++*(atomic_int *)arg;
    sem_post(&done);
    return 0;
}

static void wait_for(int n)
{
    while (n-- > 0)
        while (sem_wait(&done) != 0)
            ; /* a signal */
}

static bool each_once(void)
{
    bool right = true;

    for (int i = 0; i < MANY; i++)
        right &= atomic_exchange(&runs[i], 0) == 1;
    return right && atomic_exchange(&wrong, 0) == 0;
}

/* Main only waits, on its own. */
static bool submitted(tweed_pool *pool)
{
    bool right = true;

    for (int i = 0; i < MANY; i++) {
        right &= tweed_pool_submit(pool, note, &runs[i]) == TWEED_OK;
        if (i % 10 == 0)
            wait_for(1); /* the thread falls asleep now and then */
    }
    wait_for(MANY - MANY / 10);
    return right && each_once();
}

static tweed_pool *pool_of_one(tweed_pool_options o)
{
    tweed_pool *pool;

    o.num_workers = 1;
    must(tweed_pool_create(&pool, &o));
    return pool;
}

/* ---- the pool that everybody has, on one CPU ---- */

static int default_pool_of_one(void *unused)
{
    (void)unused;
    setenv("OMP_NUM_THREADS", "1", 1);
    return submitted(NULL) && tweed_pool_num_workers(NULL) == 1 &&
                   tweed_pool_drain(NULL) == TWEED_OK &&
                   tweed_default_pool_shutdown() == TWEED_OK && submitted(NULL)
               ? 0
               : 1;
}

/* ---- one thread, and only for those who submit ---- */

static bool starts_one(void)
{
    tweed_pool *pool = pool_of_one((tweed_pool_options)TWEED_POOL_OPTIONS_INIT);
    tweed_group g = TWEED_GROUP_INIT;
    int before = started, threads = count_threads();
    bool right = loops_are_right(pool, 100);

    g.pool = pool;
    right &= tweed_group_spawn(&g, note, &runs[0]) == TWEED_OK && tweed_group_sync(&g) == TWEED_OK;
    runs[0] = 0;
    wait_for(1);
    right &= started == before && submitted(pool) && submitted(pool) && started == before + 1;
    /* the others', too, of which it knows */
    right &= tweed_group_spawn(&g, note, &runs[0]) == TWEED_OK;
    wait_for(1);
    right &= tweed_group_sync(&g) == TWEED_OK && runs[0] == 1;
    runs[0] = 0;
    right &= tweed_pool_drain(pool) == TWEED_OK && tweed_pool_destroy(pool) == TWEED_OK;
    /* one that was joined may still be there; ThreadSanitizer starts one of its own */
    while (count_threads() > threads + TWEED_HAVE_TSAN)
        sched_yield();
    return right;
}

/* ---- as the pool's other threads ---- */

struct hooks {
    _Atomic(tweed_pool *) pool;
    atomic_int starts, ends, wrong;
};

static _Thread_local int in_thread;

static void on_start(int worker, void *arg)
{
    struct hooks *h = arg;

    in_thread = 1;
    h->starts++;
    while (!h->pool)
        sched_yield();
    h->wrong += worker != 0 || tweed_worker_index() != -1 ||
                tweed_pool_destroy(h->pool) != TWEED_EBUSY;
}

static void on_end(int worker, void *arg)
{
    struct hooks *h = arg;

    h->wrong += worker != 0 || !in_thread;
    h->ends++;
}

static bool calls_hooks(void)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;
    struct hooks h = { .wrong = 0 };
    bool right;

    o.on_start = on_start;
    o.on_end = on_end;
    o.hook_arg = &h;
    h.pool = pool_of_one(o);
    right = h.starts == 0 && submitted(h.pool) && h.starts == 1 && h.ends == 0;
    right &= tweed_pool_drain(h.pool) == TWEED_OK && tweed_pool_destroy(h.pool) == TWEED_OK;
    return right && h.starts == 1 && h.ends == 1 && h.wrong == 0;
}

static int look_at_cpus(void *arg)
{
    cpu_set_t *set = arg;

    CPU_ZERO(set);
    wrong += sched_getaffinity(0, sizeof *set, set) != 0;
    sem_post(&done);
    return 0;
}

/* The last of the CPUs that the process may use. */
static bool stays_on_cpus(void)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;
    cpu_set_t mine, its;
    char list[24];
    size_t last = 0;
    tweed_pool *pool;
    bool right;

    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        return false;
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &mine))
            last = i;
    snprintf(list, sizeof list, "%zu", last);
    o.cpus = list;
    pool = pool_of_one(o);
    right = tweed_pool_submit(pool, look_at_cpus, &its) == TWEED_OK;
    wait_for(1);
    right &= CPU_COUNT(&its) == 1 && CPU_ISSET(last, &its) && atomic_exchange(&wrong, 0) == 0;
    return tweed_pool_drain(pool) == TWEED_OK && tweed_pool_destroy(pool) == TWEED_OK && right;
}

/* ---- the child of a fork(), and where there is no thread to be had ---- */

static int child_submits(void *pool)
{
    return submitted(pool) ? 0 : 1;
}

static bool forks(void)
{
    tweed_pool *pool = pool_of_one((tweed_pool_options)TWEED_POOL_OPTIONS_INIT);
    bool right = submitted(pool) && child_exited(child_run(child_submits, pool), 0) &&
                 submitted(pool);

    return tweed_pool_drain(pool) == TWEED_OK && tweed_pool_destroy(pool) == TWEED_OK && right;
}

static bool goes_without(void)
{
    tweed_pool *pool = pool_of_one((tweed_pool_options)TWEED_POOL_OPTIONS_INIT);
    bool right = true;
    int before;

    refused = true;
    for (int i = 0; i < MANY; i++)
        right &= tweed_pool_submit(pool, note, &runs[i]) == TWEED_OK;
    before = started;
    right &= tweed_pool_submit(pool, note, &runs[0]) == TWEED_OK && started == before;
    refused = false;
    right &= sem_trywait(&done) != 0 && tweed_pool_drain(pool) == TWEED_OK && runs[0]-- == 2;
    wait_for(MANY + 1);
    return tweed_pool_destroy(pool) == TWEED_OK && each_once() && right;
}

int main(void)
{
    plan(6);
    killed_in(CHILD_SECONDS);
    sem_init(&done, 0, 0);
    ok(child_exited(child_run(default_pool_of_one, NULL), 0),
       "OMP_NUM_THREADS=1: %d tasks while main sleeps", MANY);
    ok(starts_one(), "one thread, once a task is submitted");
    ok(calls_hooks(), "it calls the hooks as worker 0");
    ok(stays_on_cpus(), "it stays on the pool's CPUs");
    if (TWEED_HAVE_TSAN || under_qemu())
        skip(1, "ThreadSanitizer, qemu: no threads in the child of a process that has some");
    else
        ok(forks(), "the child of a fork() has one of its own");
    ok(goes_without(), "no thread to be had: calls that wait execute the tasks");
    return done_testing();
}

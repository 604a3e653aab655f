/*
 * hooks.c - what each thread of a pool does when it starts and when it ends.
 *
 * SPDX-License-Identifier: MIT
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "child.h"
#include "pools.h"
#include "base/tsan.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define WORKERS 4

static _Thread_local int started_as; /* the worker that this thread has started as */

struct seen {
    atomic_int started[WORKERS], ended[WORKERS], wrong, bodies;
    tweed_pool *pool, *other;
    atomic_int ready, code, loops; /* of loops in hooks */
};

static void start(int worker, void *arg)
{
    struct seen *s = arg;

    s->wrong += worker < 1 || worker >= WORKERS || started_as ||
                tweed_worker_index() != -1;
    started_as = worker;
    s->started[worker]++;
}

static void end(int worker, void *arg)
{
    struct seen *s = arg;

    s->wrong += started_as != worker || s->started[worker] != 1 ||
                tweed_worker_index() != -1;
    s->ended[worker]++;
}

/* Bodies run where on_start has been, under the same number. */
static void body(int64_t i, void *arg)
{
    struct seen *s = arg;
    int me = tweed_worker_index();

    (void)i;
    s->bodies++;
    s->wrong += started_as != me || (me > 0 && s->ended[me]);
}

static int all_once(const atomic_int *n)
{
    return n[0] == 0 && n[1] == 1 && n[2] == 1 && n[3] == 1;
}

static tweed_pool_options options(struct seen *s, tweed_worker_fn *on_start,
                                  tweed_worker_fn *on_end)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;

    o.num_workers = WORKERS;
    o.on_start = on_start;
    o.on_end = on_end;
    o.hook_arg = s;
    return o;
}

static int loops(struct seen *s, tweed_pool *pool)
{
    s->bodies = 0;
    for (int round = 0; round < 20; round++)
        if (tweed_parallel_for_with(pool, NULL, 0, 500, body, s) != TWEED_OK)
            return 0;
    return s->bodies == 20 * 500;
}

static void test_own_pool(void)
{
    struct seen s = { .wrong = 0 };
    tweed_pool_options o = options(&s, start, end);
    tweed_pool *pool = NULL;

    must(tweed_pool_create(&pool, &o));
    ok(loops(&s, pool) && !s.wrong, "no body before on_start, on no thread");
    must(tweed_pool_destroy(pool));
    ok(all_once(s.started) && all_once(s.ended) && !s.wrong,
       "each thread calls both once, and has when the pool is destroyed");
}

static void test_default_pool(void)
{
    struct seen s = { .wrong = 0 };
    tweed_pool_options o = options(&s, start, end);

    must(tweed_default_pool_configure(&o));
    ok(loops(&s, NULL) && !s.wrong, "the default pool's threads");
    must(tweed_default_pool_shutdown());
    ok(all_once(s.started) && all_once(s.ended) && !s.wrong,
       "... have ended when it is shut down");
    must(tweed_default_pool_configure(NULL));
}

static void test_one_alone(void)
{
    struct seen s = { .wrong = 0 };
    tweed_pool_options o = options(&s, start, NULL);
    tweed_pool *pool = NULL;
    int good;

    must(tweed_pool_create(&pool, &o));
    good = loops(&s, pool);
    must(tweed_pool_destroy(pool));
    good &= all_once(s.started);
    o = options(&s, NULL, end);
    must(tweed_pool_create(&pool, &o));
    must(tweed_pool_destroy(pool));
    s.wrong = 0; /* nobody has said who it is */
    ok(good && all_once(s.ended), "one of the two may be missing");
}

/* ---- what a hook may call ---- */

/* Waits for the program to know the pool, and runs loops on it and on another. */
static void loop_at_start(int worker, void *arg)
{
    struct seen *s = arg;

    start(worker, arg);
    while (!s->ready)
        sched_yield();
    s->loops += loops_are_right(s->pool, 500) && loops_are_right(s->other, 500);
    s->wrong += tweed_pool_destroy(s->pool) != TWEED_EBUSY;
}

static void loop_at_end(int worker, void *arg)
{
    struct seen *s = arg;

    end(worker, arg);
    s->loops += loops_are_right(s->other, 500);
    s->wrong += tweed_parallel_for_with(s->pool, NULL, 0, 500, body, s) !=
                TWEED_ECLOSED;
    s->wrong += tweed_pool_destroy(s->pool) != TWEED_ENOPOOL;
}

static void test_loops_in_hooks(void)
{
    struct seen s = { .wrong = 0 };
    tweed_pool_options o = options(&s, loop_at_start, loop_at_end);

    s.other = pool_of(2);
    must(tweed_pool_create(&s.pool, &o));
    s.ready = 1;
    while (s.loops < WORKERS - 1) /* the watchdog ends this */
        sched_yield();
    ok(loops(&s, s.pool) && !s.wrong,
       "on_start: loops on this pool and on another; it is not destroyed there");
    while (tweed_pool_destroy(s.pool) == TWEED_EBUSY) /* a loop in a hook ends late */
        sched_yield();
    ok(s.loops == 2 * (WORKERS - 1) && all_once(s.ended) && !s.wrong,
       "on_end: loops on another pool only");
    tweed_pool_destroy(s.other);
}

/* ---- names ---- */

static void rename_thread(int worker, void *arg)
{
    (void)pthread_setname_np(pthread_self(), "mine");
    start(worker, arg);
}

static void look_at_name(int worker, void *arg)
{
    struct seen *s = arg;
    char name[16] = "";

    s->wrong += pthread_getname_np(pthread_self(), name, sizeof name) != 0 ||
                strcmp(name, "mine") != 0;
    end(worker, arg);
}

static void test_names(void)
{
    struct seen s = { .wrong = 0 };
    tweed_pool_options o = options(&s, rename_thread, look_at_name);

    for (int round = 0; round < 50; round++) {
        for (int w = 0; w < WORKERS; w++)
            s.started[w] = s.ended[w] = 0;
        must(tweed_pool_create(&s.pool, &o));
        must(tweed_pool_destroy(s.pool));
    }
    ok(all_once(s.ended) && !s.wrong, "on_start may rename the thread: the name stays");
}

/* ---- fork ---- */

static struct seen family;

static int in_child(void *arg)
{
    tweed_pool *pool = arg;

    for (int w = 0; w < WORKERS; w++)
        family.started[w] = family.ended[w] = 0;
    family.wrong = 0;
    if (!loops(&family, pool) || family.wrong)
        return 1;
    return tweed_pool_destroy(pool) != TWEED_OK || !all_once(family.started) ||
           !all_once(family.ended) || family.wrong;
}

static void test_fork(void)
{
    tweed_pool_options o = options(&family, start, end);
    tweed_pool *pool = NULL;

    if (TWEED_HAVE_TSAN) {
        skip(2, "ThreadSanitizer forbids threads in the child of a process that has "
                "some");
        return;
    }
    must(tweed_pool_create(&pool, &o));
    while (!all_once(family.started))
        sched_yield();
    ok(child_exited(child_run(in_child, pool), 0),
       "a child of fork() starts threads, and ends them");
    must(tweed_pool_destroy(pool));
    ok(all_once(family.started) && all_once(family.ended) && !family.wrong,
       "... and not those of its parent");
}

/* ---- control that leaves a hook ---- */

static void leave(int worker, void *arg)
{
    (void)worker;
    pthread_exit(arg);
}

static int leaves(void *arg)
{
    struct seen s = { .wrong = 0 };
    tweed_pool_options o = options(&s, leave, NULL);
    tweed_pool *pool = NULL;

    (void)arg;
    if (tweed_pool_create(&pool, &o) == TWEED_OK)
        tweed_pool_destroy(pool);
    return 0;
}

int main(void)
{
    char said[256];
    int status;

    plan(11);
    watchdog();
    status = child_run_text(leaves, NULL, said, sizeof said);
    ok(child_killed(status, SIGABRT) && strstr(said, "a hook"),
       "pthread_exit() out of a hook is noticed, as out of a body");
    test_fork();
    test_own_pool();
    test_default_pool();
    test_one_alone();
    test_loops_in_hooks();
    test_names();
    return done_testing();
}

/*
 * shutdown.c - the default pool is configured, ends when it is told to, and starts
 * anew.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each test is a process of its own, in which the default pool was not used yet.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "child.h"
#include "meet.h"
#include "base/tsan.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static int num_ended; /* how many threads ended by shutdown, as far as is waited for */

/* Ends the pool: then there are as many threads as before it started.  (A thread that
   was joined may be listed for a moment.) */
static int ends(int threads_before)
{
    if (tweed_default_pool_shutdown() != TWEED_OK)
        return 0;
    /* the watchdog ends this; ThreadSanitizer may start a thread of its own */
    while (count_threads() > threads_before + TWEED_HAVE_TSAN)
        sched_yield();
    num_ended++;
    return 1;
}

static int configure(int workers)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;

    o.num_workers = workers;
    return tweed_default_pool_configure(&o);
}

/* ---- shutting down ---- */

static int nothing(void *arg)
{
    int before = count_threads();

    (void)arg;
    return !(ends(before) && ends(before) && configure(3) == TWEED_OK &&
             ends(before) && num_ended == 3);
}

static int again(void *arg)
{
    int before = count_threads();
    tweed_stats s = TWEED_STATS_INIT;

    (void)arg;
    for (int round = 0; round < 3; round++) {
        if (!loops_are_right(NULL, COUNT_MOST) ||
            tweed_stats_get(NULL, -1, &s) != TWEED_OK ||
            s.indices != 2 * COUNT_MOST || tweed_pool_num_workers(NULL) != 3 ||
            !ends(before) || !ends(before))
            return 1;
    }
    return 0;
}

/* ---- while it is in use ---- */

static atomic_int busy, other, bodies;

static void try_it(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
    if (tweed_default_pool_shutdown() == TWEED_EBUSY)
        busy++;
    else
        other++;
    busy += configure(2) == TWEED_EBUSY;
    bodies++; /* last: some wait for it before they let their loop end */
}

static int from_body(void *arg)
{
    (void)arg;
    return tweed_parallel_for(0, 100, try_it, NULL) != TWEED_OK || bodies != 100 ||
           busy != 200 || other || !loops_are_right(NULL, COUNT_MOST);
}

static void run_on(int64_t i, void *arg)
{
    (void)i;
    must(tweed_parallel_for_with(arg, NULL, 0, 10, try_it, NULL));
}

static int from_other_pool(void *arg)
{
    tweed_pool *pool = pool_named(2, "own");

    (void)arg;
    return !pool || tweed_parallel_for(0, 10, run_on, pool) != TWEED_OK ||
           bodies != 100 || busy != 200 || other;
}

static atomic_int running;

static void *try_from_thread(void *arg)
{
    while (!running)
        sched_yield();
    try_it(0, arg);
    return NULL;
}

static void hold(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
    for (running = 1; !bodies;)
        sched_yield();
}

static int from_thread(void *arg)
{
    int before = count_threads();
    pthread_t thread;

    if (pthread_create(&thread, NULL, try_from_thread, arg) != 0 ||
        tweed_parallel_for(0, 2, hold, NULL) != TWEED_OK)
        return 1;
    pthread_join(thread, NULL);
    return busy != 2 || other || !ends(before);
}

/* Bodies of a loop that a function which is told of progress has started: the function
   waits for them, so nobody may wait for it there.  Two bodies, one is not the
   function's own thread's. */
static atomic_int met;
static tweed_pool *destroyed; /* NULL: the default pool is shut down */

static void try_and_meet(int64_t i, void *arg)
{
    for (met++; met < 2;)
        sched_yield();
    if (!destroyed)
        try_it(i, arg);
    else if (tweed_pool_destroy(destroyed) == TWEED_EBUSY)
        bodies++;
}

static void run_in_report(const tweed_progress *p, void *pool)
{
    (void)p;
    if (met == 0)
        must(tweed_parallel_for_with(pool, NULL, 0, 2, try_and_meet, NULL));
}

static void outlast(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
    while (bodies < 2)
        sched_yield();
}

static int told_on(tweed_pool *of, tweed_pool *pool)
{
    must(tweed_pool_progress(of, run_in_report, pool));
    must(tweed_parallel_for_with(of, NULL, 0, 2, outlast, NULL));
    must(tweed_pool_progress(of, NULL, NULL));
    return other != 0;
}

static int from_report(void *arg)
{
    (void)arg;
    return told_on(NULL, NULL) || bodies != 2 || busy != 4;
}

static int from_report_elsewhere(void *arg)
{
    (void)arg;
    return told_on(NULL, pool_named(2, "own")) || bodies != 2 || busy != 4;
}

static int destroy_from_report(void *arg)
{
    (void)arg;
    destroyed = pool_named(3, "own");
    return told_on(destroyed, NULL) || bodies != 2 ||
           tweed_pool_destroy(destroyed) != TWEED_OK;
}

/* ---- threads that end ---- */

static pthread_key_t key;
static atomic_int codes[3], late_loops;

static void shut_down_late(void *arg)
{
    (void)arg;
    codes[-tweed_default_pool_shutdown()]++; /* another code is out of bounds */
}

static void *note_thread(void *arg)
{
    pthread_setspecific(key, arg);
    return loops_are_right(NULL, COUNT_MOST) ? arg : NULL;
}

/* A foreign thread's thread-local object. */
static int from_destructor(void *arg)
{
    int before = count_threads();
    pthread_t thread;
    void *result = NULL;

    pthread_key_create(&key, shut_down_late);
    if (pthread_create(&thread, NULL, note_thread, &key) != 0)
        return 1;
    pthread_join(thread, &result);
    return result != &key || codes[0] != 1 || !ends(before) ||
           !loops_are_right(NULL, 100) || !arg;
}

static atomic_int arrived;

/* All workers are here, each once. */
static void mark_all(int64_t i, void *arg)
{
    (void)i;
    if (tweed_worker_index() > 0)
        pthread_setspecific(key, arg);
    for (arrived++; arrived < 3;)
        sched_yield();
}

static void loop_late(void *arg)
{
    (void)arg;
    late_loops += loops_are_right(NULL, 100);
}

/* An ending worker's own: a loop starts the pool anew. */
static int loops_late(void *arg)
{
    int before = count_threads();

    pthread_key_create(&key, loop_late);
    return tweed_parallel_for(0, 3, mark_all, &key) != TWEED_OK ||
           tweed_default_pool_shutdown() != TWEED_OK || late_loops != 2 ||
           !ends(before) || late_loops != 2 || !arg;
}

/* ... and a shutdown finds nothing that runs, or what such a loop has started. */
static int shut_down_by_worker(void *arg)
{
    int before = count_threads();

    pthread_key_create(&key, shut_down_late);
    return tweed_parallel_for(0, 3, mark_all, &key) != TWEED_OK || !ends(before) ||
           codes[0] != 2 || !arg;
}

/* ---- fork ---- */

static int in_child(void *arg)
{
    int before = count_threads();

    (void)arg;
    return !(ends(before) && loops_are_right(NULL, COUNT_MOST) && ends(before) &&
             configure(2) == TWEED_OK && loops_are_right(NULL, COUNT_MOST) &&
             tweed_pool_num_workers(NULL) == 2 && ends(before));
}

static int forks(void *arg)
{
    if (!loops_are_right(NULL, COUNT_MOST) || !gather(NULL, 3) ||
        !child_exited(child_run(in_child, arg), 0) ||
        tweed_pool_num_workers(NULL) != 3 || !loops_are_right(NULL, COUNT_MOST))
        return 1;
    return tweed_default_pool_shutdown() != TWEED_OK ||
           !child_exited(child_run(in_child, arg), 0);
}

/* ---- options ---- */

static int configured(void *arg)
{
    tweed_pool_options bad = TWEED_POOL_OPTIONS_INIT, none = { .size = 8 };

    (void)arg;
    bad.num_workers = -1;
    if (configure(5) != TWEED_OK || configure(4) != TWEED_OK ||
        tweed_default_pool_configure(&bad) != TWEED_EINVAL ||
        tweed_default_pool_configure(&none) != TWEED_EINVAL)
        return 1;
    if (!loops_are_right(NULL, COUNT_MOST) || configure(2) != TWEED_EBUSY ||
        tweed_default_pool_configure(NULL) != TWEED_EBUSY)
        return 2;
    return tweed_pool_num_workers(NULL) != 4 ||
           tweed_default_pool_shutdown() != TWEED_OK ||
           !loops_are_right(NULL, COUNT_MOST) || tweed_pool_num_workers(NULL) != 4;
}

/* What is zero is left to the environment, which says 3. */
static int left_to_environment(void *arg)
{
    (void)arg;
    if (configure(0) != TWEED_OK || tweed_pool_num_workers(NULL) != 3 ||
        tweed_default_pool_shutdown() != TWEED_OK || configure(2) != TWEED_OK ||
        tweed_pool_num_workers(NULL) != 2)
        return 1;
    return tweed_default_pool_shutdown() != TWEED_OK;
}

static int back_to_none(void *arg)
{
    (void)arg;
    return configure(2) != TWEED_OK ||
           tweed_default_pool_configure(NULL) != TWEED_OK ||
           tweed_pool_num_workers(NULL) != 3;
}

/* As a study of scaling does it: what was told of a pool holds until that has ended. */
static int as_many_as_asked(void *arg)
{
    (void)arg;
    for (int workers = 1; workers <= 8; workers *= 2)
        if (configure(workers) != TWEED_OK || tweed_pool_num_workers(NULL) != workers ||
            !loops_are_right(NULL, COUNT_MOST) ||
            tweed_pool_num_workers(NULL) != workers ||
            tweed_default_pool_shutdown() != TWEED_OK)
            return workers;
    return 0;
}

static void test(int (*fn)(void *), const char *what)
{
    ok(child_exited(child_run(fn, &key), 0), "%s", what);
}

int main(void)
{
    setenv("TWEED_NUM_WORKERS", "3", 1);
    plan(16);
    watchdog();
    test(nothing, "what does not run is shut down, again and again");
    test(again, "threads end, and the next loop starts them anew");
    test(from_body, "busy in a body: nothing happens");
    test(from_other_pool, "busy in a body of an inner loop on another pool");
    test(from_thread, "busy while another thread's loop runs, and not after it");
    test(from_report, "busy in a body of a loop that tells of progress");
    test(from_report_elsewhere, "... on another pool");
    test(destroy_from_report, "a pool is not destroyed there either");
    test(from_destructor, "from a thread-local destructor");
    test(loops_late, "a loop in an ending worker's destructor starts it anew");
    test(shut_down_by_worker, "an ending worker shuts down what is not there");
    if (TWEED_HAVE_TSAN)
        skip(1, "ThreadSanitizer forbids threads in the child of a process that has "
                "some");
    else
        test(forks, "in a child of fork()");
    test(configured, "configured: the last time before it starts counts");
    test(left_to_environment, "the call goes before the environment, where it says something");
    test(back_to_none, "no options any more");
    test(as_many_as_asked, "configured with more workers each time: they are there");
    return done_testing();
}

/*
 * exit.c - the process may end at any moment.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each child starts with no pool, goes wherever the case says, and calls exit()
 * there; its status shows that the exit handlers came through.
 * TWEED_TEST_ROUNDS=1000 makes ten thousand of them.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "child.h"
#include "pools.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define CODE 42

#if TWEED_HAVE_TSAN
/* It would wait for a second at the end of a process that has threads, and take for a leak
   a worker that has ended and that its pool was about to join. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "atexit_sleep_ms=0 report_thread_leaks=0";
}
#endif

static tweed_pool *own; /* or NULL: the default pool */

/* ---- loops in another thread ---- */

static atomic_int running;

static void *run_for_ever(void *arg)
{
    (void)arg;
    for (;;) {
        if (!loops_are_right(own, COUNT_MOST))
            _exit(1);
        running = 1;
    }
    return NULL;
}

static void *pools_for_ever(void *arg)
{
    (void)arg;
    for (;;) {
        tweed_pool *pool = pool_of(2);

        if (!pool || !loops_are_right(pool, 100) ||
            tweed_pool_destroy(pool) != TWEED_OK)
            _exit(1);
        running = 1;
    }
    return NULL;
}

static void start(void *(*fn)(void *))
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, fn, NULL) != 0)
        _exit(1);
    while (!running)
        sched_yield();
}

static int while_loops_run(void *arg)
{
    (void)arg;
    start(run_for_ever);
    exit(CODE);
}

static int while_pools_start(void *arg)
{
    (void)arg;
    start(pools_for_ever);
    exit(CODE);
}

/* ---- from a body ---- */

static atomic_int arrived;

/* Two indices, two workers; one calls exit(), the other is still in its body. */
static void exit_here(int64_t i, void *arg)
{
    (void)i;
    for (arrived++; arrived < 2;)
        sched_yield();
    if ((tweed_worker_index() > 0) == (arg != NULL))
        exit(CODE);
    for (;;)
        pause();
}

static int from_body(void *on_worker)
{
    static const tweed_pool_options two = { .size = sizeof two,
                                            .num_workers = 2 };

    if (tweed_pool_create(&own, &two) != TWEED_OK)
        return 1;
    must(tweed_parallel_for_with(own, NULL, 0, 2, exit_here, on_worker));
    return 1; /* it does not come here */
}

static void loop_and_exit(int64_t i, void *arg)
{
    if (i == 50 && loops_are_right(NULL, 100)) {
        static atomic_int once;

        if (once++ == 0)
            exit(CODE);
    }
    (void)arg;
}

static int from_serial_body(void *arg)
{
    tweed_loop_options one = { .size = sizeof one, .max_workers = 1 };

    must(tweed_parallel_for_with(NULL, &one, 0, 100, loop_and_exit, arg));
    return 1;
}

static int from_inner_body(void *arg)
{
    tweed_parallel_for(0, 100, loop_and_exit, arg);
    return 1;
}

/* ---- loops from atexit ---- */

static void handler(void)
{
    tweed_pool *fresh = pool_of(2);

    if (!loops_are_right(NULL, COUNT_MOST) || !loops_are_right(own, 100) ||
        !loops_are_right(fresh, 100) || tweed_pool_destroy(fresh) != TWEED_OK)
        _exit(2);
}

/* A handler that ends the process while a loop runs in it. */
static void last_handler(void)
{
    start(run_for_ever);
}

static int started_in_handler(void *arg)
{
    (void)arg;
    atexit(handler);
    exit(CODE);
}

static int loops_in_handler(void *arg)
{
    atexit(last_handler);
    atexit(handler);
    atexit(handler);
    if (!loops_are_right(NULL, 100))
        return 1;
    (void)arg;
    exit(CODE);
}

static int handler_after_body(void *on_worker)
{
    atexit(handler);
    return from_body(on_worker);
}

/* With the table of TWEED_STATS printed by a destructor of the library. */
static int with_table(void *arg)
{
    int (*fn)(void *) = *(int (**)(void *))arg;

    setenv("TWEED_STATS", "1", 1);
    return fn(arg);
}

static void expect(int n, int (*fn)(void *), void *arg, const char *what)
{
    int good = 0, last = 0;

    for (int i = 0; i < n; i++) {
        int status = child_run(fn, arg);

        if (child_exited(status, CODE))
            good++;
        else
            last = status;
    }
    if (!ok(good == n, "%s, %d times", what, n))
        diag("%d were right; a wrong one ended with %#x", good, (unsigned)last);
}

/* The table comes, in one piece, and the status is right. */
static void expect_table(int n, int (*fn)(void *), const char *what)
{
    static char text[20000];
    int good = 0;

    for (int i = 0; i < n; i++) {
        int status = child_run_text(with_table, &fn, text, sizeof text);

        good += child_exited(status, CODE) && strstr(text, "imbalance");
    }
    ok(good == n, "%s, with TWEED_STATS=1, %d times", what, n);
}

int main(void)
{
    int here = 0, n = rounds(25);

    plan(10);
    expect(n, while_loops_run, NULL, "main, while another thread is in a loop");
    expect(n, while_pools_start, NULL, "main, while pools start and end");
    expect(n, from_body, NULL, "a body on the caller");
    expect(n, from_body, &here, "a body on a worker");
    expect(n, from_serial_body, NULL, "a body of a serial loop");
    expect(n, from_inner_body, NULL, "one of many bodies, after an inner loop");
    expect(n, started_in_handler, NULL, "the first pool starts in a handler");
    expect(n, loops_in_handler, NULL, "handlers run loops, and leave one");
    expect(n, handler_after_body, &here,
           "a body on a worker, and a handler runs loops");
    expect_table(n, while_loops_run, "while another thread is in a loop");
    return done_testing();
}

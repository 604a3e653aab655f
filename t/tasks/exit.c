/*
 * exit.c - the process may end while tasks are in flight.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each child starts with no pool, goes wherever the case says, and ends there; its
 * status shows that the handlers came through, which run tasks of their own.
 */
#include "config.h"

#include "child.h"
#include "pools.h"
#include "fib.h"
#include "unserved.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define CODE 42
#define HANDLED 43

#if TWEED_HAVE_TSAN
/* It would wait for a second at the end of a process that has threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "atexit_sleep_ms=0";
}
#endif

/* How a child ends: by exit(), by quick_exit(), or as if main() had returned. */
static _Noreturn void by_exit(void)
{
    exit(CODE);
}

static _Noreturn void by_quick_exit(void)
{
    quick_exit(CODE);
}

static void (*end)(void);
static tweed_pool *own;

/* The status of a process whose handler has been called. */
static void handler(void)
{
    tweed_pool *fresh = pool_of(2);

    if (!fib_is_right(NULL, 14) || !fib_is_right(own, 14) || !fib_is_right(fresh, 14) ||
        tweed_pool_destroy(fresh) != TWEED_OK)
        _exit(2);
    _exit(HANDLED);
}

/* ---- in another thread ---- */

static atomic_int running;

static void *run_for_ever(void *arg)
{
    (void)arg;
    for (;;) {
        if (!fib_is_right(own, 18))
            _exit(1);
        running = 1;
    }
    return NULL;
}

static int while_tasks_run(void *arg)
{
    pthread_t thread;

    (void)arg;
    if (pthread_create(&thread, NULL, run_for_ever, NULL) != 0)
        return 1;
    while (!running)
        sched_yield();
    end();
    return 1;
}

/* ---- in a task ---- */

static atomic_int arrived;

/* Of two one is stolen; one ends the process, the other is still in flight. */
TWEED_TASK(int, ends_here, int, stolen)
{
    TWEED_SPAWN(fib, 10);
    for (arrived++; arrived < 2;)
        sched_yield();
    if ((tweed_worker_index() > 0) == stolen)
        end();
    for (;;)
        pause();
    return (int)TWEED_SYNC(fib);
}

TWEED_TASK(int, pair, int, stolen)
{
    int sum;

    for (int k = 0; k < 20; k++)
        TWEED_SPAWN(fib, 10);
    TWEED_SPAWN(ends_here, stolen);
    sum = TWEED_CALL(ends_here, stolen);
    sum += TWEED_SYNC(ends_here);
    for (int k = 0; k < 20; k++)
        sum += (int)TWEED_SYNC(fib);
    return sum;
}

static int in_task(void *stolen)
{
    own = pool_named(2, "own");
    return TWEED_RUN_ON(own, pair, stolen != NULL);
}

/* On a stack that has many tasks, at the first leaf. */
TWEED_TASK(int, deep, int, n)
{
    int sum;

    if (n == 0) {
        if (arrived++ == 0)
            end();
        pause(); /* two threads may not call exit() */
        return 0;
    }
    TWEED_SPAWN(deep, n - 1);
    sum = TWEED_CALL(deep, n - 1);
    return TWEED_SYNC(deep) + sum;
}

static int at_a_leaf(void *arg)
{
    (void)arg;
    own = pool_named(3, "own");
    return TWEED_RUN_ON(own, deep, 30);
}

/* ---- in a task of a group, and with submitted tasks waiting ---- */

static int run_one(void *arg)
{
    (void)arg;
    return 0;
}

static void submit_some(void)
{
    for (int i = 0; i < 20; i++)
        must(tweed_pool_submit(own, run_one, NULL));
}

/* As ends_here. */
static int group_ends_here(void *stolen)
{
    for (arrived++; arrived < 2;)
        sched_yield();
    if ((tweed_worker_index() > 0) == (stolen != NULL))
        end();
    for (;;)
        pause();
    return 0;
}

/* Of two tasks the worker has one when the others are submitted. */
static int in_group(void *stolen)
{
    tweed_group g = TWEED_GROUP_INIT;

    own = pool_named(2, "own");
    g.pool = own;
    must(tweed_group_spawn(&g, group_ends_here, stolen));
    must(tweed_group_spawn(&g, group_ends_here, stolen));
    while (!arrived)
        sched_yield();
    submit_some();
    return tweed_group_sync(&g);
}

/* Of a pool without threads none has begun. */
static int submitted(void *arg)
{
    (void)arg;
    own = unserved(pool_named(1, "own"));
    submit_some();
    end();
    return 1;
}

static void expect(int n, int (*fn)(void *), void *arg, int code, const char *what)
{
    int good = 0, last = 0;

    for (int i = 0; i < n; i++) {
        int status = child_run(fn, arg);

        if (child_exited(status, code))
            good++;
        else
            last = status;
    }
    if (!ok(good == n, "%s, %d times", what, n))
        diag("%d were right; a wrong one ended with %#x", good, (unsigned)last);
}

struct case_ {
    int (*fn)(void *);
    void *arg;
};

static int with_handler(void *arg)
{
    const struct case_ *c = arg;

    atexit(handler);
    at_quick_exit(handler);
    return c->fn(c->arg);
}

static void all(int n)
{
    int here = 0;
    const struct case_ cases[] = {
        { while_tasks_run, NULL }, { in_task, NULL }, { in_task, &here },
        { at_a_leaf, NULL },      { in_group, NULL }, { in_group, &here },
        { submitted, NULL },
    };
    static const char *const names[] = { "tasks run in another thread",
                                         "a task on the caller", "a task that was stolen",
                                         "leaves of a tree",
                                         "a task of a group, on the caller",
                                         "one that was stolen",
                                         "submitted tasks wait" };

    for (int k = 0; k < 7; k++) {
        struct case_ c = cases[k];

        expect(n, c.fn, c.arg, CODE, names[k]);
        expect(n, with_handler, &c, HANDLED, "the same, and a handler runs tasks");
    }
}

int main(void)
{
    int n = rounds(15);

    plan(2 * 14);
    end = by_exit;
    all(n);
    diag("and by quick_exit()");
    end = by_quick_exit;
    all(n);
    return done_testing();
}

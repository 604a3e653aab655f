/*
 * called.c - fork() in a function of the program's that tweed calls outside of bodies.
 *
 * SPDX-License-Identifier: MIT
 *
 * Below the function stands a call of tweed's, and its team.  A child that runs loops there
 * gets threads of its own, as from a body.  A child must not return from there.  One that
 * does finds the team still there: the call goes on alone, and a thread of the pool's or of the
 * library's ends, and with it the child.
 */
#define TWEED_CALLS_APART_ 1
#define CHILD_SECONDS 20
#include "config.h"

#include "child.h"
#include "pools.h"
#include "base/tsan.h"

#include <sched.h>
#include <stdatomic.h>

enum { RIGHT = 7, WRONG = 8 };

static pid_t first_process;
static tweed_pool *pool;      /* of which something is called */
static int returns;           /* the child returns, and does not end there */
static atomic_int done, good; /* of forks: there was one, and the child was right */

static int is_child(void)
{
    return getpid() != first_process;
}

static void leave_rightly(void)
{
    if (is_child())
        _exit(RIGHT);
}

static int runs_loops(void)
{
    return loops_are_right(NULL, 100) && (!pool || loops_are_right(pool, 100));
}

/* Once: a child, which runs loops or returns; the parent waits for it. */
static void fork_once(void)
{
    pid_t pid;

    if (is_child() || atomic_exchange(&done, 1))
        return;
    pid = child_fork();
    if (pid == 0) {
        if (returns)
            return;
        _exit(runs_loops() ? RIGHT : WRONG);
    }
    good = child_exited(child_wait(pid), RIGHT) ? 1 : -1;
}

static void begin(int child_returns)
{
    returns = child_returns;
    done = good = 0;
}

static void await(void)
{
    while (!good)
        sched_yield();
}

/* ---- hooks: the thread ends when it returns, and with it the child ---- */

static void hook(int worker, void *unused)
{
    (void)worker, (void)unused;
    fork_once();
}

/* The hook does not know the pool, which is perhaps being destroyed. */
static int in_hook(int child_returns, tweed_worker_fn *on_start, tweed_worker_fn *on_end)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;
    tweed_pool *own;

    begin(child_returns);
    o.num_workers = 2;
    o.on_start = on_start;
    o.on_end = on_end;
    must(tweed_pool_create(&own, &o));
    if (on_start)
        await();
    must(tweed_pool_destroy(own));
    return good == 1;
}

/* ---- a condition: the call goes on ---- */

static int condition(void *unused)
{
    (void)unused;
    fork_once();
    return 1;
}

static int in_condition(int child_returns)
{
    int code;

    begin(child_returns);
    code = tweed_pool_run_until(pool, condition, NULL);
    if (is_child())
        _exit(code == TWEED_OK && runs_loops() ? RIGHT : WRONG);
    return code == TWEED_OK && good == 1;
}

/* ---- combining outside of bodies: between two loops, or behind one ---- */

static void add_body(int64_t begin, int64_t end, void *sum, void *unused)
{
    (void)unused;
    *(int64_t *)sum += end - begin;
}

static void scan_body(int64_t begin, int64_t end, void *sum, int writes, void *unused)
{
    (void)writes;
    add_body(begin, end, sum, unused);
}

static void combine(void *into, const void *from, void *unused)
{
    (void)unused;
    if (tweed_worker_index() < 0)
        fork_once();
    *(int64_t *)into += *(const int64_t *)from;
}

static int in_combine(int child_returns, int scans)
{
    static const int64_t zero;
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    tweed_reduction r = TWEED_REDUCTION_INIT;
    tweed_scan_spec s = TWEED_SCAN_SPEC_INIT;
    int64_t sum = 0;
    int code;

    begin(child_returns);
    o.grain = 10; /* more blocks than are combined in bodies */
    r.element_size = s.element_size = sizeof sum;
    r.alignment = s.alignment = sizeof sum;
    r.identity = s.identity = &zero;
    r.combine = s.combine = combine;
    r.body = add_body;
    s.body = scan_body;
    code = scans ? tweed_parallel_scan_with(pool, &o, 0, 100000, &s, NULL, &sum)
                 : tweed_parallel_reduce_with(pool, &o, 0, 100000, &r, NULL, &sum);
    if (is_child())
        _exit(code == TWEED_OK && sum == 100000 && runs_loops() ? RIGHT : WRONG);
    return code == TWEED_OK && sum == 100000 && good == 1;
}

/* ---- progress: the reporter ends, and with it the child ---- */

static void report(const tweed_progress *unused, void *unused_too)
{
    (void)unused, (void)unused_too;
    fork_once();
}

static void wait_for_report(int64_t i, void *unused)
{
    (void)i, (void)unused;
    if (!is_child())
        await();
}

static int in_progress(int child_returns)
{
    int code;

    begin(child_returns);
    must(tweed_pool_progress(pool, report, NULL));
    code = tweed_parallel_for_with(pool, NULL, 0, 2, wait_for_report, NULL);
    must(tweed_pool_progress(pool, NULL, NULL));
    return code == TWEED_OK && good == 1;
}

int main(void)
{
#if TWEED_HAVE_TSAN
    skip_all("ThreadSanitizer forbids threads in the child of a process that "
             "has some");
#endif
    plan(13);
    watchdog();
    first_process = getpid();
    atexit(leave_rightly); /* where the child's only thread has ended */
    for (int r = 0; r <= 1; r++) {
        const char *what = r ? "returns" : "ends there";

        ok(in_hook(r, hook, NULL), "on_start: the child %s", what);
        ok(in_hook(r, NULL, hook), "on_end: the child %s", what);
        pool = pool_of(2);
        ok(in_condition(r), "a condition: the child %s", what);
        ok(in_combine(r, 0), "combining: the child %s", what);
        ok(in_combine(r, 1), "combining of a scan: the child %s", what);
        ok(in_progress(r), "progress: the child %s", what);
        must(tweed_pool_destroy(pool));
        pool = NULL;
    }
    ok(loops_are_right(NULL, 100), "the parent runs loops");
    return done_testing();
}

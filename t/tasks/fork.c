/*
 * fork.c - a child of fork() runs tasks, wherever its parent's were.
 *
 * SPDX-License-Identifier: MIT
 *
 * The child has one thread, and a copy of deques that nobody empties any more.  It runs
 * tasks of its own, on its parent's pools, and ends these; its parent's go on.
 */
#define TWEED_CALLS_APART_ 1 /* bodies meet */
#include "config.h"

#include "at-work.h"
#include "child.h"
#include "fib.h"
#include "meet.h"
#include "base/tsan.h"
#include "self.h"
#include "unserved.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static tweed_pool *mine; /* made before the forks */

static int live(void)
{
    if (!fib_is_right(NULL, 16) || !fib_is_right(mine, 16))
        return 1;
    if (tweed_pool_destroy(mine) != TWEED_OK || !fib_is_right(mine, 10))
        return 2;
    return fib_is_right(NULL, 12) ? 0 : 3;
}

static int fork_and(int (*fn)(void))
{
    pid_t pid = child_fork();
    int status;

    if (pid == 0)
        _exit(fn());
    status = child_wait(pid);
    if (!child_exited(status, 0))
        diag("a child ended with status %#x", (unsigned)status);
    return child_exited(status, 0);
}

/* ---- another thread's tasks are in flight ---- */

static int run_tasks(tweed_pool *pool)
{
    return fib_is_right(pool, 18);
}

/* Forks so often while two threads do that. */
static int while_at_work(int n, int (*work)(tweed_pool *pool))
{
    struct at_work two[2];
    int good = 1;

    if (!at_work_begin(two, work, mine))
        return 0;
    for (int i = 0; i < n; i++)
        good &= fork_and(live);
    return at_work_end(two) && good;
}

/* ---- from a task, with others in flight below it and beside it ---- */

struct from {
    int (*child)(void);
    int stolen; /* fork in the one that was stolen; or in the one that was not */
    int owner;
    atomic_int arrived, forked;
};

TWEED_TASK(int, meets, struct from *, f)
{
    int good, is_stolen = tweed_worker_index() != f->owner;

    TWEED_SPAWN(fib, 15);
    for (f->arrived++; f->arrived < 2;)
        sched_yield();
    if (is_stolen == f->stolen) {
        f->forked++;
        good = fork_and(f->child);
    } else {
        while (!f->forked) /* it is in flight all the time */
            sched_yield();
        good = 1;
    }
    return (TWEED_SYNC(fib) == fib_of(15)) & good;
}

/* Of two that wait for each other one is stolen. */
TWEED_TASK(int, pair, struct from *, f)
{
    int good;

    f->owner = tweed_worker_index();
    for (int k = 0; k < 20; k++)
        TWEED_SPAWN(fib, 10);
    TWEED_SPAWN(meets, f);
    good = TWEED_CALL(meets, f);
    good &= TWEED_SYNC(meets);
    for (int k = 0; k < 20; k++)
        good &= TWEED_SYNC(fib) == fib_of(10);
    return good;
}

static int from_task(int stolen, int (*child)(void), int n)
{
    int good = 1;

    for (int k = 0; k < n; k++) {
        struct from f = { .child = child, .stolen = stolen };

        good &= TWEED_RUN_ON(mine, pair, &f) && f.forked == 1;
    }
    return good;
}

static int live_and_fork(void)
{
    /* threads that start are not there to be forked: see meet.h */
    if (!gather(mine, 3) || !fib_is_right(mine, 12) || !fork_and(live))
        return 4;
    return from_task(0, live, 1) && from_task(1, live, 1) ? live() : 5;
}

/* ---- in a task of a loop's body, and in a body of a task's loop ---- */

static void forks_in_task(int64_t i, void *arg)
{
    atomic_int *good = arg;

    *good += i == 2 ? from_task(1, live, 1) : fib_is_right(mine, 15);
}

TWEED_TASK(int, runs_loop)
{
    atomic_int good = 0;

    TWEED_SPAWN(fib, 15);
    must(tweed_parallel_for_with(mine, NULL, 0, 4, forks_in_task, &good));
    return TWEED_SYNC(fib) == fib_of(15) && good == 4;
}

/* ---- groups ---- */

static tweed_group group = TWEED_GROUP_INIT;
static atomic_int ran;

static int run_one(void *arg)
{
    (void)arg;
    ran++;
    return 0;
}

/* The parent's task is the parent's; the group is as new. */
static int use_group(void)
{
    must(tweed_group_spawn(&group, run_one, NULL));
    must(tweed_group_sync(&group));
    return ran == 1 ? live() : 4;
}

static int with_group(void)
{
    int good;

    group.pool = unserved(pool_of(1)); /* it has no thread: nothing begins */
    must(tweed_group_spawn(&group, run_one, NULL));
    must(tweed_pool_submit(group.pool, run_one, NULL));
    good = fork_and(use_group) && ran == 0;
    must(tweed_group_sync(&group));
    must(tweed_pool_drain(group.pool));
    return good && ran == 2 && tweed_pool_destroy(group.pool) == TWEED_OK;
}

static int fork_it(void *arg)
{
    (void)arg;
    return fork_and(live) ? 0 : 1;
}

static int from_group(int n)
{
    tweed_group g = TWEED_GROUP_INIT;

    g.pool = mine;
    for (int i = 0; i < n; i++)
        must(tweed_group_spawn(&g, i % 4 ? run_one : fork_it, NULL));
    return tweed_group_sync(&g) == TWEED_OK;
}

/* The threads have the lock of the queue, now and then. */
static int submit_tasks(tweed_pool *pool)
{
    int good = 1;

    for (int k = 0; k < 50; k++)
        good &= tweed_pool_submit(pool, run_one, NULL) == TWEED_OK;
    return tweed_pool_drain(pool) == TWEED_OK && good;
}

int main(void)
{
    int n = rounds(20);

    if (under_qemu())
        skip_all("qemu: no threads after a fork() beside threads");
    plan(10);
    if (TWEED_HAVE_TSAN) {
        skip(10, "ThreadSanitizer forbids threads in the child of a process with some");
        return done_testing();
    }
    watchdog();
    mine = pool_of(3);
    must(gather(mine, 3) ? 0 : 1); /* their threads have started */
    ok(fib_is_right(mine, 20) && fork_and(live), "no task in flight");
    must(gather(NULL, tweed_pool_num_workers(NULL)) ? 0 : 1); /* the same */
    ok(while_at_work(n, run_tasks), "two other threads run tasks, %d times", n);
    ok(from_task(0, live, n), "from a task of its owner, %d times", n);
    ok(from_task(1, live, n), "from one that was stolen, %d times", n);
    ok(from_task(0, live_and_fork, n / 10 + 1) && from_task(1, live_and_fork, n / 10 + 1),
       "grandchildren, the same");
    ok(TWEED_RUN_ON(mine, runs_loop), "from tasks in a loop in a task");
    ok(with_group(), "a group, and submitted tasks, in flight");
    ok(from_group(n), "from tasks of a group");
    ok(while_at_work(n, submit_tasks), "two other threads submit tasks, %d times", n);
    ok(fib_is_right(NULL, 20) && fib_is_right(mine, 20) &&
           tweed_pool_destroy(mine) == TWEED_OK,
       "the parent's pools are as they were");
    return done_testing();
}

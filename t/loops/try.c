/*
 * try.c - bodies that fail, and bodies that stop their loop: which index and code come
 * out of it, how many indices were executed, and that nothing is begun afterwards.
 *
 * SPDX-License-Identifier: MIT
 *
 * What tweed_cursor_stop() and its relatives do to ranges is in stop.c.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "pools.h"

#include <sched.h>
#include <string.h>

#define N 2000
#define WORKERS 8

void __real_tweed_cursor_fail(tweed_cursor *c, int64_t i, int code);
void __wrap_tweed_cursor_fail(tweed_cursor *c, int64_t i, int code);

static atomic_int stops; /* calls that have returned */

void __wrap_tweed_cursor_fail(tweed_cursor *c, int64_t i, int code)
{
    __real_tweed_cursor_fail(c, i, code);
    stops++;
}

struct loop {
    int64_t lo;
    int fail_at;            /* this index and all above fail */
    atomic_uchar count[N];
    atomic_int begun, meet; /* bodies; so many wait for each other */
};

static int body(struct loop *l, int64_t i)
{
    int k = (int)(i - l->lo);

    l->count[k]++;
    l->begun++;
    while (l->begun < l->meet)
        sched_yield();
    return k >= l->fail_at ? k - N : 0; /* negative codes */
}

TWEED_TRY(braces, i, struct loop *, l)
{
    return body(l, i);
}

static int pointer(int64_t i, void *arg)
{
    return body(arg, i);
}

static int run(struct loop *l, tweed_pool *pool, const tweed_loop_options *o, int n,
               int by_pointer, tweed_outcome *all)
{
    tweed_loop_options with = o ? *o : (tweed_loop_options)TWEED_LOOP_OPTIONS_INIT;

    with.outcome = all;
    l->begun = 0;
    memset((void *)l->count, 0, sizeof l->count);
    return by_pointer ? tweed_parallel_try_with(pool, &with, l->lo, l->lo + n, pointer, l)
                      : braces_with(pool, &with, l->lo, l->lo + n, l);
}

/* No index twice, and as many as is said. */
static int is_counted(const struct loop *l, const tweed_outcome *all)
{
    int n = 0;

    for (int k = 0; k < N; k++) {
        if (l->count[k] > 1)
            return 0;
        n += l->count[k];
    }
    return n == l->begun && all->ran == (uint64_t)n;
}

/* A loop of n indices that fails from k on; of one worker, exactly there. */
static int fails(struct loop *l, tweed_pool *pool, int n, int k, int by_pointer)
{
    int one = tweed_pool_num_workers(pool) == 1, failed = k < n;
    tweed_outcome all = TWEED_OUTCOME_INIT;
    int code, at, good;

    l->fail_at = k;
    code = run(l, pool, NULL, n, by_pointer, &all);
    at = (int)(all.index - l->lo);
    good = code == (failed ? TWEED_ESTOPPED : TWEED_OK) && is_counted(l, &all) &&
           all.size == sizeof all;
    if (!failed)
        return good && at == n && all.code == 0 && l->begun == n;
    good &= at >= k && at < n && all.code == at - N && l->count[at] == 1;
    for (int i = k; i < at; i++) /* the lowest that was reached */
        good &= l->count[i] == 0;
    return good && (!one || (at == k && l->begun == k + 1));
}

static void one_by_one(int workers, int fence, const char *mode)
{
    static struct loop l;
    tweed_pool *pool = pool_fenced(workers, fence);

    for (int by_pointer = 0; by_pointer <= 1; by_pointer++) {
        int good = 1;

        for (int k = 0; k <= N; k += 1 + k / 8) {
            l.lo = by_pointer ? INT64_MIN : INT64_MAX - N;
            good &= fails(&l, pool, N, k, by_pointer);
            l.lo = -5;
            good &= fails(&l, pool, 1 + k / 7, k / 8, by_pointer);
        }
        ok(good, "%d workers, %s, %s: index, code and count", workers, mode,
           by_pointer ? "by pointer" : "in braces");
    }
    tweed_pool_destroy(pool);
}

/* ---- several at once ---- */

/* The first one of every worker fails, all having begun. */
static void all_at_once(int fence, const char *mode)
{
    static struct loop l;
    tweed_pool *pool = pool_fenced(WORKERS, fence);
    int good = 0, rounds = 50;

    l.meet = WORKERS;
    l.lo = 7;
    for (int r = 0; r < rounds; r++)
        good += fails(&l, pool, N, r % 2, 1) && l.begun <= WORKERS + (r % 2);
    l.meet = 0;
    ok(good == rounds, "%s: of %d that fail together the lowest", mode, WORKERS);
    tweed_pool_destroy(pool);
}

/* One fails when every worker is in a body; no other one is begun after that. */
static int fail_one(int64_t i, void *arg)
{
    struct loop *l = arg;
    int k = l->begun++;

    l->count[i]++;
    while (l->begun < WORKERS || (k > 0 && !stops))
        sched_yield();
    return k == 0;
}

static void no_more(int fence, const char *mode)
{
    static struct loop l;
    tweed_pool *pool = pool_fenced(WORKERS, fence);
    tweed_outcome all = TWEED_OUTCOME_INIT;
    tweed_loop_options o = { .size = sizeof o, .outcome = &all };
    int good = 0, rounds = 50;

    for (int r = 0; r < rounds; r++) {
        stops = l.begun = 0;
        memset((void *)l.count, 0, sizeof l.count);
        good += tweed_parallel_try_with(pool, &o, 0, N, fail_one, &l) ==
                    TWEED_ESTOPPED &&
                l.begun == WORKERS && is_counted(&l, &all);
    }
    ok(good == rounds, "%s: one fails while %d are in bodies: no other is begun", mode,
       WORKERS);
    tweed_pool_destroy(pool);
}

/* ---- tweed_parallel_stop() ---- */

static atomic_int calls;

static void stop_at_7(int64_t i, void *arg)
{
    (void)arg;
    calls++;
    if (i == 7 && tweed_parallel_stop() != TWEED_OK)
        calls = -1000;
}

static void range_stop(int64_t begin, int64_t end, void *arg)
{
    for (; begin < end; begin++)
        stop_at_7(begin, arg);
}

TWEED_LOOP(loop_stop, i)
{
    stop_at_7(i, NULL);
}

TWEED_LOOP_2D(rows_stop, i, j)
{
    stop_at_7(i * 1000000 + j, NULL);
}

TWEED_SUM(int, sum_stop, i)
{
    stop_at_7(i, NULL);
    return 1;
}

/* By one worker, so that all of it is known. */
static int stops_at_7(int code, const tweed_outcome *all, int most)
{
    int n = calls;
    int good = code == TWEED_ESTOPPED && n >= 8 && n <= most &&
               all->ran == (uint64_t)n && all->code == 0;

    if (!good)
        diag("code %d, %d calls, ran %llu", code, n, (unsigned long long)all->ran);
    calls = 0;
    return good;
}

static void from_bodies(tweed_pool *pool, int most_workers, const char *how)
{
    tweed_outcome all = TWEED_OUTCOME_INIT;
    tweed_loop_options o = { .size = sizeof o, .max_workers = most_workers,
                             .outcome = &all };
    int sum = -3;

    ok(stops_at_7(tweed_parallel_for_with(pool, &o, 0, 50000000, stop_at_7, NULL),
                  &all, 8),
       "%s, by pointer: the index that stops is the last", how);
    /* the first claim is of 16 */
    ok(stops_at_7(tweed_parallel_for_range_with(pool, &o, 0, 50000000, range_stop,
                                                NULL), &all, 16),
       "%s, runs", how);
    ok(stops_at_7(loop_stop_with(pool, &o, 0, 50000000), &all, 16),
       "%s, in braces", how);
    ok(stops_at_7(rows_stop_with(pool, &o, 0, 50, 0, 1000000), &all, 16),
       "%s, two dimensions", how);
    o.grain = 1;
    ok(sum_stop_with(pool, &o, 0, 20000, &sum) == TWEED_ESTOPPED && sum == -3 &&
           calls < 20000,
       "%s, a sum: there is no result", how);
    calls = 0;
}

/* Everybody waits in a body until one has stopped the loop. */
static void stop_all(int64_t i, void *arg)
{
    struct loop *l = arg;
    int k = l->begun++;

    (void)i;
    while (l->begun < WORKERS)
        sched_yield();
    if (k == 3) {
        (void)tweed_parallel_stop();
        stops = 1;
    }
    while (!stops)
        sched_yield();
}

static void inner(int64_t i, void *arg)
{
    (void)i, (void)arg;
    calls++;
    (void)tweed_parallel_stop();
}

static void outer(int64_t i, void *arg)
{
    struct loop *l = arg;

    l->count[i]++;
    if (tweed_parallel_for(0, 1000, inner, NULL) != TWEED_ESTOPPED)
        l->begun = -1;
}

static void from_many(void)
{
    static struct loop l;
    tweed_pool *pool = pool_of(WORKERS);
    tweed_outcome all = TWEED_OUTCOME_INIT;
    tweed_loop_options o = { .size = sizeof o, .outcome = &all };
    int good = 1;

    stops = l.begun = 0;
    ok(tweed_parallel_for_with(pool, &o, 0, N, stop_all, &l) == TWEED_ESTOPPED &&
           l.begun == WORKERS && all.ran == WORKERS,
       "one of %d stops the loop: no other body is begun", WORKERS);
    l.begun = calls = 0;
    memset((void *)l.count, 0, sizeof l.count);
    good = tweed_parallel_for_with(pool, &o, 0, 100, outer, &l) == TWEED_OK &&
           all.ran == 100 && l.begun == 0 && calls >= 100;
    for (int k = 0; k < 100; k++)
        good &= l.count[k] == 1;
    ok(good, "inner loops are stopped, and the outer one is not");
    ok(tweed_parallel_stop() == TWEED_EINVAL, "outside of bodies there is no loop");
    tweed_pool_destroy(pool);
}

/* ---- tasks are no bodies ---- */

static atomic_int refusals, tasks;

static int stop_task(void *arg)
{
    (void)arg;
    tasks++;
    refusals += tweed_parallel_stop() == TWEED_EINVAL;
    return 0;
}

TWEED_TASK(int, stop_tree, int, depth)
{
    int below;

    (void)stop_task(NULL);
    if (depth == 0)
        return 1;
    TWEED_SPAWN(stop_tree, depth - 1);
    below = TWEED_CALL(stop_tree, depth - 1);
    (void)stop_task(NULL); /* after the call, and after the join */
    below += TWEED_SYNC(stop_tree);
    (void)stop_task(NULL);
    return below;
}

/* A body that has tasks executed, most of them by its own thread. */
static void tasks_in_body(int64_t i, void *arg)
{
    tweed_group g = TWEED_GROUP_INIT;

    (void)i;
    g.pool = arg;
    for (int k = 0; k < 10; k++)
        must(tweed_group_spawn(&g, stop_task, NULL));
    must(tweed_group_sync(&g));
    must(tweed_pool_submit(arg, stop_task, NULL));
    (void)TWEED_RUN_ON(arg, stop_tree, 3);
}

/* Fails if tweed_parallel_stop() forgets tasks of groups and submitted ones, TWEED__JOBS,
   or those of TWEED_TASK, TWEED__TASKS. */
static void from_tasks(tweed_pool *pool, const char *what)
{
    tweed_outcome all = TWEED_OUTCOME_INIT;
    tweed_loop_options o = { .size = sizeof o, .outcome = &all };
    int good;

    tasks = refusals = 0;
    tasks_in_body(0, pool); /* in no body */
    good = tweed_pool_drain(pool) == TWEED_OK && tasks == 10 + 1 + 29;
    good &= tweed_parallel_for_with(pool, &o, 0, 100, tasks_in_body, pool) == TWEED_OK &&
            all.ran == 100;
    good &= tweed_pool_drain(pool) == TWEED_OK && tasks == 101 * (10 + 1 + 29);
    ok(good && refusals == tasks, "%s: tasks of any sort are no bodies", what);
}

/* ---- the option, and arguments ---- */

static void refused(tweed_loop_options o, tweed_outcome *all, const char *what)
{
    static struct loop l;

    l.fail_at = N;
    ok(run(&l, NULL, &o, N, 0, all) == TWEED_EINVAL && l.begun == 0 &&
           run(&l, NULL, &o, N, 1, all) == TWEED_EINVAL && l.begun == 0,
       "%s", what);
}

static void arguments(void)
{
    static struct loop l;
    tweed_outcome bad = { .ran = 77 }, all = TWEED_OUTCOME_INIT;
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    refused(o, &bad, "an outcome without its size");
    l.begun = 0;
    ok(braces(0, N, &l, &bad) == TWEED_EINVAL && l.begun == 0 &&
           tweed_parallel_try(0, N, pointer, &l, &bad) == TWEED_EINVAL && l.begun == 0,
       "the same of a call without options");
    ok(bad.ran == 77, "... and it is left alone");
    o.timeout_ns = -1;
    refused(o, NULL, "a time that is negative");
    ok(tweed_parallel_try(0, 9, NULL, NULL, NULL) == TWEED_EINVAL, "no body");
    l.lo = 0;
    l.fail_at = 5;
    memset((void *)l.count, 0, sizeof l.count);
    ok(braces(0, N, &l, &all) == TWEED_ESTOPPED && is_counted(&l, &all) &&
           all.index >= 5 && all.code == all.index - N,
       "a call without options has it too");
    ok(tweed_parallel_try(0, 0, pointer, &l, &all) == TWEED_OK && all.ran == 0 &&
           all.index == 0 && all.code == 0,
       "no indices");
    ok(braces(0, 5, &l, NULL) == TWEED_OK && braces(0, 6, &l, NULL) == TWEED_ESTOPPED,
       "the code alone");
}

/* ---- two at the same time ---- */

static atomic_int in_bodies;

static void stop_together(int64_t i, void *arg)
{
    (void)i, (void)arg;
    in_bodies++;
    while (in_bodies < 2)
        sched_yield();
    (void)tweed_parallel_stop();
}

static void two_stop(tweed_pool *two)
{
    tweed_outcome all = TWEED_OUTCOME_INIT;
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    int good = 1;

    o.outcome = &all;
    for (int k = 0; k < 200 && good; k++) {
        in_bodies = 0;
        good = tweed_parallel_for_with(two, &o, 0, 1000, stop_together, NULL) ==
                   TWEED_ESTOPPED &&
               in_bodies == 2 && all.ran == 2;
    }
    ok(good, "two bodies stop the loop at the same time: neither worker goes on");
}

int main(void)
{
    static const int fences[] = { TWEED_FENCE_MEMBARRIER, TWEED_FENCE_EXCHANGE };
    static const char *const modes[] = { "membarrier", "exchange" };
    tweed_pool *one = pool_of(1), *two = pool_of(2);

    plan(2 * (3 * 2 + 2) + 2 * 5 + 3 + 2 + 9);
    watchdog();
    for (int f = 0; f < 2; f++) {
        for (int workers = 1; workers <= WORKERS; workers += 1 + 5 * (workers / 2))
            one_by_one(workers, fences[f], modes[f]);
        all_at_once(fences[f], modes[f]);
        no_more(fences[f], modes[f]);
    }
    from_bodies(one, 0, "a pool of one");
    from_bodies(two, 1, "a loop for one");
    two_stop(two);
    from_many();
    from_tasks(one, "a pool of one");
    from_tasks(two, "a pool of two");
    arguments();
    tweed_pool_destroy(one);
    tweed_pool_destroy(two);
    return done_testing();
}

/*
 * traced.c - tasks in a trace, and what the loops of each name took.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "helped.h"
#include "trace-file.h"

static char path[] = "/tmp/tweed-traced.XXXXXX";
static struct trace_file t;

static void begin(void)
{
    must(tweed_trace_start(NULL));
}

static void end(void)
{
    tweed_trace_stop();
    must(tweed_trace_write(path));
    trace_forget(&t);
    if (!trace_read(path, &t))
        bail_out("no file");
}

/* The k-th that lasts, of this category, on a lane (NONE: any) in the file's order. */
static const struct traced *lasting(const char *category, int64_t worker, int k)
{
    for (size_t i = 0; i < t.count; i++)
        if (trace_is(&t.events[i], 'X', category) &&
            (worker == NONE || t.events[i].worker == worker) && k-- == 0)
            return &t.events[i];
    return NULL;
}

static int is_in(const struct traced *a, const struct traced *b)
{
    return a && b && a->tid == b->tid && a->ts >= b->ts &&
           a->ts + a->dur <= b->ts + b->dur;
}

/* All that there is of tasks says so, and has no indices. */
static int all_are_tasks(void)
{
    int good = 1;

    for (size_t i = 0; i < t.count; i++) {
        const struct traced *e = &t.events[i];

        if ((e->ph == 'X' && e->loop != NONE) || trace_is(e, 'i', "steal"))
            good &= e->task && e->lo == NONE && e->hi == NONE && e->ran == NONE &&
                    e->first == NONE && e->n == NONE && e->blocks == NONE;
    }
    return good;
}

/* How many bodies of this name a worker ran that were in no join, or in one. */
static int runs(int64_t worker, const struct traced *join, int in)
{
    const struct traced *e;
    int n = 0;

    for (int k = 0; (e = lasting("run", worker, k)); k++)
        n += strcmp(e->name, "waits") == 0 && is_in(e, join) == in;
    return n;
}

static int stole(int64_t thief, int64_t victim)
{
    int n = 0;

    for (size_t i = 0; i < t.count; i++)
        n += trace_is(&t.events[i], 'i', "steal") && t.events[i].thief == thief &&
             t.events[i].victim == victim && t.events[i].from != NONE;
    return n;
}

static void helped(void)
{
    tweed_pool *pool = pool_of(2, 0);
    const struct traced *root, *join;

    begin();
    run_stolen(pool, 1);
    end();
    root = lasting("loop", NONE, 0);
    join = lasting("join", 0, 0);
    ok(root && strcmp(root->name, "waits") == 0 && root->worker == 0 && !root->cut &&
           !root->open && !lasting("loop", NONE, 1), "TWEED_RUN: a call with its name");
    ok(all_are_tasks(), "nothing of it has indices");
    ok(is_in(join, root) && join->thief == 1 && !lasting("join", 0, 1),
       "a join, and who is waited for");
    ok(runs(0, join, 1) == 1, "what is done in it is a run of its own");
    ok(runs(0, join, 0) == 2, "the caller's is in two parts, before and after");
    ok(runs(1, lasting("join", 1, 0), 0) == (lasting("join", 1, 0) ? 2 : 1),
       "the thief's has the same name");
    ok(stole(1, 0) == 1 && stole(0, 1) == 1 && trace_count(&t, 's', "steal") == 2 &&
           trace_count(&t, 'f', "steal") == 2, "two steals, and their arrows");
    ok(trace_nests(&t) && trace_in_order(&t), "all is in order");
    tweed_pool_destroy(pool);
}

/* ---- loops in tasks, and tasks in these ---- */

static tweed_pool *inner_pool;

TWEED_TASK(int, leaf)
{
    return 1;
}

static void body(int64_t i, void *arg)
{
    if (i == 3)
        *(int *)arg = TWEED_RUN_ON(inner_pool, leaf);
}

TWEED_TASK(int, has_loop)
{
    int got = 0;

    must(tweed_parallel_for_with(inner_pool, NULL, 0, 10, body, &got));
    return got;
}

static void nested(void)
{
    const struct traced *root, *loop, *last;
    int got;

    inner_pool = pool_of(1, 0);
    begin();
    got = TWEED_RUN_ON(inner_pool, has_loop);
    end();
    /* what ends first stands first */
    last = lasting("loop", NONE, 0);
    loop = lasting("loop", NONE, 1);
    root = lasting("loop", NONE, 2);
    ok(got == 1 && root && loop->in == root->loop && last->in == loop->loop &&
           root->in == NONE && root->task && !loop->task && last->task,
       "a loop in a task, and a task in that");
    ok(trace_executed(&t, loop->loop) == 10 && trace_nests(&t), "with its indices");
    tweed_pool_destroy(inner_pool);
}

/* ---- beginning in the midst ---- */

TWEED_TASK(void, begins)
{
    begin();
    atomic_store(&outer_begun, 1);
}

/* A caller is in the trace from its next call on, a worker at once. */
TWEED_TASK(void, waits_for_it)
{
    TWEED_SPAWN(begins);
    until(&outer_begun, 1);
    TWEED_SYNC(begins);
}

static void in_the_midst(void)
{
    tweed_pool *pool = pool_of(2, 0);
    const struct traced *run;

    atomic_store(&outer_begun, 0);
    TWEED_RUN_ON(pool, waits_for_it);
    end();
    run = lasting("run", NONE, 0);
    ok(run && run->cut && strcmp(run->name, "run") == 0 && trace_nests(&t),
       "a task that ran when the trace began is cut, and has no name");
    tweed_pool_destroy(pool);
}

/* ---- by name ---- */

static void by_name(void)
{
    tweed_pool *pool = pool_of(2, 0);
    tweed_loop_stats row = TWEED_LOOP_STATS_INIT;
    int n;

    tweed_loop_stats_start();
    for (int k = 0; k < 5; k++)
        run_stolen(pool, 1);
    tweed_loop_stats_stop();
    n = tweed_loop_stats_get(&row, 1);
    ok(n == 1 && strcmp(row.name, "waits") == 0 && row.loops == 5 && row.serial == 0 &&
           row.indices == 0, "one name, five calls");
    ok(row.steals == 10 && row.steals_far == 0, "ten steals");
    ok(row.ideal_ns > 0 && row.ideal_ns <= row.time_ns,
       "two workers were in bodies no longer than it took");
    tweed_pool_destroy(pool);
}

int main(void)
{
    plan(14);
    watchdog();
    trace_make(path);
    helped();
    nested();
    in_the_midst();
    by_name();
    unlink(path);
    return done_testing();
}

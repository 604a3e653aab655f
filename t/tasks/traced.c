/*
 * traced.c - tasks in a trace, and what the loops of each name took.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "by-name.h"
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
             t.events[i].victim == victim &&
             (t.events[i].tasks != NONE || t.events[i].from != NONE);
    return n;
}

static void helped(void)
{
    tweed_pool *pool = pool_of(2);
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

    inner_pool = pool_of(1);
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
    tweed_pool *pool = pool_of(2);
    const struct traced *run;

    atomic_store(&outer_begun, 0);
    TWEED_RUN_ON(pool, waits_for_it);
    end();
    run = lasting("run", NONE, 0);
    ok(run && run->cut && strcmp(run->name, "run") == 0 && trace_nests(&t),
       "a task that ran when the trace began is cut, and has no name");
    tweed_pool_destroy(pool);
}

/* ---- groups, and submitted tasks ---- */

#define TASKS 60

static atomic_int executed[2]; /* by worker */

static int note(void *arg)
{
    (void)arg;
    nap_us(200); /* so that both have some */
    atomic_fetch_add(&executed[tweed_worker_index()], 1);
    return 0;
}

static int has_group(void *arg)
{
    tweed_group g = TWEED_GROUP_INIT;

    g.pool = arg;
    for (int i = 0; i < TASKS; i++)
        must(tweed_group_spawn(&g, note, NULL));
    atomic_store(&outer_begun, 1);
    atomic_fetch_add(&executed[tweed_worker_index()], 1);
    return tweed_group_sync(&g);
}

/* How many were executed by a worker; group 0: submitted, NONE: any. */
static int tasks_run(int64_t worker, int64_t group, const char *name)
{
    const struct traced *e;
    int n = 0;

    for (int k = 0; (e = lasting("run", worker, k)); k++)
        n += e->task && e->loop == NONE && (group == NONE || e->group == group) &&
             strcmp(e->name, name) == 0 && !e->cut && !e->open;
    return n;
}

/* How many of these lie in another. */
static int inside(void)
{
    const struct traced *e, *o;
    int n = 0;

    for (int k = 0; (e = lasting("run", NONE, k)); k++)
        for (int j = 0; (o = lasting("run", NONE, j)); j++)
            n += j != k && e->group == 2 && o->group == 1 && is_in(e, o);
    return n;
}

static int stolen_tasks(int64_t thief)
{
    int sum = 0;

    for (size_t i = 0; i < t.count; i++)
        if (trace_is(&t.events[i], 'i', "steal") && t.events[i].thief == thief &&
            t.events[i].task && t.events[i].victim == !thief)
            sum += (int)t.events[i].tasks;
    return sum;
}

static void grouped(void)
{
    tweed_pool *pool = pool_of(2);
    tweed_group g = TWEED_GROUP_INIT;
    tweed_stats s[2] = { TWEED_STATS_INIT, TWEED_STATS_INIT };
    int good = 1;

    g.pool = pool;
    begin();
    for (int i = 0; i < TASKS; i++)
        must(tweed_pool_submit(pool, note, NULL));
    must(tweed_group_spawn(&g, has_group, pool));
    must(tweed_group_sync(&g));
    must(tweed_pool_drain(pool));
    end();
    ok(tasks_run(NONE, 1, "group task") == 1 && tasks_run(NONE, 2, "group task") == TASKS &&
           tasks_run(NONE, 0, "submitted task") == TASKS,
       "each task of a group, and each submitted one, is a run");
    for (int w = 0; w < 2; w++) {
        must(tweed_stats_get(pool, w, &s[w]));
        good &= tasks_run(w, NONE, "group task") + tasks_run(w, NONE, "submitted task") ==
                atomic_load(&executed[w]);
        good &= stolen_tasks(w) == (int)s[w].tasks_stolen_near;
    }
    ok(good && atomic_load(&executed[0]) + atomic_load(&executed[1]) == 2 * TASKS + 1,
       "by whom, of %d and %d; and how many were stolen", atomic_load(&executed[0]),
       atomic_load(&executed[1]));
    ok(inside() > 0 && trace_nests(&t), "what helps is inside of the task that waits");
    tweed_pool_close(pool);
    tweed_pool_destroy(pool);
}

/* The k-th call that submits. */
static const struct traced *submission(int k)
{
    for (size_t i = 0; i < t.count; i++)
        if (trace_is(&t.events[i], 'i', "submit") && k-- == 0)
            return &t.events[i];
    return NULL;
}

/* Does no task begin before this time? */
static int all_later(int64_t ts)
{
    const struct traced *e;
    int good = 1;

    for (int k = 0; (e = lasting("run", NONE, k)); k++)
        good &= e->ts >= ts;
    return good;
}

static int submits_one(void *pool)
{
    must(tweed_pool_submit(pool, note, NULL));
    return 0;
}

/* By a thread from outside, and by a worker: this one has waited for its task. */
static void submissions(void)
{
    tweed_pool *pool = pool_of(1);
    void *args[TASKS] = { NULL };
    const struct traced *first, *second, *third;

    begin();
    must(tweed_pool_submit_batch(pool, note, args, TASKS));
    must(tweed_pool_submit(pool, note, NULL));
    must(tweed_pool_drain(pool));
    must(tweed_pool_submit(pool, submits_one, pool));
    must(tweed_pool_drain(pool));
    end();
    first = submission(0);
    second = submission(1);
    third = submission(2);
    ok(first && first->tasks == TASKS && first->queued == 0 && first->task &&
           first->pid == 1 && all_later(first->ts),
       "a call that submits is on its thread's lane, before its tasks");
    ok(second && second->tasks == 1 && second->queued <= TASKS && second->tid == first->tid &&
           third && third->queued == 0 && third->tasks == 1 && submission(3) &&
           !submission(4),
       "each of the others, with what is in the queue; a task's, too");
    ok(tasks_run(NONE, 0, "submitted task") == TASKS + 3, "all are executed");
    tweed_pool_close(pool);
    tweed_pool_destroy(pool);
}

static int all_stolen(tweed_pool *pool, int thief)
{
    tweed_stats s = TWEED_STATS_INIT;

    must(tweed_stats_get(pool, thief, &s));
    return s.tasks_stolen_near > 1 && stolen_tasks(thief) == (int)s.tasks_stolen_near;
}

/* All lie in one deque: in that of worker 1, and the caller, which is in no task, steals one
   at a time; and in the caller's, which waits, and worker 1 steals some at a time. */
static void stolen_together(void)
{
    tweed_pool *pool = pool_of(2);
    tweed_group g = TWEED_GROUP_INIT;
    int before;

    g.pool = pool;
    atomic_store(&outer_begun, 0);
    begin();
    must(tweed_group_spawn(&g, has_group, pool));
    until(&outer_begun, 1);
    must(tweed_group_sync(&g));
    end();
    ok(all_stolen(pool, 0), "the caller's thefts");
    tweed_pool_destroy(pool);
    g.pool = pool = pool_of(2);
    before = atomic_load(&executed[1]);
    begin();
    for (int i = 0; i < 2 * TASKS; i++)
        must(tweed_group_spawn(&g, note, NULL));
    until(&executed[1], before + TASKS / 2);
    must(tweed_group_sync(&g));
    end();
    ok(all_stolen(pool, 1) && stole(1, 0) < stolen_tasks(1),
       "thefts of several tasks: %d of %d", stole(1, 0), stolen_tasks(1));
    tweed_pool_destroy(pool);
}

/* ---- by name ---- */

static void by_name(void)
{
    tweed_pool *pool = pool_of(2);
    tweed_loop_stats row = TWEED_LOOP_STATS_INIT;
    int n;

    count_by_name();
    for (int k = 0; k < 5; k++)
        run_stolen(pool, 1);
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
    plan(22);
    watchdog();
    trace_make(path);
    helped();
    nested();
    in_the_midst();
    grouped();
    submissions();
    stolen_together();
    by_name();
    unlink(path);
    return done_testing();
}

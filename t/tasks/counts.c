/*
 * counts.c - what tasks show of themselves in the counters, and in TWEED_STATS' table.
 *
 * SPDX-License-Identifier: MIT
 */
#include "helped.h"
#include "rerun.h"

static tweed_stats of(tweed_pool *pool, int worker)
{
    tweed_stats s = TWEED_STATS_INIT;

    must(tweed_stats_get(pool, worker, &s));
    return s;
}

/* ---- stolen, and helped with ---- */

static int stolen(const tweed_stats *s, uint64_t near, uint64_t far)
{
    return s->tasks_stolen_near == near && s->tasks_stolen_far == far &&
           s->steals_near == 0 && s->steals_far == 0;
}

static void test_steals(void)
{
    tweed_pool *pool = pool_of(2);
    tweed_stats s[2];

    run_stolen(pool, 0);
    s[0] = of(pool, 0);
    s[1] = of(pool, 1);
    ok(stolen(&s[0], 0, 0) && stolen(&s[1], 1, 0), "a task that was stolen is no range");
    ok(s[0].roots == 1 && s[1].roots == 0 && s[0].loops == 0 && s[0].serial == 0 &&
           s[0].indices == 0, "what has started it is no loop");
    ok(s[0].tasks_helped == 0 && s[1].tasks_helped == 0, "nobody has helped");
    run_stolen(pool, 1);
    s[0] = of(pool, 0);
    s[1] = of(pool, 1);
    ok(stolen(&s[0], 1, 0) && stolen(&s[1], 2, 0) && s[0].tasks_helped == 1 &&
           s[1].tasks_helped == 0, "a join that has helped");
    ok(s[0].tasks_spawned == 0 && s[0].tasks_run == 0 && s[0].tasks_queue == 0 &&
           s[0].tasks_at_once == 0 && s[0].tasks_returned == 0,
       "there was no group, and no lack of memory");
    tweed_pool_destroy(pool);
}

/* ---- more calls in one another than there is room for in a pool ---- */

static tweed_pool *nested_on;

TWEED_TASK(int, nested, int, n)
{
    return n ? TWEED_RUN_ON(nested_on, nested, n - 1) + 1 : 1;
}

static void roots(void)
{
    nested_on = pool_of(2);
    ok(TWEED_RUN_ON(nested_on, nested, 99) == 100 && of(nested_on, 0).roots == 100 &&
           of(nested_on, -1).loops == 0, "a hundred in one another");
    tweed_pool_destroy(nested_on);
}

/* ---- groups, and submitted tasks ---- */

static int nothing(void *arg)
{
    (void)arg;
    return 0;
}

/* Fails if a batch counts as one task, or as none. */
static void batches(void)
{
    tweed_pool *pool = pool_of(1);
    void *args[100] = { NULL };
    tweed_stats s;

    must(tweed_pool_submit_batch(pool, nothing, args, 100));
    ok(of(pool, -1).tasks_spawned == 100, "a batch counts as its tasks");
    must(tweed_pool_submit(pool, nothing, NULL));
    must(tweed_pool_submit_batch(pool, nothing, NULL, 0));
    must(tweed_pool_drain(pool));
    s = of(pool, -1);
    ok(s.tasks_spawned == 101 && s.tasks_run == 101 && s.tasks_queue >= 101,
       "and all are executed, from the submission queue");
    tweed_pool_destroy(pool);
}

#define CALLERS 4
#define ROUNDS 100

static void *spawn_and_sync(void *pool)
{
    for (int k = 0; k < ROUNDS; k++) {
        tweed_group g = TWEED_GROUP_INIT;

        g.pool = pool;
        for (int i = 0; i < 5; i++)
            must(tweed_group_spawn(&g, nothing, NULL));
        must(tweed_group_sync(&g));
    }
    return NULL;
}

static int counted(tweed_pool *pool, uint64_t tasks)
{
    tweed_stats s = of(pool, -1), first = of(pool, 0);

    if (s.tasks_spawned != tasks || s.tasks_run != tasks)
        diag("%d spawned, %d run, %d are right", (int)s.tasks_spawned, (int)s.tasks_run,
             (int)tasks);
    return s.tasks_spawned == tasks && s.tasks_run == tasks &&
           first.tasks_spawned == tasks; /* which callers count on worker 0 */
}

/* Fails if what callers count while they execute tasks is not added up. */
static void guests(int workers)
{
    tweed_pool *pool = pool_of(workers);
    pthread_t threads[CALLERS];
    int alone;

    (void)spawn_and_sync(pool);
    alone = counted(pool, 5 * ROUNDS);
    for (int k = 0; k < CALLERS; k++)
        must(pthread_create(&threads[k], NULL, spawn_and_sync, pool));
    for (int k = 0; k < CALLERS; k++)
        pthread_join(threads[k], NULL);
    ok(alone && counted(pool, (CALLERS + 1) * 5 * ROUNDS),
       "%d workers: what callers from outside spawn and execute is counted", workers);
    tweed_pool_destroy(pool);
}

/* ---- in programs of their own ---- */

static void one_loop(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
}

static atomic_int held;

static int holds(void *arg)
{
    (void)arg;
    atomic_store(&held, 1);
    for (;;)
        pause();
    return 0;
}

static int does_nothing(void *arg)
{
    (void)arg;
    return 0;
}

/* Leaves main() while a worker is in a submitted task, and nobody has begun with others. */
static int leave_undone(void)
{
    static tweed_group g = TWEED_GROUP_INIT;

    must(tweed_pool_submit(NULL, holds, NULL));
    while (!atomic_load(&held))
        nap_us(200);
    for (int i = 0; i < 10; i++)
        must(tweed_pool_submit(NULL, does_nothing, NULL));
    for (int i = 0; i < 3; i++)
        must(tweed_group_spawn(&g, does_nothing, NULL));
    return 0;
}

static int role(const char *what)
{
    tweed_stats s;

    if (*what == 'u')
        return leave_undone();

    if (*what == 'l')
        return tweed_parallel_for(0, 100, one_loop, NULL);
    run_stolen(NULL, 1);
    s = of(NULL, 0);
    return *what == 'f' ? !stolen(&s, 0, 1) : !stolen(&s, 1, 0);
}

/* A row of the second table: the worker, its roots, and its tasks stolen and helped with. */
static int has_row(const char *text, const char *worker, const char *figures)
{
    char expected[200];

    snprintf(expected, sizeof expected, "\n  %6s %s\n", worker, figures);
    if (strstr(text, expected))
        return 1;
    diag("no '%s %s' in:\n%s", worker, figures, text);
    return 0;
}

static void tables(void)
{
    static const char *const near[] = { "TWEED_STATS=1", "TWEED_NUM_WORKERS=2", NULL };
    static const char *const far[] = { "TWEED_TOPOLOGY=nodes:2,cpus:1",
                                       "TWEED_NUM_WORKERS=2", NULL };
    static const char *const without[] = { "TWEED_NUM_WORKERS=2", NULL };
    struct rerun c;
    int titles = 1;

    rerun(&c, "far", far, NULL, NULL);
    ok(rerun_was_quiet(&c), "tasks stolen from another node");
    rerun(&c, "near", near, NULL, NULL);
#define TITLE(name, title, meaning) titles &= strstr(c.err, title) != NULL;
    TWEED_STATS_FIELDS_(TITLE)
#undef TITLE
    ok(rerun_exited(&c, 0) && titles, "TWEED_STATS=1: every counter");
    ok(strstr(c.err, "\n  tasks\n") &&
           has_row(c.err, "0", "        1         0         0           1          0 "
                               "        0         1          0         0") &&
           has_row(c.err, "1", "        0         0         0           1          0 "
                               "        0         0          0         0") &&
           has_row(c.err, "all", "        1         0         0           2          0 "
                                 "        0         1          0         0"),
       "a table of tasks");
    rerun(&c, "loop", near, NULL, NULL);
    ok(rerun_exited(&c, 0) && strstr(c.err, "tweed: pool tweed, ") &&
           !strstr(c.err, "tasks") && !strstr(c.err, "stolen"),
       "there is none where there were no tasks");
    ok(!strstr(c.err, "undone"), "nothing is undone then");
    rerun(&c, "undone", near, NULL, NULL);
    if (!ok(rerun_exited(&c, 0) &&
                strstr(c.err, "\ntweed: pool tweed, undone at exit: 11 submitted tasks, 3 tasks "
                              "of groups; 13 of these were not begun\n"),
            "what is left undone at exit"))
        rerun_show(&c);
    rerun(&c, "undone", without, NULL, NULL);
    ok(rerun_was_quiet(&c), "without TWEED_STATS no word is about it");
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return role(argv[1]);
    plan(17);
    watchdog();
    test_steals();
    roots();
    batches();
    guests(1);
    guests(3);
    tables();
    return done_testing();
}

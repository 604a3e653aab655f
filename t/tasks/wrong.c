/*
 * wrong.c - a program that is compiled with checks, and syncs what it has not spawned last,
 * or leaves a task: it is told so, by name.
 *
 * SPDX-License-Identifier: MIT
 */
#undef TWEED_DEBUG
#define TWEED_DEBUG 1
#include "child.h"
#include "tap.h"

#include <tweed.h>

TWEED_TASK(int, twice, int, x)
{
    return 2 * x;
}

TWEED_TASK(double, half, double, x)
{
    return x / 2;
}

TWEED_TASK(int, other)
{
    TWEED_SPAWN(twice, 1);
    TWEED_SPAWN(half, 1);
    return TWEED_SYNC(twice) + (int)TWEED_SYNC(half);
}

TWEED_TASK(int, one_too_many)
{
    TWEED_SPAWN(twice, 1);
    return TWEED_SYNC(twice) + TWEED_SYNC(twice);
}

TWEED_TASK(int, with_none)
{
    return TWEED_SYNC(twice);
}

/* What its callers have spawned is not its own. */
TWEED_TASK(int, of_the_caller)
{
    int x;

    TWEED_SPAWN(twice, 1);
    x = TWEED_CALL(with_none);
    return x + TWEED_SYNC(twice);
}

TWEED_TASK(int, of_who_syncs)
{
    int x;

    TWEED_SPAWN(twice, 1);
    TWEED_SPAWN(with_none);
    x = TWEED_SYNC(with_none);
    return x + TWEED_SYNC(twice);
}

TWEED_TASK(int, leaves)
{
    TWEED_SPAWN(twice, 1);
    return 1;
}

/* In the opposite order, and where others steal. */
TWEED_TASK(int, right, int, depth)
{
    double h;
    int sum;

    if (depth == 0)
        return 1;
    TWEED_SPAWN(right, depth - 1);
    TWEED_SPAWN(half, 3);
    TWEED_SPAWN(twice, depth);
    sum = TWEED_CALL(right, depth - 1);
    sum += TWEED_SYNC(twice) - 2 * depth;
    h = TWEED_SYNC(half);
    return sum + TWEED_SYNC(right) + (h < 1.4 || h > 1.6);
}

static int run_other(void *arg)
{
    (void)arg;
    return TWEED_RUN(other);
}

static int run_one_too_many(void *arg)
{
    (void)arg;
    return TWEED_RUN(one_too_many);
}

static int run_of_the_caller(void *arg)
{
    (void)arg;
    return TWEED_RUN(of_the_caller);
}

static int run_of_who_syncs(void *arg)
{
    (void)arg;
    return TWEED_RUN(of_who_syncs);
}

static int run_leaves(void *arg)
{
    (void)arg;
    return TWEED_RUN(leaves);
}

static void dies(int (*fn)(void *), const char *line, const char *what)
{
    char text[400];
    int status = child_run_text(fn, NULL, text, sizeof text);
    char *qemus = strstr(text, "qemu: uncaught target signal");
    int same;

    if (under_qemu() && qemus)
        *qemus = '\0';
    same = strcmp(text, line) == 0;
    ok(child_killed(status, SIGABRT) && same, "%s", what);
    if (!same)
        diag("%s", text);
}

int main(void)
{
    const char *none = "tweed: TWEED_SYNC(twice): no task is left that the caller has "
                       "spawned\n";
    tweed_pool_options four = { .size = sizeof four, .num_workers = 4 };
    tweed_pool *pool = NULL;

    plan(6);
    watchdog();
    setenv("TWEED_NUM_WORKERS", "1", 1);
    dies(run_other, "tweed: TWEED_SYNC(twice): the task that was spawned last is another "
                    "one\n",
         "another task than was spawned last");
    dies(run_one_too_many, none, "one too many");
    dies(run_of_the_caller, none, "the caller's");
    dies(run_of_who_syncs, none, "that of the task in whose sync it runs");
    dies(run_leaves, "tweed: in TWEED_RUN(leaves) a task has returned and left a task that "
                     "it had spawned without TWEED_SYNC()\n",
         "a task that is left");
    must(tweed_pool_create(&pool, &four));
    ok(TWEED_RUN_ON(pool, right, 12) == 1 << 12, "a program that is right, among thieves");
    must(tweed_pool_destroy(pool));
    return done_testing();
}

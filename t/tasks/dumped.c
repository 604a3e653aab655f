/*
 * dumped.c - what tweed_pool_dump() says of tasks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "helped.h"
#include "pool/pool.h"
#include "unserved.h"

#include <string.h>

static tweed_pool *pool;
static char text[16384];

static void dump(void)
{
    FILE *f = tmpfile();
    size_t n;

    if (!f)
        bail_out("no temporary file");
    must(tweed_pool_dump(pool, fileno(f)));
    rewind(f);
    n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    fclose(f);
}

static int says(const char *what)
{
    if (strstr(text, what))
        return 1;
    diag("no '%s' in:\n%s", what, text);
    return 0;
}

/* ---- what is spawned ---- */

TWEED_TASK(void, spawns)
{
    for (int i = 0; i < 3; i++)
        TWEED_SPAWN(inner);
    dump();
    for (int i = 0; i < 3; i++)
        TWEED_SYNC(inner);
}

/* All workers are in the bodies of a loop: nobody steals. */
static void spawned(int fence, const char *mode)
{
    struct occupier occupier;
    const char *expected;

    pool = pool_fenced(3, fence);
    expected = tweed__pool_team(pool)->asymmetric
                   ? "    worker 0: 0 stolen, 1 public, 2 private\n"
                   : "    worker 0: 0 stolen, 3 public, 0 private\n";
    occupy(&occupier, pool);
    TWEED_RUN_ON(pool, spawns);
    ok(says(": 3 workers, 1 loops, 1 tasks\n") && says("  task spawns in slot ") &&
           says(": started by worker 0\n"), "%s: it names the task", mode);
    ok(says(expected) && says("    worker 2: 0 stolen, 0 public, 0 private\n"),
       "and what lies in the deques");
    occupier_end(&occupier);
    tweed_pool_destroy(pool);
}

/* ---- who waits ---- */

static atomic_int looking;
static int seen;

/* Until the one that waits for this is in its join; a watchdog ends what never is. */
TWEED_TASK(void, looks)
{
    atomic_store(&looking, 1);
    do
        dump();
    while (!strstr(text, ", in a join"));
    seen = says("    worker 0: 1 stolen, 0 public, 0 private, in a join with worker 1\n") &&
           says("    worker 1 (inside): 0 stolen, 0 public, 0 private\n");
}

TWEED_TASK(void, joins)
{
    TWEED_SPAWN(looks);
    until(&looking, 1);
    TWEED_SYNC(looks);
    dump();
}

static void joined(void)
{
    pool = pool_of(2);
    TWEED_RUN_ON(pool, joins);
    ok(seen, "a join, and with whom");
    ok(says("    worker 0: 0 stolen, 0 public, 0 private\n"),
       "when it is over nobody is in one");
    tweed_pool_destroy(pool);
}

/* ---- groups, and submitted tasks ---- */

static int nothing(void *arg)
{
    (void)arg;
    return 0;
}

/* How many tasks lie somewhere, by the dump's lines. */
static int lie(void)
{
    int sum = 0, n;

    for (const char *line = text; *line; line = strchr(line, '\n') + 1)
        if (sscanf(line, "    worker %*d: %d tasks\n", &n) == 1 ||
            sscanf(line, "    submission queue: %d tasks\n", &n) == 1)
            sum += n;
    return sum;
}

/* A loop of all workers goes on: nobody executes any. */
static void waiting(void)
{
    tweed_group g = TWEED_GROUP_INIT;
    struct occupier occupier;

    g.pool = pool = pool_of(3);
    occupy(&occupier, pool);
    for (int i = 0; i < 3; i++)
        must(tweed_group_spawn(&g, nothing, NULL));
    for (int i = 0; i < 2; i++)
        must(tweed_pool_submit(pool, nothing, NULL));
    dump();
    ok(says("\n  submitted: 2 tasks in flight\n") && says("\n  group 1: 3 tasks in flight\n") &&
           lie() == 5, "a group's tasks, and submitted ones, that nobody has begun");
    occupier_end(&occupier);
    must(tweed_group_sync(&g));
    must(tweed_pool_drain(pool));
    dump();
    ok(!strstr(text, "group") && !strstr(text, "submitted") && lie() == 0,
       "when they are over there are none");
    must(tweed_pool_close(pool));
    tweed_pool_destroy(pool);
}

static int fails(void *arg)
{
    (void)arg;
    return -7;
}

static atomic_int failed;

/* In a pool of one worker: all in its caller, the last first. */
static int in_a_group(void *arg)
{
    tweed_group g = TWEED_GROUP_INIT;

    g.pool = arg;
    must(tweed_group_spawn(&g, nothing, NULL));
    dump();
    atomic_store(&failed, says("\n  group 2: 1 tasks in flight, inside group 1\n") &&
                              says("\n  group 1: 2 tasks in flight, one has returned -7\n") &&
                              lie() == 1);
    return tweed_group_sync(&g);
}

static atomic_int dumped;

static int until_dumped(void *arg)
{
    (void)arg;
    until(&dumped, 1);
    return 0;
}

static void in_a_body(int64_t i, void *arg)
{
    tweed_group g = TWEED_GROUP_INIT;

    if (i > 0)
        return;
    g.pool = arg;
    must(tweed_group_spawn(&g, until_dumped, NULL));
    dump();
    atomic_store(&dumped, 1);
    must(tweed_group_sync(&g));
}

static void nested(void)
{
    tweed_group g = TWEED_GROUP_INIT;
    tweed_pool *two;

    g.pool = pool = pool_of(1);
    must(tweed_group_spawn(&g, in_a_group, pool));
    must(tweed_group_spawn(&g, fails, NULL));
    ok(tweed_group_sync(&g) == -7 && atomic_load(&failed),
       "a group in a task of another, of which one has failed");
    tweed_pool_destroy(pool);
    pool = two = pool_of(2);
    must(tweed_parallel_for_with(two, NULL, 0, 2, in_a_body, two));
    ok(says("\n  group 1: 1 tasks in flight, inside slot "), "a group in a body of a loop");
    tweed_pool_destroy(two);
}

/* Until its caller sleeps; a watchdog ends what never is. */
static int until_asleep(void *arg)
{
    (void)arg;
    atomic_store(&looking, 1);
    do
        dump();
    while (!strstr(text, "\n  group 1: 1 tasks in flight, waited for\n"));
    return 0;
}

static void asleep(void)
{
    tweed_group g = TWEED_GROUP_INIT;

    g.pool = pool = pool_of(2);
    atomic_store(&looking, 0);
    must(tweed_group_spawn(&g, until_asleep, NULL));
    until(&looking, 1);
    must(tweed_group_sync(&g));
    ok(1, "who waits for a group, and sleeps");
    tweed_pool_destroy(pool);
}

static void closed(void)
{
    struct occupier occupier;

    pool = pool_of(2);
    occupy(&occupier, pool);
    must(tweed_pool_submit(pool, nothing, NULL));
    must(tweed_pool_close(pool));
    dump();
    ok(says("\n  submitted: 1 tasks in flight, closed\n") && !strstr(text, "thread for tasks"),
       "a pool that is closed");
    occupier_end(&occupier);
    must(tweed_pool_drain(pool));
    tweed_pool_destroy(pool);
}

static int until_let(void *let)
{
    until((atomic_int *)let, 1);
    return 0;
}

/* A pool of one worker: is there a thread? */
static bool says_thread(bool is_served, const char *line)
{
    atomic_int let = 0;
    bool good;

    pool = is_served ? pool_of(1) : unserved(pool_of(1));
    must(tweed_pool_submit(pool, until_let, &let));
    dump();
    good = says(line);
    atomic_store(&let, 1);
    must(tweed_pool_drain(pool));
    tweed_pool_destroy(pool);
    return good;
}

int main(void)
{
    plan(6 + 7);
    watchdog();
    spawned(TWEED_FENCE_MEMBARRIER, "membarrier");
    spawned(TWEED_FENCE_EXCHANGE, "exchange");
    joined();
    waiting();
    nested();
    asleep();
    closed();
    ok(says_thread(true, "\n    thread for tasks: yes\n") &&
           says_thread(false, "\n    thread for tasks: no\n"),
       "whether a pool of one worker has a thread");
    return done_testing();
}

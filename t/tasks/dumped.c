/*
 * dumped.c - what tweed_pool_dump() says of tasks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "helped.h"
#include "pool.h"

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

    pool = pool_of(3, fence);
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
    pool = pool_of(2, 0);
    TWEED_RUN_ON(pool, joins);
    ok(seen, "a join, and with whom");
    ok(says("    worker 0: 0 stolen, 0 public, 0 private\n"),
       "when it is over nobody is in one");
    tweed_pool_destroy(pool);
}

int main(void)
{
    plan(6);
    watchdog();
    spawned(TWEED_FENCE_MEMBARRIER, "membarrier");
    spawned(TWEED_FENCE_EXCHANGE, "exchange");
    joined();
    return done_testing();
}

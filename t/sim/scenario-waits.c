/*
 * scenario-waits.c - scenarios in which a thread that waits helps with other work.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "scenario.h"

static struct {
    tweed_pool *pool;
    int met, begun, synced, job;
    tweed_group *group;
} now;

/* Two and two begin at the same time. */
static int meet_in_pairs(void *unused)
{
    int me = now.met + 1;

    (void)unused;
    arrive(&now.met);
    until(&now.met, me + me % 2);
    return 0;
}

#define PAIRS 3

static void pairs_in_group(void)
{
    tweed_group g = { .pool = now.pool };

    for (int k = 0; k < 2 * PAIRS; k++)
        if (tweed_group_spawn(&g, meet_in_pairs, NULL) != TWEED_OK)
            chance_failed("no task");
    if (tweed_group_sync(&g) != TWEED_OK)
        chance_failed("no sync");
}

TWEED_TASK(void, begun_task)
{
    arrive(&now.begun);
}

/* Each is begun by another thread before the next is spawned. */
TWEED_TASK(void, one_by_one)
{
    for (int k = 1; k <= PAIRS; k++) {
        TWEED_SPAWN(begun_task);
        until(&now.begun, k);
        TWEED_SYNC(begun_task);
    }
}

static void pairs_in_loop(int64_t i, void *unused)
{
    (void)i, (void)unused;
    (void)meet_in_pairs(NULL);
}

/* What one thread starts, and another one has to help with. */
static void start_inner(void)
{
    int how = between(0, 2);
    tweed_loop_options o = { .size = sizeof o, .grain = 1 };

    if (how == 0)
        pairs_in_group();
    else if (how == 1)
        TWEED_RUN_ON(now.pool, one_by_one);
    else if (tweed_parallel_for_with(now.pool, &o, 0, 2, pairs_in_loop, NULL) != TWEED_OK)
        chance_failed("no loop");
}

static void one_starts(int64_t i, void *unused)
{
    (void)unused;
    if (i == 0)
        start_inner();
}

static int task_starts(void *unused)
{
    (void)unused;
    arrive(&now.job);
    start_inner();
    return 0;
}

/* Of two workers one starts something, and the other one waits for that: so it helps. */
void helps(void)
{
    tweed_loop_options o = { .size = sizeof o, .grain = 1 };
    tweed_group g = TWEED_GROUP_INIT;

    memset(&now, 0, sizeof now);
    now.pool = g.pool = pool_of(2, -1);
    if (chance_below(2)) {
        if (tweed_parallel_for_with(now.pool, &o, 0, 2, one_starts, NULL) != TWEED_OK)
            chance_failed("no loop");
    } else if (tweed_group_spawn(&g, task_starts, NULL) != TWEED_OK || tweed_group_sync(&g) != TWEED_OK) {
        chance_failed("no group");
    }
    end_pool(now.pool);
}

static int inner_task(void *unused)
{
    (void)unused;
    arrive(&now.begun);
    return 0;
}

/* Somebody else executes its task, and says so before it is about something else. */
static int syncs_inner(void *unused)
{
    tweed_group f = { .pool = now.pool };

    (void)unused;
    arrive(&now.job);
    if (tweed_group_spawn(&f, inner_task, NULL) != TWEED_OK)
        chance_failed("no inner task");
    until(&now.begun, 1);
    if (tweed_group_sync(&f) != TWEED_OK)
        chance_failed("no inner sync");
    arrive(&now.synced);
    return 0;
}

static void waits_for_inner(int64_t i, void *unused)
{
    (void)i, (void)unused;
    until(&now.synced, 1);
}

static int loop_beside(void *unused)
{
    tweed_loop_options o = { .size = sizeof o, .grain = 1 };

    (void)unused;
    until(&now.begun, 1);
    if (tweed_parallel_for_with(now.pool, &o, 0, 2, waits_for_inner, NULL) != TWEED_OK)
        chance_failed("no loop");
    return 0;
}

/* A group in a task, and a loop beside it, of which the outer group's waiter has a part. */
void owed(void)
{
    tweed_group g = TWEED_GROUP_INIT;

    memset(&now, 0, sizeof now);
    now.pool = g.pool = pool_of(3, -1);
    if (tweed_group_spawn(&g, syncs_inner, NULL) != TWEED_OK)
        chance_failed("no task");
    until(&now.job, 1);
    if (tweed_group_spawn(&g, loop_beside, NULL) != TWEED_OK || tweed_group_sync(&g) != TWEED_OK)
        chance_failed("no group");
    end_pool(now.pool);
}

static void waits_for_job(int64_t i, void *unused)
{
    (void)i, (void)unused;
    until(&now.begun, 1);
}

/* Who was woken for a job, and finds a loop, leaves the job to somebody else. */
void passed(void)
{
    tweed_loop_options o = { .size = sizeof o, .grain = 1, .max_workers = 2 };

    memset(&now, 0, sizeof now);
    now.pool = pool_of(3, -1);
    chance_be_late(1u << chance_below(10)); /* the workers are asleep by then */
    if (tweed_pool_submit(now.pool, inner_task, NULL) != TWEED_OK ||
        tweed_parallel_for_with(now.pool, &o, 0, 2, waits_for_job, NULL) != TWEED_OK)
        chance_failed("no task, or no loop");
    drain_and_end_pool(now.pool);
}

/*
 * scenario-tasks.c - scenarios of tasks in groups, and of submitted ones.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "scenario.h"

#define MOST_TASKS 64

static struct task {
    tweed_pool *pool;
    tweed_group *in; /* NULL: it is submitted */
    int depth;       /* so many levels below it */
    int begun;
    bool over;
} tasks[MOST_TASKS];
static int tasks_used, tasks_over;

/* NULL: there were enough. */
static struct task *task_new(tweed_pool *pool, tweed_group *in, int depth)
{
    struct task *t = &tasks[tasks_used];

    if (tasks_used == MOST_TASKS)
        return NULL;
    tasks_used++;
    *t = (struct task){ .pool = pool, .in = in, .depth = depth };
    return t;
}

static int run_task(void *arg);

static void spawn_some(tweed_pool *pool, tweed_group *g, int depth)
{
    for (int n = between(1, 3); n > 0; n--) {
        struct task *t = task_new(pool, g, depth);
        int code = t ? tweed_group_spawn(g, run_task, t) : TWEED_OK;

        if (code != TWEED_OK)
            chance_failed("spawning gives %d", code);
    }
}

/* Spawns some into a group of its own, and finds them over when it has synced it. */
static void spawn_and_sync(tweed_pool *pool, int depth)
{
    tweed_group own = { .pool = pool };
    int first = tasks_used, code;

    spawn_some(pool, &own, depth);
    code = tweed_group_sync(&own);
    if (code != TWEED_OK)
        chance_failed("a sync gives %d", code);
    for (int k = first; k < tasks_used; k++)
        if (tasks[k].in == &own && !tasks[k].over)
            chance_failed("task %d is not over when its group is", k);
}

static int run_task(void *arg)
{
    struct task *t = arg;

    if (t->begun++)
        chance_failed("task %d twice", (int)(t - tasks));
    chance_be_late(chance_below(4) ? 0 : 1u << chance_below(8));
    if (t->depth && chance_below(2))
        spawn_and_sync(t->pool, t->depth - 1);
    if (t->depth && t->in && chance_below(2))
        spawn_some(t->pool, t->in, t->depth - 1);
    if (!chance_below(8) && loops_are_left())
        loop_run(loop_new(t->pool, between(2, 6)), false, 1, 0);
    t->over = true;
    tasks_over++;
    return 0;
}

static void *spawn_twice(void *pool)
{
    for (int k = 0; k < 2; k++)
        spawn_and_sync(pool, 2);
    return NULL;
}

void groups(void)
{
    tweed_pool *pool = some_pool(2, 4);
    struct thread *other = chance_below(2) ? machine_spawn(spawn_twice, pool) : NULL;

    spawn_twice(pool);
    if (other)
        machine_join(other);
    if (tasks_over != tasks_used)
        chance_failed("%d of %d tasks are over", tasks_over, tasks_used);
    end_pool(pool);
}

static int accepted;   /* tasks that were submitted */
static bool abandoned; /* some are dropped */

/* One task, somewhere, or several in a batch.  False: the pool is closed. */
static bool submit_some(tweed_pool *pool)
{
    int how = between(0, 2), n = how == 2 ? between(1, 3) : 1, code;
    void *args[3];

    for (int k = 0; k < n; k++) {
        args[k] = task_new(pool, NULL, (int)chance_below(2));
        if (!args[k])
            return false;
    }
    code = how == 2   ? tweed_pool_submit_batch(pool, run_task, args, (size_t)n)
           : how == 1 ? tweed_pool_submit_front(pool, run_task, args[0])
                      : tweed_pool_submit(pool, run_task, args[0]);
    if (code == TWEED_OK)
        accepted += n;
    else if (code != TWEED_ECLOSED)
        chance_failed("submitting gives %d", code);
    return code == TWEED_OK;
}

static void *submit_and_drain(void *pool)
{
    int first = tasks_used, code;
    bool open = true;

    for (int n = between(1, 5); n > 0 && open; n--)
        open = submit_some(pool);
    code = tweed_pool_drain(pool);
    if (code != TWEED_OK)
        chance_failed("draining gives %d", code);
    if (open && !abandoned && first < tasks_used && !tasks[first].over)
        chance_failed("a task is not over when the pool is drained");
    return NULL;
}

static int submitted_over(void)
{
    int over = 0;

    for (int k = 0; k < tasks_used; k++)
        over += !tasks[k].in && tasks[k].over;
    return over;
}

/* All that was accepted is executed, or dropped when the pool is abandoned. */
void submit(void)
{
    tweed_pool *pool = some_pool(2, 4);
    struct thread *other = machine_spawn(submit_and_drain, pool);
    int how = between(0, 2);
    int64_t dropped = 0;

    abandoned = how == 2;
    if (how == 0)
        (void)submit_and_drain(pool);
    else if (how == 1)
        dropped = tweed_pool_close(pool);
    else
        dropped = tweed_pool_abandon(pool);
    machine_join(other);
    if (dropped < 0 || submitted_over() + dropped != accepted)
        chance_failed("of %d accepted tasks %d are over, %d dropped", accepted,
                      submitted_over(), (int)dropped);
    end_pool(pool);
}

void tasks_begin(void)
{
    tasks_used = tasks_over = accepted = 0;
}

/*
 * run.c - the program that is simulated: a loop, tasks, or submitted tasks.
 *
 * SPDX-License-Identifier: MIT
 *
 * One real thread executes all virtual ones, so plain variables will do here.
 */
#include "config.h"

#include "run.h"
#include "cost.h"

#include <stdlib.h>
#include <string.h>

struct run run;

static void execute(int64_t i)
{
    run.count[i]++;
    run.executed++;
    cost_spend(costs.call + run.ns[i]);
}

static int ended(int code)
{
    double now = cost_clock();

    run.end = now > run.end ? now : run.end;
    return code;
}

/* ---- loops ---- */

static void body(int64_t i, void *arg)
{
    (void)arg;
    execute(i);
}

static void range_body(int64_t begin, int64_t end, void *arg)
{
    double sum = costs.call;

    (void)arg;
    for (int64_t i = begin; i < end; i++) {
        run.count[i]++;
        run.executed++;
        sum += run.ns[i];
    }
    cost_spend(sum);
}

static int run_index(tweed_pool *pool)
{
    tweed_loop_options o = { .size = sizeof o, .grain = run.grain };

    return ended(tweed_parallel_for_with(pool, &o, 0, run.n, body, NULL));
}

static int run_range(tweed_pool *pool)
{
    tweed_loop_options o = { .size = sizeof o, .grain = run.grain };

    return ended(tweed_parallel_for_range_with(pool, &o, 0, run.n, range_body, NULL));
}

/* ---- trees ---- */

TWEED_TASK(int64_t, leaves, int64_t, lo, int64_t, hi)
{
    int64_t right;

    if (hi - lo == 1) {
        execute(lo);
        return 1;
    }
    run.spawned++;
    TWEED_SPAWN(leaves, lo, lo + (hi - lo) / 2);
    right = TWEED_CALL(leaves, lo + (hi - lo) / 2, hi);
    return TWEED_SYNC(leaves) + right;
}

static int run_tasks(tweed_pool *pool)
{
    return ended(TWEED_RUN_ON(pool, leaves, 0, run.n) == run.n ? TWEED_OK : TWEED_EINVAL);
}

/* A task's argument: [lo, hi). */
static void *pack(int64_t lo, int64_t hi)
{
    return (void *)(uintptr_t)((uint64_t)lo << 32 | (uint64_t)hi);
}

static int64_t low(const void *arg)
{
    return (int64_t)((uintptr_t)arg >> 32);
}

static int64_t high(const void *arg)
{
    return (int64_t)((uintptr_t)arg & UINT32_MAX);
}

static tweed_pool *where;
static tweed_group whole;

static int spawn(tweed_group *g, tweed_task_fn *fn, int64_t lo, int64_t hi)
{
    run.spawned++;
    return tweed_group_spawn(g, fn, pack(lo, hi));
}

static int halve(void *arg)
{
    int64_t lo = low(arg), hi = high(arg), middle = lo + (hi - lo) / 2;
    tweed_group own = { .pool = where };
    int right, code;

    if (hi - lo == 1) {
        execute(lo);
        return 0;
    }
    code = spawn(&own, halve, lo, middle);
    if (code != TWEED_OK)
        return code;
    right = halve(pack(middle, hi));
    code = tweed_group_sync(&own);
    return code ? code : right;
}

static int run_groups(tweed_pool *pool)
{
    where = pool;
    return ended(halve(pack(0, run.n)));
}

static int split(void *arg)
{
    int64_t lo = low(arg), hi = high(arg);

    for (int code; hi - lo > 1; lo += (hi - lo) / 2) {
        code = spawn(&whole, split, lo, lo + (hi - lo) / 2);
        if (code != TWEED_OK)
            return code;
    }
    execute(lo);
    return 0;
}

static int run_group(tweed_pool *pool)
{
    int code;

    whole = (tweed_group){ .pool = pool };
    code = split(pack(0, run.n));
    return ended(code ? code : tweed_group_sync(&whole));
}

/* ---- from outside ---- */

static void **args; /* of each index: itself */

static int execute_one(void *arg)
{
    execute((int64_t)(uintptr_t)arg);
    return 0;
}

/* A caller, and its part of the indices. */
struct caller {
    tweed_pool *pool;
    int (*submit)(tweed_pool *pool, int64_t lo, int64_t hi);
    struct thread *thread;
    int64_t lo, hi;
    int code;
};

static int submit_each(tweed_pool *pool, int64_t lo, int64_t hi)
{
    for (int code; lo < hi; lo++) {
        code = tweed_pool_submit(pool, execute_one, args[lo]);
        if (code != TWEED_OK)
            return code;
        run.spawned++;
    }
    return TWEED_OK;
}

static int submit_in_front(tweed_pool *pool, int64_t lo, int64_t hi)
{
    for (int code; lo < hi; lo++) {
        code = tweed_pool_submit_front(pool, execute_one, args[lo]);
        if (code != TWEED_OK)
            return code;
        run.spawned++;
    }
    return TWEED_OK;
}

static int submit_batches(tweed_pool *pool, int64_t lo, int64_t hi)
{
    int64_t most = run.grain ? run.grain : hi - lo;

    for (int64_t n; lo < hi; lo += n) {
        int code;

        n = hi - lo < most ? hi - lo : most;
        code = tweed_pool_submit_batch(pool, execute_one, &args[lo], (size_t)n);
        if (code != TWEED_OK)
            return code;
        run.spawned += (uint64_t)n;
    }
    return TWEED_OK;
}

static void *call(void *arg)
{
    struct caller *c = arg;

    c->code = c->submit(c->pool, c->lo, c->hi);
    if (c->code == TWEED_OK)
        c->code = tweed_pool_drain(c->pool);
    (void)ended(0);
    return NULL;
}

#define MOST_CALLERS 8

static struct caller callers[MOST_CALLERS];

/* The first `here` of them are this thread. */
static void start_callers(tweed_pool *pool, int here,
                          int (*submit)(tweed_pool *pool, int64_t lo, int64_t hi))
{
    cost_stop(); /* this is what there was before */
    args = malloc((size_t)run.n * sizeof *args);
    if (!args)
        policy_failed("enough memory", __FILE__, __LINE__);
    for (int64_t i = 0; i < run.n; i++)
        args[i] = (void *)(uintptr_t)i;
    for (int k = 0; k < run.callers; k++)
        callers[k] = (struct caller){ .pool = pool, .submit = submit,
                                      .lo = run.n * k / run.callers,
                                      .hi = run.n * (k + 1) / run.callers };
    for (int k = here; k < run.callers; k++)
        callers[k].thread = machine_spawn(call, &callers[k]);
    cost_go_on();
}

static void join_callers(int here)
{
    for (int k = here; k < run.callers; k++)
        machine_join(callers[k].thread);
    free(args);
}

static int submit_all(tweed_pool *pool,
                      int (*submit)(tweed_pool *pool, int64_t lo, int64_t hi))
{
    start_callers(pool, 1, submit);
    (void)call(&callers[0]);
    join_callers(1);
    for (int k = 0; k < run.callers; k++)
        if (callers[k].code != TWEED_OK)
            return callers[k].code;
    return TWEED_OK;
}

static int run_submit(tweed_pool *pool)
{
    return submit_all(pool, submit_each);
}

static int run_front(tweed_pool *pool)
{
    return submit_all(pool, submit_in_front);
}

static int run_batch(tweed_pool *pool)
{
    return submit_all(pool, submit_batches);
}

/* Each caller was refused what came too late, or has found all its tasks over. */
static int end_early(tweed_pool *pool, bool abandons)
{
    uint64_t executed;
    int64_t code;

    start_callers(pool, 0, submit_each);
    cost_spend(run.close_ns);
    code = abandons ? tweed_pool_abandon(pool) : tweed_pool_close(pool);
    if (abandons && code >= 0)
        run.dropped = (uint64_t)code;
    if (code >= 0)
        code = tweed_pool_drain(pool);
    executed = run.executed;
    (void)ended(0);
    join_callers(0);
    for (int k = 0; k < run.callers; k++)
        if (callers[k].code != TWEED_OK && callers[k].code != TWEED_ECLOSED)
            return callers[k].code;
    if (code == TWEED_OK && executed + run.dropped != run.spawned)
        return TWEED_EBUSY; /* it was not drained */
    return (int)code;
}

static int run_close(tweed_pool *pool)
{
    return end_early(pool, false);
}

static int run_abandon(tweed_pool *pool)
{
    return end_early(pool, true);
}

static const struct program programs[] = {
    { "index", true, false, false, false, run_index },
    { "range", true, false, false, false, run_range },
    { "tasks", false, true, false, false, run_tasks },
    { "groups", false, false, false, false, run_groups },
    { "group", false, false, false, false, run_group },
    { "submit", false, false, true, false, run_submit },
    { "front", false, false, true, false, run_front },
    { "batch", false, false, true, false, run_batch },
    { "close", false, false, true, true, run_close },
    { "abandon", false, false, true, true, run_abandon },
};

const struct program *run_find(const char *name)
{
    for (size_t k = 0; k < sizeof programs / sizeof programs[0]; k++)
        if (strcmp(programs[k].name, name) == 0)
            return &programs[k];
    return NULL;
}

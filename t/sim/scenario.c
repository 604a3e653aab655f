/*
 * scenario.c - loops that count, pools, and meetings, for the scenarios.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "scenario.h"

/* ---- loops that count ---- */

#define MOST_LOOPS 64
#define BEGIN 5 /* the first index of every loop */

static struct loop loops[MOST_LOOPS]; /* each used once a schedule */
static int loops_used;

void loops_begin(void)
{
    loops_used = 0;
}

bool loops_are_left(void)
{
    return loops_used < MOST_LOOPS - 1;
}

struct loop *loop_new(tweed_pool *pool, int n)
{
    struct loop *l = &loops[loops_used++];

    if (loops_used > MOST_LOOPS || n > MOST_INDICES)
        abort();
    memset(l, 0, sizeof *l);
    l->n = n;
    l->pool = pool;
    return l;
}

static void body(int64_t index, void *arg)
{
    struct loop *l = arg;
    int i = (int)index - BEGIN;

    if (!l->open)
        chance_failed("index %d after its loop's end", i);
    if (i < 0 || i >= l->n)
        chance_failed("index %d out of 0 to %d", i, l->n - 1);
    if (l->count[i]++)
        chance_failed("index %d twice", i);
    l->nth[i] = ++l->begun;
    machine_wake(l, INT_MAX, UINT32_MAX); /* see await() */
    chance_be_late(chance_below(4) ? 0 : 1u << chance_below(8));
    if (l->within)
        l->within(l, i);
    if (!l->open)
        chance_failed("loop ended before index %d did", i);
}

static void range_body(int64_t begin, int64_t end, void *arg)
{
    if (begin >= end)
        chance_failed("an empty run");
    for (; begin < end; begin++)
        body(begin, arg);
}

void loop_run(struct loop *l, bool by_range, int grain, int max_workers)
{
    tweed_loop_options o = { .size = sizeof o, .grain = grain,
                             .max_workers = max_workers };
    int64_t end = BEGIN + l->n;
    int code;

    l->open = true;
    code = by_range ? tweed_parallel_for_range_with(l->pool, &o, BEGIN, end,
                                                    range_body, l)
                    : tweed_parallel_for_with(l->pool, &o, BEGIN, end, body, l);
    l->open = false;
    if (code != TWEED_OK)
        chance_failed("a loop's result is %d", code);
    for (int i = 0; i < l->n; i++)
        if (l->count[i] != 1)
            chance_failed("index %d of %d lost", i, l->n);
}

void await(struct loop *l, const int *wanted)
{
    while (l->begun < *wanted) {
        policy_turn(WAIT, NULL, l);
        if (l->begun < *wanted)
            machine_sleep(l, UINT32_MAX);
    }
}

/* ---- pools ---- */

int between(int least, int most)
{
    return least + (int)chance_below((unsigned)(most - least + 1));
}

tweed_pool *pool_of(int workers, int64_t spin_ns)
{
    tweed_pool_options o = { .size = sizeof o, .num_workers = workers,
                             .spin_ns = spin_ns };
    tweed_pool *pool = NULL;

    o.fence = chance_below(2) ? TWEED_FENCE_MEMBARRIER : TWEED_FENCE_EXCHANGE;
    machine_topology(workers, between(1, 2));
    if (tweed_pool_create(&pool, &o) != TWEED_OK ||
        tweed_pool_num_workers(pool) != workers)
        chance_failed("no pool");
    return pool;
}

/* Spins for a moment before it sleeps, or not at all. */
tweed_pool *some_pool(int least, int most)
{
    int workers = between(least, most); /* first: arguments have no order */

    return pool_of(workers, chance_below(2) ? 20000 : -1);
}

void end_pool(tweed_pool *pool)
{
    int code = tweed_pool_destroy(pool);

    if (code != TWEED_OK)
        chance_failed("destroying the pool gives %d", code);
}

/* A thread that waits for tasks goes on when these say that they are over, before they are. */
void drain_and_end_pool(tweed_pool *pool)
{
    if (tweed_pool_drain(pool) != TWEED_OK)
        chance_failed("a pool is not drained");
    end_pool(pool);
}

/* ---- meeting ---- */

void arrive(int *count)
{
    ++*count;
    machine_wake(count, INT_MAX, UINT32_MAX);
}

void until(int *count, int wanted)
{
    while (*count < wanted) {
        policy_turn(WAIT, NULL, count);
        if (*count < wanted)
            machine_sleep(count, UINT32_MAX);
    }
}

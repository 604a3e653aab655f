/*
 * scenario-loops.c - scenarios of loops.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "scenario.h"

#include "range/deal.h"

void single(void)
{
    tweed_pool *pool = some_pool(2, 4);
    struct loop *l = loop_new(pool, between(1, 24));
    int grain = between(0, 3);

    loop_run(l, chance_below(2), grain, 0);
    end_pool(pool);
}

/* Of the same bounds, so that a range word that outlives its loop fits; some
   with shares of which a thief takes more than one index. */
void again(void)
{
    tweed_pool *pool = some_pool(2, 3);
    int n = between(2, chance_below(2) ? 9 : 48), times = between(2, 4);
    bool by_range = chance_below(2);

    while (times-- > 0)
        loop_run(loop_new(pool, n), by_range, 1, 0);
    end_pool(pool);
}

static void run_inner(struct loop *l, int i)
{
    struct loop *inner = loop_new(l->pool, l->inner);

    (void)i;
    loop_run(inner, chance_below(2), 1, 0);
}

void nested(void)
{
    tweed_pool *pool = some_pool(2, 3);
    struct loop *l = loop_new(pool, between(2, 5));

    l->inner = between(2, 5);
    l->within = run_inner;
    loop_run(l, false, 1, 0);
    end_pool(pool);
}

static void *call_twice(void *pool)
{
    for (int k = 0; k < 2; k++)
        loop_run(loop_new(pool, between(2, 8)), false, 1, 0);
    return NULL;
}

void callers(void)
{
    tweed_pool *pool = some_pool(2, 3);
    struct thread *other = machine_spawn(call_twice, pool);

    call_twice(pool);
    machine_join(other);
    end_pool(pool);
}

static void meet(struct loop *l, int i)
{
    (void)i;
    await(l, &l->wanted);
}

/* Each worker's body waits for all others: every one of them has to wake. */
static void *call_to_meet(void *arg)
{
    tweed_pool *pool = arg;

    for (int k = 0; k < 2; k++) {
        struct loop *l = loop_new(pool, tweed_pool_num_workers(pool));

        l->wanted = l->n;
        l->within = meet;
        loop_run(l, false, 1, 0);
    }
    return NULL;
}

void wake(void)
{
    tweed_pool *pool = pool_of(between(2, 6), -1);

    call_to_meet(pool);
    end_pool(pool);
}

/* The same while another caller's loops come and go, in slots next to it and
   before it in its own. */
void crowded(void)
{
    tweed_pool *pool = some_pool(2, 4);
    struct thread *other = machine_spawn(call_to_meet, pool);

    call_twice(pool);
    machine_join(other);
    end_pool(pool);
}

/* Who has stolen an index waits until an index begins after that one, or all have
   begun: what is left must not be out of sight of those who look for work. */
static void meet_if_stolen(struct loop *l, int i)
{
    int workers = tweed_pool_num_workers(l->pool), owner = 0;
    int wanted = l->nth[i] < l->n ? l->nth[i] + 1 : l->n;

    while (i >= (int)partition_begin((uint32_t)l->n, (uint32_t)owner + 1,
                                     (uint32_t)workers))
        owner++;
    if (tweed_worker_index() != owner)
        await(l, &wanted);
}

void hints(void)
{
    int workers = between(2, 3);
    tweed_pool *pool = pool_of(workers, chance_below(4) ? -1 : 20000);
    struct loop *l = loop_new(pool, between(3 * workers, 6 * workers));

    l->within = meet_if_stolen;
    loop_run(l, false, 1, 0);
    end_pool(pool);
}

void windows(void)
{
    int workers = between(3, 5);
    tweed_pool *pool = pool_of(workers, chance_below(2) ? 20000 : -1);

    for (int k = 0; k < 3; k++) {
        struct loop *l = loop_new(pool, between(2, 8));
        int grain = between(1, 2);

        loop_run(l, false, grain, between(0, workers));
    }
    end_pool(pool);
}

/* Shares long enough for runs of several blocks. */
void runs(void)
{
    tweed_pool *pool = some_pool(2, 3);

    loop_run(loop_new(pool, between(30, MOST_INDICES)), true, 1, 0);
    end_pool(pool);
}

static void *call_once(void *arg)
{
    loop_run(arg, false, 1, 0);
    return NULL;
}

/* Refused while a loop runs; later the pool ends, and one at once after its
   birth. */
void destroy(void)
{
    tweed_pool *pool = some_pool(2, 3);
    struct loop *l = loop_new(pool, between(1, 6));
    struct thread *other;
    int one = 1;

    l->wanted = INT_MAX;
    l->within = meet; /* until told not to */
    other = machine_spawn(call_once, l);
    await(l, &one);
    if (tweed_pool_destroy(pool) != TWEED_EBUSY)
        chance_failed("a pool is destroyed while its loop runs");
    l->wanted = 0;
    machine_wake(l, INT_MAX, UINT32_MAX);
    machine_join(other);
    end_pool(pool);
    end_pool(some_pool(2, 4));
}

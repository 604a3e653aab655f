/*
 * limits.c - more tasks in flight than can be counted, and a spawn that is taken back.
 *
 * SPDX-License-Identifier: MIT
 *
 * A thousand million tasks are pretended: the count of a family is raised.
 */
#include "config.h"

#include "task/state.h"
#include "pool/pool.h"

#include "pools.h"

#include <sched.h>

#define MANY (TWEED__IN_FLIGHT / 2 + 1)

/* The pool is being destroyed, when the test says so; not before another thread is about
   to sleep until the group is over. */
bool __real_tweed__pool_is_closing(tweed_pool *pool);
bool __wrap_tweed__pool_is_closing(tweed_pool *pool);

static atomic_int closes, is_asking;
static tweed_pool *pool;
static tweed_group group = TWEED_GROUP_INIT;

static struct tweed__team *team(void)
{
    return tweed__pool_team(pool);
}

static struct tweed__group_state *family_of(const tweed_group *g)
{
    return tweed__state_at(team(), (uint32_t)g->family_);
}

bool __wrap_tweed__pool_is_closing(tweed_pool *p)
{
    if (!closes)
        return __real_tweed__pool_is_closing(p);
    is_asking = 1;
    while (!(load_relaxed(&family_of(&group)->flight) & TWEED__MASKS))
        sched_yield();
    return true;
}

static atomic_int ran;

static int run_one(void *arg)
{
    (void)arg;
    ran++;
    return 0;
}

static void too_many_in_group(void)
{
    tweed_group g = TWEED_GROUP_INIT;
    struct tweed__group_state *f;

    g.pool = pool;
    must(tweed_group_spawn(&g, run_one, NULL));
    f = family_of(&g);
    fetch_add_relaxed(&f->flight, MANY);
    ran = 0;
    must(tweed_group_spawn(&g, run_one, NULL));
    ok(ran == 1, "a task too many is executed at once");
    ok((load_relaxed(&f->flight) & TWEED__IN_FLIGHT) == MANY + 1, "and is over then");
    fetch_sub_relaxed(&f->flight, MANY);
    must(tweed_group_sync(&g));
    ok(ran == 2, "the others as ever");
}

static void too_many_submitted(void)
{
    struct tweed__group_state *f = tweed__state_at(team(), 0);

    ran = 0;
    fetch_add_relaxed(&f->flight, MANY);
    ok(tweed_pool_submit(pool, run_one, NULL) == TWEED_ENOMEM, "none too many is taken");
    fetch_sub_relaxed(&f->flight, MANY);
    must(tweed_pool_submit(pool, run_one, NULL));
    must(tweed_pool_drain(pool));
    ok(ran == 1, "when there are fewer, one is");
}

static void *sync_it(void *unused)
{
    while (!is_asking)
        sched_yield();
    must(tweed_group_sync(&group));
    return unused;
}

static void taken_back(void)
{
    pthread_t thread;
    int code;

    group.pool = pool;
    must(tweed_group_spawn(&group, run_one, NULL));
    while (ran == 1)
        must(tweed_pool_try_one(pool) < 0);
    must(pthread_create(&thread, NULL, sync_it, NULL));
    store_relaxed(&pool->closing, 1);
    closes = 1;
    code = tweed_group_spawn(&group, run_one, NULL);
    pthread_join(thread, NULL);
    closes = 0;
    store_relaxed(&pool->closing, 0);
    ok(code == TWEED_ECLOSED && ran == 2, "a spawn that is taken back wakes who waits");
}

int main(void)
{
    watchdog();
    plan(6);
    pool = pool_of(1);
    too_many_in_group();
    too_many_submitted();
    taken_back();
    must(tweed_pool_destroy(pool));
    return done_testing();
}

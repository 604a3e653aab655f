/*
 * room.c - where the jobs of one worker lie: a deque that is full, and memory that goes back.
 *
 * SPDX-License-Identifier: MIT
 *
 * The calling thread is the guest that has worker 0's deque.  Nobody else steals from it: so
 * the test is the thief, and knows what is there.
 */
#include "config.h"

#include "task/jobs.h"
#include "pool/pool.h"

#include "pools.h"
#include "self.h"

#include <stdlib.h>
#include <sys/mman.h>

#define ALL ((int)TWEED__MAX_RECORDS)
#define MANY (1 << 18) /* far more than an empty deque keeps; all on 32 bits */

bool __real_tweed__deque_rewind(struct tweed__deque *d);
bool __wrap_tweed__deque_rewind(struct tweed__deque *d);
bool __real_tweed__queue_put_copy(struct tweed__team *t, const struct tweed__job *job,
                                   bool front);
bool __wrap_tweed__queue_put_copy(struct tweed__team *t, const struct tweed__job *job,
                                   bool front);

static int64_t moved, queued; /* jobs */

bool __wrap_tweed__deque_rewind(struct tweed__deque *d)
{
    bool done = __real_tweed__deque_rewind(d);

    moved += done ? (int64_t)deque_top(d) : 0;
    return done;
}

bool __wrap_tweed__queue_put_copy(struct tweed__team *t, const struct tweed__job *job,
                                   bool front)
{
    queued++;
    return __real_tweed__queue_put_copy(t, job, front);
}

static int ran;

static int run_one(void *arg)
{
    (void)arg;
    ran++;
    return 0;
}

static tweed_pool *pool;
static tweed_group group;

static void spawn(int n)
{
    for (int i = 0; i < n; i++)
        must(tweed_group_spawn(&group, run_one, NULL));
}

static struct tweed__worker *owner(void)
{
    return tweed__pool_team(pool)->workers[0];
}

/* Takes so many, and executes them. */
static void steal(int n)
{
    struct tweed__deque *d = &owner()->jobs;
    uint32_t at, some;

    for (; n > 0; n -= (int)some) {
        some = tweed__deque_steal_some(d, 1, (uint32_t)n, &at);
        if (some == 0)
            bail_out("nothing to steal");
        for (uint32_t i = 0; i < some; i++) {
            struct tweed__job job;
            struct tweed__tally tally;

            memset(&tally, 0, sizeof tally);
            job_copy(&job, job_in(&d->records[at + i]));
            (void)job.fn(job.closure, TWEED_TASK_RUN_);
            tweed__state_return(tweed__pool_team(pool), load_relaxed(&job.of_group), 1,
                                 &tally);
        }
        tweed__deque_copied(d, some);
    }
}

static void begin(void)
{
    static const tweed_group none = TWEED_GROUP_INIT;

    pool = pool_of(1);
    group = none;
    group.pool = pool;
    ran = 0;
    moved = queued = 0;
}

static int end(void)
{
    must(tweed_group_sync(&group));
    return ran;
}

/* A place is free now and then: the next job does not go there. */
static void full(void)
{
    begin();
    spawn(ALL);
    ok(queued == 0 && moved == 0, "as many jobs as a deque has room for fit, and none is moved");
    for (int i = 0; i < 20; i++) {
        steal(1);
        spawn(1);
    }
    ok(moved == 0 && queued == 20, "few are stolen, few are spawned: none is moved");
    steal(ALL / 2);
    spawn(ALL / 2 - 100);
    ok(moved > 0 && moved <= ALL / 2 && queued == 20,
       "half are stolen: the others are moved, once");
    ok(end() == ALL + 20 + ALL / 2 - 100, "each was executed");
    must(tweed_pool_destroy(pool));
}

/* While it grows: what is moved is less than what is spawned. */
static void growing(void)
{
    begin();
    for (int i = 0; i < 200000; i += 100) {
        spawn(100);
        steal(i % 1000 ? 10 : 90);
    }
    ok(moved <= 200000 && queued == 0, "%d jobs are moved for 200000 that are spawned",
       (int)moved);
    ok(end() == 200000, "each was executed");
    must(tweed_pool_destroy(pool));
}

/* How many bytes of the deque's memory are there. */
static size_t resident(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t pages = TWEED__MAX_RECORDS * sizeof(struct tweed_task_) / page, n = 0;
    unsigned char *there = malloc(pages);

    if (!there || mincore(owner()->job_memory.base, pages * page, there) != 0)
        bail_out("the system does not say what is there");
    for (size_t i = 0; i < pages; i++)
        n += there[i] & 1;
    free(there);
    return n * page;
}

/* Of many jobs so many are stolen, the others the owner's. */
static void given_back(int stolen)
{
    size_t most;
    bool right = true;

    begin();
    for (int round = 0; round < 2; round++) {
        spawn(MANY);
        most = resident();
        steal(stolen);
        right &= end() == (round + 1) * MANY && most > 8u << 20 &&
                 resident() <= 2u << 20;
    }
    ok(right && queued == 0, "memory goes back where %d of %d jobs were stolen", stolen,
       MANY);
    must(tweed_pool_destroy(pool));
}

int main(void)
{
    watchdog();
    plan(8);
    full();
    growing();
    if (under_qemu()) { /* 7.2: its mincore() wants all pages to be readable */
        skip(2, "qemu: the system does not say what is there");
    } else {
        given_back(0);
        given_back(MANY / 2);
    }
    return done_testing();
}

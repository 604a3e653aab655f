/*
 * task.c - the public call: a task from outside.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "log/trace.h"
#include "loop/loop.h"
#include "loop/work.h"
#include "pool/pool.h"
#include "task/fork.h"

#include <pthread.h>
#include <string.h>

#define FEW 128 /* records that lie on the stack, where there is no other memory */

__attribute__((noinline)) static void run_with_few(struct tweed__part *p,
                                                   struct tweed__deque *d)
{
    /* aligned: the bits of an address below its place are 0 */
    alignas(sizeof(struct tweed_task_)) struct tweed_task_ few[FEW];
    uint32_t below = TWEED__PLACE_MASK - record_place(tweed_low_(few));
    struct tweed__arena memory = { few, FEW, FEW, FEW - 1 };

    if (below < FEW / 2) /* a multiple of a GiB lies there: takes its longer side */
        memory = (struct tweed__arena){ few + below + 1, FEW - below - 1, FEW - below - 1,
                                        FEW - below - 2 };
    else if (below < FEW)
        memory = (struct tweed__arena){ few, below, below, below - 1 };
    memset(few, 0, sizeof few);
    (void)tweed__fork_begin(p, d, &memory);
    tweed__fork_root(d, p->body->arg);
    tweed__fork_end(d);
}

/* The task and all that it spawns. */
static void run(struct tweed__part *p, struct tweed__deque *d,
                struct tweed__arena *memory)
{
    if (!tweed__fork_begin(p, d, memory)) {
        run_with_few(p, d);
        return;
    }
    tweed__fork_root(d, p->body->arg);
    tweed__fork_end(d);
}

static void in_slot(struct tweed__part *p)
{
    run(p, &p->worker->seats[p->slot].deque, tweed__fork_memory(p));
}

/* Worker 0 is any number of threads at once, so its tally outside of slots is shared. */
static void count_alone(const struct tweed__part *p, struct tweed__tally *tally)
{
    struct tweed__tally *t = &p->worker->tally;

    fetch_add_relaxed(&t->roots, 1); /* figures, all; the thread's own */
    fetch_add_relaxed(&t->tasks_at_once, load_relaxed(&tally->tasks_at_once));
}

/* Runs the task on the caller alone, with a deque of its own: another thread may still be
   on the caller's seat, and in the slot's records (PINNING in slot.c).  A pool without
   threads has no other thread; there the records of the caller's slot are used again by
   the next run.  slot -1: the caller has none. */
static void alone(struct tweed__part *p, int slot)
{
    struct tweed__arena own = { NULL, 0, 0, 0 }, *memory = &own;
    struct tweed__tally tally = { 0 };
    struct tweed__deque d = { .part = NULL }, *outer = tweed__self.alone;
    bool running BODY_GUARD = true;

    if (slot >= 0 && p->team->num_workers == 1)
        memory = &p->team->slots[slot].arena;

    p->walker.walk = TWEED__ALONE;
    p->walker.owner.tally = &tally;
    tweed__self.here = p;
    tweed__self.alone = &d;
    run(p, &d, memory);
    tweed__self.alone = outer;
    tweed__self.here = p->outer;
    running = false;
    tweed__arena_end(&own);
    if (p->worker)
        count_alone(p, &tally);
}

void tweed_task_start_(tweed_pool *pool, const char *name, struct tweed_task_ *t)
{
    struct tweed__body body = { .kind = &tweed__fork_kind, .arg = t, .count = 1,
                                .grain = 1, .blocks = 1, .manner = TWEED__TASKS };
    struct tweed__part part;
    struct tweed__team *team = NULL;
    int cancel, slot = -1;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pool = tweed__pool_or_default(pool);
    if (pool_is_known(pool))
        team = tweed__pool_team(pool);
    tweed__cursor_prepare(&body);
    if (team && !tweed__loop_enter(pool, team, &slot))
        team = NULL;
    tweed__part_init(&part, team ? tweed__loop_worker(team) : NULL, &body);
    part.name = name;
    TRACE_LOOP_BEGIN(&part, &body);
    if (slot >= 0)
        tweed__self.slot = (unsigned)slot; /* to begin with, the next time */
    if (slot < 0 || !tweed__work_open(&part, slot, in_slot)) {
        alone(&part, slot);
        if (team)
            tweed__loop_leave(team, slot);
    }
    TRACE_LOOP_END(&part, 1, true);
    pthread_setcancelstate(cancel, NULL);
}

struct tweed_deque_ *tweed_task_deque_(tweed_pool *pool)
{
    const struct tweed__part *p = tweed__self.here;

    if (!p || p->body->manner != TWEED__TASKS)
        return NULL;
    if (p->slot < 0 && (!tweed__self.alone || tweed__self.alone->part != p))
        return NULL;
    pool = tweed__pool_or_default(pool);
    /* relaxed: it is compared, and a team that has this thread in a task stays */
    if (!pool_is_known(pool) || load_relaxed(&pool->team) != p->team)
        return NULL;
    return (struct tweed_deque_ *)(p->slot < 0 ? tweed__self.alone
                                               : &p->worker->seats[p->slot].deque);
}

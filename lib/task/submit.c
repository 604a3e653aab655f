/*
 * submit.c - the public calls: a pool as an executor.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each team has a group (state.c) for submitted tasks.  A thread that submits counts
 * itself as one more task of that group until its call is over: so no other thread finds
 * the pool drained, and ends it, while this thread still has to wake a worker.
 */
#include "config.h"

#include "base/error.h"
#include "base/number.h"
#include "log/trace.h"
#include "pool/above.h"
#include "pool/here.h"
#include "system/system.h"
#include "task/queue.h"
#include "task/sync.h"
#include "task/waking.h"

#include <errno.h>

#define MOST (TWEED__IN_FLIGHT / 4) /* tasks of one call: a few such calls fit */

static struct tweed__group_state *submitted_of(struct tweed__team *team)
{
    return &team->group_states.submitted;
}

static bool is_in_submitted(struct tweed__team *team)
{
    return tweed__is_within(team, tweed__state_here(team),
                            where_of_group(submitted_of(team)));
}

static int no_memory(void)
{
    return tweed_fail_(TWEED_ENOMEM, "for a submitted task");
}

/* Counts n more tasks, and the caller.  TWEED_ECLOSED: the pool is closed, and the caller
   is in no submitted task.  TWEED_ENOMEM: there are more tasks than any memory has. */
static int enter(struct tweed__team *team, uint64_t n)
{
    _Atomic uint64_t *flight = &submitted_of(team)->flight;
    bool inside = is_in_submitted(team);
    uint64_t word = load_relaxed(flight); /* looked at again by compare-and-swap */

    do {
        if (word & TWEED__CLOSED && !inside)
            return tweed_fail_(TWEED_ECLOSED, "tweed_pool_submit");
        if ((word & TWEED__IN_FLIGHT) > TWEED__IN_FLIGHT / 2)
            return no_memory();
        /* seq_cst: before the look at closing: see is_busy() in pool.c */
    } while (!cas_seq_cst(flight, &word, word + n + 1));
    return TWEED_OK;
}

static void leave(struct tweed__team *team, uint64_t n)
{
    struct tweed__tally none;

    memset(&none, 0, sizeof none); /* wakes from outside are not counted */
    tweed__state_return(team, submitted_of(team), n, &none);
}

/* What is to be executed. */
struct order {
    tweed_closure_fn_ *fn;
    const void *closure;  /* of one task */
    size_t bytes;
    tweed_task_fn *each;  /* or the function of n tasks, with these arguments */
    void *const *args;
};

/* Makes the i-th task. */
static void fill(struct tweed__team *team, const struct order *o, size_t i,
                 struct tweed__job *job)
{
    struct tweed__call call = { o->each, o->args ? o->args[i] : NULL };

    store_relaxed(&job->of_group, submitted_of(team)); /* the caller's own */
    job->fn = o->fn;
    if (o->args)
        memcpy(job->closure, &call, sizeof call);
    else if (o->bytes)
        memcpy(job->closure, o->closure, o->bytes);
}

static bool put_one(struct tweed__team *team, const struct order *o, bool front)
{
    struct tweed__job job;

    memset(&job, 0, sizeof job);
    fill(team, o, 0, &job);
    return tweed__queue_put_copy(team, &job, front);
}

/* False, as above: there is no memory. */
static bool put_all(struct tweed__team *team, const struct order *o, size_t n, bool front)
{
    struct tweed__entry *first, *last;
    size_t i = 0;

    first = tweed__queue_entries(team, n, &last);
    for (struct tweed__entry *e = first; e; e = e->next)
        fill(team, o, i++, &e->job);
    if (first)
        tweed__queue_put(team, first, last, (uint32_t)n, front);
    return first;
}

/* To a trace, before a worker can begin with the tasks. */
__attribute__((cold, noinline)) static void trace_submit(struct tweed__team *team, size_t n)
{
    struct tweed__worker *own = team_worker(team);
    int saved = errno;

    tweed__trace_submit(team->number, own ? own->index : 0,
                        tweed__self.worker ? -1 : tweed__number(), n,
                        tweed__queue_count(team));
    errno = saved;
}

/* Tasks that workers submit go to the queue, too: there is one order of all. */
static int put(tweed_pool *pool, struct tweed__team *team, const struct order *o, size_t n,
               bool front)
{
    struct tweed__inside in = inside_of_group(submitted_of(team));
    int code = enter(team, n);

    if (code != TWEED_OK)
        return code;
    if (unlikely(load_seq_cst(&pool->closing)) && tweed__pool_is_closing(pool)) {
        leave(team, n + 1);
        return tweed__fail_closed(pool);
    }
    /* relaxed: a look first */
    if (unlikely(team->num_workers == 1) && !load_relaxed(&team->served))
        tweed__pool_serve(pool, team);
    tweed__jobs_begun(team);
    if (TRACES)
        trace_submit(team, n);
    if (!(n == 1 ? put_one(team, o, front) : put_all(team, o, n, front))) {
        leave(team, n + 1);
        return no_memory();
    }
    tweed__jobs_count_spawned(team, n);
    tweed__jobs_tell(team, &in);
    leave(team, 1);
    return TWEED_OK;
}

static int submit(tweed_pool *pool, const struct order *o, size_t n, bool front)
{
    struct tweed__stay stay;
    struct tweed__team *team;
    int code;

    pool = tweed__pool_or_default(pool);
    if (!pool_is_known(pool))
        return tweed__fail_pool(pool);
    team = tweed__pool_team(pool);
    if (!team)
        return no_memory();
    tweed__sync_enter(&stay, team);
    code = put(pool, team, o, n, front);
    tweed__sync_leave(&stay);
    return code;
}

int tweed_pool_submit_closure_(tweed_pool *pool, tweed_closure_fn_ *fn, const void *closure,
                               size_t bytes)
{
    struct order o = { fn, closure, bytes, NULL, NULL };

    if (!fn || bytes > TWEED_CLOSURE_BYTES_ || (bytes && !closure))
        return tweed_fail_(TWEED_EINVAL, "%s: a closure of %zu bytes: expected %d at most",
                           __func__, bytes, TWEED_CLOSURE_BYTES_);
    return submit(pool, &o, 1, false);
}

static int submit_one(tweed_pool *pool, tweed_task_fn *fn, void *arg, bool front)
{
    struct tweed__call call = { fn, arg };
    struct order o = { tweed__call, &call, sizeof call, NULL, NULL };

    return fn ? submit(pool, &o, 1, front)
              : tweed_fail_(TWEED_EINVAL, "tweed_pool_submit: fn is NULL");
}

int tweed_pool_submit(tweed_pool *pool, tweed_task_fn *fn, void *arg)
{
    return submit_one(pool, fn, arg, false);
}

int tweed_pool_submit_front(tweed_pool *pool, tweed_task_fn *fn, void *arg)
{
    return submit_one(pool, fn, arg, true);
}

int tweed_pool_submit_batch(tweed_pool *pool, tweed_task_fn *fn, void *const *args, size_t n)
{
    struct order o = { tweed__call, NULL, 0, fn, args };

    if (!fn || (n && !args))
        return fn ? TWEED_LACKS_("args") : TWEED_LACKS_("fn");
    if (n > MOST)
        return tweed_fail_(TWEED_EINVAL, "%s: n is %zu: expected %llu at most", __func__, n,
                           (unsigned long long)MOST);
    pool = tweed__pool_or_default(pool);
    if (!pool_is_known(pool))
        return tweed__fail_pool(pool);
    return n ? submit(pool, &o, n, false) : TWEED_OK;
}

/* ---- the end ---- */

int tweed_pool_close(tweed_pool *pool)
{
    struct tweed__stay stay;
    int code = tweed__sync_begin(&stay, pool);

    if (code != TWEED_OK)
        return code;
    /* seq_cst: with enter()'s compare-and-swap.  weaker: any order would do, since both
       change one word */
    fetch_or_seq_cst(&submitted_of(stay.team)->flight, TWEED__CLOSED);
    tweed__sync_end(&stay);
    return TWEED_OK;
}

/* The first code of a task that failed since the last drain. */
static int take_code(struct tweed__group_state *f)
{
    /* seq_cst: with state_fail()'s compare-and-swap.  weaker: any order would do: the
       tasks' returns were acquired */
    return exchange_seq_cst(&f->code, 0);
}

static int waits_for_itself(void)
{
    return tweed_fail_(TWEED_EBUSY, "the call is made in a submitted task");
}

int tweed_pool_drain(tweed_pool *pool)
{
    struct tweed__stay stay;
    int code = tweed__sync_begin(&stay, pool);

    if (code != TWEED_OK)
        return code;
    if (is_in_submitted(stay.team)) {
        code = waits_for_itself();
    } else {
        tweed__sync_state(stay.team, submitted_of(stay.team));
        code = take_code(submitted_of(stay.team));
    }
    tweed__sync_end(&stay);
    return code;
}

int64_t tweed_pool_abandon(tweed_pool *pool)
{
    struct tweed__stay stay;
    struct tweed__group_state *f;
    int64_t dropped;
    int code = tweed__sync_begin(&stay, pool);

    if (code != TWEED_OK)
        return code;
    f = submitted_of(stay.team);
    if (is_in_submitted(stay.team)) {
        dropped = waits_for_itself();
    } else {
        fetch_or_seq_cst(&f->flight, TWEED__CLOSED); /* as close().  weaker: any order */
        store_relaxed(&f->skips, 1);                 /* a wish, which may come late */
        tweed__sync_state(stay.team, f);
        /* relaxed: acquired with the end */
        dropped = (int64_t)load_relaxed(&stay.team->group_states.dropped);
    }
    tweed__sync_end(&stay);
    return dropped;
}

/* ---- executing ---- */

int tweed_pool_try_one(tweed_pool *pool)
{
    struct tweed__stay stay;
    int code = tweed__sync_begin(&stay, pool);

    if (code != TWEED_OK)
        return code;
    code = tweed__sync_try(stay.team);
    tweed__sync_end(&stay);
    return code;
}

int tweed_pool_run_until(tweed_pool *pool, int (*condition)(void *arg), void *arg)
{
    struct tweed__stay stay;
    int code = condition ? tweed__sync_begin(&stay, pool) : TWEED_LACKS_("condition");

    if (code != TWEED_OK)
        return code;
    tweed__sync_until(stay.team, condition, arg);
    tweed__sync_end(&stay);
    return TWEED_OK;
}

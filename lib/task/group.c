/*
 * group.c - the public calls: tasks in groups.
 *
 * SPDX-License-Identifier: MIT
 *
 * A group has one word with two numbers, the team's and the state's.  So a group of a
 * pool that has ended, or of the process before a fork(), is as good as new: its word
 * names another team.
 */
#include "config.h"

#include "base/error.h"
#include "pool/above.h"
#include "pool/here.h"
#include "task/sync.h"

/* With so many tasks in flight a task is executed at once.  The count has as much room
   again for threads that have counted a task and are just finding that out. */
#define TOO_MANY (TWEED__IN_FLIGHT / 2)

static _Atomic uint64_t *word_of(tweed_group *g)
{
    return (_Atomic uint64_t *)&g->family_;
}

static uint64_t word_for(struct tweed__team *team, struct tweed__group_state *f)
{
    return (uint64_t)team->number << 32 | f->index;
}

/* The state that the word of a group names, in this team; NULL: none. */
static struct tweed__group_state *group_state_in(uint64_t word, struct tweed__team *team)
{
    return word >> 32 == team->number ? tweed__state_at(team, (uint32_t)word) : NULL;
}

static struct tweed__group_state *group_state_of(tweed_group *g, struct tweed__team *team)
{
    /* acquire: with new_state(), the state.  weaker: relaxed would do: a thread that
       comes here knows by then that the group has a state */
    return group_state_in(load_acquire(word_of(g)), team);
}

/* Gives the group a state: `before`, its word as seen, names none.  NULL: there is no
   memory. */
static struct tweed__group_state *new_state(tweed_group *g, struct tweed__team *team,
                                        uint64_t before)
{
    struct tweed__group_state *f = tweed__state_new(team, g->flags);

    /* release: the state, to threads that spawn and find it.  weaker: release would do,
       since a thread whose CAS fails looks again */
    if (!f || cas_acq_rel(word_of(g), &before, word_for(team, f)))
        return f;
    tweed__state_free(team, f);
    return group_state_of(g, team);
}

/* The first code of tasks that were executed without a state. */
static _Atomic uint64_t *code_of(tweed_group *g)
{
    return (_Atomic uint64_t *)&g->more_[0];
}

/* There is no memory for a state, or no team: the caller executes the task, and is in no
   task of the pool meanwhile. */
static void run_apart(tweed_group *g, const struct tweed__job *job)
{
    bool running BODY_GUARD = true;
    struct tweed__job mine;
    uint64_t none = 0;
    int code, cancel;

    job_copy(&mine, job);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    call_begin();
    code = mine.fn(mine.closure, g->flags & TWEED_GROUP_SKIP && load_relaxed(code_of(g))
                                     ? TWEED_TASK_DROP_
                                     : TWEED_TASK_RUN_);
    call_end();
    running = false;
    pthread_setcancelstate(cancel, NULL);
    /* acq_rel: weaker: any order would do, as in tweed__state_fail() */
    if (code)
        (void)cas_acq_rel(code_of(g), &none, (uint32_t)code);
}

/* There is no memory for the task, or there are too many: the caller executes it. */
static void run_at_once(struct tweed__team *team, struct tweed__job *job)
{
    struct tweed__session s;

    tweed__jobs_begin(&s, team);
    tally_add(s.tally, tasks_at_once, 1);
    tweed__jobs_run(&s, job);
    tweed__jobs_end(&s);
}

/* Nothing was spawned.  A thread that waits for the group, and has seen a task in flight,
   learns that there is none. */
static void take_back(struct tweed__team *team, struct tweed__group_state *f)
{
    struct tweed__tally none;

    memset(&none, 0, sizeof none); /* wakes from outside are not counted */
    tweed__state_return(team, f, 1, &none);
}

static int spawn(tweed_group *g, tweed_pool *pool, struct tweed__team *team,
                 struct tweed__job *job)
{
    uint64_t word = load_acquire(word_of(g)); /* with new_state(), the state */
    struct tweed__group_state *f = group_state_in(word, team);
    uint64_t before;

    if (unlikely(!f))
        f = new_state(g, team, word);
    if (unlikely(!f)) {
        run_apart(g, job);
        return TWEED_OK;
    }
    /* seq_cst: before the look at closing: see is_busy() */
    before = fetch_add_seq_cst(&f->flight, 1) & TWEED__IN_FLIGHT;
    if (unlikely(load_seq_cst(&pool->closing)) && tweed__pool_is_closing(pool)) {
        take_back(team, f);
        return tweed__fail_closed(pool);
    }
    store_relaxed(&job->of_group, f); /* the caller's own */
    if (unlikely(before >= TOO_MANY) || unlikely(!tweed__jobs_spawn(team, job)))
        run_at_once(team, job);
    return TWEED_OK;
}

int tweed_group_spawn_closure_(tweed_group *g, tweed_closure_fn_ *fn, const void *closure,
                               size_t bytes)
{
    struct tweed__job job;
    struct tweed__stay stay;
    struct tweed__team *team;
    tweed_pool *pool;
    int code;

    if (!g)
        return tweed_fail_(TWEED_EINVAL, "tweed_group_spawn: group is NULL");
    if (!fn || bytes > sizeof job.closure || (bytes && !closure))
        return tweed_fail_(TWEED_EINVAL, "%s: a closure of %zu bytes: expected %zu at most",
                           __func__, bytes, sizeof job.closure);
    if (g->flags & ~TWEED_GROUP_SKIP)
        return tweed__fail_value("tweed_group.flags", g->flags, "0 or TWEED_GROUP_SKIP");
    pool = tweed__pool_or_default(g->pool);
    if (!pool_is_known(pool))
        return tweed__fail_pool(pool);
    store_relaxed(&job.of_group, NULL); /* the caller's own */
    job.fn = fn;
    memset(job.closure, 0, sizeof job.closure);
    if (bytes)
        memcpy(job.closure, closure, bytes);
    team = tweed__pool_team(pool);
    if (unlikely(!team)) {
        run_apart(g, &job);
        return TWEED_OK;
    }
    tweed__sync_enter(&stay, team);
    code = spawn(g, pool, team, &job);
    tweed__sync_leave(&stay);
    return code;
}

int tweed__call(void *closure, int how)
{
    const struct tweed__call *call = closure;

    return how == TWEED_TASK_RUN_ ? call->fn(call->arg) : 0;
}

int tweed_group_spawn(tweed_group *g, tweed_task_fn *fn, void *arg)
{
    struct tweed__call call = { fn, arg };

    return fn ? tweed_group_spawn_closure_(g, tweed__call, &call, sizeof call)
              : TWEED_LACKS_("fn");
}

/* Makes the group as new; returns what came of its tasks. */
static int settle(tweed_group *g, struct tweed__team *team, struct tweed__group_state *f)
{
    /* relaxed: acquired by the end, or the caller's own */
    int code = (int)(uint32_t)load_relaxed(code_of(g));
    bool skips = false;

    if (f) {
        if (load_relaxed(&f->code))
            code = load_relaxed(&f->code);
        skips = load_relaxed(&f->skips);
        tweed__state_free(team, f);
    }
    store_relaxed(code_of(g), 0); /* both: no thread spawns now */
    store_relaxed(word_of(g), 0);
    return code ? code : skips ? TWEED_ESTOPPED : TWEED_OK;
}

static int sync(tweed_group *g, struct tweed__team *team)
{
    struct tweed__group_state *f = group_state_of(g, team);

    if (f && tweed__is_within(team, tweed__state_here(team), where_of_group(f)))
        return tweed_fail_(TWEED_EBUSY,
                           "tweed_group_sync: the call is made in a task of the group");
    if (f)
        tweed__sync_state(team, f);
    return settle(g, team, f);
}

int tweed_group_sync(tweed_group *g)
{
    struct tweed__stay stay;
    struct tweed__team *team;
    tweed_pool *pool;
    int code;

    if (!g)
        return TWEED_LACKS_("group");
    pool = tweed__pool_or_default(g->pool);
    /* acquire: with start() in pool.c */
    team = pool_is_known(pool) ? load_acquire(&pool->team) : NULL;
    if (!team)
        return settle(g, NULL, NULL);
    tweed__sync_enter(&stay, team);
    code = sync(g, team);
    tweed__sync_leave(&stay);
    return code;
}

static int nothing_spawned(void)
{
    return tweed_fail_(TWEED_EINVAL, "tweed_group_cancel: nothing was spawned");
}

int tweed_group_cancel(tweed_group *g)
{
    struct tweed__stay stay;
    struct tweed__team *team;
    struct tweed__group_state *f;
    tweed_pool *pool;

    if (!g)
        return TWEED_LACKS_("group");
    pool = tweed__pool_or_default(g->pool);
    team = pool_is_known(pool) ? load_acquire(&pool->team) : NULL; /* as above */
    if (!team)
        return nothing_spawned();
    tweed__sync_enter(&stay, team);
    f = group_state_of(g, team);
    if (f)
        store_relaxed(&f->skips, 1); /* a wish, which may come late */
    tweed__sync_leave(&stay);
    return f ? TWEED_OK : nothing_spawned();
}

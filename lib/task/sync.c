/*
 * sync.c - waiting for tasks, and executing some meanwhile.
 *
 * SPDX-License-Identifier: MIT
 *
 * A thread that waits for a group helps the jobs (jobs.c) and the loops that are inside
 * of the group, and sleeps on the pool's event: wait.c.  The group's end wakes the
 * thread, by the masks in its word, and so does each job and loop that is published
 * inside of the group.  The thread returns the jobs that it has executed before it does
 * anything else but execute jobs of the same group.
 */
#include "config.h"

#include "task/sync.h"
#include "base/error.h"
#include "base/tsan.h"
#include "loop/loop.h"
#include "loop/work.h"
#include "pool/above.h"
#include "pool/here.h"
#include "pool/wait.h"
#include "system/system.h"
#include "task/waking.h"

#define POLL_NS 1000000 /* how often a condition is looked at when nothing happens */

int tweed__sync_begin(struct tweed__stay *stay, tweed_pool *pool)
{
    pool = tweed__pool_or_default(pool);
    if (!pool_is_known(pool))
        return tweed__fail_pool(pool);
    stay->team = tweed__pool_team(pool);
    if (!stay->team)
        return tweed_fail_(TWEED_ENOMEM, "for a pool");
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &stay->cancel);
    if (tweed__loop_enter_slotless(pool, stay->team))
        return TWEED_OK;
    pthread_setcancelstate(stay->cancel, NULL);
    return tweed__fail_closed(pool);
}

void tweed__sync_end(struct tweed__stay *stay)
{
    tweed__loop_leave(stay->team, -1);
    pthread_setcancelstate(stay->cancel, NULL);
}

void tweed__sync_enter(struct tweed__stay *stay, struct tweed__team *team)
{
    stay->team = team;
    stay->outside = !team_worker(team) && !session_here(team);
    if (!stay->outside)
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &stay->cancel);
    /* relaxed: the caller's pool is not being destroyed yet */
    fetch_add_relaxed(&team->leaving, 1);
}

void tweed__sync_leave(struct tweed__stay *stay)
{
    _Atomic uint32_t *leaving = &stay->team->leaving;

    if (!stay->outside)
        return;
    /* release: with tweed__team_end().  The team may be gone after that: the wake needs
       only the word's address, and does no harm if another thread sleeps there, or none
       */
    if (fetch_sub_acq_rel(leaving, 1) == (TWEED__ENDING | 1))
        tweed__futex_wake(leaving, 1, UINT32_MAX);
    pthread_setcancelstate(stay->cancel, NULL);
}

static void begin_wait(struct tweed__wait *w, struct tweed__session *s)
{
    w->team = s->worker->team;
    w->worker = s->worker;
    w->tally = s->tally;
}

/* ---- loops inside ---- */

struct within {
    struct tweed__team *team;
    unsigned k;
    tweed__where outer;
};

static bool is_within(const void *arg)
{
    const struct within *w = arg;

    return tweed__is_within(w->team, where_of_slot(w->team, (int)w->k), w->outer);
}

/* Helps a loop that was started inside of `outer`. */
static bool help_loops(struct tweed__session *s, tweed__where outer)
{
    struct tweed__team *team = s->worker->team;
    /* seq_cst: after the masks in flight, with the bit of tweed__publish_root() in
       active and take_masks() in within.c.  (Of a loop acquire would do: announce()
       raises the event.) */
    uint64_t live = load_seq_cst(&team->active);

    if (s->worker->index == 0 && !tweed__jobs_is_guest(team))
        return false; /* another outside caller might be on seat 0 */
    for (; live; live &= live - 1) {
        struct within w = { team, (unsigned)__builtin_ctzll(live), outer };

        if (is_within(&w) && tweed__work_help_if(s->worker, w.k, -1, is_within, &w))
            return true;
    }
    return false;
}

/* ---- the end of a group ---- */

struct syncing {
    struct tweed__wait wait; /* first */
    struct tweed__session *s;
    struct tweed__group_state *f;
};

static bool is_over(struct tweed__group_state *f)
{
    /* acquire: with state_return(), what the tasks did */
    return !(load_acquire(&f->flight) & TWEED__IN_FLIGHT);
}

static bool is_synced(struct tweed__wait *w)
{
    return is_over(((struct syncing *)w)->f);
}

/* If the caller has executed all tasks that are in flight, it returns them. */
static void return_last(struct tweed__session *s, struct tweed__group_state *f)
{
    /* relaxed: a guess; others may have more to return, or spawn more */
    if (s->owed_to == f && (load_relaxed(&f->flight) & TWEED__IN_FLIGHT) == s->owed)
        tweed__jobs_return(s);
}

static bool help_group(struct tweed__wait *w)
{
    struct tweed__session *s = ((struct syncing *)w)->s;
    struct tweed__group_state *f = ((struct syncing *)w)->f;
    tweed__where it = where_of_group(f);
    struct tweed__job job;
    enum tweed__found found = tweed__jobs_take_within(s, it, &job);

    if (found == TWEED__FOUND) {
        tweed__jobs_run(s, &job);
        return_last(s, f);
        return true;
    }
    tweed__jobs_return(s); /* another thread may wait for these in the loop helped below */
    return found == TWEED__CARRIED || help_loops(s, it);
}

static bool lie_down_in_sync(struct tweed__wait *w)
{
    struct tweed__group_state *f = ((struct syncing *)w)->f;
    uint64_t mask = (uint64_t)wait_mask(w->worker->index) << TWEED__MASK_SHIFT;

    tweed__wait_enter(w);
    /* seq_cst: see state.c, and take_masks() in within.c.  Before the last look.  weaker:
       any order would do for the end, since flight is one word, acquired by is_over() */
    if (fetch_or_seq_cst(&f->flight, mask) & TWEED__IN_FLIGHT)
        return true;
    tweed__wait_leave(w);
    return false;
}

static const struct tweed__wait_kind sync_kind = {
    .is_over = is_synced,
    .is_over_soon = is_synced,
    .help = help_group,
    .lie_down = lie_down_in_sync,
    .get_up = tweed__wait_leave,
    .sleep = tweed__wait_on_event,
};

void tweed__sync_state(struct tweed__team *team, struct tweed__group_state *f)
{
    struct syncing sync = { .f = f };
    struct tweed__session s;

    if (!is_over(f)) {
        tweed__jobs_begin(&s, team);
        sync.s = &s;
        begin_wait(&sync.wait, &s);
        tweed__wait(&sync.wait, &sync_kind);
        tweed__jobs_end(&s);
    }
    tweed__tsan_acquire(&f->flight);
}

/* ---- any job ---- */

static bool try_one(struct tweed__session *s)
{
    struct tweed__job job;

    if (!tweed__jobs_take(s, &job))
        return false;
    tweed__jobs_run(s, &job);
    tweed__jobs_return(s);
    return true;
}

bool tweed__sync_try(struct tweed__team *team)
{
    struct tweed__session s;
    bool found;

    tweed__jobs_begin(&s, team);
    s.takes_one = true;
    found = try_one(&s);
    tweed__jobs_end(&s);
    return found;
}

/* ---- a condition of the program's ---- */

struct until {
    struct tweed__wait wait; /* first */
    struct tweed__session *s;
    int (*condition)(void *arg);
    void *arg;
};

/* The condition is called as a body. */
static bool is_true(struct tweed__wait *w)
{
    const struct until *u = (const struct until *)w;
    bool running BODY_GUARD = true;
    int yes;

    u->s->part.of_group = 0; /* the condition is in no task */
    tweed__self.here = &u->s->part;
    yes = u->condition(u->arg);
    tweed__self.here = u->s->part.outer;
    running = false;
    return yes;
}

static bool help_any(struct tweed__wait *w)
{
    if (w->waited || tweed__self.dozes)
        tweed__jobs_awake(w->team);
    return try_one(((struct until *)w)->s);
}

static void sleep_until(struct tweed__wait *w)
{
    tweed__sleep_wait(&w->team->sleep, w->ticket, TWEED__WAKE_UNTIL, POLL_NS, w->tally);
}

static const struct tweed__wait_kind until_kind = {
    .is_over = is_true,
    .help = help_any,
    .lie_down = tweed__wait_lie_down,
    .get_up = tweed__wait_get_up,
    .sleep = sleep_until,
};

void tweed__sync_until(struct tweed__team *team, int (*condition)(void *arg), void *arg)
{
    struct tweed__session s;
    struct until until = { .s = &s, .condition = condition, .arg = arg };

    tweed__jobs_begin(&s, team);
    begin_wait(&until.wait, &s);
    /* seq_cst: before a look at the condition, with state_return().  weaker: acq_rel would
       do, since the condition is polled besides */
    fetch_add_seq_cst(&team->watched, 1);
    tweed__wait(&until.wait, &until_kind);
    fetch_sub_relaxed(&team->watched, 1); /* relaxed: a late task wakes no thread */
    tweed__jobs_end(&s);
    tweed__jobs_leave(team); /* the thread may have been woken for a job, and taken none */
}

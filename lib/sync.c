/*
 * sync.c - waiting for tasks, and executing some meanwhile.
 *
 * SPDX-License-Identifier: MIT
 *
 * Whoever waits for a family helps the jobs (jobs.c) and the loops that are inside of it.
 * When there is nothing to help with it spins a while, and sleeps where workers do, on the
 * pool's event (sleep.c): so whatever is announced wakes it, a job, a loop, and the end
 * of the family.  If it was woken for something that it may not do, it passes that on.
 */
#include "config.h"

#include "sync.h"
#include "here.h"
#include "loop.h"
#include "seam.h"
#include "slot.h"
#include "tsan.h"

#define POLL_NS 1000000 /* how often a condition is looked at when nothing happens */

int tweed__sync_begin(struct tweed__stay *stay, tweed_pool *pool)
{
    pool = tweed__pool_or_default(pool);
    if (!pool_is_known(pool))
        return TWEED_ENOPOOL;
    stay->team = tweed__pool_team(pool);
    if (!stay->team)
        return TWEED_ENOMEM;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &stay->cancel);
    if (tweed__loop_enter_slotless(pool, stay->team))
        return TWEED_OK;
    pthread_setcancelstate(stay->cancel, NULL);
    return TWEED_ECLOSED;
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
    if (!stay->outside)
        return;
    fetch_sub_acq_rel(&stay->team->leaving, 1); /* release: with tweed__team_end() */
    pthread_setcancelstate(stay->cancel, NULL);
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

/* Helps a loop that was started by a task inside of that. */
static bool help_loops(struct tweed__session *s, tweed__where outer)
{
    struct tweed__team *team = s->worker->team;
    /* relaxed: a guess, as in help_loops() of fork.c */
    uint64_t live = load_relaxed(&team->active);

    if (s->worker->index == 0 && !tweed__jobs_is_guest(team))
        return false; /* another outside caller might be on seat 0 */
    for (; live; live &= live - 1) {
        struct within w = { team, (unsigned)__builtin_ctzll(live), outer };

        if (is_within(&w) && tweed__slot_help_if(s->worker, w.k, -1, is_within, &w))
            return true;
    }
    return false;
}

static bool help(struct tweed__session *s, tweed__where outer)
{
    struct tweed__job job;

    if (!tweed__jobs_take_within(s, outer, &job))
        return help_loops(s, outer);
    tweed__jobs_run(s, &job);
    return true;
}

/* ---- waiting ---- */

/* Of those in flight the caller has executed all: it says so. */
static void return_last(struct tweed__session *s, struct tweed__family *f)
{
    /* relaxed: a guess; others may have more to return, or spawn more */
    if (s->owed_to == f && (load_relaxed(&f->flight) & TWEED__IN_FLIGHT) == s->owed)
        tweed__jobs_return(s);
}

static bool is_over(struct tweed__family *f)
{
    /* acquire: with family_return(), what the tasks did */
    return !(load_acquire(&f->flight) & TWEED__IN_FLIGHT);
}

/* True: it is over, or something was announced after the ticket was taken. */
static bool spin(struct tweed__session *s, struct tweed__family *f, uint32_t ticket)
{
    struct tweed__team *team = s->worker->team;
    uint64_t spin_ns = team_spin_ns(team), start = spin_ns ? tweed__clock() : 0;

    while (!is_over(f) && tweed__sleep_ticket(&team->sleep) == ticket) {
        if (!spin_ns || tweed__clock() - start >= spin_ns)
            return false;
        tweed__pause();
    }
    return true;
}

typedef bool take_fn(struct tweed__session *s, tweed__where outer, struct tweed__job *job);

/* Says that it sleeps, looks for a job once more, and sleeps until something is announced
   after the ticket was taken; for ns at most, 0: for ever.  (A loop that was not seen
   before the ticket has been announced after it.)  True: it was. */
static bool sleep_once(struct tweed__session *s, uint32_t ticket, uint64_t ns, take_fn *take,
                       tweed__where outer)
{
    struct tweed__team *team = s->worker->team;
    struct tweed__sleep *z = &team->sleep;
    int outside = s->worker->index == 0;
    struct tweed__job job;
    bool found;

    fetch_add_relaxed(&tweed__awake, outside); /* it is not among those counted */
    tweed__sleep_enter(z);
    tweed__jobs_awake(team);
    s->insists = true;
    found = take(s, outer, &job);
    s->insists = false;
    if (!found) {
        if (ns)
            tweed__sleep_wait_for(z, ticket, wake_mask(s->worker->index), ns, s->tally);
        else
            tweed__sleep_wait(z, ticket, wake_mask(s->worker->index), s->tally);
        tweed__jobs_awake(team);
        /* it may have been meant for another one, who may share the bit */
        if (tweed__sleep_ticket(z) != ticket)
            tweed__sleep_pass_on(z, 2, UINT32_MAX, s->tally);
    }
    tweed__sleep_leave(z);
    fetch_sub_relaxed(&tweed__awake, outside);
    if (found) {
        tweed__jobs_pass_on(s);
        tweed__jobs_run(s, &job);
    }
    return found || tweed__sleep_ticket(z) != ticket;
}

static void wait_for(struct tweed__session *s, struct tweed__family *f)
{
    struct tweed__team *team = s->worker->team;
    tweed__where it = where_of_family(f);
    uint64_t mask = (uint64_t)wake_mask(s->worker->index) << TWEED__MASK_SHIFT;

    while (!is_over(f)) {
        uint32_t ticket = tweed__sleep_ticket(&team->sleep);

        if (help(s, it)) {
            return_last(s, f);
            continue;
        }
        tweed__jobs_return(s);
        if (spin(s, f, ticket))
            continue;
        /* seq_cst: see family.c.  weaker: any order would do, since flight is one word, and
           is acquired by is_over() */
        if (fetch_or_seq_cst(&f->flight, mask) & TWEED__IN_FLIGHT)
            (void)sleep_once(s, ticket, 0, tweed__jobs_take_within, it);
    }
    tweed__tsan_acquire(&f->flight);
}

void tweed__sync_family(struct tweed__team *team, struct tweed__family *f)
{
    struct tweed__session s;

    if (is_over(f)) {
        tweed__tsan_acquire(&f->flight);
        return;
    }
    tweed__jobs_begin(&s, team);
    wait_for(&s, f);
    tweed__jobs_end(&s);
}

/* ---- any job ---- */

static bool take(struct tweed__session *s, tweed__where unused, struct tweed__job *job)
{
    (void)unused;
    return tweed__jobs_take(s, job);
}

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

/* The condition is the program's: as a body. */
static bool is_true(struct tweed__session *s, int (*condition)(void *arg), void *arg)
{
    bool running BODY_GUARD = true;
    int yes;

    s->part.family = 0; /* it is in no task, though it has executed some */
    tweed__self.here = &s->part;
    yes = condition(arg);
    tweed__self.here = s->part.outer;
    running = false;
    return yes;
}

/* True: it has executed something, or there is something new; false: the time is over. */
static bool try_or_sleep(struct tweed__session *s, uint32_t ticket, bool spins)
{
    struct tweed__team *team = s->worker->team;

    return try_one(s) ||
           (spins && tweed__sleep_spin(&team->sleep, looking_of(s->worker), ticket,
                                      team_spin_ns(team), s->tally)) ||
           sleep_once(s, ticket, POLL_NS, take, 0);
}

void tweed__sync_until(struct tweed__team *team, int (*condition)(void *arg), void *arg)
{
    struct tweed__session s;
    bool spins = true;

    tweed__jobs_begin(&s, team);
    /* seq_cst: before a look at the condition, with family_return().  weaker: acq_rel would
       do, since the condition is polled besides */
    fetch_add_seq_cst(&team->watched, 1);
    for (;;) {
        uint32_t ticket = tweed__sleep_ticket(&team->sleep);

        if (is_true(&s, condition, arg))
            break;
        spins = try_or_sleep(&s, ticket, spins);
    }
    fetch_sub_relaxed(&team->watched, 1); /* a task that still counts it tells nobody */
    tweed__jobs_end(&s);
}

/*
 * thread.c - what a worker's thread does: helps, or sleeps until it can.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "thread.h"
#include "crowd.h"
#include "jobs.h"
#include "slot.h"

/* ---- who executes this body ---- */

int tweed_worker_index(void)
{
    return tweed__self.here ? tweed__self.here->index : -1;
}

int tweed_worker_node(void)
{
    return tweed__self.here ? tweed__self.here->node : -1;
}

/* ---- the life of a worker's thread ---- */

/* Where work may come from, in the order in which a thread looks. */
static bool (*const sources[])(struct tweed__worker *w) = { tweed__slot_look,
                                                            tweed__jobs_look };

/* Works on what one source has.  False: there is nothing to do. */
static bool look_round(struct tweed__worker *w)
{
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        if (sources[i](w))
            return true;
    return false;
}

static void call_hook(const struct tweed__worker *w, tweed_worker_fn *hook)
{
    bool running BODY_GUARD = true;

    if (hook)
        hook(w->index, w->team->hook_arg);
    running = false;
}

void *tweed__thread_main(void *arg)
{
    struct tweed__worker *w = arg;
    struct tweed__team *team = w->team;
    bool waited = false;

    tweed__self.worker = w;
    TRACE_WORKER(&w->who);
    tweed__self.seed = w->seed;
    call_hook(w, team->on_start);
    for (;;) {
        uint32_t ticket = tweed__sleep_ticket(&team->sleep);

        /* pairs with tweed__team_end().  weaker: relaxed would do, for nothing is
           read after it */
        if (load_acquire(&team->stop))
            break;
        if (waited)
            tweed__jobs_awake(team);
        waited = false;
        if (look_round(w))
            continue;
        waited = true;
        if (tweed__sleep_spin(&team->sleep, looking_of(w), ticket, team_spin_ns(team),
                              &w->tally))
            continue;
        tweed__crowd_sleep(w); /* until it finds work: see worker_awakes() */
        tweed__jobs_awake(team);
        if (!look_round(w))
            tweed__sleep_wait(&team->sleep, ticket, wake_mask(w->index),
                              &w->tally);
        worker_awakes(w);
        tweed__place_worker(w);
    }
    call_hook(w, team->on_end);
    fetch_sub_relaxed(&tweed__awake, 1); /* see sleep.c */
    return NULL;
}

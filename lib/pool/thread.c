/*
 * thread.c - what a worker's thread does: helps, or sleeps until it can.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "pool/above.h"
#include "pool/here.h"
#include "pool/team.h"
#include "pool/wait.h"

/* ---- the worker that executes this body ---- */

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
static bool (*const sources[])(struct tweed__worker *w) = { tweed__work_look,
                                                            tweed__jobs_look };

static bool has_to_end(struct tweed__wait *wait)
{
    /* pairs with tweed__team_end().  weaker: relaxed would do, for nothing is
       read after it */
    return load_acquire(&wait->team->stop);
}

/* Works on what one source has. */
static bool look_round(struct tweed__wait *wait)
{
    if (wait->waited || tweed__self.dozes)
        tweed__jobs_awake(wait->team);
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        if (sources[i](wait->worker))
            return true;
    return false;
}

static bool lie_down_as_worker(struct tweed__wait *wait)
{
    tweed__counts_sleep(wait->worker);
    return true;
}

static void get_up_as_worker(struct tweed__wait *wait)
{
    tweed__counts_wake(wait->worker);
}

static void sleep_as_worker(struct tweed__wait *wait)
{
    tweed__sleep_wait(&wait->team->sleep, wait->ticket, wake_mask(wait->worker->index), 0,
                      wait->tally);
}

static const struct tweed__wait_kind worker_kind = {
    .is_over = has_to_end,
    .help = look_round,
    .lie_down = lie_down_as_worker,
    .get_up = get_up_as_worker,
    .sleep = sleep_as_worker,
    .is_idle = true,
};

void tweed__thread_hook(const struct tweed__team *team, int index, tweed_worker_fn *hook)
{
    bool running BODY_GUARD = true;

    call_begin();
    if (hook)
        hook(index, team->hook_arg);
    call_end();
    running = false;
}

void *tweed__thread_main(void *arg)
{
    struct tweed__worker *w = arg;
    struct tweed__wait wait = { .team = w->team, .worker = w, .tally = &w->tally };

    tweed__self.worker = w;
    TRACE_WORKER(&w->who);
    tweed__self.seed = w->seed;
    tweed__self_name(w->who.pool, w->index, NULL); /* on_start may give another name */
    tweed__thread_hook(w->team, w->index, w->team->on_start);
    tweed__wait(&wait, &worker_kind);
    tweed__thread_hook(w->team, w->index, w->team->on_end);
    awake_add(awake_part(w), -1);
    return NULL;
}

/*
 * runner.c - the thread that executes the submitted tasks of a pool of one worker.
 *
 * SPDX-License-Identifier: MIT
 *
 * A pool of one worker has no thread: each caller executes its own loop.  But a caller
 * that submits a task does not wait for it, and perhaps no other thread ever waits.  So
 * the first task that is submitted to such a pool starts one thread, the RUNNER.
 *
 * To the pool the runner is one more caller from outside, as a thread in
 * tweed_pool_run_until(): worker 0, and the guest of its deque if no other caller is just
 * then.  The runner executes jobs of any group, in bursts.  Between two bursts it has no
 * job, owes no return of one, and is not the guest.
 *
 * The runner waits as workers do (wait.c), and by the same argument (waking.c) misses no
 * job.
 */
#include "config.h"

#include "pool/above.h"
#include "pool/team.h"
#include "pool/wait.h"
#include "task/jobs.h"

#include <string.h>

#define BURST 256 /* jobs; after each burst the runner's figures are added up */

static bool has_to_end(struct tweed__wait *wait)
{
    /* pairs with tweed__team_end().  weaker: relaxed would do, as in thread.c */
    return load_acquire(&wait->team->stop);
}

/* Executes jobs. */
static bool run_jobs(struct tweed__wait *wait)
{
    struct tweed__session s;
    struct tweed__job job;
    int n = 0;

    if (wait->waited || tweed__self.dozes)
        tweed__jobs_awake(wait->team);
    tweed__jobs_begin(&s, wait->team);
    for (; n < BURST && tweed__jobs_take(&s, &job); n++) {
        tweed__jobs_run(&s, &job);
        tweed__jobs_return(&s);
    }
    tweed__jobs_end(&s);
    return n > 0;
}

static void sleep_as_runner(struct tweed__wait *wait)
{
    tweed__sleep_wait(&wait->team->sleep, wait->ticket, wake_mask(0), 0, wait->tally);
}

static const struct tweed__wait_kind runner_kind = {
    .is_over = has_to_end,
    .help = run_jobs,
    .lie_down = tweed__wait_lie_down,
    .get_up = tweed__wait_get_up,
    .sleep = sleep_as_runner,
    .is_idle = true,
};

void *tweed__runner_main(void *arg)
{
    struct tweed__team *team = arg;
    struct tweed__tally none; /* spinning and sleeping of the runner are not counted */
    struct tweed__wait wait = { .team = team, .worker = team->workers[0], .tally = &none };

    memset(&none, 0, sizeof none);
    tweed__self_name(wait.worker->who.pool, 0, "tasks");
    tweed__thread_hook(team, 0, team->on_start);
    tweed__wait(&wait, &runner_kind);
    tweed__thread_hook(team, 0, team->on_end);
    awake_add(0, -1);
    return NULL;
}

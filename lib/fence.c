/*
 * fence.c - one heavy fence for all who want one at the same time.
 *
 * SPDX-License-Identifier: MIT
 *
 * Heavy fences wait for each other, and disturb all who run.  A crowd that is about to sleep
 * (fork.c) would stand in a queue for them, longer than its work takes.  So one pays for
 * all who have come by then:
 *
 *     asks;  mine <- ++wanted             the payer:  w <- wanted;  heavy;  done <- w
 *     done >= mine?  looks
 *
 * 1. If w >= mine, then the payer has acquired what the asker did before it came, and begins
 *    its fence after that.  So a thread whose light fence comes after the heavy one sees what
 *    was asked.
 * 2. A thread whose light fence comes before the heavy one has stored what it has stored
 *    before that: the payer sees it then, and releases it with done to the asker, which looks
 *    when it has acquired done.
 * 3. A fence that had begun before the asker came has w < mine, since wanted only rises, and
 *    is read before the fence.  The asker waits for the next one: for two at most.
 * 4. One pays at a time (fencing), and hands done on with it: so done only rises.
 *
 * If the payer is stopped, the others pay for themselves after a while; so they do if their
 * fence is refused.  The numbers may wrap round: nobody waits for 2^31 others.
 */
#include "config.h"

#include "fence.h"
#include "seam.h"

/* How long a thread waits for the fence of another one. */
#define WAIT_NS TWEED__FENCE_MOST_NS

static bool pay(struct tweed__tally *tally)
{
    uint64_t start = tweed__clock();
    bool done;

    tally_add(tally, heavy_fences, 1);
    done = tweed__fence_heavy();
    tweed__fence_took(tweed__clock() - start);
    return done;
}

static void pay_for_all(struct tweed__team *team, struct tweed__tally *tally)
{
    /* acquire: with each fetch_add() so far: see 1 */
    uint32_t wanted = load_acquire(&team->fence_wanted);

    if (pay(tally))
        store_release(&team->fence_done, wanted); /* see 2, with is_done() */
    /* with the next exchange: see 4.  weaker: relaxed would do, since where done sinks
       somebody pays once more */
    store_release(&team->fencing, 0);
}

static bool is_done(struct tweed__team *team, uint32_t mine)
{
    /* acquire: with pay_for_all() */
    return (int32_t)(load_acquire(&team->fence_done) - mine) >= 0;
}

/* With more threads than CPUs the payer is perhaps stopped: nobody waits then. */
void tweed__fence_shared(struct tweed__team *team, struct tweed__tally *tally)
{
    uint64_t start = tweed__clock(), most = team_has_cpus(team) ? WAIT_NS : 0;
    /* release: see 1.  weaker: release would do, since nothing of others is read by it */
    uint32_t mine = fetch_add_acq_rel(&team->fence_wanted, 1) + 1;

    while (!is_done(team, mine)) {
        /* relaxed: a look first.  acquire: see 4.  weaker: acq_rel would do, since it
           says whose turn it is, and nothing else */
        if (!load_relaxed(&team->fencing) && !exchange_seq_cst(&team->fencing, 1)) {
            pay_for_all(team, tally);
            break;
        }
        if (tweed__clock() - start >= most) {
            (void)pay(tally);
            break;
        }
        tweed__pause();
    }
}

/*
 * fence.c - one heavy fence for all threads that want one at the same time.
 *
 * SPDX-License-Identifier: MIT
 *
 * Heavy fences wait for each other, and disturb all running threads.  If each of many
 * thieves, or of many threads that are about to sleep (fork.c), made its own, the last would
 * wait longer than its work takes.  So one thread, the PAYER, makes one fence for all
 * threads that have asked by then, the ASKERS:
 *
 *     asker:  asks;  mine <- ++wanted     payer:  w <- wanted;  heavy;  done <- w
 *             done >= mine?  looks
 *
 * 1. If w >= mine, the payer has acquired what the asker did before its ++wanted, and
 *    begins its fence after that.  So a thread whose light fence comes after the heavy
 *    one sees what the asker has asked.
 * 2. A thread whose light fence comes before the heavy one has made its store before that:
 *    the payer sees the store then, and releases it with done to the asker, which looks
 *    after it has acquired done.
 * 3. A fence that had begun before the asker's ++wanted has w < mine, since wanted only
 *    rises, and the payer reads it before the fence.  The asker waits for the next fence:
 *    for two at most.
 * 4. One thread pays at a time (fencing), and hands done on with that word: so done only
 *    rises.
 *
 * A heavy fence is one of all threads of the process, so there is one set of words for all
 * pools.  If the payer is stopped, or its fence is refused, the askers pay for themselves
 * after a while.
 */
#include "config.h"

#include "range/fence.h"
#include "range/glance.h"

struct tweed__fences tweed__fences;

/* False: the fence was refused. */
static bool pay_for_all(struct tweed__tally *tally)
{
    /* acquire: with each fetch_add() so far: see 1 */
    uint64_t wanted = load_acquire(&tweed__fences.wanted);
    bool done = tweed__fence_timed(tally);

    if (done)
        store_release(&tweed__fences.done, wanted); /* see 2, with is_done() */
    /* with the next payer's exchange: see 4.  weaker: relaxed would do, since where done
       sinks a thread pays once more */
    store_release(&tweed__fences.fencing, 0);
    return done;
}

static bool is_done(uint64_t mine)
{
    /* acquire: with pay_for_all() */
    return load_acquire(&tweed__fences.done) >= mine;
}

bool tweed__fence_shared(uint64_t ns, struct tweed__tally *tally)
{
    uint64_t start = tweed__clock();
    /* release: see 1.  weaker: release would do, since the asker reads nothing of others
       by it */
    uint64_t mine = fetch_add_acq_rel(&tweed__fences.wanted, 1) + 1;

    while (!is_done(mine)) {
        /* relaxed: a look first.  acquire: see 4.  weaker: acq_rel would do, since the
           word says which thread pays, and nothing else */
        if (!load_relaxed(&tweed__fences.fencing) &&
            !exchange_seq_cst(&tweed__fences.fencing, 1))
            return pay_for_all(tally);
        if (tweed__clock() - start >= ns)
            return tweed__fence_timed(tally);
        tweed__pause();
    }
    return true;
}

void tweed__fence_after_fork(void)
{
    store_relaxed(&tweed__fences.fencing, 0); /* relaxed: the child has one thread so far */
}

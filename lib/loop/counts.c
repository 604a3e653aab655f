/*
 * counts.c - what the workers of a node count together.
 *
 * SPDX-License-Identifier: MIT
 *
 * BLOCKS.  Of a thousand workers that return blocks to one count each waits for all
 * workers before: the line of the count goes from one worker to the next.  So the workers
 * of a node put together the blocks that they return, and one of the workers returns the
 * sum to the loop's count.
 *
 * For each slot a node has a word on a line of its own:
 *
 *     held = holders << 32 | blocks
 *
 *     holders  shares of its seats that no worker has claimed and that are not empty, and
 *              workers that hold blocks: a range, or some that they have disposed of
 *     blocks   blocks that were disposed of and are not returned to the loop yet
 *
 *     share        the publisher writes how many shares there are
 *     claim        nothing: the share was counted, now its worker is
 *     steal        the worker was no holder: holders++                      (hold)
 *                  the loot is a share that no worker has claimed:
 *                  holders-- of the node of that seat                      (drop)
 *     return       holders--, blocks += what the worker has disposed of     (return)
 *     last holder  the thread that makes holders 0 takes all blocks by a
 *                  compare-and-swap, and returns them to the loop's count
 *
 * NO BLOCK IS FORGOTTEN.  While blocks > 0 there is a holder, or a thread between the
 * step by which it has made holders 0 and its compare-and-swap.  If the compare-and-swap
 * fails the word has changed.  Either another thread has taken the blocks; or a holder has
 * come, which will return, and is then the last holder or leaves another one.  The
 * compare-and-swap takes the blocks that are there, however often the word has been the
 * same before: so no block is returned twice.
 *
 * NO THREAD WAITS for a thread that has no blocks: the last holder is the last worker that
 * had some.  A worker returns its blocks when it finds nothing more on its own node: to
 * look on other nodes takes longer than all else.
 *
 * NOTHING TO STEAL.  A seat whose range is not empty has a holder in its node.  An
 * unclaimed share is a holder.  The seat's worker, once it has claimed the share, is one
 * until the range is drained.  A thief becomes one, by hold(), before it makes a range of
 * its loot on its own seat.  So a thief that finds no holder in a node passes by all
 * seats of the node.  For a thread that is about to sleep (sleep.c), the sleeper, one
 * look at the node's word is as good as a look at each seat.  Let the sleeper's look
 * find no holder, and let a worker of the node make a range of its loot afterwards.  The
 * worker's hold() comes after the sleeper's look, since the look has not seen it.  The
 * worker's show() of the range comes after its hold(), and its look at the waiters after
 * its show(): so it sees the sleeper.  The sleeper's look, hold(), show() and the look at
 * the waiters are sequentially consistent.
 *
 * IS IT OVER?  A worker reads the loop's count before the node's blocks.  The blocks that
 * it finds at the node were in the loop's count when it read that count.  If the loop's
 * count is the sum of these blocks and of the worker's own no other thread has any.
 *
 * WHICH LOOPS ARE COUNTED SO.  Loops of which all workers have a share, in a team on
 * several nodes: is_for_nodes() in publish.c.  In others the loop's count is the only one.
 *
 * ORDER.  What a body wrote happens before the return of the call: by the return to the
 * node, the compare-and-swap that reads it, or what comes of it, and the return to the
 * loop.  Each is a read-modify-write that acquires and releases.
 *
 * SLEEPERS.  `asleep` is how many threads of a node are counted as asleep; while it is
 * not 0 the pool's `waiters` (sleep.c) has 1 for all of them:
 *
 *     sleep    asleep = 0: waiters++ first, then asleep: 0 -> 1 by compare-and-swap;
 *              a thread that is not the first after all takes its 1 away again
 *              asleep > 0: asleep: n -> n+1 by compare-and-swap
 *     wake     asleep--; the thread that has made it 0: waiters--
 *
 * So before a thread raises `asleep`, and until the thread lowers it, there is a 1 in
 * `waiters`.  All these steps are sequentially consistent as in sleep.c: a thread that
 * announces sees the 1, or the sleeper's next look at the event comes later.  Between
 * asleep-- and waiters-- there is a 1 too many: at worst a call that wakes no thread.
 *
 * If each sleeper counted itself in `waiters` the first loop after a pause, with all
 * workers asleep, would take longer (t/sim/simulate gap=1000000): 475 us instead of 469
 * with 256 workers, and 8,071 instead of 357 with 1,024.
 */
#include "config.h"

#include "loop/counts.h"
#include "pool/above.h"

/* ---- sleepers ---- */

/* Of a worker of one of several nodes. */
static void join_sleepers(struct tweed__sleep *z, _Atomic uint32_t *asleep)
{
    uint32_t before = load_relaxed(asleep); /* a guess: the compare-and-swap decides */
    bool counted = false;

    do {
        if (before == 0 && !counted) {
            tweed__sleep_enter(z);
            counted = true;
        }
        /* seq_cst: after the enter() of the thread that was the first, before this
           thread's looks.  weaker: acq_rel would do: that enter() is sequentially
           consistent, and happens before these looks by the first thread's release and
           this one's acquire */
    } while (!cas_seq_cst(asleep, &before, before + 1));
    if (counted && before > 0)
        tweed__sleep_leave(z); /* another thread was the first */
}

void tweed__counts_sleep(struct tweed__worker *w)
{
    if (w->counts)
        join_sleepers(&w->team->sleep, &w->counts->asleep);
    else
        tweed__sleep_enter(&w->team->sleep);
}

void tweed__counts_wake(struct tweed__worker *w)
{
    /* acq_rel: leave() comes after the enter() of the first thread.  weaker: any order
       would do, since this thread has joined after that, and has acquired it then */
    if (!w->counts || fetch_sub_acq_rel(&w->counts->asleep, 1) == 1)
        tweed__sleep_leave(&w->team->sleep);
}

/* ---- blocks ---- */

static _Atomic uint64_t *held_of(struct tweed__part *p, int group)
{
    return &p->team->node_counts[group]->slots[p->slot].held;
}

void tweed__counts_deal(struct tweed__part *p, int group, uint32_t shares)
{
    _Atomic uint64_t *held = held_of(p, group);

    check(load_relaxed(held) == 0);
    /* relaxed: released with the bit in active (publish.c), as the shares are */
    store_relaxed(held, shares * TWEED__HOLDER);
}

void tweed__counts_hold(struct tweed__part *p)
{
    /* seq_cst: before show() and hint()'s look at the waiters (sleep.c); pairs with the
       sleeper's look in has_some(), see NOTHING TO STEAL */
    fetch_add_seq_cst(counts_held(p), TWEED__HOLDER);
}

/* The caller has made the word `now`.  False: another thread returns the word's blocks. */
static bool return_all(struct tweed__part *p, _Atomic uint64_t *held, uint64_t now)
{
    /* acquire: the bodies of threads that have returned meanwhile, if the word is the same
       again.  weaker: acquire would do, for tweed__end_return() passes them on */
    if (now >= TWEED__HOLDER || now == 0 || !cas_acq_rel(held, &now, 0))
        return false;
    (void)tweed__end_return(&slot_of(p)->remaining, (uint32_t)now, tally_of(p));
    return true;
}

void tweed__counts_return(struct tweed__part *p, uint32_t done)
{
    _Atomic uint64_t *held = counts_held(p);
    uint64_t change = done - TWEED__HOLDER; /* modulo 2^64 */
    /* release: this thread's bodies, to return_all() of the thread that takes the blocks.
       acquire: so that the last holder passes on the bodies of the others.  weaker:
       release would do, for return_all() acquires all of the release sequence */
    uint64_t now = fetch_add_acq_rel(held, change) + change;

    check(done > 0);
    if (!return_all(p, held, now))
        tally_add(tally_of(p), returns, 1);
}

void tweed__counts_drop(struct tweed__part *p, int seat)
{
    _Atomic uint64_t *held = held_of(p, p->team->workers[seat]->group);

    /* acq_rel: as in return.  weaker: any order would do: there are no bodies to pass on
       here, and return_all() acquires those of others */
    (void)return_all(p, held,
                     fetch_sub_acq_rel(held, TWEED__HOLDER) - TWEED__HOLDER);
}

bool tweed__counts_is_over(struct tweed__part *p, uint32_t done)
{
    /* acquire: before the look at the node's word, see IS IT OVER.  weaker: relaxed would
       do: a thread that leaves too early helps no more, and has returned its own */
    uint32_t left = load_acquire(&slot_of(p)->remaining) & ~TWEED__CALLER_ASLEEP;

    return left == done + (uint32_t)load_relaxed(counts_held(p));
}

bool tweed__counts_has_some(struct tweed__part *p, int group)
{
    /* seq_cst: after enter() or the bit of tweed__end_lie_down() (sleep.c), with hold() */
    return load_seq_cst(held_of(p, group)) >= TWEED__HOLDER;
}

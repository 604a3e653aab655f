/*
 * protocol.c - each step of the range protocol by hand, owner and thieves in one
 * thread.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "protocol.h"

/* ---- the seat without an owner ---- */

static void unclaimed(void)
{
    reset(true);
    ok(is_drained() && tweed__range_wealth(&range) == 0 &&
           steal(1) == TWEED__NOTHING && !tweed__range_claim(&owner),
       "cleared: nothing to see, to steal or to claim");
    tweed__range_share(&range, 7, 7);
    ok(is_drained() && steal(1) == TWEED__NOTHING, "an empty share");

    tweed__range_share(&range, 100, 200);
    ok(looks(0, 100, 200, UNCLAIMED - 1) && tweed__range_wealth(&range) == 100,
       "a share of 100");
    ok(tweed__range_claim(&owner) && owner.first == 100 &&
           load_relaxed(&range.low) == 101 && is(175, 200, OWNED),
       "the owner claims it, and a quarter may be stolen at once");
    ok(!tweed__range_claim(&owner), "and claims once only");

    reset(true);
    tweed__range_share(&range, 0, 11);
    ok(steal(1) == TWEED__UNBEGUN && marked(0, 11, 1) && is(0, 0, UNCLAIMED) &&
           tweed__range_wealth(&range) == 0 && steal(2) == TWEED__NOTHING,
       "of a share that is not claimed a thief takes all");
    ok(!tweed__range_claim(&owner), "then its owner claims nothing");
    tweed__range_install(&owner, 3, 4);
    ok(is(4, 4, OWNED) && owner.first == 3 && tweed__range_wealth(&range) == 0 &&
           steal(1) == TWEED__NOTHING,
       "but may install loot; a block in execution cannot be stolen");
    next = 4;
    ok(!take() && is_drained() && given_up == 0, "and drains it");
}

/* ---- owner and steal range ---- */

static void owned(void)
{
    uint64_t slow;
    bool fair = true;

    begin_with(0, 100, true);
    ok(is(75, 100, OWNED) && looks(1, 75, 100, -1) &&
           tweed__range_wealth(&range) == 25, "install exposes a quarter");
    ok(stolen(4, 75, 100) && is(75, 75, OWNED), "a steal takes all of that");
    ok(take() && is(56, 75, OWNED) && next == 2,
       "expose: the owner's next take exposes a quarter of the rest");
    ok(tweed__range_wealth(&range) == 19, "which is to be had again");
    take_all();
    ok(marked(0, 100, 1) && is_drained(), "the owner runs all that is left");

    begin_with(0, 1000, true);
    while (next < 900) {
        uint32_t mid = mid_of(load_relaxed(&range.S));
        uint32_t high = high_of(load_relaxed(&range.S));

        /* one block of slack: the bound is checked before the take */
        fair &= next > mid || high - mid <= mid - next + 1 + 1 || high - mid <= 1;
        fair &= high == 1000 && mid < high;
        if (!take())
            break;
    }
    ok(fair && next == 900,
       "shrink: the steal range stays at most as long as the private part");
    take_all();
    slow = load_relaxed(&tally.slow_takes);
    ok(marked(0, 1000, 1) && slow >= 4 && slow <= 40,
       "1000 blocks alone: each once, %d slow takes", (int)slow);

    begin_with(0, 2, true);
    ok(is(1, 2, OWNED) && take() && is(2, 2, OWNED) && next == 2,
       "reclaim: the owner takes the last block back from the steal range");
    begin_with(0, 2, true);
    ok(stolen(1, 1, 2) && !take() && is_drained(),
       "or finds it stolen, and is drained");

    begin_with(10, 20, false);
    while (take()) {
        if (next == 13 || next == 15)
            (void)steal(2);
    }
    ok(marked(10, 20, 1) && is_drained(),
       "steals between takes: each block once");
}

/* ---- proposals ---- */

static bool seen_in_hook;

static void look_at_proposal(void)
{
    seen_in_hook = is(56, 75, 4) && tweed__range_wealth(&range) == 0 &&
                   looks(1, 56, 75, 3);
}

static void proposals(bool asymmetric)
{
    const char *mode = asymmetric ? "membarrier" : "exchange";

    private_range(asymmetric);
    seen_in_hook = false;
    in_pause = look_at_proposal;
    ok(stolen(3, 56, 75) && is(56, 56, OWNED), "%s: propose a quarter, resolve",
       mode);
    ok(seen_in_hook, "%s: while proposed it is nobody's to steal", mode);
    ok(load_relaxed(&tally.proposals) == 1 && fences == (asymmetric ? 1 : 0) &&
           load_relaxed(&tally.heavy_fences) == (uint64_t)fences,
       "%s: %d heavy fences", mode, asymmetric ? 1 : 0);
    take_all();
    ok(marked(0, 100, 1), "%s: each block once", mode);

    private_range(asymmetric);
    in_pause = take_in_hook;
    ok(steal(3) == TWEED__RETRY && is(56, 75, OWNED) && fences == 0 &&
           next == 2, "%s: the owner acknowledges: no fence, try again", mode);
    ok(stolen(3, 56, 75), "%s: then it is an ordinary steal", mode);
    take_all();
    ok(marked(0, 100, 1), "%s: each block once", mode);
}

/* The owner took up to here on the fast path and has not seen the proposal: in
   the asymmetric mode the fence makes that visible. */
static void run_on_to_60(void)
{
    mark(next, 60);
    next = 60;
    store_relaxed(&range.low, next);
}

static void run_on_to_75(void)
{
    mark(next, 75);
    next = 75;
    store_relaxed(&range.low, next);
}

static void stale_low(void)
{
    private_range(true);
    in_fence = run_on_to_60;
    ok(stolen(3, 60, 75) && is(60, 60, OWNED),
       "resolve takes nothing that the owner took without looking");
    ok(!take() && marked(0, 100, 1), "each block once");

    private_range(true);
    in_fence = run_on_to_75;
    ok(steal(3) == TWEED__NOTHING && is(75, 75, OWNED),
       "resolve that finds all of it taken leaves an empty steal range");
    ok(!take() && marked(0, 100, 1), "each block once");
    ok(steal(3) == TWEED__NOTHING, "nothing is proposed where nothing is left");
}

/* A proposal made while the owner is in block `at`; nobody resolves it. */
static void propose_at(uint32_t at)
{
    private_range(true);
    mark(next, at + 1); /* without exposing: as if it had seen nothing */
    next = at + 1;
    store_relaxed(&range.low, 1);
    refuse = true;
    (void)steal(3); /* [56, 75) */
    refuse = false;
    store_relaxed(&range.low, next);
}

static void acknowledge(void)
{
    propose_at(0);
    ok(is(56, 75, 4) && load_relaxed(&tally.heavy_fences) == 1,
       "a fence that is refused takes nothing and leaves the proposal");
    ok(take() && is(56, 75, OWNED) && stolen(5, 56, 75),
       "the owner acknowledges it, and it may be stolen");
    take_all();
    ok(marked(0, 100, 1), "each block once");

    propose_at(59);
    ok(take() && next == 61 && is(61, 75, OWNED),
       "acknowledged late: the steal range begins past the owner's block");
    take_all();
    ok(marked(0, 100, 1), "each block once");

    propose_at(74);
    ok(!take() && is_drained(), "acknowledged when all is taken: drained");
    ok(marked(0, 100, 1), "each block once");

    propose_at(0);
    ok(stolen(3, 56, 75) && is(56, 56, OWNED),
       "its proposer may come back and resolve it");
}

/* How long a thief waits for an owner that does not come before it fences. */
static uint64_t wait_before_fence(void)
{
    uint64_t start = now;

    private_range(true);
    return stolen(3, 56, 75) && fences == 1 ? fence_at - start : 0;
}

static void patience(void)
{
    uint64_t start, waited;

    store_relaxed(&tweed__fence_ns, 0);
    fence_takes = 7000;
    waited = wait_before_fence();
    ok(waited >= 50000 && waited < 60000,
       "the first fence is taken to last 50 us: waited for %d ns", (int)waited);
    waited = wait_before_fence();
    ok(waited >= 7000 && waited < 17000,
       "then as long as the last one took, 7 us: waited for %d ns",
       (int)waited);
    fence_takes = 0;
    private_range(false);
    start = now;
    ok(stolen(3, 56, 75) && now - start < 7000,
       "in exchange mode none is waited for");
}

static void overtake(void)
{
    if (steal(7) < TWEED__LOOT)
        seen_in_hook = false;
}

static bool own_in_fence;

static void look_at_overtaking(void)
{
    own_in_fence = is(56, 75, 8);
}

static void take_over(void)
{
    propose_at(0);
    ok(tweed__range_steal(&range, 7, true, false, &tally, &from, &to) ==
               TWEED__PENDING &&
           !is(56, 75, 8),
       "who does not insist passes by another thief's proposal");
    own_in_fence = false;
    in_fence = look_at_overtaking;
    ok(stolen(7, 56, 75) && own_in_fence,
       "a proposal that does not move is taken over, then fenced and resolved");
    take_all();
    ok(marked(0, 100, 1), "each block once");

    propose_at(0);
    in_pause = take_in_hook;
    ok(steal(7) == TWEED__RETRY && is(56, 75, OWNED),
       "one that moves is left to its owner");

    private_range(true);
    seen_in_hook = true;
    in_fence = overtake;
    ok(steal(3) == TWEED__RETRY && seen_in_hook && from == 56 && to == 75,
       "a proposer that was overtaken in its fence gets nothing");
    take_all();
    ok(marked(0, 100, 1), "each block once");

    private_range(true);
    in_fence = take_in_hook;
    ok(steal(3) == TWEED__RETRY && next == 2 && is(56, 75, OWNED),
       "nor one whose proposal was acknowledged in its fence");
    take_all();
    ok(marked(0, 100, 1), "each block once");
}

/* ---- claims of several blocks ---- */

/* The owner tries to claim 70 blocks, and has not looked any further. */
static void reserve_70(void)
{
    seen_in_hook = !tweed__range_reserve(&owner, next, 70);
}

static void claim_70(void)
{
    (void)claim(70);
}

/* All up to 75 is private, none of it worth parting, and the owner in block 1. */
static void unparted_range(void)
{
    private_range(true);
    owner.unit = 1000;
    (void)take();
}

static void claims(void)
{
    begin_with(0, 100, true);
    ok(owner.limit == 51, "the limit of a range of 100 blocks");
    ok(claim(25) && next == 26 && load_relaxed(&range.low) == 26 &&
           is(75, 100, OWNED) && load_relaxed(&tally.slow_takes) == 0,
       "25 blocks up to the limit are claimed together");
    ok(stolen(1, 75, 100) && stolen(3, 62, 75),
       "a thief proposes of what is above them");
    take_all();
    ok(marked(0, 100, 1), "each block once");

    begin_with(0, 100, true);
    (void)steal(1);
    ok(claim(25) && next == 2 && load_relaxed(&range.low) == 2 &&
           is(56, 75, OWNED),
       "a thief was here: no more than one of 25 is the owner's, and low says so");

    unparted_range();
    ok(is(75, 75, OWNED) && owner.limit == 75 && next == 2,
       "nothing is exposed of what is not worth parting");
    seen_in_hook = false;
    in_fence = reserve_70;
    ok(stolen(3, 72, 75) && seen_in_hook && next == 2,
       "a thief that reads low meanwhile leaves alone what was to be claimed");
    ok(take() && next == 3 && load_relaxed(&range.low) == 3,
       "which the owner then takes one by one");
    take_all();
    ok(marked(0, 100, 1), "each block once");

    unparted_range();
    in_fence = claim_70;
    ok(steal(3) == TWEED__RETRY && next == 3 && is(56, 75, OWNED) &&
           stolen(3, 56, 75),
       "one that comes later finds its proposal acknowledged");
    take_all();
    ok(marked(0, 100, 1), "each block once");
}

/* Blocks that the owner does not part with. */
static void unit(void)
{
    private_range(true);
    owner.unit = 60;
    ok(take() && is(61, 75, OWNED),
       "expose: the steal range begins behind 60 blocks of the owner's");

    begin_with(0, 100, true);
    owner.unit = 45;
    (void)claim(50);
    ok(take() && is(95, 100, OWNED), "shrink: the same");

    begin_with(0, 100, true);
    owner.unit = 55;
    (void)claim(50);
    ok(take() && is(100, 100, OWNED) && owner.limit == 100,
       "shrink: all is taken back when less is left than the owner parts with");
    ok(steal(2) >= TWEED__LOOT && from == 88 && to == 100,
       "but a thief that asks gets its quarter");

    for (int k = 0; k < 2; k++) {
        propose_at(59);
        (void)take();
        owner.unit = k ? 14 : 12;
        ok(next == 61 && take() && next == 62 && is(k ? 75 : 73, 75, OWNED),
           k ? "reclaim: all is taken back" : "reclaim: all but what is worth it");
    }
}

/* ---- what a thief leaves to the owner for a while ---- */

static uint64_t ns_of_leave(uint32_t blocks)
{
    uint64_t start = now;

    tweed__range_leave(&range, blocks);
    return now - start;
}

static void steal_in_pause(void)
{
    (void)steal(5);
}

static void leaves(void)
{
    begin_with(0, 100, true); /* [75, 100) may be stolen */
    ok(ns_of_leave(99) == 0,
       "a steal range beside more than the thief can do meanwhile: no wait");
    ok(ns_of_leave(100) >= LEAVE_NS && ns_of_leave(UINT32_MAX) >= LEAVE_NS &&
           is(75, 100, OWNED), "all could be done meanwhile: it is left alone");
    ok(ns_of_leave(100) < 4 * LEAVE_NS, "... for two microseconds");
    in_pause = steal_in_pause;
    ok(ns_of_leave(100) < LEAVE_NS && is(75, 75, OWNED),
       "... or until something has changed");
    take_all();
    ok(ns_of_leave(100) == 0, "drained: no wait");
    private_range(true);
    ok(ns_of_leave(100) == 0, "nothing to be stolen: no wait");
    propose_at(0);
    ok(ns_of_leave(100) == 0, "proposed: no wait");
    reset(true);
    tweed__range_share(&range, 0, 4);
    ok(ns_of_leave(100) == 0, "unclaimed: no wait");
}

/* A private part stands for a while before a thief proposes. */
static void waits(void)
{
    uint64_t start;

    propose_ns = 5000;
    private_range(false);
    start = now;
    ok(stolen(3, 56, 75) && now - start >= 5000 &&
           load_relaxed(&tally.proposals) == 1,
       "a thief proposes when the private part has stood for a while");
    private_range(false);
    in_pause = take_in_hook;
    ok(steal(3) == TWEED__RETRY && load_relaxed(&tally.proposals) == 0 &&
           next == 2, "not if the owner has changed it meanwhile");
    private_range(false);
    in_pause = run_on_to_75;
    ok(steal(3) == TWEED__NOTHING && load_relaxed(&tally.proposals) == 0 &&
           is(75, 75, OWNED), "nor if the owner has taken all of it");
    propose_ns = 0;
}

int main(void)
{
    plan(86);
    unclaimed();
    owned();
    proposals(true);
    proposals(false);
    stale_low();
    acknowledge();
    patience();
    take_over();
    claims();
    unit();
    leaves();
    waits();
    ok(tweed__range_wealth(&range) == 0, "nothing is left");
    return done_testing();
}

/*
 * cut.c - ranges of a loop that is cut: what the owner gives up, and what others take; and
 * all steps at random, cut or not.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "protocol.h"

/* ---- a loop that is cut ---- */

static void steal_in_hook(void)
{
    (void)steal(1);
}

static void stop_in_hook(void)
{
    store_relaxed(&cancelled, 0);
}

/* One look at the range. */
static bool go_over_from(int worker, uint32_t at)
{
    bool loot = tweed__range_cancel(&range, worker, at, &from, &to);

    if (loot)
        mark(from, to);
    return loot;
}

static bool go_over(int worker)
{
    return go_over_from(worker, load_relaxed(&cancelled));
}

/* Lowers the cut, and looks at the range once, as who cuts a loop. */
static bool cancelled_by(int worker, uint32_t at)
{
    store_relaxed(&cancelled, at);
    return go_over(worker);
}

static void stopped_by_others(void)
{
    reset(true);
    ok(!cancelled_by(2, 0) && is_drained(), "what is drained is left alone");
    tweed__range_share(&range, 10, 20);
    ok(cancelled_by(2, 0) && from == 10 && to == 20 && is(10, 10, UNCLAIMED) &&
           !go_over(2) && !tweed__range_claim(&owner),
       "a share whose owner has not come is taken");

    begin_with(0, 100, true);
    ok(cancelled_by(2, 0) && from == 75 && to == 100 && is(75, 75, OWNED),
       "a steal range is taken");
    ok(!go_over(2) && is(56, 75, 3), "of a private part a quarter is proposed");
    ok(!go_over(4) && is(56, 75, 3), "a proposal is left alone");
    ok(!claim(10) && given_up == 74 && is_drained(),
       "and the owner gives up what it has");
    ok(marked(0, 100, 1), "each block once");

    begin_with(0, 1, true);
    ok(!cancelled_by(2, 0) && is(1, 1, OWNED), "all seems to be taken: that is left alone");
    begin_with(0, 100, true);
    in_cas = steal_in_hook;
    ok(!cancelled_by(2, 0) && from == 75 && to == 100 && is(56, 75, 3),
       "a thief is faster: another look");
    in_cas = NULL;
    private_range(true);
    in_cas = take_in_hook;
    ok(cancelled_by(2, 0) == false && is_drained() && given_up == 74,
       "the owner is faster, and sees the cut itself");
    ok(marked(0, 100, 1), "each block once");
    private_range(true);
    in_cas = take_in_hook;
    ok(go_over_from(2, 0) && from == 56 && to == 75,
       "the owner has exposed meanwhile: that is taken");
}

/* A search: ranges are below the cut, or above. */
static void cut_by_others(void)
{
    reset(true);
    tweed__range_share(&range, 10, 20);
    ok(!cancelled_by(2, 20) && is(10, 20, UNCLAIMED), "a share below the cut is left alone");
    ok(cancelled_by(2, 10) && from == 10 && to == 20 && is(10, 10, UNCLAIMED),
       "one above the cut is taken");

    begin_with(0, 100, true);
    ok(!cancelled_by(2, 100) && is(75, 100, OWNED), "a range below the cut is left alone");
    begin_with(40, 100, true);
    ok(cancelled_by(2, 40) && from == 85 && to == 100 && is(85, 85, OWNED),
       "of a range above the cut the steal range is taken");
    ok(!go_over(2) && tid_of(load_relaxed(&range.S)) == 3, "... and the owner disturbed");
    ok(!take() && given_up == 44 && is_drained() && marked(40, 100, 1),
       "which gives up what is left");

    begin_with(0, 100, true);
    (void)claim(10);
    ok(cancelled_by(0, next) && from == 75 && to == 100 && !go_over(0) && !take() &&
           given_up == 64 && is_drained() && marked(0, 100, 1),
       "the owner cuts the loop behind its claim, and gives up what is left");
}

static void stopped(bool asymmetric)
{
    const char *mode = asymmetric ? "membarrier" : "exchange";

    begin_with(0, 100, asymmetric);
    store_relaxed(&cancelled, 0);
    ok(!claim(100) && given_up == 99 && is_drained(),
       "%s: the owner asks, and gives all up, its steal range too", mode);

    private_range(asymmetric);
    (void)cancelled_by(2, 0);
    ok(!claim(20) && given_up == 74 && marked(0, 100, 1),
       "%s: ... but for what was stolen", mode);

    private_range(asymmetric);
    in_cas = stop_in_hook; /* the owner is exposing */
    ok(!take() && given_up == 74 && is_drained(),
       "%s: it looks at the cut after each change of its own", mode);

    private_range(asymmetric);
    in_pause = stop_in_hook;
    in_cas = NULL;
    refuse = true;
    (void)steal(3); /* in exchange mode it gets [56, 75) */
    refuse = false;
    ok(!take() && given_up == (asymmetric ? 74 : 55) && marked(0, 100, 1),
       "%s: a proposal that nobody has resolved is the owner's", mode);
    ok(steal(4) == TWEED__NOTHING && steal(3) == TWEED__NOTHING,
       "%s: nothing is left", mode);
}

static void stop_and_drain(void)
{
    store_relaxed(&cancelled, 0);
    (void)take();
}

static void stopped_in_fence(void)
{
    private_range(true);
    in_fence = stop_and_drain;
    ok(steal(3) == TWEED__RETRY && given_up == 74 && marked(0, 100, 1),
       "a proposer whose victim gives up in its fence gets nothing");
}

/* ---- everything at random, against the marks ---- */

static uint32_t claim_next; /* how many blocks the owner claims */

static void take_or_overtake(void)
{
    if (tally.slow_takes % 2 == 0)
        (void)steal(2);
    else if (!is_drained())
        (void)claim(claim_next);
}

static void stop_by_three(void)
{
    store_relaxed(&cancelled, 0);
    while (go_over(3))
        ;
}

/* The owner has found something in its claim. */
static void cut_by_owner(void)
{
    if (next < load_relaxed(&cancelled))
        store_relaxed(&cancelled, next);
    while (go_over(0))
        ;
}

/* One owner's loop; cuts: 1, it is stopped somewhere, by chance; 2, cut. */
static bool script(uint32_t *x, int cuts)
{
    bool more = true, good = true;

    owner.unit = 1 + (*x >> 7) % 5 * ((*x >> 11) % 9);
    while (more) {
        uint32_t begin = next;

        *x = *x * 1664525 + 1013904223;
        claim_next = (*x >> 5) % 3 ? 1 : 1 + (*x >> 17) % 20;
        refuse = (*x >> 13) % 4 == 0;
        in_pause = (*x >> 21) % 4 == 0 ? take_or_overtake : NULL;
        in_fence = (*x >> 25) % 4 == 0 ? take_or_overtake : NULL;
        in_cas = cuts == 1 && (*x >> 19) % 32 == 0 ? stop_by_three : NULL;
        if ((*x >> 29) < 3) {
            (void)steal((int)(*x >> 9) % 3 + 1);
            continue;
        }
        if (cuts && (*x >> 23) % 32 == 0)
            (cuts == 1 ? stop_by_three : cut_by_owner)();
        more = !is_drained() && claim(claim_next);
        good &= !(more && begin >= load_relaxed(&cancelled)); /* none is begun any more */
    }
    return good;
}

static void at_random(bool asymmetric, int cuts)
{
    static const char *const how[] = { "", ", stopped", ", cut" };
    uint32_t x = 12345;
    bool good = true;

    for (int round = 0; round < 3000; round++) {
        uint32_t n = 1 + (uint32_t)round % 1500;

        begin_with(0, n, asymmetric);
        good &= script(&x, cuts) && marked(0, n, 1) &&
                load_relaxed(&range.S) == DRAINED;
    }
    ok(good, "%s: 3000 random scripts%s: each block once, and drained",
       asymmetric ? "membarrier" : "exchange", how[cuts]);
}

int main(void)
{
    plan(37);
    stopped_by_others();
    cut_by_others();
    stopped(true);
    stopped(false);
    stopped_in_fence();
    for (int cuts = 0; cuts <= 2; cuts++) {
        at_random(true, cuts);
        at_random(false, cuts);
    }
    ok(tweed__range_wealth(&range) == 0, "nothing is left");
    return done_testing();
}

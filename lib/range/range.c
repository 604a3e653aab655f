/*
 * range.c - the range protocol: one owner, any number of thieves, no locks.
 *
 * SPDX-License-Identifier: MIT
 *
 * Only this file changes S, the word of a range.  The other word, low, is also stored by
 * the owner's fast path, by the rules below: tweed_reserve_() in tweed/inline.h.
 * (glance.c looks at ranges; word.h has the parts of S; `inside`, beside S, is slot.c's.)
 *
 * THE IDEA.  A seat holds the blocks [low, high) of a loop in two parts:
 *
 *        low              mid              high
 *         |  private part  |  steal range   |
 *         v                v                v
 *     ----[================[~~~~~~~~~~~~~~~~)----
 *      the owner takes one  a thief takes all of it,
 *      by one from here     with one compare-and-swap
 *
 * low is a word of its own, on a line of its own, that the owner alone writes: every
 * block below low is claimed.  mid, high and a thief number are packed into one word S:
 *
 *     tid = 0           owned; [mid, high) may be stolen
 *     tid = k           worker k-1 proposes [mid, high) as the new steal range;
 *                       no thread may take it yet
 *     tid = UNCLAIMED   the owner has not come: all of [mid, high) may be
 *                       stolen, and low means nothing
 *     all ones          DRAINED: the range is empty and has no owner
 *
 * Blocks are offsets 0 .. 2^26-3: no sum overflows, and no block looks like a marker.
 *
 * WHAT EACH DOES.  quarter(l, h) = (l + 3h) / 4.
 *
 *     the owner, which has reserved i, sees     and does
 *     tid = 0, i < mid, no steal range          expose: {quarter(i+1, mid), mid}
 *     tid = 0, i < mid, longer steal range      shrink: {quarter(i, high), high}
 *     tid = 0, i = mid, a steal range           reclaim: {quarter(i+1, high), high}
 *     tid = 0, i >= mid, no steal range         drain
 *     tid = k                                   acknowledge: {x, high},
 *                                               x = min(max(mid, i+1), high)
 *     unclaimed, [i, high)                      claim: {quarter(i+1, high), high}
 *
 *     the thief sees                            and does
 *     drained, or unclaimed and empty           nothing
 *     unclaimed                                 takes all: {mid, mid, UNCLAIMED}
 *     tid = 0, a steal range                    steal: {mid, mid}
 *     tid = 0, no steal range for PROPOSE_NS    propose: {quarter(low, mid), mid, k}
 *     its proposal, acknowledged                steal
 *     its proposal, not acknowledged            resolve: fence; x = max(mid, low);
 *                                               {x, x}; takes [x, high)
 *     another thief's proposal                  looks at other seats; if they have
 *                                               nothing either, and the proposal stands
 *                                               for TAKE_OVER_NS: takes it over
 *
 * The owner keeps `unit` blocks, i among them: those that take UNIT_NS (pace.h).  So
 * split() puts mid at i + unit or above (a shrink, at i + unit - 1), at high at most.
 * A thief makes a range of its loot [a, b) on its own seat: install reserves block a, and
 * exposes a quarter of the others before a is executed.  Loot of one block is executed
 * without a range.
 *
 * GUARANTEES.
 *  (a) Each block is run by exactly one thread: none lost, none twice.
 *  (b) A take is wait-free while no thief comes near: a store, a load, two compares.
 *      Each failed compare-and-swap means that another thread's succeeded (lock-freedom).
 *  (c) A thief that stops anywhere, for ever, holds at most what it has stolen: its
 *      proposal can be taken over or acknowledged.
 *
 * WHICH THREAD MAY CALL WHAT.  clear: the thread that makes the team.  share: the
 * publisher, while the slot is not live and no thread is inside.  claim, install, show,
 * reserve, take: the owner, which otherwise walks its range with a cursor (cursor.c,
 * tweed/inline.h).  steal: any thread inside the slot, not on its own seat.  cancel: any
 * thread inside the slot.  leave, wealth, look: any thread, since these change nothing
 * (glance.c).  What happens beside what:
 *
 *             take  expose shrink reclaim acknowledge drain   steal propose resolve
 *   take       -      -      -      -         -         -     free   free    fence
 *   claim      -      -      -      -         -         -     CAS    never   never
 *   install    -      -      -      -         -         -     none   none    none
 *   steal     free   CAS    CAS    CAS      never      CAS    CAS    CAS     never
 *   propose   free   CAS    CAS    CAS       CAS       CAS    CAS    CAS     CAS
 *   resolve   fence never  never  never      CAS       CAS    never  CAS     CAS (tid)
 *
 *   -      the same thread;  free: no conflict, they touch different blocks
 *   CAS    the word S decides which of the two happened, the loser starts over; a claim
 *          that loses finds nothing left
 *   never  S is a proposal for one of the two, and for the other not; or it is unclaimed
 *          for one, and owned for the other
 *   fence  see (2);  none: no thief changes an S that is drained, or unclaimed and empty
 *   A cancel counts as a steal, or as a propose; also on the canceller's own seat (6).
 *
 * WHY IT IS RIGHT.  The owner may take the blocks [low, mid) without changing S.
 *
 * 1. A steal takes [mid, high) when tid = 0.  The owner never runs a block at or above the
 *    mid of the S it has checked, and to move mid up the owner changes S (reclaim, shrink)
 *    by compare-and-swap.  So owner and thief cannot both have a block of the steal range.
 *    A stale steal that succeeds late because S recurred (ABA) takes what is public at
 *    that moment, and rests on nothing else that the thief has read: still right.
 *
 *    A steal from an unclaimed share [i, high) takes all of the share, and leaves {i, i,
 *    UNCLAIMED}.  The owner's claim takes i, and makes a range of the rest.  Both are
 *    compare-and-swaps that expect {i, high, UNCLAIMED}: one of the two succeeds, and
 *    the other thread finds the share gone.  Such a word does not recur in a loop, since
 *    share() alone makes an S unclaimed that is not empty.  (A quarter would be enough for
 *    the thief.  But an owner that has not come when a thief has nothing else to do may
 *    come late, or have no CPU: all of its share then went to thieves by quarters, each
 *    with a range of its own.)
 *    Thieves read low only where S is owned, or their own proposal: so after the claim.
 *    The claim stores low before its compare-and-swap, which releases low to the load of S
 *    in glance_at().  What share() has stored comes with the slot: released by the bit in
 *    `active` (announce() in publish.c), acquired by is_live() (slot.c).
 *
 * 2. A proposal moves mid *down*, into the owner's part, without asking.  An owner that
 *    has read S before the proposal may still take blocks up to the old mid.  So [mid,
 *    high) is not safe to take until either
 *     - the owner has acknowledged, by a compare-and-swap that clears tid and sets mid
 *       past the block that the owner holds; or
 *     - the proposer has made sure, by the heavy fence, that the proposer sees the low of
 *       any take that did not see the proposal:
 *
 *          owner:  low <- i+1;  light;  s <- S        thief:  S <- proposal;
 *                                                             heavy;  l <- low
 *
 *       Store buffering, forbidden by the pair of fences: if the owner's load missed the
 *       proposal, the thief's load sees low >= i+1.  The thief then takes [max(mid, low),
 *       high), none of which the owner has taken or can take: at its next take the owner
 *       sees the proposal, or what came of the proposal, and compare-and-swaps.
 *    Only the proposer resolves its proposal, after a fence of its own or one that is as
 *    good (fence.c).  No other thread writes the proposer's tid.  So S, which still holds
 *    this tid, has not changed since the proposer's compare-and-swap.  (If S recurred the
 *    same worker did that, and a worker does one thing at a time.)  A thief that takes a
 *    proposal over makes the proposal its own first, and fences after that.
 *
 * 3. An owner may claim c blocks together, with low <- i+c.  If S is as last seen the
 *    blocks below mid are the owner's as with c = 1.  If not, the owner begins none of
 *    them, and reserves i alone anew: low <- i+1.  A thief that read low in between saw
 *    more than is true, so the thief left alone what it might have taken: it puts x =
 *    max(mid, low) into S, so the blocks below x are in the owner's part.  A thief that
 *    reads the lowered value is right, too: the owner has taken none of the others.
 *
 * 4. install stores to S blindly.  S is drained then, or unclaimed and empty: no thief's
 *    compare-and-swap expects such a word.  And no thread carries an old S from an
 *    earlier loop: a thread that is inside pins the slot (slot.c).
 *
 * 5. Nothing is lost: every change of S hands the blocks that leave [low, high) to the
 *    thread whose compare-and-swap it was.  A resolve that finds nothing ({high, high})
 *    gives up no block: low >= high says that all are taken.
 *
 * 6. A loop may be cancelled while it runs: then the blocks from `cancelled` on need not
 *    be executed.  A stop cancels from 0 on.  A search cancels behind the claim in which
 *    it has found something.  A thread that holds such blocks gives them up instead of
 *    running them, and counts them as disposed of: so nothing is lost.
 *
 *    No range lies across a cancellation: the range is below the cancellation, or
 *    above.  For a range has only blocks that are not claimed yet, and the block below
 *    the cancellation was claimed by the canceller.  (The canceller's own range begins
 *    above its claim.)  So an owner at block i, with high > cancelled, has cancelled <=
 *    i: all of [i, high) is to be given up, by one compare-and-swap to DRAINED.  By 1
 *    and 2 the owner may have the private part; of the rest this compare-and-swap says
 *    that no thief had it.  If it replaces a proposal, that acknowledges the proposal.
 *
 *    `cancelled` only falls.  A thread that lowers cancelled, the canceller, then goes
 *    over all ranges (tweed__range_cancel()).  Of a range above the cancellation the
 *    canceller takes what is public: the steal range, or a share that is unclaimed.  If
 *    all is private the canceller proposes, so that S changes.  If all seems to be
 *    taken, or a proposal stands, the canceller does nothing.  An owner looks at
 *    cancelled after each change of S that the owner made itself:
 *
 *          canceller:  cancelled <- c;  S?               owner:  S <- ...;  cancelled?
 *
 *    The canceller's store to `cancelled` and its load of S are sequentially consistent.
 *    So are the owner's change of S and its load of cancelled.  One change of S is not:
 *    install, a release store.  After an install of loot the owner's look at cancelled
 *    comes after a sequentially consistent read-modify-write of S: show().  After an
 *    install of the caller's share nothing is needed: the loop is not yet live, so no
 *    thread has cancelled it.  So either the owner sees the cancellation, or the canceller
 *    sees the owner's S, or a later one.  In this S the canceller finds
 *     - nothing above the cancellation: all is well;
 *     - blocks that the canceller takes, or proposes: then S changes, by the canceller or
 *       by a thread that was quicker;
 *     - a proposal, which the owner has yet to acknowledge, or a thief to resolve;
 *     - no steal range, and low >= mid.  Either all is claimed; or the owner has
 *       reserved too much for the moment (3), since S is not the word that it knew.
 *    Unless all is claimed the owner's next take finds that S has changed, and leaves the
 *    fast path.  If the owner changes S there, it sees the cancellation.
 *
 *    In two cases the owner goes on without a change of S.
 *     - step() returns the S that it was given.  The private part is no longer than a unit:
 *       of a longer one step() would expose some.  A canceller takes the steal range, if any.
 *     - S is again the word that the owner knew.  A thief had proposed, the owner had
 *       reserved too much (3), and so the thief has resolved its proposal as nothing.
 *       That puts the S of before the proposal back.  This S has no steal range, or the
 *       thief would not have proposed; and its private part was no longer than a unit
 *       when the owner made it, or the owner would have exposed some.
 *    In both cases the owner looks at cancelled before it executes block i.  This look
 *    is not ordered after the owner's store to low.  And on a weak machine the owner's
 *    relaxed load of S does not order what the canceller has written before.  So the
 *    owner may miss the cancellation, and then goes on to mid.  The loop ends later by
 *    one unit, which is as long as a claim.  That is not wrong.
 *
 *    When two threads lower `cancelled` one after the other, the second goes over all
 *    ranges with a lower cancellation: so the first need not go on.
 *
 * THE TWO FENCE MODES.  Asymmetric: light is a compiler barrier, heavy is membarrier(2),
 * which makes every running thread of the process execute a full barrier; either the
 * owner's store came before that barrier and is visible to the thief, or the owner's load
 * came after it and sees the proposal.  Exchange: the take is an exchange on low and a
 * load of S, the proposal a compare-and-swap and the thief's look a load of low, all four
 * sequentially consistent, which forbids the same thing.  Everything else is the same
 * code.  If the system refuses the heavy fence (a filter installed while running), the
 * thief concludes nothing: it leaves its proposal, which the owner will acknowledge.
 * All ranges of a team have one mode.  Its deques may have the other: neither looks at a
 * word of the other's.
 *
 * THE OTHER ORDERS.  Acquire and release on S carry low: claim and install write low
 * before they release S, and a thief reads low after it acquired S, so its low is of this
 * range and not of one before.  What bodies read and wrote is not ordered by S but by the
 * slot: publishing before every body, the remaining count after it.  show() and the load
 * of S in glance_at() are sequentially consistent because of threads that wait for a
 * range to appear (sleep.c), and of cancellers (6).
 *
 * Source: the split range with a movable boundary is folklore of work stealing (Acar,
 * Chargueraud, Rainey, "Scheduling parallel programs by work stealing with private
 * deques", PPoPP 2013, for exposing on request; Dice, Huang, Yang, "Asymmetric Dekker
 * synchronization", 2001, for the fence).
 */
#include "config.h"

#include "range/range.h"
#include "range/glance.h"
#include "range/word.h"

/* How long a private part stands before a thief proposes a quarter of it: blocks that
   the owner would be disturbed for are often done by then.  (The model checker, t/model/,
   takes 0: a proposal after a wait is no new case.) */
#ifndef PROPOSE_NS
#define PROPOSE_NS 1000
#endif

/* Where the steal range of what is left at i shall begin: a quarter from the top,
   but not within the blocks that the owner does not part with. */
static inline uint32_t split(const struct tweed__owner *o, uint32_t i,
                             uint32_t high)
{
    uint32_t mid = (uint32_t)range_even(i, quarter(i, high), o->together);
    uint32_t least = i - 1 + o->unit;

    if (mid < least)
        mid = least;
    return mid < high ? mid : high;
}

/* Block i is the next one.  Sets seen to S, and limit to the end of the claims that need
   no take_slow(): those made while the steal range is no longer than the private part.
   (Half as long would be nearer to a quarter of what is left; but each step costs the
   owner more than the step brings, by make bench KERNELS='saxpy-2^16* call*'.) */
static void see(struct tweed__owner *o, uint32_t i, uint64_t s)
{
    uint32_t mid = mid_of(s), stealable = high_of(s) - mid;
    uint32_t most = mid >= stealable ? mid - stealable + 1 : 0;

    o->seen = s;
    o->limit = stealable ? (uint32_t)range_even(i, most, o->together) : mid;
}

void tweed__range_clear(struct tweed__range *r)
{
    /* relaxed, here and in share: the slot's becoming live releases it */
    store_relaxed(&r->S, DRAINED);
}

void tweed__range_share(struct tweed__range *r, uint32_t begin, uint32_t end)
{
    check(begin <= end && end <= TWEED__MAX_BLOCKS);
    store_relaxed(&r->S, begin < end ? pack(begin, end, UNCLAIMED) : DRAINED);
}

bool tweed__range_claim(struct tweed__owner *o)
{
    struct tweed__range *r = o->range;
    /* relaxed: the worker has acquired share()'s S when it joined.  If a thief has taken
       the share since, the CAS fails */
    uint64_t s = load_relaxed(&r->S), claimed;
    uint32_t i = mid_of(s), high = high_of(s);

    if (tid_of(s) != UNCLAIMED || i == high)
        return false;
    claimed = pack(split(o, i + 1, high), high, OWNED);
    /* relaxed: the CAS releases low; quarter_of_private() and resolve() load it */
    store_relaxed(&r->low, i + 1);
    /* pairs with glance_at()'s acquire, and decides against take_public(): (1).
       weaker: acq_rel would do, though (6) asks for more: a canceller that does not
       see this CAS finds the share unclaimed, and the canceller's own CAS fails */
    if (!cas_seq_cst(&r->S, &s, claimed))
        return false;
    o->first = i;
    see(o, i + 1, claimed);
    return true;
}

void tweed__range_install(struct tweed__owner *o, uint32_t begin, uint32_t end)
{
    struct tweed__range *r = o->range;
    uint64_t s = pack(split(o, begin + 1, end), end, OWNED);

    check(begin < end && end <= TWEED__MAX_BLOCKS);
    check(mid_of(load_relaxed(&r->S)) == high_of(load_relaxed(&r->S)));
    store_relaxed(&r->low, begin + 1);
    store_release(&r->S, s); /* low before S: pairs with glance_at()'s acquire */
    o->first = begin;
    see(o, begin + 1, s);
}

void tweed__range_show(struct tweed__range *r)
{
    /* seq_cst: changes nothing, but tweed__sleep_hint()'s look at waiters comes after it;
       pairs with glance_at()'s load of S */
    (void)fetch_add_seq_cst(&r->S, 0);
}

/* Reserves every block below low, then looks whether a thief has been here: the owner's
   half of the store-buffering pair; the other half is in propose() and resolve(). */
static inline uint64_t reserve(struct tweed__range *r, uint32_t low,
                               bool asymmetric)
{
    if (asymmetric) {
        store_relaxed(&r->low, low); /* ordered by the heavy fence in resolve() */
        fence_light();
        /* relaxed: an S other than the one last seen leads to a CAS, which
           acquires; the same S says nothing new */
        return load_relaxed(&r->S);
    }
    (void)exchange_seq_cst(&r->low, low); /* pairs with resolve()'s load of low */
    return load_seq_cst(&r->S); /* pairs with propose()'s CAS */
}

bool tweed__range_reserve(struct tweed__owner *o, uint32_t i, uint32_t c)
{
    check(c > 0 && i + c <= o->limit);
    return reserve(o->range, i + c, o->asymmetric) == o->seen;
}

/* The first block that the loop has given up. */
static inline uint32_t cancelled_of(const struct tweed__owner *o)
{
    /* seq_cst: after a change of S of the owner's own; pairs with the canceller's lowering
       of `cancelled`, see (6) */
    return o->cancelled ? load_seq_cst(o->cancelled) : TWEED__UNCANCELLED;
}

bool tweed__range_is_cancelled(const struct tweed__owner *o)
{
    return cancelled_of(o) != TWEED__UNCANCELLED;
}

/* What S shall become when the owner, which has reserved block i, sees s.  It may be s
   itself: (6).  *mine: block i is the owner's then; if not, the owner looks again. */
static uint64_t step(const struct tweed__owner *o, uint32_t i, uint64_t s,
                     bool *mine)
{
    uint32_t mid = mid_of(s), high = high_of(s);

    check(tid_of(s) != UNCLAIMED && mid <= high);
    *mine = true;
    if (tid_of(s) != OWNED) { /* acknowledge a proposal */
        *mine = i < high;
        if (i >= high)
            mid = high;
        else if (i >= mid)
            mid = i + 1;
        return pack(mid, high, OWNED);
    }
    if (i < mid && mid == high) /* expose */
        return pack(split(o, i + 1, mid), mid, OWNED);
    if (i < mid) /* shrink: i is past the limit */
        return pack(split(o, i, high), high, OWNED);
    if (mid < high) { /* reclaim */
        check(i == mid);
        return pack(split(o, i + 1, high), high, OWNED);
    }
    return DRAINED;
}

/*
 * The take off the fast path: block i is reserved, s is the S read after that.
 * Taken: o is up to date.
 *
 * Each change of S is seq_cst, which a cancellation asks for: (6).  Release: a thief that
 * acquires the new S reads a low at least as new as the one stored here.  Acquire:
 * the owner's next decision comes after all that the thief did before it changed S.
 */
static bool take_slow(struct tweed__owner *o, uint32_t i, uint64_t s, uint32_t *end)
{
    uint32_t cancelled = cancelled_of(o);

    tally_add(o->tally, slow_takes, 1);
    for (;;) {
        bool mine = false, above = high_of(s) > cancelled;
        uint64_t next = above ? DRAINED : step(o, i, s, &mine);

        /* pairs with the acquire in glance_at(), a canceller's too.  Where S is to stay as
           it is, no CAS is needed */
        if (next != s && !cas_seq_cst(&o->range->S, &s, next))
            continue;
        if (next == DRAINED) { /* [i, *end) is the owner's, to give up: nothing, or (6) */
            check(i <= high_of(s) && (!above || cancelled <= i));
            *end = high_of(s);
            return false;
        }
        cancelled = cancelled_of(o);
        if (mine && high_of(next) <= cancelled) {
            see(o, i + 1, next);
            return true;
        }
        s = next;
    }
}

bool tweed__range_take(struct tweed__owner *o, uint32_t i, uint32_t *end)
{
    uint64_t s = reserve(o->range, i + 1, o->asymmetric);

    if (s == o->seen && i < o->limit && high_of(s) <= cancelled_of(o))
        return true;
    return take_slow(o, i, s, end);
}

/* S is this worker's own proposal and has not been acknowledged: the owner is in
   a long body.  Finds out how far the owner got, and takes what is above. */
static enum tweed__loot resolve(struct tweed__range *r, uint64_t s,
                                bool asymmetric, struct tweed__tally *tally,
                                uint32_t *begin, uint32_t *end)
{
    uint32_t mid = mid_of(s), high = high_of(s);

    /* pairs with reserve()'s light fence */
    if (asymmetric && !TWEED__THIEF_FENCE(tweed__glance_fence_patience(), tally))
        return TWEED__NOTHING; /* the owner will acknowledge some time */
    uint32_t low = load_seq_cst(&r->low); /* pairs with reserve()'s exchange */

    if (low > mid)
        mid = low;
    /* acq_rel, both: pair with take_slow()'s compare-and-swap, which competes if the
       owner has seen the proposal, and with glance_at()'s acquire */
    if (mid >= high) { /* nothing was left; make the range quiet again */
        /* weaker: any order would do, here and below: this hands over nothing but the
           word, and the first change of the word decides */
        (void)cas_acq_rel(&r->S, &s, pack(high, high, OWNED));
        return TWEED__NOTHING;
    }
    /* weaker: any order, as above */
    if (!cas_acq_rel(&r->S, &s, pack(mid, mid, OWNED)))
        return TWEED__RETRY;
    *begin = mid;
    *end = high;
    return TWEED__LOOT;
}

/* One thief's look at a range. */
struct glance {
    struct tweed__range *range;
    uint64_t s; /* the S that the thief saw */
    uint32_t mid, high, me;
    bool asymmetric, insist;
    struct tweed__tally *tally;
    uint32_t *begin, *end;
};

/* What is public, all of it: the steal range, or of an unclaimed share all. */
static bool take_public(struct glance *g)
{
    *g->begin = g->mid;
    *g->end = g->high;
    /* pairs with take_slow()'s, or claim()'s: (1); and decides between thieves; weaker: any
       order would do, as in resolve(), and in (6) the look at S counts */
    return cas_acq_rel(&g->range->S, &g->s, pack(g->mid, g->mid, tid_of(g->s)));
}

/* Puts a proposal in the place of what was seen.  False: S has changed. */
static bool propose(struct glance *g, uint64_t proposal)
{
    /* seq_cst: the thief's half of the store-buffering pair in exchange mode, and
       a canceller's change in (6) */
    return cas_seq_cst(&g->range->S, &g->s, proposal);
}

/* The quarter of a private part that a thief proposes; 0: the part is too small. */
static uint64_t quarter_of_private(const struct glance *g)
{
    /* relaxed: at least the low that was released with S; pairs with the owner's stores */
    uint32_t low = load_relaxed(&g->range->low);

    return low < g->mid ? pack(quarter(low, g->mid), g->mid, g->me) : 0;
}

/* All of the range is private. */
static enum tweed__loot steal_private(struct glance *g)
{
    uint64_t proposal;

    if (!quarter_of_private(g))
        return TWEED__NOTHING;
    /* an owner that is about to end is best left alone */
    if (PROPOSE_NS && tweed__glance_moves(g->range, g->s, PROPOSE_NS))
        return TWEED__RETRY;
    proposal = quarter_of_private(g);
    if (!proposal)
        return TWEED__NOTHING;
    tally_add(g->tally, proposals, 1);
    if (!propose(g, proposal) ||
        tweed__glance_acknowledged(g->range, proposal, g->asymmetric))
        return TWEED__RETRY; /* an ordinary steal will do */
    return resolve(g->range, proposal, g->asymmetric, g->tally, g->begin, g->end);
}

/* A proposal that is not settled: another thief's, to be taken over if S does not change;
   or this thief's own, left by resolve() when the fence was refused, or by cancel(). */
static enum tweed__loot steal_proposed(struct glance *g, uint32_t tid)
{
    uint64_t proposal = pack(g->mid, g->high, g->me);

    if (tid != g->me && !g->insist)
        return TWEED__PENDING;
    if (tid != g->me && tweed__glance_settled(g->range, g->s))
        return TWEED__RETRY;
    if (!propose(g, proposal))
        return TWEED__RETRY;
    return resolve(g->range, proposal, g->asymmetric, g->tally, g->begin, g->end);
}

static struct glance glance_at(struct tweed__range *r, int worker,
                               uint32_t *begin, uint32_t *end)
{
    /* seq_cst: a worker's last look before it sleeps comes after enter(), and a caller's
       after end_lie_down()'s bit: either the look sees what show() shows, or hint() sees
       the waiter (sleep.c).  A canceller's look comes after its cancellation: (6).
       Acquire: pairs with claim, install, take_slow. */
    uint64_t s = load_seq_cst(&r->S);

    return (struct glance){ .range = r, .s = s, .mid = mid_of(s),
                            .high = high_of(s), .me = (uint32_t)worker + 1,
                            .begin = begin, .end = end };
}

enum tweed__loot tweed__range_steal(struct tweed__range *r, int worker,
                                    bool asymmetric, bool insist,
                                    struct tweed__tally *tally, uint32_t *begin,
                                    uint32_t *end)
{
    struct glance g = glance_at(r, worker, begin, end);
    uint32_t tid = tid_of(g.s);

    g.asymmetric = asymmetric;
    g.insist = insist;
    g.tally = tally;
    if (tid != OWNED && tid != UNCLAIMED)
        return steal_proposed(&g, tid);
    if (g.mid == g.high) /* unclaimed: taken, or drained, which looks the same */
        return tid == OWNED ? steal_private(&g) : TWEED__NOTHING;
    if (!take_public(&g))
        return TWEED__RETRY;
    return tid == OWNED ? TWEED__LOOT : TWEED__UNBEGUN;
}

enum tweed__loot tweed__range_cancel(struct tweed__range *r, int worker, uint32_t cancelled,
                                  uint32_t *begin, uint32_t *end)
{
    for (;;) {
        struct glance g = glance_at(r, worker, begin, end);
        uint32_t tid = tid_of(g.s);
        uint64_t proposal;

        if (g.high <= cancelled || (tid != OWNED && tid != UNCLAIMED))
            return TWEED__NOTHING; /* the thread that settles the proposal sees (6) */
        if (g.mid < g.high && !take_public(&g))
            continue;
        if (g.mid < g.high) {
            check(cancelled <= *begin);
            return tid == UNCLAIMED ? TWEED__UNBEGUN : TWEED__LOOT;
        }
        if (tid == UNCLAIMED) /* or drained */
            return TWEED__NOTHING;
        proposal = quarter_of_private(&g);
        if (!proposal || propose(&g, proposal))
            return TWEED__NOTHING;
    }
}

/*
 * protocol.c - each step of the range protocol by hand, owner and thieves in one
 * thread.
 *
 * SPDX-License-Identifier: MIT
 *
 * lib/range.c is compiled into this program, so that the owner's static steps can
 * be called one at a time.  Steps that happen within another one are put into
 * its pauses and heavy fences, which are the only places where it looks away:
 * the wrapped seam calls a hook there.  Its clock is one that each look at it
 * moves on.
 */
#include "tap.h"

#include "../../lib/range.c"

#include <string.h>

#define MOST 4096

bool __real_tweed__fence_heavy(void);
bool __wrap_tweed__fence_heavy(void);
void __real_tweed__pause(void);
void __wrap_tweed__pause(void);
uint64_t __wrap_tweed__clock(void);

static void (*in_fence)(void), (*in_pause)(void);
static int fences;
static bool refuse; /* the system refuses the heavy fence */
static uint64_t now; /* ns, as all below */
static uint64_t fence_at, fence_takes;

/* Each hook runs once, and not within itself. */
static void call_once(void (**hook)(void))
{
    void (*f)(void) = *hook;

    *hook = NULL;
    if (f)
        f();
}

bool __wrap_tweed__fence_heavy(void)
{
    fences++;
    fence_at = now;
    now += fence_takes;
    call_once(&in_fence);
    return !refuse;
}

void __wrap_tweed__pause(void)
{
    call_once(&in_pause);
}

uint64_t __wrap_tweed__clock(void)
{
    return now += 1000;
}

/* ---- one range, its owner, and a mark for each block that was handed out ---- */

static struct tweed__range range;
static struct tweed__tally tally;
static struct tweed__body body;
static struct tweed__owner owner;
static uint32_t next; /* the block that the owner takes next */
static unsigned char marks[MOST];
static uint32_t from, to; /* the last loot */

static void mark(uint32_t begin, uint32_t end)
{
    for (; begin < end; begin++)
        marks[begin]++;
}

/* True if each of the blocks [begin, end) was handed out `times` times. */
static bool marked(uint32_t begin, uint32_t end, int times)
{
    for (; begin < end; begin++)
        if (marks[begin] != times)
            return false;
    return true;
}

static void reset(bool asymmetric)
{
    memset(&tally, 0, sizeof tally);
    memset(marks, 0, sizeof marks);
    memset(&owner, 0, sizeof owner);
    owner.range = &range;
    owner.body = &body;
    owner.tally = &tally;
    owner.asymmetric = asymmetric;
    in_fence = in_pause = NULL;
    fences = 0;
    refuse = false;
    tweed__range_clear(&range);
}

/* The owner holds [begin, end) and is in its first block. */
static void begin_with(uint32_t begin, uint32_t end, bool asymmetric)
{
    reset(asymmetric);
    tweed__range_install(&owner, begin, end);
    mark(begin, begin + 1);
    next = begin + 1;
}

/* The owner ends its block and takes another, as work() does.  False: drained. */
static bool take(void)
{
    uint64_t s = reserve(&range, next + 1, owner.asymmetric);

    if (!(s == owner.seen && next + 1 <= owner.limit) &&
        !take_slow(&owner, next, s))
        return false;
    mark(next, next + 1);
    next++;
    return true;
}

static void take_in_hook(void)
{
    (void)take();
}

static void take_all(void)
{
    while (take())
        ;
}

static enum tweed__loot steal(int worker)
{
    enum tweed__loot loot = tweed__range_steal(
        &range, worker, owner.asymmetric, true, &tally, &from, &to);

    if (loot == TWEED__LOOT)
        mark(from, to);
    return loot;
}

static bool stolen(int worker, uint32_t begin, uint32_t end)
{
    return steal(worker) == TWEED__LOOT && from == begin && to == end;
}

static bool is(uint32_t mid, uint32_t high, uint32_t tid)
{
    return load_relaxed(&range.S) == pack(mid, high, tid);
}

static bool is_drained(void)
{
    return tweed__range_look(&range).drained;
}

/* What a dump would show. */
static bool looks(uint32_t low, uint32_t mid, uint32_t high, int thief)
{
    struct tweed__look look = tweed__range_look(&range);

    return !look.drained && look.unclaimed == (thief == UNCLAIMED - 1) &&
           (look.unclaimed || look.low == low) && look.mid == mid &&
           look.high == high && look.thief == thief;
}

/* ---- the seat without an owner ---- */

static void unclaimed(void)
{
    uint32_t got = 0;

    reset(true);
    ok(is_drained() && tweed__range_wealth(&range) == 0 &&
           steal(1) == TWEED__NOTHING && !tweed__range_claim(&owner),
       "cleared: nothing to see, to steal or to claim");
    tweed__range_share(&range, 7, 7);
    ok(is_drained() && steal(1) == TWEED__NOTHING, "an empty share");

    tweed__range_share(&range, 100, 200);
    ok(looks(0, 100, 200, UNCLAIMED - 1) && tweed__range_wealth(&range) == 100,
       "a share of 100");
    ok(stolen(1, 175, 200) && stolen(2, 157, 175) && is(100, 157, UNCLAIMED),
       "thieves get a quarter of what is left, from the top");
    ok(tweed__range_claim(&owner) && owner.first == 100 &&
           load_relaxed(&range.low) == 101 && is(143, 157, OWNED),
       "the owner claims the rest, and a quarter may be stolen at once");
    ok(!tweed__range_claim(&owner), "and claims once only");

    reset(true);
    tweed__range_share(&range, 0, 11);
    while (steal(1) == TWEED__LOOT && ++got < 100)
        ;
    ok(got == 9 && marked(0, 11, 1) && tweed__range_wealth(&range) == 0 &&
           steal(2) == TWEED__NOTHING,
       "a share of 11 goes to thieves 2, 2, then 1 at a time");
    ok(!tweed__range_claim(&owner), "then its owner claims nothing");
    tweed__range_install(&owner, 3, 4);
    ok(is(4, 4, OWNED) && owner.first == 3 && tweed__range_wealth(&range) == 0 &&
           steal(1) == TWEED__NOTHING,
       "but may install loot; a block in execution cannot be stolen");
    next = 4;
    ok(!take() && is_drained(), "and drains it");
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
        fair &= next > mid || high - mid <= (mid - next + 1) / 2 + 1 ||
                high - mid <= 1;
        fair &= high == 1000 && mid < high;
        if (!take())
            break;
    }
    ok(fair && next == 900,
       "shrink: the steal range stays at most half of the private part");
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

/* The owner is in block 0 of 100 and [75, 100) was stolen: all is private. */
static void private_range(bool asymmetric)
{
    begin_with(0, 100, asymmetric);
    (void)steal(1);
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
    if (steal(7) != TWEED__LOOT)
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

/* ---- everything at random, against the marks ---- */

static void take_or_overtake(void)
{
    if (tally.slow_takes % 2)
        (void)take();
    else
        (void)steal(2);
}

static void at_random(bool asymmetric)
{
    uint32_t x = 12345;
    bool good = true;

    for (int round = 0; round < 3000; round++) {
        uint32_t n = 1 + (uint32_t)round % 300;
        bool more = true;

        begin_with(0, n, asymmetric);
        while (more) {
            x = x * 1664525 + 1013904223;
            refuse = (x >> 13) % 4 == 0;
            in_pause = (x >> 21) % 4 == 0 ? take_or_overtake : NULL;
            in_fence = (x >> 25) % 4 == 0 ? take_or_overtake : NULL;
            if ((x >> 29) < 3)
                (void)steal((int)(x >> 9) % 3 + 1);
            else
                more = take();
        }
        good &= marked(0, n, 1) && load_relaxed(&range.S) == DRAINED;
    }
    ok(good, "%s: 3000 random scripts: each block once, and drained",
       asymmetric ? "membarrier" : "exchange");
}

int main(void)
{
    plan(61);
    unclaimed();
    owned();
    proposals(true);
    proposals(false);
    stale_low();
    acknowledge();
    patience();
    take_over();
    at_random(true);
    at_random(false);
    ok(tweed__range_wealth(&range) == 0, "nothing is left");
    return done_testing();
}

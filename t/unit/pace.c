/*
 * pace.c - how many blocks an owner claims: by time, and by what is left.
 *
 * SPDX-License-Identifier: MIT
 *
 * The clock is one that stands still but for the bodies: each index adds what it is
 * to cost.  First by the cursor alone, where the body itself plays the thief; then
 * through a pool whose other workers are kept busy elsewhere.
 */
/* Each loop is published: what is called through the library remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "meet.h"
#include "range/costs.h"
#include "range/glance.h"
#include "pool/team.h"

#include <limits.h>
#include <string.h>

#define N 10000
#define CLAIM_NS 1280 /* how long a claim may take */
#define CHEAP 10      /* ns an index: a claim is of 128 */
#define STRIP (CLAIM_NS / CHEAP)
#define KNOWN (1024 * CHEAP) /* as it is remembered */
#define DEAR (1500 * CHEAP) /* 16 of them are too dear for a probe */
#define GROWTH 16     /* the rest as in pace.c and pace.h */
#define UNIT (STRIP * 2000 / CLAIM_NS) /* what is not parted */
#define TOGETHER 16
#define LANES 8 /* indices that a vector has */
#define CLAIMS_A_LOOK 4

uint64_t __real_tweed__clock(void);
uint64_t __wrap_tweed__clock(void);

static atomic_int is_real; /* the clock is the system's */
static _Atomic uint64_t now;
static atomic_int looks;

uint64_t __wrap_tweed__clock(void)
{
    if (atomic_load(&is_real))
        return __real_tweed__clock();
    atomic_fetch_add(&looks, 1);
    return atomic_load(&now);
}

/* ---- one owner that walks, and notes what it has claimed ---- */

static struct tweed__range range;
static struct tweed__tally tally;
static struct tweed__part part;
static struct tweed__walker *const walker = &part.walker;
static struct tweed__body body;

static struct claim {
    uint32_t begin, end;
    uint32_t private_part; /* up to mid, when the claim was made */
    int looks;             /* at the clock, until then */
} claim[N];
static int claims;
static int low_is_wrong; /* what thieves see of the owner is not its claim */

static uint32_t dear_from, dear_to; /* these blocks are dear */
static uint64_t fixed; /* ns of each claim, beside its blocks */
static uint64_t first_ns; /* of the first index, beside its own */
static uint64_t vector_ns, left_ns; /* of LANES indices, and of each that is left over; 0:
                                       indices cost what they cost one by one */
static int steal_at[4];             /* the claims in which a thief comes */
static int stop_at = -1;            /* the claim in which the loop is stopped */
static const struct tweed__stops *stops; /* what else may stop it; NULL: nothing */
static uint32_t loot;

static uint32_t length(int k)
{
    return claim[k].end - claim[k].begin;
}

static void steal(void)
{
    uint32_t begin, end;

    if (tweed__range_steal(&range, 1, false, true, &tally, &begin, &end) >=
        TWEED__LOOT)
        loot += end - begin;
}

static void note(const tweed_cursor *c)
{
    uint32_t mid = (uint32_t)(atomic_load(&range.S) >> 38);
    uint64_t ns = fixed;

    if (claims == N)
        bail_out("more claims than blocks");
    if (walker->walk == TWEED__RANGE)
        low_is_wrong += atomic_load(&range.low) != c->end;
    claim[claims] = (struct claim){ c->begin, c->end, mid - c->begin, looks };
    for (int k = 0; k < 4; k++)
        if (steal_at[k] && steal_at[k] == claims)
            steal();
    if (vector_ns)
        ns += (c->end - c->begin) / LANES * vector_ns + (c->end - c->begin) % LANES * left_ns;
    for (uint32_t i = c->begin; i < c->end && !vector_ns; i++)
        ns += (i >= dear_from && i < dear_to ? DEAR : CHEAP) * c->grain;
    if (c->begin == 0)
        ns += first_ns;
    atomic_fetch_add(&now, ns);
    claims++;
}

static void work(tweed_cursor *c)
{
    do {
        note(c);
        if (claims - 1 == stop_at)
            tweed_cursor_stop(c);
    } while (tweed_next(c));
}

static tweed_kind kind = TWEED_KIND_INIT_(CLAIM_NS, work, NULL);

/* The walker has the body, and has not begun. */
static void begin(bool asymmetric)
{
    memset(&part, 0, sizeof part);
    memset(&tally, 0, sizeof tally);
    tweed__cursor_prepare(&body);
    tweed__cursor_init(walker, &body, asymmetric);
    walker->owner.range = &range;
    walker->owner.tally = &tally;
    claims = low_is_wrong = 0;
    loot = 0;
    atomic_store(&looks, 0);
    tweed__range_clear(&range);
}

/* A walker for a loop of so many blocks; the kind remembers this. */
static void prepare(uint32_t blocks, uint64_t grain, uint32_t cost,
                    bool asymmetric)
{
    kind.cost = cost;
    body = (struct tweed__body){ .kind = &kind, .count = blocks * grain,
                                 .grain = grain, .blocks = blocks,
                                 .stops = stops };
    begin(asymmetric);
}

/* All blocks are the owner's range. */
static void walk(uint32_t blocks, bool asymmetric)
{
    uint32_t done;

    prepare(blocks, 1, 0, asymmetric);
    tweed__range_install(&walker->owner, 0, blocks);
    done = tweed__cursor_range(walker, &kind);
    if (done != blocks - loot)
        bail_out("what was done is not what there was");
}

/* ---- what holds of claims ---- */

/* Each claim begins where the one before it ended. */
static bool contiguous(uint32_t end)
{
    for (int k = 0; k < claims; k++)
        if (claim[k].begin != (k ? claim[k - 1].end : 0) || length(k) < 1)
            return false;
    return claims > 0 && claim[claims - 1].end == end;
}

static uint32_t longest(int from, int to)
{
    uint32_t most = 0;

    for (int k = from; k < to; k++)
        most = length(k) > most ? length(k) : most;
    return most;
}

/* The first claim that begins at or above this block. */
static int claim_from(uint32_t block)
{
    int k = 0;

    while (k < claims && claim[k].begin < block)
        k++;
    return k;
}

static void forget(void)
{
    dear_from = dear_to = 0;
    memset(steal_at, 0, sizeof steal_at);
    stop_at = -1;
}

/* ---- the range of a seat ---- */

static void by_time(bool asymmetric)
{
    const char *mode = asymmetric ? "membarrier" : "exchange";
    int settled, few;

    forget();
    walk(N, asymmetric);
    ok(contiguous(N) && low_is_wrong == 0, "%s: the claims join up", mode);
    ok(length(0) == 1 && length(1) == GROWTH && length(2) == STRIP &&
           longest(0, claims) == STRIP,
       "%s: from one on, at most %d times as many, to what takes %d ns", mode,
       GROWTH, CLAIM_NS);
    ok(claim[1].looks == 2 && claim[2].looks == 3,
       "%s: a look at the clock after each claim that grows", mode);
    few = claim_from(N / 2);
    settled = claim[few].looks - claim[2].looks;
    ok(settled > 0 && settled <= (few - 2) / (CLAIMS_A_LOOK - 1) + 4,
       "%s: then for %d claims %d looks", mode, few - 2, settled);
    ok(claims < 2 * N / STRIP, "%s: %d claims in all", mode, claims);
}

/* What takes less than two claims is not parted: all of it is private at once. */
static void units(void)
{
    forget();
    walk(N, true);
    ok(walker->owner.unit == UNIT, "a unit is what takes two microseconds");
    prepare(UNIT, 1, KNOWN, true);
    tweed__range_install(&walker->owner, 0, UNIT);
    ok(tweed__range_wealth(&range) == 0, "a range of a unit is not parted");
    (void)tweed__cursor_range(walker, &kind);
    prepare(2 * UNIT, 1, KNOWN, true);
    tweed__range_install(&walker->owner, 0, 2 * UNIT);
    ok(tweed__range_wealth(&range) == 2 * UNIT - range_even(0, UNIT * 3 / 2, TWEED__IS_UNKNOWN),
       "of two units a quarter may be stolen, from an even place on");
    ok(tweed__cursor_range(walker, &kind) == 2 * UNIT && contiguous(2 * UNIT),
       "... and is the owner's in the end");
}

/* Not where a probe begins. */
#define AGAIN (N / 2 + 4)

static void becomes_dear(void)
{
    int first, cheap, late = 0;

    forget();
    dear_from = N / 4;
    dear_to = AGAIN;
    walk(N, true);
    first = claim_from(N / 4);
    for (int k = first - 1; k < claims && claim[k].begin < AGAIN; k++)
        late += length(k) > 2 && claim[k].end > N / 4; /* 2: a probe */
    ok(contiguous(N) && late <= CLAIMS_A_LOOK,
       "bodies that become 1,500 times as dear: %d long claims, then single ones",
       late);
    cheap = claim_from(AGAIN);
    ok(longest(first + CLAIMS_A_LOOK, cheap) <= 2,
       "... as long as they are dear");
    ok(length(cheap) == 1 && length(cheap + 1) <= GROWTH &&
           longest(cheap, claims) == STRIP,
       "... and claims grow again when they are not");
}

/* A call that takes its time however few indices it is given. */
static void takes_its_time(void)
{
    forget();
    fixed = 5 * CLAIM_NS;
    walk(N, true);
    ok(contiguous(N) && claims < N / STRIP * 4 + 100,
       "what a call takes in any case does not make claims short: %d claims",
       claims);
    fixed = 0;
}

/* The time of the walk is that of whole vectors, but for so many parts in a thousand. */
static bool is_whole(uint64_t began, unsigned thousandths)
{
    uint64_t ideal = N / LANES * vector_ns;

    return (now - began - ideal) * 1000 <= ideal * thousandths;
}

/* The data of the first index come from afar: that is no cost of each claim. */
static void cold_first(void)
{
    forget();
    dear_to = N;
    first_ns = DEAR;
    walk(N, true);
    ok(contiguous(N) && claims > N / 10 * 9 && longest(0, claims) <= TOGETHER,
       "a first index that takes twice as long: %d claims, the longest of %u", claims,
       longest(0, claims));
    first_ns = 0;
}

/* A compiler executes LANES indices at a time; what is left over is dear. */
static void by_vectors(void)
{
    uint64_t began;
    uint32_t cost;

    forget();
    vector_ns = 3 * CLAIM_NS;
    left_ns = 3 * CLAIM_NS;
    began = now;
    walk(N, true);
    ok(contiguous(N) && is_whole(began, 30) && length(0) == 1 && length(1) == 2,
       "what is left over of a vector is dear: %d claims", claims);
    tweed__cursor_learn(walker, &body);
    cost = kind.cost;
    ok(costs_is_together(cost), "... which is remembered");
    prepare(N, 1, cost, true);
    tweed__range_install(&walker->owner, 0, N);
    began = now;
    (void)tweed__cursor_range(walker, &kind);
    ok(contiguous(N) && is_whole(began, 5) && length(0) == TOGETHER,
       "... from the first claim on: %d claims", claims);

    left_ns = vector_ns / LANES;
    prepare(N, 1, cost, true);
    tweed__range_install(&walker->owner, 0, N - 3);
    (void)tweed__cursor_range(walker, &kind);
    tweed__cursor_learn(walker, &body);
    ok(!costs_is_together(kind.cost),
       "... until what is left over is no dearer than the rest");
    left_ns = 3 * CLAIM_NS;
    vector_ns = LANES * left_ns;
    walk(N, true);
    ok(contiguous(N) && longest(0, claims) == TOGETHER &&
           walker->owner.together == TWEED__IS_APART,
       "indices that are dear each: tried once");
    vector_ns = 0;
}

/* A loop that is known to be cheaper in claims of TOGETHER blocks: since each claim has a
   fixed cost, which is not remembered. */
static void fixed_cost_together(void)
{
    forget();
    fixed = 2 * CLAIM_NS;
    prepare(N, 1, TWEED__COST_TOGETHER | ((uint32_t)(64 * fixed) & ~3u), true);
    tweed__range_install(&walker->owner, 0, N);
    (void)tweed__cursor_range(walker, &kind);
    ok(contiguous(N) && length(0) == TOGETHER && claims < N / STRIP * 4 + 100,
       "a fixed cost is found in claims of some blocks, too: %d claims", claims);
    fixed = 0;
}

static void with_thief(bool asymmetric)
{
    const char *mode = asymmetric ? "membarrier" : "exchange";
    uint32_t before;

    forget();
    steal_at[0] = 5; /* when claims are long */
    steal_at[1] = 9;
    steal_at[2] = 10; /* twice: what is private, too */
    steal_at[3] = 11;
    walk(N, asymmetric);
    ok(loot > N / 2 && contiguous(N - loot),
       "%s, with a thief: the claims join up", mode);
    ok(low_is_wrong == 0,
       "%s, with a thief: who is told of a claim's end only if it is made", mode);
    before = loot;
    forget();
    dear_to = N;
    steal_at[0] = 5;
    walk(N, asymmetric);
    ok(loot < before && contiguous(N - loot) && longest(0, claims) <= 2,
       "%s, with a thief: dear bodies one by one", mode);
}

/* A kind may ask for single blocks: nobody looks at the clock then. */
static void one_by_one(void)
{
    forget();
    kind.claim_ns = 0;
    walk(N, true);
    kind.claim_ns = CLAIM_NS;
    ok(contiguous(N) && claims == N && looks == 0,
       "claims of no time: one block each, and no look at the clock");
}

static void lone(void)
{
    forget();
    prepare(N, 1, 0, true);
    tweed__cursor_lone(walker, &kind, 77);
    ok(claims == 1 && claim[0].begin == 77 && length(0) == 1 && looks == 0,
       "a block alone");
}

/* ---- what a kind remembers ---- */

static uint64_t learnt(void)
{
    tweed__cursor_learn(walker, &body);
    return costs_value(kind.cost);
}

static bool about(uint64_t is, uint64_t wanted)
{
    return is >= wanted && is <= wanted + wanted / 100 + 1;
}

static void memory(void)
{
    uint32_t before;

    forget();
    walk(N, true);
    ok(tweed__costs_guess(kind.cost, N) == 0, "a kind knows nothing at first");
    ok(about(learnt(), 1024 * CHEAP) &&
           about(tweed__costs_guess(kind.cost, N), N * CHEAP),
       "it learns what an index costs, and guesses by that");
    before = costs_value(kind.cost);
    prepare(N, 1, before, true);
    tweed__range_install(&walker->owner, 0, N);
    (void)tweed__cursor_range(walker, &kind);
    ok(length(0) >= STRIP - 1 && length(0) <= STRIP && contiguous(N),
       "the first claim is as long as it may be at once: %u", length(0));
    kind.cost = before + before / 8;
    ok(learnt() == before + before / 8, "what is nearly the same is not written");
    kind.cost = before;

    prepare(N / 8, 8, before, true);
    tweed__range_install(&walker->owner, 0, N / 8);
    (void)tweed__cursor_range(walker, &kind);
    ok(length(0) == STRIP / 8 && learnt() == before,
       "blocks of 8 indices: an eighth as many, of the same cost");

    dear_to = N;
    walk(N, true);
    kind.cost = before;
    ok(about(learnt(), 1024 * DEAR), "what is dearer is learnt");
    dear_to = 0;
    walk(N, true);
    kind.cost = 1024 * DEAR;
    ok(about(learnt(), 1024 * CHEAP), "what is cheaper is learnt");

    kind.cost = 0;
    ok(learnt() == 0, "no look, nothing learnt");
}

static void nothing(void)
{
}

static void by_pointer(void)
{
    prepare(N, 1, 1024 * CHEAP, true);
    ok(walker->strip > 1, "a kind with a body of its own begins with what it knows");
    body.fn = nothing;
    tweed__cursor_prepare(&body);
    tweed__cursor_init(walker, &body, true);
    walker->timed_blocks = N;
    walker->timed_ns = N;
    ok(walker->strip == 1 && learnt() == 1024 * CHEAP,
       "a body by pointer, of no place: nothing is learnt or known");
}

/* ---- a loop that nobody else knows of ---- */

static int asked; /* times */
static uint32_t asked_from;
static uint64_t asked_ns; /* since the loop was begun */
static uint64_t began;

static bool refuse(struct tweed__walker *w, uint32_t from)
{
    (void)w;
    asked++;
    asked_from = from;
    asked_ns = now - began;
    return false;
}

static bool share(struct tweed__walker *w, uint32_t from)
{
    (void)refuse(w, from);
    tweed__range_install(&w->owner, from, body.blocks);
    return true;
}

static uint32_t alone(uint32_t blocks, uint32_t cost, uint64_t patience,
                      tweed__share_fn *fn)
{
    prepare(blocks, 1, cost, true);
    asked = 0;
    began = now;
    return tweed__cursor_alone(walker, &body, patience, fn);
}

/* From the k-th on the claims are as long as all before, but for the last. */
static bool doubles(int k)
{
    for (; k < claims - 1; k++)
        if (length(k) != claim[k].begin)
            return false;
    return length(k) <= claim[k].begin;
}

static void walked_alone(void)
{
    uint32_t done;

    forget();
    ok(alone(N, 0, 0, NULL) == N && contiguous(N) && length(0) == GROWTH &&
           doubles(1) && looks == 0,
       "alone, not to be shared: each claim as long as all before, no look at the clock");
    ok(alone(2, 0, 0, NULL) == 2 && claims == 1, "... two blocks in one piece");
    ok(alone(2, KNOWN - 10, 500, share) == 2 && claims == 1 && asked == 0,
       "two blocks that are short: in one piece");
    ok(alone(STRIP / 2, KNOWN, 500, share) == STRIP / 2 && contiguous(STRIP / 2) &&
           length(0) == (STRIP / 2 + GROWTH - 1) / GROWTH && claims == 2 &&
           looks == 3 && asked == 0,
       "short: a look after a sixteenth, and not shared");
    ok(alone(3, KNOWN, 500, share) == 3 && contiguous(3) && asked == 0,
       "of three blocks");
    ok(alone(250, KNOWN, 3000, share) == 250 && contiguous(250) && claims == 2 &&
           length(1) > STRIP && asked == 0,
       "longer than a claim, but short: the rest is the second claim");
    done = alone(420, KNOWN, 3000, share);
    ok(asked == 1 && contiguous(420) && length(1) == STRIP && length(2) == STRIP,
       "not short: claims as long as usual until it is shared");

    done = alone(N, KNOWN, 2500, share);
    ok(asked == 1 && asked_ns >= 2500 && asked_ns < 2500 + CLAIM_NS &&
           contiguous(N) && done == N - asked_from &&
           walker->walk == TWEED__RANGE,
       "shared when it has lasted, and walked on as a range");
    ok(walker->owner.first == asked_from && low_is_wrong == 0 &&
           walker->timed_blocks == N - asked_from && tweed__costs_is_pure(kind.cost),
       "... from the first block on that had not begun");

    done = alone(N, KNOWN, 2500, refuse);
    ok(asked == 1 && contiguous(N) && done == N &&
           walker->walk == TWEED__ALONE && doubles(claim_from(asked_from) + 1),
       "nobody to share with: asked once, and then claims as if alone");

    dear_from = 150;
    dear_to = N;
    alone(N, KNOWN, 5 * CLAIM_NS, share);
    ok(asked == 1 && asked_from < 350 && contiguous(N) &&
           longest(claim_from(asked_from) + 1, claims) <= 2,
       "dearer than was known: shared soon, and one by one");
}

/* A loop by pointer, whose blocks are known to be cheap, that can be shared after so long. */
static uint32_t alone_by_pointer(uint64_t blocks, uint64_t grain, uint64_t patience,
                                 tweed__share_fn *fn)
{
    static const char call = 0;

    body = (struct tweed__body){ .kind = &kind, .fn = nothing, .count = blocks * grain,
                                 .grain = grain, .blocks = (uint32_t)blocks,
                                 .place = tweed__costs_place(nothing, &call) };
    tweed__costs_learn(&body, 1000, 1000 * CHEAP, true);
    kind.claim_ns = 0;
    begin(true);
    kind.claim_ns = CLAIM_NS;
    asked = 0;
    began = now;
    return tweed__cursor_alone(walker, &body, patience, fn);
}

/* Of a short loop that is not shared; 0: not each block once. */
static int claims_of(uint32_t n)
{
    bool good = alone_by_pointer(n, 1, 1000 * n * CHEAP, share) == n && contiguous(n);

    return good && asked == 0 ? claims : 0;
}

static void many_then_single(void)
{
    const uint32_t n = 4000;

    forget();
    ok(alone_by_pointer(n, 1, 3 * n * CHEAP, share) == n && contiguous(n) && claims == 2 &&
           asked == 0,
       "by pointer, alone: the rest is the second claim");
    alone_by_pointer(n, 1, n * CHEAP / 2, share);
    ok(asked == 1 && contiguous(n) && length(0) > 1 && claim_from(asked_from) < 100 &&
           longest(claim_from(asked_from), claims) == 1,
       "by pointer, shared when it has lasted: claims of many before, of one after");
    ok(alone_by_pointer(n / 8, 8, 3 * n * CHEAP, share) == n / 8 && claims == (int)n / 8 &&
           longest(0, claims) == 1,
       "blocks of eight indices by pointer: one by one");
    ok(claims_of(2) == 1 && claims_of(3) == 3 && claims_of(16) == 16 && claims_of(17) == 2 &&
           claims_of(31) == 2 && claims_of(32) == 2,
       "a first claim of one index: one by one; a longer one: two claims");
}

static bool goes_on(struct tweed__walker *w, uint64_t at)
{
    (void)w, (void)at;
    return true;
}

/* Where there is a token the clock is looked at after each claim. */
static void with_token(void)
{
    static const struct tweed__stops token = { .poll = goes_on };

    forget();
    stops = &token;
    fixed = 5 * CLAIM_NS;
    ok(alone(N, 0, 0, NULL) == N && contiguous(N) && claims < N / STRIP * 4 + 100,
       "a call that takes its time, alone, with a token: %d claims", claims);
    fixed = 0;
    ok(alone(N, 0, 0, NULL) == N && contiguous(N) && claims < 2 * N / STRIP &&
           longest(0, claims) == STRIP,
       "cheap indices: claims by time, %d in all", claims);
    stops = NULL;
}

static void stopped_alone(void)
{
    uint32_t done;

    forget();
    stop_at = 2;
    done = alone(N, KNOWN, N * CHEAP / 2, share);
    ok(claims == 3 && done == claim[2].end && walker->given_up == N - done &&
           asked == 0,
       "stopped: no claim after that, and the rest is given up");
    stop_at = 0;
    done = alone(N, KNOWN, 0, share);
    ok(claims == 1 && done == claim[0].end && walker->given_up == N - done &&
           asked == 0,
       "stopped: it is not shared any more");
    done = alone(GROWTH, 0, 0, NULL);
    ok(claims == 1 && done == GROWTH && walker->given_up == 0,
       "stopped in the last claim: nothing is left to give up");
}

/* ---- through a pool; index 0 is in the share of worker 0 ---- */

static struct piece {
    int64_t begin, end;
} piece[N];
static int pieces;

static void append(int64_t begin, int64_t end, void *arg)
{
    (void)arg;
    if (pieces < N)
        piece[pieces++] = (struct piece){ begin, end };
    atomic_fetch_add(&now, (uint64_t)(end - begin) * CHEAP);
}

static unsigned char counted[N];

static void count(int64_t begin, int64_t end, void *arg)
{
    (void)arg;
    for (int64_t i = begin; i < end; i++)
        counted[i]++;
}

static int64_t longest_piece(void)
{
    int64_t most = 0;

    for (int k = 0; k < pieces; k++)
        if (piece[k].end - piece[k].begin > most)
            most = piece[k].end - piece[k].begin;
    return most;
}

/* Range bodies: TWEED_CLAIM_NS_. */
static void through_a_pool(int fence, const char *mode)
{
    tweed_pool *pool = pool_fenced(3, fence);
    struct occupier o;
    int code, good = 1, k = 1;
    int64_t own = N / 3; /* worker 0's share; the rest it must steal */

    occupy(&o, pool);
    pieces = 0;
    atomic_store(&is_real, 0);
    code = tweed_parallel_for_range_with(pool, NULL, 0, N, append, NULL);
    atomic_store(&is_real, 1);
    occupier_end(&o);
    for (; k < pieces && piece[k - 1].end < own; k++)
        good &= piece[k].begin == piece[k - 1].end;
    ok(code == TWEED_OK && good && piece[0].end == 1 &&
           longest_piece() > own / 32 &&
           longest_piece() <= TWEED_CLAIM_NS_ / CHEAP && k < 100,
       "%s, a pool busy elsewhere: a share in %d pieces, the longest of %lld",
       mode, k, (long long)longest_piece());
    ok(pieces < N / 20, "%s, a pool busy elsewhere: %d pieces in all", mode,
       pieces);
    good = 1;
    for (int again = 0; again < 20; again++) {
        memset(counted, 0, sizeof counted);
        code = tweed_parallel_for_range_with(pool, NULL, 0, N, count, NULL);
        for (int i = 0; i < N; i++)
            good &= counted[i] == 1;
    }
    ok(good && code == TWEED_OK, "%s, a pool: each index once", mode);
    tweed_pool_destroy(pool);
}

int main(void)
{
    plan(53 + 4 + 6 + 6);
    watchdog();
    by_time(false);
    by_time(true);
    units();
    becomes_dear();
    takes_its_time();
    cold_first();
    by_vectors();
    fixed_cost_together();
    with_thief(false);
    with_thief(true);
    one_by_one();
    lone();
    memory();
    by_pointer();
    walked_alone();
    many_then_single();
    with_token();
    stopped_alone();
    atomic_store(&is_real, 1);
    through_a_pool(TWEED_FENCE_EXCHANGE, "exchange");
    through_a_pool(TWEED_FENCE_MEMBARRIER, "membarrier");
    return done_testing();
}

/*
 * cursor.c - what an owner walks its blocks with: the slow path, and the pace.
 *
 * SPDX-License-Identifier: MIT
 *
 * The fast path (tweed/inline.h) claims cursor->strip blocks while S is as last
 * seen and the claim ends at or below cursor->limit.  Everything else comes here:
 * the limit of the range (range.c), a thief, the end, and a look at the clock,
 * which is made by putting the limit there.
 *
 * THE PACE.  A claim shall be long enough that it is not felt, and short enough
 * that nobody waits for it; both are times, and bodies are what users make of
 * them.  So a claim is as many blocks as take claim_ns, by the last look at the
 * clock: after each claim while that number grows, and after a few where it is
 * settled.  A body that becomes a thousand times as dear makes one claim a
 * thousand times as long, and the next is one block.  A body that takes its time
 * however few indices it is given (it fetches memory, say) is given so many that
 * they take as long again.  Beside that a claim is short
 * beside what is left, so that the end is shared; but what takes less than a
 * quarter of a claim is not worth parting.
 *
 * ALONE.  A loop that was over last time sooner than publishing it would take is
 * walked by its caller with the same cursor over words of its own, in claims of
 * the same kind.  When it has lasted for as long as publishing takes, what is left
 * is published, and the walk goes on in the caller's range: the kind's work() does
 * not notice.
 */
#include "config.h"

#include "cursor.h"
#include "seam.h"

#define GROWTH 16      /* a claim is at most so many times the one before */
#define CLAIMS_A_LOOK 4

/* Looks from one probe to the next, and what takes so long that a probe would be
   felt. */
#define LOOKS_A_PROBE 16
#define PROBED_NS 100000

/* A claim is at most this part of the private part.  (A check with few blocks takes
   less.) */
#ifndef CLAIM_PART
#define CLAIM_PART 16
#endif

/* A claim of a quarter of claim_ns is made whatever is left. */
#define UNIT_PART 4

/* The clock is not asked about what is shorter: its own cost would be measured. */
#define SHORT_NS 200

void tweed__cursor_init(struct tweed__walker *w, const struct tweed__body *body,
                        bool asymmetric)
{
    tweed_cursor *c = &w->cursor;

    *w = (struct tweed__walker){ .claim_ns = body->kind->claim_ns, .strip = 1 };
    w->owner.asymmetric = asymmetric;
    w->owner.unit = 1;
    c->exchange = !asymmetric;
    c->strip = 1;
    c->lo = body->lo;
    c->count = body->count;
    c->grain = body->grain;
    c->blocks = body->blocks;
    c->fn = body->fn;
    c->arg = body->arg;
    if (w->claim_ns && !body->fn) { /* relaxed: a guess, written by any caller */
        uint64_t cost = load_relaxed((_Atomic uint32_t *)&body->kind->cost);
        uint64_t strip =
            cost ? (uint64_t)w->claim_ns * 1024 / cost / body->grain : 1;

        w->strip = strip < 1 ? 1
                   : strip > TWEED__MAX_BLOCKS ? TWEED__MAX_BLOCKS
                                               : (uint32_t)strip;
    }
}

/* ---- the pace ---- */

static void begin_pace(struct tweed__walker *w, uint32_t first)
{
    w->look_end = first;
    w->look_at = UINT32_MAX;
    w->probe_size = 0;
    if (!w->claim_ns)
        return;
    w->look_ns = tweed__clock();
    w->look_at = first; /* after the first claim */
}

/* What a claim takes however short it is, when claims of `size` blocks took `per`
   ns each: found by a claim that is twice as long, now and then, where claims of a
   block take longer than a claim may.  *strip is that claim's length. */
static void probe(struct tweed__walker *w, uint64_t size, uint64_t per,
                  uint64_t *strip)
{
    if (w->probe_size && size >= 2 * w->probe_size) {
        uint64_t most = per < w->probe_ns ? per : w->probe_ns;
        uint64_t fixed = 2 * w->probe_ns > per ? 2 * w->probe_ns - per : 0;

        /* half of it may be chance, or an index that was dearer */
        if (fixed > w->probe_ns / 2)
            w->fixed_ns = fixed < most ? fixed : most;
        w->probe_size = 0;
        w->probe_in = LOOKS_A_PROBE;
    } else if (size == 1 && *strip <= 1 && per < PROBED_NS &&
               w->probe_in-- == 0) {
        w->probe_ns = per;
        w->probe_size = size;
        *strip = 2 * size;
    }
}

/* Looks at the clock: all blocks below i are done.  The next claims are as long as
   they may be. */
static void look(struct tweed__walker *w, uint32_t i)
{
    uint64_t now = tweed__clock(), ns = now - w->look_ns, ran = i - w->look_end;
    uint64_t most = (uint64_t)(w->fixed_ns ? 2 : GROWTH) * w->strip, claims,
             wanted, spent, strip;

    if (ran == 0)
        return;
    w->timed_ns += ns;
    w->timed_blocks += ran;
    claims = ran < w->cursor.strip ? 1 : ran / w->cursor.strip;
    wanted = w->fixed_ns > w->claim_ns ? w->fixed_ns : w->claim_ns;
    spent = ns > claims * w->fixed_ns ? ns - claims * w->fixed_ns : 0;
    strip = spent ? ran * wanted / spent : most;
    probe(w, ran / claims, ns / claims, &strip);
    strip = strip < most ? strip : most;
    strip = strip < TWEED__MAX_BLOCKS ? strip : TWEED__MAX_BLOCKS;
    w->look_at = i;
    if (strip <= 2 * (uint64_t)w->strip && !w->probe_size) /* settled */
        w->look_at += (CLAIMS_A_LOOK - 1) * (uint32_t)strip;
    w->strip = strip ? (uint32_t)strip : 1;
    w->look_ns = now;
    w->look_end = i;
}

/* How many blocks to claim from i on, of a private part of so many. */
static uint32_t claim_length(struct tweed__walker *w, uint32_t private)
{
    uint32_t most = private / CLAIM_PART, unit = w->strip / UNIT_PART;

    w->owner.unit = unit ? unit : 1;
    if (most < w->owner.unit)
        most = w->owner.unit;
    return w->strip < most ? w->strip : most;
}

/* ---- a range ---- */

/* The owner's blocks [begin, end) are the next claim. */
static void hand_out(struct tweed__walker *w, uint32_t begin, uint32_t end)
{
    tweed_cursor *c = &w->cursor;
    uint32_t limit = w->owner.limit;

    c->begin = begin;
    c->end = end;
    c->seen = w->owner.seen;
    c->limit = limit;
    if (w->look_at < limit) /* so that the claim after that one comes here */
        c->limit = w->look_at > end ? w->look_at : end;
}

/* How many blocks from i on the pace and the limit allow; 0: the limit is there. */
static uint32_t claim_size(struct tweed__walker *w, uint32_t i)
{
    uint32_t room = w->owner.limit > i ? w->owner.limit - i : 0;
    uint32_t n = claim_length(w, tweed__range_private(&w->owner, i));

    w->cursor.strip = n;
    return n < room ? n : room;
}

/* Block i, which the protocol has a say in, and what may be claimed with it. */
static bool take(struct tweed__walker *w, uint32_t i)
{
    uint32_t left, n = 1;
    bool mine = tweed__range_take(&w->owner, i, &left);

    if (mine && w->claim_ns)
        n = claim_size(w, i);
    if (mine && n > 1 && !tweed__range_reserve(&w->owner, i, n)) {
        n = 1; /* reserved alone, once more: range.c, (3) */
        mine = tweed__range_take(&w->owner, i, &left);
    }
    if (mine) {
        hand_out(w, i, i + (n ? n : 1));
    } else {
        w->cursor.end = left;
        w->abandoned += left - i;
    }
    return mine;
}

static bool next_in_range(struct tweed__walker *w)
{
    uint32_t i = w->cursor.end, n;

    if (w->claim_ns && !w->halted) {
        look(w, i);
        n = claim_size(w, i);
        if (n && tweed__range_reserve(&w->owner, i, n)) {
            hand_out(w, i, i + n);
            return true;
        }
    }
    return take(w, i);
}

/* From the block on that was claimed or installed, and all that goes with it. */
static bool enter_range(struct tweed__walker *w)
{
    tweed_cursor *c = &w->cursor;
    uint32_t first = w->owner.first, n;

    w->walk = TWEED__RANGE;
    c->low = (uint32_t *)(void *)&w->owner.range->low;
    c->S = (const uint64_t *)(const void *)&w->owner.range->S;
    begin_pace(w, first);
    n = w->claim_ns ? claim_size(w, first) : 1;
    if (n > 1 && !tweed__range_reserve(&w->owner, first, n))
        return take(w, first);
    hand_out(w, first, first + (n ? n : 1));
    return true;
}

uint32_t tweed__cursor_range(struct tweed__walker *w, tweed_kind *kind)
{
    if (enter_range(w))
        kind->work(&w->cursor);
    return w->cursor.end - w->owner.first;
}

uint32_t tweed__cursor_abandon(struct tweed__walker *w)
{
    uint32_t left, first = w->owner.first;

    /* the loop was stopped, so that nothing can be taken any more */
    if (tweed__range_take(&w->owner, first, &left))
        return 0;
    w->abandoned += left - first;
    return left - first;
}

/* ---- a block, or a loop, that nobody else can see ---- */

static void walk_own_words(struct tweed__walker *w, uint32_t begin, uint32_t end)
{
    tweed_cursor *c = &w->cursor;

    c->low = (uint32_t *)(void *)&w->own_low;
    c->S = (const uint64_t *)(const void *)&w->own_S;
    c->seen = 0;
    c->limit = 0; /* the next claim comes here */
    c->begin = begin;
    c->end = end;
}

void tweed__cursor_lone(struct tweed__walker *w, tweed_kind *kind, uint32_t block)
{
    w->walk = TWEED__LONE;
    walk_own_words(w, block, block + 1);
    kind->work(&w->cursor);
}

/* How long the first claim is that is made alone: as a claim is, but of a loop that
   is known to be so short that is half, to look at the clock half way. */
static uint32_t first_alone(const struct tweed__walker *w)
{
    uint32_t blocks = w->cursor.blocks;

    if (!w->share)
        return blocks;
    if (w->strip / 8 >= blocks)
        return blocks;
    return w->strip < blocks / 2 ? w->strip : (blocks + 1) / 2;
}

uint32_t tweed__cursor_alone(struct tweed__walker *w, tweed_kind *kind,
                             uint64_t patience_ns, tweed__share_fn *share)
{
    w->walk = TWEED__ALONE;
    w->share = share;
    w->patience_ns = patience_ns;
    w->owner.first = 0;
    walk_own_words(w, 0, first_alone(w));
    if (share) {
        begin_pace(w, 0);
        w->began_ns = w->look_ns;
    }
    kind->work(&w->cursor);
    return w->cursor.end - w->owner.first;
}

static bool next_alone(struct tweed__walker *w)
{
    uint32_t i = w->cursor.end, left = w->cursor.blocks - i;

    if (w->share)
        look(w, i);
    if (left == 0)
        return false;
    if (w->halted) {
        w->abandoned += left;
        w->cursor.end = w->cursor.blocks;
        return false;
    }
    if (w->share && left > 1 && w->look_ns - w->began_ns >= w->patience_ns) {
        if (w->share(w, i))
            return enter_range(w);
        w->share = NULL;
    }
    walk_own_words(w, i, i + (w->share && w->strip < left ? w->strip : left));
    return true;
}

/* ---- all of them ---- */

int tweed_next_slow(tweed_cursor *c)
{
    struct tweed__walker *w = (struct tweed__walker *)c;

    switch (w->walk) {
    case TWEED__LONE:
        return 0;
    case TWEED__ALONE:
        return next_alone(w);
    default:
        return next_in_range(w);
    }
}

/* ---- what a kind remembers ---- */

/* Kinds are the program's objects, so their one word is not _Atomic there; relaxed:
   a guess that any caller may write. */
static _Atomic uint32_t *cost_of(const tweed_kind *kind)
{
    return (_Atomic uint32_t *)(uintptr_t)&kind->cost;
}

uint64_t tweed__cursor_guess(const tweed_kind *kind, uint64_t count)
{
    uint64_t cost = load_relaxed(cost_of(kind));

    if (cost && count > UINT64_MAX / cost)
        return UINT64_MAX;
    return (cost * count + 1023) / 1024;
}

void tweed__cursor_learn(const struct tweed__walker *w, tweed_kind *kind)
{
    uint64_t indices = w->timed_blocks * w->cursor.grain, cost, before;

    if (!indices || w->cursor.fn) /* one kind has all bodies by pointer */
        return;
    cost = w->timed_ns > UINT64_MAX / 1024 ? UINT32_MAX
                                           : w->timed_ns * 1024 / indices + 1;
    if (cost > UINT32_MAX)
        cost = UINT32_MAX;
    before = load_relaxed(cost_of(kind));
    if (before && w->timed_ns < SHORT_NS && cost > before)
        return; /* the clock's own cost */
    if (!before || cost > before + before / 4 || cost < before - before / 4)
        store_relaxed(cost_of(kind), (uint32_t)cost);
}

/*
 * cursor.c - what an owner walks its blocks with: the slow path.
 *
 * SPDX-License-Identifier: MIT
 *
 * The fast path (tweed/inline.h) claims cursor->strip blocks while S is as last
 * seen and the claim ends at or below cursor->limit.  Everything else comes here:
 * the limit of the range (range.c), a thief, the end, and a look at the clock,
 * which is made by putting the limit there.  How long a claim is: pace.c.
 *
 * ALONE.  If publishing a loop would take longer than the loop took last time, its caller
 * walks it alone, with the same cursor over words of its own.  The first claim is at most
 * a sixteenth of the loop.  If by its time the rest will be short, the rest
 * is the second claim.  If not, claims follow the pace.  When the loop has lasted
 * for some times as long as publishing takes (gain.h), the caller publishes the blocks that
 * are left, and the walk goes on in the caller's range.  The kind's work() need not notice.
 *
 * If there is no worker to share with, the caller does not look at the clock.  A body may
 * stop the loop between two claims, so each claim is as long as all before it: no more
 * than half of what is executed comes after the stop.
 *
 * LARGE LOOPS.  A loop has no more blocks than its range can count.  So a loop of very
 * many indices has blocks of many indices, and one block may last for hours.  A claim of
 * one such block is shown to work() in PIECES: the cursor shows a loop of one block, which
 * is the piece.  The cursor's limit is 0, so that tweed_next_slow_() shows the next piece;
 * or, if the loop has been cancelled meanwhile, leaves the rest of the claim out.  Pieces
 * follow the pace, in units: as many indices as were asked to stay together.  If a caller
 * walks such a loop alone, each claim is shown in pieces.  A claim of several blocks of a
 * range is not: by the pace it takes no longer than a claim may, and goes by the fast
 * path.
 *
 * A block of a reduction is one element.  The worker that executes the block asks for its
 * pieces, one after the other, by tweed_cursor_piece_().
 */
#include "config.h"

#include "range/cursor.h"
#include "range/costs.h"
#include "range/pace.h"
#include "system/system.h"

#include <stddef.h>

/* How often a loop of single blocks looks at the clock, where there is a reason to. */
#define POLL_NS 2000

/* So many indices by pointer, a claim each, are not short, and are not measured. */
#define LONG_COUNT 4096

/* ---- pieces of a claim ---- */

/* Is the loop cancelled below the claim's end? */
static bool is_cancelled(struct tweed__walker *w, uint32_t end, uint64_t now)
{
    const _Atomic uint32_t *cancelled = w->owner.cancelled;

    if (w->stops && !w->halted)
        (void)w->stops->poll(w, now);
    /* relaxed: a cancellation that is not seen yet is seen after the next piece; pairs
       with nothing, since a canceller waits for the claims that were made before */
    if (w->walk != TWEED__ALONE && cancelled && load_relaxed(cancelled) < end)
        w->halted = true; /* the range is above, too; indices left out set no pace */
    return w->halted;
}

/* n indices of a claim that begins with this block, and all behind them, are not to be
   executed. */
static void leave_out(struct tweed__walker *w, uint32_t begin, uint32_t blocks, uint64_t n)
{
    struct tweed__early *e = early_of(w);

    w->cursor.left_out += n;
    e->tail = e->tail > blocks - begin ? e->tail : blocks - begin;
}

/* Begins the next piece of a claim, of which n indices are left; how many the piece has.
   */
static uint64_t begin_piece(struct tweed__walker *w, uint64_t n, uint64_t unit,
                            uint64_t now)
{
    uint64_t most;

    if (!w->piece)
        w->piece = 1;
    if (__builtin_mul_overflow(w->piece, unit, &most) || most > n)
        most = n;
    w->piece_ns = now;
    w->piece_count = most;
    w->piece_left = n - most;
    return most;
}

/* Shows the claim in pieces from now on, unless it is no longer than a claim may be. */
static void part_claim(struct tweed__walker *w)
{
    tweed_cursor *c = &w->cursor;
    uint64_t first = (uint64_t)tweed_first(c), past = (uint64_t)tweed_past(c);

    if (w->walk != TWEED__ALONE && c->end - c->begin > 1)
        return;
    w->claim = (struct tweed__claim){ c->lo,    c->count, past,    c->begin,
                                      c->end, c->blocks, c->limit };
    w->in_pieces = true;
    c->lo = first;
    c->count = begin_piece(w, past - first, w->unit, tweed__clock());
    c->begin = 0;
    c->end = c->blocks = 1;
    c->limit = 0;
}

/* Shows the next piece.  False: there is none, or none is to be executed any more. */
static bool next_piece(struct tweed__walker *w)
{
    tweed_cursor *c = &w->cursor;
    const struct tweed__claim *claim = &w->claim;
    uint64_t left = w->piece_left, now;

    if (!left)
        return false;
    now = tweed__clock();
    if (is_cancelled(w, claim->end, now)) {
        leave_out(w, claim->begin, claim->blocks, left);
        return false;
    }
    tweed__pace_piece(w, w->unit, now);
    c->lo = claim->past - left;
    c->count = begin_piece(w, left, w->unit, now);
    return true;
}

void tweed__cursor_show_claim(struct tweed__walker *w)
{
    const struct tweed__claim *claim = &w->claim;
    tweed_cursor *c = &w->cursor;

    if (!w->in_pieces)
        return;
    c->lo = claim->lo;
    c->count = claim->count;
    c->begin = claim->begin;
    c->end = claim->end;
    c->blocks = claim->blocks;
    c->limit = w->halted ? 0 : claim->limit;
    w->in_pieces = false;
}

uint64_t tweed_cursor_piece_(tweed_cursor *c, uint64_t n)
{
    struct tweed__walker *w = (struct tweed__walker *)c;
    uint64_t now = tweed__clock();

    if (is_cancelled(w, c->end, now)) {
        leave_out(w, c->begin, c->blocks, n);
        return 0;
    }
    if (w->piece && n == w->piece_left) /* of the same block */
        tweed__pace_piece(w, TWEED_LANES_, now);
    return begin_piece(w, n, TWEED_LANES_, now);
}

/* Executes the claimed blocks and all that follow. */
static void work(struct tweed__walker *w, tweed_kind *kind)
{
    if (unlikely(w->manner & TWEED__LARGE))
        part_claim(w);
    kind->work(&w->cursor);
}

/* ---- beginning ---- */

void tweed__cursor_prepare(struct tweed__body *body)
{
    uint64_t cost, strip = 1;

    body->claim_ns = body->kind->claim_ns;
    body->single = body->claim_ns == 0;
    if (body->single && body->count > LONG_COUNT)
        body->place = 0;
    if (body->single && (body->stops || body->place || body->manner & TWEED__LARGE))
        body->claim_ns = POLL_NS;
    if (unlikely(body->manner & TWEED__LARGE))
        body->single = false;
    body->cost = tweed__costs_cost(body);
    cost = costs_value(body->cost);
    if (cost)
        strip = divide((uint64_t)body->claim_ns * 1024, cost);
    if (body->grain > 1)
        strip /= body->grain;
    strip = range_even(0, strip, TWEED__IS_UNKNOWN);
    if (!body->single && body->grain == 1) {
        body->together =
            costs_is_together(body->cost) ? TWEED__IS_TOGETHER : TWEED__IS_UNKNOWN;
        if (body->together == TWEED__IS_TOGETHER && strip < TWEED__TOGETHER)
            strip = TWEED__TOGETHER;
    }
    body->strip = strip < 1                   ? 1
                  : strip > TWEED__MAX_BLOCKS ? TWEED__MAX_BLOCKS
                                              : (uint32_t)strip;
}

void tweed__cursor_init(struct tweed__walker *w, const struct tweed__body *body,
                        bool asymmetric)
{
    tweed_cursor *c = &w->cursor;

    /* field by field: most loops are short, and the words of its own are long */
    w->owner = (struct tweed__owner){ .asymmetric = asymmetric,
                                      .together = body->together };
    w->manner = body->manner;
    w->halted = w->ends_early = w->in_pieces = false;
    w->piece = 0;
    w->unit = body->unit;
    w->claim_ns = body->claim_ns;
    w->strip = body->strip;
    w->stops = body->stops;
    w->single = body->single;
    w->fixed_ns = w->probe_ns = w->probe_size = 0;
    w->probe_in = 0;
    w->timed_blocks = w->timed_ns = 0;
    w->walk = TWEED__LONE;
    c->exchange = !asymmetric;
    c->strip = 1;
    c->lo = body->lo;
    c->count = body->count;
    c->grain = body->grain;
    c->blocks = body->blocks;
    c->fn = body->fn;
    c->arg = body->arg;
    c->left_out = 0;
    w->owner.unit = pace_unit(w);
}

/* ---- a range ---- */

/* What is compiled into programs knows where the two words are. */
_Static_assert(offsetof(struct tweed__range, low) ==
                       offsetof(struct tweed_words, low) &&
                   offsetof(struct tweed__range, S) ==
                       offsetof(struct tweed_words, S),
               "struct tweed_words is the beginning of a range");

/* The owner's blocks [begin, end) are the next claim. */
static void hand_out(struct tweed__walker *w, uint32_t begin, uint32_t end)
{
    tweed_cursor *c = &w->cursor;
    uint32_t limit = w->owner.limit;

    c->begin = begin;
    c->end = end;
    c->seen = w->owner.seen;
    c->limit = limit;
    if (w->look_at < limit) /* so that a claim beyond look_at comes here */
        c->limit = w->look_at > end ? w->look_at : end;
}

/* How many blocks from i on the pace and the limit allow; 0: the limit is there. */
static uint32_t claim_size(struct tweed__walker *w, uint32_t i)
{
    uint32_t room = w->owner.limit > i ? w->owner.limit - i : 0;

    w->owner.unit = pace_unit(w);
    w->cursor.strip = w->single ? 1 : w->strip;
    return w->cursor.strip < room ? w->cursor.strip : room;
}

void tweed__cursor_give_up(struct tweed__walker *w, uint32_t begin, uint32_t end)
{
    bool whole = !w->in_pieces;
    const struct tweed__body body = { .count = whole ? w->cursor.count : w->claim.count,
                                      .grain = w->cursor.grain,
                                      .blocks = whole ? w->cursor.blocks
                                                      : w->claim.blocks };
    struct tweed__early *e;

    if (begin == end)
        return;
    e = early_of(w);
    w->given_up += end - begin;
    e->unexecuted += body_indices(&body, begin, end);
    if (e->tail < body.blocks - begin)
        e->tail = body.blocks - begin;
}

uint64_t tweed__cursor_left_out(struct tweed__walker *w)
{
    uint64_t n = w->cursor.left_out;

    w->early.unexecuted += n;
    w->cursor.left_out = 0;
    return n;
}

/* Takes block i.  False: the range is empty; of a loop that is cancelled, given up. */
static bool take_block(struct tweed__walker *w, uint32_t i)
{
    uint32_t end;

    if (tweed__range_take(&w->owner, i, &end))
        return true;
    tweed__cursor_give_up(w, i, end);
    return false;
}

/* Takes block i by the protocol, and claims more blocks with it if it may. */
static bool take(struct tweed__walker *w, uint32_t i)
{
    bool mine = take_block(w, i);
    uint32_t n = 1;

    if (mine && w->claim_ns)
        n = claim_size(w, i);
    if (mine && n > 1 && !tweed__range_reserve(&w->owner, i, n)) {
        n = 1; /* reserved alone, once more: range.c, (3) */
        mine = take_block(w, i);
    }
    if (mine)
        hand_out(w, i, i + (n ? n : 1));
    else
        w->cursor.end = i;
    return mine;
}

static bool next_in_range(struct tweed__walker *w)
{
    uint32_t i = w->cursor.end, n;

    if (w->claim_ns && !w->halted) {
        pace_look(w, i);
        if (w->stops && !w->stops->poll(w, w->look_ns))
            return take(w, i);
        tweed__pace_set(w);
        n = claim_size(w, i);
        if (n && tweed__range_reserve(&w->owner, i, n)) {
            hand_out(w, i, i + n);
            return true;
        }
    }
    return take(w, i);
}

/* Begins the walk at the block that was claimed or installed, and claims more with it. */
static bool enter_range(struct tweed__walker *w)
{
    tweed_cursor *c = &w->cursor;
    uint32_t first = w->owner.first, n;

    w->walk = TWEED__RANGE;
    w->halted = false;
    c->words = (struct tweed_words *)(void *)w->owner.range;
    pace_begin(w, first);
    if (tweed__range_is_cancelled(&w->owner))
        return take(w, first);
    n = w->claim_ns ? claim_size(w, first) : 1;
    if (n > 1 && !tweed__range_reserve(&w->owner, first, n))
        return take(w, first);
    hand_out(w, first, first + (n ? n : 1));
    return true;
}

uint32_t tweed__cursor_range(struct tweed__walker *w, tweed_kind *kind)
{
    if (enter_range(w))
        work(w, kind);
    return w->cursor.end - w->owner.first;
}

/* ---- a block, or a loop, that no other thread can see ---- */

static void walk_own_words(struct tweed__walker *w, uint32_t begin, uint32_t end)
{
    tweed_cursor *c = &w->cursor;

    c->words = &w->own;
    w->own.S = 0; /* the walker's alone: no atomic */
    c->seen = 0;
    c->limit = 0; /* the next claim comes here */
    c->begin = begin;
    c->end = end;
}

void tweed__cursor_lone(struct tweed__walker *w, tweed_kind *kind, uint32_t block)
{
    w->walk = TWEED__LONE;
    w->halted = false;
    walk_own_words(w, block, block + 1);
    work(w, kind);
}

/* The first claim that is made alone is a small part of the loop: so a body that has
   become dear is seen early.  A loop of two blocks is not worth a look. */
static uint32_t first_alone(const struct tweed__walker *w)
{
    uint32_t blocks = w->cursor.blocks, part = (blocks + GROWTH - 1) / GROWTH;

    if (w->stops || (w->share && blocks > 2))
        return part < w->strip ? part : w->strip;
    /* a claim of a single index by pointer looks whether it is the last: inline.h */
    if (blocks <= 2 || (w->cursor.fn && w->body->single && w->cursor.grain == 1))
        return blocks;
    part = w->strip > GROWTH ? w->strip : GROWTH;
    return part < blocks ? part : blocks;
}

/* Does a loop of single blocks, walked alone, go by claims of one?  Claims of many have fewer
   instructions an index, and no other thread can take what is not shared yet.  But with a
   grain a body that stops the loop ends no claim before its last index. */
static bool goes_singly(const struct tweed__walker *w)
{
    return w->stops || (w->share && w->cursor.grain > 1);
}

/* Claims the next n blocks, or as many as are left.  Where claims are of one block: the
   first block, and lets the fast path claim the others.  (After a claim of one block a body
   by pointer goes on so: inline.h.) */
static inline void claim_alone(struct tweed__walker *w, uint32_t i, uint32_t n)
{
    uint32_t left = w->cursor.blocks - i;

    n = n < left ? n : left;
    walk_own_words(w, i, i + n);
    if (n == 1)
        w->single = w->body->single;
    if (unlikely(w->single)) {
        w->cursor.limit = i + n;
        w->cursor.end = i + 1;
    }
}

/* Will all blocks be done while the caller has patience, if they take as long as those
   below i took? */
static bool will_be_short(const struct tweed__walker *w, uint32_t i)
{
    uint64_t ns = w->look_ns - w->began_ns, left = w->cursor.blocks - i;

    return ns < w->patience_ns && ns * left < (w->patience_ns - ns) * i;
}

uint32_t tweed__cursor_alone(struct tweed__walker *w, const struct tweed__body *body,
                             uint64_t patience_ns, tweed__share_fn *share)
{
    bool looks = share || w->stops;

    w->walk = TWEED__ALONE;
    w->body = body;
    w->share = share;
    w->patience_ns = patience_ns;
    w->owner.first = 0;
    w->single = looks && body->single && goes_singly(w);
    claim_alone(w, 0, first_alone(w));
    if (looks) {
        pace_begin(w, 0);
        if (!w->claim_ns) /* claims of one block, whose patience is timed */
            w->look_ns = tweed__clock();
        w->began_ns = w->look_ns;
    }
    work(w, body->kind);
    return w->cursor.end - w->owner.first;
}

/* The loop has lasted: shares it, if it can be shared; else the caller goes on alone. */
static bool share_alone(struct tweed__walker *w, uint32_t i)
{
    tweed__cursor_learn(w, w->body);
    if (w->share(w, i)) {
        w->single = w->body->single;
        return true;
    }
    w->share = NULL;
    return false;
}

/* The rest is shared, and the caller's own share is empty: the caller has executed no
   block of a range, and goes on as a thief. */
__attribute__((noinline)) static bool leave_alone(struct tweed__walker *w)
{
    w->walk = TWEED__RANGE;
    w->cursor.end = w->owner.first;
    return false;
}

static bool next_alone(struct tweed__walker *w)
{
    uint32_t i = w->cursor.end, left = w->cursor.blocks - i, n = left;
    bool lasts;

    if (w->share || w->stops)
        pace_look(w, i);
    if (left == 0)
        return false;
    if (w->stops && !w->halted)
        (void)w->stops->poll(w, w->look_ns);
    if (w->halted) {
        tweed__cursor_give_up(w, i, w->cursor.blocks);
        return false;
    }
    lasts = w->share && left > 1 && !will_be_short(w, i);
    if (w->stops || lasts) {
        tweed__pace_set(w);
        n = w->strip;
    } else if (!w->share) {
        n = i;
    }
    if (lasts && w->look_ns - w->began_ns >= w->patience_ns &&
        share_alone(w, i))
        return w->owner.seen ? enter_range(w) : leave_alone(w);
    claim_alone(w, i, n);
    return true;
}

/* ---- every walk ---- */

static inline int next_claim(struct tweed__walker *w)
{
    switch (w->walk) {
    case TWEED__LONE:
        if (w->stops)
            (void)w->stops->poll(w, tweed__clock());
        return 0;
    case TWEED__ALONE:
        return next_alone(w);
    default:
        return next_in_range(w);
    }
}

/* The next claim, or piece of one, of a large loop. */
__attribute__((noinline)) static int next_in_pieces(struct tweed__walker *w)
{
    int more;

    if (w->in_pieces && next_piece(w))
        return 1;
    tweed__cursor_show_claim(w);
    more = next_claim(w);
    if (more)
        part_claim(w);
    return more;
}

int tweed_next_slow_(tweed_cursor *c)
{
    struct tweed__walker *w = (struct tweed__walker *)c;

    return unlikely(w->manner & TWEED__LARGE) ? next_in_pieces(w) : next_claim(w);
}

void tweed__cursor_learn(struct tweed__walker *w, const struct tweed__body *body)
{
    uint64_t indices = w->timed_blocks * w->cursor.grain;

    if (indices) {
        tweed__costs_learn(body, indices, w->timed_ns, w->walk == TWEED__ALONE);
        if (unlikely(w->owner.together != body->together))
            tweed__costs_learn_together(body, w->owner.together == TWEED__IS_TOGETHER);
    }
    w->timed_blocks = w->timed_ns = 0;
}

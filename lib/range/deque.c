/*
 * deque.c - the deque of one worker, and why no task is lost or run twice.
 *
 * SPDX-License-Identifier: MIT
 *
 * A worker's spawned tasks lie in an array of records.  The owner works at the high
 * end, thieves take from the low end:
 *
 *        first ....... tail ......... limit ......... top
 *          |  stolen    |   public     |   private     |
 *
 *   top    the owner's own; the owner raises it when a record is filled in, and lowers it
 *          before it takes a record off
 *   word   {limit, tail, tid}, changed by compare-and-swap while a thief may take a record
 *
 * All are places (deque.h), which are one more from each record to the next.
 *
 * tid = 0:  thieves may take record tail, if tail < limit, by raising tail.
 * tid > 0:  a proposal by thief tid - 1.  No record is public; the records in
 *           [tail, limit) are about to be.  Or the owner moves the deque (7).
 *
 * A record keeps its place from the spawn to the join, since a stolen task's result comes
 * back into the record.  So the owner takes records off in the order opposite to that in
 * which it has put them there, also records that were stolen.  Nothing moves when the
 * array grows (arena.c).
 *
 * Fast path of the owner (tweed/task.h), no locked instruction and no fence:
 *
 *     push:  fill in the record at top;  top++          (release)
 *     pop:   top--;  light;  w <- word;  limit(w) <= top?  then the owner has the record
 *
 * The other steps:
 *
 *     push at the ceiling  the owner comes to fork.c: the array is full, or a thief has
 *                          asked for records
 *     pop below limit      the owner: limit falls to half of what is left
 *     publish              the owner, asked by a thief: limit rises over half of the
 *                          private records
 *     steal                a thief: tail++, if tail < limit
 *     propose              a thief, where all records stay private for as long as a fence
 *                          takes: its tid and a new limit; heavy fence; reads top, and
 *                          makes public what is below top and limit
 *
 * 1. A thief takes record t by the compare-and-swap {l, t, 0} to {l, t + 1, 0}, t < l.
 *    What the thief knew of the record before does not matter: it reads the record
 *    afterwards.  So a word that has recurred (ABA) does no harm: the record at t is then
 *    another one, which is public now, and the thief's alone by that compare-and-swap.
 *
 * 2. Records below limit are the owner's only by compare-and-swap.  pop() lowers limit
 *    to at most the record that it takes, and succeeds only if tail is not above: so thief
 *    and owner cannot both have that record.  If tail is above, all records are stolen,
 *    since thieves take them in order and this was the last.
 *
 * 3. The owner raises limit over records that it has filled in: publish().  Or a thief
 *    does, in two steps, while the owner is about something else:
 *
 *        owner:  top <- t;  light;  w <- word        thief:  word <- {m, tail, tid};
 *                                                            heavy;  p <- top
 *
 *    Store buffering, forbidden by the pair of fences: if the owner's load missed the
 *    proposal, the thief's load sees the lowered top (or a later one).  The thief then
 *    makes [tail, min(m, p)) public.  The owner has not taken any of these records off.
 *    Before the thief read p it has not, or p would be lower; unless the owner has filled
 *    the record in anew, which is then the record that is meant.  Nor after that: an
 *    owner that takes a record below m off sees the proposal, or what came of the
 *    proposal, and changes word, so that the thief's second compare-and-swap fails.
 *
 *    Only this thief could make word its proposal again: no other thread writes its tid,
 *    and a thief does one thing at a time.
 *
 *    The thief acquires p, which the owner has released with the records below; the
 *    thief's second compare-and-swap releases these to the thieves that take them.
 *
 * 4. An owner that meets a proposal answers it: pop() and publish() put a word without tid
 *    in its place.
 *
 * 5. joined() lowers tail, for the record at top is the owner's again: its thief has
 *    said so (fork.c).  All records from top on are taken off, and all below are stolen,
 *    so no compare-and-swap of a thief can succeed that expects tail < limit.  A thief may
 *    propose, on the ground of an old top, and then finds nothing at p = top, or is
 *    answered.
 *
 * In exchange mode, without heavy fences, the owner publishes each record as it spawns it,
 * and thieves propose nothing: then 1 and 2 are the whole proof.
 *
 * 6. Where thieves copy records out (jobs.c) a thief may take several by one
 *    compare-and-swap, to {l, t + n, 0}, n <= l - t: (1) holds for each.  No owner waits
 *    for a place.  rewind() takes back all that is public, as pop() does (2); and no
 *    thief can take anything from then on, since thieves propose nothing there.  If
 *    copied is tail, no thief reads a record below tail any more: with the release in
 *    copied(), to the acquire here.  So all places are the owner's.  The owner moves the
 *    records down, and makes them public anew (3, publish()).  A thief with an older word
 *    fails; or the word has recurred, and (1) holds.
 *
 * 7. An empty deque may be begun at other places: begin().  Thieves look meanwhile, since
 *    they know the seat.  The owner first puts a word there that no thief changes, then
 *    top, then the new word.  A thief that reads the new top, in propose(), has the old
 *    word before: its second compare-and-swap comes after the owner's exchange (with the
 *    release of top), and fails.  A thief that reads the new word reads the new top, or a
 *    later one.
 *
 * The numbers are places in an array, none of which is above 2^24 - 1 (deque.h), and not
 * counters: they do not overflow.
 */
#include "config.h"

#include "range/deque.h"
#include "range/glance.h"

#define LIMIT_SHIFT TWEED_LIMIT_SHIFT_
#define TAIL_SHIFT 16
#define TID_MASK ((UINT64_C(1) << TAIL_SHIFT) - 1)

_Static_assert(LIMIT_SHIFT == TAIL_SHIFT + 24, "limit is above tail");
_Static_assert(TWEED__MAX_WORKERS < TID_MASK - 1, "thieves fit, and MOVING");

static uint64_t pack(uint32_t limit, uint32_t tail, uint32_t tid)
{
    return (uint64_t)limit << LIMIT_SHIFT | (uint64_t)tail << TAIL_SHIFT | tid;
}

static uint32_t limit_of(uint64_t w)
{
    return (uint32_t)(w >> LIMIT_SHIFT);
}

static uint32_t tail_of(uint64_t w)
{
    return (uint32_t)(w >> TAIL_SHIFT & TWEED__PLACE_MASK);
}

static uint32_t tid_of(uint64_t w)
{
    return (uint32_t)(w & TID_MASK);
}

/* The greater half of the records in [begin, end) ends there. */
static uint32_t half(uint32_t begin, uint32_t end)
{
    return begin + (end - begin + 1) / 2;
}

/* In the place of a thief's number + 1: the owner moves an empty deque (7). */
#define MOVING TID_MASK

void tweed__deque_begin(struct tweed__deque *d, uint32_t top)
{
    uint32_t first = record_place(top);

    if (load_relaxed(&d->top) == top) /* the owner's own */
        return;
    store_relaxed(&d->first, first); /* a figure */
    /* seq_cst: with the compare-and-swaps of propose(), one of which is before it or
       fails.  weaker: acq_rel would do, as any order, since the release of top comes
       behind it */
    (void)exchange_seq_cst(&d->word, pack(first, first, MOVING));
    /* release, both: see (7); with propose()'s acquire of top, and steal()'s of word */
    store_release(&d->top, top);
    store_release(&d->word, pack(first, first, 0));
}

bool tweed__deque_has_public(struct tweed__deque *d)
{
    uint64_t w = load_relaxed(&d->word); /* a guess */

    return tid_of(w) == 0 && tail_of(w) < limit_of(w);
}

bool tweed__deque_has_any(struct tweed__deque *d)
{
    uint64_t w = load_relaxed(&d->word); /* a guess, both */

    return tail_of(w) < deque_top(d) || tail_of(w) < limit_of(w);
}

struct tweed__deque_look tweed__deque_look(struct tweed__deque *d)
{
    uint64_t w = load_relaxed(&d->word); /* all: they need not agree */
    uint32_t top = deque_top(d), tail = tail_of(w), first = load_relaxed(&d->first);
    uint32_t limit = tid_of(w) ? tail : limit_of(w), taken = tail < top ? tail : top;

    if (tid_of(w) == MOVING)
        return (struct tweed__deque_look){ .stolen = 0 };
    return (struct tweed__deque_look){ .stolen = taken > first ? taken - first : 0,
                                       .shared = limit > tail ? limit - tail : 0,
                                       .own = top > limit ? top - limit : 0 };
}

/* ---- the owner ---- */

bool tweed__deque_publish(struct tweed__deque *d, bool all)
{
    uint32_t top = deque_top(d);
    /* relaxed: the owner reads nothing of thieves by it */
    uint64_t w = load_relaxed(&d->word), next;

    do {
        uint32_t from = tid_of(w) ? tail_of(w) : limit_of(w);

        if (from >= top)
            return false;
        next = pack(all ? top : half(from, top), tail_of(w), 0);
        /* seq_cst: releases the records to a thief's compare-and-swap; and before the
           owner's look for sleepers (fork.c), with a sleeper's look at word after the
           sleeper has said that it sleeps */
    } while (!cas_seq_cst(&d->word, &w, next));
    return true;
}

bool tweed__deque_pop(struct tweed__deque *d, uint32_t top, bool all)
{
    uint64_t w = load_relaxed(&d->word); /* looked at again by compare-and-swap */

    do {
        if (tail_of(w) > top)
            return false;
        /* acq_rel: releases the records that stay public.  weaker: release would do,
           since the owner reads nothing of thieves by it */
    } while (!cas_acq_rel(&d->word, &w,
                          pack(all ? top : half(tail_of(w), top), tail_of(w), 0)));
    return true;
}

void tweed__deque_joined(struct tweed__deque *d, uint32_t top)
{
    uint64_t w = load_relaxed(&d->word); /* as above */

    check(tail_of(w) == top + 1);
    /* a loop, since a thief may propose in between.  weaker: any order would do, since no
       record is public by this word */
    while (!cas_acq_rel(&d->word, &w, pack(top, top, 0)))
        ;
}

/* ---- thieves ---- */

static bool take_first(struct tweed__deque *d, uint64_t w, uint32_t *at)
{
    *at = tail_of(w);
    /* acquires the records, also if the word has recurred since the look at it (1).
       weaker: acquire would do, since this CAS continues the release sequences of earlier
       words, for later thieves */
    return cas_acq_rel(&d->word, &w,
                       pack(limit_of(w), tail_of(w) + 1, 0));
}

/* All records are private: takes the first of them, and makes the first half public. */
static enum tweed__loot propose(struct tweed__deque *d, uint64_t w, int thief, uint64_t ns,
                                struct tweed__tally *tally, uint32_t *at)
{
    uint32_t tail = tail_of(w), top = deque_top(d); /* a guess */
    uint64_t mine;

    if (top <= tail)
        return TWEED__NOTHING;
    mine = pack(half(tail, top), tail, (uint32_t)thief + 1);
    /* before the look at top, by the heavy fence.  weaker: any order would do, since the
       heavy fence orders all */
    if (!cas_acq_rel(&d->word, &w, mine))
        return TWEED__RETRY;
    tally_add(tally, proposals, 1);
    /* acquire: with the owner's raising of top, the records below it */
    top = TWEED__THIEF_FENCE(ns, tally) ? record_place(load_acquire(&d->top)) : tail;
    if (top > limit_of(mine))
        top = limit_of(mine);
    *at = tail;
    if (top <= tail) {
        /* fails if the owner has answered.  weaker: any order would do: no record becomes
           public */
        (void)cas_acq_rel(&d->word, &mine, pack(tail, tail, 0));
        return TWEED__NOTHING;
    }
    /* releases the records below top; the first is the thief's.  weaker: release would do,
       since top was acquired */
    return cas_acq_rel(&d->word, &mine, pack(top, tail + 1, 0)) ? TWEED__LOOT
                                                                : TWEED__RETRY;
}

enum tweed__loot tweed__deque_steal(struct tweed__deque *d, int thief, int64_t fence_ns,
                                    struct tweed__tally *tally, uint32_t *at)
{
    /* seq_cst: a sleeper's look, after it has said that it sleeps; with publish() */
    uint64_t w = load_seq_cst(&d->word);

    if (tid_of(w))
        return TWEED__PENDING;
    if (tail_of(w) < limit_of(w))
        return take_first(d, w, at) ? TWEED__LOOT : TWEED__RETRY;
    return fence_ns < 0 ? TWEED__NOTHING
                        : propose(d, w, thief, (uint64_t)fence_ns, tally, at);
}

/* ---- records that are copied out ---- */

int64_t tweed__deque_peek(struct tweed__deque *d)
{
    /* seq_cst: as in steal().  acquire: with publish(), the record, and d->records */
    uint64_t w = load_seq_cst(&d->word);

    return tail_of(w) < limit_of(w) ? (int64_t)tail_of(w) : -1;
}

uint32_t tweed__deque_steal_some(struct tweed__deque *d, uint32_t share, uint32_t n,
                                 uint32_t *at)
{
    uint64_t w = load_seq_cst(&d->word); /* as in steal() */
    uint32_t some;

    do {
        check(tid_of(w) == 0);
        *at = tail_of(w);
        some = limit_of(w) - *at;
        if (some == 0)
            return 0;
        some = some / share < n ? some / share : n;
        some += some == 0;
        /* acquires the records.  weaker: acquire would do, both as in take_first() */
    } while (!cas_acq_rel(&d->word, &w, pack(limit_of(w), *at + some, 0)));
    return some;
}

void tweed__deque_copied(struct tweed__deque *d, uint32_t n)
{
    fetch_add_release(&d->copied, n); /* the reads of the records, to rewind() */
}

uint32_t tweed__deque_taken(struct tweed__deque *d)
{
    return tail_of(load_relaxed(&d->word)); /* a guess, which only grows meanwhile */
}

bool tweed__deque_rewind(struct tweed__deque *d)
{
    uint32_t top = deque_top(d), tail;
    uint64_t w = load_relaxed(&d->word);        /* looked at again by compare-and-swap */

    if (load_relaxed(&d->copied) != tail_of(w)) /* a guess */
        return false;
    do
        tail = tail_of(w);
    /* weaker: any order would do, also relaxed: the owner reads nothing of thieves by it,
       and no record is public by this word */
    while (!cas_acq_rel(&d->word, &w, pack(tail, tail, 0)));
    if (load_acquire(&d->copied) == tail) { /* with copied() */
        for (uint32_t i = tail; tail && i < top; i++)
            job_copy(job_in(&d->records[i - tail]), job_in(&d->records[i]));
        store_relaxed(&d->copied, 0); /* a thief that adds has taken a record before */
        top -= tail;
        tail = 0;
        deque_set_top(d, top); /* released with word */
    }
    /* seq_cst: as publish().  No thief changes a word by which no record is public */
    (void)exchange_seq_cst(&d->word, pack(top, tail, 0));
    return tail == 0;
}

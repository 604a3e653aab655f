/*
 * pace.c - how long a claim is, by the time that the last ones took.
 *
 * SPDX-License-Identifier: MIT
 *
 * A claim shall be long enough that its cost is not felt, and short enough
 * that no worker waits long for its end.  Both are times, and bodies take any time.  So a
 * claim is as many blocks as take claim_ns, by the last look at the clock.  The owner
 * looks after each claim while that number grows, or where the loop may be stopped from
 * without, and after a few claims where the number is settled.
 *  - A body that becomes a thousand times as dear makes a few claims a thousand times as
 *    long, until the next look, and then claims of one block.
 *  - A body that takes its time however few indices it is given (it fetches memory, say)
 *    is given so many that they take as long again.
 *  - A body that a compiler executes several indices of at a time, a vector's worth, takes
 *    for a few indices what it takes for the vector, or more: what is left over is executed
 *    without vectors, and so is a loop inside the body.  Claims of TWEED__TOGETHER blocks
 *    are tried where single blocks are dear, and kept where they take five eighths of
 *    the time or less.  The loop remembers that (costs.c), until a short claim at the end
 *    of a range turns out to be no dearer.  All of that only where a block is one index.
 *  - Blocks that take less than two microseconds are not parted, so that the end of a
 *    short loop is not handed round.
 */
#include "config.h"

#include "range/pace.h"
#include "range/costs.h"

#define CLAIMS_A_LOOK 4

/* Looks from one probe to the next; and the time of a claim from which on a probe would be
   felt. */
#define LOOKS_A_PROBE 16
#define PROBED_NS 100000

/* A piece is no longer than a block can be: of a body whose time does not depend on how
   many indices it is given, a block is one piece. */
#define MOST_UNITS (UINT64_C(1) << 38)

/* A probe's length, in claims of one block that take `per` ns: a vector's worth, if that
   is a fourth of what the owner may claim before the range is parted anew, and takes no
   longer than two single blocks may.  The first probe is short: nothing is learned of it
   (probe()). */
static uint64_t probe_length(const struct tweed__walker *w, uint64_t per)
{
    uint64_t left = w->owner.limit > w->look_end ? w->owner.limit - w->look_end : 0;

    return left >= 4 * TWEED__TOGETHER && per < 2 * PROBED_NS / TWEED__TOGETHER &&
                   w->owner.together == TWEED__IS_UNKNOWN && w->timed_blocks > w->ran
               ? TWEED__TOGETHER
               : 2;
}

/* A claim of one block took `one` ns, a claim of `times` blocks took `all`. */
static void compare(struct tweed__walker *w, uint64_t one, uint64_t times, uint64_t all)
{
    uint64_t most = all < one ? all : one;
    uint64_t fixed = times * one > all ? divide(times * one - all, times - 1) : 0;

    /* up to half of that may be chance, or an index that was dearer */
    if (fixed > one / 2)
        w->fixed_ns = fixed < most ? fixed : most;
    if (times >= TWEED__TOGETHER)
        w->owner.together =
            all < times * one / 8 * 5 ? TWEED__IS_TOGETHER : TWEED__IS_APART;
}

/* Finds the time that a claim takes however short it is.  Claims of `size` blocks took
   `per` ns each.  If the least claims, of one block or of TWEED__TOGETHER, take longer than
   a claim may, a claim is longer now and then, the probe: *strip is the next claim's
   length. */
static void probe(struct tweed__walker *w, uint64_t size, uint64_t per,
                  uint64_t *strip)
{
    uint64_t least = w->owner.together == TWEED__IS_TOGETHER ? TWEED__TOGETHER : 1;

    if (w->probe_size && size >= 2 * w->probe_size) {
        bool is_first = w->timed_blocks == w->probe_size + w->ran;

        if (!is_first) /* the first index may be dear since the data come from afar */
            compare(w, w->probe_ns, divide(size, w->probe_size), per);
        w->probe_size = 0;
        w->probe_in =
            is_first && w->owner.together == TWEED__IS_UNKNOWN ? 0 : LOOKS_A_PROBE;
    } else if (w->probe_size) { /* the claim was cancelled */
        w->probe_size = 0;
    } else if (size > least || *strip > least || per >= PROBED_NS) {
        return;
    } else if (w->probe_in > 0) {
        w->probe_in--;
    } else {
        w->probe_ns = per;
        w->probe_size = size;
        *strip = probe_length(w, per) * size;
    }
}

/* A claim of fewer blocks than a vector has indices, at the end of a range, took ns: is it
   dearer than the blocks of long claims are? */
static void look_apart(struct tweed__walker *w, uint64_t ran, uint64_t ns)
{
    if (w->owner.together == TWEED__IS_TOGETHER && ran < TWEED__TOGETHER / 2 &&
        w->timed_blocks >= TWEED__TOGETHER && 4 * ns * w->timed_blocks < 5 * w->timed_ns * ran)
        w->owner.together = TWEED__IS_APART;
}

/* The length of a claim, of which as little as may be is left over. */
static uint64_t even(const struct tweed__walker *w, uint64_t strip)
{
    if (w->owner.together == TWEED__IS_TOGETHER && strip < 2 * TWEED__TOGETHER)
        return TWEED__TOGETHER;
    return range_even(0, strip, w->owner.together);
}

/* `ran` blocks (or units), in so many claims, took ns: how many take as long as a claim
   may?  `most`, if ns is no more than the claims' fixed cost. */
static uint64_t in_time(const struct tweed__walker *w, uint64_t ran, uint64_t ns,
                        uint64_t claims, uint64_t most)
{
    uint64_t wanted = w->fixed_ns > w->claim_ns ? w->fixed_ns : w->claim_ns;
    uint64_t spent = ns > claims * w->fixed_ns ? ns - claims * w->fixed_ns : 0;

    return spent ? divide(ran * wanted, spent) : most;
}

/* How long the next claim, or piece, may be at most, after one of length `last`. */
static uint64_t grown(const struct tweed__walker *w, uint64_t last)
{
    return (w->fixed_ns ? 2 : GROWTH) * last;
}

void tweed__pace_set(struct tweed__walker *w)
{
    uint64_t ns = w->ran_ns, ran = w->ran, i = w->look_end;
    uint64_t most = grown(w, w->strip), claims, strip;

    if (ran == 0)
        return;
    claims = divide(ran, w->cursor.strip);
    if (ran < 2 * (uint64_t)w->cursor.strip || (w->walk == TWEED__ALONE && !w->single))
        claims = 1;
    strip = in_time(w, ran, ns, claims, most);
    look_apart(w, ran, ns);
    if (!(w->manner & TWEED__LARGE)) /* whose pieces do */
        probe(w, divide(ran, claims), divide(ns, claims), &strip);
    /* mostly the clock's own cost; but alone no other worker would mend a wrong guess */
    if (ns < TWEED__SHORT_NS && strip < w->strip && w->walk == TWEED__RANGE)
        strip = w->strip;
    strip = strip < most ? strip : most;
    strip = strip < TWEED__MAX_BLOCKS ? strip : TWEED__MAX_BLOCKS;
    strip = even(w, strip);
    w->look_at = (uint32_t)i;
    if (w->single) /* claims of one block until then */
        w->look_at += (uint32_t)strip;
    else if (!w->stops && strip <= 2 * (uint64_t)w->strip && !w->probe_size) /* settled */
        w->look_at += (CLAIMS_A_LOOK - 1) * (uint32_t)strip;
    w->strip = strip ? (uint32_t)strip : 1;
}

void tweed__pace_piece(struct tweed__walker *w, uint64_t unit, uint64_t now)
{
    uint64_t units = w->piece_count / unit, most = grown(w, w->piece), ns, size;

    units += units == 0;
    ns = now - w->piece_ns;
    size = in_time(w, units, ns, 1, most);
    probe(w, units, ns, &size);
    size = size < most ? size : most;
    size = range_even(0, size < MOST_UNITS ? size : MOST_UNITS,
                      TWEED__IS_UNKNOWN);
    w->piece = size ? size : 1;
}

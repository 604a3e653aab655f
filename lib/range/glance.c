/*
 * glance.c - looks at a range that change nothing: what it has, and whether it moves soon.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nothing in range.c's proof rests on what is read here.  A thief that has waited looks at
 * the range again, and decides by the S that it sees then.
 */
#include "config.h"

#include "range/glance.h"
#include "range/word.h"

/* Pauses between two looks at the clock while a thief waits for another thread:
   a few hundred cycles.  (The model checker, t/model/, takes 1: a look that sees the same
   is no new case.) */
#ifndef PATIENCE
#define PATIENCE 16
#endif

/* How long another thief's proposal may stand before it is taken over, and another
   thread's heavy fence last before a thread makes its own, since that thread has stopped:
   this, or if fences are slow the time of so many fences. */
#define TAKE_OVER_NS 100000
#define TAKE_OVER_FENCES 4

/* What a heavy fence is taken to last as long as there was none.  More than most
   fences do: a guess that is too long is paid for once; with one that is too short many
   thieves begin with a fence each, and each fence waits for those before. */
#define FENCE_GUESS_NS 50000

/* How long a thief leaves a range alone, when the thief could do all of it in as long:
   the owner, which has the data in its cache, mostly ends sooner.  (The model checker
   takes 0: a steal after a wait is no new case.) */
#ifndef LEAVE_NS
#define LEAVE_NS 2000
#endif

_Atomic uint64_t tweed__fence_ns;

/* ---- what a range has ---- */

uint32_t tweed__range_wealth(struct tweed__range *r)
{
    uint64_t s = load_relaxed(&r->S); /* a guess; steal() looks properly */
    uint32_t tid = tid_of(s);

    return tid == OWNED || tid == UNCLAIMED ? high_of(s) - mid_of(s) : 0;
}

struct tweed__look tweed__range_look(struct tweed__range *r)
{
    uint64_t s = load_relaxed(&r->S); /* for people: no consistent picture */

    return (struct tweed__look){ .low = load_relaxed(&r->low),
                                 .mid = mid_of(s),
                                 .high = high_of(s),
                                 .thief = (int)tid_of(s) - 1,
                                 .drained = s == DRAINED,
                                 .unclaimed = tid_of(s) == UNCLAIMED };
}

/* ---- whether a range moves ---- */

/* Waits a little for S to become something else; true if it did. */
static bool moves(struct tweed__range *r, uint64_t s)
{
    for (int n = 0; n < PATIENCE; n++) {
        tweed__pause();
        if (load_relaxed(&r->S) != s) /* a guess: the next look acquires */
            return true;
    }
    return false;
}

bool tweed__glance_moves(struct tweed__range *r, uint64_t s, uint64_t ns)
{
    uint64_t start = tweed__clock();

    do
        if (moves(r, s))
            return true;
    while (tweed__clock() - start < ns);
    return false;
}

/* relaxed, here and below: a figure */
static uint64_t stopped_ns(void)
{
    uint64_t ns = TAKE_OVER_FENCES * load_relaxed(&tweed__fence_ns);

    return ns < TAKE_OVER_NS ? TAKE_OVER_NS : ns;
}

/* Before the first fence it is not known what one takes. */
uint64_t tweed__glance_fence_patience(void)
{
    return load_relaxed(&tweed__fence_ns) ? stopped_ns() : TWEED__FENCE_MOST_NS;
}

/* Long enough that this thief's heavy fence can end.  With less patience many thieves take
   one proposal from each other again and again, and each asks for a fence. */
bool tweed__glance_settled(struct tweed__range *r, uint64_t s)
{
    return tweed__glance_moves(r, s, stopped_ns());
}

/* As long as the last heavy fence took: a thief that waits as long as the fence would
   last, and then fences, pays at most twice what it would pay if it knew the future.
   Fences queue up behind each other, and interrupt all running threads. */
bool tweed__glance_acknowledged(struct tweed__range *r, uint64_t s, bool asymmetric)
{
    uint64_t ns = load_relaxed(&tweed__fence_ns);

    return tweed__glance_moves(r, s, !asymmetric ? 0 : ns ? ns : FENCE_GUESS_NS);
}

void tweed__range_leave(struct tweed__range *r, uint32_t blocks)
{
    uint64_t s = load_relaxed(&r->S); /* a guess, as in wealth */
    uint64_t stealable;

    if (!LEAVE_NS || tid_of(s) != OWNED)
        return;
    /* As a rule a quarter of what was left was exposed, so that four times as much
       is the most that is left now.  An owner that keeps a unit may have exposed
       less; then more is left, by less than that unit. */
    stealable = high_of(s) - mid_of(s);
    if (stealable && STEAL_PART * stealable <= blocks)
        (void)tweed__glance_moves(r, s, LEAVE_NS);
}

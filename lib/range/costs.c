/*
 * costs.c - what an index of a loop cost last time.
 *
 * SPDX-License-Identifier: MIT
 *
 * A kind that has its body inside remembers the cost in itself.  A body by pointer is
 * remembered by the function and the place of the call, in a table of the process.  An
 * entry is one word, a check of both and the cost.  If two bodies fall on one entry, the
 * body that was measured later has it.  If the two have one check, too, one is taken for
 * the other, which is as rare as chance makes it, and costs time only.
 *
 * Some bits of the word say how the cost was measured, and whether claims are of many blocks
 * (pace.c).
 *
 * After a shared loop the data lie in several caches.  A caller that walks the next one alone
 * measures the way of the data, too: a cost that is twice too high, and keeps a loop shared
 * that is quicker alone.  So a higher cost is not believed of the first loop alone, and a
 * lower one is not sure yet.  Nor is a cost sure that was only measured beside others: of a
 * short loop it may be five times too high.
 *
 * One function may stand for many bodies: a wrapper that calls what it is given.  A loop
 * that is taken for short is begun by its caller alone, and a long index of the loop then
 * holds all others up.  So a higher cost is believed at once, as a rule, and a lower cost
 * only little by little: a loop that is long once in a hundred times stays long.
 *
 * A thread may lose its CPU in the middle of a loop, for some microseconds.  A short loop
 * would seem to be a long one, and be shared from then on.  So of a loop that was walked
 * alone in such a time a higher cost is believed by a fourth of what is known at a time.
 */
#include "config.h"

#include "range/costs.h"
#include "base/atomic.h"

#include <stdalign.h>

/* Entries of the table.  (A check with few loops takes 1.) */
#ifndef REMEMBERED
#define REMEMBERED 256
#endif

/* Of a body by pointer a cost sinks by so small a part at a time. */
#define SINKING 16

/* If a cost was measured alone in less time than that, the cost rises by so large a part at a
   time. */
#define INTERRUPTED_NS 20000
#define RISING 4

/* The lowest bit of a cost: it was measured while the caller walked the loop alone.  With
   other workers in the loop an index costs more, for what their caches have to hand over.
   */
#define PURE UINT32_C(1)

/* The next bit: claims of TWEED__TOGETHER blocks are worth their while (pace.c). */
#define TOGETHER TWEED__COST_TOGETHER
#define LEAST (2 * TOGETHER) /* of a cost that is known */

/* The two highest bits: the loop was shared when it was last run; its cost is not sure. */
#define SPREAD TWEED__COST_SPREAD
#define UNSURE TWEED__COST_UNSURE
#define MOST (UNSURE - 1)

/* What others add to the time of an index is believed of a caller's part that took so long:
   by then the way of the loop and of its data is a small part of it. */
#define LONG_NS 10000

/* On lines of its own: an entry lies anywhere there, and shall not lie beside a word that
   all workers write. */
static alignas(128) _Atomic uint64_t remembered[REMEMBERED];

/* The upper half is the check, which is not 0. */
uint64_t tweed__costs_place(void (*fn)(void), const void *place)
{
    uint64_t f = (uintptr_t)fn, p = (uintptr_t)place;

    if (!f || !p)
        return 0;
    /* two odd numbers without a pattern: both halves of the product depend on all bits */
    f = (f * UINT64_C(0x9e3779b97f4a7c15) ^ p) * UINT64_C(0xd1342543de82ef95);
    return (f ^ f >> 32) | UINT64_C(1) << 32;
}

static _Atomic uint64_t *entry_of(uint64_t place)
{
    return &remembered[place % REMEMBERED];
}

/* Kinds are the program's objects, so their one word is not _Atomic there. */
static _Atomic uint32_t *cost_of(const tweed_kind *kind)
{
    return (_Atomic uint32_t *)(uintptr_t)&kind->cost;
}

/* relaxed, here and below: a guess that any caller may write, in one word */
uint32_t tweed__costs_cost(const struct tweed__body *body)
{
    uint64_t entry;

    if (!body->fn)
        return load_relaxed(cost_of(body->kind));
    if (!body->place)
        return 0;
    entry = load_relaxed(entry_of(body->place));
    return entry >> 32 == body->place >> 32 ? (uint32_t)entry : 0;
}

static void remember(const struct tweed__body *body, uint32_t cost)
{
    if (!body->fn)
        store_relaxed(cost_of(body->kind), cost);
    else if (body->place)
        store_relaxed(entry_of(body->place), body->place >> 32 << 32 | cost);
}

/* A cost that is nearly the one before is not written. */
static bool is_worth_a_write(uint64_t cost, uint64_t before)
{
    return !before || cost > before + before / 4 || cost < before - before / 4 ||
           (cost & PURE) > (before & PURE);
}

/* A cost that was not measured, but lies between two costs that were. */
static uint32_t stepped(uint32_t cost, uint32_t bits)
{
    return (cost & ~(PURE | TOGETHER)) | bits;
}

static uint32_t as_cost(uint64_t indices, uint64_t ns)
{
    uint64_t cost = divide((ns < UINT64_MAX / 1024 ? ns : UINT64_MAX / 1024) * 1024,
                           indices);

    cost = cost < MOST ? cost : MOST;
    return (cost > LEAST ? (uint32_t)cost : LEAST) & ~(PURE | TOGETHER);
}

void tweed__costs_learn(const struct tweed__body *body, uint64_t indices, uint64_t ns,
                         bool alone)
{
    uint32_t known = tweed__costs_cost(body), before = costs_value(known), unsure = 0;
    uint32_t together = known & TOGETHER, cost = as_cost(indices, ns) | PURE | together;
    bool brought = alone && known & SPREAD; /* the data, from other caches */
    bool sinks, rises;

    if (before && ns < TWEED__SHORT_NS && cost > before)
        return; /* the clock's own cost */
    if (brought) {
        known -= SPREAD;
        remember(body, known);
        if (cost > before)
            return;
    }
    if (!alone && before & PURE && before / 4 < cost && (cost / 4 < before || ns < LONG_NS))
        return; /* what is known is better */
    if (!alone || (brought && !(before & PURE))) {
        cost -= PURE;
        unsure = !before || brought ? UNSURE : known & UNSURE;
    }
    sinks = body->fn && !(known & UNSURE) && cost < before - before / SINKING;
    rises = alone && before && !(known & UNSURE) && ns < INTERRUPTED_NS &&
            cost > before + before / RISING;
    if (sinks) {
        unsure = 0;
        cost = stepped(before - before / SINKING, together); /* not PURE */
    }
    if (rises)
        cost = stepped(before + before / RISING + LEAST, (before & PURE) | together);
    if (sinks || rises || is_worth_a_write(cost, before) || unsure != (known & UNSURE))
        remember(body, cost | (known & SPREAD) | unsure);
}

void tweed__costs_note_spread(const struct tweed__body *body)
{
    uint32_t known = tweed__costs_cost(body);

    if (known && !costs_is_spread(known)) /* most need no write */
        remember(body, known | SPREAD);
}

uint64_t tweed__costs_guess(uint32_t cost, uint64_t count)
{
    uint64_t units;

    if (__builtin_mul_overflow((uint64_t)costs_value(cost), count, &units) ||
        units > UINT64_MAX - 1023)
        return UINT64_MAX;
    return (units + 1023) / 1024;
}

bool tweed__costs_is_pure(uint32_t cost)
{
    return cost & PURE;
}

void tweed__costs_learn_together(const struct tweed__body *body, bool together)
{
    uint32_t cost = tweed__costs_cost(body);

    if (cost >= LEAST && costs_is_together(cost) != together)
        remember(body, cost ^ TOGETHER);
}

/*
 * costs.c - what is remembered of a loop's cost, by what, and what is believed.
 *
 * SPDX-License-Identifier: MIT
 *
 * Needs lib/range/costs.c alone: t/model/mutants.sh builds it with broken ones.
 */
#include "config.h"

#include "range/costs.h"
#include "tap.h"

#include <string.h>

/* bits 31 and 30 say that the loop was shared, and that the cost is not sure; bit 1, that
   claims are of many blocks */
#define LARGEST (UINT32_MAX / 4 - 2)
#define INDICES 1000
#define PLACES 4096
#define ALONE true
#define BESIDE_OTHERS false

static void first(void)
{
}

static void second(void)
{
}

static tweed_kind kinds[2];
static char places[PLACES]; /* of the program, from where a body is called */

static struct tweed__body of_kind(int k)
{
    return (struct tweed__body){ .kind = &kinds[k] };
}

static struct tweed__body by_place(void (*fn)(void), int k)
{
    return (struct tweed__body){ .kind = &kinds[0],
                                 .fn = fn,
                                 .place = tweed__costs_place(fn, places + k) };
}

/* What is remembered, 1/1024 ns an index. */
static uint32_t known_units(struct tweed__body body)
{
    return costs_value(tweed__costs_cost(&body));
}

/* The same, ns. */
static uint32_t known(struct tweed__body body)
{
    return known_units(body) / 1024;
}

/* The same after a loop of indices of so many ns. */
static uint32_t learn(struct tweed__body body, uint64_t ns, bool alone)
{
    tweed__costs_learn(&body, INDICES, INDICES * ns, alone);
    return known(body);
}

static bool is_pure(struct tweed__body body)
{
    return tweed__costs_is_pure(tweed__costs_cost(&body));
}

/* ---- a guess ---- */

static void guesses(void)
{
    struct tweed__body body = of_kind(0);

    ok(tweed__costs_guess(0, 1000) == 0, "no cost, no guess");
    ok(tweed__costs_guess(3 * 1024, 1000) == 3000, "a guess is cost times indices");
    ok(tweed__costs_guess(1, 1) == 1 && tweed__costs_guess(1025, 1) == 2,
       "rounded up: what is known is not 0");
    ok(tweed__costs_guess(UINT32_MAX, UINT64_MAX) == UINT64_MAX &&
           tweed__costs_guess(1, UINT64_MAX) == UINT64_MAX &&
           tweed__costs_guess(2, UINT64_MAX / 2 + 1) == UINT64_MAX,
       "a guess that is too large is the largest");
    tweed__costs_learn(&body, 1, UINT64_C(1) << 60, ALONE);
    ok(tweed__costs_cost(&body) == LARGEST, "and so is a cost");
    kinds[0].cost = 0;
    tweed__costs_learn(&body, INDICES, 0, BESIDE_OTHERS);
    ok(known_units(body) != 0, "what costs nothing is known");
}

/* ---- a kind: what was last is believed ---- */

static void of_a_kind(void)
{
    memset(kinds, 0, sizeof kinds);
    ok(known(of_kind(0)) == 0 && learn(of_kind(0), 100, ALONE) == 100,
       "a kind knows nothing at first, and learns");
    ok(known(of_kind(1)) == 0, "another kind knows nothing of that");
    ok(learn(of_kind(0), 120, ALONE) == 100 && learn(of_kind(0), 80, ALONE) == 100,
       "what is nearly the same is not written");
    ok(learn(of_kind(0), 7000, ALONE) == 7000 && learn(of_kind(0), 20, ALONE) == 20,
       "what is dearer is believed at once, and what is cheaper");
}

static void short_loops(void)
{
    struct tweed__body body = of_kind(0);

    kinds[0].cost = 0;
    tweed__costs_learn(&body, 1, 150, ALONE);
    ok(known(body) == 150, "a loop as short as a look at the clock: better than nothing");
    kinds[0].cost = 10 * 1024;
    tweed__costs_learn(&body, 1, 150, ALONE);
    ok(known(body) == 10, "it does not make an index dearer");
    kinds[0].cost = 500 * 1024;
    tweed__costs_learn(&body, 1, 150, ALONE);
    ok(known(body) == 150, "but cheaper");
}

static void beside_others(void)
{
    memset(kinds, 0, sizeof kinds);
    ok(learn(of_kind(0), 1000, BESIDE_OTHERS) == 1000 && !is_pure(of_kind(0)),
       "a cost that was measured beside others is marked");
    ok(learn(of_kind(0), 2000, BESIDE_OTHERS) == 2000,
       "it is replaced by another such");
    ok(learn(of_kind(0), 2000, ALONE) == 2000 && is_pure(of_kind(0)),
       "and by the same that was measured alone");
    ok(learn(of_kind(0), 4000, BESIDE_OTHERS) == 2000 &&
           learn(of_kind(0), 1000, BESIDE_OTHERS) == 2000 && is_pure(of_kind(0)),
       "which is believed where others made it twice or half as dear");
    ok(learn(of_kind(0), 10000, BESIDE_OTHERS) == 10000 && !is_pure(of_kind(0)),
       "but not five times");
    (void)learn(of_kind(0), 10000, ALONE);
    ok(learn(of_kind(0), 2000, BESIDE_OTHERS) == 2000 && !is_pure(of_kind(0)),
       "nor a fifth");
}

/* ---- a body by pointer: by its function, and the place of the call ---- */

static void of_a_place(void)
{
    struct tweed__body none = { .kind = &kinds[0], .fn = first };
    int strangers = 0;

    kinds[0].cost = 0;
    ok(tweed__costs_place(NULL, places) == 0 && tweed__costs_place(first, NULL) == 0,
       "no function or no place: nothing to remember by");
    ok(learn(none, 7, ALONE) == 0, "nothing is remembered then");
    ok(known(by_place(first, 0)) == 0 && learn(by_place(first, 0), 7, ALONE) == 7 &&
           known(by_place(first, 0)) == 7,
       "a body by pointer is remembered by the place of the call");
    ok(kinds[0].cost == 0, "not by its kind, which all such bodies have");
    for (int k = 1; k < PLACES; k++)
        strangers += known(by_place(first, k)) != 0;
    ok(strangers == 0, "the same function, called from elsewhere: not known");
}

static void of_two_functions(void)
{
    int strangers = 0, both = 0;

    for (int k = 0; k < 64; k++) {
        uint32_t ns = 7 + (uint32_t)k;

        (void)learn(by_place(first, k), ns, ALONE);
        strangers += known(by_place(second, k)) != 0;
        (void)learn(by_place(second, k), 500, ALONE);
        both += known(by_place(first, k)) == ns && known(by_place(second, k)) == 500;
    }
    ok(strangers == 0, "another function, called from the same place: not known");
    ok(both > 32, "most of such two have an entry each: %d of 64", both);
}

static void sinks(void)
{
    struct tweed__body body = by_place(first, 0);
    int times = 0, pure = 0;
    uint32_t ns;

    (void)learn(body, 7, ALONE);
    ok(learn(body, 7000, ALONE) == 7000 && is_pure(body),
       "what is dearer is believed at once");
    ok(learn(body, 6900, ALONE) == 7000 && is_pure(body),
       "what is a little cheaper is not written");
    ns = learn(body, 7, ALONE);
    ok(ns < 7000 && ns > 6000, "what is cheaper only little by little: %u ns", ns);
    for (; ns > 8 && times < 1000; times++) {
        pure += is_pure(body);
        ns = learn(body, 7, ALONE);
    }
    ok(times > 90 && times < 150, "in the end it is believed: %d loops", times);
    ok(pure == 0, "what was not measured does not count as measured alone");
    for (int k = 0; k < 1000; k++)
        (void)learn(body, 7, ALONE);
    ok(known(body) == 7, "it does not sink below what was measured");
}

/* How many places are known of which each cost as many ns as its number; -1: one is
   known for another. */
static int kept(void)
{
    int n = 0;

    for (int k = 0; k < PLACES; k++) {
        uint32_t ns = known(by_place(first, k));

        if (ns != 0 && ns != (uint32_t)k + 1)
            return -1;
        n += ns != 0;
    }
    return n;
}

/* More bodies than the table has entries; then a dear one in each entry. */
static void many(void)
{
    struct tweed__body none = { .kind = &kinds[0], .fn = first }, dearest;
    int before, full = 0;

    for (int k = 0; k < PLACES; k++)
        (void)learn(by_place(first, k), (uint64_t)k + 1, ALONE);
    before = kept();
    ok(before > 200 && before <= 256, "of %d places %d are known, none for another",
       PLACES, before);
    (void)learn(none, 1000000, ALONE);
    ok(kept() == before, "what has no place takes nobody's");
    for (int k = 0; k < PLACES; k++) {
        dearest = by_place(second, k);
        tweed__costs_learn(&dearest, 1, UINT64_MAX, ALONE);
        full += tweed__costs_cost(&dearest) == LARGEST;
    }
    ok(full == PLACES, "the later one has the entry, however dear it is");
}

/* ---- claims of many blocks ---- */

static bool is_together(struct tweed__body body)
{
    return costs_is_together(tweed__costs_cost(&body));
}

static void together(void)
{
    const struct tweed__body bodies[] = { of_kind(1), by_place(first, 0) };

    for (int k = 0; k < 2; k++) {
        struct tweed__body body = bodies[k];

        kinds[1].cost = 0;
        (void)learn(body, 1000, ALONE);
        tweed__costs_learn_together(&body, true);
        ok(is_together(body) && is_pure(body), "claims of many blocks are remembered");
        ok(learn(body, 3000, ALONE) == 3000 && is_together(body) &&
               (learn(body, 10, BESIDE_OTHERS), is_together(body)),
           "... whatever an index costs");
        tweed__costs_learn_together(&body, false);
        ok(!is_together(body), "... until they are of no use");
    }
    kinds[1].cost = 0;
    tweed__costs_learn_together(&bodies[0], true);
    ok(kinds[1].cost == 0, "of a cost that is not known nothing is");
}

/* ---- after a loop that was shared ---- */

static bool is_spread(struct tweed__body body)
{
    return costs_is_spread(tweed__costs_cost(&body));
}

static bool is_unsure(struct tweed__body body)
{
    return costs_is_unsure(tweed__costs_cost(&body));
}

/* The same of a loop that is shared from its beginning, as work.c does it. */
static uint32_t learn_shared(struct tweed__body body, uint64_t ns)
{
    tweed__costs_learn(&body, INDICES, INDICES * ns, BESIDE_OTHERS);
    tweed__costs_note_spread(&body);
    return known(body);
}

static void after_a_shared_loop(struct tweed__body body)
{
    tweed__costs_note_spread(&body);
    ok(tweed__costs_cost(&body) == 0, "a loop of which no cost is known stays so");
    (void)learn(body, 100, ALONE);
    ok(learn_shared(body, 130) == 100 && is_spread(body) && is_pure(body),
       "that a loop was shared is noted beside its cost");
    ok(tweed__costs_guess(tweed__costs_cost(&body), 1000) / 1000 == 100,
       "... and changes no guess");
    ok(learn(body, 300, ALONE) == 100 && !is_spread(body),
       "the next loop, alone, makes an index no dearer");
    ok(learn(body, 300, ALONE) == 300, "... but the one after that does");
    ok(learn_shared(body, 2000) == 2000 && is_spread(body) && !is_pure(body) &&
           !is_unsure(body),
       "what is learned beside others keeps the note, and the loop is no short one");
    ok(learn(body, 9000, BESIDE_OTHERS) == 9000 && is_spread(body),
       "... as does what is dearer yet");
    tweed__costs_learn_together(&body, true);
    ok(is_spread(body) && known(body) == 9000, "and so do long claims");
}

static void cheaper_after_a_shared_loop(void)
{
    memset(kinds, 0, sizeof kinds);
    (void)learn(of_kind(0), 300, ALONE);
    (void)learn_shared(of_kind(0), 300);
    ok(learn(of_kind(0), 100, ALONE) == 100 && !is_spread(of_kind(0)) && is_pure(of_kind(0)),
       "cheaper is believed at once");
}

/* Until there is a cost that was measured alone, and not by the first loop alone. */
static void becomes_sure(struct tweed__body body)
{
    ok(learn_shared(body, 500) == 500 && is_unsure(body) && is_spread(body),
       "a cost that was only measured beside others is not sure");
    ok(learn_shared(body, 400) <= 500 && is_unsure(body), "... however often");
    ok(learn(body, 200, ALONE) == 200 && is_unsure(body) && !is_pure(body) && !is_spread(body),
       "nor by the first loop alone, to which the data come back");
    ok(learn(body, 90, ALONE) == 90 && !is_unsure(body) && is_pure(body),
       "but by the second one, and that is believed at once");
    (void)learn_shared(body, 100);
    (void)learn(body, 60, ALONE);
    ok(!is_unsure(body), "a sure cost that becomes lower is sure");
}

/* A short part of a short loop. */
static void short_beside_others(void)
{
    struct tweed__body body = of_kind(0);

    memset(kinds, 0, sizeof kinds);
    (void)learn(body, 100, ALONE);
    tweed__costs_learn(&body, 1, 9000, BESIDE_OTHERS);
    ok(known(body) == 100 && is_pure(body), "a short loop becomes no dearer beside others");
    tweed__costs_learn(&body, 1, 11000, BESIDE_OTHERS);
    ok(known(body) == 11000 && !is_pure(body), "but a longer one does");
}

/* Of loops that may have been interrupted. */
static void rises(struct tweed__body body)
{
    memset(kinds, 0, sizeof kinds);
    (void)learn(body, 100, ALONE);
    tweed__costs_learn(&body, 100, 19000, ALONE);
    ok(known(body) == 125 && is_pure(body), "a short loop, alone: a fourth dearer at a time");
    tweed__costs_learn(&body, 100, 19000, ALONE);
    tweed__costs_learn(&body, 100, 19000, ALONE);
    ok(known(body) == 156, "... until that is near what is measured: %u", known(body));
    tweed__costs_learn(&body, 100, 21000, ALONE);
    tweed__costs_learn(&body, 1, 21000, ALONE);
    ok(known(body) == 21000 && is_pure(body), "a longer one is believed at once");
    memset(kinds, 0, sizeof kinds);
    (void)learn(body, 100, ALONE);
    (void)learn(body, 1000, BESIDE_OTHERS);
    tweed__costs_learn(&body, 1, 19000, ALONE);
    ok(known(body) == 1250 && !is_pure(body),
       "a step from what was not measured alone was not, either: %u", known(body));
    ok(learn(body, 1250, ALONE) == 1250 && is_pure(body), "... until as much is measured so");
    tweed__costs_learn(&body, 1000, 0, ALONE);
    for (int k = 0; k < 100; k++)
        tweed__costs_learn(&body, 100000, 10000, ALONE);
    ok(known_units(body) > 70, "what has cost nothing rises, too: %u", known_units(body));
}

static void sinks_and_is_sure(void)
{
    struct tweed__body body = by_place(first, 7);

    (void)learn(body, 1000, ALONE);
    (void)learn_shared(body, 100);
    (void)learn(body, 100, ALONE);
    ok(known(body) > 800 && !is_pure(body) && !is_unsure(body),
       "a cost that sinks was measured alone, once");
}

int main(void)
{
    plan(6 + 4 + 3 + 6 + 5 + 2 + 6 + 3 + 7 + 2 * 8 + 1 + 2 * 5 + 1 + 2 + 6);
    guesses();
    of_a_kind();
    short_loops();
    beside_others();
    of_a_place();
    of_two_functions();
    sinks();
    many();
    together();
    memset(kinds, 0, sizeof kinds);
    after_a_shared_loop(of_kind(0));
    after_a_shared_loop(by_place(first, 5));
    cheaper_after_a_shared_loop();
    becomes_sure(of_kind(1));
    becomes_sure(by_place(first, 6));
    sinks_and_is_sure();
    rises(of_kind(0));
    short_beside_others();
    return done_testing();
}

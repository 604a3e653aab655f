/*
 * gain.h - is a short loop shared, or walked by its caller alone?
 *
 * SPDX-License-Identifier: MIT
 *
 * A loop that takes T alone takes T / P + S on P workers.  S is what sharing costs:
 * publishing, the way of the loop to the other workers, of the arrays' lines to their
 * caches, and of the end back to the caller.  Where all workers are asleep S is the
 * system's calls, and the time until a worker has come: some microseconds or, in a virtual
 * machine, fifty.  A loop is shared if that saves an eighth of T.
 *
 * S depends on the machine, so S is measured where the program runs.  A caller knows T from
 * runs that it made alone (costs.c).  Of short loops that are shared, one in seven if other
 * workers look for work, each if these are asleep, the caller takes the time E.  E - T / P is
 * a sample of S.  (Seven is odd: a program whose two loops take turns has samples of both.)
 * The estimate goes up or down by a sixteenth of itself, towards the sample: so the estimate
 * is the median of the samples, and a thread that lost its CPU counts for no more than
 * another.
 *
 * A loop that has been walked alone for long would never be measured, and workers that
 * have fallen asleep would never be woken.  So there are TRIALS: when the time of loops
 * that were walked alone, and would gain if S were a fourth of what it is with workers
 * that look for work, adds up to 64 times S, the next one is shared.  A trial that wakes
 * workers is followed by one while they look for work, which they do for no longer than
 * spin_ns.  If they sleep again before, the next trial comes that much sooner.
 *
 * All words are read and written relaxed, and pair with nothing: they are estimates, any
 * caller may write them, and a change that is lost is made by the next sample.  A wrong
 * estimate costs time only: the loop is executed all the same.
 */
#ifndef TWEED_LIB_GAIN_H
#define TWEED_LIB_GAIN_H

#include "pool/team.h"
#include "range/costs.h"
#include "system/system.h"

/* The least and the most that is believed of S.  Longer loops are shared at once. */
#define GAIN_LEAST_NS 100
#define GAIN_MOST_NS 50000
#define GAIN_LONG_NS (4 * GAIN_MOST_NS)

#define GAIN_EACH_SAMPLE 7
#define GAIN_TRIAL 64

/* A loop that was taken for shorter than this many times S is shared when it has lasted so
   long: on two workers it gains from then on. */
#define GAIN_PATIENCE 3

static inline uint64_t gain_workers(const struct tweed__part *p)
{
    uint64_t n = (uint64_t)p->team->num_workers;

    if (p->limit && (uint64_t)p->limit < n)
        n = (uint64_t)p->limit;
    return p->body->blocks < n ? p->body->blocks : n;
}

/* Does a loop of `ns` gain where sharing costs so much? */
static inline bool gain_is_worth(const struct tweed__part *p, uint64_t ns, uint64_t cost)
{
    return ns - ns / 8 > cost + divide(ns, gain_workers(p));
}

/* A loop of `ns` is walked alone, and might gain: is it time for a trial?  Sharing costs
   `cost` ns as the workers are now, `awake` where they look for work. */
static inline bool gain_is_trial(struct tweed__team *t, uint64_t ns, uint64_t cost,
                                 uint64_t awake)
{
    uint64_t sum = load_relaxed(&t->alone_ns) + ns;
    bool is = sum > GAIN_TRIAL * cost;

    if (is) /* what is left is enough for a trial with workers that are awake */
        sum = cost > awake ? GAIN_TRIAL * awake : 0;
    store_relaxed(&t->alone_ns, sum);
    return is;
}

/* Is a loop that is shared to be a sample? */
static inline bool gain_is_sample(const struct tweed__part *p, int slot, bool asleep)
{
    return !p->outer && tweed__costs_is_pure(p->body->cost) &&
           (asleep ||
            load_relaxed(&p->worker->seats[slot].tally.loops) % GAIN_EACH_SAMPLE == 0);
}

/* How long the caller, which has that slot, shall walk a loop alone that will take `ns`,
   before it shares what is left; 0: the loop is shared at once.  Begins a sample. */
static inline uint64_t gain_alone_ns(struct tweed__part *p, int slot, uint64_t ns)
{
    struct tweed__team *t = p->team;
    uint64_t cost, awake;
    bool asleep, trial = false;
    _Atomic uint32_t *of;

    if (ns >= GAIN_LONG_NS)
        return 0;
    asleep = tweed__sleep_is_deep(&t->sleep);
    of = asleep ? &t->share_asleep_ns : &t->share_ns;
    cost = load_relaxed(of);
    awake = load_relaxed(&t->share_ns);
    if (ns <= awake / 4 && ns <= cost) /* most, and soon said */
        return GAIN_PATIENCE * cost;
    if (!gain_is_worth(p, ns, cost)) {
        trial = gain_is_worth(p, ns, awake / 4) && gain_is_trial(t, ns, cost, awake);
        if (!trial)
            return GAIN_PATIENCE * cost;
    }
    if (trial || gain_is_sample(p, slot, asleep)) {
        p->sampled = of;
        p->expected_ns = ns;
        p->shared_ns = tweed__clock();
    }
    return 0;
}

/* The loop is over. */
static inline void gain_end(struct tweed__part *p)
{
    uint64_t cost, took, ideal;

    if (likely(!p->sampled))
        return;
    took = tweed__clock() - p->shared_ns;
    ideal = divide(p->expected_ns, gain_workers(p));
    cost = load_relaxed(p->sampled);
    cost = took > ideal + cost ? cost + cost / 16 : cost - cost / 16;
    if (cost >= GAIN_LEAST_NS && cost <= GAIN_MOST_NS)
        store_relaxed(p->sampled, (uint32_t)cost);
}

#endif

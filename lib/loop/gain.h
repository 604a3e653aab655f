/*
 * gain.h - is a short loop shared, or walked by its caller alone?
 *
 * SPDX-License-Identifier: MIT
 *
 * A loop that takes T alone takes T / P + S on P workers.  S is what sharing costs:
 * publishing, the way of the loop to the other workers, of the arrays' lines to their
 * caches, and of the end back to the caller.  Where all workers are asleep S is the
 * system's calls, and the time until a worker has come: some microseconds or, in a virtual
 * machine, fifty.  A loop is shared if that saves a sixteenth of T.
 *
 * S depends on the machine, so S is measured where the program runs.  A caller knows T from
 * runs that were made alone (costs.c).  Of a loop that seems to be short, and of which no such
 * run is known, two are made: the first brings the data back.
 *
 * Of short loops that are shared, one in seven if other workers look for work, each if these
 * are asleep, the caller takes the time E.  E - T / P is a sample of S.  (Seven is odd: a
 * program whose two loops take turns has samples of both.)
 * The estimate goes up or down by a sixteenth of itself, towards the sample: so the estimate
 * is the median of the samples that count, and a thread that lost its CPU counts for no more
 * than another.
 *
 * A loop that has been walked alone for long would never be measured, and workers that
 * have fallen asleep would never be woken.  So there are TRIALS: when the time of loops
 * that were walked alone, and would gain if S were a fourth of what it is with workers
 * that look for work, adds up to 64 times S, the next three are shared.  The first one is a
 * sample where it wakes workers.  The first two bring part of the data to the others' caches,
 * and time passes until the workers are there.  The third is a sample where workers look for
 * work.  A trial costs some S itself, so after each that has gained nothing the next one comes
 * twice as late, four times in a row.  Trials are of the team: in a program of several short
 * loops the three may be of several.  Then S comes out too high, by the way of the data.
 *
 * A loop that is always shared would never be walked alone again, and T would stay what it
 * once was: with cold caches, with a slower clock, or of a thread that lost its CPU.  So there
 * are CHECKS: when the expected times of loops that were shared, each in units of the loop's
 * own T, add up to 512, the next three are begun alone.  (The first one brings the data
 * back.)  A sample of S that is less than nothing says that T is too high.  So the sample
 * does not count, and the check comes a sixteenth of its time earlier.
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
#define GAIN_SERIES 3
#define GAIN_DOUBLINGS 4
#define GAIN_UNIT 1024
#define GAIN_CHECK (512 * GAIN_UNIT)
#define GAIN_EARLIER (GAIN_CHECK / 16)

/* A loop of which no cost was measured alone is walked alone if it seems to be shorter than
   that, be S what it may: S is not learned of such a loop. */
#define GAIN_UNSURE_NS 20000

/* A loop that was begun alone is shared when it has lasted for this many times S: on two
   workers it gains from then on.  If it was shared last time, its data have to come back: so
   it may last for this many times T longer, once. */
#define GAIN_PATIENCE 3
#define GAIN_RETURN 2

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
    return ns - ns / 16 > cost + divide(ns, gain_workers(p));
}

/* Adds to a sum.  When that is above its limit, a series of loops begins: which of a series is
   this loop, from 1 on; 0: of none.  left: loops of the series that are still to come. */
static inline uint32_t gain_series(_Atomic uint64_t *sum, _Atomic uint32_t *left, uint64_t more,
                                   uint64_t limit)
{
    uint32_t n = load_relaxed(left);
    uint64_t all = load_relaxed(sum) + more;

    if (n > 0) {
        store_relaxed(left, n - 1);
        return GAIN_SERIES + 1 - n;
    }
    if (all <= limit) {
        store_relaxed(sum, all);
        return 0;
    }
    store_relaxed(sum, 0);
    store_relaxed(left, GAIN_SERIES - 1);
    return 1;
}

/* A loop of `ns` is walked alone, and might gain: which loop of a trial is it?  Sharing costs
   `cost` ns. */
static inline uint32_t gain_trial(struct tweed__team *t, uint64_t ns, uint64_t cost)
{
    uint32_t doublings = load_relaxed(&t->doublings);
    uint32_t which = gain_series(&t->alone_ns, &t->trial_loops, ns,
                                 (GAIN_TRIAL * cost) << doublings);

    if (which == 1)
        store_relaxed(&t->doublings, doublings + (doublings < GAIN_DOUBLINGS));
    return which;
}

/* A loop of `ns` gains if it is shared: is it begun alone, to measure its cost again? */
static inline bool gain_is_check(const struct tweed__part *p, uint64_t ns, uint64_t cost)
{
    uint64_t shared_ns = cost + divide(ns, gain_workers(p));

    return gain_series(&p->team->gained, &p->team->check_loops,
                       divide(GAIN_UNIT * shared_ns, ns), GAIN_CHECK) != 0;
}

/* How long a loop that will take `ns` is walked alone before it is shared after all. */
static inline uint64_t gain_patience(const struct tweed__part *p, uint64_t ns, uint64_t cost)
{
    return GAIN_PATIENCE * cost + (costs_is_spread(p->body->cost) ? GAIN_RETURN * ns : 0);
}

/* Is a loop that is shared to be a sample?  trial: which of a trial; 0: of none. */
static inline bool gain_is_sample(const struct tweed__part *p, int slot, bool asleep,
                                  uint32_t trial)
{
    if (trial)
        return trial == (asleep ? 1 : GAIN_SERIES);
    return !p->outer && tweed__costs_is_pure(p->body->cost) &&
           (asleep ||
            load_relaxed(&p->worker->seats[slot].tally.loops) % GAIN_EACH_SAMPLE == 0);
}

/* Of a loop of `ns` that may be short the cost is known only as it was beside others. */
static inline bool gain_is_unsure(const struct tweed__part *p, uint64_t ns)
{
    return costs_is_unsure(p->body->cost) && ns < GAIN_UNSURE_NS;
}

/* As gain_alone_ns(), of a loop that may be worth sharing. */
static __attribute__((noinline)) uint64_t gain_weigh(struct tweed__part *p, int slot, uint64_t ns,
                                                     bool asleep)
{
    struct tweed__team *t = p->team;
    _Atomic uint32_t *of = asleep ? &t->share_asleep_ns : &t->share_ns;
    uint64_t cost = load_relaxed(of), awake = load_relaxed(&t->share_ns);
    uint32_t trial = 0;

    if (gain_is_unsure(p, ns))
        return gain_patience(p, ns, cost);
    if (!gain_is_worth(p, ns, cost)) {
        trial = gain_is_worth(p, ns, awake / 4) ? gain_trial(t, ns, cost) : 0;
        if (!trial)
            return gain_patience(p, ns, cost);
    } else if (gain_is_check(p, ns, cost)) {
        return gain_patience(p, ns, cost);
    }
    if (gain_is_sample(p, slot, asleep, trial)) {
        p->sampled = of;
        p->is_trial = trial > 0;
        p->expected_ns = ns;
        p->shared_ns = tweed__clock();
    }
    return 0;
}

/* How long the caller, which has that slot, shall walk a loop alone that will take `ns`,
   before it shares what is left; 0: the loop is shared at once.  Begins a sample. */
static inline uint64_t gain_alone_ns(struct tweed__part *p, int slot, uint64_t ns)
{
    struct tweed__team *t = p->team;
    uint64_t cost, awake;
    bool asleep;

    if (ns >= GAIN_LONG_NS)
        return 0;
    asleep = tweed__sleep_is_deep(&t->sleep);
    awake = load_relaxed(&t->share_ns);
    cost = asleep ? load_relaxed(&t->share_asleep_ns) : awake;
    if (ns <= awake / 4 && ns <= cost) /* most, and soon said */
        return gain_patience(p, ns, cost);
    return gain_weigh(p, slot, ns, asleep);
}

/* The loop is over. */
static inline void gain_end(struct tweed__part *p)
{
    struct tweed__team *t = p->team;
    uint64_t cost, took, ideal;

    if (likely(!p->sampled))
        return;
    took = tweed__clock() - p->shared_ns;
    ideal = divide(p->expected_ns, gain_workers(p));
    if (p->is_trial && took < p->expected_ns - p->expected_ns / 16)
        store_relaxed(&t->doublings, 0);
    if (took < ideal) {
        store_relaxed(&t->gained, load_relaxed(&t->gained) + GAIN_EARLIER);
        return;
    }
    cost = load_relaxed(p->sampled);
    cost = took > ideal + cost ? cost + cost / 16 : cost - cost / 16;
    if (cost >= GAIN_LEAST_NS && cost <= GAIN_MOST_NS)
        store_relaxed(p->sampled, (uint32_t)cost);
}

#endif

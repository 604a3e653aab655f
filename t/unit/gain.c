/*
 * gain.c - is a short loop shared, or walked by its caller alone?
 *
 * SPDX-License-Identifier: MIT
 *
 * The clock is one that stands still.
 */
#include "config.h"

#include "loop/gain.h"
#include "tap.h"

#include <string.h>

#define SLOT 3
#define T 2000 /* ns that a loop takes alone; two workers save a sixteenth below 875 of cost */

uint64_t __real_tweed__clock(void);
uint64_t __wrap_tweed__clock(void);

static uint64_t now = 1;

uint64_t __wrap_tweed__clock(void)
{
    return now;
}

static struct tweed__team team;
static struct tweed__worker worker;
static struct tweed__body body;
static struct tweed__part part;

/* A loop of two workers, whose cost the caller has measured alone. */
static void prepare(uint32_t share_ns, uint32_t share_asleep_ns, bool asleep)
{
    memset(&part, 0, sizeof part);
    team.num_workers = 2;
    atomic_store(&team.share_ns, share_ns);
    atomic_store(&team.share_asleep_ns, share_asleep_ns);
    atomic_store(&team.alone_ns, 0);
    atomic_store(&team.gained, 0);
    atomic_store(&team.trial_loops, 0);
    atomic_store(&team.check_loops, 0);
    atomic_store(&team.doublings, 0);
    atomic_store(&team.sleep.waiters, asleep);
    atomic_store(&worker.seats[SLOT].tally.loops, 1); /* not one that is a sample */
    body.blocks = 1000;
    body.cost = 1024 | 1;
    part.team = &team;
    part.worker = &worker;
    part.body = &body;
}

static void decides(void)
{
    prepare(800, 20000, false);
    ok(gain_alone_ns(&part, SLOT, T) == 0, "shared where that saves a sixteenth");
    prepare(900, 20000, false);
    ok(gain_alone_ns(&part, SLOT, T) == GAIN_PATIENCE * 900,
       "else alone, for three times the cost");
    body.cost |= TWEED__COST_SPREAD;
    ok(gain_alone_ns(&part, SLOT, T) == GAIN_PATIENCE * 900 + GAIN_RETURN * T,
       "... and for longer where the data have to come back from others");
    prepare(800, 900, true);
    ok(gain_alone_ns(&part, SLOT, T) == GAIN_PATIENCE * 900,
       "workers that are asleep have a cost of their own");
    prepare(900, 800, true);
    ok(gain_alone_ns(&part, SLOT, T) == 0, "... by which a loop is shared");
    prepare(5 * T, 700, true);
    ok(gain_alone_ns(&part, SLOT, T) == 0, "... and if that is far below the other one");
    prepare(GAIN_MOST_NS, GAIN_MOST_NS, true);
    atomic_store(&team.gained, GAIN_CHECK);
    ok(gain_alone_ns(&part, SLOT, GAIN_LONG_NS) == 0 &&
           gain_alone_ns(&part, SLOT, GAIN_LONG_NS - 1) > 0,
       "a long loop is shared without a look, and is no check");
    prepare(700, 20000, false);
    part.limit = 1;
    ok(gain_alone_ns(&part, SLOT, T) > 0, "one worker gains nothing");
    part.limit = 0;
    body.blocks = 1;
    ok(gain_alone_ns(&part, SLOT, T) > 0, "nor does one block");
}

/* How many loops are walked alone until one is shared. */
static int until_trial(void)
{
    int n = 0;

    part.sampled = NULL;
    while (n < 100000 && gain_alone_ns(&part, SLOT, T))
        n++;
    return n;
}

static void tries(void)
{
    int n;

    prepare(900, 20000, false);
    n = until_trial();
    ok(n == GAIN_TRIAL * 900 / T && !part.sampled,
       "a trial after loops of 64 times the cost: %d", n);
    ok(until_trial() == 0 && !part.sampled, "... which goes on");
    ok(until_trial() == 0 && part.sampled == &team.share_ns && part.is_trial,
       "... and the third loop is a sample");
    prepare(900, 20000, true);
    n = until_trial();
    ok(n == GAIN_TRIAL * 20000 / T && part.sampled == &team.share_asleep_ns,
       "workers that are asleep: the first loop is a sample, of their cost: %d", n);
    atomic_store(&team.sleep.waiters, 0);
    ok(until_trial() == 0 && !part.sampled && until_trial() == 0 &&
           part.sampled == &team.share_ns,
       "... and the third one of the other, when these have come");
    prepare(900, 20000, true);
    (void)until_trial();
    ok(until_trial() == 0 && !part.sampled && until_trial() == 0 && !part.sampled,
       "... but of workers that are still on their way there is none");
    prepare(4000, 20000, false);
    ok(until_trial() == 100000, "none of a loop that would not gain at a quarter of the cost");
    prepare(4000, 20000, true);
    ok(until_trial() == 100000, "... or where the workers were awake");
}

/* Takes the sample of the loop that has just begun: the loop takes so long. */
static void end_sample(uint64_t took)
{
    part.shared_ns = now;
    now += took;
    gain_end(&part);
}

/* How many loops are walked alone before a trial, after so many trials that gained
   nothing. */
static int after_trials(int trials)
{
    int n;

    prepare(900, 20000, false);
    for (int k = 0; k <= trials; k++) {
        atomic_store(&team.share_ns, 900);
        n = until_trial();
        (void)until_trial();
        (void)until_trial();
        end_sample(10 * T);
    }
    return n;
}

/* Has a sample of a loop that took so long brought the next trial near? */
static bool gains(bool is_trial, uint64_t took)
{
    atomic_store(&team.doublings, GAIN_DOUBLINGS);
    part.sampled = &team.share_ns;
    part.is_trial = is_trial;
    part.expected_ns = T;
    end_sample(took);
    return atomic_load(&team.doublings) == 0;
}

static void tries_less(void)
{
    int n = after_trials(0);

    ok(after_trials(1) >= 2 * n && after_trials(1) <= 2 * n + 2,
       "a trial that has gained nothing: the next one comes twice as late");
    ok(after_trials(GAIN_DOUBLINGS) >= n << GAIN_DOUBLINGS &&
           after_trials(20) == after_trials(GAIN_DOUBLINGS),
       "but no later than after four such");
    ok(gains(true, T - T / 16 - 1) && !gains(true, T - T / 16),
       "one that has gained a sixteenth: as soon as at first");
    ok(!gains(false, 0), "a sample that is in no trial changes nothing about trials");
}

/* So many samples of loops that take `took`. */
static uint32_t learn(int n, uint64_t took, _Atomic uint32_t *of)
{
    for (int k = 0; k < n; k++) {
        part.sampled = of;
        part.expected_ns = T;
        part.shared_ns = now;
        now += took;
        gain_end(&part);
    }
    return atomic_load(of);
}

static bool is_near(uint32_t is, uint32_t wanted)
{
    return is >= wanted - wanted / 8 && is <= wanted + wanted / 8;
}

static void learns(void)
{
    uint32_t before;

    prepare(500, 3000, false);
    ok(is_near(learn(200, T / 2 + 1500, &team.share_ns), 1500), "a cost that is higher");
    ok(is_near(learn(200, T / 2 + 300, &team.share_ns), 300), "a cost that is lower");
    before = atomic_load(&team.share_ns);
    ok(learn(1, T / 2 + 8 * before, &team.share_ns) == before + before / 16,
       "one sample changes it by a sixteenth");
    ok(learn(1000, T / 2, &team.share_ns) >= GAIN_LEAST_NS &&
           learn(1000, 100000000, &team.share_ns) <= GAIN_MOST_NS,
       "it stays within bounds");
    ok(atomic_load(&team.share_asleep_ns) == 3000, "the other cost is another matter");
    part.sampled = NULL;
    before = atomic_load(&team.share_ns);
    gain_end(&part);
    ok(atomic_load(&team.share_ns) == before, "a loop that is no sample tells nothing");
}

/* How many loops are shared until one is walked alone. */
static int until_check(void)
{
    int n = 0;

    while (n < 100000 && gain_alone_ns(&part, SLOT, T) == 0)
        n++;
    return n;
}

static void checks(void)
{
    int n, again, sooner;

    prepare(600, 20000, false);
    n = until_check();
    ok(n == GAIN_CHECK / (GAIN_UNIT * (T / 2 + 600) / T),
       "a check after loops of 512 times their cost alone: %d", n);
    ok(gain_alone_ns(&part, SLOT, T) > 0 && gain_alone_ns(&part, SLOT, T) > 0 &&
           gain_alone_ns(&part, SLOT, T) == 0,
       "... of three loops");
    again = until_check();
    ok(again == n - 1, "... and then as many shared ones again: %d", again);

    prepare(600, 20000, false);
    ok(learn(1, T / 2 - 1, &team.share_ns) == 600,
       "a sample of less than nothing does not count");
    sooner = until_check();
    ok(sooner == n - n / 16, "... but the check is nearer: %d", sooner);
    prepare(600, 20000, false);
    (void)learn(1, T / 2, &team.share_ns);
    atomic_store(&team.share_ns, 600);
    ok(until_check() == n, "... which other samples do not bring nearer");
    prepare(600, 600, true);
    ok(until_check() == n, "where workers sleep it is the same");
}

static void is_sure(void)
{
    prepare(600, 600, false);
    body.cost = 1024 | TWEED__COST_UNSURE;
    ok(gain_alone_ns(&part, SLOT, T) > 0,
       "a short loop that is known beside others only: alone");
    ok(gain_alone_ns(&part, SLOT, GAIN_UNSURE_NS) == 0, "... but not a longer one");
    atomic_store(&team.sleep.waiters, 1);
    ok(gain_alone_ns(&part, SLOT, T) > 0 && gain_alone_ns(&part, SLOT, GAIN_UNSURE_NS) == 0,
       "... and the same where workers sleep");
    body.cost = 1024;
    ok(gain_alone_ns(&part, SLOT, T) == 0, "... and not when it is sure");
}

static bool is_sampled(uint64_t loops)
{
    part.sampled = NULL;
    atomic_store(&worker.seats[SLOT].tally.loops, loops);
    return gain_alone_ns(&part, SLOT, T) == 0 && part.sampled;
}

static void samples(void)
{
    int n = 0;

    prepare(500, 500, false);
    for (uint64_t k = 0; k < 14; k += 2)
        n += is_sampled(k);
    ok(n == 1, "one in seven loops is a sample, also of each second loop: %d of 7", n);
    body.cost = 1024;
    ok(!is_sampled(0), "but none whose cost was measured beside others");
    body.cost |= 1;
    part.outer = &part;
    ok(!is_sampled(0), "nor one inside of another");
    prepare(500, 500, true);
    ok(is_sampled(1) && part.sampled == &team.share_asleep_ns,
       "of workers that are asleep each is");
}

int main(void)
{
    plan(9 + 8 + 4 + 4 + 6 + 7 + 4);
    decides();
    tries();
    tries_less();
    is_sure();
    learns();
    checks();
    samples();
    return done_testing();
}

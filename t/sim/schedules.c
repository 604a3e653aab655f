/*
 * schedules.c - the whole library under thousands of schedules: every index
 * once, under the right loop, and everybody wakes who has to.
 *
 * SPDX-License-Identifier: MIT
 *
 *     schedules.t                   each scenario, TWEED_TEST_ROUNDS schedules
 *                                   of it, seeds from TWEED_TEST_SEED (1) on
 *     schedules.t SEED SCENARIO     that schedule again, each step printed
 *
 * What a schedule is: chance.c.  What scenarios are made of: scenario.h.  Whatever a
 * scenario leaves open (fence mode, workers, bounds, grains, spinning) is drawn from the
 * same seed.
 *
 * Threads are numbered as they are made: 0 is the first caller, a pool's
 * workers follow as it is created.
 */
#include "config.h"

#include "scenario.h"

#include "child.h"
#include "range/glance.h"
#include "tap.h"

#include <errno.h>
#include <inttypes.h>

static const struct scenario {
    const char *name;
    void (*run)(void);
} scenarios[] = {
    { "single", single }, { "again", again },     { "nested", nested },
    { "callers", callers }, { "wake", wake },     { "hints", hints },
    { "crowded", crowded }, { "windows", windows }, { "runs", runs },
    { "destroy", destroy }, { "groups", groups },   { "submit", submit },
    { "mixed", mixed },     { "taken", taken },   { "helps", helps },
    { "owed", owed },       { "passed", passed },
};
#define SCENARIOS (int)(sizeof scenarios / sizeof scenarios[0])

/* ---- running them ---- */

static void *run_scenario(void *arg)
{
    const struct scenario *s = arg;

    s->run();
    return NULL;
}

static struct chance_schedule run_one(const struct scenario *s, uint64_t seed,
                                      bool trace)
{
    union {
        const struct scenario *s;
        void *arg;
    } u = { s };

    loops_begin();
    tasks_begin();
    mixed_begin();
    store_relaxed(&tweed__fence_ns, 0); /* whatever came before */
    chance_scenario = s->name;
    return chance_run(seed, trace, run_scenario, u.arg);
}

#define USUAL 2000

static uint64_t first_seed = 1;
static int schedules;

static int run_many(void *arg)
{
    const struct scenario *s = arg;
    struct timespec from, to;
    uint64_t steps = 0, longest = 0;
    double seconds;

    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int k = 0; k < schedules; k++) {
        struct chance_schedule x = run_one(s, first_seed + (unsigned)k, false);

        steps += x.steps;
        longest = x.steps > longest ? x.steps : longest;
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    seconds = (double)(to.tv_sec - from.tv_sec) +
              1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    diag("%-8s %d schedules, %.0f a second; steps: mean %.0f, most %" PRIu64,
         s->name, schedules, schedules / seconds, (double)steps / schedules,
         longest);
    fflush(stdout);
    return 0;
}

/* The same seed gives the same steps, whatever came before. */
static int repeat(void *arg)
{
    uint64_t hash[50];

    (void)arg;
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < 50; k++) {
            struct chance_schedule x = run_one(&scenarios[k % SCENARIOS],
                                               first_seed + (unsigned)k, false);

            if (round == 0)
                hash[k] = x.hash;
            else if (hash[k] != x.hash)
                return 1;
            if (k >= SCENARIOS && x.hash == hash[k - SCENARIOS])
                return 2; /* another seed, the same steps? */
        }
    return 0;
}

/* A machine that is broken is noticed: then so would the library be. */
static int run_without_fence(void *arg)
{
    schedules = USUAL;
    machine_faults.no_fence = true;
    return run_many(arg);
}

static int run_without_wakes(void *arg)
{
    schedules = USUAL;
    machine_faults.no_wake = true;
    return run_many(arg);
}

static void *named(const char *name)
{
    for (int k = 0; k < SCENARIOS; k++)
        if (strcmp(scenarios[k].name, name) == 0)
            return (void *)(uintptr_t)&scenarios[k];
    return NULL;
}

/* A seed, all of it, and nothing that strtoull() would bend to one. */
static bool read_seed(const char *text, uint64_t *seed)
{
    char *end;

    errno = 0;
    *seed = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

static int replay(const char *seed, const char *name)
{
    const struct scenario *s = named(name);
    uint64_t number;

    if (!read_seed(seed, &number) || !s) {
        fprintf(stderr, "usage: schedules.t [SEED SCENARIO]; scenarios:");
        for (int k = 0; k < SCENARIOS; k++)
            fprintf(stderr, " %s", scenarios[k].name);
        fprintf(stderr, "\n");
        return 2;
    }
    printf("%" PRIu64 " steps\n", run_one(s, number, true).steps);
    return 0;
}

int main(int argc, char **argv)
{
    const char *seed = getenv("TWEED_TEST_SEED");

    /* what a process does once, at its first failure, is in no schedule */
    (void)tweed_group_sync(NULL);
    if (argc > 1)
        return replay(argv[1], argc == 3 ? argv[2] : "");
    if (seed && !read_seed(seed, &first_seed)) {
        fprintf(stderr, "TWEED_TEST_SEED=%s: not a seed\n", seed);
        return 2;
    }
    plan(SCENARIOS + 3);
    schedules = rounds(USUAL);
    for (int k = 0; k < SCENARIOS; k++)
        ok(child_exited(child_run(run_many, named(scenarios[k].name)), 0),
           "%s: %d schedules from seed %" PRIu64, scenarios[k].name, schedules,
           first_seed);
    ok(child_exited(child_run(repeat, NULL), 0),
       "the same seed gives the same schedule");
    ok(child_exited(child_run(run_without_fence, named("single")), 1),
       "a heavy fence that does nothing is noticed");
    ok(child_exited(child_run(run_without_wakes, named("wake")), 1),
       "wakes that get lost are noticed");
    return done_testing();
}

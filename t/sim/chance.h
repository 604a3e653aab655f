/*
 * chance.h - who runs next is drawn; stores become visible late.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_SIM_CHANCE_H
#define TWEED_T_SIM_CHANCE_H

#include "machine.h"

/* Runs first() as the first thread of a schedule, all of whose decisions follow
   from the seed; with `trace` every step is printed.  A schedule that fails is
   reported, with its seed, and ends the process: exit status 1. */
struct chance_schedule {
    uint64_t seed, steps;
    uint64_t hash; /* of all steps: the same steps, the same hash */
};
struct chance_schedule chance_run(uint64_t seed, bool trace,
                                  void *(*first)(void *), void *arg);

/* One of 0 .. n - 1, out of the schedule's seed. */
unsigned chance_below(unsigned n);

/* This thread does something long: others run for so many steps. */
void chance_be_late(unsigned steps);

/* Said of a schedule that fails. */
extern const char *chance_scenario;

__attribute__((format(printf, 1, 2))) _Noreturn void
chance_failed(const char *format, ...);

#endif

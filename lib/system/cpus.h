/*
 * cpus.h - lists of CPUs as text: "0-3,8,16-30:2".
 *
 * SPDX-License-Identifier: MIT
 *
 * Numbers, ranges and ranges with a step, with commas between them and nothing else:
 * what taskset --cpu-list takes.  A list stays text, for it is looked at only when a
 * team starts.
 */
#ifndef TWEED_LIB_CPUS_H
#define TWEED_LIB_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#define TWEED__MOST_CPUS (1 << 20)

/* One part of a list: first, first + step, ... up to last. */
struct tweed__cpu_run {
    int64_t first, last, step;
};

static inline bool cpu_run_has(const struct tweed__cpu_run *r, int cpu)
{
    return cpu >= r->first && cpu <= r->last && (cpu - r->first) % r->step == 0;
}

/* Reads the part at *at, and moves *at to the next one, or to the end of the text.
   False: that is no part, or the end. */
bool tweed__cpus_next(const char **at, struct tweed__cpu_run *run);

bool tweed__cpus_is_list(const char *text);

/* Of a list. */
bool tweed__cpus_has(const char *list, int cpu);

#endif

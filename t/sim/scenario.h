/*
 * scenario.h - what a program does under the schedules: loops that count, pools, meetings,
 * and the scenarios made of them.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included before tweed.h.
 */
#ifndef TWEED_T_SIM_SCENARIO_H
#define TWEED_T_SIM_SCENARIO_H

/* Each loop is published: what is called through the library remembers no cost. */
#define TWEED_CALLS_APART_ 1

#include "chance.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- loops that count ---- */

#define MOST_INDICES 80

struct loop {
    int count[MOST_INDICES], n, inner;
    bool open;                       /* the call has not returned */
    int begun, wanted;               /* bodies; of these, to wait for */
    int nth[MOST_INDICES];           /* index i began as the nth body */
    tweed_pool *pool;
    void (*within)(struct loop *, int i); /* what a body does; NULL: nothing */
};

/* A loop that this schedule has not used yet; aborts if there is none. */
struct loop *loop_new(tweed_pool *pool, int n);

/* Are there two at least? */
bool loops_are_left(void);

/* Runs the loop, by one call or the other, and looks at what was counted. */
void loop_run(struct loop *l, bool by_range, int grain, int max_workers);

/* Waits, without spinning, until as many bodies have begun as *wanted says. */
void await(struct loop *l, const int *wanted);

/* ---- pools ---- */

int between(int least, int most);
tweed_pool *pool_of(int workers, int64_t spin_ns);
tweed_pool *some_pool(int least, int most);
void end_pool(tweed_pool *pool);
void drain_and_end_pool(tweed_pool *pool);

/* ---- meeting ---- */

/* Counts a thread that has come here, and wakes the threads that wait for that. */
void arrive(int *count);

/* Waits, without spinning, until so many have come. */
void until(int *count, int wanted);

/* ---- before each schedule ---- */

void loops_begin(void);
void tasks_begin(void);
void mixed_begin(void);

/* ---- scenarios ---- */

/* scenario-loops.c */
void single(void);
void again(void);
void nested(void);
void callers(void);
void wake(void);
void crowded(void);
void hints(void);
void windows(void);
void runs(void);
void destroy(void);

/* scenario-tasks.c */
void groups(void);
void submit(void);

/* scenario-mixed.c */
void mixed(void);
void taken(void);

/* scenario-waits.c */
void helps(void);
void owed(void);
void passed(void);

#endif

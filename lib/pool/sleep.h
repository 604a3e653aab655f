/*
 * sleep.h - how workers wait for loops, and callers for the end of one.
 *
 * SPDX-License-Identifier: MIT
 *
 * The protocol and why no wake-up is lost: sleep.c.
 */
#ifndef TWEED_LIB_SLEEP_H
#define TWEED_LIB_SLEEP_H

#include "range/range.h"
#include "range/tally.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

/* The event count of one pool. */
struct tweed__sleep {
    alignas(TWEED__LINE) _Atomic uint32_t event; /* how often work was announced; futex */
    _Atomic uint32_t waiters; /* workers (or nodes) that look for work << 16 | asleep */
    _Atomic uint32_t waiting; /* threads that sleep until an end of their own, but for
                                 callers of loops: wait.c */
};

/* Threads of all pools, workers and runners, that are not asleep: the sum of all parts in
   use.  64 workers in a row have one part, all other threads the first: of a thousand
   workers that wake up at the same time each would wait for the line of one count. */
#define TWEED__AWAKE_PARTS 16
#define TWEED__AWAKE_SHIFT 6
extern struct tweed__awake {
    alignas(TWEED__LINE) _Atomic uint32_t threads;
} tweed__awake[TWEED__AWAKE_PARTS];
extern _Atomic int tweed__awake_parts; /* in use */

/* relaxed, all: a figure to judge spinning by */
static inline void awake_add(int part, int n)
{
    _Atomic uint32_t *awake = &tweed__awake[part].threads;

    fetch_add_relaxed(awake, (uint32_t)n);
}

static inline uint32_t awake_all(void)
{
    int parts = load_relaxed(&tweed__awake_parts);
    uint32_t sum = 0;

    for (int k = 0; k < parts; k++) {
        _Atomic uint32_t *awake = &tweed__awake[k].threads;

        sum += load_relaxed(awake);
    }
    return sum;
}

/* The event, taken before a look for work: the waits below wait until it has changed. */
uint32_t tweed__sleep_ticket(struct tweed__sleep *z);

/* Counts a worker that spins or yields; and does not count it any more.  looking: that
   count of its node (counts.h); NULL: there are no nodes. */
void tweed__sleep_look(struct tweed__sleep *z, _Atomic uint32_t *looking);
void tweed__sleep_look_away(struct tweed__sleep *z, _Atomic uint32_t *looking);

/* Do all waiting workers sleep, so that they would have to be woken? */
bool tweed__sleep_is_deep(struct tweed__sleep *z);

/* How many workers sleep, at a glance. */
uint32_t tweed__sleep_asleep(struct tweed__sleep *z);

/* Counts the worker as asleep: from now on a publisher of work wakes it.  The worker must
   look for work once more before it waits, and leaves when it has found some. */
void tweed__sleep_enter(struct tweed__sleep *z);
void tweed__sleep_leave(struct tweed__sleep *z);

/* Sleeps until something is announced after the ticket was taken.  mask: the bits that
   wake the thread.  ns: sleeps once, and for so long at most; 0: without limit. */
void tweed__sleep_wait(struct tweed__sleep *z, uint32_t ticket, uint32_t mask, uint64_t ns,
                       struct tweed__tally *tally);

/* After work was made visible: announces it, and wakes at most n workers that sleep. */
void tweed__sleep_announce(struct tweed__sleep *z, int n, uint32_t mask,
                           struct tweed__tally *tally);

/* The same for all threads of these masks, and no others.  These threads have said in a
   word of their own that they sleep, and are not counted in waiters. */
void tweed__sleep_call(struct tweed__sleep *z, uint32_t masks, struct tweed__tally *tally);

/* The two halves of tweed__sleep_announce(), for a publisher that writes a word between
   them: no worker sees the word before the event, and woken workers do see it. */
void tweed__sleep_tell(struct tweed__sleep *z);
void tweed__sleep_rouse(struct tweed__sleep *z, int n, uint32_t mask,
                        struct tweed__tally *tally);

/* After a stolen range was exposed, by its owner: shows the range to workers that found
   nothing before, announces it if any worker waits, and wakes at most n. */
void tweed__sleep_hint(struct tweed__sleep *z, struct tweed__range *exposed,
                       int n, uint32_t mask, struct tweed__tally *tally);

/* Wakes at most n more workers for work that is announced already. */
void tweed__sleep_pass_on(struct tweed__sleep *z, int n, uint32_t mask,
                          struct tweed__tally *tally);

/* The remaining blocks of a loop: the count, and one bit for its caller. */
#define TWEED__CALLER_ASLEEP (UINT32_C(1) << 31)

/* How many blocks are left, at a glance: orders nothing. */
static inline uint32_t tweed__end_left(_Atomic uint32_t *remaining)
{
    return load_relaxed(remaining) & ~TWEED__CALLER_ASLEEP; /* a guess */
}

/* Returns done > 0 blocks.  True: they were the last; wakes the caller. */
bool tweed__end_return(_Atomic uint32_t *remaining, uint32_t done,
                       struct tweed__tally *tally);

/* Wakes a loop's caller that sleeps, or is about to, so that it looks for work.  Only
   after tweed__sleep_hint(), which shows the range. */
void tweed__end_hint(_Atomic uint32_t *remaining, struct tweed__tally *tally);

/* Were all blocks disposed of?  Then the bodies happen before. */
bool tweed__end_has_come(_Atomic uint32_t *remaining);

/* The caller says that it sleeps; then it looks for work once more.  False: the loop is
   over. */
bool tweed__end_lie_down(_Atomic uint32_t *remaining);

/* After tweed__end_lie_down(): sleeps until the loop is over, or the bit is taken away. */
void tweed__end_sleep(_Atomic uint32_t *remaining, struct tweed__tally *tally);

#endif

/*
 * sleep.h - how workers wait for loops, and callers for the end of one.
 *
 * SPDX-License-Identifier: MIT
 *
 * The protocol and why no wake-up is lost: sleep.c.
 */
#ifndef TWEED_LIB_SLEEP_H
#define TWEED_LIB_SLEEP_H

#include "range.h"
#include "tally.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

/* The event count of one pool. */
struct tweed__sleep {
    alignas(TWEED__LINE) _Atomic uint32_t event; /* loops published; futex */
    _Atomic uint32_t waiters; /* looking for work << 16 | asleep */
};

/* Worker threads of the process, of all pools, that are not asleep. */
extern _Atomic uint32_t tweed__awake;

/* Taken before a look for work: what tweed__sleep_wait() waits to change. */
uint32_t tweed__sleep_ticket(struct tweed__sleep *z);

/* Waits until something was announced after the ticket was taken: spins for
   spin_ns, then sleeps.  mask says who it is to those who wake selectively. */
void tweed__sleep_wait(struct tweed__sleep *z, uint32_t ticket,
                       uint64_t spin_ns, uint32_t mask,
                       struct tweed__tally *tally);

/* After work was made visible: tells those who spin, and wakes at most n. */
void tweed__sleep_announce(struct tweed__sleep *z, int n, uint32_t mask,
                           struct tweed__tally *tally);

/* The same as a hint, for nothing while nobody waits. */
void tweed__sleep_hint(struct tweed__sleep *z, uint32_t mask,
                       struct tweed__tally *tally);

/* Wakes at most n more for what has been announced already. */
void tweed__sleep_pass_on(struct tweed__sleep *z, int n, uint32_t mask,
                          struct tweed__tally *tally);

/* The remaining blocks of a loop: the count, and one bit for its caller. */
#define TWEED__CALLER_ASLEEP (UINT32_C(1) << 31)

/* How many blocks are left, at a glance: orders nothing. */
static inline uint32_t tweed__end_left(_Atomic uint32_t *remaining)
{
    return load_relaxed(remaining) & ~TWEED__CALLER_ASLEEP; /* a hint */
}

/* Returns done > 0 blocks.  True: those were the last; wakes the caller. */
bool tweed__end_return(_Atomic uint32_t *remaining, uint32_t done,
                       struct tweed__tally *tally);

/* The caller waits until all blocks were returned. */
void tweed__end_wait(_Atomic uint32_t *remaining, uint64_t spin_ns,
                     struct tweed__tally *tally);

#endif

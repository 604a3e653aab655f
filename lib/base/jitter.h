/*
 * jitter.h - a thread loses its CPU before atomic operations, now and then.
 *
 * SPDX-License-Identifier: MIT
 *
 * For builds with --enable-jitter alone, where atomic.h includes it.  Between two
 * operations of one thread lies a time that a quiet machine seldom makes long.  Here a
 * thread counts down, and at zero it yields, or naps for up to 256 us.  How far it counts
 * is drawn anew each time, as a power of two first: so both two operations in a row and
 * thousands without a stop come often.
 *
 * TWEED_JITTER_SEED=N in the environment is the seed of what is drawn; 1 if there is none.
 * Each thread draws numbers of its own in each source.  The order of the threads is the
 * system's, so a seed does not repeat a run.
 */
#ifndef TWEED_LIB_JITTER_H
#define TWEED_LIB_JITTER_H

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define TWEED__JITTER_GAP 12 /* 2^11 operations at most without a stop */
#define TWEED__JITTER_NAP 9  /* 2^8 us at most */

static _Thread_local struct {
    uint32_t state, left;
} tweed__jittery;

static inline uint32_t tweed__jitter_draw(uint32_t n)
{
    uint32_t x = tweed__jittery.state;

    x ^= x << 13; /* Marsaglia's xorshift */
    x ^= x >> 17;
    x ^= x << 5;
    tweed__jittery.state = x;
    return x % n;
}

static inline void tweed__jitter_begin(void)
{
    static atomic_uint threads;
    const char *seed = getenv("TWEED_JITTER_SEED");

    tweed__jittery.state = (uint32_t)(seed ? strtoul(seed, NULL, 10) : 1) * 2654435761U ^
                           (atomic_fetch_add(&threads, 1) + 1) * 40503U;
    tweed__jittery.state += !tweed__jittery.state; /* 0 would stay */
}

__attribute__((noinline, unused)) static void tweed__jitter_stop(void)
{
    struct timespec nap = { 0, 0 };
    int saved = errno;

    if (!tweed__jittery.state)
        tweed__jitter_begin();
    else if (tweed__jitter_draw(4))
        (void)sched_yield();
    else {
        nap.tv_nsec = 1000L << tweed__jitter_draw(TWEED__JITTER_NAP);
        (void)nanosleep(&nap, NULL);
    }
    tweed__jittery.left = tweed__jitter_draw(1U << tweed__jitter_draw(TWEED__JITTER_GAP));
    errno = saved;
}

__attribute__((unused)) static inline void tweed__jitter(void)
{
    if (tweed__jittery.left-- == 0)
        tweed__jitter_stop();
}

#endif

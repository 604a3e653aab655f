/*
 * lock.h - a mutex that is held for a short time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_LOCK_H
#define TWEED_LIB_LOCK_H

#include "system/system.h"

#include <pthread.h>

#ifndef TWEED__LOOKS     /* the explorer's is another one */
#define TWEED__LOOKS 100 /* before the thread sleeps */
#endif

/* A thread that has such a mutex gives it back in 1 us; a thread that sleeps for it comes
   back in 50.  glibc's adaptive mutex looks 10 times, and sleeps. */
static inline void lock_short(pthread_mutex_t *m)
{
    for (int n = 0; n < TWEED__LOOKS; n++) {
        if (pthread_mutex_trylock(m) == 0)
            return;
        tweed__pause();
    }
    pthread_mutex_lock(m);
}

#endif

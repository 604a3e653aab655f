/*
 * shield.h - what every call that may block or reach the system keeps away from
 * its caller: cancellation, and changes of errno.
 *
 * SPDX-License-Identifier: MIT
 *
 * Files, locks and joins are cancellation points.  A thread that was cancelled in
 * one of them would leave a lock or half a pool behind, so cancellation is held
 * back until the call returns.
 */
#ifndef TWEED_LIB_SHIELD_H
#define TWEED_LIB_SHIELD_H

#include <errno.h>
#include <pthread.h>

struct shield {
    int error, cancel;
};

static inline struct shield shield_up(void)
{
    struct shield s = { errno, 0 };

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &s.cancel);
    return s;
}

static inline void shield_down(struct shield s)
{
    pthread_setcancelstate(s.cancel, NULL);
    errno = s.error;
}

#endif

/*
 * watchdog.h - what hangs is killed: a failure with a name, not a test run that never ends.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_WATCHDOG_H
#define TWEED_T_WATCHDOG_H

#include "self.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* By SIGKILL: alarm() has no effect on a process of whose threads only pool threads are
   left, since those block it.  A child of fork() has no such timer, a program that is
   executed neither.  Under qemu all takes longer. */
static inline void killed_in(unsigned seconds)
{
    struct itimerspec when;
    struct sigevent event;
    timer_t timer;

    if (under_qemu())
        seconds *= 4;
    memset(&when, 0, sizeof when);
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGKILL;
    when.it_value.tv_sec = (time_t)seconds;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
        timer_settime(timer, 0, &when, NULL) != 0)
        alarm(seconds);
}

/* Far more than a test needs on a slow machine under a slow sanitizer. */
static inline void watchdog(void)
{
    killed_in(300);
}

#endif

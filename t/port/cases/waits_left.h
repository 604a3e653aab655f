/* What waits in an included file. */
#ifndef WAITS_LEFT_H
#define WAITS_LEFT_H

#include <sched.h>

static inline void wait_until(const int *flag, int value)
{
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) < value)
        sched_yield();
}

static inline void signal_one(int *flag)
{
    (void)__atomic_fetch_add(flag, 1, __ATOMIC_RELEASE);
}

#endif

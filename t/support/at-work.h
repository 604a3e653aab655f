/*
 * at-work.h - two threads that work all the time, while the test does something else.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_AT_WORK_H
#define TWEED_T_AT_WORK_H

#include <tweed.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct at_work {
    int (*work)(tweed_pool *pool); /* until it is told to stop; 0: something is wrong */
    tweed_pool *pool;
    pthread_t thread;
};

static atomic_int at_work_stop, at_work_started;

static void *at_work_run(void *arg)
{
    static char yes; /* no memory of its own: children of fork() would lose that */
    struct at_work *a = arg;
    int good = 1;

    for (at_work_started++; !at_work_stop;)
        good &= a->work(a->pool);
    return good ? &yes : NULL;
}

/* Returns when both have started, on the default pool and on this one.  False: the system
   has no threads. */
static inline int at_work_begin(struct at_work two[2], int (*work)(tweed_pool *pool),
                                tweed_pool *pool)
{
    at_work_stop = at_work_started = 0;
    for (int i = 0; i < 2; i++) {
        two[i] = (struct at_work){ .work = work, .pool = i ? pool : NULL };
        if (pthread_create(&two[i].thread, NULL, at_work_run, &two[i]) != 0)
            return 0;
    }
    while (at_work_started < 2)
        sched_yield();
    return 1;
}

/* True: all that they did was right. */
static inline int at_work_end(struct at_work two[2])
{
    int good = 1;

    at_work_stop = 1;
    for (int i = 0; i < 2; i++) {
        void *result = NULL;

        pthread_join(two[i].thread, &result);
        good &= result != NULL;
    }
    return good;
}

#endif

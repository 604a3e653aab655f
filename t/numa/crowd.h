/*
 * crowd.h - callers beside each other: the workers of their pool are bound to nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_CROWD_H
#define TWEED_T_CROWD_H

#include "machine.h"

#define CROWD_LOOPS 64 /* more than it takes to see that there is a crowd, or none */

static struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool inside, over;
} other_caller = { .lock = PTHREAD_MUTEX_INITIALIZER,
                   .changed = PTHREAD_COND_INITIALIZER };

static inline void crowd_empty(int64_t i, void *arg)
{
    (void)i, (void)arg;
}

/* Loops that are published. */
static inline void crowd_loops(tweed_pool *pool)
{
    for (int n = 0; n < CROWD_LOOPS; n++)
        must(tweed_parallel_for_with(pool, NULL, 0, 1000, crowd_empty, NULL));
}

/* The other caller stays in its loop until it is told. */
static inline void crowd_stay(int64_t i, void *arg)
{
    (void)i, (void)arg;
    if (tweed_worker_index() != 0)
        return;
    pthread_mutex_lock(&other_caller.lock);
    other_caller.inside = true;
    pthread_cond_broadcast(&other_caller.changed);
    while (!other_caller.over)
        pthread_cond_wait(&other_caller.changed, &other_caller.lock);
    pthread_mutex_unlock(&other_caller.lock);
}

static inline void *crowd_call(void *pool)
{
    must(tweed_parallel_for_with(pool, NULL, 0, 1000, crowd_stay, NULL));
    return NULL;
}

/* From now on this thread is not the only caller; the other one is on its CPU. */
static inline void crowd_begin(tweed_pool *pool)
{
    other_caller.inside = other_caller.over = false;
    pthread_create(&other_caller.thread, NULL, crowd_call, pool);
    pthread_mutex_lock(&other_caller.lock);
    while (!other_caller.inside)
        pthread_cond_wait(&other_caller.changed, &other_caller.lock);
    pthread_mutex_unlock(&other_caller.lock);
    crowd_loops(pool);
}

static inline void crowd_end(tweed_pool *pool)
{
    pthread_mutex_lock(&other_caller.lock);
    other_caller.over = true;
    pthread_cond_broadcast(&other_caller.changed);
    pthread_mutex_unlock(&other_caller.lock);
    pthread_join(other_caller.thread, NULL);
    crowd_loops(pool);
}

#endif

/*
 * leaving.c - who destroys a pool sleeps until the last caller has left.
 *
 * SPDX-License-Identifier: MIT
 *
 * A caller on its way out may have no CPU because the one who waits for it has that, and
 * goes first: who waits must not look again and again.  The caller is held in a lock that it
 * gives back, which is wrapped; so is sched_yield().
 */
#include "config.h"

#include "asleep.h"
#include "pools.h"

#include <pthread.h>
#include <sched.h>

#define MOST 100   /* looks of the one who waits */
#define LOOKS 5000 /* then the caller may leave all the same */

static tweed_pool *pool;
static atomic_int in_sync, destroys, looks, destroyer, ran;
static _Thread_local int leaves, counts;

int __real_pthread_mutex_unlock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock);
int __real_sched_yield(void);
int __wrap_sched_yield(void);

/* Not on a CPU that the other one has: it sleeps. */
static void let_it_wait(void)
{
    atomic_store(&in_sync, 1);
    while (!atomic_load(&destroys))
        nap_us(500);
    for (int n = 0; n < 3 && atomic_load(&looks) < LOOKS; nap_us(500))
        n = thread_is_asleep(atomic_load(&destroyer)) ? n + 1 : 0;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock)
{
    int result = __real_pthread_mutex_unlock(lock);

    if (leaves) {
        leaves = 0;
        let_it_wait();
    }
    return result;
}

int __wrap_sched_yield(void)
{
    atomic_fetch_add(&looks, counts);
    return __real_sched_yield();
}

static int note(void *arg)
{
    (void)arg;
    atomic_store(&ran, 1);
    return 0;
}

static void *sync_group(void *arg)
{
    tweed_group g = { .pool = pool };

    must(tweed_group_spawn(&g, note, NULL));
    while (!atomic_load(&ran))
        nap_us(500);
    nap_us(20000); /* it has been returned, or the sync sleeps before it is held */
    leaves = 1;
    must(tweed_group_sync(&g));
    return arg;
}

int main(void)
{
    pthread_t thread;

    plan(2);
    watchdog();
    pool = pool_of(2);
    if (pthread_create(&thread, NULL, sync_group, NULL) != 0)
        bail_out("no thread");
    while (!atomic_load(&in_sync))
        nap_us(500);
    atomic_store(&destroyer, thread_number());
    counts = 1;
    atomic_store(&destroys, 1);
    ok(tweed_pool_destroy(pool) == TWEED_OK, "a pool is destroyed that a caller is leaving");
    counts = 0;
    if (!ok(atomic_load(&looks) < MOST, "... by a thread that sleeps meanwhile"))
        diag("it has looked %d times", atomic_load(&looks));
    pthread_join(thread, NULL);
    return done_testing();
}

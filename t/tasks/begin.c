/*
 * begin.c - two threads spawn the first tasks of a group at the same time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "child.h"
#include "pools.h"
#include "sanitized.h"

#include <pthread.h>
#include <stdatomic.h>

#define EACH 3 /* tasks of each thread */

static tweed_group group = TWEED_GROUP_INIT;
static _Atomic int there, ran;

static int task(void *arg)
{
    (void)arg;
    ran++;
    return 0;
}

/* Both threads wait for the other one without sleep. */
static void meet(int n)
{
    for (there++; there < 2 * n;)
        ;
}

/* Of the two one comes later, by as long as no other round. */
static void spawn_some(int late)
{
    for (volatile int n = late; n > 0; n--)
        ;
    for (int k = 0; k < EACH; k++)
        must(tweed_group_spawn(&group, task, NULL));
}

static void *beside(void *arg)
{
    int rounds = *(int *)arg;

    for (int n = 1; n <= rounds; n++) {
        meet(2 * n - 1);
        spawn_some(n % 97);
        meet(2 * n);
    }
    return NULL;
}

/* Rounds in which a sync did not wait for all tasks. */
static int wrong_rounds(tweed_pool *pool, int rounds)
{
    int wrong = 0;
    pthread_t other;

    there = 0;
    group.pool = pool;
    if (pthread_create(&other, NULL, beside, &rounds) != 0)
        return -1;
    for (int n = 1; n <= rounds; n++) {
        ran = 0;
        meet(2 * n - 1);
        spawn_some(n % 89);
        meet(2 * n);
        must(tweed_group_sync(&group));
        wrong += ran != 2 * EACH;
    }
    pthread_join(other, NULL);
    return wrong;
}

int main(void)
{
    int rounds = HAVE_RUNTIME_SANITIZER ? 500 : 40000;

    plan(3);
    watchdog();
    for (int workers = 1; workers <= 4; workers *= 2) {
        tweed_pool *pool = pool_of(workers);
        int wrong = wrong_rounds(pool, rounds);

        if (!ok(wrong == 0, "%d workers: a sync waits for the tasks of both", workers))
            diag("not in %d of %d rounds", wrong, rounds);
        must(tweed_pool_destroy(pool));
    }
    return done_testing();
}

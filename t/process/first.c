/*
 * first.c - two threads that start their first loops at once start one team.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "pool/pool.h"

#include "child.h"
#include "pools.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct tweed__topology *__real_tweed__topology_get(void);
struct tweed__topology *__wrap_tweed__topology_get(void);
int __real_pthread_mutex_lock(pthread_mutex_t *);
int __wrap_pthread_mutex_lock(pthread_mutex_t *);

static pthread_t second;
static _Atomic(struct tweed__team *) team_of_second;
static atomic_int starts, waits;
static atomic_bool is_second_here;
static int good_in_second;

static void *run_second(void *arg)
{
    (void)arg;
    is_second_here = true;
    good_in_second = loops_are_right(NULL, 1000);
    team_of_second = tweed__pool_team(tweed__pool_or_default(NULL));
    return NULL;
}

/* The second thread has looked for a team, found none, and goes for the lock. */
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (is_second_here && pthread_equal(pthread_self(), second))
        waits++;
    return __real_pthread_mutex_lock(mutex);
}

/* Under the lock, by the thread that starts the team. */
struct tweed__topology *__wrap_tweed__topology_get(void)
{
    if (starts++ == 0) {
        if (pthread_create(&second, NULL, run_second, NULL) != 0)
            return __real_tweed__topology_get();
        while (waits == 0)
            sched_yield();
    }
    return __real_tweed__topology_get();
}

int main(void)
{
    plan(3);
    killed_in(CHILD_SECONDS);
    ok(loops_are_right(NULL, 1000), "the first thread's loops");
    pthread_join(second, NULL);
    ok(good_in_second, "the second one's");
    ok(starts == 1 &&
           tweed__pool_team(tweed__pool_or_default(NULL)) == team_of_second,
       "on one team, started once");
    return done_testing();
}

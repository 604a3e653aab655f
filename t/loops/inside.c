/*
 * inside.c - who waits for a loop helps the loops started inside it, and no other.
 *
 * SPDX-License-Identifier: MIT
 *
 * A body that waits for another thread's gives up after a minute: the other thread
 * was not helped then, or slept.
 */
#include "config.h"

/* Each loop is published: what is called through the library remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "pool/pool.h"
#include "pools.h"
#include "system/system.h"
#include "pool/team.h"

#include <sched.h>
#include <string.h>

uint64_t __real_tweed__clock(void);
uint64_t __wrap_tweed__clock(void);

static atomic_bool stands_still; /* the clock: who spins then spins for ever */

uint64_t __wrap_tweed__clock(void)
{
    return stands_still ? 1 : __real_tweed__clock();
}

int64_t __wrap_tweed__topology_capacity(const struct tweed__topology *t);

/* CPUs enough: who may spin does. */
int64_t __wrap_tweed__topology_capacity(const struct tweed__topology *t)
{
    (void)t;
    return 1000000;
}

static struct tweed__team *team;
static tweed_pool *pool;
static atomic_int in_vain; /* waits that were given up */

static void use_pool(int workers, int64_t spin_ns)
{
    pool = pool_with((tweed_pool_options){ .num_workers = workers,
                                           .spin_ns = spin_ns });
    team = tweed__pool_team(pool);
    in_vain = 0;
}

/* Until *flag is at least n, for a minute; after that nobody waits any more, so
   that the loop ends and the test can fail. */
static void wait_for(atomic_int *flag, int n)
{
    for (int k = 0; k < 60000 && !in_vain; k++) {
        if (*flag >= n)
            return;
        if (k < 1000)
            sched_yield();
        else
            nap_us(1000);
    }
    in_vain++;
}

/* Does a caller sleep, or is it on the last steps into it? */
static bool some_caller_sleeps(void)
{
    for (int k = 0; k < TWEED__SLOTS; k++)
        if (load_seq_cst(&team->slots[k].remaining) & TWEED__CALLER_ASLEEP)
            return true;
    return (load_seq_cst(&team->sleep.waiters) & 0xffff) != 0;
}

static void wait_until_asleep(void)
{
    for (int k = 0; k < 60000 && !some_caller_sleeps(); k++)
        nap_us(1000);
    nap_us(1000);
}

/* ---- two workers, and loops that need both ---- */

#define MOST_LEVELS 5

/* A loop of two indices at each level, whose bodies meet; then one of both threads
   starts the next level inside its body, while the other returns, and waits for a
   loop that this one is inside of. */
static struct levels {
    int deepest;
    unsigned starters; /* bit d: who starts level d: 0 the caller, 1 the worker */
    bool asleep;       /* not before the other one sleeps */
    atomic_int came[MOST_LEVELS], left[MOST_LEVELS], who[MOST_LEVELS], failed;
} levels;

static void level_body(int64_t i, void *arg);

static void start_level(int d)
{
    static int number[MOST_LEVELS] = { 0, 1, 2, 3, 4 };

    if (tweed_parallel_for_with(pool, NULL, 0, 2, level_body, &number[d]) !=
        TWEED_OK)
        levels.failed++;
}

static void level_body(int64_t i, void *arg)
{
    int d = *(int *)arg, me = tweed_worker_index();

    (void)i;
    levels.who[d] |= 1 << me;
    levels.came[d]++;
    wait_for(&levels.came[d], 2);
    if (d + 1 == levels.deepest || me != (int)(levels.starters >> (d + 1) & 1)) {
        levels.left[d]++;
        return;
    }
    wait_for(&levels.left[d], 1);
    if (levels.asleep)
        wait_until_asleep();
    start_level(d + 1);
    levels.left[d]++;
}

/* All levels were run, each by both threads, neither of which waited in vain. */
static bool go_down(int deepest, unsigned starters, bool asleep)
{
    bool good = true;

    memset(&levels, 0, sizeof levels);
    levels.deepest = deepest;
    levels.starters = starters;
    levels.asleep = asleep;
    start_level(0);
    for (int d = 0; d < deepest; d++)
        good &= levels.came[d] == 2 && levels.who[d] == 3;
    return good && !levels.failed && !in_vain;
}

static void two_workers(int64_t spin_ns, bool asleep, const char *how)
{
    int rounds = 10, by_worker = 0, by_caller = 0;
    bool deep = true;

    use_pool(2, spin_ns);
    for (int r = 0; r < rounds; r++) {
        by_worker += go_down(2, 2, asleep);
        by_caller += go_down(3, 2, asleep);
    }
    ok(by_worker == rounds, "%s: the worker starts a loop, the caller helps", how);
    ok(by_caller == rounds, "%s: the caller starts one in there, the worker helps",
       how);
    for (unsigned starters = 0; starters < 32; starters += 2)
        deep &= go_down(MOST_LEVELS, starters, asleep);
    ok(deep, "%s: %d loops deep, started by either", how, MOST_LEVELS);
    tweed_pool_destroy(pool);
}

/* ---- a thread that waits with a lock ---- */

/*
 * Of three workers, two are in the outer loop: one of them holds the lock, and waits
 * for its inner loop, in which the third is held; the other one is held in its outer
 * body.  Meanwhile another caller's loops run on the same pool, and there are indices
 * of the outer loop that nobody has begun.  Nobody but that caller is free.
 */
#define OUTER 40

static _Thread_local bool holds_lock;

static struct {
    bool by_caller; /* the caller holds the lock; else it is the worker */
    atomic_int outer_came, inner_came, inner_left, inner_done, released;
    atomic_int bodies;    /* of the outer loop */
    atomic_int below;     /* bodies run by who holds the lock, and should not */
    atomic_int strangers; /* bodies of the other caller's not run by that */
    atomic_int failed;
    atomic_bool asleep;
} lock;

static void inner_body(int64_t i, void *arg)
{
    (void)i, (void)arg;
    lock.inner_came++;
    wait_for(&lock.inner_came, 2);
    if (!holds_lock)
        wait_for(&lock.released, 1);
    else
        lock.inner_left++;
    lock.inner_done++;
}

static void outer_body(int64_t i, void *arg)
{
    bool is_caller = tweed_worker_index() == 0;

    (void)i, (void)arg;
    lock.below += holds_lock;
    lock.bodies++;
    if (lock.outer_came++ >= 2)
        return;
    wait_for(&lock.outer_came, 2);
    if (is_caller != lock.by_caller) {
        wait_for(&lock.released, 1);
        return;
    }
    holds_lock = true;
    lock.failed += tweed_parallel_for_with(pool, NULL, 0, 2, inner_body, NULL);
    holds_lock = false;
    lock.failed += lock.inner_done != 2;
}

static pthread_t stranger;

static void leaf_body(int64_t i, void *arg)
{
    (void)arg;
    lock.below += holds_lock;
    lock.strangers += !pthread_equal(pthread_self(), stranger);
    if (i % 4 == 0)
        nap_us(20);
    else
        sched_yield();
}

static void other_body(int64_t i, void *arg)
{
    leaf_body(i, arg);
    if (i % 8 == 0)
        lock.failed +=
            tweed_parallel_for_with(pool, NULL, 0, 8, leaf_body, NULL);
}

static void *call_meanwhile(void *arg)
{
    (void)arg;
    stranger = pthread_self();
    wait_for(&lock.inner_left, 1);
    if (lock.asleep)
        wait_until_asleep();
    for (int k = 0; k < 5; k++)
        lock.failed +=
            tweed_parallel_for_with(pool, NULL, 0, 40, other_body, NULL);
    /* a caller and two workers: those who are held have begun one index each */
    lock.failed += lock.bodies != 2;
    lock.released = 1;
    return NULL;
}

static bool nobody_below(bool by_caller, bool asleep)
{
    tweed_loop_options o = { .size = sizeof o, .max_workers = 2 };
    pthread_t other;

    memset(&lock, 0, sizeof lock);
    lock.by_caller = by_caller;
    lock.asleep = asleep;
    if (pthread_create(&other, NULL, call_meanwhile, NULL) != 0)
        bail_out("no thread");
    lock.failed +=
        tweed_parallel_for_with(pool, &o, 0, OUTER, outer_body, NULL);
    pthread_join(other, NULL);
    return !lock.failed && !lock.below && !lock.strangers && !in_vain &&
           lock.bodies == OUTER;
}

static void with_lock(int64_t spin_ns, const char *how)
{
    for (int by_caller = 0; by_caller < 2; by_caller++) {
        int rounds = 10, good = 0;

        use_pool(3, spin_ns);
        for (int r = 0; r < rounds; r++)
            good += nobody_below(by_caller, spin_ns < 0);
        if (!ok(good == rounds, "%s: a %s that waits with a lock runs no body of "
                                "another loop, or of the outer one",
                how, by_caller ? "caller" : "worker"))
            diag("%d below, %d by strangers, %d outer bodies, %d failed, %d in vain",
                 lock.below, lock.strangers, lock.bodies, lock.failed, in_vain);
        tweed_pool_destroy(pool);
    }
}

#define LONG 1000000000 /* ns, the most */

int main(void)
{
    plan(4 * 3 + 3 * 2);
    watchdog();
    two_workers(-1, false, "no spinning");
    two_workers(-1, true, "who waits sleeps");
    two_workers(20000, false, "spinning for 20 us");
    stands_still = true;
    two_workers(LONG, false, "spinning for ever");
    stands_still = false;
    with_lock(-1, "no spinning");
    with_lock(20000, "spinning for 20 us");
    with_lock(LONG, "spinning for a second");
    return done_testing();
}

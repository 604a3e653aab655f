/*
 * wakes.c - a loop never wakes more workers than it has places for, and makes no
 * system call for it when nobody sleeps.
 *
 * SPDX-License-Identifier: MIT
 *
 * The wrapped syscall() counts what the kernel says it woke.
 */
/* Each loop is published: what is called through the library remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "pool/pool.h"
#include "dozing.h"
#include "meet.h"

#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* Of one pool's event count: calls to wake, how many they asked for, and how
   many woke. */
static _Atomic uintptr_t event;
static atomic_int calls, asked, woken;

long __wrap_syscall(long number, ...)
{
    long a[6], result;
    va_list args;

    va_start(args, number);
    for (int k = 0; k < 6; k++)
        a[k] = va_arg(args, long);
    va_end(args);
    result = __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (number == SYS_futex && (uintptr_t)a[0] == atomic_load(&event) &&
        ((int)a[1] & FUTEX_CMD_MASK) == FUTEX_WAKE_BITSET) {
        atomic_fetch_add(&calls, 1);
        atomic_fetch_add(&asked, (int)a[2]);
        if (result > 0)
            atomic_fetch_add(&woken, (int)result);
    }
    return result;
}

static unsigned char count[1000];

static void one(int64_t i, void *arg)
{
    (void)arg;
    count[i]++;
}

static int once(int n)
{
    int good = 1;

    for (int i = 0; i < 1000; i++) {
        good &= count[i] == (i < n);
        count[i] = 0;
    }
    return good;
}

/* All threads of the pool are in futex_wait, or on the last steps into it: who
   is past its last look at the event will find it changed. */
static void wait_until_asleep(tweed_pool *pool)
{
    struct tweed__team *team = tweed__pool_team(pool);
    uint32_t all = (uint32_t)team->num_workers - 1;

    while (threads_dozing(team) != all)
        nap_us(20);
    nap_us(20);
}

static void reset(tweed_pool *pool)
{
    atomic_store(&event, (uintptr_t)&tweed__pool_team(pool)->sleep.event);
    atomic_store(&calls, 0);
    atomic_store(&asked, 0);
    atomic_store(&woken, 0);
}

/* Loops of n indices, everybody asleep before each. */
static void sleepers(int workers, int n, int limit, int rounds)
{
    tweed_pool *pool = pool_with((tweed_pool_options){ .num_workers = workers,
                                                       .spin_ns = -1 });
    tweed_loop_options o = { .size = sizeof o, .max_workers = limit };
    int good = 1, few = 1, most = limit ? limit : workers, total = 0;

    if (n < most)
        most = n;
    for (int r = 0; r < rounds; r++) {
        uint64_t before = steals(pool);
        int hints;

        wait_until_asleep(pool);
        reset(pool);
        good &= tweed_parallel_for_with(pool, &o, 0, n, one, NULL) == TWEED_OK;
        /* a wake may be passed on by a worker that comes too late to help */
        wait_until_asleep(pool);
        good &= once(n);
        /* who has stolen more than a block wakes one more: for n of one block
           a worker there is no such loot */
        hints = n > most ? (int)(steals(pool) - before) : 0;
        if (atomic_load(&asked) > most - 1 + hints ||
            atomic_load(&woken) > most - 1 + hints) {
            diag("%d calls asked for %d and woke %d, %d hints", calls, asked,
                 woken, hints);
            few = 0;
        }
        total += atomic_load(&woken);
    }
    ok(good, "%d workers, %d indices, limit %d: each once", workers, n, limit);
    ok(few, "%d workers, %d indices, limit %d: no more woken than there are "
       "places for", workers, n, limit);
    ok(total > 0, "%d workers, %d indices, limit %d: %d woken in %d loops",
       workers, n, limit, total, rounds);
    tweed_pool_destroy(pool);
}

static void nobody_sleeps(int workers)
{
    tweed_pool *pool = pool_of(workers);
    struct occupier o;
    int good = 1;

    occupy(&o, pool);
    /* a worker may be a few steps from the end of its last wait */
    while (load_seq_cst(&tweed__pool_team(pool)->sleep.waiters))
        nap_us(20);
    reset(pool);
    for (int n = 2; n < 1000; n += 3) {
        good &= tweed_parallel_for_with(pool, NULL, 0, n, one, NULL) == 0;
        good &= once(n);
    }
    ok(good && atomic_load(&calls) == 0,
       "%d workers, all awake: 333 loops and no call to wake anybody", workers);
    occupier_end(&o);
    tweed_pool_destroy(pool);
}

int main(void)
{
    plan(6 * 3 + 2);
    watchdog();
    sleepers(2, 2, 0, 200);
    sleepers(8, 8, 0, 200);
    sleepers(8, 3, 0, 200);
    sleepers(8, 1000, 0, 200);
    sleepers(8, 1000, 3, 200);
    sleepers(16, 16, 0, 100);
    nobody_sleeps(2);
    nobody_sleeps(6);
    return done_testing();
}

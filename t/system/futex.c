/*
 * futex.c - a futex that answers what it likes.
 *
 * SPDX-License-Identifier: MIT
 *
 * A shim before syscall(2), through which tweed makes its futex and membarrier
 * calls: waits return at once with EAGAIN, EINTR or success, at random; wakes
 * are done, since a kernel that loses wakes is broken; the heavy fence is
 * refused now and then.  And a kernel without futex(2): every refused wait has
 * to be paid for by a sleep, or the waiting would be a silent spin.
 */
#include "config.h"

#include "tap.h"

#include "once.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#if TWEED_HAVE_TSAN
#define ROUNDS 60
#else
#define ROUNDS 600
#endif

enum { SOUND, RANDOM, ABSENT };

static atomic_int mode;
static atomic_uint dice;
static atomic_int eagain, eintr, spurious, waited, refused, unpaid;
static _Thread_local int owes_a_nap;

long __real_syscall(long, ...);
long __wrap_syscall(long, ...);
int __real_nanosleep(const struct timespec *, struct timespec *);
int __wrap_nanosleep(const struct timespec *, struct timespec *);

static long fail(int error)
{
    errno = error;
    return -1;
}

static unsigned throw_dice(void)
{
    unsigned x = atomic_fetch_add(&dice, 0x9e3779b9u);

    x = (x ^ x >> 16) * 0x7feb352du;
    return (x ^ x >> 15) >> 8;
}

long __wrap_syscall(long number, ...)
{
    long a[6]; /* read as the kernel does: six words, whatever was passed */
    int op, m = atomic_load(&mode);
    va_list args;

    va_start(args, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    op = (int)a[1] & FUTEX_CMD_MASK;
    if (number == SYS_membarrier && m == RANDOM && a[0] == 8 &&
        throw_dice() % 4 == 0) /* 8: private expedited; not the registration */
        return fail(EPERM);
    if (number == SYS_futex && m == ABSENT) {
        if (op == FUTEX_WAIT_BITSET) {
            if (owes_a_nap)
                atomic_fetch_add(&unpaid, 1);
            owes_a_nap = 1;
            atomic_fetch_add(&refused, 1);
        }
        return fail(ENOSYS);
    }
    if (number == SYS_futex && m == RANDOM && op == FUTEX_WAIT_BITSET)
        switch (throw_dice() % 4) {
        case 0:
            atomic_fetch_add(&eagain, 1);
            return fail(EAGAIN);
        case 1:
            atomic_fetch_add(&eintr, 1);
            return fail(EINTR);
        case 2:
            atomic_fetch_add(&spurious, 1);
            return 0;
        default:
            atomic_fetch_add(&waited, 1);
        }
    return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int __wrap_nanosleep(const struct timespec *t, struct timespec *rest)
{
    if (t->tv_sec > 0 || t->tv_nsec >= 100000)
        owes_a_nap = 0;
    return __real_nanosleep(t, rest);
}

static tweed_pool *create(int spin_ns)
{
    tweed_pool_options o = { .size = sizeof o,
                             .num_workers = 4,
                             .spin_ns = spin_ns };
    tweed_pool *pool = NULL;

    if (tweed_pool_create(&pool, &o) != TWEED_OK)
        printf("Bail out! no pool\n");
    return pool;
}

/* Until the workers have gone to sleep now and then, whatever else happens. */
static void idle(void)
{
    struct timespec ms = { 0, 3000000 };

    __real_nanosleep(&ms, NULL);
}

static int many_loops(tweed_pool *pool)
{
    int good = 1;

    for (int r = 0; r < ROUNDS / 12; r++) {
        good &= once_loops(pool, 12);
        idle();
    }
    return good;
}

int main(void)
{
    tweed_pool *pool;
    int good;

    alarm(120);
    plan(7);

    atomic_store(&mode, RANDOM);
    pool = create(-1);
    ok(many_loops(pool), "no spinning, waits that end at random: loops right");
    ok(atomic_load(&eagain) && atomic_load(&eintr) && atomic_load(&spurious) &&
           atomic_load(&waited),
       "each of the answers was given");
    atomic_store(&mode, SOUND);
    ok(once_loops(pool, 12), "and with a sound futex on the same pool");
    tweed_pool_destroy(pool);

    atomic_store(&mode, RANDOM);
    pool = create(20000);
    good = many_loops(pool);
    ok(tweed_pool_destroy(pool) == TWEED_OK && good,
       "with spinning: loops right, and the pool can be destroyed");

    atomic_store(&mode, ABSENT);
    pool = create(-1);
    good = many_loops(pool);
    ok(tweed_pool_destroy(pool) == TWEED_OK && good,
       "no futex(2) at all: loops right, and the pool can be destroyed");
    ok(atomic_load(&refused) > 0, "waits were refused");
    ok(atomic_load(&unpaid) == 0, "each refused wait slept before the next");
    return done_testing();
}

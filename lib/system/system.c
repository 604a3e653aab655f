/*
 * system.c - futex, membarrier, pause, yield and clock on Linux.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "system/system.h"
#include "base/atomic.h"
#include "base/tsan.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * EAGAIN (the word has changed), EINTR and a spurious return all mean the same
 * to the caller: look again.  Any other error means that this kernel does not
 * let us sleep (ENOSYS, EPERM under a filter): give the CPU away for a
 * millisecond then, so that the caller's loop never becomes a silent spin.
 */
static void wait_until(_Atomic uint32_t *word, uint32_t value, uint32_t mask,
                       const struct timespec *until)
{
    int saved = errno;

    if (syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value, until, NULL,
                mask) != 0 &&
        errno != EAGAIN && errno != EINTR && errno != ETIMEDOUT) {
        struct timespec ms = { 0, 1000000 };

        if (nanosleep(&ms, NULL) != 0)
            sched_yield();
    }
    errno = saved;
}

void tweed__futex_wait(_Atomic uint32_t *word, uint32_t value, uint32_t mask)
{
    wait_until(word, value, mask, NULL);
}

void tweed__futex_wait_for(_Atomic uint32_t *word, uint32_t value, uint32_t mask,
                           uint64_t ns)
{
    uint64_t end = tweed__clock() + ns; /* by the clock that this call goes by */
    struct timespec until = { (time_t)(end / 1000000000u), (long)(end % 1000000000u) };

    wait_until(word, value, mask, &until);
}

int tweed__futex_wake(_Atomic uint32_t *word, int n, uint32_t mask)
{
    int saved = errno;
    long woken = syscall(SYS_futex, word, FUTEX_WAKE_BITSET_PRIVATE, n, NULL,
                         NULL, mask);

    errno = saved;
    return woken > 0 ? (int)woken : 0;
}

static long membarrier(int command)
{
    return syscall(SYS_membarrier, command, 0, 0);
}

int tweed__fence_register(void)
{
#if TWEED_HAVE_TSAN
    return ENOTSUP; /* ThreadSanitizer does not understand membarrier */
#else
    int saved = errno, result = 0;

    if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) != 0)
        result = errno;
    errno = saved;
    return result;
#endif
}

bool tweed__fence_heavy(void)
{
    int saved = errno;
    bool done = membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0;

    errno = saved;
    return done;
}

void tweed__pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ __volatile__("yield" ::: "memory");
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

void tweed__yield(void)
{
    int saved = errno;

    (void)sched_yield();
    errno = saved;
}

/* If a filter refuses the clock, where the kernel is asked at all, each look counts as a
   millisecond, so that a thread that spins by the clock comes to an end. */
uint64_t tweed__clock(void)
{
    static _Atomic uint64_t looks;
    int saved = errno;
    struct timespec t;

    if (clock_gettime(CLOCK_MONOTONIC, &t) == 0)
        return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    errno = saved;
    return 1000000 * fetch_add_relaxed(&looks, 1); /* relaxed: a figure */
}

/*
 * frame.c - the argument is on the caller's stack and gone after the call; no
 * body runs later than that.
 *
 * SPDX-License-Identifier: MIT
 *
 * The frame is poisoned when the call has returned, and its stack is used again
 * at once.  Under --enable-sanitizer=address a late body is reported even if it
 * only reads.
 */
#include "pools.h"
#include "base/tsan.h"

#include <string.h>

#define MAGIC UINT64_C(0x7477656564a11e5)
#define N 64
#define ROUNDS (TWEED_HAVE_TSAN ? 500 : 5000)

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_stack_use_after_return=1";
}

struct frame {
    uint64_t magic;
    unsigned char count[N];
    uint64_t magic_too;
};

static atomic_int late; /* bodies that saw no living frame */

static void one(int64_t i, void *arg)
{
    struct frame *f = arg;

    if (f->magic != MAGIC)
        atomic_fetch_add(&late, 1);
    f->count[i]++;
    if (f->magic_too != MAGIC) /* the body itself outlives the call */
        atomic_fetch_add(&late, 1);
}

static void some(int64_t begin, int64_t end, void *arg)
{
    for (; begin < end; begin++)
        one(begin, arg);
}

static __attribute__((noinline)) int call(tweed_pool *pool, int n, int ranges)
{
    struct frame f = { MAGIC, { 0 }, MAGIC };
    int code, good = 1;

    code = ranges ? tweed_parallel_for_range_with(pool, NULL, 0, n, some, &f)
                  : tweed_parallel_for_with(pool, NULL, 0, n, one, &f);
    for (int i = 0; i < N; i++)
        good &= f.count[i] == (i < n);
    memset(&f, 0x5a, sizeof f);
    __asm__ volatile("" : : "r"(&f) : "memory"); /* do not leave that out */
    return good && code == TWEED_OK;
}

/* Lays itself where the frame was. */
static __attribute__((noinline)) int use_the_stack(int round)
{
    volatile unsigned char waste[512];
    int sum = 0;

    for (int i = 0; i < 512; i++)
        waste[i] = (unsigned char)(round + i);
    for (int i = 0; i < 512; i++)
        sum += waste[i] == (unsigned char)(round + i);
    return sum == 512;
}

static void rounds(int workers, int fence)
{
    tweed_pool *pool = pool_fenced(workers, fence);
    int good = 1;

    for (int r = 0; r < ROUNDS; r++) {
        good &= call(pool, 2 + r % (N - 1), r % 2);
        good &= use_the_stack(r);
    }
    ok(good, "%d workers: each index once, and the stack is the caller's again",
       workers);
    tweed_pool_destroy(pool); /* the last late body has run */
    ok(atomic_load(&late) == 0, "%d workers: no body after the return",
       workers);
}

int main(void)
{
    plan(6);
    watchdog();
    rounds(2, 0);
    rounds(5, 0);
    rounds(3, TWEED_FENCE_EXCHANGE);
    return done_testing();
}

/*
 * fiber.c - bodies and calls on stacks that are not the thread's own.
 *
 * SPDX-License-Identifier: MIT
 *
 * With --enable-debug each call looks whether a body was left by longjmp(), by
 * comparing addresses on the stack (leave.c).  Fibers of the program, and the
 * frames that AddressSanitizer keeps on the heap, must not be taken for that.
 */
#include "child.h"
#include "pools.h"
#include "base/tsan.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>

/* Read by AddressSanitizer when it starts. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "detect_stack_use_after_return=1";
}

static tweed_pool *pool;

/* Some levels of loops, with frames in between whose addresses are taken. */
struct level {
    int depth, wrong;
};

static void deeper(int64_t i, void *arg)
{
    struct level *up = arg, here = { up->depth - 1, 0 };

    if (i == 0 && here.depth > 0 &&
        tweed_parallel_for_with(pool, NULL, 0, 3, deeper, &here) != TWEED_OK)
        here.wrong++;
    if (i == 0)
        up->wrong += here.wrong + !loops_are_right(pool, 20);
}

static int nested(void *arg)
{
    struct level top = { 10, 0 };

    (void)arg;
    pool = pool_of(3);
    return pool && tweed_parallel_for_with(pool, NULL, 0, 3, deeper, &top) ==
                       TWEED_OK &&
                   top.wrong == 0 && tweed_pool_destroy(pool) == TWEED_OK
               ? 0
               : 1;
}

/* ---- fibers ---- */

#define STACK ((size_t)256 * 1024)
#define APART ((size_t)16 * 1024 * 1024) /* valgrind takes less for one stack */

static ucontext_t of_body, of_fiber;
static int good_on_fiber, good_in_loop;

static void on_fiber(void)
{
    good_on_fiber = loops_are_right(pool, 100) && loops_are_right(NULL, 100);
}

/* The caller's body changes to a fiber and back. */
static void change(int64_t i, void *arg)
{
    if (i != 0)
        return;
    getcontext(&of_fiber);
    of_fiber.uc_stack.ss_sp = arg;
    of_fiber.uc_stack.ss_size = STACK;
    of_fiber.uc_link = &of_body;
    makecontext(&of_fiber, on_fiber, 0);
    swapcontext(&of_body, &of_fiber);
}

static void *run_loop(void *fiber_stack)
{
    good_in_loop = tweed_parallel_for_with(pool, NULL, 0, 10, change,
                                           fiber_stack) == TWEED_OK &&
                   loops_are_right(pool, 100);
    return NULL;
}

/* A thread and its fiber, the stack of the one below that of the other. */
static int fiber(void *above)
{
    char *stacks = mmap(NULL, APART + STACK, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *upper = stacks + APART;
    pthread_attr_t attr;
    pthread_t thread;

    if (stacks == MAP_FAILED)
        return 2;
    pool = pool_of(3);
    pthread_attr_init(&attr);
    if (!pool ||
        pthread_attr_setstack(&attr, above ? stacks : upper, STACK) != 0 ||
        pthread_create(&thread, &attr, run_loop, above ? upper : stacks) != 0)
        return 2;
    pthread_attr_destroy(&attr);
    pthread_join(thread, NULL);
    return good_on_fiber && good_in_loop &&
                   tweed_pool_destroy(pool) == TWEED_OK
               ? 0
               : 1;
}

/* The other way round: the loop is on a fiber, its body goes back to the thread. */
static void back(int64_t i, void *arg)
{
    (void)arg;
    if (i == 0)
        swapcontext(&of_fiber, &of_body);
}

static void loop_on_fiber(void)
{
    good_on_fiber = tweed_parallel_for_with(pool, NULL, 0, 10, back, NULL) ==
                    TWEED_OK;
}

static int from_fiber(void *arg)
{
    char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)arg;
    pool = pool_of(3);
    if (stack == MAP_FAILED || !pool)
        return 2;
    getcontext(&of_fiber);
    of_fiber.uc_stack.ss_sp = stack;
    of_fiber.uc_stack.ss_size = STACK;
    of_fiber.uc_link = &of_body;
    makecontext(&of_fiber, loop_on_fiber, 0);
    swapcontext(&of_body, &of_fiber);
    good_in_loop = loops_are_right(pool, 100); /* in the midst of index 0 */
    swapcontext(&of_body, &of_fiber);
    return good_on_fiber && good_in_loop &&
                   tweed_pool_destroy(pool) == TWEED_OK
               ? 0
               : 1;
}

int main(void)
{
    int above = 1;

    plan(4);
    watchdog();
    ok(child_exited(child_run(nested, NULL), 0), "loops nested ten deep");
#if TWEED_HAVE_TSAN
    (void)above;
    (void)fiber;
    (void)from_fiber;
    skip(3, "ThreadSanitizer has to be told of fibers");
#else
    ok(child_exited(child_run(fiber, &above), 0),
       "a body calls from a fiber whose stack is above the thread's");
    ok(child_exited(child_run(fiber, NULL), 0),
       "a body calls from a fiber whose stack is below the thread's");
    ok(child_exited(child_run(from_fiber, NULL), 0),
       "the thread calls while a body on a fiber waits for it");
#endif
    return done_testing();
}

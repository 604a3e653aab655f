/*
 * small-stack.c - tweed starts pools and runs loops on the smallest stacks.
 *
 * SPDX-License-Identifier: MIT
 *
 * Starting a pool reads files of /proc and /sys and plans; all that has to fit
 * where a first loop may be run: in a body on a worker with the least stack that
 * TWEED_STACK_BYTES can give it, and on a thread of the program's own as small.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "child.h"
#include "pools.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define LEAST 16384

static atomic_int arrived;

/* A loop with no frame of the test's own to speak of. */
static atomic_int sum;

static void add(int64_t i, void *arg)
{
    (void)arg;
    sum += (int)i;
}

static int first_call(void)
{
    sum = 0;
    return tweed_parallel_for(0, 101, add, NULL) == TWEED_OK && sum == 5050;
}

static void on_worker(int64_t i, void *arg)
{
    (void)i;
    for (arrived++; arrived < 2;)
        sched_yield();
    if (tweed_worker_index() > 0)
        *(int *)arg = first_call();
}

/* The default pool is another one, and starts on the small stack. */
static int in_body(void *stack_bytes)
{
    tweed_pool_options o = { .size = sizeof o, .num_workers = 2 };
    tweed_pool *pool;
    int good = 0;

    o.stack_bytes = *(size_t *)stack_bytes;
    if (!o.stack_bytes)
        setenv("TWEED_STACK_BYTES", "16384", 1);
    if (tweed_pool_create(&pool, &o) != TWEED_OK ||
        tweed_pool_num_workers(pool) != 2)
        return 2;
    must(tweed_parallel_for_with(pool, NULL, 0, 2, on_worker, &good));
    return good && tweed_pool_destroy(pool) == TWEED_OK ? 0 : 1;
}

static void *on_thread(void *good)
{
    *(int *)good = first_call();
    return NULL;
}

static int in_thread(void *unused)
{
    size_t size = (size_t)sysconf(_SC_THREAD_STACK_MIN);
    pthread_attr_t attr;
    pthread_t thread;
    int good = 0;

    (void)unused;
    pthread_attr_init(&attr);
    if (pthread_attr_setstacksize(&attr, size > LEAST ? size : LEAST) != 0 ||
        pthread_create(&thread, &attr, on_thread, &good) != 0)
        return 2;
    pthread_attr_destroy(&attr);
    pthread_join(thread, NULL);
    return good ? 0 : 1;
}

static void expect(int (*fn)(void *), void *arg, const char *what)
{
    int status = child_run(fn, arg);

    if (!ok(child_exited(status, 0), "%s", what))
        diag("it ended with status %#x", (unsigned)status);
}

int main(void)
{
    size_t least = LEAST, none = 0;

    if (SANITIZED) /* said by the makefile */
        skip_all("a sanitizer needs more of the stack");
    plan(3);
    watchdog();
    expect(in_body, &least, "first loop in a body, option stack_bytes");
    expect(in_body, &none, "first loop in a body, TWEED_STACK_BYTES");
    expect(in_thread, NULL, "first loop on a small thread of the program's own");
    return done_testing();
}

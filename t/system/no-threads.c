/*
 * no-threads.c - pthread_create() fails at some thread.
 *
 * SPDX-License-Identifier: MIT
 *
 * A shim counts the threads asked for and refuses some.  tweed asks a second
 * time without affinity where the first answer was an error, so "thread k" is
 * counted by the worker that it is for.
 */
#include "config.h"

#include "tap.h"

#include "once.h"
#include "pool/pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define WORKERS 6
#define SMALL 65536

enum { NONE, FROM_ON, ONLY, FIRST_TRIES, SMALL_STACKS };

static int way, at;            /* how to fail, from or at which worker on */
static int tries, made, ended; /* of the pool being created or destroyed */
static int mapped;             /* mappings made and not given back */
static void *last_arg;         /* tweed's argument: the worker */
static size_t stack_of_retry;

int __real_pthread_create(pthread_t *, const pthread_attr_t *,
                          void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *,
                          void *(*)(void *), void *);
int __real_pthread_join(pthread_t, void **);
int __wrap_pthread_join(pthread_t, void **);
void *__real_mmap(void *, size_t, int, int, int, off_t);
void *__wrap_mmap(void *, size_t, int, int, int, off_t);
int __real_munmap(void *, size_t);
int __wrap_munmap(void *, size_t);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                          void *(*fn)(void *), void *arg)
{
    int worker = ((struct tweed__worker *)arg)->index, fail, error;
    size_t stack;
    bool retry = arg == last_arg;

    tries++;
    last_arg = arg;
    fail = (way == FROM_ON && worker >= at) || (way == ONLY && worker == at) ||
           (way == FIRST_TRIES && !retry);
    if (retry && attr)
        pthread_attr_getstacksize(attr, &stack_of_retry);
    if (fail)
        return EAGAIN;
    /* as glibc does if the thread-local storage does not fit */
    if (way == SMALL_STACKS && attr &&
        pthread_attr_getstacksize(attr, &stack) == 0 && stack == SMALL)
        return EINVAL;
    error = __real_pthread_create(thread, attr, fn, arg);
    made += error == 0;
    return error;
}

int __wrap_pthread_join(pthread_t thread, void **result)
{
    ended++;
    return __real_pthread_join(thread, result);
}

void *__wrap_mmap(void *address, size_t bytes, int protection, int flags,
                  int fd, off_t offset)
{
    void *p = __real_mmap(address, bytes, protection, flags, fd, offset);

    mapped += p != MAP_FAILED;
    return p;
}

int __wrap_munmap(void *address, size_t bytes)
{
    mapped--;
    return __real_munmap(address, bytes);
}

static int create(tweed_pool **pool, int how, int worker, size_t stack)
{
    tweed_pool_options o = { .size = sizeof o,
                             .num_workers = WORKERS,
                             .stack_bytes = stack };

    way = how;
    at = worker;
    tries = made = ended = 0;
    last_arg = NULL;
    stack_of_retry = 0;
    return tweed_pool_create(pool, &o);
}

/* The pool has this many workers, its loops come out right on them, and it
   leaves nothing behind. */
static int works_with(tweed_pool *pool, int workers)
{
    tweed_stats s = { .size = sizeof s };
    int good = tweed_pool_num_workers(pool) == workers && made == workers - 1;

    good &= once_loops(pool, 12);
    good &= tweed_stats_get(pool, workers - 1, &s) == TWEED_OK;
    good &= tweed_stats_get(pool, workers, &s) == TWEED_EINVAL;
    good &= mapped == workers;
    good &= tweed_pool_destroy(pool) == TWEED_OK;
    good &= ended == made && mapped == 0;
    good &= awake_all() == 0;
    return good;
}

int main(void)
{
    tweed_pool *pool = NULL;

    alarm(120);
    plan(2 * (WORKERS - 1) + 6);
    for (int k = 1; k < WORKERS; k++)
        ok(create(&pool, FROM_ON, k, 0) == TWEED_OK && works_with(pool, k),
           "no threads from the one of worker %d on: %d workers", k, k);
    ok(tries > 0, "threads were asked for at all");
    for (int k = 1; k < WORKERS; k++)
        ok(create(&pool, ONLY, k, 0) == TWEED_OK && works_with(pool, k),
           "no thread for worker %d, though others might be had: stops there",
           k);
    ok(create(&pool, FIRST_TRIES, 0, 1 << 20) == TWEED_OK &&
           works_with(pool, WORKERS),
       "refused once, as where affinity is refused: asked again, all there");
    ok(stack_of_retry == 1 << 20, "the second time with the same stack");

    ok(create(&pool, SMALL_STACKS, 0, SMALL) == TWEED_OK &&
           works_with(pool, WORKERS),
       "a stack that is too small for the program: the default one");

    int good = 1;

    for (int round = 0; round < 50; round++) {
        int k = 1 + round % WORKERS; /* WORKERS: all of them */

        good &= create(&pool, FROM_ON, k, 0) == TWEED_OK &&
                works_with(pool, k);
    }
    ok(good, "created and destroyed again and again, short of threads or not");

    way = FROM_ON; /* now the default pool, which nobody asked to start */
    at = 1;
    made = 0;
    good = once_loops(NULL, 12) && tweed_pool_num_workers(NULL) == 1;
    way = NONE;
    ok(good && once_loops(NULL, 12), "a default pool without threads is serial");
    return done_testing();
}

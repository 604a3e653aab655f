/*
 * instructions.c - what bench/instructions.sh counts the instructions of.
 *
 * SPDX-License-Identifier: MIT
 *
 * usage: instructions             the compiler, as the ceilings name it
 *        instructions CASE TIMES  runs a case so many times, prints how many
 *                                 of its units were done
 *
 * A case is counted at two sizes, and what counts is the difference: starting
 * pools, the first call and everything else that is done once falls out.
 *
 * Counts must not depend on when threads run, so nobody helps: worker 1 is held
 * in a body of another loop, and so are further ones, or they sleep.  The
 * caller then does everything in its loop alone, its own share by takes, the
 * others' by steals from shares that nobody has claimed.
 *
 * Short loops call the library's own functions, which remember no cost, so that each
 * is published.
 */
#include "config.h"

#include <dlfcn.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <tweed.h>
#include <unistd.h>

#define SKIPPED 77
#define INDICES 100000        /* so many that steals are nothing */
#define LOOPS 100
#define SUMMED 4096           /* doubles of a sum */
#define GRAIN 4
#define MANY 16 /* workers */

struct test {
    const char *name;
    void (*run)(const struct test *t, int64_t times);
    int workers, places; /* of the pool; of a loop, the others asleep */
    int fence;
    int64_t n; /* indices, or blocks, of one loop */
};

static tweed_pool *pool;
static tweed_loop_options options = { .size = sizeof options };
static int64_t units; /* done, as the case counts them */
static sem_t inside;

static void fail(const char *why)
{
    fprintf(stderr, "instructions: %s\n", why);
    exit(1);
}

/* A loop that was refused has not run: not to be counted. */
static inline void must(int code)
{
    if (code != TWEED_OK)
        fail("a loop was refused");
}

/* ---- bodies ---- */

__attribute__((noinline)) static void nothing(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
    __asm__ __volatile__("");
}

static void nothings(int64_t begin, int64_t end, void *arg)
{
    (void)arg;
    for (int64_t i = begin; i < end; i++)
        __asm__ __volatile__("");
}

static void hold(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
    sem_post(&inside);
    for (;;)
        pause();
}

/* ---- cases ---- */

static void one_loop(const struct test *t, int64_t times)
{
    units = times * t->n;
    must(tweed_parallel_for_with(pool, &options, 0, units, nothing, NULL));
}

static void in_blocks(const struct test *t, int64_t times)
{
    options.grain = GRAIN;
    units = times * t->n;
    must(tweed_parallel_for_with(pool, &options, 0, units * GRAIN, nothing,
                                 NULL));
}

/* The function of this name that other languages call; its type is the header's. */
static void (*in_library(const char *name))(void)
{
    union {
        void *object;
        void (*function)(void);
    } found = { dlsym(RTLD_DEFAULT, name) };

    if (!found.object)
        fail(name);
    return found.function;
}

static void loops(const struct test *t, int64_t times)
{
    int (*run)(tweed_pool *, const tweed_loop_options *, int64_t, int64_t,
               tweed_index_fn *, void *);

    run = (int (*)(tweed_pool *, const tweed_loop_options *, int64_t, int64_t,
                   tweed_index_fn *, void *))in_library("tweed_parallel_for_with");
    for (units = 0; units < times * LOOPS; units++)
        must(run(pool, &options, 0, t->n, nothing, NULL));
}

static void range_loops(const struct test *t, int64_t times)
{
    int (*run)(tweed_pool *, const tweed_loop_options *, int64_t, int64_t,
               tweed_range_fn *, void *);

    run = (int (*)(tweed_pool *, const tweed_loop_options *, int64_t, int64_t,
                   tweed_range_fn *, void *))in_library(
        "tweed_parallel_for_range_with");
    for (units = 0; units < times * LOOPS; units++)
        must(run(pool, &options, 0, t->n, nothings, NULL));
}

struct nest {
    const struct test *test;
    int64_t times;
};

static void inner(int64_t i, void *arg)
{
    const struct nest *nest = arg;

    if (i == 0)
        loops(nest->test, nest->times);
}

static void nested(const struct test *t, int64_t times)
{
    struct nest nest = { t, times };

    must(tweed_parallel_for_with(pool, &options, 0, t->n, inner, &nest));
}

/* The serial function, of which only the calls are counted. */
static int64_t calls_of_fib(int64_t n)
{
    return n < 2 ? 1 : 1 + calls_of_fib(n - 1) + calls_of_fib(n - 2);
}

TWEED_TASK(long, fib, int64_t, n)
{
    if (n < 2) {
        return (long)n;
    } else {
        long b;

        TWEED_SPAWN(fib, n - 1);
        b = TWEED_CALL(fib, n - 2);
        return TWEED_SYNC(fib) + b;
    }
}

static int64_t fib_of(const struct test *t, int64_t times)
{
    return t->n + times;
}

static void fibs(const struct test *t, int64_t times)
{
    (void)TWEED_RUN_ON(pool, fib, fib_of(t, times));
}

TWEED_SUM(double, dot, i, const double *, x, const double *, y)
{
    return x[i] * y[i];
}

/* A sum that its caller executes alone: blocks, lanes and the tree. */
static void sums(const struct test *t, int64_t times)
{
    static double x[SUMMED], y[SUMMED];
    double sum;

    for (units = 0; units < times * LOOPS * t->n; units += t->n)
        must(dot_with(pool, &options, 0, t->n, x, y, &sum));
}

#define MEMBARRIER TWEED_FENCE_MEMBARRIER
#define EXCHANGE TWEED_FENCE_EXCHANGE

static const struct test tests[] = {
    { "take-membarrier", one_loop, 2, 2, MEMBARRIER, INDICES },
    { "take-exchange", one_loop, 2, 2, EXCHANGE, INDICES },
    { "take-alone", one_loop, 1, 1, MEMBARRIER, INDICES },
    { "block-membarrier", in_blocks, 2, 2, MEMBARRIER, INDICES },
    { "loop-1", loops, 1, 1, MEMBARRIER, 2 },
    { "loop-2", loops, 2, 2, MEMBARRIER, 2 },
    { "loop-2-range", range_loops, 2, 2, MEMBARRIER, 2 },
    { "loop-2-asleep", loops, 3, 2, MEMBARRIER, 2 },
    { "loop-2-nested", nested, 2, 2, MEMBARRIER, 2 },
    { "loop-16", loops, MANY, MANY, MEMBARRIER, MANY },
    { "fib", fibs, 1, 1, MEMBARRIER, 18 },
    { "sum", sums, 1, 1, MEMBARRIER, SUMMED },
};

/* ---- what stands still meanwhile ---- */

static void *hold_workers(void *arg)
{
    must(tweed_parallel_for_with(pool, &options, 0, options.max_workers, hold,
                                 arg));
    return NULL;
}

static uint64_t sleeps(int worker)
{
    tweed_stats s = { .size = sizeof s };

    if (tweed_stats_get(pool, worker, &s) != TWEED_OK)
        fail("no statistics");
    return s.sleeps;
}

/* Until it has slept for 20 ms: it may get up once more for the other loop. */
static void wait_until_asleep(int worker)
{
    struct timespec pause = { 0, 20000000 };
    uint64_t before = 0, now;

    while ((now = sleeps(worker)) == 0 || now != before) {
        before = now;
        nanosleep(&pause, NULL);
    }
}

/* A pool in which the workers that a loop has a place for are inside a body of
   another loop, for ever, and the rest asleep. */
static void prepare(const struct test *t)
{
    tweed_pool_options o = { .size = sizeof o,
                             .num_workers = t->workers,
                             .fence = t->fence,
                             .spin_ns = -1 };
    pthread_t thread;

    if (tweed_pool_create(&pool, &o) != TWEED_OK ||
        tweed_pool_num_workers(pool) != t->workers)
        fail("no pool");
    if (t->places < 2)
        return;
    options.max_workers = t->places;
    sem_init(&inside, 0, 0);
    if (pthread_create(&thread, NULL, hold_workers, NULL) != 0)
        fail("no thread");
    for (int k = 0; k < t->places; k++)
        sem_wait(&inside);
    for (int k = t->places; k < t->workers; k++)
        wait_until_asleep(k);
}

static bool has_membarrier(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0,
                   0) == 0;
}

/* Callgrind counts what is done in here. */
__attribute__((noinline)) void measured(const struct test *t, int64_t times);
void measured(const struct test *t, int64_t times)
{
    t->run(t, times);
    __asm__ __volatile__(""); /* no jump: whoever counts waits for the return */
}

static void print_compiler(void)
{
#if defined(__clang__)
    printf("clang %d", __clang_major__);
#else
    printf("gcc %d", __GNUC__);
#endif
#if defined(__x86_64__) && defined(__LP64__)
    printf(" x86_64");
#else
    printf(" another architecture");
#endif
#ifdef TWEED_DEBUG
    printf(" --enable-debug");
#endif
    printf("\n");
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        print_compiler();
        return 0;
    }
    /* the same victims on every machine; nobody is bound */
    setenv("TWEED_TOPOLOGY", "nodes:1,cpus:16", 1);
    for (size_t k = 0; k < sizeof tests / sizeof *tests; k++) {
        const struct test *t = &tests[k];

        if (strcmp(argv[1], t->name) != 0)
            continue;
        if (t->fence == MEMBARRIER && !has_membarrier())
            return SKIPPED;
        prepare(t);
        measured(t, atoll(argv[2]));
        if (t->run == fibs)
            units = calls_of_fib(fib_of(t, atoll(argv[2])));
        printf("%lld\n", (long long)units);
        fflush(stdout);
        _exit(0); /* those who are held do not come back */
    }
    fail("no such case");
}

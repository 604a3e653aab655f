/*
 * overheads.c - what a loop and an index cost that do nothing.
 *
 * SPDX-License-Identifier: MIT
 *
 * After EPCC's micro-benchmarks (syncbench, schedbench); the serial column is
 * the reference that an overhead is counted from.  A body that does nothing
 * cannot show that it ran, so the same loop is run once, before the clock, with
 * a body that marks its index.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "bench.h"
#include "inlined.h"
#include "suite.h"

#define NOOPS 4000000
#define EMPTY_LOOPS 1000
#define SILENT_LOOPS 10
#define SCHED_INDICES 1024 /* for each worker */
#define SHORT_LOOP 64      /* indices of a caller's or an inner loop */
#define CALLS 65           /* of each caller, the first not timed */
#define MOST_CALLERS 64

struct overhead {
    int64_t n;
    int amount;     /* ms of silence, 0.1 us of an index, callers */
    uint32_t turns; /* of an index */
    const struct bench_loop *loop;
    unsigned char *done;    /* how often an index ran, modulo 256 */
    int64_t marked;         /* so many of these are in use */
    unsigned char expected; /* in each of them */
};

__attribute__((noinline)) static void nothing(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
    __asm__ __volatile__("");
}

static void mark(int64_t i, void *arg)
{
    ((unsigned char *)arg)[i]++;
}

static void mark_slowly(int64_t i, void *arg)
{
    const struct overhead *o = arg;

    bench_spin(o->turns);
    mark(i, o->done);
}

static void *prepare(enum bench_size size, int variant)
{
    struct overhead *o = bench_alloc(sizeof *o);

    if (!o)
        return NULL;
    o->amount = variant;
    o->n = size == BENCH_QUICK ? NOOPS / 4 : NOOPS;
    o->done = bench_alloc(NOOPS);
    return o->done ? o : NULL;
}

static void mark_once(struct overhead *o, const struct bench_loop *loop,
                      int64_t n)
{
    if (o->marked)
        return;
    bench_for(loop, 0, n, mark, o->done);
    o->marked = n;
    o->expected = 1;
}

static double answer(void *input)
{
    const struct overhead *o = input;

    return bench_marked(o->done, o->marked, o->expected);
}

static double run_empty(void *input, const struct bench_loop *loop)
{
    double start;

    mark_once(input, loop, loop->workers);
    start = bench_now();
    for (int k = 0; k < EMPTY_LOOPS; k++)
        bench_for(loop, 0, loop->workers, nothing, NULL);
    return bench_now() - start;
}

static double run_silence(void *input, const struct bench_loop *loop)
{
    struct overhead *o = input;
    struct timespec silence = { 0, o->amount * 1000000L };
    double sum = 0;

    mark_once(o, loop, loop->workers);
    for (int k = 0; k < SILENT_LOOPS; k++) {
        double start;

        nanosleep(&silence, NULL);
        start = bench_now();
        bench_for(loop, 0, loop->workers, nothing, NULL);
        sum += bench_now() - start;
    }
    return sum;
}

static double run_noop(void *input, const struct bench_loop *loop)
{
    struct overhead *o = input;
    double start;

    mark_once(o, loop, o->n);
    start = bench_now();
    bench_for(loop, 0, o->n, nothing, NULL);
    return bench_now() - start;
}

static double noop_scale(const void *input)
{
    return 1e9 / (double)((const struct overhead *)input)->n;
}

/* In seconds of a worker, so the serial loop's is the body's own time. */
static double run_sched(void *input, const struct bench_loop *loop)
{
    struct overhead *o = input;
    double start;

    o->turns = bench_turns(o->amount * 100.0);
    o->marked = (int64_t)SCHED_INDICES * loop->workers;
    o->expected++;
    start = bench_now();
    bench_for(loop, 0, o->marked, mark_slowly, o);
    return bench_now() - start;
}

struct caller {
    const struct bench_loop *loop;
    unsigned char *done;
    pthread_barrier_t *barrier;
    pthread_t thread;
};

/* The first loop is for the runtime to make itself at home in this thread. */
static void *call(void *arg)
{
    struct caller *c = arg;

    bench_for(c->loop, 0, SHORT_LOOP, mark, c->done);
    pthread_barrier_wait(c->barrier);
    for (int k = 1; k < CALLS; k++)
        bench_for(c->loop, 0, SHORT_LOOP, mark, c->done);
    pthread_barrier_wait(c->barrier);
    return NULL;
}

/* Threads that start loops at the same time, as a server's do; from when all are
   there until all are done.  Seconds of a loop. */
static double run_callers(void *input, const struct bench_loop *loop)
{
    struct overhead *o = input;
    struct caller callers[MOST_CALLERS];
    pthread_barrier_t barrier;
    double start, seconds;

    pthread_barrier_init(&barrier, NULL, (unsigned)o->amount + 1);
    for (int i = 0; i < o->amount; i++) {
        struct caller *c = &callers[i];

        c->loop = loop;
        c->done = o->done + (ptrdiff_t)i * SHORT_LOOP;
        c->barrier = &barrier;
        if (pthread_create(&c->thread, NULL, call, c) != 0)
            abort(); /* too few would be another measurement */
    }
    pthread_barrier_wait(&barrier);
    start = bench_now();
    pthread_barrier_wait(&barrier);
    seconds = bench_now() - start;
    for (int i = 0; i < o->amount; i++)
        pthread_join(callers[i].thread, NULL);
    pthread_barrier_destroy(&barrier);
    o->marked = (int64_t)o->amount * SHORT_LOOP;
    o->expected = (unsigned char)(o->expected + CALLS);
    return seconds / ((CALLS - 1) * o->amount);
}

static void inner(int64_t i, void *arg)
{
    struct overhead *o = arg;

    bench_for(o->loop, 0, SHORT_LOOP, mark, o->done + i * SHORT_LOOP);
}

static double run_nesting(void *input, const struct bench_loop *loop)
{
    struct overhead *o = input;
    double start = bench_now();

    o->loop = loop;
    o->marked = (int64_t)SHORT_LOOP * SHORT_LOOP;
    o->expected++;
    bench_for(loop, 0, SHORT_LOOP, inner, o);
    return bench_now() - start;
}

/* ---- the loop that the compiler has seen through ---- */

struct inlined {
    int64_t n;
    double *a, *b;
    int64_t marked;
};

static void *prepare_inlined(enum bench_size size, int variant)
{
    struct inlined *in = bench_alloc(sizeof *in);

    (void)variant;
    if (!in)
        return NULL;
    in->n = size == BENCH_QUICK ? NOOPS / 4 : NOOPS;
    in->marked = NOOPS / 40;
    in->a = bench_alloc((size_t)in->marked * sizeof *in->a);
    in->b = bench_alloc((size_t)in->marked * sizeof *in->b);
    return in->a && in->b ? in : NULL;
}

/* What marks the indices here is the triad: a = b + 2 * a, and b is zero. */
static double run_inlined(void *input, const struct bench_loop *loop)
{
    struct inlined *in = input;
    struct bench_triad triad = { in->a, in->b, in->a, 2 };
    double start;

    for (int64_t i = 0; i < in->marked; i++)
        in->a[i] = (double)i + 1;
    loop->runtime->inlined(loop->schedule, BENCH_TRIAD, 0, in->marked, &triad);
    start = bench_now();
    loop->runtime->inlined(loop->schedule, BENCH_NOOP, 0, in->n, NULL);
    return bench_now() - start;
}

static double answer_inlined(void *input)
{
    const struct inlined *in = input;
    int64_t right = 0;

    for (int64_t i = 0; i < in->marked; i++)
        right += in->a[i] == 2 * ((double)i + 1);
    return (double)right / (double)in->marked;
}

static double inlined_scale(const void *input)
{
    return 1e9 / (double)((const struct inlined *)input)->n;
}

#define OVERHEAD                                                               \
    .group = "overhead", .form = "index", .prepare = prepare, .answer = answer

const struct bench_kernel bench_overheads[] = {
    { .name = "noop", OVERHEAD, .unit = "ns an index", .scale_of = noop_scale,
      .what = "4 million indices that do nothing, through a pointer: the claim",
      .quick = true, .run = run_noop },
    { .name = "noop", .group = "overhead", .form = "inlined",
      .unit = "ns an index", .scale_of = inlined_scale,
      .what = "the same, compiled into the runtime's own loop: range bodies",
      .needs = BENCH_NEED_INLINED, .quick = true, .prepare = prepare_inlined,
      .run = run_inlined, .answer = answer_inlined },
    { .name = "empty", OVERHEAD, .unit = "us a loop",
      .scale = 1e6 / EMPTY_LOOPS, .quick = true, .run = run_empty,
      .what = "loops of one index a worker, back to back: fork and join" },
    { .name = "empty-1ms", OVERHEAD, .unit = "us a loop",
      .scale = 1e6 / SILENT_LOOPS, .quick = true, .variant = 1,
      .run = run_silence, .what = "such a loop after 1 ms of silence" },
    { .name = "empty-30ms", OVERHEAD, .unit = "us a loop",
      .scale = 1e6 / SILENT_LOOPS, .variant = 30, .run = run_silence,
      .what = "such a loop after 30 ms of silence: waking" },
    { .name = "sched-0.1us", OVERHEAD, .unit = "us a loop", .scale = 1e6,
      .quick = true, .variant = 1, .run = run_sched,
      .what = "1,024 indices of 0.1 us for each worker (serial: one worker's)" },
    { .name = "sched-15us", OVERHEAD, .unit = "us a loop", .scale = 1e6,
      .quick = true, .variant = 150, .run = run_sched,
      .what = "1,024 indices of 15 us for each worker (serial: one worker's)" },
    { .name = "callers-1", OVERHEAD, .unit = "us a loop", .quick = true,
      .scale = 1e6, .needs = BENCH_NEED_CALLERS, .variant = 1,
      .run = run_callers, .what = "a thread that runs loops of 64 indices" },
    { .name = "callers-4", OVERHEAD, .unit = "us a loop",
      .scale = 1e6, .needs = BENCH_NEED_CALLERS, .variant = 4,
      .run = run_callers, .what = "4 such threads at once, a loop of any" },
    { .name = "callers-16", OVERHEAD, .unit = "us a loop",
      .scale = 1e6, .needs = BENCH_NEED_CALLERS, .variant = 16,
      .run = run_callers, .what = "16 such threads at once, a loop of any" },
    { .name = "callers-64", OVERHEAD, .unit = "us a loop",
      .scale = 1e6, .needs = BENCH_NEED_CALLERS, .variant = 64,
      .run = run_callers, .what = "64 such threads at once, a loop of any" },
    { .name = "nested", OVERHEAD, .unit = "us a loop", .quick = true,
      .scale = 1e6 / SHORT_LOOP, .needs = BENCH_NEED_NESTING,
      .run = run_nesting, .what = "64 loops of 64 within a loop" },
    { .name = NULL },
};

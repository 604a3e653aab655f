/*
 * progress.c - who is told how far loops are, of which, and how far they are.
 *
 * SPDX-License-Identifier: MIT
 *
 * Bodies wait until the function has been called, so no test depends on how long
 * anything takes.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "child.h"
#include "pools.h"
#include "range/glance.h"
#include "base/tsan.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define INDICES 100

/* What is told of the loops with one name. */
struct told {
    const char *name;
    atomic_int calls, ended, wrong, others; /* others: of loops with other names */
    _Atomic uint64_t done, total;
    atomic_int same; /* calls in a row with the same done */
};

/* A body may wait for the function, so the function may not wait for a worker. */
static int is_refused_static(void)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    o.schedule = TWEED_SCHEDULE_STATIC;
    return tweed_parallel_for_with(NULL, &o, 0, 2, empty_body, NULL) == TWEED_ENESTED;
}

static void hear(const tweed_progress *p, void *arg)
{
    struct told *t = arg;

    if (strcmp(p->name, t->name) != 0) {
        t->others++;
        return;
    }
    t->wrong += p->size < sizeof *p || p->done < t->done || p->done > p->total ||
                t->ended || tweed_worker_index() != -1 || !is_refused_static();
    t->same = p->done == t->done ? t->same + 1 : 0;
    t->done = p->done;
    t->total = p->total;
    t->calls++;
    t->ended += p->ended;
}

static int is_clean(const struct told *t)
{
    if (t->wrong || t->others)
        diag("%d calls, %d wrong, %d of other loops", t->calls, t->wrong, t->others);
    return !t->wrong && !t->others;
}

/* The total of the loop that is told of. */
static void hear_total(const tweed_progress *p, void *arg)
{
    struct told *t = arg;

    if (p->ended)
        return;
    t->total = p->total;
    t->calls++;
}

static double even[INDICES];

/* A loop of which some indices wait. */
struct loop {
    struct told *told;
    tweed_pool *pool, *inner;
    atomic_int begun, ended;
    int hold;      /* those from this one on wait until... */
    int for_calls; /* ... there have been so many calls, */
    atomic_int exact; /* ... or until what is told does not change any more */
    _Atomic uint64_t at; /* what was told then */
    tweed_token *token;
    atomic_uchar count[INDICES];
};

/* Of a loop inside: it lasts until more has been told. */
static void inside(int64_t i, void *arg)
{
    struct told *t = arg;

    (void)i;
    while (t->calls < 6)
        nap_us(1000);
}

static void body(int64_t i, void *arg)
{
    struct loop *l = arg;

    l->count[i]++;
    if (l->begun++ >= l->hold) {
        while (l->told->calls < l->for_calls)
            nap_us(1000);
        while (l->exact && l->told->same < 3)
            nap_us(1000);
        if (l->exact && !l->at)
            l->at = l->told->done;
        l->exact = 0;
    }
    if (l->inner) {
        tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

        o.name = "inner";
        must(tweed_parallel_for_with(l->inner, &o, 0, 20, inside, l->told));
    }
    l->ended++;
}

static int run(struct loop *l, const char *name)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    int n = 0;

    o.name = name;
    o.token = l->token;
    l->begun = l->ended = 0;
    memset(l->count, 0, sizeof l->count);
    n = tweed_parallel_for_with(l->pool, &o, 0, INDICES, body, l);
    for (int i = 0; i < INDICES; i++)
        if (l->count[i] != 1 && n == TWEED_OK)
            n = 1;
    return n;
}

static void await_end(struct told *t)
{
    while (!t->ended)
        nap_us(1000);
}

/* ---- what is told ---- */

static void test_calls(tweed_pool *pool)
{
    struct told told = { .name = "smooth" };
    struct loop l = { .told = &told, .pool = pool, .hold = 30, .for_calls = 5 };

    must(tweed_pool_progress(pool, hear, &told));
    ok(run(&l, "smooth") == TWEED_OK && told.calls >= 5, "calls come while the loop runs");
    await_end(&told);
    ok(told.ended == 1 && is_clean(&told) && told.total == INDICES,
       "... and once after it; never less done, never more than all; no static loop in it");
    must(tweed_pool_progress(pool, NULL, NULL));
}

/* Both workers wait in a body: all others that have begun are done. */
static void test_exact(tweed_pool *pool)
{
    struct told told = { .name = "held" };
    struct loop l = { .told = &told, .pool = pool, .hold = 40, .exact = 1 };

    must(tweed_pool_progress(pool, hear, &told));
    must(run(&l, "held"));
    ok(l.at == 40, "how many have been executed, %d: exact while nothing moves",
       (int)l.at);
    must(tweed_pool_progress(pool, NULL, NULL));
}

/* While they lie, seats seem to hold all blocks. */
static atomic_int seats_lie;

struct tweed__look __real_tweed__range_look(struct tweed__range *r);
struct tweed__look __wrap_tweed__range_look(struct tweed__range *r);
struct tweed__look __wrap_tweed__range_look(struct tweed__range *r)
{
    struct tweed__look look = __real_tweed__range_look(r);

    if (seats_lie)
        look = (struct tweed__look){ .high = INDICES };
    return look;
}

static void hear_and_lie(const tweed_progress *p, void *arg)
{
    hear(p, arg);
    seats_lie = p->done > 0;
}

/* A glance may find more in the seats than the one before, which is not told: hear() asks.
   Fails if see() takes what it finds. */
static void test_never_less(tweed_pool *pool)
{
    struct told told = { .name = "never less" };
    struct loop l = { .told = &told, .pool = pool, .hold = 40, .for_calls = 5 };

    must(tweed_pool_progress(pool, hear_and_lie, &told));
    must(run(&l, "never less"));
    await_end(&told);
    ok(is_clean(&told) && seats_lie, "what was told is not taken back");
    must(tweed_pool_progress(pool, NULL, NULL));
    seats_lie = 0;
}

static void test_inner(tweed_pool *pool, tweed_pool *inner, const char *what)
{
    struct told told = { .name = "outer" };
    struct loop l = { .told = &told, .pool = pool, .inner = inner, .hold = 30,
                      .for_calls = 3 };

    must(tweed_pool_progress(pool, hear, &told));
    must(tweed_pool_progress(inner, hear, &told));
    ok(run(&l, "outer") == TWEED_OK && told.calls >= 3 && is_clean(&told),
       "%s", what);
    must(tweed_pool_progress(inner, NULL, NULL));
    must(tweed_pool_progress(pool, NULL, NULL));
}

/* The loop has no worker but its caller, who stops at index 30 until what is told does
   not change. */
static void is_told_alone(tweed_pool *pool, tweed_loop_options o, const char *what)
{
    struct told told = { .name = "alone" };
    struct loop l = { .told = &told, .hold = 30, .exact = 1 };

    o.name = "alone";
    must(tweed_pool_progress(pool, hear, &told));
    must(tweed_parallel_for_with(pool, &o, 0, INDICES, body, &l));
    await_end(&told);
    ok(l.at == 30 && told.total == INDICES && is_clean(&told) && l.ended == INDICES,
       "%s: %d done", what, (int)l.at);
    must(tweed_pool_progress(pool, NULL, NULL));
}

static void test_alone(tweed_pool *pool)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    tweed_pool *of_one = pool_of(1);

    is_told_alone(of_one, o, "a loop in a pool of one worker");
    o.max_workers = 1;
    is_told_alone(pool, o, "... with max_workers 1");
    o.schedule = TWEED_SCHEDULE_STATIC;
    is_told_alone(pool, o, "... static");
    o.schedule = TWEED_SCHEDULE_DEFAULT;
    for (int i = 0; i < INDICES; i++)
        even[i] = 1;
    o.weights = even;
    is_told_alone(pool, o, "... with weights");
    tweed_pool_destroy(of_one);
}

/* One block: it is done, or not. */
static void test_block(tweed_pool *pool)
{
    struct told told = { .name = "block" };
    struct loop l = { .told = &told, .for_calls = 3 };
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    o.name = "block";
    o.grain = INDICES;
    must(tweed_pool_progress(pool, hear, &told));
    must(tweed_parallel_for_with(pool, &o, 0, INDICES, body, &l));
    ok(told.calls >= 3 && told.done == 0 && told.total == INDICES && is_clean(&told),
       "... of one grain");
    must(tweed_pool_progress(pool, NULL, NULL));
}

static void test_inner_alone(tweed_pool *pool)
{
    tweed_pool *of_one = pool_of(1);

    test_inner(pool, of_one, "... but not one inside another");
    tweed_pool_destroy(of_one);
}

/* What a loop of two dimensions counts. */
struct plane {
    struct told *told;
    uint64_t total;
};

static void wait_for_total(struct plane *p)
{
    while (p->told->calls < 3)
        nap_us(1000);
    p->total = p->told->total;
}

static void wait_in_tile(const tweed_tile *t, void *arg)
{
    if (t->lo[0] == 0 && t->lo[1] == 0)
        wait_for_total(arg);
}

static void add(void *into, const void *from, void *arg)
{
    (void)arg;
    *(long *)into += *(const long *)from;
}

static void count(int64_t begin, int64_t end, void *sum, void *arg)
{
    if (begin == 0)
        wait_for_total(arg);
    *(long *)sum += (long)(end - begin);
}

static void test_totals(tweed_pool *pool)
{
    struct told told = { .name = "total" };
    struct plane p = { &told, 0 };
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    tweed_reduction r = TWEED_REDUCTION_INIT;
    tweed_space space = tweed_space_2d(0, 30, 0, 20);
    const long none = 0;
    long sum = 0;

    o.name = "total";
    must(tweed_pool_progress(pool, hear_total, &told));
    must(tweed_parallel_for_tiles(pool, &o, &space, wait_in_tile, &p));
    ok(p.total == 600, "two dimensions: %d indices", (int)p.total);
    told.calls = 0;
    o.tile[0] = o.tile[1] = 7;
    must(tweed_parallel_for_tiles(pool, &o, &space, wait_in_tile, &p));
    ok(p.total == 15, "... in tiles that are given: %d tiles", (int)p.total);
    told.calls = 0;
    r.element_size = sizeof sum;
    r.alignment = sizeof sum;
    r.identity = &none;
    r.body = count;
    r.combine = add;
    must(tweed_parallel_reduce_with(pool, &o, 0, 5000, &r, &p, &sum));
    ok(p.total == 5000 && sum == 5000, "a reduction: %d indices", (int)p.total);
    must(tweed_pool_progress(pool, NULL, NULL));
}

struct two {
    atomic_int a, b;
};

static void hear_two(const tweed_progress *p, void *arg)
{
    struct two *t = arg;

    t->a += strcmp(p->name, "a") == 0;
    t->b += strcmp(p->name, "b") == 0;
}

static void wait_for_both(int64_t i, void *arg)
{
    struct two *t = arg;

    (void)i;
    while (t->a < 3 || t->b < 3)
        nap_us(1000);
}

static void *run_b(void *arg)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    o.name = "b";
    return tweed_parallel_for_with(NULL, &o, 0, 10, wait_for_both, arg) == TWEED_OK
               ? arg
               : NULL;
}

/* On two pools, at the same time. */
static void test_two(tweed_pool *pool)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    struct two two = { 0, 0 };
    pthread_t thread;
    void *result = NULL;

    o.name = "a";
    must(tweed_pool_progress(pool, hear_two, &two));
    must(tweed_pool_progress(NULL, hear_two, &two));
    must(pthread_create(&thread, NULL, run_b, &two));
    must(tweed_parallel_for_with(pool, &o, 0, 10, wait_for_both, &two));
    pthread_join(thread, &result);
    ok(result == &two, "two loops at a time, on two pools");
    must(tweed_pool_progress(NULL, NULL, NULL));
    must(tweed_pool_progress(pool, NULL, NULL));
}

/* ---- what the function may do ---- */

static tweed_token token;
static atomic_int in_call, calls_after, loops_in_call;

static void set_token(const tweed_progress *p, void *arg)
{
    hear(p, arg);
    tweed_token_set(&token);
}

static void test_stop(tweed_pool *pool)
{
    struct told told = { .name = "stopped" };
    struct loop l = { .told = &told, .pool = pool, .hold = 30, .for_calls = 1,
                      .token = &token };

    must(tweed_pool_progress(pool, set_token, &told));
    ok(run(&l, "stopped") == TWEED_ESTOPPED, "it may stop the loop");
    await_end(&told);
    ok(told.ended == 1 && told.done <= told.total, "... which has an end all the same");
    must(tweed_pool_progress(pool, NULL, NULL));
    must(tweed_pool_progress(pool, NULL, NULL));
}

static void run_loops(const tweed_progress *p, void *arg)
{
    loops_in_call += loops_are_right(NULL, 500) && loops_are_right(arg, 500);
    calls_after++;
    if (loops_in_call == 3)
        must(tweed_pool_progress(arg, NULL, NULL));
    (void)p;
}

static void wait_for_loops(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
    while (loops_in_call < 3)
        nap_us(1000);
}

static void test_loops(tweed_pool *pool)
{
    struct told told = { .name = "other" };
    struct loop l = { .told = &told, .hold = 0, .for_calls = 3 };

    must(tweed_pool_progress(pool, run_loops, pool));
    must(tweed_parallel_for_with(pool, NULL, 0, 10, wait_for_loops, NULL));
    ok(loops_in_call == 3, "it may run loops");
    must(tweed_pool_progress(NULL, hear, &told)); /* ... for some time */
    ok(run(&l, "other") == TWEED_OK && calls_after == 3,
       "... and end the calls, for good");
    must(tweed_pool_progress(NULL, NULL, NULL));
}

static void linger(const tweed_progress *p, void *arg)
{
    (void)arg;
    (void)p;
    in_call = 1;
    for (int i = 0; i < 50; i++)
        nap_us(1000);
    in_call = 2;
}

static void wait_for_call(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
    while (!in_call)
        nap_us(1000);
}

static void test_waits(void)
{
    int good;
    tweed_pool *pool = pool_of(2);

    must(tweed_pool_progress(pool, linger, NULL));
    must(tweed_parallel_for_with(pool, NULL, 0, 4, wait_for_call, NULL));
    must(tweed_pool_progress(pool, NULL, NULL));
    good = in_call == 2;
    in_call = 0;
    must(tweed_pool_progress(pool, linger, NULL));
    must(tweed_parallel_for_with(pool, NULL, 0, 4, wait_for_call, NULL));
    must(tweed_pool_destroy(pool));
    ok(good && in_call == 2, "a call that runs has returned before it is ended, and "
                             "before the pool is destroyed");
    ok(tweed_pool_progress(pool, linger, NULL) == TWEED_ENOPOOL, "no pool any more");
}

/* ---- loops that are cut, and many ---- */

static atomic_int cut_calls, cut_wrong;
static _Atomic uint64_t cut_total;

static void hear_cut(const tweed_progress *p, void *arg)
{
    (void)arg;
    cut_wrong += p->done > p->total || p->total > INDICES;
    cut_total = p->total;
    cut_calls++;
}

/* The loop is stopped, and goes on for some calls. */
static void stop_early(int64_t i, void *arg)
{
    (void)arg;
    if (i > 0)
        return;
    while (cut_calls < 3)
        nap_us(1000);
    (void)tweed_parallel_stop();
    while (cut_calls < 6)
        nap_us(1000);
}

static void test_cut(tweed_pool *pool)
{
    must(tweed_pool_progress(pool, hear_cut, NULL));
    ok(tweed_parallel_for_with(pool, NULL, 0, INDICES, stop_early, NULL) ==
               TWEED_ESTOPPED &&
           !cut_wrong && cut_total < INDICES,
       "a loop that was stopped has less to do, and is never more than done");
    must(tweed_pool_progress(pool, NULL, NULL));
}

#define MANY 20
#define MOST_TOLD 16 /* of lib/view/progress.c */

static atomic_int of_many[MANY], many_begun, many_calls;
static tweed_pool *many_pool;

static void hear_many(const tweed_progress *p, void *arg)
{
    (void)arg;
    of_many[atoi(p->name) % MANY]++;
    many_calls += many_begun == MANY; /* all are there to be told of */
}

static void wait_for_many(int64_t i, void *arg)
{
    (void)arg;
    many_begun += i == 0;
    while (many_calls < 5 * MOST_TOLD)
        nap_us(1000);
}

static void *run_one_of_many(void *arg)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    o.name = arg;
    must(tweed_parallel_for_with(many_pool, &o, 0, 2, wait_for_many, NULL));
    return NULL;
}

static void test_many(tweed_pool *pool)
{
    pthread_t threads[MANY];
    char names[MANY][8];
    int told = 0;

    many_pool = pool;
    must(tweed_pool_progress(pool, hear_many, NULL));
    for (int k = 0; k < MANY; k++) {
        snprintf(names[k], sizeof names[k], "%d", k);
        must(pthread_create(&threads[k], NULL, run_one_of_many, names[k]));
    }
    for (int k = 0; k < MANY; k++)
        pthread_join(threads[k], NULL);
    must(tweed_pool_progress(pool, NULL, NULL));
    for (int k = 0; k < MANY; k++)
        told += of_many[k] > 0;
    ok(told >= MOST_TOLD && told < MANY, "of %d loops at once some are told of: %d", MANY, told);
}

/* ---- without a thread, or time ---- */

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __real_nanosleep(const struct timespec *, struct timespec *);
int __wrap_nanosleep(const struct timespec *, struct timespec *);

static atomic_int no_thread, no_sleep, refused;

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                          void *(*fn)(void *), void *arg)
{
    return no_thread ? EAGAIN : __real_pthread_create(thread, attr, fn, arg);
}

/* The thread that reports sleeps ten times a second.  Here this is refused to it, or it
   sleeps a tenth of that. */
int __wrap_nanosleep(const struct timespec *t, struct timespec *left)
{
    const struct timespec tenth = { 0, t->tv_nsec / 10 };

    if (t->tv_nsec != 100000000)
        return __real_nanosleep(t, left);
    if (!no_sleep)
        return __real_nanosleep(&tenth, left);
    refused++;
    errno = ENOSYS;
    return -1;
}

static void last_for_some(int64_t i, void *arg)
{
    (void)arg;
    for (int k = 0; i == 0 && k < 300; k++)
        nap_us(1000);
}

static void test_refused(void)
{
    struct told told = { .name = "untold" };
    struct loop l = { .told = &told, .hold = 30, .for_calls = 1 };
    tweed_pool *pool = pool_named(2, "untold");

    no_thread = 1;
    must(tweed_pool_progress(pool, hear, &told));
    no_thread = 0;
    must(tweed_parallel_for_with(pool, NULL, 0, 10, last_for_some, NULL));
    ok(told.calls + told.others == 0, "no thread to report: nothing is told");
    no_sleep = 1;
    must(tweed_pool_progress(pool, hear, &told));
    while (!refused)
        nap_us(1000);
    must(tweed_parallel_for_with(pool, NULL, 0, 10, last_for_some, NULL));
    ok(told.calls + told.others == 0 && refused == 1, "... that cannot sleep: the same");
    must(tweed_pool_destroy(pool));
    no_sleep = 0;
    l.pool = pool = pool_of(2);
    must(tweed_pool_progress(pool, hear, &told));
    ok(run(&l, "untold") == TWEED_OK && told.calls > 0, "but the next pool is told of");
    must(tweed_pool_destroy(pool));
}

static tweed_pool *ending_pool;
static atomic_int pool_ended;

static void end_pool(const tweed_progress *p, void *arg)
{
    (void)arg;
    if (p->ended)
        pool_ended = tweed_pool_destroy(ending_pool) == TWEED_OK ? 1 : -1;
}

static void test_ends_pool(void)
{
    ending_pool = pool_of(2);
    must(tweed_pool_progress(ending_pool, end_pool, NULL));
    must(tweed_parallel_for_with(ending_pool, NULL, 0, 10, last_for_some, NULL));
    while (!pool_ended)
        nap_us(1000);
    ok(pool_ended == 1, "the function may end its pool, when the loop is over");
}

/* ---- processes ---- */

static int in_child(void *arg)
{
    struct loop *l = arg;

    l->told->calls = l->told->ended = 0;
    l->told->done = 0;
    return run(l, "smooth") != TWEED_OK || l->told->calls < l->for_calls ||
           tweed_pool_destroy(l->pool) != TWEED_OK;
}

static void test_fork(tweed_pool *pool)
{
    struct told told = { .name = "smooth" };
    struct loop l = { .told = &told, .pool = pool, .hold = 30, .for_calls = 3 };

    if (TWEED_HAVE_TSAN) {
        skip(1, "ThreadSanitizer forbids threads in the child of a process that has "
                "some");
        return;
    }
    must(tweed_pool_progress(pool, hear, &told));
    must(run(&l, "smooth"));
    ok(child_exited(child_run(in_child, &l), 0), "in a child of fork(), too");
    must(tweed_pool_progress(pool, NULL, NULL));
}

int main(void)
{
    tweed_pool *pool, *other;

    unsetenv("TWEED_PROGRESS");
    setenv("TWEED_NUM_WORKERS", "3", 1);
    plan(30);
    watchdog();
    test_refused();
    test_ends_pool();
    pool = pool_of(2);
    other = pool_named(2, "other");
    test_calls(pool);
    test_exact(pool);
    test_never_less(pool);
    test_inner(pool, pool, "loops inside are not told of");
    test_inner(pool, other, "... nor those on another pool");
    test_alone(pool);
    test_block(pool);
    test_inner_alone(pool);
    test_totals(pool);
    test_two(pool);
    test_stop(pool);
    test_loops(pool);
    test_cut(pool);
    test_many(pool);
    test_waits();
    test_fork(pool);
    tweed_pool_destroy(pool);
    tweed_pool_destroy(other);
    ok(loops_are_right(NULL, COUNT_MOST), "and loops are right");
    return done_testing();
}

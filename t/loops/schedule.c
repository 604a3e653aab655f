/*
 * schedule.c - static loops: the same index on the same worker, always.
 *
 * SPDX-License-Identifier: MIT
 *
 * t/loops/weights.c has shares by weight, and all options together.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "range/deal.h"
#include "forms.h"
#include "meet.h"

#include <string.h>

#define N 1000
#define WORKERS 4

static atomic_uchar count[N];
static int ran_on[N];            /* by which worker */
static int64_t turn[N];          /* the how manieth of its worker */
static int64_t turns[WORKERS];   /* of worker w: written by that alone */
static atomic_int bad;

static tweed_pool *pool;

static tweed_loop_options statically(void)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    o.schedule = TWEED_SCHEDULE_STATIC;
    return o;
}

static void each(int64_t i, void *arg)
{
    int w = tweed_worker_index();

    (void)arg;
    atomic_fetch_add(&count[i], 1);
    if (w < 0 || w >= WORKERS) {
        atomic_store(&bad, 1);
        return;
    }
    ran_on[i] = w;
    turn[i] = turns[w]++;
}

/* Indices [0, n) once each, and no others. */
static int counted(int n)
{
    int good = !atomic_exchange(&bad, 0);

    for (int i = 0; i < N; i++)
        good &= atomic_exchange(&count[i], 0) == (i < n);
    memset(turns, 0, sizeof turns);
    return good;
}

/* The share of each worker, of so many, is what it ought to be. */
static int dealt(int n, int64_t grain, int workers)
{
    uint32_t blocks = partition_blocks((uint64_t)n, (uint64_t)grain);
    uint32_t places = blocks < (uint32_t)workers ? blocks : (uint32_t)workers;
    int good = 1;

    for (uint32_t w = 0; w < places; w++)
        for (int64_t b = partition_begin(blocks, w, places);
             b < (int64_t)partition_begin(blocks, w + 1, places); b++)
            for (int64_t i = b * grain; i < (b + 1) * grain && i < n; i++)
                good &= ran_on[i] == (int)w;
    return good;
}

/* ---- static ---- */

static int all_calls(const tweed_loop_options *o, int n)
{
    int64_t grain = o->grain ? o->grain : 1;
    int workers = o->max_workers ? o->max_workers : WORKERS, good = 1;

    for (int f = 0; f < PLAIN_FORMS; f++) {
        good &= run_form(f, pool, o, 0, n, each, NULL) == TWEED_OK;
        good &= counted(n) && dealt(n, grain, workers);
    }
    return good;
}

static void test_shares(void)
{
    static const int sizes[] = { 1, 2, 3, 4, 5, 17, 100, 999, N };
    tweed_loop_options o = statically();
    int good = 1;

    for (int again = 0; again < 20; again++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            good &= all_calls(&o, sizes[s]);
    ok(good, "the same shares on the same workers");
    good = 1;
    for (o.max_workers = 1; o.max_workers <= WORKERS; o.max_workers++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            good &= all_calls(&o, sizes[s]);
    ok(good, "max_workers: the first workers of the pool");
    good = 1;
    o.max_workers = 0;
    for (o.grain = 1; o.grain < 400; o.grain = o.grain * 2 + 1)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            good &= all_calls(&o, sizes[s]);
    ok(good, "grain: blocks stay together");
}

/* Long in the caller's share: thieves would have the time to come. */
static void slow_on_0(int64_t i, void *arg)
{
    each(i, arg);
    if (tweed_worker_index() == 0)
        nap_us(200);
}

static void test_thieves(void)
{
    tweed_loop_options o = statically();
    uint64_t before = steals(pool);
    int good = 1;

    for (int again = 0; again < 5; again++) {
        good &= tweed_parallel_for_with(pool, &o, 0, 200, slow_on_0, NULL) == TWEED_OK;
        good &= counted(200) && dealt(200, 1, WORKERS);
    }
    ok(good && steals(pool) == before, "nothing is stolen, however long a worker is");
}

static void test_monotonic(void)
{
    tweed_loop_options o = statically();
    int good = 1;

    must(tweed_parallel_for_with(pool, &o, 0, N, each, NULL));
    good &= counted(N);
    for (int i = 1; i < N; i++)
        good &= ran_on[i] != ran_on[i - 1] || turn[i] == turn[i - 1] + 1;
    ok(good, "a worker goes upwards through its share");
}

/* ---- workers that are elsewhere ---- */

struct call {
    pthread_t thread;
    atomic_int over;
    int code;
};

static void *call_main(void *arg)
{
    tweed_loop_options o = statically();
    struct call *c = arg;

    c->code = tweed_parallel_for_with(pool, &o, 0, N, each, NULL);
    atomic_store(&c->over, 1);
    return NULL;
}

static void test_busy(void)
{
    struct occupier busy;
    struct call call = { .code = 1 };
    int n = 0, good;

    occupy(&busy, pool);
    if (pthread_create(&call.thread, NULL, call_main, &call) != 0)
        bail_out("no thread");
    while (n < N / WORKERS) { /* the caller's share */
        n = 0;
        for (int i = 0; i < N; i++)
            n += atomic_load(&count[i]);
        nap_us(100);
    }
    nap_us(5000);
    good = !atomic_load(&call.over);
    occupier_end(&busy);
    pthread_join(call.thread, NULL);
    ok(good && call.code == TWEED_OK && counted(N) && dealt(N, 1, WORKERS),
       "workers that are busy elsewhere execute their shares when they come");
}

static void stop_at_0(int64_t i, void *arg)
{
    each(i, arg);
    if (i == 0)
        must(tweed_parallel_stop());
}

static void test_stop(void)
{
    tweed_outcome came = TWEED_OUTCOME_INIT;
    tweed_loop_options o = statically();
    struct occupier busy;
    int code;

    o.outcome = &came;
    occupy(&busy, pool);
    code = tweed_parallel_for_with(pool, &o, 0, N, stop_at_0, NULL);
    ok(code == TWEED_ESTOPPED && came.ran == 1 && counted(1),
       "a stop takes the shares of workers that have not come");
    occupier_end(&busy);
}

/* The pool's threads sleep at once: each loop has to wake all of them. */
static void test_sleepers(void)
{
    tweed_loop_options o = statically();
    tweed_pool *before = pool;
    int good = 1;

    pool = pool_with((tweed_pool_options){ .num_workers = WORKERS, .spin_ns = -1 });
    for (int again = 0; again < 300; again++) {
        good &= tweed_parallel_for_with(pool, &o, 0, 50, each, NULL) == TWEED_OK;
        good &= counted(50) && dealt(50, 1, WORKERS);
        if (again % 10 == 0)
            nap_us(1000);
    }
    must(tweed_pool_destroy(pool));
    pool = before;
    ok(good, "sleepers that own a share are woken, all of them");
}

/* ---- beside other loops ---- */

static atomic_int over;

static void *flood(void *arg)
{
    while (!atomic_load(&over))
        must(tweed_parallel_for_with(pool, arg, 0, 64, empty_body, NULL));
    return NULL;
}

static void test_crowd(void)
{
    tweed_loop_options plain = TWEED_LOOP_OPTIONS_INIT, o = statically();
    pthread_t others[4];
    int good = 1;

    atomic_store(&over, 0);
    for (int k = 0; k < 4; k++)
        if (pthread_create(&others[k], NULL, flood, k % 2 ? &plain : &o) != 0)
            bail_out("no thread");
    for (int again = 0; again < 50; again++) {
        good &= tweed_parallel_for_with(pool, &o, 0, N, each, NULL) == TWEED_OK;
        good &= counted(N) && dealt(N, 1, WORKERS);
    }
    atomic_store(&over, 1);
    for (int k = 0; k < 4; k++)
        pthread_join(others[k], NULL);
    ok(good, "among loops without end, static ones too, each share's turn comes");
}

/* 64 callers, each with one block in its body. */
#define SLOTS 64
static atomic_int inside, leave;

static void hold(int64_t i, void *arg)
{
    (void)i, (void)arg;
    if (tweed_worker_index() == 0) /* the caller */
        atomic_fetch_add(&inside, 1);
    while (!atomic_load(&leave))
        nap_us(200);
}

static void *hold_main(void *arg)
{
    (void)arg;
    must(tweed_parallel_for_with(pool, NULL, 0, 2, hold, NULL));
    return NULL;
}

static void test_no_slot(void)
{
    tweed_outcome came = { sizeof came, 7, 7, 7 };
    tweed_loop_options o = statically();
    pthread_t callers[SLOTS];
    int code, alone;

    for (int k = 0; k < SLOTS; k++)
        if (pthread_create(&callers[k], NULL, hold_main, NULL) != 0)
            bail_out("no thread");
    while (atomic_load(&inside) < SLOTS) /* each is in its loop */
        nap_us(200);
    o.outcome = &came;
    code = tweed_parallel_for_with(pool, &o, 0, N, each, NULL);
    ok(code == TWEED_EBUSY && came.code == 7 && counted(0),
       "the 65th loop at the same time: TWEED_EBUSY");
    o.max_workers = 1;
    alone = tweed_parallel_for_with(pool, &o, 0, N, each, NULL);
    ok(alone == TWEED_OK && came.ran == N && counted(N) && dealt(N, 1, 1),
       "... but if all of it is the caller's share it is run");
    atomic_store(&leave, 1);
    for (int k = 0; k < SLOTS; k++)
        pthread_join(callers[k], NULL);
}

/* ---- a call of several loops ---- */

static pthread_t holder[SLOTS];
static int held; /* slots, each by a loop of its caller alone */

static void *hold_alone(void *arg)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    (void)arg;
    o.max_workers = 1;
    must(tweed_parallel_for_with(pool, &o, 0, 1, hold, NULL));
    return NULL;
}

static void hold_slots(int n)
{
    for (; held < n; held++)
        if (pthread_create(&holder[held], NULL, hold_alone, NULL) != 0)
            bail_out("no thread");
    while (atomic_load(&inside) < held)
        nap_us(200);
}

static void release_slots(void)
{
    atomic_store(&leave, 1);
    for (int k = 0; k < held; k++)
        pthread_join(holder[k], NULL);
    held = 0;
}

static _Thread_local int no_memory;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    return no_memory ? NULL : __real_malloc(size);
}

/* Between two loops of the call nothing but this is called outside of a body. */
static void add(int64_t *into, const int64_t *from)
{
    if (tweed_worker_index() < 0) {
        no_memory = 0;
        hold_slots(SLOTS);
    }
    *into += *from;
}

static int64_t sums[N];

TWEED_SCAN(int64_t, sum_up, 0, add, sum, writes, i)
{
    sum[0] += i;
    if (!writes)
        return;
    atomic_fetch_add(&count[i], 1);
    sums[i] = sum[0];
}

#define MANY 100000 /* more elements than lie on the stack */

TWEED_REDUCE(int64_t, count_up, 0, add, sum, i, atomic_uchar *, times)
{
    atomic_fetch_add(&times[i], 1);
    sum[0] += i;
}

static void test_reduction(void)
{
    static atomic_uchar times[MANY];
    tweed_loop_options o = statically();
    int64_t sum = 0;
    int code, good = 1;

    o.grain = 1;
    atomic_store(&inside, 0);
    atomic_store(&leave, 0);
    hold_slots(SLOTS - 1);
    no_memory = 1;
    code = count_up_with(pool, &o, 0, MANY, times, &sum);
    no_memory = 0;
    for (int i = 0; i < MANY; i++)
        good &= times[i] == 1;
    ok(code == TWEED_OK && good && held == SLOTS && sum == (int64_t)MANY * (MANY - 1) / 2,
       "a reduction without memory, which is several loops, is not refused either");
    release_slots();
}

/* The first loop takes the last slot that is free, and leaves it. */
static void test_scan(void)
{
    tweed_loop_options o = statically();
    int64_t sum = 0;
    int code, good;

    atomic_store(&inside, 0);
    atomic_store(&leave, 0);
    hold_slots(SLOTS - 1);
    code = sum_up_with(pool, &o, 0, N, &sum);
    good = held == SLOTS && sum == (int64_t)N * (N - 1) / 2;
    for (int i = 0; i < N; i++)
        good &= sums[i] == (int64_t)i * (i + 1) / 2;
    ok(code == TWEED_OK && good && counted(N),
       "a scan that has begun is not refused: its second loop is shared");
    ok(sum_up_with(pool, &o, 0, N, &sum) == TWEED_EBUSY && counted(0),
       "... but one whose first loop finds no slot: TWEED_EBUSY");
    release_slots();
}

/* ---- in bodies ---- */

static tweed_pool *inner_pool;
static atomic_int refused;

static void start_inner(int64_t i, void *arg)
{
    tweed_loop_options o = statically();

    (void)i, (void)arg;
    if (tweed_parallel_for_with(inner_pool, &o, 0, N, each, NULL) == TWEED_ENESTED)
        atomic_fetch_add(&refused, 1);
}

static void test_nested(void)
{
    tweed_loop_options o = statically();
    tweed_pool *other = pool_of(2), *alone = pool_of(1);

    inner_pool = pool;
    must(tweed_parallel_for_with(pool, NULL, 0, 100, start_inner, NULL));
    must(tweed_parallel_for_with(pool, &o, 0, 100, start_inner, NULL));
    ok(atomic_exchange(&refused, 0) == 200 && counted(0), "in a body: TWEED_ENESTED");
    inner_pool = other;
    must(tweed_parallel_for_with(pool, NULL, 0, 100, start_inner, NULL));
    must(tweed_parallel_for_with(alone, NULL, 0, 100, start_inner, NULL));
    ok(atomic_exchange(&refused, 0) == 200 && counted(0), "... of another pool's loop");
    must(tweed_pool_destroy(other));
    must(tweed_pool_destroy(alone));
}

static void inner_plain(int64_t i, void *arg)
{
    (void)i, (void)arg;
    must(tweed_parallel_for_with(pool, NULL, 0, 8, empty_body, NULL));
}

static void outer(int64_t i, void *arg)
{
    each(i, arg);
    inner_plain(i, arg);
}

static void test_inner(void)
{
    tweed_loop_options o = statically();
    int good = 1;

    for (int again = 0; again < 20; again++) {
        good &= tweed_parallel_for_with(pool, &o, 0, 100, outer, NULL) == TWEED_OK;
        good &= counted(100) && dealt(100, 1, WORKERS);
    }
    ok(good, "bodies of a static loop start loops that are not");
}

int main(void)
{
    plan(17);
    watchdog();
    pool = pool_of(WORKERS);
    test_shares();
    test_thieves();
    test_monotonic();
    test_busy();
    test_stop();
    test_sleepers();
    test_crowd();
    test_no_slot();
    test_scan();
    test_reduction();
    test_nested();
    test_inner();
    must(tweed_pool_destroy(pool));
    return done_testing();
}

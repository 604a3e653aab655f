/*
 * straggler.c - a worker that dozes through the end of its loop has no part in the
 * next one, where it has no place.
 *
 * SPDX-License-Identifier: MIT
 *
 * The worker is held where it has joined the first loop and has not claimed its
 * share.  When it goes on, the second loop, on two other workers, runs.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "pools.h"

#include "pool/pool.h"

#define WORKERS 8
#define LATE 7
#define INDICES 64

bool __real_tweed__range_claim(struct tweed__owner *o);
bool __wrap_tweed__range_claim(struct tweed__owner *o);
void __real_tweed__counts_sleep(struct tweed__worker *w);
void __wrap_tweed__counts_sleep(struct tweed__worker *w);

static atomic_int armed;     /* the next join of the late one is to be held */
static atomic_int dozes;     /* it is held */
static atomic_int go_on;     /* and may go on */
static atomic_int is_back;   /* it is in no loop any more */
static atomic_int in_second; /* the second loop runs */
static atomic_int intruded;  /* the late one has executed an index of that */
static atomic_uchar count[INDICES];

static bool is_late(void)
{
    return tweed__self.worker && tweed__self.worker->index == LATE;
}

bool __wrap_tweed__range_claim(struct tweed__owner *o)
{
    if (is_late() && atomic_exchange(&armed, 0)) {
        atomic_store(&dozes, 1);
        while (!atomic_load(&go_on))
            nap_us(20);
    }
    return __real_tweed__range_claim(o);
}

void __wrap_tweed__counts_sleep(struct tweed__worker *w)
{
    if (is_late() && atomic_load(&go_on))
        atomic_store(&is_back, 1);
    __real_tweed__counts_sleep(w);
}

/* In the second loop by one who still takes it for the first. */
static void first(int64_t i, void *arg)
{
    (void)arg;
    atomic_fetch_add(&count[i], 1);
    if (atomic_load(&in_second))
        atomic_store(&intruded, 1);
    while (!atomic_load(&dozes))
        nap_us(20);
}

static void second(int64_t i, void *arg)
{
    (void)arg;
    atomic_fetch_add(&count[i], 1);
    atomic_store(&go_on, 1);
    if (tweed_worker_index() == LATE) {
        atomic_store(&intruded, 1);
        atomic_store(&is_back, 1);
    }
    while (!atomic_load(&is_back))
        nap_us(20);
}

static int once(void)
{
    int good = 1;

    for (int i = 0; i < INDICES; i++)
        good &= atomic_exchange(&count[i], 0) == 1;
    return good;
}

int main(void)
{
    tweed_pool *pool = pool_with((tweed_pool_options){ .num_workers = WORKERS,
                                                       .spin_ns = -1 });
    tweed_loop_options two = { .size = sizeof two, .max_workers = 2 };
    int good = 1, alone = 1;

    plan(2);
    watchdog();
    for (int r = 0; r < 20; r++) {
        atomic_store(&dozes, 0);
        atomic_store(&go_on, 0);
        atomic_store(&is_back, 0);
        atomic_store(&armed, 1);
        must(tweed_parallel_for_with(pool, NULL, 0, INDICES, first, NULL));
        good &= once();
        nap_us(1000); /* the others leave it */
        atomic_store(&in_second, 1);
        must(tweed_parallel_for_with(pool, &two, 0, INDICES, second, NULL));
        atomic_store(&in_second, 0);
        good &= once();
        alone &= !atomic_load(&intruded);
    }
    ok(good, "a worker sleeps through the end of its loop: each index once");
    ok(alone, "and has no part in the next loop, where it has no place");
    tweed_pool_destroy(pool);
    return done_testing();
}

/*
 * destroy.c - a pool that runs a loop is not destroyed; one that was is no pool.
 *
 * SPDX-License-Identifier: MIT
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "pool/pool.h"
#include "loop/slot.h"

#include "child.h"
#include "pools.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define INDICES 500
#define CROWD 8

/* One loop in which somebody tries to destroy a pool. */
struct attempt {
    tweed_pool *victim;
    int worker;  /* where: 1 on a worker, 0 on the caller */
    int meet;    /* the first two bodies wait for each other */
    atomic_int arrived, result, tries;
    tweed_pool *inner; /* the body runs a loop there, whose body tries */
    atomic_uchar count[INDICES];
};

static void try_it(struct attempt *a)
{
    a->result = tweed_pool_destroy(a->victim);
    a->tries++;
}

static void try_inside(int64_t i, void *arg)
{
    struct attempt *a = arg;

    if (i == 1 && a->tries == 0)
        try_it(a);
}

static void body(int64_t i, void *arg)
{
    struct attempt *a = arg;

    a->count[i]++;
    if (a->meet)
        for (a->arrived++; a->arrived < 2;)
            sched_yield();
    if ((tweed_worker_index() > 0) != a->worker || a->tries)
        return;
    if (a->inner)
        must(tweed_parallel_for_with(a->inner, NULL, 0, 100, try_inside, a));
    else
        try_it(a);
}

/* The result of destroying victim in a loop on pool; 1 if the loop went wrong. */
static int attempt(tweed_pool *pool, tweed_pool *victim, int worker, int limit,
                   tweed_pool *inner)
{
    struct attempt a = { .victim = victim, .worker = worker, .inner = inner };
    tweed_loop_options o = { .size = sizeof o, .max_workers = limit };

    a.meet = limit != 1;
    if (tweed_parallel_for_with(pool, &o, 0, INDICES, body, &a) != TWEED_OK ||
        a.tries == 0)
        return 1;
    for (int i = 0; i < INDICES; i++)
        if (a.count[i] != 1)
            return 1;
    return a.result;
}

static int usable(tweed_pool *pool)
{
    return tweed_pool_num_workers(pool) == 2 && loops_are_right(pool, 1000);
}

/* ---- from other threads, while main holds a loop open ---- */

struct crowd {
    tweed_pool *pool;
    atomic_int running, results[1 - TWEED_ENOPOOL]; /* by code */
};

static void *destroy_it(void *arg)
{
    struct crowd *c = arg;

    while (!c->running)
        sched_yield();
    c->results[-tweed_pool_destroy(c->pool)]++;
    return NULL;
}

static void hold(int64_t i, void *arg)
{
    struct crowd *c = arg;

    c->running = 1;
    if (i == 0) /* until all have had their answer */
        while (c->results[-TWEED_EBUSY] + c->results[-TWEED_ENOPOOL] +
                   c->results[-TWEED_OK] < CROWD)
            sched_yield();
}

/* Many threads destroy one pool, with or without a loop on it. */
static int crowd(struct crowd *c, int with_loop)
{
    pthread_t threads[CROWD];
    int code = TWEED_OK;

    for (int i = 0; i < CROWD; i++)
        if (pthread_create(&threads[i], NULL, destroy_it, c) != 0)
            return 0;
    if (with_loop)
        code = tweed_parallel_for_with(c->pool, NULL, 0, 10, hold, c);
    c->running = 1;
    for (int i = 0; i < CROWD; i++)
        pthread_join(threads[i], NULL);
    return code == TWEED_OK;
}

/* Two pools, a body of each of which destroys the other. */
static void destroy_other(int64_t i, void *arg)
{
    struct attempt *a = arg;

    (void)i;
    for (a->arrived++; a->arrived < 2;)
        sched_yield();
    if (tweed_worker_index() == 0)
        a->result = tweed_pool_destroy(a->victim);
    a->tries++;
    while (a->tries < 2)
        sched_yield();
}

/* ---- from another thread, while main runs a loop alone ---- */

struct alone {
    tweed_pool *pool;
    atomic_int running, answered, result;
    atomic_uchar count[INDICES];
};

static void *destroy_once(void *arg)
{
    struct alone *a = arg;

    while (!a->running)
        sched_yield();
    a->result = tweed_pool_destroy(a->pool);
    a->answered = 1;
    return NULL;
}

static void hold_alone(int64_t i, void *arg)
{
    struct alone *a = arg;

    a->count[i]++;
    a->running = 1;
    while (!a->answered)
        sched_yield();
}

static int alone(tweed_pool *pool, int n, int limit)
{
    struct alone a = { .pool = pool };
    tweed_loop_options o = { .size = sizeof o, .max_workers = limit };
    pthread_t thread;
    int good;

    if (pthread_create(&thread, NULL, destroy_once, &a) != 0)
        return 0;
    good = tweed_parallel_for_with(pool, &o, 0, n, hold_alone, &a) == TWEED_OK;
    pthread_join(thread, NULL);
    for (int i = 0; i < INDICES; i++)
        good &= a.count[i] == (i < n);
    return good && a.result == TWEED_EBUSY &&
           loops_are_right(pool, COUNT_MOST);
}

static int alone_on_one(void)
{
    tweed_pool *one = pool_of(1);

    return one && alone(one, INDICES, 0) && alone(one, 1, 0) &&
           tweed_pool_destroy(one) == TWEED_OK;
}

/* As many loops as there are slots, of a thread each; the next one gets none, and
   is the only one left when somebody tries. */
#define SLOTS 64

struct slots {
    tweed_pool *pool;
    atomic_int held, release, wrong;
    pthread_t threads[SLOTS];
    struct alone last;
};

static void hold_slot(int64_t i, void *arg)
{
    struct slots *s = arg;

    if (i == 0)
        for (s->held++; !s->release;)
            usleep(100);
}

static void *take_slot(void *arg)
{
    struct slots *s = arg;

    s->wrong += tweed_parallel_for_with(s->pool, NULL, 0, 2, hold_slot, s) !=
                TWEED_OK;
    return NULL;
}

static void outlast(int64_t i, void *arg)
{
    struct slots *s = arg;

    if (atomic_exchange(&s->release, 1) == 0)
        for (int k = 0; k < SLOTS; k++)
            pthread_join(s->threads[k], NULL);
    hold_alone(i, &s->last);
}

static int without_slot(tweed_pool *pool)
{
    static struct slots s;
    pthread_t thread;
    int good;

    s.pool = s.last.pool = pool;
    for (int k = 0; k < SLOTS; k++) {
        if (pthread_create(&s.threads[k], NULL, take_slot, &s) != 0)
            exit(1);
        while (s.held <= k)
            usleep(100);
    }
    if (pthread_create(&thread, NULL, destroy_once, &s.last) != 0)
        exit(1);
    good = tweed_parallel_for_with(pool, NULL, 0, INDICES, outlast, &s) ==
           TWEED_OK;
    pthread_join(thread, NULL);
    for (int i = 0; i < INDICES; i++)
        good &= s.last.count[i] == 1;
    return good && s.wrong == 0 && s.last.result == TWEED_EBUSY &&
           loops_are_right(pool, COUNT_MOST);
}

/* ---- a thread that tries again and again ---- */

struct insistent {
    tweed_pool *pool;
    atomic_int stop, tries, others; /* answers that were not: busy */
    int loops, wrong;
};

static void *insist(void *arg)
{
    struct insistent *t = arg;

    for (; !t->stop; t->tries++)
        if (tweed_pool_destroy(t->pool) != TWEED_EBUSY) {
            t->others++;
            break;
        }
    return NULL;
}

/* In a loop on the pool, so that it is never idle while somebody tries: so many
   loops and tries beside each other. */
static void loops_meanwhile(int64_t i, void *arg)
{
    struct insistent *t = arg;
    pthread_t thread;

    if (i != 0)
        return;
    if (pthread_create(&thread, NULL, insist, t) != 0) {
        t->wrong++;
        return;
    }
    for (int n = 0; (n < t->loops || t->tries < t->loops) && !t->others; n++)
        t->wrong += !loops_are_right(t->pool, 1 + n % 10);
    t->stop = 1;
    pthread_join(thread, NULL);
}

static int not_disturbed(tweed_pool *pool, int loops)
{
    struct insistent t = { .pool = pool, .loops = loops };

    return tweed_parallel_for_with(pool, NULL, 0, 2, loops_meanwhile, &t) ==
               TWEED_OK &&
           t.wrong == 0 && t.others == 0 && loops_are_right(pool, COUNT_MOST);
}

/* The moment in which a destroy that will be refused has announced itself and has
   not looked yet: as there, another thread sets the mark under the registry's lock
   (it creates a pool) and takes it back when a loop has met it. */
struct tweed__topology *__real_tweed__topology_get(void);
struct tweed__topology *__wrap_tweed__topology_get(void);
void __real_tweed__slot_release(struct tweed__slot *slot);
void __wrap_tweed__slot_release(struct tweed__slot *slot);

static tweed_pool *_Atomic marked;
static atomic_int is_marked, was_met;

struct tweed__topology *__wrap_tweed__topology_get(void)
{
    tweed_pool *pool = marked;

    if (pool) {
        (void)exchange_seq_cst(&pool->closing, 1);
        is_marked = 1;
        while (!was_met)
            sched_yield();
        store_relaxed(&pool->closing, 0);
    }
    return __real_tweed__topology_get();
}

void __wrap_tweed__slot_release(struct tweed__slot *slot)
{
    __real_tweed__slot_release(slot);
    was_met = 1; /* called by a loop that gives its slot back, unused */
}

static void *create_one(void *arg)
{
    tweed_pool *one = pool_of(1);

    (void)arg;
    marked = NULL;
    was_met = tweed_pool_destroy(one) == TWEED_OK ? 1 : 2;
    return NULL;
}

static int meets_a_refused_one(tweed_pool *pool)
{
    pthread_t thread;
    int good;

    is_marked = was_met = 0;
    marked = pool;
    if (pthread_create(&thread, NULL, create_one, NULL) != 0)
        return 0;
    while (!is_marked)
        sched_yield();
    good = loops_are_right(pool, COUNT_MOST);
    pthread_join(thread, NULL);
    return good && was_met == 1;
}

static int starts_and_ends(int n)
{
    for (int i = 0; i < n; i++) {
        tweed_pool *p = pool_of(1 + i % 5);

        if (!p || (i % 3 && !loops_are_right(p, 10 * (i % 7))) ||
            tweed_pool_destroy(p) != TWEED_OK ||
            tweed_pool_destroy(p) != TWEED_ENOPOOL)
            return 0;
    }
    return 1;
}

int main(void)
{
    tweed_pool *pool = pool_of(2), *other = pool_of(2);
    struct crowd loop = { .pool = pool }, race = { .pool = pool };
    char no_pool[1000] = "";
    int threads;

    plan(24);
    watchdog();
    if (tweed_pool_num_workers(pool) != 2 ||
        tweed_pool_num_workers(other) != 2) {
        skip(24, "no two workers to be had");
        return done_testing();
    }
    ok(attempt(pool, pool, 0, 0, NULL) == TWEED_EBUSY && usable(pool),
       "from a body on the caller: busy, the loop ends right");
    ok(attempt(pool, pool, 1, 0, NULL) == TWEED_EBUSY && usable(pool),
       "from a body on a worker: busy, the loop ends right");
    ok(attempt(pool, pool, 0, 1, NULL) == TWEED_EBUSY && usable(pool),
       "from a body of a serial loop: busy");
    ok(attempt(pool, pool, 0, 0, other) == TWEED_EBUSY && usable(pool),
       "from another pool's loop inside, on the caller: busy");
    ok(attempt(pool, pool, 1, 0, other) == TWEED_EBUSY && usable(pool),
       "from another pool's loop inside, on a worker: busy");
    ok(attempt(pool, pool, 1, 0, pool) == TWEED_EBUSY && usable(pool),
       "from an inner loop on the same pool: busy");
    ok(attempt(NULL, pool, 0, 1, pool) == TWEED_EBUSY && usable(pool),
       "the default pool's body runs a loop on it that tries: busy");
    ok(crowd(&loop, 1) && loop.results[-TWEED_EBUSY] == CROWD && usable(pool),
       "from %d other threads while a loop runs: all busy", CROWD);

    ok(alone(pool, 1, 0), "from another thread in a loop of one block: busy");
    ok(alone(pool, INDICES, 1), "in a loop of one worker: busy");
    ok(alone_on_one(), "in a loop on a pool of one worker: busy");
    ok(without_slot(pool), "in the 65th of 65 loops at once, the 64 having ended: busy");
    ok(meets_a_refused_one(pool),
       "a loop that begins while one is being refused does not fail");
    ok(not_disturbed(pool, rounds(3000)),
       "refused again and again: other loops never fail");

    {
        struct attempt a = { .victim = other }, b = { .victim = pool };

        ok(tweed_parallel_for_with(pool, NULL, 0, 2, destroy_other, &a) ==
                   TWEED_OK &&
               a.result == TWEED_OK && usable(pool),
           "a body may destroy another, idle pool");
        ok(tweed_parallel_for_with(pool, NULL, 0, 2, destroy_other, &b) ==
                   TWEED_OK &&
               b.result == TWEED_EBUSY && usable(pool),
           "but not its own");
    }
    ok(tweed_pool_destroy(other) == TWEED_ENOPOOL, "destroyed before: no pool");

    threads = count_threads();
    ok(crowd(&race, 0) && race.results[-TWEED_OK] == 1 &&
           race.results[-TWEED_ENOPOOL] == CROWD - 1,
       "%d threads destroy an idle pool at once: one does", CROWD);
    ok(tweed_pool_destroy(pool) == TWEED_ENOPOOL, "twice: no pool");
    ok(tweed_pool_destroy(NULL) == TWEED_OK, "NULL: nothing happens");
    ok(tweed_pool_destroy((tweed_pool *)(void *)no_pool) == TWEED_ENOPOOL,
       "some other address: no pool");
    ok(loops_are_right(NULL, 1000) &&
           tweed_pool_destroy(tweed__pool_or_default(NULL)) == TWEED_ENOPOOL &&
           loops_are_right(NULL, 1000),
       "the default pool: none that one may destroy");
    ok(starts_and_ends(200) && loops_are_right(NULL, 1000),
       "200 pools start and end");
    /* a thread that was joined may still be listed for a moment */
    for (int n = 0; n < 10000 && count_threads() >= threads; n++)
        usleep(1000);
    ok(count_threads() < threads, "no threads of theirs are left");
    return done_testing();
}

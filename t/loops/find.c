/*
 * find.c - searches: the lowest index, whoever executes what, and what is above it is
 * passed over.
 *
 * SPDX-License-Identifier: MIT
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "draw.h"
#include "pools.h"
#include "base/tsan.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#define MOST 3000
#define WORKERS 8

void __real_tweed_cursor_found(tweed_cursor *c, int64_t i);
void __wrap_tweed_cursor_found(tweed_cursor *c, int64_t i);

static atomic_int cuts; /* calls that have returned */

void __wrap_tweed_cursor_found(tweed_cursor *c, int64_t i)
{
    __real_tweed_cursor_found(c, i);
    cuts++;
}

struct text {
    int64_t lo;
    unsigned char hit[MOST];
    atomic_uchar count[MOST];
};

static int look(struct text *t, int64_t i)
{
    t->count[i - t->lo]++;
    return t->hit[i - t->lo];
}

TWEED_FIND(first_hit, i, struct text *, t)
{
    return look(t, i);
}

static int look_at(int64_t i, void *arg)
{
    return look(arg, i);
}

/* Where the search is made: lo and what the call is given. */
struct way {
    tweed_pool *pool;
    tweed_loop_options o;
    int64_t lo;
    int by_pointer;
};

static int64_t serial(const struct text *t, int n)
{
    int k = 0;

    while (k < n && !t->hit[k])
        k++;
    return t->lo + k;
}

/* The lowest one is found, all below it have been executed, none twice, and as many as
   is said. */
static int is_found(struct text *t, int n, const struct way *w)
{
    int64_t found = -7, want;
    tweed_outcome all = TWEED_OUTCOME_INIT;
    tweed_loop_options o = w->o;
    uint64_t ran = 0;
    int code, good = 1;

    o.size = sizeof o;
    o.outcome = &all;
    t->lo = w->lo;
    want = serial(t, n);
    for (int k = 0; k < n; k++)
        t->count[k] = 0;
    code = w->by_pointer ? tweed_parallel_find_with(w->pool, &o, w->lo, w->lo + n,
                                                    look_at, t, &found)
                         : first_hit_with(w->pool, &o, w->lo, w->lo + n, t, &found);
    for (int k = 0; k < n; k++) {
        good &= t->count[k] == 1 || (t->count[k] == 0 && t->lo + k > want);
        ran += t->count[k];
    }
    good &= code == TWEED_OK && found == want && all.ran == ran && all.index == want &&
            all.code == (want < t->lo + n);
    if (!good)
        diag("%d indices: found %lld, not %lld, code %d, ran %llu of %llu", n,
             (long long)(found - w->lo), (long long)(want - w->lo), code,
             (unsigned long long)all.ran, (unsigned long long)ran);
    return good;
}

/* One hit at each index, and none, and all from there on. */
static int each_place(const struct way *w, int n)
{
    static struct text t;
    int good = 1;

    for (int from = 0; from <= n; from += 1 + from / 3) {
        memset(t.hit, 0, sizeof t.hit);
        if (from < n)
            t.hit[from] = 1;
        good &= is_found(&t, n, w);
        memset(t.hit + from, 1, (size_t)(n - from));
        good &= is_found(&t, n, w);
    }
    return good;
}

static void places(int workers, int fence, const char *mode)
{
    static const int sizes[] = { 1, 2, 3, 10, 64, 500, MOST };
    struct way w = { .pool = pool_fenced(workers, fence) };
    int good;

    for (w.by_pointer = 0; w.by_pointer <= 1; w.by_pointer++) {
        good = 1;
        for (int k = 0; k < 7; k++) {
            w.o.grain = 0;
            w.lo = 0;
            good &= each_place(&w, sizes[k]);
            w.lo = INT64_MIN;
            w.o.grain = 3;
            good &= each_place(&w, sizes[k]);
            w.lo = INT64_MAX - sizes[k];
            w.o.grain = 0;
            w.o.max_workers = 2;
            good &= each_place(&w, sizes[k]);
            w.o.max_workers = 0;
        }
        ok(good, "%d workers, %s, %s: the lowest hit", workers, mode,
           w.by_pointer ? "by pointer" : "in braces");
    }
    tweed_pool_destroy(w.pool);
}

/* ---- most of the loop is passed over ---- */

#define HUGE INT64_C(200000000)

/* Who is not in the lowest share waits until the loop has been cut. */
static int far_away(int64_t i, void *arg)
{
    atomic_int *calls = arg;

    ++*calls;
    if (i > 1000)
        while (!cuts)
            sched_yield();
    return i == 1000 || i == HUGE - 1;
}

static void passed_over(int workers, int fence, const char *mode)
{
    tweed_pool *pool = pool_fenced(workers, fence);
    tweed_stats s = TWEED_STATS_INIT;
    int64_t found = -1;
    atomic_int calls = 0;

    int code;

    cuts = 0;
    code = tweed_parallel_find_with(pool, NULL, 0, HUGE, far_away, &calls, &found);
    ok(code == TWEED_OK && found == 1000 && calls >= 1001 && calls <= 1001 + 3 * (workers - 1), /* blocks of three */
       "%d workers, %s: of 200 million indices %d are executed", workers, mode, calls);
    must(tweed_stats_get(pool, -1, &s));
    ok(s.indices == (uint64_t)calls && s.slow_takes + s.returns < 1000 &&
           s.steals_near + s.steals_far < 1000,
       "... and the rest is passed over in a few steps");
    tweed_pool_destroy(pool);
}

/* Each worker finds something in its own share: all but the lowest are in vain. */
static int everybody(int64_t i, void *arg)
{
    atomic_int *calls = arg;

    ++*calls;
    while (*calls < WORKERS)
        sched_yield();
    return i > 0;
}

/* Index 0 is no hit: whoever has begun with it goes on, up to the first. */
static void several(int fence, const char *mode)
{
    tweed_pool *pool = pool_fenced(WORKERS, fence);
    int good = 0, rounds = 50;

    for (int r = 0; r < rounds; r++) {
        atomic_int calls = 0;
        int64_t found = -1;

        good += tweed_parallel_find_with(pool, NULL, 0, 800 + r, everybody, &calls,
                                         &found) == TWEED_OK &&
                found == 1;
    }
    ok(good == rounds, "%s: every worker finds one, and the lowest counts", mode);
    tweed_pool_destroy(pool);
}

/* ---- at random ---- */

struct caller {
    tweed_pool *pool;
    uint64_t seed;
    int rounds, good;
};

static void *at_random(void *arg)
{
    struct caller *c = arg;
    struct text *t = calloc(1, sizeof *t);

    for (int r = 0; t && r < c->rounds; r++) {
        int n = 1 + (int)below(&c->seed, MOST - 1), few = 1 + (int)below(&c->seed, 5);
        struct way w = { .pool = c->pool, .by_pointer = (int)below(&c->seed, 2),
                         .lo = -(int64_t)below(&c->seed, 2000) };

        memset(t->hit, 0, sizeof t->hit);
        for (int k = 0; k < few; k++)
            t->hit[below(&c->seed, (uint32_t)n)] = below(&c->seed, 8) > 0;
        w.o.grain = below(&c->seed, 3) ? 0 : 1 + below(&c->seed, 30);
        w.o.max_workers = below(&c->seed, 4) ? 0 : 1 + (int)below(&c->seed, 3);
        c->good += is_found(t, n, &w);
    }
    free(t);
    return NULL;
}

static void random_rounds(int fence, int callers, int rounds, const char *mode)
{
    struct caller c[4];
    pthread_t threads[4];
    tweed_pool *pool = pool_fenced(WORKERS, fence);
    int good = 0;

    for (int k = 0; k < callers; k++) {
        c[k] = (struct caller){ pool, (uint64_t)k + 1, rounds, 0 };
        if (pthread_create(&threads[k], NULL, at_random, &c[k]) != 0)
            bail_out("no thread");
    }
    for (int k = 0; k < callers; k++) {
        pthread_join(threads[k], NULL);
        good += c[k].good;
    }
    ok(good == callers * rounds, "%s, %d at a time: %d searches at random", mode,
       callers, callers * rounds);
    tweed_pool_destroy(pool);
}

/* ---- a search that does not come to its end; arguments ---- */

TWEED_FIND(stopped_at, i, const int64_t *, stop)
{
    if (i == *stop)
        tweed_parallel_stop();
    return i == 90;
}

static void unfinished(void)
{
    tweed_pool *one = pool_of(1);
    int64_t at = 5, found = -1;

    ok(stopped_at_with(one, NULL, 0, 1000000, &at, &found) == TWEED_ESTOPPED &&
           found == 1000000,
       "a search that is stopped, with nothing found");
    at = 90;
    ok(stopped_at_with(one, NULL, 0, 1000000, &at, &found) == TWEED_ESTOPPED &&
           found == 90,
       "... and with something found");
    ok(stopped_at(0, 50, &at) == 50 && stopped_at(3, 3, &at) == 3 &&
           stopped_at(0, 89, &at) == 89,
       "without a code: hi");
    tweed_pool_destroy(one);
}

static void arguments(void)
{
    tweed_loop_options bad = { .size = sizeof bad, .grain = -1 }, sizeless = { 0 };
    atomic_int calls = 0;
    int64_t found = -7;

    ok(tweed_parallel_find(0, 9, NULL, NULL, &found) == TWEED_EINVAL && found == -7,
       "no body");
    ok(tweed_parallel_find(0, 9, far_away, &calls, NULL) == TWEED_EINVAL && calls == 0,
       "nowhere to put it");
    ok(tweed_parallel_find_with(NULL, &bad, 0, 9, far_away, &calls, &found) ==
               TWEED_EINVAL &&
           tweed_parallel_find_with(NULL, &sizeless, 0, 9, far_away, &calls, &found) ==
               TWEED_EINVAL &&
           calls == 0 && found == -7,
       "options that make no sense");
    ok(tweed_parallel_find(9, 9, far_away, &calls, &found) == TWEED_OK && calls == 0 &&
           found == 9,
       "no indices: hi");
}

int main(void)
{
    static const int fences[] = { TWEED_FENCE_MEMBARRIER, TWEED_FENCE_EXCHANGE };
    static const char *const modes[] = { "membarrier", "exchange" };
    int n = TWEED_HAVE_TSAN ? 20 : 200;

    plan(2 * (3 * 2 + 3 * 2 + 1 + 2) + 3 + 4);
    watchdog();
    for (int f = 0; f < 2; f++) {
        for (int workers = 1; workers <= WORKERS; workers += 1 + 5 * (workers / 2)) {
            places(workers, fences[f], modes[f]);
            passed_over(workers, fences[f], modes[f]);
        }
        several(fences[f], modes[f]);
        random_rounds(fences[f], 1, n, modes[f]);
        random_rounds(fences[f], 4, n / 2, modes[f]);
    }
    unfinished();
    arguments();
    return done_testing();
}

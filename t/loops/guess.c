/*
 * guess.c - what a loop cost last time is a guess: it may be wrong.
 *
 * SPDX-License-Identifier: MIT
 *
 * A loop that was short is begun by its caller alone.  When it turns out to be long
 * it has to be shared; and a loop that was long and is short is to be walked alone
 * again.  Which of the two was done is told by the counter `serial`.
 *
 * Time is made: the clock of a thread that calls moves by what bodies add to it, and
 * a little with every look.  All other threads have the real one.
 */
#include "guess_apart.h"
#include "pools.h"

#include "range/costs.h"
#include "system/system.h"

#include <pthread.h>
#include <string.h>

#define MICROSECOND UINT64_C(1000)
#define MILLISECOND UINT64_C(1000000)

/* ---- the clock ---- */

uint64_t __real_tweed__clock(void);
uint64_t __wrap_tweed__clock(void);

static _Thread_local uint64_t made; /* 0: this thread has the real clock */

uint64_t __wrap_tweed__clock(void)
{
    return made ? made += 1 : __real_tweed__clock();
}

static void spend(uint64_t ns)
{
    if (made)
        made += ns;
}

/* ---- the loops ---- */

#define MOST 20000

struct costs {
    uint64_t ns; /* of an index */
    int64_t dear; /* but for this one */
    uint64_t dear_ns;
    unsigned char count[MOST];
    atomic_int strangers; /* bodies with a number that a worker alone has not */
};

static void cost(int64_t i, struct costs *c)
{
    c->count[i]++;
    spend(i == c->dear ? c->dear_ns : c->ns);
    if (tweed_worker_index() < 0)
        atomic_fetch_add(&c->strangers, 1);
}

TWEED_LOOP(in_braces, i, struct costs *, c)
{
    cost(i, c);
}

TWEED_LOOP(by_two_callers, i, struct costs *, c)
{
    cost(i, c);
}

/* The same by pointer.  Each of these is one place of the program. */

static void each(int64_t i, void *arg)
{
    cost(i, arg);
}

static void range(int64_t begin, int64_t end, void *arg)
{
    for (int64_t i = begin; i < end; i++)
        cost(i, arg);
}

static int by_pointer(tweed_pool *pool, const tweed_loop_options *options,
                      int64_t lo, int64_t hi, struct costs *c)
{
    int code = tweed_parallel_for_with(pool, options, lo, hi, each, c);

    __asm__ volatile(""); /* a jump at the end is no call: it has its caller's place */
    return code;
}

static int from_elsewhere(tweed_pool *pool, const tweed_loop_options *options,
                          int64_t lo, int64_t hi, struct costs *c)
{
    int code;

    /* more than the one above does: a compiler may make one function of two */
    c->dear_ns += (uint64_t)lo;
    code = tweed_parallel_for_with(pool, options, lo, hi, each, c);
    __asm__ volatile("");
    return code;
}

static int by_range(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                    int64_t hi, struct costs *c)
{
    return tweed_parallel_for_range_with(pool, options, lo, hi, range, c);
}

/* The functions that the library has for other languages. */
static int through_the_library(tweed_pool *pool, const tweed_loop_options *options,
                               int64_t lo, int64_t hi, struct costs *c)
{
    return library_for_with(pool, options, lo, hi, each, c);
}

static int no_hit(int64_t i, void *arg)
{
    cost(i, arg);
    return 0;
}

static int try_through_the_library(tweed_pool *pool, const tweed_loop_options *options,
                                   int64_t lo, int64_t hi, struct costs *c)
{
    return library_try_with(pool, options, lo, hi, no_hit, c);
}

static int find_through_the_library(tweed_pool *pool, const tweed_loop_options *options,
                                    int64_t lo, int64_t hi, struct costs *c)
{
    int64_t found;

    return library_find_with(pool, options, lo, hi, no_hit, c, &found);
}

static tweed_pool *pool;

typedef int loop_fn(tweed_pool *pool, const tweed_loop_options *options,
                    int64_t lo, int64_t hi, struct costs *c);

/* Bodies of so many ns, but for one of them: -1 if something went wrong; else
   whether the loop was shared. */
static int was_shared(loop_fn *loop, int n, uint64_t ns, int dear,
                      uint64_t dear_ns)
{
    static _Thread_local struct costs c;
    tweed_stats before = TWEED_STATS_INIT, after = TWEED_STATS_INIT;

    memset(&c, 0, sizeof c);
    c.ns = ns;
    c.dear = dear;
    c.dear_ns = dear_ns;
    must(tweed_stats_get(pool, 0, &before));
    must(loop(pool, NULL, 0, n, &c));
    must(tweed_stats_get(pool, 0, &after));
    for (int i = 0; i < MOST; i++)
        if (c.count[i] != (i < n))
            return -1;
    return c.strangers ? -1 : after.serial == before.serial;
}

static int even(loop_fn *loop, int n, uint64_t ns)
{
    return was_shared(loop, n, ns, -1, 0);
}

/* More loops in a row than are walked alone to measure their cost: two where the cost is not
   sure, then three. */
#define ROW 6

/* From now on the loop is known to take so many ns an index: 0, unless it is shared again
   and again.  (A caller that loses its CPU in the midst of a short loop shares it.) */
static int teach(loop_fn *loop, uint64_t ns)
{
    int shared = 1, alone = 0;

    for (int k = 0; k < 1000 && alone < ROW && shared >= 0; k++) {
        shared = even(loop, 100, ns);
        alone = shared ? 0 : alone + 1;
    }
    return shared;
}

/* Is a loop of more indices than it is known of shared, but for its cost being measured? */
static int is_long(loop_fn *loop)
{
    int shared = 0;

    for (int k = 0; k < ROW && !shared; k++)
        shared = even(loop, 10000, 1);
    return shared;
}

/* ---- one caller ---- */

static void one_caller(void)
{
    int good = 1;

    ok(even(in_braces_with, 100, 1) == 1, "a loop that nobody knows is shared");
    ok(teach(in_braces_with, 1) == 0, "a loop known to be short is not");
    ok(is_long(in_braces_with) == 1,
       "one of more indices, known to be long, is");
    teach(in_braces_with, 1);
    ok(even(in_braces_with, 300, MICROSECOND) == 1,
       "a loop thought to be short is shared when it lasts");
    ok(even(in_braces_with, 300, MICROSECOND) == 1, "and again");
    ok(teach(in_braces_with, 1) == 0, "and not when it is short again");
    for (int k = 0; k < 100 && good; k++)
        good = teach(in_braces_with, 1) == 0 &&
               even(in_braces_with, 300, MICROSECOND) == 1;
    ok(good, "short and long in turn");
}

static void single_indices(void)
{
    int good = 1;

    for (int n = 160; n <= 400 && good; n += 7)
        good = teach(in_braces_with, 1) == 0 &&
               was_shared(in_braces_with, n, 1, 0, MILLISECOND) == 1;
    ok(good, "the first index is long: the rest is shared");
    for (int n = 3; n <= 160 && good; n++)
        good = teach(in_braces_with, 1) == 0 &&
               even(in_braces_with, n, MILLISECOND) == 1;
    ok(good, "a loop of few indices, all of them long: shared");
    for (int n = 2; n <= 400 && good; n += 31)
        good = teach(in_braces_with, 1) == 0 &&
               was_shared(in_braces_with, n, 1, n - 1, MILLISECOND) >= 0 &&
               even(in_braces_with, n, MILLISECOND) >= 0;
    ok(good, "a long index anywhere: every index once");
}

/* ---- a search: what it leaves out has cost nothing ---- */

TWEED_FIND(sought, i, const int64_t *, hit)
{
    spend(100);
    return i == *hit;
}

static void searches(void)
{
    const int64_t none = -1, fifth = 5;
    uint32_t cost = 0;
    bool good = false;

    for (int n = 0; n < 100 && !good; n++) { /* until nothing disturbs it */
        for (int k = 0; k < 5; k++) /* to be walked alone */
            (void)sought(0, 20, &none);
        cost = costs_value(sought_tweed_kind.cost) / 1024;
        for (int k = 0; k < 5; k++)
            (void)sought(0, 20, &fifth);
        good = cost >= 100 && cost < 120 && costs_value(sought_tweed_kind.cost) / 1024 >= 90;
    }
    ok(good,
       "indices behind what is found are not taken for cheap ones (%u, %u ns)", cost,
       costs_value(sought_tweed_kind.cost) / 1024);
}

/* ---- by pointer ---- */

/* How many of so many loops of 100 cheap indices are shared; -1: an index was lost. */
static int cheap_shared(loop_fn *loop, int loops)
{
    int n = 0;

    for (int k = 0; k < loops; k++) {
        int shared = even(loop, 100, 1);

        if (shared < 0)
            return -1;
        n += shared;
    }
    return n;
}

/* Whatever the loop cost, it is known to be as cheap as it is: 0. */
static int sink(loop_fn *loop)
{
    return cheap_shared(loop, 240) < 0 ? -1 : teach(loop, 1);
}

static void learns_slowly(loop_fn *loop, const char *what)
{
    int n;

    ok(even(loop, 100, 1) == 1, "%s: a loop that nobody knows is shared", what);
    ok(teach(loop, 1) == 0, "%s: a loop known to be short is not", what);
    ok(even(loop, 300, MICROSECOND) == 1 && even(loop, 300, MICROSECOND) == 1,
       "%s: a loop thought to be short is shared when it lasts, and again", what);
    n = cheap_shared(loop, 40);
    ok(n > 20 && teach(loop, 1) == 0,
       "%s: short again, it is shared for some time: %d loops of 40", what, n);
    ok(was_shared(loop, 3, MILLISECOND, -1, 0) == 1 &&
           was_shared(loop, 2, 1, 1, MILLISECOND) == 1,
       "%s: few long indices are shared, and known from then on", what);
}

/* An index of a loop that is known to be short takes longer once, as if the thread had lost
   its CPU: the loop may be shared, but the next ones are not.  (Another loop that is shared
   says that no loop is about to be walked alone for another reason.) */
static int forgives(loop_fn *loop, loop_fn *other)
{
    return sink(loop) == 0 && teach(other, 1) == 0 && is_long(other) == 1 &&
           was_shared(loop, 100, 1, 50, 15 * MICROSECOND) >= 0 && cheap_shared(loop, ROW) == 0;
}

/* A caller alone executes many indices a claim, and one a claim when the rest is shared: here
   after the first claim, which is a sixteenth of the loop. */
static void from_many_to_single(void)
{
    int good = 1;

    for (int n = 17; n <= 2000 && good; n += n < 40 ? 7 : 280)
        for (int part = 0; part < 8 && good; part++)
            good = sink(by_pointer) == 0 &&
                   was_shared(by_pointer, n, 1, part * n / 128, MILLISECOND) == 1;
    ok(good, "by pointer, a long index in the first claim: shared, and every index once");
}

/* A thread that loses its CPU in the long one learns that it was dear, which it may: so
   one try of some has to be undisturbed. */
static int long_teaches_nothing(loop_fn *loop)
{
    for (int k = 0; k < 20; k++)
        if (teach(loop, 1) == 0 && even(loop, 5000, 1) == 1 && even(loop, 100, 1) == 0)
            return 1;
    return 0;
}

static void pointers(void)
{
    learns_slowly(by_pointer, "by pointer");
    learns_slowly(by_range, "by range");
    ok(even(from_elsewhere, 100, 1) == 1 && teach(by_pointer, 1) == 0,
       "the same function called from another place is another loop");
    ok(teach(through_the_library, 1) == 1,
       "called through the library it is never known: always shared");
    ok(teach(try_through_the_library, 1) == 1, "... nor is a body that may fail");
    ok(teach(find_through_the_library, 1) == 1, "... nor is a search");

    ok(long_teaches_nothing(by_pointer),
       "one of 5,000 indices is shared, and teaches nothing");
    ok(forgives(by_pointer, in_braces_with),
       "a short loop that was interrupted once is short");
    from_many_to_single();
}

/* ---- two callers, one of short and one of long loops ---- */

static atomic_int failures;

static void *short_loops(void *arg)
{
    made = 1000;
    for (int k = 0; k < 500; k++)
        if (even(arg ? by_two_callers_with : in_braces_with, 100, 1) < 0)
            atomic_fetch_add(&failures, 1);
    return NULL;
}

static void two_callers(void)
{
    pthread_t other;

    if (pthread_create(&other, NULL, short_loops, pool) != 0)
        bail_out("no thread");
    for (int k = 0; k < 500; k++)
        if (even(by_two_callers_with, 300, MICROSECOND) < 0)
            atomic_fetch_add(&failures, 1);
    pthread_join(other, NULL);
    ok(failures == 0, "short and long at once, by two callers: every index once");
    ok(teach(by_two_callers_with, 1) == 0 &&
           is_long(by_two_callers_with) == 1,
       "and afterwards what was learnt last holds");
}

int main(void)
{
    plan(7 + 3 + 1 + 2 * 5 + 7 + 3);
    watchdog();
    pool = pool_of(2);
    made = 1000;
    one_caller();
    single_indices();
    searches();
    pointers();
    two_callers();
    made = 0;
    ok(tweed_pool_destroy(pool) == TWEED_OK, "the pool ends");
    return done_testing();
}

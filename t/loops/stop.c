/*
 * stop.c - a body ends its loop: nobody begins another block, what had begun ends,
 * and the next loop is whole.
 *
 * SPDX-License-Identifier: MIT
 *
 * The loops are of kinds of the test's own: work() asks the body, and calls
 * tweed_cursor_stop() if that says so.  Bodies wait for each other, so that each
 * worker is where the test wants it when the loop is stopped; whoever waits in vain
 * is killed by the watchdog.
 */
#include "draw.h"
#include "meet.h"
#include "range/range.h"
#include "base/tsan.h"

#include <sched.h>
#include <string.h>

enum tweed__loot __real_tweed__range_steal(struct tweed__range *victim,
                                           int worker, bool asymmetric,
                                           bool insist,
                                           struct tweed__tally *tally,
                                           uint32_t *begin, uint32_t *end);
enum tweed__loot __wrap_tweed__range_steal(struct tweed__range *victim,
                                           int worker, bool asymmetric,
                                           bool insist,
                                           struct tweed__tally *tally,
                                           uint32_t *begin, uint32_t *end);
bool __real_tweed__end_return(_Atomic uint32_t *remaining, uint32_t done,
                              struct tweed__tally *tally);
bool __wrap_tweed__end_return(_Atomic uint32_t *remaining, uint32_t done,
                              struct tweed__tally *tally);
void __real_tweed__range_install(struct tweed__owner *o, uint32_t begin,
                                 uint32_t end);
void __wrap_tweed__range_install(struct tweed__owner *o, uint32_t begin,
                                 uint32_t end);

static void (*_Atomic with_loot)(void), (*_Atomic in_install)(void);

/* Who has drained a range, and goes to steal or returns its blocks, is counted, and waits
   before it steals until as many have come; 0: nobody waits.  Never lowered while somebody
   counts: who is late waits for no other loop's. */
static atomic_int came, wanted;

/* Counts this thread, once. */
static void count_in(int n)
{
    static _Thread_local int counted;

    if (n && counted != n) {
        counted = n;
        came++;
    }
}

bool __wrap_tweed__end_return(_Atomic uint32_t *remaining, uint32_t done,
                              struct tweed__tally *tally)
{
    count_in(wanted);
    return __real_tweed__end_return(remaining, done, tally);
}

enum tweed__loot __wrap_tweed__range_steal(struct tweed__range *victim,
                                           int worker, bool asymmetric,
                                           bool insist,
                                           struct tweed__tally *tally,
                                           uint32_t *begin, uint32_t *end)
{
    void (*hook)(void) = with_loot;
    enum tweed__loot loot;
    int n = wanted;

    count_in(n);
    if (n)
        until(&came, n);
    loot = __real_tweed__range_steal(victim, worker, asymmetric, insist, tally,
                                     begin, end);
    if (hook && loot >= TWEED__LOOT)
        hook();
    return loot;
}

void __wrap_tweed__range_install(struct tweed__owner *o, uint32_t begin,
                                 uint32_t end)
{
    void (*hook)(void) = in_install;

    if (hook)
        hook();
    __real_tweed__range_install(o, begin, end);
}

/* ---- loops that may be stopped ---- */

#define MOST 2000
#define MOST_WORKERS 8

struct loop {
    tweed_pool *pool;
    bool (*body)(struct loop *l, int64_t i); /* true: stops the loop */
    int stop_at, wanted;
    atomic_uchar count[MOST];
    atomic_int begun, ended, late; /* bodies; late: begun after the stop */
    atomic_int stops, stopped;     /* calls of stop begun; returned */
    atomic_int open;               /* the call has not returned */
    atomic_int bad;
};

static void work(tweed_cursor *c)
{
    struct loop *l = c->arg;

    do {
        int64_t past = tweed_past(c);

        for (int64_t i = tweed_first(c); i < past; i++) {
            l->late += l->stopped != 0;
            l->begun++;
            l->bad += !l->open || l->count[i]++ != 0;
            if (l->body(l, i)) {
                tweed_cursor_stop(c);
                l->stopped++;
                past = i; /* the others that it has claimed are not asked */
            }
            l->ended++;
        }
    } while (tweed_next(c));
}

static tweed_kind single = { .size = sizeof single, .name = "single blocks",
                             .work = work };
static tweed_kind strips = { .size = sizeof strips, .name = "strips",
                             .claim_ns = 1000, .work = work };

/* True if the call went well, all that was begun had ended when it returned, and
   nothing was executed twice. */
static bool run(struct loop *l, tweed_kind *kind, int n, int64_t grain,
                int max_workers)
{
    tweed_loop_options o = { .size = sizeof o, .grain = grain,
                             .max_workers = max_workers };
    int code;

    l->open = 1;
    code = tweed_loop_run(l->pool, &o, 0, n, kind, NULL, l);
    l->open = 0;
    return code == (l->stopped ? TWEED_ESTOPPED : TWEED_OK) &&
           l->begun == l->ended && l->bad == 0;
}

static void prepare(struct loop *l, tweed_pool *pool,
                    bool (*body)(struct loop *l, int64_t i))
{
    memset(l, 0, sizeof *l);
    l->pool = pool;
    l->body = body;
}

/* What the library has counted so far. */
static uint64_t indices_of(tweed_pool *pool)
{
    tweed_stats s = { .size = sizeof s };

    must(tweed_stats_get(pool, -1, &s));
    return s.indices;
}

static bool never(struct loop *l, int64_t i)
{
    (void)l, (void)i;
    return false;
}

/* The next loops of this caller, in the same slot: all of them. */
static bool goes_on(tweed_pool *pool)
{
    static struct loop l;
    bool good = true;

    for (int n = 1; n <= 300; n += 149) {
        prepare(&l, pool, never);
        good &= run(&l, n % 2 ? &strips : &single, n, 0, 0) && l.begun == n;
        for (int i = 0; i < n; i++)
            good &= l.count[i] == 1;
    }
    return good;
}

/* ---- every worker in a body when the loop is stopped ---- */

static int all_came; /* what `wanted` shall be */

/* Begun by `wanted` workers, each its first; stopped by so many of these.  From then
   on nobody steals before all have drained their ranges: else an owner would be
   disturbed by thieves, and not by the stop. */
static bool meet_and_stop(struct loop *l, int64_t i)
{
    int stopper;

    (void)i;
    until(&l->begun, l->wanted);
    wanted = all_came;
    stopper = l->stops++;
    if (stopper < l->stop_at)
        return true;
    until(&l->stopped, l->stop_at);
    return false;
}

static void everybody_inside(tweed_pool *pool, tweed_kind *kind, int stoppers,
                             int rounds, const char *mode)
{
    static struct loop l;
    int good = 0, workers = tweed_pool_num_workers(pool);

    for (int r = 0; r < rounds; r++) {
        uint64_t before = indices_of(pool);

        prepare(&l, pool, meet_and_stop);
        l.wanted = workers;
        l.stop_at = stoppers;
        kind->cost = 0; /* claims begin with one block */
        all_came = came + workers;
        good += run(&l, kind, MOST, 1, 0) && l.begun == workers &&
                !l.late && indices_of(pool) == before + (uint64_t)workers;
        wanted = 0;
        good -= !goes_on(pool);
    }
    if (!ok(good == rounds, "%s, %s: %d stop their loop, all of %d are in bodies, "
                            "and none begins another block",
            mode, kind->name, stoppers, workers))
        diag("%d of %d; %d bodies begun, %d ended, %d late", good, rounds,
             l.begun, l.ended, l.late);
}

/* ---- loot in the hands of a thief ---- */

static struct loop held; /* the loop whose loot is held back */
static atomic_int has_loot;

/* The thief, which is the worker, waits until the loop has been stopped. */
static void hold_loot(void)
{
    if (tweed_worker_index() != 1 || held.stopped)
        return;
    has_loot = 1;
    until(&held.stopped, 1);
}

/* The caller waits in its first body for the thief; that has a share of its own. */
static bool stop_when_stolen(struct loop *l, int64_t i)
{
    (void)l, (void)i;
    if (tweed_worker_index() != 0)
        return false;
    until(&has_loot, 1);
    return true;
}

/* hook: where the thief is held.  n: 8 indices, and the loot is a single one. */
static bool stopped_with_loot(tweed_pool *pool, void (*_Atomic *hook)(void),
                              int n)
{
    bool good;

    prepare(&held, pool, stop_when_stolen);
    has_loot = 0;
    *hook = hold_loot;
    good = run(&held, &single, n, 0, 0) && has_loot && !held.late;
    *hook = NULL;
    /* its own share and one block, but no loot */
    return good && held.begun == n / 2 + 1 && goes_on(pool);
}

static void loot_in_hand(int fence, const char *mode)
{
    tweed_pool *pool = pool_fenced(2, fence);
    int good = 0, rounds = 50;

    for (int r = 0; r < rounds; r++)
        good += stopped_with_loot(pool, &with_loot, 200);
    ok(good == rounds, "%s: stolen, and not yet looked at the flag", mode);
    good = 0;
    for (int r = 0; r < rounds; r++)
        good += stopped_with_loot(pool, &with_loot, 8);
    ok(good == rounds, "%s: the same with a single block", mode);
    good = 0;
    for (int r = 0; r < rounds; r++)
        good += stopped_with_loot(pool, &in_install, 200);
    ok(good == rounds, "%s: looked at the flag, and not yet a range", mode);
    tweed_pool_destroy(pool);
}

/* ---- a loop that is walked alone ---- */

static bool stop_there(struct loop *l, int64_t i)
{
    return i == l->stop_at;
}

/* Nothing after the index that stops it. */
static bool ends_there(tweed_pool *pool, tweed_kind *kind, uint32_t cost,
                       int stop_at, int max_workers)
{
    static struct loop l;
    bool good;

    prepare(&l, pool, stop_there);
    l.stop_at = stop_at;
    kind->cost = cost;
    good = run(&l, kind, MOST, 0, max_workers) && l.count[stop_at] == 1 &&
           !l.late;
    if (cost == 0) /* one after the other */
        good &= l.begun == stop_at + 1;
    return good && goes_on(pool);
}

static void alone(void)
{
    tweed_pool *one = pool_of(1), *two = pool_of(2);
    struct occupier o;
    bool good = true;

    for (int at = 0; at < MOST; at += 1 + at / 2)
        good &= ends_there(one, &single, 0, at, 0) &&
                ends_there(one, &strips, 0, at, 0);
    ok(good, "stopped in a pool of one worker");
    good = true;
    for (int at = 0; at < MOST; at += 1 + at / 2)
        good &= ends_there(two, &single, 0, at, 1) &&
                ends_there(two, &strips, 0, at, 1);
    ok(good, "stopped in a loop for one worker");
    occupy(&o, two);
    good = true;
    /* known to be short, so that the caller begins alone; shared soon, it stays
       so, since the other worker is busy */
    for (int at = 0; at < MOST; at += 1 + at / 2)
        good &= ends_there(two, &strips, 200, at, 0);
    ok(good, "stopped in a loop that its caller has begun alone");
    occupier_end(&o);
    tweed_pool_destroy(one);
    tweed_pool_destroy(two);
}

/* ---- loops in loops ---- */

#define INNER 20

static atomic_int inner_wrong;

static bool stop_half_way(struct loop *l, int64_t i)
{
    (void)l;
    return i == INNER / 2;
}

/* Each body has an inner loop: one that is stopped if the outer is not. */
static bool nest(struct loop *l, int64_t i)
{
    struct loop inner; /* of its own */
    bool stops_outer = i == l->stop_at, good;

    prepare(&inner, l->pool, l->stop_at < 0 ? stop_half_way : never);
    good = run(&inner, &single, INNER, 0, 0) &&
           (l->stop_at < 0 ? inner.count[INNER / 2] == 1 : inner.begun == INNER);
    inner_wrong += !good;
    return stops_outer;
}

static void nested(tweed_pool *pool, int rounds)
{
    static struct loop l;
    int good = 0;

    inner_wrong = 0;
    for (int r = 0; r < rounds; r++) {
        prepare(&l, pool, nest);
        l.stop_at = -1;
        good += run(&l, r % 2 ? &single : &strips, 40, 1, 0) && l.begun == 40;
    }
    ok(good == rounds && inner_wrong == 0,
       "inner loops are stopped: the outer one is not");
    good = 0;
    for (int r = 0; r < rounds; r++) {
        prepare(&l, pool, nest);
        l.stop_at = r % 40;
        good += run(&l, r % 2 ? &single : &strips, 40, 1, 0) &&
                l.count[r % 40] == 1 && goes_on(pool);
    }
    ok(good == rounds && inner_wrong == 0,
       "the outer loop is stopped: the inner ones are not");
}

/* ---- at random ---- */

static bool stop_somewhere(struct loop *l, int64_t i)
{
    if (i % 64 == 63) /* let others run in the midst of some */
        sched_yield();
    return i >= l->stop_at && i < l->stop_at + l->wanted;
}

struct caller {
    tweed_pool *pool;
    uint64_t seed;
    int rounds, good;
    bool alone; /* nobody else calls */
};

/* Whoever is not in a body when the loop is stopped may begin the one block that
   it has claimed already. */
static bool one_round(struct caller *c, tweed_kind *kind, struct loop *l)
{
    int n = 2 + (int)below(&c->seed, MOST - 2);
    int64_t grain = below(&c->seed, 3) ? 0 : 1 + below(&c->seed, 30);

    uint64_t before = indices_of(c->pool);

    prepare(l, c->pool, stop_somewhere);
    l->stop_at = (int)below(&c->seed, (uint32_t)n);
    l->wanted = 1 + (int)below(&c->seed, 40); /* stops, if they are begun */
    kind->claim_ns = below(&c->seed, 2) ? 0 : 1000;
    kind->cost = below(&c->seed, 2) ? 0 : UINT32_C(1) << below(&c->seed, 14);
    if (!run(l, kind, n, grain, below(&c->seed, 4) ? 0 : 3) || l->stopped == 0)
        return false;
    if (kind->claim_ns || kind->cost || grain > 1)
        return true;
    return l->late < tweed_pool_num_workers(c->pool) &&
           (!c->alone || indices_of(c->pool) == before + (uint64_t)l->begun);
}

static void *at_random(void *arg)
{
    struct caller *c = arg;
    tweed_kind kind = { .size = sizeof kind, .work = work };
    struct loop *l = calloc(1, sizeof *l);

    for (int r = 0; l && r < c->rounds; r++) {
        bool good = one_round(c, &kind, l);

        prepare(l, c->pool, never);
        good &= run(l, &kind, MOST, 0, 0) && l->begun == MOST;
        c->good += good;
    }
    free(l);
    return NULL;
}

static void random_rounds(int fence, int callers, int rounds, const char *mode)
{
    struct caller c[4];
    pthread_t threads[4];
    tweed_pool *pool = pool_fenced(MOST_WORKERS, fence);
    int good = 0;

    for (int k = 0; k < callers; k++) {
        c[k] = (struct caller){ pool, (uint64_t)k + 1, rounds, 0,
                                 callers == 1 };
        if (pthread_create(&threads[k], NULL, at_random, &c[k]) != 0)
            bail_out("no thread");
    }
    for (int k = 0; k < callers; k++) {
        pthread_join(threads[k], NULL);
        good += c[k].good;
    }
    ok(good == callers * rounds,
       "%s, %d at a time: %d loops stopped at random, each index once at most, "
       "and the next loop whole", mode, callers, callers * rounds);
    tweed_pool_destroy(pool);
}

int main(void)
{
    static const int fences[] = { TWEED_FENCE_MEMBARRIER, TWEED_FENCE_EXCHANGE };
    static const char *const modes[] = { "membarrier", "exchange" };
    int n = TWEED_HAVE_TSAN ? 20 : 200;

    plan(2 * (6 + 3 + 2) + 3 + 2);
    watchdog();
    for (int f = 0; f < 2; f++) {
        tweed_pool *pool = pool_fenced(MOST_WORKERS, fences[f]);

        for (int stoppers = 1; stoppers <= 3; stoppers++) {
            everybody_inside(pool, &single, stoppers, n / 10, modes[f]);
            everybody_inside(pool, &strips, stoppers, n / 10, modes[f]);
        }
        tweed_pool_destroy(pool);
        loot_in_hand(fences[f], modes[f]);
        random_rounds(fences[f], 1, n, modes[f]);
        random_rounds(fences[f], 4, n / 2, modes[f]);
    }
    alone();
    tweed_pool *pool = pool_of(4);

    nested(pool, n / 2);
    tweed_pool_destroy(pool);
    return done_testing();
}

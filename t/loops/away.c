/*
 * away.c - how far ranges were stolen: every figure, by worker.
 *
 * SPDX-License-Identifier: MIT
 *
 * tweed__topology_get() is wrapped: the machine is made up.  tweed__range_steal() is
 * wrapped as well, and counts by whose seat it is.
 *
 * In each loop everybody has the first index of its own share before anybody goes on.  All
 * but the thieves stay in that one until all the rest is done.  So the thieves have to
 * steal.
 */
/* Each loop is published: what is called through the library remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "pool/pool.h"
#include "pools.h"
#include "range/range.h"
#include "system/topology.h"
#include "trace-file.h"

#include <stdlib.h>
#include <string.h>

#define MOST 12 /* workers */
#define N 480

/* ---- the machine ---- */

static const char *machine;
static int workers, per_node, per_domain;

struct tweed__topology *__real_tweed__topology_get(void);
struct tweed__topology *__wrap_tweed__topology_get(void);

struct tweed__topology *__wrap_tweed__topology_get(void)
{
    const char *wrong;

    return machine ? tweed__topology_parse(machine, &wrong) : __real_tweed__topology_get();
}

/* ---- thefts, in the pool that is looked at ---- */

static tweed_pool *pool;
static atomic_int thefts[MOST][3]; /* by thief: in its domain, in its node, from others */

enum tweed__loot __real_tweed__range_steal(struct tweed__range *victim, int worker,
                                           bool asymmetric, bool insist,
                                           struct tweed__tally *tally,
                                           uint32_t *begin, uint32_t *end);
enum tweed__loot __wrap_tweed__range_steal(struct tweed__range *victim, int worker,
                                           bool asymmetric, bool insist,
                                           struct tweed__tally *tally,
                                           uint32_t *begin, uint32_t *end);

static int whose(const struct tweed__range *range)
{
    struct tweed__team *team = tweed__pool_team(pool);

    for (int w = 0; w < workers; w++)
        for (int k = 0; k < TWEED__SLOTS; k++)
            if (&team->workers[w]->seats[k].range == range)
                return w;
    return -1; /* another pool's */
}

enum tweed__loot __wrap_tweed__range_steal(struct tweed__range *victim, int worker,
                                           bool asymmetric, bool insist,
                                           struct tweed__tally *tally,
                                           uint32_t *begin, uint32_t *end)
{
    enum tweed__loot loot = __real_tweed__range_steal(victim, worker, asymmetric, insist,
                                                      tally, begin, end);
    int from;

    from = loot >= TWEED__LOOT && pool ? whose(victim) : -1;
    if (from >= 0) {
        atomic_fetch_add(&thefts[worker][from / per_domain == worker / per_domain ? 0
                                         : from / per_node == worker / per_node   ? 1
                                                                                  : 2], 1);
    }
    return loot;
}

/* ---- loops ---- */

static atomic_int came, done, begun[MOST], executed[MOST]; /* the last two by worker */
static int shares, thieves; /* how many of the workers that have a share are thieves */

static bool is_thief(int worker)
{
    return worker == 0 || (thieves > 1 && worker == workers - 1);
}

static void body(int64_t i, void *arg)
{
    int me = tweed_worker_index(), held = 0;

    (void)i, (void)arg;
    atomic_fetch_add(&executed[me], 1);
    if (atomic_fetch_add(&begun[me], 1) == 0) {
        atomic_fetch_add(&came, 1);
        while (atomic_load(&came) < shares)
            nap_us(20);
        held = !is_thief(me);
    }
    while (held && atomic_load(&done) < N - (shares - thieves))
        nap_us(20);
    atomic_fetch_add(&done, 1);
}

static void begin_count(const char *text, int nodes, int cpus, int domains)
{
    machine = text;
    workers = nodes * cpus;
    per_node = cpus;
    per_domain = cpus / domains;
    pool = pool_of(workers);
    memset(thefts, 0, sizeof thefts);
    memset(executed, 0, sizeof executed);
}

static void run(const tweed_loop_options *o)
{
    atomic_store(&came, 0);
    atomic_store(&done, 0);
    for (int w = 0; w < workers; w++)
        atomic_store(&begun[w], 0);
    must(tweed_parallel_for_with(pool, o, -7, N - 7, body, NULL));
}

static int is(const char *what, int of, uint64_t got, uint64_t due)
{
    if (got == due)
        return 1;
    diag("%s of %d: %llu, and not %llu", what, of, (unsigned long long)got,
         (unsigned long long)due);
    return 0;
}

static int worker_is_right(int w)
{
    tweed_stats s = TWEED_STATS_INIT;

    must(tweed_stats_get(pool, w, &s));
    return is("indices", w, s.indices, (uint64_t)executed[w]) &
           is("steals in the node", w, s.steals_node, (uint64_t)thefts[w][1]) &
           is("near steals", w, s.steals_near, (uint64_t)(thefts[w][0] + thefts[w][1])) &
           is("far steals", w, s.steals_far, (uint64_t)thefts[w][2]);
}

/* So many loops, in a new pool that is gone afterwards. */
static void compare(const char *what, const tweed_loop_options *o, int loops)
{
    int good = 1, near = 0, far = 0;

    for (int k = 0; k < loops; k++)
        run(o);
    for (int w = 0; w < workers; w++) {
        good &= worker_is_right(w);
        near += thefts[w][0] + thefts[w][1];
        far += thefts[w][2];
    }
    ok(good && (workers == per_node ? near : far) > 0, "%s: %d near steals, %d far ones", what,
       near, far);
    tweed_pool_destroy(pool);
}

static void shapes(void)
{
    tweed_loop_options some = { .size = sizeof some, .max_workers = 3 };

    begin_count("nodes:2,cpus:2", 2, 2, 1);
    shares = workers;
    thieves = 2;
    compare("two nodes", NULL, 3);
    begin_count("nodes:2,cpus:4,domains:2", 2, 4, 2);
    shares = workers;
    compare("of two domains", NULL, 3);
    begin_count("nodes:4,cpus:1", 4, 1, 1);
    shares = workers;
    compare("four nodes of one", NULL, 3);
    begin_count("nodes:3,cpus:3,domains:3", 3, 3, 1); /* a cache of one core is none */
    shares = workers;
    compare("three nodes of three", NULL, 3);
    begin_count("nodes:1,cpus:6,domains:3", 1, 6, 3);
    shares = workers;
    compare("one node of three domains", NULL, 3);
    begin_count("nodes:4,cpus:2", 4, 2, 1);
    shares = 3;
    thieves = 1;
    compare("three of eight workers", &some, 8);
}

/* ---- a trace ---- */

static int thief_is_right(const struct trace_file *t, int thief)
{
    uint64_t n[3] = { 0 };

    for (size_t i = 0; i < t->count; i++)
        if (t->events[i].ph == 'i' && strcmp(t->events[i].name, "steal") == 0 &&
            t->events[i].thief == thief)
            n[t->events[i].far ? 2 : !t->events[i].domain]++;
    return is("traced steals in the domain", thief, n[0], (uint64_t)thefts[thief][0]) &
           is("traced steals in the node", thief, n[1], (uint64_t)thefts[thief][1]) &
           is("traced far steals", thief, n[2], (uint64_t)thefts[thief][2]);
}

static void traced(void)
{
    char path[] = "/tmp/tweed-away-XXXXXX";
    int fd = mkstemp(path), good = 1, sum = 0;
    struct trace_file t;

    if (fd < 0)
        bail_out("no temporary file");
    close(fd);
    begin_count("nodes:2,cpus:4,domains:2", 2, 4, 2);
    shares = workers;
    thieves = 2;
    must(tweed_trace_start(NULL));
    run(NULL);
    tweed_trace_stop();
    if (tweed_trace_write(path) != TWEED_OK || !trace_read(path, &t))
        bail_out("no trace");
    unlink(path);
    for (int w = 0; w < workers; w++) {
        good &= thief_is_right(&t, w);
        sum += atomic_load(&thefts[w][0]) && atomic_load(&thefts[w][1]);
    }
    ok(good && sum > 0, "in a trace each steal says how far it was");
    trace_forget(&t);
    tweed_pool_destroy(pool);
}

int main(void)
{
    plan(6 + 1);
    watchdog();
    shapes();
    traced();
    return done_testing();
}

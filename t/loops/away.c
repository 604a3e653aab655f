/*
 * away.c - how far ranges were stolen, and which indices were executed away from the node
 * of the worker in whose share they were dealt: every figure, by worker and by node.
 *
 * SPDX-License-Identifier: MIT
 *
 * tweed__topology_get() is wrapped: the machine is made up.  The second count is made
 * here.  Bodies note who has executed each index, and the shares follow from the bounds.
 * tweed__range_steal() is wrapped as well, and counts by whose seat it is.
 *
 * In each loop everybody has the first index of its own share before anybody goes on.  All
 * but the thieves stay in that one until all the rest is done.  So whose a share is can be
 * seen from its first index, and the thieves have to steal.
 */
/* Each loop is published: what is called through the library remembers no cost. */
#define TWEED_CALLS_APART 1
#include "config.h"

#include "pool.h"
#include "pools.h"
#include "range.h"
#include "rerun.h"
#include "topology.h"
#include "trace-file.h"
#include "tsan.h"

#include <stdlib.h>
#include <string.h>

#define MOST 12   /* workers, and nodes */
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

static atomic_int came, done, begun[MOST], who[N];
static int shares, thieves; /* how many of the workers that have a share are thieves */

static bool is_thief(int worker)
{
    return worker == 0 || (thieves > 1 && worker == workers - 1);
}

static void body(int64_t i, void *arg)
{
    int me = tweed_worker_index(), held = 0;

    atomic_store(&who[i - *(const int64_t *)arg], me);
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
    pool = pool_of(workers, 0);
    memset(thefts, 0, sizeof thefts);
}

static void run(const tweed_loop_options *o, int64_t lo)
{
    atomic_store(&came, 0);
    atomic_store(&done, 0);
    for (int w = 0; w < workers; w++)
        atomic_store(&begun[w], 0);
    must(tweed_parallel_for_with(pool, o, lo, lo + N, body, &lo));
}

/* ---- the two counts ---- */

static uint64_t away[MOST][MOST], executed[MOST]; /* by worker and home node; by worker */

static void forget(void)
{
    memset(away, 0, sizeof away);
    memset(executed, 0, sizeof executed);
}

/* One loop whose share k, which is this worker's, ends before end[k].  begin: of the
   first one; what lies before that was not dealt. */
static void count(int64_t begin, const int64_t *end, int places, const int *owner)
{
    for (int64_t i = 0; i < begin; i++)
        executed[atomic_load(&who[i])]++;
    for (int place = 0; place < places; begin = end[place++])
        for (int64_t i = begin; i < end[place]; i++) {
            int w = atomic_load(&who[i]), home = owner[place] / per_node;

            executed[w]++;
            away[w][home] += home != w / per_node;
        }
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
    uint64_t sum = 0;

    must(tweed_stats_get(pool, w, &s));
    for (int node = 0; node < MOST; node++)
        sum += away[w][node];
    return is("indices", w, s.indices, executed[w]) &
           is("away", w, s.indices_away, sum) &
           is("steals in the node", w, s.steals_node, (uint64_t)thefts[w][1]) &
           is("near steals", w, s.steals_near, (uint64_t)(thefts[w][0] + thefts[w][1])) &
           is("far steals", w, s.steals_far, (uint64_t)thefts[w][2]);
}

static int node_is_right(const tweed_node_stats *s, int node)
{
    uint64_t due[6] = { 0 };

    for (int w = 0; w < workers; w++) {
        due[5] += away[w][node];
        if (w / per_node != node)
            continue;
        due[0] += executed[w];
        for (int k = 0; k < 3; k++)
            due[1 + k] += (uint64_t)thefts[w][k];
        for (int k = 0; k < MOST; k++)
            due[4] += away[w][k];
    }
    return is("the number", node, s->node, (uint64_t)node) &
           is("workers", node, s->workers, (uint64_t)per_node) &
           is("indices of node", node, s->indices, due[0]) &
           is("steals in domains of node", node, s->steals_domain, due[1]) &
           is("steals in node", node, s->steals_node, due[2]) &
           is("steals from far, of node", node, s->steals_far, due[3]) &
           is("brought to node", node, s->indices_brought, due[4]) &
           is("taken from node", node, s->indices_taken, due[5]);
}

static tweed_node_stats nodes[MOST];

static int all_is_right(void)
{
    int n = workers / per_node, good = 1;

    nodes[0].size = sizeof *nodes;
    good &= tweed_node_stats_get(pool, nodes, MOST) == n;
    for (int w = 0; w < workers; w++)
        good &= worker_is_right(w);
    for (int node = 0; node < n; node++)
        good &= node_is_right(&nodes[node], node);
    return good;
}

/* ---- full windows ---- */

static uint64_t total_away(void)
{
    uint64_t sum = 0;

    for (int w = 0; w < MOST; w++)
        for (int node = 0; node < MOST; node++)
            sum += away[w][node];
    return sum;
}

/* Three loops, whose share k ends before end[k]. */
static void all_have_shares(const char *what, const tweed_loop_options *o,
                            const int64_t *end)
{
    int owner[MOST], good = 1;

    shares = workers;
    thieves = workers > 2 ? 2 : 1;
    forget();
    for (int k = 0; k < 3; k++) {
        run(o, -7 * k);
        for (int w = 0; w < workers; w++)
            owner[w] = w;
        count(0, end, workers, owner);
    }
    good &= all_is_right();
    ok(good && (workers == per_node || total_away() > 0), "%s: %llu of %d away", what,
       (unsigned long long)total_away(), 3 * N);
    tweed_pool_destroy(pool);
}

static int64_t end[MOST];

static void equal_shares(void)
{
    for (int w = 0; w < workers; w++)
        end[w] = (int64_t)N * (w + 1) / workers;
}

static void shapes(void)
{
    tweed_loop_options heavy = { .size = sizeof heavy };
    static double weights[N];

    begin_count("nodes:2,cpus:2", 2, 2, 1);
    equal_shares();
    all_have_shares("two nodes", NULL, end);
    begin_count("nodes:2,cpus:4,domains:2", 2, 4, 2);
    equal_shares();
    all_have_shares("of two domains", NULL, end);
    begin_count("nodes:4,cpus:1", 4, 1, 1);
    equal_shares();
    all_have_shares("four nodes of one", NULL, end);
    begin_count("nodes:3,cpus:3,domains:3", 3, 3, 1); /* a cache of one core is none */
    equal_shares();
    all_have_shares("three nodes of three", NULL, end);
    begin_count("nodes:1,cpus:6,domains:3", 1, 6, 3);
    equal_shares();
    all_have_shares("one node of three domains", NULL, end);

    begin_count("nodes:2,cpus:3,small:1,capacity:512", 2, 3, 1); /* 2 + 2 + 1, twice */
    for (int w = 0; w < 6; w++)
        end[w] = N * (5 * (w / 3) + (w % 3 < 2 ? 2 * (w % 3 + 1) : 5)) / 10;
    all_have_shares("CPUs that are not equal", NULL, end);

    for (int i = 0; i < N; i++) /* 240 of 1, 240 of 2: a quarter is 180 */
        weights[i] = i < N / 2 ? 1 : 2;
    heavy.weights = weights;
    end[0] = 180;
    end[1] = 240 + 60;
    end[2] = 240 + 150;
    end[3] = N;
    begin_count("nodes:2,cpus:2", 2, 2, 1);
    all_have_shares("by weight", &heavy, end);
}

/* ---- shares of some workers only ---- */

static void some_have_shares(void)
{
    tweed_loop_options o = { .size = sizeof o, .max_workers = 3 };
    int owner[3], good = 1;

    begin_count("nodes:4,cpus:2", 4, 2, 1);
    shares = 3;
    thieves = 1;
    forget();
    for (int k = 0; k < 3; k++)
        end[k] = N * (k + 1) / 3;
    for (int k = 0; k < 8; k++) {
        run(&o, k);
        for (int place = 0; place < 3; place++)
            owner[place] = atomic_load(&who[place ? end[place - 1] : 0]);
        good &= owner[0] == 0;
        count(0, end, 3, owner);
    }
    ok(all_is_right() && good && total_away() > 0, "three of eight workers: %llu of %d away",
       (unsigned long long)total_away(), 8 * N);
    tweed_pool_destroy(pool);
}

/* ---- a loop that its caller begins alone ---- */

static const bool dear = true, cheap = false;

static void note(tweed_cursor *c)
{
    const bool *is_dear = c->arg;

    do
        for (int64_t i = tweed_first(c); i < tweed_past(c); i++) {
            atomic_store(&who[i], tweed_worker_index());
            if (*is_dear) /* the second node's share takes longer */
                nap_us(i < N / 2 ? 20 : 500);
        }
    while (tweed_next(c));
}

/* A kind that is new remembers nothing, and is then known for short. */
static tweed_kind noted;

static void run_noted(void)
{
    noted = (tweed_kind){ .size = sizeof noted, .work = note,
                           .claim_ns = TWEED_CLAIM_NS };
    for (int k = 0; k < 3; k++)
        must(tweed_run(&noted, NULL, NULL, 0, N, NULL, (void *)(uintptr_t)&cheap));
    noted.claim_ns = 0; /* one index a claim: all others can be stolen */
    forget();
    memset(thefts, 0, sizeof thefts);
    must(tweed_run(&noted, pool, NULL, 0, N, NULL, (void *)(uintptr_t)&dear));
}

/* From which block on the loop was dealt, the only one of its pool. */
static int64_t dealt_from(void)
{
    struct tweed__team *team = tweed__pool_team(pool);

    for (int k = 0; k < TWEED__SLOTS; k++)
        if (atomic_load(&team->slots[k].uses) == 1)
            return team->slots[k].from;
    return N;
}

static void begun_alone(void)
{
    static const int owner[4] = { 0, 1, 2, 3 };
    int good = 1, seen = 0;
    int64_t from = 0;

    for (int k = 0; k < 50 && !seen; k++) {
        begin_count("nodes:2,cpus:2", 2, 2, 1);
        run_noted();
        from = dealt_from();
        for (int w = 0; w < 4; w++)
            end[w] = from + (N - from) * (w + 1) / 4;
        count(from, end, 4, owner);
        good &= all_is_right();
        seen = from > 0 && total_away() > 0;
        tweed_pool_destroy(pool);
    }
    if ((TWEED_HAVE_TSAN || under_qemu()) && good && !seen)
        skip(1, "ThreadSanitizer, or qemu, makes the bodies too slow for a loop begun alone");
    else
        ok(good && seen, "dealt from block %lld on: %llu of %d away", (long long)from,
           (unsigned long long)total_away(), N);
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
    run(NULL, 0);
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

/* ---- the call, and the table ---- */

static void arguments(void)
{
    tweed_node_stats s[2] = { TWEED_NODE_STATS_INIT, TWEED_NODE_STATS_INIT };

    begin_count("nodes:3,cpus:1", 3, 1, 1);
    ok(tweed_node_stats_get(pool, NULL, 0) == 3 && tweed_node_stats_get(pool, s, 2) == 3 &&
           s[1].node == 1 && s[1].workers == 1,
       "how many nodes there are; less room than nodes");
    s[1].workers = 77;
    ok(tweed_node_stats_get(pool, s, 1) == 3 && s[0].workers == 1 && s[1].workers == 77,
       "nothing is written behind the array");
    s[0].size = 0;
    ok(tweed_node_stats_get(pool, s, -1) == TWEED_EINVAL &&
           tweed_node_stats_get(pool, NULL, 1) == TWEED_EINVAL &&
           tweed_node_stats_get(pool, s, 1) == TWEED_EINVAL,
       "a negative count, no array, no size");
    tweed_pool_destroy(pool);
    ok(tweed_node_stats_get(pool, NULL, 0) == TWEED_ENOPOOL, "a pool that is none");
}

/* Prints the figures of the second node, so as they stand in the table. */
static int role(const char *what)
{
    tweed_node_stats s[2] = { TWEED_NODE_STATS_INIT, TWEED_NODE_STATS_INIT };

    workers = shares = *what == '2' ? 4 : 2;
    thieves = *what == '2' ? 2 : 1;
    run(NULL, 0);
    if (tweed_node_stats_get(NULL, s, 2) != *what - '0')
        return 1;
    printf("%6d", (int)s[1].node);
#define PRINT(name, title, meaning)                                                     \
    printf(" %*llu", sizeof(title) > 10 ? (int)sizeof(title) - 1 : 9,                   \
           (unsigned long long)s[1].name);
    TWEED_NODE_STATS_FIELDS(PRINT)
#undef PRINT
    printf("\n");
    return 0;
}

static void table(void)
{
    static const char *const two[] = { "TWEED_STATS=1", "TWEED_TOPOLOGY=nodes:2,cpus:2",
                                       NULL };
    static const char *const one[] = { "TWEED_STATS=1", "TWEED_TOPOLOGY=nodes:1,cpus:2",
                                       NULL };
    struct child c;
    char *row;

    if (under_qemu()) {
        skip(2, "qemu cannot execute the test anew");
        return;
    }
    child_run(&c, "2", two, NULL, NULL);
    row = strstr(c.err, "\n  nodes\n");
    ok(child_exited(&c, 0) && strlen(c.out) > 20 && row && strstr(row, c.out),
       "TWEED_STATS=1: a table of nodes");
    if (tap_failed)
        diag("%s in:\n%s", c.out, c.err);
    child_run(&c, "1", one, NULL, NULL);
    ok(child_exited(&c, 0) && strstr(c.err, "in node") && !strstr(c.err, "nodes"),
       "none where there is one");
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return role(argv[1]);
    plan(7 + 1 + 1 + 1 + 4 + 2);
    watchdog();
    shapes();
    some_have_shares();
    begun_alone();
    traced();
    arguments();
    table();
    return done_testing();
}

/*
 * near.c - who has run out steals from near workers before far ones, and counts
 * which of them it was.
 *
 * SPDX-License-Identifier: MIT
 *
 * tweed__topology_get() is wrapped: the machine is made up.  In each loop everybody
 * but one worker stays in its first body until all the rest is done, which that
 * one has to steal: where from, and in which order, is then known.  The look at a
 * victim is wrapped as well: the thief has left it alone for a while before each.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "pools.h"

#include "range/glance.h"
#include "system/topology.h"

#include <stdlib.h>
#include <string.h>

struct tweed__topology *__wrap_tweed__topology_get(void);

static int nodes, cpus, domains; /* CPUs and domains of each node */

/* Nodes in a line, each the farther from another the more are in between. */
struct tweed__topology *__wrap_tweed__topology_get(void)
{
    char text[64];
    const char *wrong;
    struct tweed__topology *t;

    snprintf(text, sizeof text, "nodes:%d,cpus:%d,domains:%d", nodes, cpus, domains);
    t = tweed__topology_parse(text, &wrong);
    for (int k = 0; t && k < nodes * nodes; k++)
        t->distances[k] = 10 + 10 * abs(k / nodes - k % nodes);
    return t;
}

/* ---- a thief leaves its victim alone for a while ---- */

void __real_tweed__range_leave(struct tweed__range *victim, uint32_t blocks);
void __wrap_tweed__range_leave(struct tweed__range *victim, uint32_t blocks);
enum tweed__loot __real_tweed__range_steal(struct tweed__range *victim, int worker,
                                           bool asymmetric, bool insist,
                                           struct tweed__tally *tally,
                                           uint32_t *begin, uint32_t *end);
enum tweed__loot __wrap_tweed__range_steal(struct tweed__range *victim, int worker,
                                           bool asymmetric, bool insist,
                                           struct tweed__tally *tally,
                                           uint32_t *begin, uint32_t *end);

static _Thread_local const struct tweed__range *left;
static atomic_int looks, rash; /* at victims; without having left them alone */

void __wrap_tweed__range_leave(struct tweed__range *victim, uint32_t blocks)
{
    left = blocks > 0 ? victim : NULL;
    __real_tweed__range_leave(victim, blocks);
}

enum tweed__loot __wrap_tweed__range_steal(struct tweed__range *victim, int worker,
                                           bool asymmetric, bool insist,
                                           struct tweed__tally *tally,
                                           uint32_t *begin, uint32_t *end)
{
    looks++;
    rash += left != victim;
    left = NULL;
    return __real_tweed__range_steal(victim, worker, asymmetric, insist, tally, begin,
                                     end);
}

#define SHARE 50
#define MOST 16

static int workers, thief;
static atomic_int arrived, done;
static int order[MOST]; /* whose shares the thief has met, one after the other */
static int met;

/* Everybody has the first index of its own share before anybody goes on. */
static void body(int64_t i, void *arg)
{
    int owner = (int)i / SHARE, me = tweed_worker_index();

    (void)arg;
    if (i % SHARE == 0) {
        atomic_fetch_add(&arrived, 1);
        while (atomic_load(&arrived) < workers)
            nap_us(20);
    }
    if (me == thief && (met == 0 || order[met - 1] != owner) && met < MOST)
        order[met++] = owner;
    atomic_fetch_add(&done, 1);
    if (me != thief) {
        atomic_fetch_sub(&done, 1);
        while (atomic_load(&done) < workers * SHARE - (workers - 1))
            nap_us(20);
    }
}

/* One loop; what it counted for the thief. */
static tweed_stats steal_on(int num_nodes, int num_cpus, int num_domains, int who)
{
    tweed_stats s = TWEED_STATS_INIT;
    tweed_pool *pool;

    nodes = num_nodes;
    cpus = num_cpus;
    domains = num_domains;
    workers = nodes * cpus;
    thief = who;
    met = 0;
    atomic_store(&arrived, 0);
    atomic_store(&done, 0);
    pool = pool_of(workers);
    must(tweed_parallel_for_with(pool, NULL, 0, workers * SHARE, body, NULL));
    must(tweed_stats_get(pool, who, &s));
    tweed_pool_destroy(pool);
    return s;
}

static tweed_stats steal_from_all(int num_nodes, int num_cpus, int who)
{
    return steal_on(num_nodes, num_cpus, 1, who);
}

/* The thief began with these shares, in this order, and did not come back to them. */
static int order_is(const char *due)
{
    char text[MOST + 1];
    size_t n = strlen(due);

    for (int k = 0; k < met; k++)
        text[k] = (char)('0' + order[k]);
    text[met] = '\0';
    if (strncmp(text, due, n) == 0 && !strpbrk(text + n, due))
        return 1;
    diag("order %s", text);
    return 0;
}

/* Who stands in a came before all who stand in b. */
static int before(const char *a, const char *b)
{
    int last = -1, first = met;

    for (int k = 0; k < met; k++) {
        if (strchr(a, '0' + order[k]))
            last = k;
        if (strchr(b, '0' + order[k]) && k < first)
            first = k;
    }
    return last >= 0 && last < first;
}

/* Two nodes of two domains of two workers. */
static void test_domains(void)
{
    tweed_stats s = steal_on(2, 4, 2, 1);

    ok(order_is("10") && before("23", "4567") && s.steals_near > 0 && s.steals_far > 0,
       "the own domain first, then the other of the node, then the other node");
    (void)steal_on(2, 4, 2, 6);
    ok(order_is("67") && before("45", "0123"), "the same from the last domain");
    (void)steal_on(1, 6, 2, 3);
    ok(before("345", "012"), "one node: domains of three");
}

int main(void)
{
    tweed_stats s;

    plan(6 + 3 + 1);
    watchdog();
    s = steal_from_all(1, 2, 0);
    ok(s.steals_near > 0 && s.steals_far == 0,
       "two workers of one node: %llu near, %llu far",
       (unsigned long long)s.steals_near, (unsigned long long)s.steals_far);
    s = steal_from_all(2, 1, 1);
    ok(s.steals_near == 0 && s.steals_far > 0,
       "two workers of two nodes: %llu near, %llu far",
       (unsigned long long)s.steals_near, (unsigned long long)s.steals_far);
    (void)steal_from_all(4, 1, 0);
    ok(order_is("0123"), "the first of four nodes in a line");
    (void)steal_from_all(4, 1, 3);
    ok(order_is("3210"), "the last");
    (void)steal_from_all(4, 1, 1);
    ok(order_is("1203"), "one in between: both neighbours, then the end");
    s = steal_from_all(2, 2, 0);
    ok(order_is("01") && s.steals_near > 0 && s.steals_far > 0,
       "two nodes of two workers: the own node first");
    test_domains();
    ok(looks > 0 && rash == 0, "a thief has left each victim alone before it looks");
    return done_testing();
}

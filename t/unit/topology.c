/*
 * topology.c - made-up machines: order, plans, shares, nearness.
 *
 * SPDX-License-Identifier: MIT
 *
 * tweed__topology_get() is wrapped: a team that is started here believes to be
 * on the machine of the test.
 */
#include "config.h"

#include "tap.h"

#include "range/deal.h"
#include "system/plan.h"
#include "pool/team.h"
#include "system/topology.h"

#include <string.h>
#include <tweed.h>

static struct tweed__topology *made_up; /* given away by the next get */

struct tweed__topology *__wrap_tweed__topology_get(void);
struct tweed__topology *__wrap_tweed__topology_get(void)
{
    struct tweed__topology *t = made_up;

    made_up = NULL;
    return t;
}

static struct tweed__topology *parse(const char *text)
{
    const char *wrong;

    return tweed__topology_parse(text, &wrong);
}

static void test_good_forms(void)
{
    static const struct {
        const char *text;
        int nodes, cpus, threads, distance;
    } cases[] = {
        { "nodes:1,cpus:1", 1, 1, 1, 20 },
        { "nodes:2,cpus:4", 2, 8, 1, 20 },
        { "cpus:4,nodes:2", 2, 8, 1, 20 },
        { "nodes:2,cpus:4,threads:2", 2, 8, 2, 20 },
        { "distance:33,threads:4,nodes:3,cpus:8", 3, 24, 4, 33 },
        { "nodes:1024,cpus:3", 1024, 3072, 1, 20 },
        { "nodes:1,cpus:4094", 1, 4094, 1, 20 },
        { "nodes:2,cpus:2,distance:10", 2, 4, 1, 10 },
        { "nodes:2,cpus:2,distance:255", 2, 4, 1, 255 },
        { "nodes:2,cpus:8,domains:4,threads:2", 2, 16, 2, 20 },
        { "nodes:2,cpus:1,sockets:2,near:12,distance:32", 2, 2, 1, 32 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *wrong = "";
        struct tweed__topology *t =
            tweed__topology_parse(cases[i].text, &wrong);
        int good = t && !wrong && t->num_nodes == cases[i].nodes &&
                   t->num_cpus == cases[i].cpus && t->synthetic;

        for (int c = 0; good && c < t->num_cpus; c++)
            good = t->cpus[c].thread < cases[i].threads &&
                   t->cpus[c].node == c / (cases[i].cpus / cases[i].nodes);
        for (int k = 0; good && k < t->num_nodes * t->num_nodes; k++)
            good = t->distances[k] == (k % (t->num_nodes + 1) == 0
                                           ? 10
                                           : cases[i].distance);
        ok(good, "'%s' is understood", cases[i].text);
        tweed__topology_free(t);
    }
}

static void test_bad_forms(void)
{
    static const struct {
        const char *text, *wrong;
    } cases[] = {
        { "", "each part is" },
        { "nodes:2", "cpus: is missing" },
        { "cpus:2", "nodes: is missing" },
        { "nodes:2,cpus:", "cpus: takes 1 to 4096" },
        { "nodes:,cpus:2", "nodes: takes 1 to 1024" },
        { "nodes:0,cpus:2", "nodes: takes 1 to 1024" },
        { "nodes:-1,cpus:2", "nodes: takes" },
        { "nodes:2,cpus:0", "cpus: takes" },
        { "nodes:2,cpus:4,", "each part is" },
        { ",nodes:2,cpus:4", "each part is" },
        { "nodes:2;cpus:4", "commas" },
        { "nodes:2,cpus:4 ", "commas" },
        { "nodes: 2,cpus:4", "nodes: takes" },
        { "nodes:+2,cpus:4", "nodes: takes" },
        { "nodes:2,nodes:2,cpus:4", "nodes: is given twice" },
        { "nodes:2,cpus:4,threads:3", "no multiple of threads:" },
        { "nodes:2,cpus:4,threads:0", "threads: takes 1 to 16" },
        { "nodes:2,cpus:32,threads:32", "threads: takes" },
        { "nodes:2,cpus:4,distance:9", "distance: takes 10 to 255" },
        { "nodes:2,cpus:4,distance:256", "distance: takes" },
        { "nodes:1025,cpus:1", "nodes: takes" },
        { "nodes:1,cpus:4097", "cpus: takes" },
        { "nodes:1024,cpus:4", "4094 at most" },
        { "nodes:99999999999999999999,cpus:1", "nodes: takes" },
        { "nodes:2,cpus:4,cores:2", "each part is" },
        { "nodes:2,cpus:0x4", "cpus: takes" },
        { "nodes:2,cpus:4x", "commas" },
        { "garbage", "each part is" },
        { "nodes:2,cpus:4,domains:0", "domains: takes 1 to 4096" },
        { "nodes:2,cpus:4,domains:2,domains:2", "domains: is given twice" },
        { "nodes:2,cpus:4,domains:3", "no multiple of domains: times threads:" },
        { "nodes:2,cpus:8,threads:4,domains:4", "no multiple of domains:" },
        { "nodes:2,cpus:4,small:5", "small: is more than cpus:" },
        { "nodes:2,cpus:4,small:1,threads:2", "no multiple of threads:" },
        { "nodes:2,cpus:4,small:2,domains:2", "do not go together" },
        { "nodes:2,cpus:4,small:2,capacity:0", "capacity: takes 1 to 1024" },
        { "nodes:2,cpus:4,sockets:0", "sockets: takes 1 to 1024" },
        { "nodes:3,cpus:4,sockets:2", "no multiple of sockets:" },
        { "nodes:2,cpus:4,near:9", "near: takes 10 to 255" },
        { "nodes:2,cpus:4,near:10,near:10", "near: is given twice" },
    };
    int good = 1;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *wrong = NULL;
        struct tweed__topology *t =
            tweed__topology_parse(cases[i].text, &wrong);

        if (t || !wrong || !strstr(wrong, cases[i].wrong)) {
            diag("'%s': %s", cases[i].text, wrong ? wrong : "was taken");
            good = 0;
        }
        tweed__topology_free(t);
    }
    ok(good, "bad forms are refused, all %zu, and what is wrong is told",
       sizeof cases / sizeof *cases);
}

/* Fills in what a test needs: nodes with these numbers, CPUs dealt to the nodes
   in turn, as some firmware numbers them. */
static struct tweed__topology *machine(int num_nodes, const int *nodes,
                                       const int *distances, int num_cpus)
{
    struct tweed__topology *t = calloc(1, sizeof *t);

    t->num_nodes = num_nodes;
    t->num_cpus = num_cpus;
    t->cpus = calloc((size_t)num_cpus, sizeof *t->cpus);
    t->nodes = calloc((size_t)num_nodes, sizeof *t->nodes);
    t->distances =
        calloc((size_t)(num_nodes * num_nodes), sizeof *t->distances);
    for (int c = 0; c < num_cpus; c++) {
        t->cpus[c].cpu = c;
        t->cpus[c].node = c % num_nodes;
        t->cpus[c].core = c;
    }
    for (int i = 0; i < num_nodes; i++)
        t->nodes[i] = nodes[i];
    for (int i = 0; i < num_nodes * num_nodes; i++)
        t->distances[i] = distances[i];
    t->synthetic = true;
    t->source = "a test";
    return t;
}

/* Distances that are not symmetric: the way from 0 says 7 is near, the way back
   says it is far. */
static const int odd_nodes[] = { 0, 3, 5, 7 };
static const int odd_distances[] = {
    /* to:  0   3   5   7 */
    10, 40, 30, 20, /* from 0 */
    20, 10, 30, 40, /* from 3 */
    20, 40, 10, 30, /* from 5 */
    60, 50, 30, 10, /* from 7 */
};

static void test_order(void)
{
    struct tweed__topology *t = machine(4, odd_nodes, odd_distances, 8);
    /* 0, from there 7 (20), from there 5 (30), then 3 is left */
    static const int order[] = { 0, 7, 5, 3 };
    int good = 1, same = 1;

    tweed__topology_order(t);
    for (int i = 0; i < 4; i++)
        good &= t->nodes[i] == order[i];
    ok(good, "each node is the nearest of those left to the one before");
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            same &= tweed__topology_distance(t, odd_nodes[i], odd_nodes[j]) ==
                    odd_distances[i * 4 + j];
    ok(same, "distances went with their nodes, both ways");
    good = 1;
    for (int c = 0; c < 8; c++) /* CPU c is on the node odd_nodes[c % 4] */
        good &= t->nodes[t->cpus[c].node] == odd_nodes[t->cpus[c].cpu % 4] &&
                t->cpus[c].node == c / 2 &&
                (c % 2 == 0 || t->cpus[c].cpu > t->cpus[c - 1].cpu);
    ok(good, "CPUs stand node by node, and stayed on theirs");
    tweed__topology_free(t);
}

/* As the kernel may list them: by no order that helps. */
static void test_ties(void)
{
    static const int nodes[] = { 0, 9, 4, 6 };
    static const int distances[] = { 10, 20, 20, 20, 20, 10, 20, 20,
                                     20, 20, 10, 20, 20, 20, 20, 10 };
    struct tweed__topology *t = machine(4, nodes, distances, 8);

    tweed__topology_order(t);
    ok(t->nodes[0] == 0 && t->nodes[1] == 4 && t->nodes[2] == 6 &&
           t->nodes[3] == 9,
       "equally near: the least number comes next");
    tweed__topology_free(t);
}

/* The domain of each CPU in its order, as text. */
static const char *domains_of(const struct tweed__topology *t)
{
    static char text[64];

    for (int i = 0; i < t->num_cpus && i < (int)sizeof text - 1; i++) {
        text[i] = (char)('a' + t->cpus[i].domain);
        text[i + 1] = '\0';
    }
    return text;
}

static void domains_are(const char *machine_text, const char *keep, const char *expected)
{
    struct tweed__topology *t = parse(machine_text);

    if (keep)
        tweed__topology_keep(t, keep);
    if (!ok(strcmp(domains_of(t), expected) == 0, "%s%s%s: domains %s", machine_text,
            keep ? ", CPUs " : "", keep ? keep : "", expected))
        diag("got %s", domains_of(t));
    tweed__topology_free(t);
}

static void test_domains(void)
{
    struct tweed__topology *t = parse("nodes:4,cpus:1,sockets:2,near:12,distance:32");
    static const int due[] = { 10, 12, 32, 32, 12, 10, 32, 32,
                               32, 32, 10, 12, 32, 32, 12, 10 };

    ok(memcmp(t->distances, due, sizeof due) == 0, "distances within and between sockets");
    tweed__topology_free(t);
    domains_are("nodes:2,cpus:4", NULL, "aaaabbbb");
    domains_are("nodes:2,cpus:4,domains:2", NULL, "aabbccdd");
    domains_are("nodes:1,cpus:8,domains:2,threads:2", NULL, "aaaabbbb");
    /* a cache of one core is no domain */
    domains_are("nodes:2,cpus:4,domains:4", NULL, "aaaabbbb");
    domains_are("nodes:2,cpus:4,domains:2,threads:2", NULL, "aaaabbbb");
    /* what is left of them */
    domains_are("nodes:2,cpus:4,domains:2", "0-3,5-6", "aabbcc");
    domains_are("nodes:2,cpus:4,domains:2", "2-5", "aabb");
    domains_are("nodes:1,cpus:6,domains:2", "0,2-5", "aabbb");
    domains_are("nodes:1,cpus:9,domains:3", "0,3-7", "aaabbc");
}

/* The nodes of a plan's workers, and how many share a CPU, as text. */
static const char *plan_text(const struct tweed__topology *t, int n)
{
    static char text[1024];
    struct tweed__plan p;
    size_t at = 0;

    if (!tweed__plan_make(&p, t, n))
        return "no memory";
    for (int w = 0; w < n && at < sizeof text - 16; w++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%d:%d",
                               w ? " " : "", t->nodes[p.workers[w].node],
                               p.workers[w].cpu);
    tweed__plan_free(&p);
    return text;
}

static void plan_is(const char *machine_text, int n, const char *expected)
{
    struct tweed__topology *t = parse(machine_text);
    const char *text = plan_text(t, n);

    if (!ok(strcmp(text, expected) == 0, "%d workers on %s: %s", n,
            machine_text, expected))
        diag("got %s", text);
    tweed__topology_free(t);
}

static void test_plans(void)
{
    plan_is("nodes:2,cpus:2", 4, "0:0 0:1 1:2 1:3");
    /* hardware threads: 0 and 2 and 4 and 6 are the cores */
    plan_is("nodes:2,cpus:4,threads:2", 4, "0:0 0:2 1:4 1:6");
    plan_is("nodes:2,cpus:4,threads:2", 2, "0:0 0:2");
    plan_is("nodes:2,cpus:4,threads:2", 6, "0:0 0:2 0:1 0:3 1:4 1:6");
    plan_is("nodes:2,cpus:4,threads:2", 8, "0:0 0:2 0:1 0:3 1:4 1:6 1:5 1:7");
    plan_is("nodes:2,cpus:2", 1, "0:0");
    plan_is("nodes:2,cpus:2", 3, "0:0 0:1 1:2");
    plan_is("nodes:2,cpus:2", 6, "0:0 0:0 0:1 1:2 1:2 1:3");
    plan_is("nodes:1,cpus:1", 3, "0:0 0:0 0:0");
    /* domain by domain, but cores first all the same */
    plan_is("nodes:1,cpus:8,domains:2,threads:2", 8,
            "0:0 0:2 0:1 0:3 0:4 0:6 0:5 0:7");
    plan_is("nodes:1,cpus:8,domains:2,threads:2", 5, "0:0 0:2 0:1 0:4 0:6");
}

/* Whatever the machine: workers node by node, no CPU twice while there are
   others, no second hardware thread while there are cores; and the shares of a
   node's workers are together what its workers' part of the loop is. */
static int plan_is_sound(const struct tweed__topology *t, int n)
{
    struct tweed__plan p;
    int good = tweed__plan_make(&p, t, n), cores = 0, on_core = 0;
    uint32_t blocks = 100003;

    for (int c = 0; c < t->num_cpus; c++)
        cores += t->cpus[c].thread == 0;
    for (int w = 0; w < n; w++)
        on_core += p.workers[w].thread == 0;
    if (n <= t->num_cpus) {
        good &= on_core == (n < cores ? n : cores);
        for (int v = 0; v < n; v++)
            for (int w = 0; w < v; w++)
                good &= p.workers[v].cpu != p.workers[w].cpu;
    } else {
        for (int c = 0; c < t->num_cpus; c++) {
            int here = 0;

            for (int w = 0; w < n; w++)
                here += p.workers[w].cpu == t->cpus[c].cpu;
            good &= here == n / t->num_cpus || here == n / t->num_cpus + 1;
        }
    }
    for (int w = 1; w < n; w++)
        good &= p.workers[w].node >= p.workers[w - 1].node;
    for (int from = 0, to; from < n; from = to) {
        for (to = from; to < n && p.workers[to].node == p.workers[from].node;)
            to++;
        uint32_t got = partition_begin(blocks, (uint32_t)to, (uint32_t)n) -
                       partition_begin(blocks, (uint32_t)from, (uint32_t)n);
        uint64_t due = (uint64_t)blocks * (uint32_t)(to - from) / (uint32_t)n;

        good &= got == due || got == due + 1;
    }
    tweed__plan_free(&p);
    return good;
}

static void test_all_plans(void)
{
    static const char *const machines[] = {
        "nodes:1,cpus:1", "nodes:1,cpus:6,threads:2", "nodes:3,cpus:2",
        "nodes:4,cpus:4,threads:4", "nodes:5,cpus:6,threads:3",
        "nodes:2,cpus:12,domains:3,threads:2"
    };

    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        struct tweed__topology *t = parse(machines[m]);
        int good = 1;

        for (int n = 1; n <= 70; n++)
            good &= plan_is_sound(t, n);
        ok(good, "1 to 70 workers on %s: sound plans", machines[m]);
        tweed__topology_free(t);
    }
}

static void test_capacity(void)
{
    struct tweed__topology *t = parse("nodes:2,cpus:4");
    static const struct {
        int64_t quota;
        int workers;
    } cases[] = { { 0, 8 },    { 1, 1 },    { 999, 1 },     { 1000, 1 },
                  { 1001, 2 }, { 1500, 2 }, { 7001, 8 },    { 8000, 8 },
                  { 8001, 8 }, { 7000, 7 }, { INT64_MAX, 8 } };
    int good = 1;

    ok(tweed__topology_workers(t) == 8,
       "a made-up machine has a worker a CPU, whatever the quota");
    t->synthetic = false; /* as if it were the real one */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t c;

        t->quota = cases[i].quota;
        c = tweed__topology_capacity(t);
        good &= tweed__topology_workers(t) == cases[i].workers &&
                c == (t->quota && t->quota < 8000 ? t->quota : 8000);
    }
    ok(good, "no more workers than the quota pays for, rounded up");
    t->quota = 0;
    t->num_cpus = TWEED__MAX_WORKERS + 1; /* counted, not looked at */
    ok(tweed__topology_workers(t) == TWEED__MAX_WORKERS,
       "more CPUs than workers can be");
    tweed__topology_free(t);
}

/* Row g of nearness, as nodes. */
static int row_is(struct tweed__team *team, int g, const int *nodes)
{
    for (int k = 0; k < team->num_groups; k++) {
        int at = team->nearness[g * team->num_groups + k];

        if (team->groups[at].node != nodes[k])
            return 0;
    }
    return 1;
}

static struct tweed__team *team_on(struct tweed__topology *t, int workers)
{
    struct tweed__settings s = { .num_workers = workers,
                                 .bind = TWEED_BIND_CPU,
                                 .name = "test" };

    made_up = t;
    return tweed__team_start(&s);
}

static void test_nearness(void)
{
    struct tweed__topology *t = machine(4, odd_nodes, odd_distances, 8);
    static const int from_0[] = { 0, 7, 5, 3 }, from_7[] = { 7, 5, 3, 0 };
    static const int from_5[] = { 5, 0, 7, 3 }, from_3[] = { 3, 0, 5, 7 };

    tweed__topology_order(t);

    struct tweed__team *team = team_on(t, 8);
    int good = team->num_workers == 8 && team->num_groups == 4;

    for (int i = 0; good && i < 8; i++) {
        struct tweed__worker *w = team->workers[i];
        struct tweed__group *g = &team->groups[w->group];

        good = w->index == i && i >= g->begin && i < g->end &&
               g->node == w->node && g->end - g->begin == 2;
    }
    ok(good, "8 workers on 4 nodes: groups of two");
    ok(good && row_is(team, 0, from_0) && row_is(team, 1, from_7) &&
           row_is(team, 2, from_5) && row_is(team, 3, from_3),
       "each group's row: itself, then the others by distance from it");
    tweed__team_end(team);

    team = team_on(parse("nodes:4,cpus:2"), 8);
    good = team->num_groups == 4;
    for (int g = 0; good && g < 4; g++)
        for (int k = 0; k < 4; k++)
            good &= team->nearness[g * 4 + k] == (g + k) % 4;
    ok(good, "all equally far: each begins with its next neighbour");
    tweed__team_end(team);

    team = team_on(parse("nodes:8,cpus:1,sockets:2,near:12"), 8);
    good = team->num_groups == 8;
    for (int g = 0; good && g < 4; g++)
        good = team->nearness[g * 8 + 4] == 4 + g && team->nearness[(4 + g) * 8 + 4] == g;
    ok(good, "four are equally far from four others: each begins with another one");
    tweed__team_end(team);

    /* fewer workers than nodes: groups where there are workers only */
    team = team_on(parse("nodes:8,cpus:1"), 3);
    ok(team->num_workers == 3 && team->num_groups == 3 &&
           team->groups[2].node == 2 && team->groups[2].end == 3,
       "3 workers on 8 nodes: 3 groups");
    tweed__team_end(team);
}

/* How many of 1,000 indices each of n workers has, who are bound so, on the CPUs `keep`;
   NULL: on all. */
static void shares_on(const char *machine_text, const char *keep, int n, int bind,
                      const char *expected)
{
    struct tweed__topology *t = parse(machine_text);
    struct tweed__plan p;
    char text[256] = "";
    uint32_t end = 0;

    if (keep)
        tweed__topology_keep(t, keep);
    if (tweed__plan_make(&p, t, n)) {
        tweed__plan_arrange(&p, t, n, bind);
        struct tweed__deal s = deal_of(NULL, p.uneven ? p.before : NULL,
                                           partition_window(n, 0, 1000, 0, 0), n, 1000);

        for (int w = 0; w < n; w++) {
            uint32_t begin = end;

            end = deal_next(&s);
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u",
                     w ? " " : "", end - begin);
        }
        tweed__plan_free(&p);
    }
    if (!ok(strcmp(text, expected) == 0, "%d workers on %s%s%s: shares %s", n, machine_text,
            keep ? ", CPUs " : "", keep ? keep : "", expected))
        diag("got %s", text);
    tweed__topology_free(t);
}

static void shares_are(const char *machine_text, int n, int bind, const char *expected)
{
    shares_on(machine_text, NULL, n, bind, expected);
}

static void test_powers(void)
{
    shares_are("nodes:1,cpus:4,small:2,capacity:512", 4, TWEED_BIND_CPU,
               "333 333 167 167");
    /* moved about: alike */
    shares_are("nodes:1,cpus:4,small:2,capacity:512", 4, TWEED_BIND_NODE,
               "250 250 250 250");
    /* the second core has one thread at work, and that does 48 / 30 as much */
    shares_are("nodes:1,cpus:4,threads:2", 3, TWEED_BIND_CPU, "277 445 278");
    shares_are("nodes:1,cpus:4,threads:2", 4, TWEED_BIND_CPU, "250 250 250 250");
    /* more workers than CPUs */
    shares_are("nodes:1,cpus:3,small:1,capacity:512", 4, TWEED_BIND_NODE,
               "250 250 250 250");
    /* and than those of a part of the machine: a node of large ones, and one of small ones.
       Fails if make_powers() does not compare their numbers */
    shares_on("nodes:2,cpus:4,small:2", "0-1,6-7", 8, TWEED_BIND_NODE,
              "125 125 125 125 125 125 125 125");
    shares_on("nodes:2,cpus:4,small:2", "0-1,6-7", 8, TWEED_BIND_CPU,
              "125 125 125 125 125 125 125 125");
    shares_on("nodes:2,cpus:4,small:2", "0-1,6-7", 4, TWEED_BIND_NODE,
              "314 314 186 186");
}

int main(void)
{
    plan(11 + 1 + 3 + 1 + 10 + 11 + 6 + 3 + 5 + 8);
    test_good_forms();
    test_bad_forms();
    test_order();
    test_ties();
    test_domains();
    test_plans();
    test_all_plans();
    test_capacity();
    test_nearness();
    test_powers();
    return done_testing();
}

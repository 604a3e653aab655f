/*
 * simulate.c - a loop, or a tree of tasks, on as many workers as one likes: how long
 * it takes, and what it takes.
 *
 * SPDX-License-Identifier: MIT
 *
 *     make simulate && t/sim/simulate [name=value ...]     (help: the names)
 *
 * What the simulation includes and what it leaves out: cost.h.  The library
 * under it is the one that ships.  Workers: up to 4,094, the library's most.
 *
 * One row for each number of workers.  ideal: max(work / workers, the longest
 * body), which nothing can beat; excess: what the loop took beyond that, in %
 * of it and in mean bodies.  Theory for comparison (Graham 1966: any schedule
 * in which nobody idles while there is work takes at most work / P + (1 - 1/P)
 * times the longest body; the others hold for smooth loads):
 *
 *     steals     O(P log(N / P)): a range of r blocks lives through at most
 *                2.41 log2 r steals of a quarter.  "bound" is P times that.
 *     returns    at most one for each range that was drained: P + steals
 *
 * body=tasks: the indices are the leaves of a tree of tasks, which divides them in
 * halves down to one.  Then "bound" is P times the tree's depth (Blumofe and Leiserson
 * 1999: that many steals are expected, but for a factor), and instead of proposals and
 * returns there is what joins have stolen, and given back.
 *
 * Each row is checked: every index once, makespan not below the ideal, and what
 * the library has counted (steals, fences, wakes) is what the machine has seen.
 * Exit status 1 if not, 2 for bad arguments.
 */
#include "config.h"

#include "cost.h"
#include "load.h"
#include "partition.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what is asked for ---- */

#define MOST_ROWS 64

static int64_t n = 100000;
static double mean = 1000, heavy = 100, part = 100, gap, grain, nodes;
static double seed = 1;
static double spin = 20000, json, sites;
static const char *load = "constant", *body_kind = "index";
static const char *fence_mode = "membarrier";
static int rows[MOST_ROWS], num_rows;

static const struct number {
    const char *name;
    double *value, least, most;
    const char *meaning;
} numbers[] = {
    { "mean", &mean, 0, 1e9, "ns that a body takes" },
    { "heavy", &heavy, 0, 1e9, "how much longer heavy ones take" },
    { "part", &part, 1, 1e9, "one in so many is in the heavy block" },
    { "grain", &grain, 0, 1e9, "indices that stay together; 0: the default" },
    { "nodes", &nodes, 0, 1024, "NUMA nodes; 0: one for each 64 workers" },
    { "gap", &gap, 0, 1e9, "ns between the start of the threads and the loop" },
    { "spin", &spin, 0, 1e9, "ns to spin before sleeping" },
    { "seed", &seed, 0, 1e15, "of loads that are drawn" },
    { "sites", &sites, 0, 500, "so many places in lib/ where most time goes" },
    { "json", &json, 0, 1, "1: a line of JSON after each row" },
#define COST_NUMBER(name, standard, meaning)                                   \
    { #name, &costs.name, 0, 1e9, meaning },
    COSTS(COST_NUMBER)
#undef COST_NUMBER
};
#define NUMBERS (sizeof numbers / sizeof numbers[0])

static void help(void)
{
    printf("usage: simulate [name=value ...]\n"
           "  n=%" PRId64 "  indices, 1 to 10000000\n"
           "  workers=LIST  1 to %d each; 1,2,4,...,1024\n"
           "  load=%s  %s\n"
           "  body=%s  index|range|tasks\n"
           "  fence=%s  membarrier|exchange\n",
           n, TWEED__MAX_WORKERS, load, LOADS, body_kind, fence_mode);
    for (size_t k = 0; k < NUMBERS; k++)
        printf("  %s=%g  %s\n", numbers[k].name, *numbers[k].value,
               numbers[k].meaning);
}

static _Noreturn void refuse(const char *argument, const char *expected)
{
    fprintf(stderr, "simulate: %s: expected %s\n", argument, expected);
    exit(2);
}

static double number_in(const char *argument, const char *text, double least,
                        double most, char stop, const char **rest)
{
    char *end, expected[64];
    double x = strtod(text, &end);

    if (end == text || (*end && *end != stop) || !(x >= least && x <= most)) {
        snprintf(expected, sizeof expected, "a number from %.9g to %.9g", least,
                 most);
        refuse(argument, expected);
    }
    if (rest)
        *rest = end;
    return x;
}

static void read_rows(const char *argument, const char *text)
{
    for (num_rows = 0;; text++) {
        if (num_rows == MOST_ROWS)
            refuse(argument, "fewer numbers");
        rows[num_rows++] = (int)number_in(argument, text, 1,
                                          TWEED__MAX_WORKERS, ',', &text);
        if (*text == '\0')
            return;
    }
}

static void read_word(const char *argument, const char *value, const char *a,
                      const char *b, const char **word)
{
    char expected[64];

    snprintf(expected, sizeof expected, "%s or %s", a, b);
    if (strcmp(value, a) != 0 && strcmp(value, b) != 0)
        refuse(argument, expected);
    *word = value;
}

static void read_argument(const char *argument)
{
    const char *sign = strchr(argument, '=');
    size_t length = sign ? (size_t)(sign - argument) : 0;
    const char *value = sign ? sign + 1 : "";

#define IS(name) (length == strlen(name) && memcmp(argument, name, length) == 0)
    if (IS("n"))
        n = (int64_t)number_in(argument, value, 1, 1e7, '\0', NULL);
    else if (IS("workers"))
        read_rows(argument, value);
    else if (IS("load"))
        load = value;
    else if (IS("body") && strcmp(value, "tasks") == 0)
        body_kind = value;
    else if (IS("body"))
        read_word(argument, value, "index", "range", &body_kind);
    else if (IS("fence"))
        read_word(argument, value, "membarrier", "exchange", &fence_mode);
    else {
        for (size_t k = 0; k < NUMBERS; k++)
            if (IS(numbers[k].name)) {
                *numbers[k].value =
                    number_in(argument, value, numbers[k].least,
                              numbers[k].most, '\0', NULL);
                return;
            }
        refuse(argument, "name=value; `simulate help` has the names");
    }
#undef IS
}

/* ---- a loop ---- */

static double *ns;
static unsigned char *count;
static double work, longest;

static struct row {
    int workers;
    double ideal, makespan;
    tweed_stats stats;
} row;
static uint64_t loot; /* ranges stolen, as the machine has seen them */

static _Noreturn void wrong(const char *what)
{
    fprintf(stderr, "simulate: %d workers: %s\n", row.workers, what);
    exit(1);
}

static void body(int64_t i, void *arg)
{
    (void)arg;
    count[i]++;
    cost_spend(costs.call + ns[i]);
}

static void range_body(int64_t begin, int64_t end, void *arg)
{
    double sum = costs.call;

    (void)arg;
    for (int64_t i = begin; i < end; i++) {
        count[i]++;
        sum += ns[i];
    }
    cost_spend(sum);
}

TWEED_TASK(int64_t, leaves, int64_t, lo, int64_t, hi)
{
    int64_t right;

    if (hi - lo == 1) {
        body(lo, NULL);
        return 1;
    }
    TWEED_SPAWN(leaves, lo, lo + (hi - lo) / 2);
    right = TWEED_CALL(leaves, lo + (hi - lo) / 2, hi);
    return TWEED_SYNC(leaves) + right;
}

static bool is_tree(void)
{
    return strcmp(body_kind, "tasks") == 0;
}

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

enum tweed__loot __wrap_tweed__range_steal(struct tweed__range *victim,
                                           int worker, bool asymmetric,
                                           bool insist,
                                           struct tweed__tally *tally,
                                           uint32_t *begin, uint32_t *end)
{
    enum tweed__loot result = __real_tweed__range_steal(
        victim, worker, asymmetric, insist, tally, begin, end);

    loot += result == TWEED__LOOT;
    return result;
}

enum tweed__loot __real_tweed__deque_steal(struct tweed__deque *d, int worker,
                                           bool asymmetric,
                                           struct tweed__tally *tally, uint32_t *at);
enum tweed__loot __wrap_tweed__deque_steal(struct tweed__deque *d, int worker,
                                           bool asymmetric,
                                           struct tweed__tally *tally, uint32_t *at);

enum tweed__loot __wrap_tweed__deque_steal(struct tweed__deque *d, int worker,
                                           bool asymmetric,
                                           struct tweed__tally *tally, uint32_t *at)
{
    enum tweed__loot result =
        __real_tweed__deque_steal(d, worker, asymmetric, tally, at);

    loot += result == TWEED__LOOT;
    return result;
}

static tweed_stats look(tweed_pool *pool)
{
    tweed_stats s = { .size = sizeof s };

    cost_stop();
    if (tweed_stats_get(pool, -1, &s) != TWEED_OK)
        wrong("no statistics");
    cost_go_on();
    return s;
}

/* What the library counted, now that everybody sleeps. */
static void compare(const tweed_stats *s)
{
    if (s->indices != (is_tree() ? 0 : (uint64_t)n))
        wrong("the library has counted other indices");
    if (s->steals_near + s->steals_far + s->tasks_stolen_near + s->tasks_stolen_far !=
        loot)
        wrong("the library has counted other steals");
    if (s->heavy_fences != cost_seen.fences)
        wrong("the library has counted other fences");
    if (s->wakes != cost_seen.wakes)
        wrong("the library has counted other wakes");
}

static int run(tweed_pool *pool)
{
    tweed_loop_options o = { .size = sizeof o, .grain = (int64_t)grain };

    if (is_tree())
        return TWEED_RUN_ON(pool, leaves, 0, n) == n ? TWEED_OK : TWEED_EINVAL;
    return strcmp(body_kind, "range") == 0
               ? tweed_parallel_for_range_with(pool, &o, 0, n, range_body, NULL)
               : tweed_parallel_for_with(pool, &o, 0, n, body, NULL);
}

static void *measure(void *arg)
{
    tweed_pool_options p = { .size = sizeof p, .num_workers = row.workers,
                             .spin_ns = spin > 0 ? (int64_t)spin : -1 };
    tweed_pool *pool;
    tweed_stats before;
    double start;
    int code;

    (void)arg;
    p.fence = strcmp(fence_mode, "exchange") == 0 ? TWEED_FENCE_EXCHANGE
                                                  : TWEED_FENCE_MEMBARRIER;
    if (tweed_pool_create(&pool, &p) != TWEED_OK ||
        tweed_pool_num_workers(pool) != row.workers)
        wrong("no pool");
    cost_spend(gap);
    policy_turn(BODY, NULL, NULL); /* the others catch up */
    before = look(pool);
    cost_sites_forget();
    start = cost_clock();
    code = run(pool);
    row.makespan = cost_clock() - start;
    row.stats = look(pool);
    if (sites > 0)
        cost_sites_print((int)sites, row.makespan * row.workers);
#define SUBTRACT(name, title, meaning) row.stats.name -= before.name;
    TWEED_STATS_FIELDS(SUBTRACT)
#undef SUBTRACT
    if (code != TWEED_OK)
        wrong("the loop is refused, or a task is lost");
    cost_spend(1e9 + 100 * spin);
    policy_turn(BODY, NULL, NULL); /* all fall asleep */
    before = look(pool);
    compare(&before);
    if (tweed_pool_destroy(pool) != TWEED_OK)
        wrong("the pool is not destroyed");
    return NULL;
}

static void check_row(void)
{
    for (int64_t i = 0; i < n; i++)
        if (count[i] != 1)
            wrong("an index was not executed once");
    if (row.makespan < row.ideal * (1 - 1e-9))
        wrong("faster than the ideal");
}

/* ---- the table ---- */

static const char *const titles[] = {
    "workers", "ideal us", "makespan us", "excess %", "bodies", "near", "far",
    "bound", "failed", "proposals", "fences", "returns", "wakes", "sleeps"
};
static const char *const tree_titles[] = { [9] = "by joins", [11] = "given", [13] = NULL };
static const int widths[] = { 7, 11, 11, 9, 9, 8, 8, 8, 9, 9, 8, 8, 8, 8 };

static void print_titles(void)
{
    for (size_t c = 0; c < sizeof widths / sizeof widths[0]; c++)
        printf("%s%*s", c ? " " : "", widths[c],
               is_tree() && tree_titles[c] ? tree_titles[c] : titles[c]);
    printf("\n");
}

/* As loop.c cuts it. */
static double cut_grain(void)
{
    return (double)partition_grain((uint64_t)n, (uint64_t)grain);
}

static void print_row(void)
{
    const tweed_stats *s = &row.stats;
    double excess = row.makespan - row.ideal;
    double share = ceil((double)n / cut_grain()) / row.workers;
    double bound = is_tree()   ? row.workers * ceil(log2((double)n))
                   : share > 1 ? 2.41 * row.workers * log2(share)
                               : 0;
    bool tree = is_tree();

    printf("%7d %11.2f %11.2f %9.2f %9.2f %8" PRIu64 " %8" PRIu64 " %8.0f"
           " %9" PRIu64 " %9" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64
           " %8" PRIu64 "\n",
           row.workers, row.ideal / 1000, row.makespan / 1000,
           row.ideal > 0 ? 100 * excess / row.ideal : 0,
           work > 0 ? excess / (work / (double)n) : 0,
           tree ? s->tasks_stolen_near : s->steals_near,
           tree ? s->tasks_stolen_far : s->steals_far, bound, s->failed_probes,
           tree ? s->tasks_helped : s->proposals, s->heavy_fences,
           tree ? s->tasks_returned : s->returns, s->wakes, s->sleeps);
    if (json == 0)
        return;
    printf("{\"workers\": %d, \"ideal_ns\": %.3f, \"makespan_ns\": %.3f",
           row.workers, row.ideal, row.makespan);
#define PRINT(name, title, meaning)                                            \
    printf(", \"" #name "\": %" PRIu64, s->name);
    TWEED_STATS_FIELDS(PRINT)
#undef PRINT
    printf("}\n");
}

/* In a process of its own: a row depends on no other. */
static int run_row(int workers)
{
    int status, groups = nodes > 0 ? (int)nodes : (workers + 63) / 64;
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        row.workers = workers;
        row.ideal = work / workers > longest ? work / workers : longest;
        machine_topology(workers, groups < workers ? groups : workers);
        machine_run(measure, NULL);
        check_row();
        print_row();
        fflush(stdout);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    int status = 0;

    if (argc == 2 && strcmp(argv[1], "help") == 0) {
        help();
        return 0;
    }
    read_rows("workers", "1,2,4,8,16,32,64,128,256,512,1024");
    for (int k = 1; k < argc; k++)
        read_argument(argv[k]);
    ns = malloc((size_t)n * sizeof *ns);
    count = calloc((size_t)n, 1);
    if (!ns || !count ||
        !load_fill(ns, n, load, mean, heavy, part, (uint64_t)seed))
        return 2;
    for (int64_t i = 0; i < n; i++) {
        work += ns[i];
        longest = ns[i] > longest ? ns[i] : longest;
    }
    printf("%" PRId64 " indices, load %s, mean %.1f ns, longest %.1f ns, grain "
           "%.0f, %s bodies, fence %s\n",
           n, load, work / (double)n, longest, grain, body_kind, fence_mode);
    print_titles();
    for (int k = 0; k < num_rows && status == 0; k++)
        status = run_row(rows[k]);
    return status;
}

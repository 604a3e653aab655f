/*
 * simulate.c - a loop, a tree of tasks, or submitted tasks, on as many workers as one
 * likes: how long it takes, and what it takes.
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
 * body=groups and so on: see run.h.  There the columns of proposals and returns are what
 * came from the submission queue, and what was refused or dropped.  Callers from outside are
 * threads beside the workers, and help when they wait: so the ideal is that of all these.
 *
 * Each row is checked: every index once (none twice, and those that were accepted and not
 * dropped, where the pool is closed), makespan not below the ideal, and what
 * the library has counted (steals, fences, wakes) is what the machine has seen.
 * Exit status 1 if not, 2 for bad arguments.
 */
#include "config.h"

#include "cost.h"
#include "load.h"
#include "range/deal.h"
#include "run.h"

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
static double seed = 1, loops = 1;
static double spin = 20000, json, sites, callers = 1, close_at = 0.5;
static const char *load = "constant";
static const struct program *program;
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
    { "grain", &grain, 0, 1e9, "indices that stay together, or tasks of a batch; 0: the default" },
    { "callers", &callers, 1, 8, "threads from outside that submit" },
    { "close_at", &close_at, 0, 2, "when the pool is closed, in ideal times" },
    { "nodes", &nodes, 0, 1024, "NUMA nodes; 0: one for each 64 workers" },
    { "gap", &gap, 0, 1e9, "ns between the start of the threads and the loop" },
    { "loops", &loops, 1, 100, "one after the other; the last one is measured" },
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
           "  body=%s  " PROGRAMS "\n"
           "  fence=%s  membarrier|exchange\n",
           n, TWEED__MAX_WORKERS, load, LOADS, program->name, fence_mode);
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
    else if (IS("body")) {
        program = run_find(value);
        if (!program)
            refuse(argument, PROGRAMS);
    }
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

/* ---- a run ---- */

static double *ns;
static unsigned char *count;
static double work, longest;

static struct row {
    int workers;
    double ideal, makespan;
    tweed_stats stats;
    uint64_t woken, clocks; /* as the machine has seen them */
} row;
static uint64_t loot; /* ranges and tasks stolen, as the machine has seen them */

static _Noreturn void wrong(const char *what)
{
    fprintf(stderr, "simulate: %d workers: %s\n", row.workers, what);
    exit(1);
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

    loot += result >= TWEED__LOOT;
    return result;
}

enum tweed__loot __real_tweed__deque_steal(struct tweed__deque *d, int worker,
                                           int64_t fence_ns,
                                           struct tweed__tally *tally, uint32_t *at);
enum tweed__loot __wrap_tweed__deque_steal(struct tweed__deque *d, int worker,
                                           int64_t fence_ns,
                                           struct tweed__tally *tally, uint32_t *at);

enum tweed__loot __wrap_tweed__deque_steal(struct tweed__deque *d, int worker,
                                           int64_t fence_ns,
                                           struct tweed__tally *tally, uint32_t *at)
{
    enum tweed__loot result =
        __real_tweed__deque_steal(d, worker, fence_ns, tally, at);

    loot += result >= TWEED__LOOT;
    return result;
}

uint32_t __real_tweed__deque_steal_some(struct tweed__deque *d, uint32_t share, uint32_t most,
                                        uint32_t *at);
uint32_t __wrap_tweed__deque_steal_some(struct tweed__deque *d, uint32_t share, uint32_t most,
                                        uint32_t *at);

uint32_t __wrap_tweed__deque_steal_some(struct tweed__deque *d, uint32_t share, uint32_t most,
                                        uint32_t *at)
{
    uint32_t some = __real_tweed__deque_steal_some(d, share, most, at);

    loot += share > 1 ? some : 0; /* 1: a worker empties its own */
    return some;
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

/* What the library counted, now that everybody sleeps.  Wakes by a thread from outside
   that brings a task are not counted. */
static void compare(const tweed_stats *s)
{
    if (s->indices != (program->is_loop ? (uint64_t)n * (uint64_t)loops : 0))
        wrong("the library has counted other indices");
    if (!program->is_fork && s->tasks_spawned != run.spawned)
        wrong("the library has counted other tasks");
    if (s->steals_near + s->steals_far + s->tasks_stolen_near + s->tasks_stolen_far !=
        loot)
        wrong("the library has counted other steals");
    if (s->heavy_fences != cost_seen.fences)
        wrong("the library has counted other fences");
    if (program->is_loop || program->is_fork ? s->wakes != cost_seen.wakes
                                       : s->wakes > cost_seen.wakes)
        wrong("the library has counted other wakes");
}

static void *measure(void *arg)
{
    tweed_pool_options p = { .size = sizeof p, .num_workers = row.workers,
                             .spin_ns = spin > 0 ? (int64_t)spin : -1 };
    tweed_pool *pool;
    tweed_stats before = { .size = sizeof before };
    struct cost_seen seen = cost_seen;
    double start = 0;
    int code = TWEED_OK;

    (void)arg;
    p.fence = strcmp(fence_mode, "exchange") == 0 ? TWEED_FENCE_EXCHANGE
                                                  : TWEED_FENCE_MEMBARRIER;
    if (tweed_pool_create(&pool, &p) != TWEED_OK ||
        tweed_pool_num_workers(pool) != row.workers)
        wrong("no pool");
    for (int k = 0; code == TWEED_OK && k < (int)loops; k++) {
        cost_spend(gap);
        policy_turn(BODY, NULL, NULL); /* the others catch up */
        before = look(pool);
        seen = cost_seen;
        cost_sites_forget();
        start = cost_clock();
        run = (struct run){ .n = n, .grain = (int64_t)grain, .callers = (int)callers,
                            .close_ns = close_at * row.ideal, .ns = ns, .count = count };
        code = program->run(pool);
        row.makespan = run.end - start;
    }
    row.stats = look(pool);
    row.woken = cost_seen.woken - seen.woken;
    row.clocks = cost_seen.clocks - seen.clocks;
    if (sites > 0)
        cost_sites_print((int)sites, row.makespan * row.workers);
#define SUBTRACT(name, title, meaning) row.stats.name -= before.name;
    TWEED_STATS_FIELDS_(SUBTRACT)
#undef SUBTRACT
    if (code != TWEED_OK)
        wrong("the loop is refused, or a task is lost or has failed");
    cost_spend(1e9 + 100 * spin);
    policy_turn(BODY, NULL, NULL); /* all fall asleep */
    before = look(pool);
    compare(&before);
    if (tweed_pool_destroy(pool) != TWEED_OK)
        wrong("the pool is not destroyed");
    return NULL;
}

/* At least so long it takes all these threads. */
static double ideal_for(double all, double most)
{
    double hands = row.workers;

    if (program->is_queue) /* one of them is in the place of worker 0; and the runner */
        hands += callers - 1 + program->ends + (row.workers == 1);
    return all / hands > most ? all / hands : most;
}

static double ideal_of_executed(void)
{
    double all = 0, most = 0;

    for (int64_t i = 0; i < n; i++)
        if (count[i]) {
            all += ns[i];
            most = ns[i] > most ? ns[i] : most;
        }
    return ideal_for(all, most);
}

static void check_row(void)
{
    uint64_t executed = 0;

    for (int64_t i = 0; i < n; i++) {
        if (program->ends ? count[i] > 1 : count[i] != (int)loops)
            wrong("an index was not executed once");
        executed += count[i];
    }
    if (executed != run.executed * (uint64_t)loops ||
        (program->is_queue && executed + run.dropped != run.spawned))
        wrong("an accepted task was neither executed nor dropped");
    if (program->ends)
        row.ideal = ideal_of_executed();
    if (row.makespan < row.ideal * (1 - 1e-9))
        wrong("faster than the ideal");
}

/* ---- the table ---- */

static const char *const titles[] = {
    "workers", "ideal us", "makespan us", "excess %", "bodies", "near", "far",
    "bound", "failed", "proposals", "fences", "returns", "wakes", "sleeps"
};
static const char *const fork_titles[] = { [9] = "by joins", [11] = "given", [13] = NULL };
static const char *const job_titles[] = { [9] = "common", [11] = "not run", [13] = NULL };
static const int widths[] = { 7, 11, 11, 9, 9, 8, 8, 8, 9, 9, 8, 8, 8, 8 };

static void print_titles(void)
{
    const char *const *task_titles = program->is_fork ? fork_titles : job_titles;

    for (size_t c = 0; c < sizeof widths / sizeof widths[0]; c++)
        printf("%s%*s", c ? " " : "", widths[c],
               !program->is_loop && task_titles[c] ? task_titles[c] : titles[c]);
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
    double bound = program->is_queue  ? 0
                   : !program->is_loop ? row.workers * ceil(log2((double)n))
                   : share > 1      ? 2.41 * row.workers * log2(share)
                                    : 0;
    bool tree = !program->is_loop;

    printf("%7d %11.2f %11.2f %9.2f %9.2f %8" PRIu64 " %8" PRIu64 " %8.0f"
           " %9" PRIu64 " %9" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64
           " %8" PRIu64 "\n",
           row.workers, row.ideal / 1000, row.makespan / 1000,
           row.ideal > 0 ? 100 * excess / row.ideal : 0,
           work > 0 ? excess / (work / (double)n) : 0,
           tree ? s->tasks_stolen_near : s->steals_near,
           tree ? s->tasks_stolen_far : s->steals_far, bound, s->failed_probes,
           program->is_loop ? s->proposals
           : program->is_fork ? s->tasks_helped
                           : s->tasks_queue,
           s->heavy_fences,
           program->is_loop ? s->returns : program->is_fork ? s->tasks_returned
                                     : (uint64_t)n - run.executed,
           s->wakes, s->sleeps);
    if (json == 0)
        return;
    printf("{\"workers\": %d, \"ideal_ns\": %.3f, \"makespan_ns\": %.3f",
           row.workers, row.ideal, row.makespan);
#define PRINT(name, title, meaning)                                            \
    printf(", \"" #name "\": %" PRIu64, s->name);
    TWEED_STATS_FIELDS_(PRINT)
#undef PRINT
    printf(", \"woken\": %" PRIu64 ", \"clocks\": %" PRIu64 "}\n", row.woken, row.clocks);
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
        row.ideal = ideal_for(work, longest);
        machine_topology(workers, groups < workers ? groups : workers);
        cost_init();
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

    program = run_find("index");
    if (argc == 2 && strcmp(argv[1], "help") == 0) {
        help();
        return 0;
    }
    read_rows("workers", "1,2,4,8,16,32,64,128,256,512,1024");
    for (int k = 1; k < argc; k++)
        read_argument(argv[k]);
    if (loops > 1 && !program->is_loop)
        refuse("loops", "1: only loops are repeated");
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
           n, load, work / (double)n, longest, grain, program->name, fence_mode);
    print_titles();
    for (int k = 0; k < num_rows && status == 0; k++)
        status = run_row(rows[k]);
    return status;
}

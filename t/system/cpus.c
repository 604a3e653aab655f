/*
 * cpus.c - pools on some of the CPUs: what the list may be, where threads run then, and
 * that nobody else is moved.
 *
 * SPDX-License-Identifier: MIT
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "tap.h"

#include "system/cpus.h"
#include "once.h"
#include "pool/pool.h"
#include "rerun.h"
#include "system/topology.h"
#include "base/tsan.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#define MOST 16 /* workers in these tests */

static int *mask, num_cpus; /* of the process when it started */

/* ---- the text ---- */

static void test_text(void)
{
    static const char *const good[] = { "0", "7", "0-3", "3-3", "0-3,8", "8,0-3",
                                        "16-30:2", "0-1048575:1048576", "1,1,1" };
    static const char *const bad[] = { "", ",", "0,", ",0", "0,,1", "3-1", "-1", "a",
                                       "0 ", " 0", "0, 1", "0-", "0-3:0", "0-3:",
                                       "3:2", "0-3:-1", "1048576", "+1", "0x1",
                                       "99999999999999999999" };
    int wrong = 0, n = 0;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        wrong += !tweed__cpus_is_list(good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tweed_pool_options o = { .size = sizeof o, .cpus = bad[i] };
        tweed_pool *pool = NULL;

        wrong += tweed__cpus_is_list(bad[i]);
        wrong += tweed_pool_create(&pool, &o) != TWEED_EINVAL || pool;
        wrong += tweed_default_pool_configure(&o) != TWEED_EINVAL;
    }
    ok(!wrong, "lists of CPUs, and what is none");
    for (int c = 0; c < 40; c++) {
        bool has = c == 3 || c == 8 || c == 9 || c == 10 || c == 20 || c == 23 || c == 26;

        n += tweed__cpus_has("8-10,20-28:3,3", c) == has;
    }
    ok(n == 40, "which CPUs a list has");
}

/* ---- where workers are ---- */

struct look {
    atomic_int arrived;
    int workers;
    int count[MOST], only[MOST]; /* of each worker: how many CPUs, and the first one */
    int node[MOST];
};

static void look_around(int64_t i, void *arg)
{
    struct look *l = arg;
    int me = tweed_worker_index(), *cpus = NULL;

    (void)i;
    l->node[me] = tweed_worker_node();
    l->count[me] = tweed__topology_mask(0, &cpus);
    if (l->count[me] > 0) {
        l->only[me] = cpus[0];
        free(cpus);
    }
    for (l->arrived++; l->arrived < l->workers;)
        sched_yield();
}

static int look(struct look *l, tweed_pool *pool)
{
    memset(l, 0, sizeof *l);
    l->workers = tweed_pool_num_workers(pool);
    return l->workers <= MOST &&
           tweed_parallel_for_with(pool, NULL, 0, l->workers, look_around, l) ==
               TWEED_OK;
}

/* All threads of the pool run on this CPU and no other, and the caller where it did. */
static int all_on(tweed_pool *pool, int cpu)
{
    struct look l;
    int good = look(&l, pool) && l.count[0] == num_cpus && l.only[0] == mask[0];

    for (int w = 1; w < l.workers; w++)
        good &= l.count[w] == 1 && l.only[w] == cpu;
    return good && once_loops(pool, 6);
}

static tweed_pool *pool_on(const char *list, int workers, int bind)
{
    tweed_pool_options o = { .size = sizeof o, .num_workers = workers, .bind = bind,
                             .cpus = list };
    tweed_pool *pool = NULL;

    return tweed_pool_create(&pool, &o) == TWEED_OK ? pool : NULL;
}

static void test_one_cpu(void)
{
    static const int binds[] = { TWEED_BIND_DEFAULT, TWEED_BIND_CPU, TWEED_BIND_NODE,
                                 TWEED_BIND_NONE };
    int last = mask[num_cpus - 1], good = 1;
    char list[16];
    tweed_pool *pool;

    snprintf(list, sizeof list, "%d", last);
    for (int b = 0; b < 4; b++) {
        pool = pool_on(list, 3, binds[b]);
        good &= pool && tweed_pool_num_workers(pool) == 3 && all_on(pool, last);
        tweed_pool_destroy(pool);
    }
    ok(good, "three workers on one CPU, however they are bound");
    pool = pool_on(list, 0, 0);
    ok(pool && tweed_pool_num_workers(pool) == 1 && once_loops(pool, 6),
       "no number of workers: one a CPU");
    tweed_pool_destroy(pool);
}

static void test_disjoint(void)
{
    char first[16], last[16];
    tweed_pool *a, *b;

    if (num_cpus < 2) {
        skip(1, "one CPU");
        return;
    }
    snprintf(first, sizeof first, "%d", mask[0]);
    snprintf(last, sizeof last, "%d", mask[num_cpus - 1]);
    a = pool_on(first, 4, 0);
    b = pool_on(last, 4, 0);
    ok(a && b && all_on(a, mask[0]) && all_on(b, mask[num_cpus - 1]) &&
           all_on(a, mask[0]),
       "two pools on CPUs of their own");
    tweed_pool_destroy(a);
    tweed_pool_destroy(b);
}

/* The first number that is none of the mask's. */
static int absent(void)
{
    int c = 0;

    for (int i = 0; i < num_cpus && mask[i] == c; i++)
        c++;
    return c;
}

static void test_absent(void)
{
    char list[64];
    tweed_pool_options o = { .size = sizeof o, .cpus = list };
    tweed_pool *pool = NULL;
    int good;

    snprintf(list, sizeof list, "%d,%d", mask[0], absent());
    good = tweed_pool_create(&pool, &o) == TWEED_ENOCPU && !pool &&
           tweed_default_pool_configure(&o) == TWEED_ENOCPU;
    snprintf(list, sizeof list, "0-%d", TWEED__MOST_CPUS - 1);
    good &= tweed_pool_create(&pool, &o) == TWEED_ENOCPU && !pool;
    ok(good && strstr(tweed_strerror(TWEED_ENOCPU), "CPU"),
       "a CPU that the process may not use: an error");
}

static void test_default_pool(void)
{
    char list[16];
    tweed_pool_options o = { .size = sizeof o, .num_workers = 3, .cpus = list };
    int last = mask[num_cpus - 1], good;

    snprintf(list, sizeof list, "%d", last);
    good = tweed_default_pool_configure(&o) == TWEED_OK;
    list[0] = 'x'; /* it is copied */
    good &= all_on(NULL, last) && tweed_default_pool_shutdown() == TWEED_OK &&
            all_on(NULL, last) && tweed_default_pool_shutdown() == TWEED_OK;
    ok(good && tweed_default_pool_configure(NULL) == TWEED_OK,
       "the default pool on one CPU, and again after its end");
}

/* ---- a child that may use other CPUs ---- */

/* Of a pool on the first CPU in a process that may use the last one only. */
static int in_child(tweed_pool *pool)
{
    cpu_set_t set;
    struct look l;
    int good;

    CPU_ZERO(&set);
    CPU_SET((size_t)mask[num_cpus - 1], &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        return RERUN_CANNOT;
    good = look(&l, pool) && l.workers <= 2;
    for (int w = 0; w < l.workers; w++)
        good &= l.count[w] == 1 && l.only[w] == mask[num_cpus - 1];
    return !(good && once_loops(pool, 6) && tweed_pool_destroy(pool) == TWEED_OK);
}

static void test_fork(void)
{
    char list[16];
    tweed_pool *pool;
    int status = -1;
    pid_t pid;

    if (num_cpus < 2 || TWEED_HAVE_TSAN) {
        skip(1, "one CPU, or no threads in a child under ThreadSanitizer");
        return;
    }
    snprintf(list, sizeof list, "%d", mask[0]);
    pool = pool_on(list, 2, 0);
    if (!pool || !all_on(pool, mask[0])) {
        ok(0, "a pool");
        return;
    }
    pid = fork();
    if (pid == 0) {
        alarm(RERUN_SECONDS);
        _exit(in_child(pool));
    }
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == RERUN_CANNOT)
        skip(1, "may not set the affinity");
    else
        ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
           "a child that may use none of them runs where it may");
    tweed_pool_destroy(pool);
}

/* ---- made-up machines ---- */

static int role(void)
{
    tweed_pool *pool = pool_on("1,4-7", 0, 0);
    tweed_pool *odd = pool_on("1-7:2", 0, 0);
    struct look l;

    printf("workers %d\n", tweed_pool_num_workers(pool));
    if (look(&l, pool)) {
        printf("nodes");
        for (int w = 0; w < l.workers; w++)
            printf(" %d", l.node[w]);
        printf("\n");
    }
    printf("%s\n", once_loops(pool, 12) ? "loops right" : "loops wrong");
    printf("odd %d\n", tweed_pool_num_workers(odd));
    printf("beyond %s\n", pool_on("8", 0, 0) ? "is there" : "is not there");
    printf("all %d\n", tweed_pool_num_workers(NULL));
    return 0;
}

static void test_made_up(void)
{
    static const char *const env[] = { "TWEED_TOPOLOGY=nodes:2,cpus:4",
                                       "TWEED_NUM_WORKERS=3", NULL };
    struct rerun c;

    rerun(&c, "made-up", env, NULL, NULL);
    if (!ok(rerun_was_quiet(&c) && rerun_said(&c, "workers 5") &&
                rerun_said(&c, "nodes 0 1 1 1 1") && rerun_said(&c, "loops right") &&
                rerun_said(&c, "odd 4") && rerun_said(&c, "beyond is not there") &&
                rerun_said(&c, "all 3"),
            "some CPUs of a made-up machine; TWEED_NUM_WORKERS is for the others"))
        rerun_show(&c);
}

int main(int argc, char **argv)
{
    (void)argv;
    alarm(240);
    num_cpus = tweed__topology_mask(0, &mask);
    if (num_cpus < 1)
        skip_all("the affinity mask cannot be read");
    if (argc > 1)
        return role();
    unsetenv("TWEED_NUM_WORKERS");
    unsetenv("OMP_NUM_THREADS");
    plan(9);
    test_text();
    test_one_cpu();
    test_disjoint();
    test_absent();
    test_default_pool();
    test_fork();
    test_made_up();
    free(mask);
    return done_testing();
}

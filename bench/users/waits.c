/*
 * waits.c - how long calls wait beside what others have to do.
 *
 * SPDX-License-Identifier: MIT
 *
 *     waits [ROUNDS]     ROUNDS of each, 11
 *
 * Each row is one call alone, and the same beside something: a million pending tasks of
 * another group, a process that is busy on one CPU (at a usual priority, or SCHED_FIFO,
 * which needs its right), a loop of the outer group.  Both are measured by turns, and the
 * medians stand side by side.  Exit status 1: one is more than 1.2 of that alone, and 50 us.
 */
#define _GNU_SOURCE
#define TWEED_CALLS_APART_ 1 /* each loop is published: no cost of it is remembered */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <tweed.h>
#include <unistd.h>

#define PENDING 1000000
#define SUBMITTED 200
#define MOST_ROUNDS 101
#define LOOP_MS 0.8
#define TASK_MS 20
#define INNER_MS 3
#define OUTER_MS 200

static tweed_pool *pool;

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void spin_ms(double ms)
{
    for (double end = now_ms() + ms; now_ms() < end;)
        ;
}

static void nap_us(long us)
{
    struct timespec t = { 0, us * 1000 };

    nanosleep(&t, NULL);
}

static void must(int code)
{
    if (code == TWEED_OK)
        return;
    fprintf(stderr, "waits: %s\n", tweed_strerror(code));
    exit(2);
}

static void begin(int workers)
{
    tweed_pool_options o = { .size = sizeof o, .num_workers = workers };

    must(tweed_pool_create(&pool, &o));
}

/* ---- a million tasks of another group ---- */

static tweed_group others = TWEED_GROUP_INIT;
static atomic_int let_go, held;

static int nothing(void *arg)
{
    (void)arg;
    return 0;
}

/* The worker stays away from them, or none would be left when it comes to that. */
static int hold(void *arg)
{
    (void)arg;
    atomic_store(&held, 1);
    while (!atomic_load(&let_go))
        nap_us(200);
    return 0;
}

static void pend(int how_many, tweed_group *keeper)
{
    atomic_store(&let_go, 0);
    atomic_store(&held, 0);
    *keeper = others = (tweed_group)TWEED_GROUP_INIT;
    keeper->pool = others.pool = pool;
    must(tweed_group_spawn(keeper, hold, NULL));
    while (!atomic_load(&held))
        nap_us(50);
    for (int k = 0; k < how_many; k++)
        must(tweed_group_spawn(&others, nothing, NULL));
}

static void cancel_all(tweed_group *keeper)
{
    atomic_store(&let_go, 1);
    (void)tweed_group_cancel(&others);
    (void)tweed_group_sync(&others);
    must(tweed_group_sync(keeper));
}

static void spin_body(int64_t i, void *arg)
{
    (void)i, (void)arg;
    spin_ms(LOOP_MS / 2);
}

static double run_loop(void)
{
    tweed_loop_options o = { .size = sizeof o, .grain = 1 };
    double start = now_ms();

    must(tweed_parallel_for_with(pool, &o, 0, 2, spin_body, NULL));
    return now_ms() - start;
}

static int spin_task(void *arg)
{
    (void)arg;
    spin_ms(TASK_MS);
    return 0;
}

static double sync_one(void)
{
    tweed_group g = { .pool = pool };
    double start = now_ms();

    must(tweed_group_spawn(&g, spin_task, NULL));
    must(tweed_group_sync(&g));
    return now_ms() - start;
}

static double try_one(void)
{
    double start = now_ms();

    (void)tweed_pool_try_one(pool);
    return now_ms() - start;
}

static double beside_tasks(double (*call)(void), int beside)
{
    tweed_group keeper;
    double ms;

    begin(2);
    pend(beside ? PENDING : 1, &keeper);
    ms = call();
    cancel_all(&keeper);
    must(tweed_pool_destroy(pool));
    return ms;
}

static double loop_row(int beside)
{
    return beside_tasks(run_loop, beside);
}

static double sync_row(int beside)
{
    return beside_tasks(sync_one, beside);
}

static double try_row(int beside)
{
    return beside_tasks(try_one, beside);
}

/* ---- a process on one CPU ---- */

static pid_t make_busy(int policy)
{
    struct sched_param param = { .sched_priority = policy == SCHED_FIFO };
    pid_t pid = fork();
    cpu_set_t set;
    size_t cpu = 0;

    if (pid != 0)
        return pid;
    sched_getaffinity(0, sizeof set, &set);
    for (size_t k = 0; k < CPU_SETSIZE; k++)
        cpu = CPU_ISSET(k, &set) ? k : cpu;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
    if (sched_setscheduler(0, policy, &param) != 0)
        _exit(1);
    for (;;)
        ;
}

static atomic_int ran;

static int count(void *arg)
{
    (void)arg;
    atomic_fetch_add(&ran, 1);
    return 0;
}

/* The longest that a submitted task waits, from a thread that does not execute any. */
static double submit(int busy, int policy)
{
    pid_t pid = busy ? make_busy(policy) : -1;
    double longest = 0;

    begin((int)sysconf(_SC_NPROCESSORS_ONLN) + 1);
    nap_us(20000);
    if (pid > 0 && waitpid(pid, NULL, WNOHANG) == pid) {
        fprintf(stderr, "waits: SCHED_FIFO is not permitted: nothing is busy\n");
        pid = -1;
    }
    atomic_store(&ran, 0);
    for (int k = 1; k <= SUBMITTED; k++) {
        double start = now_ms();

        must(tweed_pool_submit(pool, count, NULL));
        while (atomic_load(&ran) < k)
            nap_us(20);
        if (now_ms() - start > longest)
            longest = now_ms() - start;
    }
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    must(tweed_pool_destroy(pool));
    return longest;
}

static double busy_row(int beside)
{
    return submit(beside, SCHED_OTHER);
}

static double fifo_row(int beside)
{
    return submit(beside, SCHED_FIFO);
}

/* ---- an inner group beside an outer loop ---- */

static atomic_int has_inner;
static double inner_ms;

static int inner_task(void *arg)
{
    (void)arg;
    atomic_store(&has_inner, 1);
    spin_ms(INNER_MS);
    return 0;
}

static int sync_inner(void *arg)
{
    tweed_group f = { .pool = pool };
    double start = now_ms();

    (void)arg;
    must(tweed_group_spawn(&f, inner_task, NULL));
    while (!atomic_load(&has_inner)) /* by another thread */
        sched_yield();
    must(tweed_group_sync(&f));
    inner_ms = now_ms() - start;
    return 0;
}

static void outer_body(int64_t i, void *arg)
{
    (void)i, (void)arg;
    spin_ms(OUTER_MS);
}

static int run_outer(void *arg)
{
    tweed_loop_options o = { .size = sizeof o, .grain = 1 };

    while (!atomic_load(&has_inner))
        sched_yield();
    if (arg)
        must(tweed_parallel_for_with(pool, &o, 0, 2, outer_body, NULL));
    return 0;
}

static double inner_row(int beside)
{
    tweed_group g = TWEED_GROUP_INIT;

    begin(3);
    g.pool = pool;
    atomic_store(&has_inner, 0);
    must(tweed_group_spawn(&g, run_outer, beside ? &g : NULL));
    must(tweed_group_spawn(&g, sync_inner, NULL));
    nap_us(5000); /* others have both */
    must(tweed_group_sync(&g));
    must(tweed_pool_destroy(pool));
    return inner_ms;
}

/* ---- the table ---- */

static const struct {
    const char *call, *beside;
    double (*run)(int beside);
} rows[] = {
    { "a loop of 0.8 ms", "a million pending tasks", loop_row },
    { "sync of one task of 20 ms", "a million pending tasks", sync_row },
    { "tweed_pool_try_one()", "a million pending tasks", try_row },
    { "200 submissions, the longest wait", "a busy process", busy_row },
    { "200 submissions, the longest wait", "a SCHED_FIFO process", fifo_row },
    { "an inner group of 3 ms", "a loop of the outer group", inner_row },
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static bool run_row(size_t k, int rounds)
{
    double ms[2][MOST_ROUNDS], alone, beside;

    for (int n = 0; n < rounds; n++)
        for (int with = 0; with < 2; with++)
            ms[with][n] = rows[k].run(with);
    for (int with = 0; with < 2; with++)
        qsort(ms[with], (size_t)rounds, sizeof **ms, compare);
    alone = ms[0][rounds / 2];
    beside = ms[1][rounds / 2];
    printf("| %-33s | %-25s | %9.3f | %9.3f | %7.2f | %s |\n", rows[k].call, rows[k].beside,
           alone, beside, beside / alone, beside <= 1.2 * alone + 0.05 ? "yes" : "NO");
    fflush(stdout);
    return beside <= 1.2 * alone + 0.05;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 11;
    bool good = true;

    if (rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "usage: waits [ROUNDS], 1 to %d\n", MOST_ROUNDS);
        return 2;
    }
    printf("| %-33s | %-25s | alone, ms |    beside |   ratio | ok |\n"
           "|---|---|---|---|---|---|\n", "call", "beside");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        good &= run_row(k, rounds);
    return !good;
}

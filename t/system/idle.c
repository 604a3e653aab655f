/*
 * idle.c - after loops and tasks, an idle second costs no CPU time and wakes nobody; nor
 * does one in which a single task is busy, of whatever kind.
 *
 * SPDX-License-Identifier: MIT
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "pool/pool.h"
#include "child.h"
#include "dozing.h"
#include "pools.h"
#include "self.h"
#include "base/tsan.h"

#include <dirent.h>
#include <string.h>
#include <sys/syscall.h>

#define SECOND 1000000000u
#define LITTLE 10000000u /* 10 ms of CPU time in a second */

static uint64_t cpu_of(clockid_t clock)
{
    struct timespec t;

    if (clock_gettime(clock, &t) != 0)
        bail_out("no CPU clock");
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static pthread_t caller; /* main(), who runs the tasks */

static uint64_t cpu_of_other(pthread_t thread)
{
    clockid_t clock;

    if (pthread_equal(thread, pthread_self()))
        return 0;
    if (pthread_getcpuclockid(thread, &clock) != 0)
        bail_out("no CPU clock of a thread");
    return cpu_of(clock);
}

static uint64_t cpu_of_workers(struct tweed__team *team)
{
    uint64_t sum = 0;

    for (int i = 1; i < team->num_workers; i++)
        sum += cpu_of_other(team->workers[i]->thread);
    return sum;
}

/* All that sleep: the pool's, and who has called, but for the one that looks. */
static uint64_t cpu_of_threads(struct tweed__team *team)
{
    return cpu_of_other(caller) + cpu_of_workers(team);
}

/* Of one thread, or of all: how often it has given up the CPU; does it run, or wait for a
   CPU? */
struct standing {
    long switches;
    int running;
};

/* Zeros if the thread is none of the pool's, or is the one that looks. */
static struct standing standing_of(const char *task)
{
    struct standing s = { 0, 0 };
    char path[300], line[128];
    int ours = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/self/task/%s/status", task);
    f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        ours |= strncmp(line, "Name:\tidle-", 11) == 0;
        s.running |= strncmp(line, "State:\tR", 8) == 0;
        (void)sscanf(line, "voluntary_ctxt_switches: %ld", &s.switches);
    }
    if (f)
        fclose(f);
    if (!ours || strtol(task, NULL, 10) == syscall(SYS_gettid))
        return (struct standing){ 0, 0 };
    return s;
}

static struct standing standing(void)
{
    DIR *d = opendir("/proc/self/task");
    struct standing all = { 0, 0 };
    struct dirent *e;

    while (d && (e = readdir(d)))
        if (e->d_name[0] != '.') {
            struct standing one = standing_of(e->d_name);

            all.switches += one.switches;
            all.running |= one.running;
        }
    if (d)
        closedir(d);
    return all;
}

/* A thread that is on its way into the kernel counts as asleep, and on a busy machine may
   need long for the last steps, or for a CPU: until no thread has used any CPU time for a
   while, and none waits for a CPU. */
static void wait_until_asleep(struct tweed__team *team)
{
    uint32_t all = (uint32_t)team->num_workers - 1;
    uint64_t before;

    while (threads_dozing(team) != all)
        nap_us(1000);
    do {
        before = cpu_of_threads(team);
        nap_us(200000);
    } while (cpu_of_threads(team) != before || standing().running);
}


static unsigned char count[1000];

static void one(int64_t i, void *arg)
{
    (void)arg;
    count[i]++;
}

static void loops(tweed_pool *pool)
{
    for (int n = 0; n < 300; n++)
        must(tweed_parallel_for_with(pool, NULL, 0, 1000, one, NULL));
}

TWEED_TASK(int, tree, int, lo, int, hi)
{
    int sum;

    if (hi - lo == 1) {
        one(lo, NULL);
        return 1;
    }
    TWEED_SPAWN(tree, lo, lo + (hi - lo) / 2);
    sum = TWEED_CALL(tree, lo + (hi - lo) / 2, hi);
    return TWEED_SYNC(tree) + sum;
}

static void trees(tweed_pool *pool)
{
    for (int n = 0; n < 300; n++)
        if (TWEED_RUN_ON(pool, tree, 0, 1000) != 1000)
            bail_out("a task is missing");
}

static int add_one(void *arg)
{
    one((unsigned char *)arg - count, NULL);
    return 0;
}

/* In groups, and submitted, by turns. */
static void jobs(tweed_pool *pool)
{
    tweed_group g = TWEED_GROUP_INIT;
    void *args[1000];

    g.pool = pool;
    for (int i = 0; i < 1000; i++)
        args[i] = &count[i];
    for (int n = 0; n < 300; n += 2) {
        for (int i = 0; i < 1000; i++)
            must(tweed_group_spawn(&g, add_one, args[i]));
        must(tweed_group_sync(&g));
        must(tweed_pool_submit_batch(pool, add_one, args, 1000));
        must(tweed_pool_drain(pool));
    }
}

/* Nobody has anything to do but the one that calls this. */
static void idle_second(const char *what, tweed_pool *pool)
{
    struct tweed__team *team = tweed__pool_team(pool);
    struct timespec second = { 1, 0 };
    tweed_stats before = { .size = sizeof before }, after = before;
    uint64_t process, threads;
    long switched;

    wait_until_asleep(team);
    must(tweed_stats_get(pool, -1, &before));
    switched = standing().switches;
    process = cpu_of(CLOCK_PROCESS_CPUTIME_ID);
    threads = cpu_of_threads(team);
    nanosleep(&second, NULL);
    threads = cpu_of_threads(team) - threads;
    process = cpu_of(CLOCK_PROCESS_CPUTIME_ID) - process;
    must(tweed_stats_get(pool, -1, &after));
    switched = switched > 0 ? standing().switches - switched : -1;
    /* not a nanosecond: a thread that stays asleep gains nothing */
    ok(threads == 0, "%s: its threads used %llu ns in a second", what,
       (unsigned long long)threads);
    if (TWEED_HAVE_TSAN)
        skip(1, "ThreadSanitizer has a thread of its own that does not rest");
    else
        ok(process < LITTLE, "%s: the process used %llu ns in a second", what,
           (unsigned long long)process);
    ok(after.sleeps == before.sleeps && after.wakes == before.wakes,
       "%s: nobody was woken, nobody went to sleep again", what);
    if (switched < 0)
        skip(1, "no /proc to read the context switches from");
    else
        ok(switched == 0, "%s: %ld context switches in a second", what,
           switched);
}

static void used(const char *what, tweed_pool *pool,
                 void (*use)(tweed_pool *pool))
{
    int good = 1;

    use(pool);
    for (int i = 0; i < 1000; i++) {
        good &= count[i] == 300 % 256;
        count[i] = 0;
    }
    ok(good, "%s: 300 loops, trees or groups, each index once", what);
    idle_second(what, pool);
}

/* ---- one task is busy ---- */

static atomic_int begun;

TWEED_TASK(int, lasts, tweed_pool *, pool)
{
    idle_second("a task alone", pool);
    return 1;
}

TWEED_TASK(int, is_stolen, tweed_pool *, pool)
{
    begun = 1;
    idle_second("a task that a join waits for", pool);
    return 1;
}

/* The owner has nothing to do meanwhile, and sleeps as well. */
TWEED_TASK(int, joins, tweed_pool *, pool)
{
    TWEED_SPAWN(is_stolen, pool);
    while (!begun)
        nap_us(200);
    return TWEED_SYNC(is_stolen);
}

static int lasts_in_group(void *pool)
{
    begun = 1;
    idle_second("a task of a group that a sync waits for", pool);
    return 0;
}

/* A worker has it, and the caller sleeps. */
static void syncs(tweed_pool *pool)
{
    tweed_group g = TWEED_GROUP_INIT;

    g.pool = pool;
    begun = 0;
    must(tweed_group_spawn(&g, lasts_in_group, pool));
    while (!begun)
        nap_us(200);
    must(tweed_group_sync(&g));
}

static int lasts_submitted(void *pool)
{
    idle_second("a submitted task alone", pool);
    return 0;
}

static void drains(tweed_pool *pool)
{
    must(tweed_pool_submit(pool, lasts_submitted, pool));
    must(tweed_pool_drain(pool));
}

/* ---- somebody polls ---- */

static atomic_int told;

/* The caller looks at its condition once in a millisecond, and disturbs nobody. */
static void *polled_second(void *pool)
{
    struct tweed__team *team = tweed__pool_team(pool);
    struct timespec second = { 1, 0 };
    uint64_t workers, process;

    do { /* as in wait_until_asleep() */
        workers = cpu_of_workers(team);
        nap_us(200000);
    } while (cpu_of_workers(team) != workers);
    process = cpu_of(CLOCK_PROCESS_CPUTIME_ID);
    nanosleep(&second, NULL);
    process = cpu_of(CLOCK_PROCESS_CPUTIME_ID) - process;
    workers = cpu_of_workers(team) - workers;
    ok(workers == 0, "tweed_pool_run_until() waits: the workers used %llu ns in a second",
       (unsigned long long)workers);
    if (TWEED_HAVE_TSAN || under_memcheck())
        skip(1, "a look costs many times more here");
    else
        ok(process < SECOND / 10, "the process used %llu ns", (unsigned long long)process);
    told = 1;
    return NULL;
}

static int is_told(void *arg)
{
    (void)arg;
    return told;
}

static void polls(tweed_pool *pool)
{
    pthread_t thread;

    told = 0;
    if (pthread_create(&thread, NULL, polled_second, pool) != 0)
        bail_out("no thread");
    must(tweed_pool_run_until(pool, is_told, NULL));
    pthread_join(thread, NULL);
}

/* ---- each of these has a process, and all sleep at the same time ---- */

static const struct {
    const char *what;
    tweed_pool_options o;
    int busy; /* one task is */
} pools[] = {
    { "defaults", { .name = "idle" }, 0 },
    { "5 workers, exchange",
      { .name = "idle", .num_workers = 5, .fence = TWEED_FENCE_EXCHANGE }, 0 },
    { "2 workers, a spin of 0.1 s",
      { .name = "idle", .num_workers = 2, .spin_ns = SECOND / 10 }, 0 },
    { "busy", { .name = "idle", .num_workers = 4 }, 1 },
    { "busy", { .name = "idle", .num_workers = 4, .fence = TWEED_FENCE_EXCHANGE }, 1 },
};
enum { POOLS = sizeof pools / sizeof *pools, IDLE_TESTS = 3 * 5, BUSY_TESTS = 4 * 4 + 2 };

static void busy_second(tweed_pool *pool)
{
    begun = 0;
    trees(pool);
    (void)TWEED_RUN_ON(pool, lasts, pool);
    (void)TWEED_RUN_ON(pool, joins, pool);
    syncs(pool);
    drains(pool);
    polls(pool);
}

static int seconds_of(int k)
{
    tweed_pool *pool = pool_with(pools[k].o);

    caller = pthread_self();
    if (pools[k].busy) {
        busy_second(pool);
    } else {
        used(pools[k].what, pool, loops);
        used(pools[k].what, pool, trees);
        used(pools[k].what, pool, jobs);
    }
    tweed_pool_destroy(pool);
    return tap_failed;
}

/* Its part of the tests; what it says goes to a file. */
static pid_t begin(int k, int first, FILE *said)
{
    pid_t pid = child_fork();

    if (pid != 0)
        return pid;
    tap_run = first;
    if (dup2(fileno(said), STDOUT_FILENO) < 0)
        _exit(99);
    setvbuf(stdout, NULL, _IOLBF, 0);
    exit(seconds_of(k));
}

static void end(int k, pid_t pid, FILE *said)
{
    int status = child_wait(pid), c;

    rewind(said);
    while ((c = getc(said)) != EOF)
        putchar(c);
    fclose(said);
    tap_run += pools[k].busy ? BUSY_TESTS : IDLE_TESTS;
    if (!child_exited(status, 0)) {
        diag("process %d: status %#x", k, (unsigned)status);
        tap_failed++;
    }
}

int main(void)
{
    pid_t pid[POOLS];
    FILE *said[POOLS];
    int first = 0;

    plan(3 * IDLE_TESTS + 2 * BUSY_TESTS);
    for (int k = 0; k < POOLS; k++) {
        said[k] = tmpfile();
        if (!said[k])
            bail_out("no temporary file");
        pid[k] = begin(k, first, said[k]);
        first += pools[k].busy ? BUSY_TESTS : IDLE_TESTS;
    }
    for (int k = 0; k < POOLS; k++)
        end(k, pid[k], said[k]);
    return done_testing();
}

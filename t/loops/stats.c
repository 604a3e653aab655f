/*
 * stats.c - the counters: what a loop did is in them, exactly where it can be
 * known; and the table of TWEED_STATS=1.
 *
 * SPDX-License-Identifier: MIT
 *
 * For the table the program starts itself again with an argument and reads its
 * stderr.
 */
/* Each loop is published: what is called through the library remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "pool/pool.h"
#include "pools.h"
#include "sanitized.h"
#include "self.h"

#include <string.h>
#include <sys/wait.h>

#define N 64

static tweed_stats of(tweed_pool *pool, int worker)
{
    tweed_stats s = { .size = sizeof s };

    if (tweed_stats_get(pool, worker, &s) != TWEED_OK || s.size != sizeof s)
        bail_out("no statistics");
    return s;
}

static void nothing_much(int64_t begin, int64_t end, void *arg)
{
    (void)begin;
    (void)end;
    (void)arg;
}

static void inner(int64_t i, void *arg)
{
    (void)i;
    must(tweed_parallel_for_with(arg, NULL, 0, 10, empty_body, NULL));
}

/* The counts of all workers add up to the sum, field by field. */
static int adds_up(tweed_pool *pool)
{
    tweed_stats sum = of(pool, -1), each = { .size = sizeof each };

    for (int w = 0; w < tweed_pool_num_workers(pool); w++) {
        tweed_stats s = of(pool, w);
#define ADD(name, title, meaning) each.name += s.name;
        TWEED_STATS_FIELDS_(ADD)
    }
    return each.loops == sum.loops && each.indices == sum.indices &&
           each.serial == sum.serial && each.returns == sum.returns &&
           each.steals_near == sum.steals_near &&
           each.steals_far == sum.steals_far;
}

static void sums(void)
{
    tweed_pool *pool = pool_of(3);
    tweed_loop_options alone = { .size = sizeof alone, .max_workers = 1 };
    tweed_stats s = of(pool, -1);
    uint64_t n = 0;

    ok(s.loops == 0 && s.indices == 0 && s.serial == 0 && s.returns == 0,
       "a new pool has done nothing");
    for (int k = 2; k < 200; k++) {
        must(tweed_parallel_for_with(pool, NULL, -k, k, empty_body, NULL));
        must(tweed_parallel_for_range_with(pool, NULL, 0, 7 * k, nothing_much,
                                           NULL));
        n += 9 * (uint64_t)k;
    }
    s = of(pool, -1);
    ok(s.indices == n && s.loops == 2 * 198, "%llu indices in %llu loops",
       (unsigned long long)s.indices, (unsigned long long)s.loops);
    ok(s.serial == 0 && s.returns >= s.loops, "none was run alone");
    ok(adds_up(pool), "the workers' counts add up to the sum");
    ok(of(pool, 0).loops == 2 * 198 && of(pool, 1).loops == 0,
       "all were started by worker 0");

    must(tweed_parallel_for_with(pool, &alone, 0, 100, empty_body, NULL));
    must(tweed_parallel_for_with(pool, NULL, 5, 6, empty_body, NULL));
    must(tweed_parallel_for_with(pool, NULL, 6, 5, empty_body, NULL));
    s = of(pool, -1);
    ok(s.indices == n + 101 && s.loops == 2 * 198 + 2 && s.serial == 2,
       "a limit of one worker, or one index: the caller runs it alone");

    must(tweed_parallel_for_with(pool, NULL, 0, 50, inner, pool));
    s = of(pool, -1);
    ok(s.indices == n + 101 + 50 + 500 && s.loops == 2 * 198 + 2 + 51,
       "nested loops are counted, too");
    ok(adds_up(pool), "and add up");
    tweed_pool_destroy(pool);

    pool = pool_of(2);
    must(tweed_parallel_for_range_with(pool, NULL, INT64_MIN, INT64_MAX,
                                       nothing_much, NULL));
    s = of(pool, -1);
    ok(s.indices == UINT64_MAX && s.loops == 1, "2^64 - 1 indices");
    tweed_pool_destroy(pool);
}

/* ---- a steal that must happen ---- */

static atomic_int done;

/* The first index does not end before all others were run: by the other worker,
   which must take them out of the seat of the one that waits. */
static void wait_at_0(int64_t i, void *arg)
{
    (void)arg;
    if (i == 0)
        while (atomic_load(&done) < N - 1)
            nap_us(50);
    atomic_fetch_add(&done, 1);
}

/* cpus: those of the pool; NULL: all. */
static void forced_steal(int fence, const char *cpus, const char *mode)
{
    tweed_pool *pool = pool_with((tweed_pool_options){ .num_workers = 2, .fence = fence,
                                                       .cpus = cpus });
    const struct tweed__team *team = tweed__pool_team(pool);
    bool asymmetric = team->asymmetric && (fence || !cpus);
    tweed_stats s;

    atomic_store(&done, 0);
    must(tweed_parallel_for_with(pool, NULL, 0, N, wait_at_0, NULL));
    s = of(pool, -1);
    ok(atomic_load(&done) == N && s.indices == N, "%s: 64 indices", mode);
    ok(s.steals_near + s.steals_far > 0, "%s: %llu steals", mode,
       (unsigned long long)(s.steals_near + s.steals_far));
    ok(s.proposals > 0, "%s: %llu proposals to the owner, which was busy", mode,
       (unsigned long long)s.proposals);
    ok((s.heavy_fences > 0) == asymmetric, "%s: %llu heavy fences, as %s", mode,
       (unsigned long long)s.heavy_fences,
       asymmetric ? "membarrier is in use" : "it does without");
    tweed_pool_destroy(pool);
}

/* ---- a caller that must sleep ---- */

static tweed_pool *sleeping_pool;
static atomic_int met;

static void outlast(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
    atomic_fetch_add(&met, 1);
    while (atomic_load(&met) < 2) /* one worker each */
        nap_us(50);
    if (tweed_worker_index() == 1) /* until the caller sleeps */
        while (of(sleeping_pool, 0).sleeps == 0)
            nap_us(50);
}

static void forced_sleep(void)
{
    tweed_stats s;

    sleeping_pool = pool_with((tweed_pool_options){ .num_workers = 2,
                                                    .spin_ns = -1 });
    must(tweed_parallel_for_with(sleeping_pool, NULL, 0, 2, outlast, NULL));
    s = of(sleeping_pool, 0);
    ok(s.sleeps == 1 && s.indices == 1,
       "the caller went to sleep once, waiting for the other's index");
    ok(s.idle_ns > 0, "and was idle for %llu ns",
       (unsigned long long)s.idle_ns);
    ok(of(sleeping_pool, 1).wakes >= 1 && of(sleeping_pool, 1).indices == 1,
       "who finished the loop woke it");
    tweed_pool_destroy(sleeping_pool);
}

/* ---- the table ---- */

/* Runs this program with an argument and TWEED_STATS; what it wrote to stderr. */
static const char *output_of(const char *argument, const char *stats)
{
    static char text[16384];
    size_t n = 0;
    ssize_t got;
    int fds[2], status;
    pid_t child = -1;

    if (pipe(fds) == 0)
        child = fork();
    if (child < 0)
        bail_out("no child");
    if (child == 0) {
        dup2(fds[1], STDERR_FILENO);
        close(fds[0]);
        close(fds[1]);
        setenv("TWEED_STATS", stats, 1);
        setenv("TWEED_NUM_WORKERS", "3", 1);
        self_execute((const char *[]){ "stats.t", argument, NULL });
        _exit(127);
    }
    close(fds[1]);
    while ((got = read(fds[0], text + n, sizeof text - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = '\0';
    close(fds[0]);
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        bail_out("the child failed");
    return text;
}

static int times(const char *text, const char *what)
{
    int n = 0;

    for (; (text = strstr(text, what)); text++)
        n++;
    return n;
}

/* One row with this label, whose third count, the indices, is n. */
static int has_row(const char *text, const char *label, long n)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        char word[16];
        long loops, serial, indices;

        line += *line == '\n';
        if (sscanf(line, " %15s %ld %ld %ld", word, &loops, &serial,
                   &indices) == 4 &&
            strcmp(word, label) == 0)
            return n < 0 || indices == n;
        if (!*line)
            break;
    }
    return 0;
}

static void table(void)
{
    const char *text = output_of("default", "1");
    int missing = 0;

    ok(times(text, "tweed: pool tweed, 3 workers, fence ") == 1,
       "TWEED_STATS=1: one table at exit");
#define MISSES(name, title, meaning) missing += !strstr(text, title);
    TWEED_STATS_FIELDS_(MISSES)
#undef MISSES
#define NEED_NOT(name, title, meaning) missing -= !strstr(text, title);
    TWEED_TASK_STATS_FIELDS_(NEED_NOT) /* in another table: t/tasks/counts.c */
    ok(missing == 0, "it names every counter");
    ok(has_row(text, "0", -1) && has_row(text, "1", -1) &&
           has_row(text, "2", -1) && !has_row(text, "3", -1),
       "it has a row for each worker");
    ok(has_row(text, "all", 12345), "and a sum");
    ok(times(text, "imbalance in indices") == 1, "and the imbalance");
    if (tap_failed)
        diag("the output was:\n%s", text);

    text = output_of("own", "1");
    ok(times(text, "tweed: pool mine, 2 workers, fence exchange") == 1 &&
           times(text, "tweed: pool") == 1 && has_row(text, "all", 777),
       "a pool of one's own: at its destruction, once");
    text = output_of("own-left", "1");
    ok(times(text, "tweed: pool mine, 2 workers") == 1 &&
           has_row(text, "all", 777), "one that was not destroyed: at exit");
    ok(*output_of("default", "0") == '\0', "TWEED_STATS=0: nothing");
    ok(*output_of("none", "1") == '\0', "no pool was started: nothing");
    if (HAVE_RUNTIME_SANITIZER) /* AddressSanitizer's lock was another thread's */
        skip(1, "a sanitizer's end of a child of fork() may hang");
    else
        ok(times(output_of("forks", "1"), "tweed: pool") == 1,
           "nor for the pools that a child of fork() has not used");
}

static int child(const char *what)
{
    if (strcmp(what, "default") == 0)
        tweed_parallel_for(0, 12345, empty_body, NULL);
    if (strncmp(what, "own", 3) == 0) {
        tweed_pool *pool = pool_with(
            (tweed_pool_options){ .num_workers = 2, .name = "mine",
                                  .fence = TWEED_FENCE_EXCHANGE });

        must(tweed_parallel_for_with(pool, NULL, 0, 777, empty_body, NULL));
        if (strcmp(what, "own") == 0)
            tweed_pool_destroy(pool);
    }
    if (strcmp(what, "forks") == 0) {
        pid_t pid;
        int status = 1;

        tweed_parallel_for(0, 12345, empty_body, NULL);
        pid = fork();
        if (pid == 0)
            exit(0);
        return waitpid(pid, &status, 0) != pid || status != 0;
    }
    return 0;
}

int main(int argc, char **argv)
{
    char one_cpu[16];

    unsetenv("TWEED_FENCE");
    if (argc > 1)
        return child(argv[1]);
    plan(9 + 4 * 4 + 3 + 10);
    watchdog();
    sums();
    snprintf(one_cpu, sizeof one_cpu, "%d", sched_getcpu());
    forced_steal(TWEED_FENCE_MEMBARRIER, NULL, "membarrier");
    forced_steal(TWEED_FENCE_EXCHANGE, NULL, "exchange");
    forced_steal(TWEED_FENCE_MEMBARRIER, one_cpu, "membarrier, two workers on a CPU");
    forced_steal(TWEED_FENCE_DEFAULT, one_cpu, "two workers on a CPU");
    forced_sleep();
    table();
    return done_testing();
}

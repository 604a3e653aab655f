/*
 * named.c - what the loops of each name took: tweed_loop_stats_get(), and the table of
 * TWEED_STATS=loops.
 *
 * SPDX-License-Identifier: MIT
 *
 * Some parts run in a process of their own: the program starts itself again with an
 * argument.
 */
/* Each loop by pointer is published: what is called through the library remembers no
   cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "by-name.h"
#include "child.h"
#include "meet.h"
#include "sanitized.h"
#include "self.h"

#include <pthread.h>
#include <string.h>

#define MOST 1100

static tweed_loop_stats rows[MOST];
static const tweed_loop_stats none = TWEED_LOOP_STATS_INIT;

/* All names; how many. */
static int get(void)
{
    int n;

    memset(rows, 0, sizeof rows);
    rows[0].size = sizeof rows[0];
    n = tweed_loop_stats_get(rows, MOST);
    if (n < 0)
        bail_out("no figures");
    return n;
}

static const tweed_loop_stats *of(const char *name)
{
    int n = get();

    for (int i = 0; i < n; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return &none;
}

/* So many loops with so many indices, of which so many were run by their callers alone,
   all in their time. */
static int counts(const char *name, uint64_t loops, uint64_t indices, uint64_t serial)
{
    const tweed_loop_stats *s = of(name);

    if (s->loops == loops && s->indices == indices && s->serial == serial &&
        s->ideal_ns <= s->time_ns)
        return 1;
    diag("%s: %llu loops, %llu serial, %llu indices, %llu of %llu ns", name,
         (unsigned long long)s->loops, (unsigned long long)s->serial,
         (unsigned long long)s->indices, (unsigned long long)s->ideal_ns,
         (unsigned long long)s->time_ns);
    return 0;
}

/* By pointer, with a name, and a limit of workers. */
static void run(tweed_pool *pool, const char *name, int limit, int64_t n)
{
    tweed_loop_options o = { .size = sizeof o, .name = name, .max_workers = limit };

    must(tweed_parallel_for_with(pool, &o, 0, n, empty_body, NULL));
}

/* ---- loops of all kinds ---- */

TWEED_LOOP(braces, i)
{
    (void)i;
}

TWEED_SUM(int64_t, sum, i)
{
    return i;
}

TWEED_FIND(find, i)
{
    return i == 70;
}

TWEED_TRY(attempt, i)
{
    return i == 80;
}

TWEED_LOOP_2D(plane, i, j)
{
    (void)i, (void)j;
}

TWEED_SCAN(int64_t, scan, 0, TWEED_PLUS, e, writes, i, int64_t *, x)
{
    *e += 1;
    if (writes)
        x[i] = *e;
}

/* Bad ones, and empty ones, are no loops. */
static void none_of_it(tweed_pool *pool)
{
    static const double weights[] = { 1, -1 };
    tweed_loop_options o = { .size = sizeof o, .name = "bad", .grain = -1 },
                       heavy = { .size = sizeof o, .name = "bad", .weights = weights };

    run(pool, "empty", 0, 0);
    ok(tweed_parallel_for_with(pool, &o, 0, 2, empty_body, NULL) == TWEED_EINVAL &&
           tweed_parallel_for_with(pool, &heavy, 0, 2, empty_body, NULL) == TWEED_EINVAL &&
           of("bad") == &none && of("empty") == &none,
       "loops that have not begun are not there");
}

static void kinds(void)
{
    tweed_pool *pool = pool_of(3), *other = pool_of(2);
    tweed_loop_options alone = { .size = sizeof alone, .max_workers = 1 };
    tweed_outcome outcome = TWEED_OUTCOME_INIT;
    static int64_t x[500], total, found;

    count_by_name();
    ok(get() == 0, "nothing is there before the first loop");
    for (int k = 1; k <= 100; k++) {
        run(k % 2 ? pool : other, "mine", 0, 2 * k);
        must(braces_with(pool, NULL, -k, k));
    }
    ok(counts("mine", 100, 10100, 0), "a name in the options, on two pools");
    ok(of("braces")->loops == 100 && of("braces")->indices == 10100,
       "TWEED_LOOP has its own");
    run(pool, NULL, 0, 7);
    run(pool, "", 0, 8);
    ok(counts("", 2, 15, 0), "loops without a name");
    run(pool, "alone", 1, 100);
    run(pool, "alone", 0, 1);
    run(pool, "alone", 2, 9);
    ok(counts("alone", 3, 110, 2), "loops that their callers run alone");
    must(sum_with(pool, NULL, 0, 1000, &total));
    ok(of("sum")->loops == 1 && of("sum")->indices == 1000 && total == 499500,
       "a reduction");
    must(scan_with(pool, NULL, 0, 500, x, &total));
    ok(of("scan")->loops >= 1 && of("scan")->loops <= 2 &&
           of("scan")->indices >= 500 && of("scan")->indices <= 1000 && x[499] == 500,
       "a scan: a loop, or two");
    must(plane_with(pool, NULL, 0, 20, 0, 30));
    ok(of("plane")->loops == 1 && of("plane")->indices == 600, "two dimensions");
    must(find_with(pool, &alone, 0, 100, &found));
    alone.outcome = &outcome;
    ok(attempt_with(pool, &alone, 0, 100) == TWEED_ESTOPPED &&
       of("find")->loops == 1 && of("find")->indices >= 71 && found == 70 &&
           counts("attempt", 1, outcome.ran, 1) && outcome.index == 80,
       "loops that end early: what was executed");
    run(pool, "of more than thirty-one bytes, this one", 0, 5);
    run(pool, "of more than thirty-one bytes, this other one", 0, 5);
    ok(counts("of more than thirty-one bytes, ", 2, 10, 0), "31 bytes of a name");
    none_of_it(pool);
    must(tweed_pool_destroy(pool));
    must(tweed_pool_destroy(other));
    ok(counts("mine", 100, 10100, 0), "it stays when the pool has ended");
}

/* ---- time ---- */

uint64_t __real_tweed__clock(void);
uint64_t __wrap_tweed__clock(void);

static _Atomic uint64_t now; /* 0: the clock goes by itself */

uint64_t __wrap_tweed__clock(void)
{
    uint64_t ns = atomic_load(&now);

    return ns ? ns : __real_tweed__clock();
}

static void last_1000_ns(int64_t i, void *arg)
{
    tweed_loop_options o = { .size = sizeof o, .name = "part", .max_workers = 1 };

    if (arg && i == 0)
        must(tweed_parallel_for_with(arg, &o, 0, 2, last_1000_ns, NULL));
    atomic_fetch_add(&now, 1000);
}

static int took(const char *name, uint64_t time_ns, uint64_t ideal_ns)
{
    const tweed_loop_stats *s = of(name);

    if (s->time_ns == time_ns && s->ideal_ns == ideal_ns)
        return 1;
    diag("%s: %llu ns, ideal %llu", name, (unsigned long long)s->time_ns,
         (unsigned long long)s->ideal_ns);
    return 0;
}

/* Loops that are run by their callers, one index after the other. */
static void exact(void)
{
    tweed_pool_options p = { .size = sizeof p, .num_workers = 4, .spin_ns = -1 };
    tweed_loop_options o = { .size = sizeof o, .name = "one" };
    tweed_pool *pool;

    must(tweed_pool_create(&pool, &p));
    count_by_name();
    atomic_store(&now, UINT64_C(1) << 40);
    for (int k = 0; k < 3; k++)
        must(tweed_parallel_for_with(pool, &o, 0, 1, last_1000_ns, NULL));
    o.name = "limited";
    o.max_workers = 1;
    must(tweed_parallel_for_with(pool, &o, 0, 7, last_1000_ns, NULL));
    o.name = "whole";
    must(tweed_parallel_for_with(pool, &o, 0, 5, last_1000_ns, pool));
    atomic_store(&now, 0);
    ok(took("one", 3000, 750), "one of four workers: the ideal time is a quarter");
    ok(took("limited", 7000, 7000), "one of one");
    ok(took("part", 2000, 2000) && took("whole", 7000, 7000),
       "a loop in a loop is in the time of both");
    must(tweed_pool_destroy(pool));
}

/* ---- steals ---- */

static atomic_int done;

/* The first of four indices does not end before the others were run: by worker 1,
   which must take the second out of the share of the one that waits. */
static void wait_at_0(int64_t i, void *arg)
{
    (void)arg;
    if (i == 0)
        while (atomic_load(&done) < 3)
            nap_us(50);
    atomic_fetch_add(&done, 1);
}

/* Three loops with a steal each. */
static int stolen(uint64_t far, uint64_t indices)
{
    tweed_pool *pool = pool_of(2);
    tweed_loop_options o = { .size = sizeof o, .name = "steals" };
    const tweed_loop_stats *s;

    count_by_name();
    for (int k = 0; k < 3; k++) {
        atomic_store(&done, 0);
        must(tweed_parallel_for_with(pool, &o, 10, 10, empty_body, NULL));
        must(tweed_parallel_for_with(pool, &o, 0, 4, wait_at_0, NULL));
    }
    must(tweed_pool_destroy(pool));
    s = of("steals");
    if (s->loops == 3 && s->serial == 0 && s->indices == 12 && s->steals == 3 &&
        s->steals_far == far && s->indices_far == indices)
        return 1;
    diag("%llu loops, %llu steals, %llu far, with %llu indices",
         (unsigned long long)s->loops, (unsigned long long)s->steals,
         (unsigned long long)s->steals_far, (unsigned long long)s->indices_far);
    return 0;
}

/* By the counters of the workers, which count the same. */
static void as_the_workers(void)
{
    tweed_pool *pool = pool_of(4);
    tweed_stats all = TWEED_STATS_INIT;
    const tweed_loop_stats *s;

    count_by_name();
    for (int k = 0; k < 200; k++)
        run(pool, "many", 0, 300);
    must(tweed_stats_get(pool, -1, &all));
    s = of("many");
    ok(s->loops == all.loops && s->indices == all.indices && s->serial == all.serial &&
           s->steals == all.steals_near + all.steals_far &&
           s->steals_far == all.steals_far,
       "the workers' counters agree: %llu steals", (unsigned long long)s->steals);
    must(tweed_pool_destroy(pool));
}

/* ---- loops in loops, and beside loops ---- */

static void inner(int64_t i, void *arg)
{
    (void)i;
    run(arg, "inner", 0, 10);
}

static void nested(void)
{
    tweed_pool *pool = pool_of(2);
    tweed_loop_options o = { .size = sizeof o, .name = "outer" };

    count_by_name();
    must(tweed_parallel_for_with(pool, &o, 0, 20, inner, pool));
    ok(counts("outer", 1, 20, 0) && of("inner")->loops == 20 &&
           of("inner")->indices == 200,
       "loops in a loop");
    /* each run's ideal time is rounded down */
    ok(of("inner")->time_ns <= 2 * of("outer")->ideal_ns + 2 * 100,
       "their time is in that of its bodies");
    must(tweed_pool_destroy(pool));
}

#define CALLERS 4
#define LOOPS 300

static void *caller_main(void *arg)
{
    for (int k = 0; k < LOOPS; k++)
        run(arg, k % 3 ? "shared" : "other", k % 7 == 0, k % 50 + 2);
    return NULL;
}

static void call_at_once(tweed_pool *pool, void meanwhile(void))
{
    pthread_t callers[CALLERS];

    for (int k = 0; k < CALLERS; k++)
        if (pthread_create(&callers[k], NULL, caller_main, pool) != 0)
            bail_out("no thread");
    meanwhile();
    for (int k = 0; k < CALLERS; k++)
        pthread_join(callers[k], NULL);
}

static void look_on(void)
{
    for (int k = 0; k < 50; k++)
        (void)get();
}

static void callers(void)
{
    tweed_pool *pool = pool_of(3);
    uint64_t indices[2] = { 0, 0 };

    for (int k = 0; k < LOOPS; k++)
        indices[k % 3 != 0] += CALLERS * (uint64_t)(k % 50 + 2);
    count_by_name();
    call_at_once(pool, look_on);
    ok(of("shared")->loops == CALLERS * LOOPS * 2 / 3 &&
           of("shared")->indices == indices[1] &&
           of("other")->loops == CALLERS * LOOPS / 3 &&
           of("other")->indices == indices[0],
       "four callers at once");
    must(tweed_pool_destroy(pool));
}

/* ---- beside a trace ---- */

static void traced(void)
{
    tweed_pool *pool = pool_of(2);

    count_by_name();
    must(tweed_trace_start(NULL));
    run(pool, "with a trace", 0, 100);
    tweed_trace_stop();
    run(pool, "with a trace", 0, 100);
    ok(counts("with a trace", 2, 200, 0), "a trace comes and goes");
    ok(atomic_load(&tweed__watched) == TWEED__WATCH_PROFILE, "in the end nobody traces");
    must(tweed_pool_destroy(pool));
}

/* ---- the call ---- */

/* Of a later version: a member more. */
struct later {
    tweed_loop_stats known;
    uint64_t more;
};

static int refused(tweed_loop_stats *stats, int count, size_t size)
{
    tweed_loop_stats before;

    stats->size = size;
    before = *stats;
    return tweed_loop_stats_get(stats, count) == TWEED_EINVAL &&
           memcmp(stats, &before, sizeof before) == 0;
}

static void calls(void)
{
    tweed_pool *pool = pool_of(2);
    struct later later[4];
    int good = 1;

    count_by_name();
    run(pool, "a", 0, 3);
    run(pool, "b", 0, 3);
    run(pool, "c", 0, 3);
    errno = 4321;
    ok(tweed_loop_stats_get(NULL, 0) == 3 && errno == 4321, "count 0: how many there are");
    memset(rows, 0x5a, sizeof rows);
    rows[0].size = sizeof rows[0];
    ok(tweed_loop_stats_get(rows, 2) == 3 && rows[1].size == sizeof rows[1] &&
           rows[1].loops == 1 && rows[2].loops == UINT64_C(0x5a5a5a5a5a5a5a5a),
       "two of three, and nothing behind them");
    ok(get() == 3 && rows[0].time_ns >= rows[1].time_ns &&
           rows[1].time_ns >= rows[2].time_ns,
       "the longest time first");
    memset(later, 0x5a, sizeof later);
    later[0].known.size = sizeof later[0];
    ok(tweed_loop_stats_get(&later[0].known, 4) == 3, "an array of a later version");
    for (int k = 0; k < 3; k++)
        good &= later[k].known.size == sizeof later[k] && later[k].more == 0 &&
                later[k].known.indices == 3;
    ok(good && later[3].known.size == SIZE_MAX / 255 * 0x5a,
       "zero behind what is known; no more than there are");
    ok(refused(rows, -1, sizeof rows[0]) && tweed_loop_stats_get(NULL, 1) == TWEED_EINVAL,
       "no array, or less than nothing");
    ok(refused(rows, 3, 0) && refused(rows, 3, sizeof rows[0] - 8) &&
           refused(rows, 3, sizeof rows[0] + 1) && refused(rows, 3, 1032),
       "sizes that are none");
    must(tweed_pool_destroy(pool));
}

/* ---- fork ---- */

static int in_child(void *arg)
{
    if (get() != 0)
        return 1;
    run(arg, "child", 0, 10);
    return counts("child", 1, 10, 0) && get() == 1 ? 42 : 2;
}

static void forks(void)
{
    tweed_pool *pool = pool_of(2);

    if (!gather(pool, 2))
        bail_out("no loop");
    count_by_name();
    run(pool, "parent", 0, 10);
    if (HAVE_RUNTIME_SANITIZER || under_qemu()) /* whose lock may be another thread's */
        skip(1, "a sanitizer's, or qemu's, child of fork() may hang");
    else
        ok(child_exited(child_run(in_child, pool), 42),
           "the child of a fork() counts from zero");
    ok(counts("parent", 1, 10, 0) && get() == 1, "the parent goes on");
    must(tweed_pool_destroy(pool));
}

/* ---- processes of their own ---- */

static char text[262144]; /* what the last one has said on stderr */
static char *words[4];    /* the argument, and the environment */

static int begin_again(void *arg)
{
    (void)arg;
    for (int k = 1; words[k]; k++)
        putenv(words[k]);
    self_execute((const char *[]){ "named.t", words[0], NULL });
    return 127;
}

static int again(const char *argument, const char *stats, const char *other)
{
    static char copies[3][64];
    const char *const given[] = { argument, stats, other };

    for (int k = 0; k < 3; k++) {
        snprintf(copies[k], sizeof copies[k], "%s", given[k]);
        words[k] = copies[k];
    }
    return child_exited(child_run_text(begin_again, NULL, text, sizeof text), 0);
}

static int times(const char *what)
{
    int n = 0;

    for (const char *at = text; (at = strstr(at, what)); at++)
        n++;
    return n;
}

/* The table's lines end in the same column. */
static int is_aligned(void)
{
    const char *line = strstr(text, "tweed: loops by name");
    size_t width = 0;

    for (line = line ? strchr(line, '\n') : NULL; line && line[1]; line = strchr(line, '\n')) {
        size_t n = strcspn(++line, "\n");

        if (width && n != width)
            return 0;
        width = n;
    }
    return width > 0;
}

/* A row of this name, and the first figures. */
static int has_row(const char *name, const char *figures)
{
    const char *at = text;

    for (; (at = strstr(at, name)); at++) {
        const char *rest = at + strlen(name);

        for (const char *f = figures; *rest == ' ' || *rest == *f; rest++) {
            f += *rest == *f && *rest != ' ';
            while (*f == ' ')
                f++;
            if (!*f)
                return rest[1] == ' ';
        }
    }
    return 0;
}

static void tables(void)
{
    ok(again("run", "TWEED_STATS=loops", "TWEED_NUM_WORKERS=2") &&
           times("tweed: pool") == 2 && times("tweed: loops by name") == 1,
       "TWEED_STATS=loops: a table of each pool, and at exit one of the loops");
    ok(times("imbalance  ") == 1 && is_aligned(), "with a head, and straight");
    ok(has_row("slow", "2 0 8") && has_row("(no name)", "1 0 77") &&
           has_row("limited", "1 1 5"),
       "a row a name");
    ok(strstr(text, "  slow ") && strstr(text, "  limited ") &&
           strstr(text, "  slow ") < strstr(text, "  limited "),
       "the longest first");
    if (tap_failed)
        diag("the output was:\n%s", text);
    ok(again("run", "TWEED_STATS=1", "TWEED_NUM_WORKERS=2") && times("tweed: pool") == 2 &&
           times("loops by name") == 0,
       "TWEED_STATS=1: without that one");
    ok(again("nothing", "TWEED_STATS=loops", "TWEED_NUM_WORKERS=2") && !*text,
       "no loops: nothing");
    ok(again("pool", "TWEED_STATS=loops", "TWEED_NUM_WORKERS=2") &&
           times("tweed: pool") == 1 && times("loops by name") == 0,
       "a pool without loops: no table of loops");
    if (HAVE_RUNTIME_SANITIZER || under_qemu())
        skip(1, "a sanitizer's, or qemu's, child of fork() may hang");
    else
        ok(again("fork", "TWEED_STATS=loops", "TWEED_NUM_WORKERS=2") &&
               times("loops by name") == 2 && times("  parent  ") == 1 &&
               times("  child  ") == 1,
           "the child of a fork() has a table of its own");
    ok(again("names", "TWEED_STATS=loops", "TWEED_NUM_WORKERS=1"),
       "more names than there is room for");
    ok(again("far", "TWEED_TOPOLOGY=nodes:2,cpus:1", "TWEED_STATS=loops"),
       "steals from another node");
}

static void slow(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
    nap_us(5000);
}

static int run_child(void)
{
    tweed_pool *pool = pool_of(2);
    tweed_loop_options o = { .size = sizeof o, .name = "slow" };

    run(pool, NULL, 0, 77);
    run(pool, "limited", 1, 5);
    for (int k = 0; k < 2; k++)
        must(tweed_parallel_for_with(NULL, &o, 0, 4, slow, NULL));
    must(tweed_pool_destroy(pool));
    return 0;
}

static int fork_child(void)
{
    pid_t pid;

    if (!gather(NULL, 2))
        return 1;
    run(NULL, "parent", 0, 3);
    pid = child_fork();
    if (pid == 0) {
        run(NULL, "child", 0, 3);
        exit(0);
    }
    return !child_exited(child_wait(pid), 0);
}

/* The first 1,023 names have a row each. */
static int names_child(void)
{
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; k < 1200; k++) {
            char name[16];

            snprintf(name, sizeof name, "name %d", k);
            run(NULL, name, 0, k + 1);
        }
    run(NULL, NULL, 0, 5);
    if (get() != 1025 || !counts("", 1, 5, 1) || !counts("name 0", 2, 2, 2) ||
        !counts("name 1022", 2, 2 * 1023, 2) || of("name 1023") != &none)
        return 1;
    return !counts("(others)", 2 * 177, 1200 * 1201 - 1023 * 1024, 2 * 177);
}

static int far_child(void)
{
    return !stolen(3, 3);
}

static int child(const char *what)
{
    if (strcmp(what, "run") == 0)
        return run_child();
    if (strcmp(what, "pool") == 0)
        return tweed_pool_num_workers(NULL) != 2;
    if (strcmp(what, "fork") == 0)
        return fork_child();
    if (strcmp(what, "names") == 0)
        return names_child();
    if (strcmp(what, "far") == 0)
        return far_child();
    return strcmp(what, "nothing") != 0;
}

int main(int argc, char **argv)
{
    watchdog();
    if (argc > 1)
        return child(argv[1]);
    plan(12 + 3 + 1 + 1 + 2 + 1 + 2 + 7 + 2 + 10);
    kinds();
    exact();
    ok(stolen(0, 0), "steals, one a loop");
    as_the_workers();
    nested();
    callers();
    traced();
    calls();
    forks();
    tables();
    return done_testing();
}

/*
 * environment.c - every variable: what good values do, and that bad ones are
 * named once and ignored.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "tap.h"

#include "rerun.h"
#include "once.h"
#include "base/options.h"
#include "pool/pool.h"
#include "system/topology.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- the child: says what is in force ---- */

static atomic_size_t stack_of_worker;

static void look_at_stack(int64_t i, void *arg)
{
    pthread_attr_t attr;
    size_t size;

    (void)i;
    (void)arg;
    if (tweed_worker_index() > 0 && !atomic_load(&stack_of_worker) &&
        pthread_getattr_np(pthread_self(), &attr) == 0) {
        pthread_attr_getstacksize(&attr, &size);
        pthread_attr_destroy(&attr);
        atomic_store(&stack_of_worker, size);
    }
    for (int wait = 0; wait < 20 && !atomic_load(&stack_of_worker); wait++)
        usleep(50); /* give the workers a chance to come */
}

static int role(void)
{
    tweed_pool *pool = tweed__pool_or_default(NULL);
    int good = once_loops(NULL, 12);
    struct tweed__team *team = tweed__pool_team(pool);
    tweed_pool *second = NULL;

    /* further pools say nothing more */
    good &= tweed_pool_create(&second, NULL) == TWEED_OK &&
            once_loops(second, 6) && tweed_pool_destroy(second) == TWEED_OK;
    printf("%s\n", good ? "loops right" : "loops wrong");
    printf("workers %d\n", team->num_workers);
    printf("groups %d\n", team->num_groups);
    printf("made up %d\n", team->synthetic);
    printf("bind %d\n", pool->settings.bind);
    printf("spin %lld\n", (long long)team->spin_ns);
    printf("exchange %d\n", !team->asymmetric);
    printf("stack asked %lld\n", (long long)pool->settings.stack_bytes);
    while (team->num_workers > 1 && !atomic_load(&stack_of_worker))
        tweed_parallel_for(0, 100, look_at_stack, NULL);
    printf("stack %lld\n", (long long)atomic_load(&stack_of_worker));
    for (int i = 0; i < TWEED__NUM_OPTIONS; i++) {
        const struct tweed__option *o = tweed__option((enum tweed__option_id)i);

        if (o->origin)
            printf("%s from %s\n", o->name, o->origin);
    }
    return 0;
}

static int own(void)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;
    tweed_pool *pool;

    o.num_workers = 2;
    o.spin_ns = -1;
    o.bind = TWEED_BIND_NONE;
    o.stack_bytes = 262144;
    return tweed_pool_create(&pool, &o) != TWEED_OK || tweed_pool_destroy(pool) != TWEED_OK;
}

/* ---- good values ---- */

/* The line is said, the loops are right, and nothing is said on stderr. */
static void good(const char *const *env, const char *line, const char *also)
{
    struct rerun c;

    rerun(&c, "show", env, NULL, NULL);
    if (!ok(rerun_was_quiet(&c) && rerun_said(&c, "loops right") &&
                rerun_said(&c, line) && (!also || rerun_said(&c, also)),
            "%s%s%s: %s", env[0], env[1] ? " " : "", env[1] ? env[1] : "",
            line))
        rerun_show(&c);
}

#define GOOD(line, also, ...)                                                  \
    good((const char *const[]){ __VA_ARGS__, NULL }, line, also)
#define FROM "TWEED_NUM_WORKERS from "

static void test_good(void)
{
    GOOD("workers 3", FROM "TWEED_NUM_WORKERS", "TWEED_NUM_WORKERS=3");
    GOOD("workers 1", NULL, "TWEED_NUM_WORKERS=1");
    GOOD("workers 5", FROM "OMP_NUM_THREADS", "OMP_NUM_THREADS=5");
    GOOD("workers 4", FROM "OMP_NUM_THREADS", "OMP_NUM_THREADS=4,3,2");
    GOOD("workers 2", FROM "TWEED_NUM_WORKERS", "TWEED_NUM_WORKERS=2",
         "OMP_NUM_THREADS=7");
    GOOD("bind 1", "TWEED_BIND from TWEED_BIND", "TWEED_BIND=cpu");
    GOOD("bind 2", "TWEED_BIND from TWEED_BIND", "TWEED_BIND=node");
    GOOD("bind 3", NULL, "TWEED_BIND=none");
    GOOD("spin 0", "TWEED_SPIN_NS from TWEED_SPIN_NS", "TWEED_SPIN_NS=0");
    GOOD("spin 1000000000", NULL, "TWEED_SPIN_NS=1000000000");
    GOOD("exchange 1", NULL, "TWEED_FENCE=exchange");
    if (TWEED_HAVE_TSAN) {
        skip(2, "no membarrier under ThreadSanitizer");
    } else {
        GOOD("exchange 0", NULL, "TWEED_FENCE=membarrier");
        GOOD("exchange 0", NULL, "TWEED_FENCE=auto");
    }
    GOOD("groups 2", "workers 4", "TWEED_TOPOLOGY=nodes:2,cpus:2");
    GOOD("made up 1", "workers 3",
         "TWEED_TOPOLOGY=cpus:4,nodes:2,threads:2,distance:40",
         "TWEED_NUM_WORKERS=3");
    GOOD("stack asked 1048576", HAVE_RUNTIME_SANITIZER ? NULL : "stack 1048576",
         "TWEED_STACK_BYTES=1048576", "TWEED_NUM_WORKERS=2");
    GOOD("stack asked 16384", "workers 2", "TWEED_STACK_BYTES=16384",
         "TWEED_NUM_WORKERS=2");
    GOOD("loops right", "TWEED_STATS from TWEED_STATS", "TWEED_STATS=0");
    GOOD("loops right", NULL, "TWEED_PROGRESS=0");
    GOOD("loops right", NULL, "TWEED_DISPLAY_ENV=0");
    GOOD("bind 0", "spin 20000", "HOME=/"); /* none of ours: the defaults */
}

static int count(const char *text, const char *word)
{
    int n = 0;

    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        n++;
    return n;
}

static void test_printing(void)
{
    static const char *const stats[] = { "TWEED_STATS=1",
                                         "TWEED_NUM_WORKERS=3", NULL };
    static const char *const display[] = { "TWEED_DISPLAY_ENV=1",
                                           "TWEED_NUM_WORKERS=3",
                                           "TWEED_BIND=garbage",
                                           "TWEED_TOPOLOGY=garbage", NULL };
    struct rerun c;
    int all = 1;

    rerun(&c, "show", stats, NULL, NULL);
    /* the second pool's table when it is destroyed, the default one's at exit;
       a row a worker, and the sum */
    if (!ok(rerun_exited(&c, 0) && count(c.err, "tweed: pool ") == 2 &&
                count(c.err, "imbalance") == 2 && count(c.err, "\n  ") == 12,
            "TWEED_STATS=1: a table for each of two pools of three workers"))
        rerun_show(&c);

    rerun(&c, "show", display, NULL, NULL);
#define TWEED_OPTION(name, kind, least, most, standard, values, meaning)       \
    all &= count(c.err, "\n  TWEED_" #name " ") == 1;
#include "base/options.def"
#undef TWEED_OPTION
    if (!ok(rerun_exited(&c, 0) && all && count(c.err, "options in force") == 1,
            "TWEED_DISPLAY_ENV=1: each option, once"))
        rerun_show(&c);
    ok(count(c.err, "= 3  (from TWEED_NUM_WORKERS)") == 1,
       "... with its value and where it came from");
    if (!ok(count(c.err, "'garbage' ignored") == 4 &&
                count(c.err, "= garbage") == 0 &&
                count(c.err, "   TWEED_BIND='garbage' ignored: expected ") == 1 &&
                count(c.err, "   TWEED_TOPOLOGY='garbage' ignored: expected ") == 1,
            "... and what was ignored is not shown as in force, but why"))
        rerun_show(&c);
}

/* ---- bad values ---- */

/* Named exactly once, with the variable and the value; nothing else is said;
   what is in force is as if it had not been set. */
static int bad(const char *name, const char *value, const char *line)
{
    size_t size = strlen(name) + strlen(value) + 80;
    char *variable = malloc(size), *complaint = malloc(size);
    const char *env[] = { variable, NULL };
    struct rerun c;
    int good;

    snprintf(variable, size, "%s=%s", name, value);
    snprintf(complaint, size, "tweed: %s='%.200s%s' ignored: expected ", name,
             value, strlen(value) > 200 ? "..." : "");
    rerun(&c, "show", env, NULL, NULL);
    good = rerun_exited(&c, 0) && rerun_said(&c, "loops right") &&
           rerun_said(&c, line) && !strstr(c.out, " from ") &&
           strncmp(c.err, complaint, strlen(complaint)) == 0 &&
           count(c.err, "tweed: ") == 1 && count(c.err, "\n") == 1;
    if (!good) {
        diag("%.60s", variable);
        rerun_show(&c);
    }
    free(variable);
    free(complaint);
    return good;
}

static char overlong[5000];

/* The default to be seen for it is in line. */
static void test_bad(const char *name, const char *line, const char *const *own)
{
    static const char *const common[] = { "",     " ",       "garbage", "-1",
                                          "0x10", "9999999999999999999999",
                                          "1 2",  "%s%n",    overlong };
    int good = 1, n = 0;
    /* starting a process takes ThreadSanitizer a second: some of them only */
    size_t step = TWEED_HAVE_TSAN ? 4 : 1;

    for (size_t i = 0; i < sizeof common / sizeof *common; i += step, n++)
        good &= bad(name, common[i], line);
    if (TWEED_HAVE_TSAN)
        own = NULL;
    for (; own && *own; own++, n++)
        good &= bad(name, *own, line);
    ok(good, "%s: %d bad values are named once and ignored", name, n);
}

static void test_all_bad(void)
{
    static const char *const worker_values[] = { "0",  "4095", "3 ", " 3",
                                                 "+3", "3,2",  NULL };
    static const char *const omp_values[] = { "0",   "4095", ",3", "3;2",
                                              "-3,2", "3x",  NULL };
    static const char *const bind_values[] = { "CPU", "cpu ", "cpu|node", "0",
                                               "true", NULL };
    static const char *const spin_values[] = { "1000000001", "1.5", "20us",
                                               NULL };
    static const char *const fence_values[] = { "1", "Membarrier", "member",
                                                NULL };
    static const char *const topology_values[] = {
        "nodes:2", "nodes:2,cpus:0", "nodes:2,cpus:2,", "2x2", NULL
    };
    static const char *const stack_values[] = { "0", "16383", "1073741825",
                                                "64k", NULL };
    static const char *const switch_values[] = { "2", "yes", "01", NULL };
    static const char *const stats_values[] = { "2", "loop", "loops,1", NULL };
    char workers[32];
    struct tweed__topology *t = tweed__topology_get();

    snprintf(workers, sizeof workers, "workers %d", tweed__topology_workers(t));
    tweed__topology_free(t);
    memset(overlong, '1', sizeof overlong - 1);
    test_bad("TWEED_NUM_WORKERS", workers, worker_values);
    test_bad("OMP_NUM_THREADS", workers, omp_values);
    test_bad("TWEED_BIND", "bind 0", bind_values);
    test_bad("TWEED_SPIN_NS", "spin 20000", spin_values);
    test_bad("TWEED_FENCE", TWEED_HAVE_TSAN ? "exchange 1" : "exchange 0",
             fence_values);
    test_bad("TWEED_TOPOLOGY", "made up 0", topology_values);
    test_bad("TWEED_STACK_BYTES", "stack asked 0", stack_values);
    test_bad("TWEED_STATS", "loops right", stats_values);
    test_bad("TWEED_PROGRESS", "loops right", switch_values);
    test_bad("TWEED_DISPLAY_ENV", "loops right", switch_values);
}

/* A line for each unknown name, once, whatever the number of pools. */
static void test_unknown(void)
{
    static const char *const unknown[] = { "TWEED_NUM_WORKER=3", "TWEED_FROBNICATE=1",
                                           "TWEED_SPIN=1",
                                           "TWEED_NUM_WORKERS=2", NULL };
    static const char *const others[] = { "TWEED_ROOT=/opt", "TWEED_DIR=/opt",
                                          "TWEED_TEST_ROUNDS=1", "XTWEED_X=1", "TWEED=1",
                                          NULL };
    struct rerun c;

    rerun(&c, "show", unknown, NULL, NULL);
    if (!ok(rerun_said(&c, "workers 2") && count(c.err, "\n") == 3 &&
                count(c.err, "tweed: no option is named TWEED_NUM_WORKER: did you mean "
                             "TWEED_NUM_WORKERS\n") == 1 &&
                count(c.err, "tweed: no option is named TWEED_SPIN: did you mean "
                             "TWEED_SPIN_NS\n") == 1 &&
                count(c.err, "tweed: no option is named TWEED_FROBNICATE: see tweed(7)\n") ==
                    1,
            "unknown names are told once"))
        rerun_show(&c);
    rerun(&c, "show", others, NULL, NULL);
    if (!ok(rerun_was_quiet(&c), "not those that others read"))
        rerun_show(&c);
}

/* What has its value from the program is no variable's. */
static void test_own(void)
{
    static const char *const display[] = { "TWEED_DISPLAY_ENV=1", "TWEED_NUM_WORKERS=3",
                                           NULL };
    struct rerun c;

    rerun(&c, "own", display, NULL, NULL);
    if (!ok(rerun_exited(&c, 0) &&
                count(c.err, "TWEED_NUM_WORKERS  = 2  (of the pool's own options)") == 1 &&
                count(c.err, "TWEED_SPIN_NS      = 0  (of the pool's own options)") == 1 &&
                count(c.err, "TWEED_BIND         = none  (of the pool's own options)") == 1 &&
                count(c.err, "TWEED_STACK_BYTES  = 262144  (of the pool's own options)") == 1,
            "TWEED_DISPLAY_ENV=1: what the first pool has of its own options"))
        rerun_show(&c);
}

static void test_both(void)
{
    static const char *const one_bad[] = { "TWEED_NUM_WORKERS=none",
                                           "OMP_NUM_THREADS=3", NULL };
    static const char *const hidden[] = { "TWEED_NUM_WORKERS=3",
                                          "OMP_NUM_THREADS=garbage", NULL };
    struct rerun c;

    rerun(&c, "show", one_bad, NULL, NULL);
    if (!ok(rerun_said(&c, "workers 3") && count(c.err, "\n") == 1 &&
                rerun_said(&c, FROM "OMP_NUM_THREADS"),
            "a bad TWEED_NUM_WORKERS leaves it to OMP_NUM_THREADS"))
        rerun_show(&c);
    rerun(&c, "show", hidden, NULL, NULL);
    if (!ok(rerun_was_quiet(&c) && rerun_said(&c, "workers 3"),
            "an OMP_NUM_THREADS that nobody reads is not complained about"))
        rerun_show(&c);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return strcmp(argv[1], "own") == 0 ? own() : role();
    plan(21 + 4 + 10 + 2 + 3);
    test_good();
    test_printing();
    test_all_bad();
    test_both();
    test_unknown();
    test_own();
    return done_testing();
}

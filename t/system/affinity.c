/*
 * affinity.c - where threads run, and what they are called.
 *
 * SPDX-License-Identifier: MIT
 *
 * The topology can be replaced by a made-up one of real CPUs, so that CPU, node
 * and all are three different things on a machine with two CPUs and one node.
 */
#include "config.h"

#include "tap.h"

#include "rerun.h"
#include "once.h"
#include "pool/pool.h"
#include "system/topology.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

/* ---- the machine ---- */

static int *cpus, num_cpus; /* the mask of the process when it started */
static int as_nodes;        /* 0: as it is; n: the CPUs dealt to n nodes */

struct tweed__topology *__real_tweed__topology_get(void);
struct tweed__topology *__wrap_tweed__topology_get(void);

struct tweed__topology *__wrap_tweed__topology_get(void)
{
    struct tweed__topology *t = __real_tweed__topology_get();

    if (!as_nodes)
        return t;
    t->num_nodes = as_nodes;
    t->nodes = realloc(t->nodes, (size_t)as_nodes * sizeof *t->nodes);
    t->distances = realloc(t->distances, (size_t)(as_nodes * as_nodes) *
                                             sizeof *t->distances);
    for (int i = 0; i < as_nodes * as_nodes; i++)
        t->distances[i] = i % (as_nodes + 1) == 0 ? 10 : 20;
    for (int i = 0; i < as_nodes; i++)
        t->nodes[i] = i;
    for (int i = 0; i < t->num_cpus; i++)
        t->cpus[i].node = i * as_nodes / t->num_cpus;
    return t;
}

/* ---- looking at threads ---- */

/* The worker's thread, by what /proc says: its CPUs are these. */
static int runs_on(const char *task, const int *expected, int n)
{
    int *mask, count = tweed__topology_mask(atoi(task), &mask), good = count == n;

    for (int i = 0; good && i < n; i++)
        good = mask[i] == expected[i];
    if (count > 0)
        free(mask);
    return good;
}

static int reads(const char *task, const char *file, char *text, size_t size)
{
    char path[300];
    FILE *f;
    int good;

    snprintf(path, sizeof path, "/proc/self/task/%.32s/%s", task, file);
    f = fopen(path, "r");
    good = f && fgets(text, (int)size, f);
    if (f)
        fclose(f);
    text[good ? strcspn(text, "\n") : 0] = '\0';
    return good;
}

/* The number of the only thread of this name; false if there is none, or two. */
static int find_task(const char *name, char *task, size_t size)
{
    DIR *d = opendir("/proc/self/task");
    int found = 0;
    char comm[64];

    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.' && reads(e->d_name, "comm", comm, sizeof comm) &&
            strcmp(comm, name) == 0) {
            snprintf(task, size, "%.30s", e->d_name);
            found++;
        }
    if (d)
        closedir(d);
    return found == 1;
}

/* The same, "" for false.  A thread that has just been made has not named itself yet. */
static void wait_for_task(const char *name, char *task, size_t size)
{
    for (int k = 0; k < 5000; k++) {
        if (find_task(name, task, size))
            return;
        usleep(1000);
    }
    task[0] = '\0';
}

/* All threads of the pool are called name-1, name-2, ... and run on: */
enum where { OWN_CPU, OWN_NODE, ALL };

static int threads_are(tweed_pool *pool, const char *name, enum where where)
{
    struct tweed__team *team = tweed__pool_team(pool);
    struct tweed__topology *t = __wrap_tweed__topology_get();
    int good = 1;

    for (int w = 1; w < team->num_workers; w++) {
        char task[32] = "", full[32];
        int expected[CPU_SETSIZE], n = 0;

        snprintf(full, sizeof full, "%s-%d", name, w);
        wait_for_task(full, task, sizeof task);
        for (int c = 0; c < num_cpus; c++) {
            int mine = cpus[c] == team->workers[w]->cpu, near = 0;

            for (int k = 0; k < t->num_cpus; k++)
                near |= t->cpus[k].cpu == cpus[c] &&
                        t->nodes[t->cpus[k].node] == team->workers[w]->node;
            if (where == ALL || (where == OWN_CPU && mine) ||
                (where == OWN_NODE && near))
                expected[n++] = cpus[c];
        }
        if (!*task || !runs_on(task, expected, n)) {
            diag("%s, task '%s', is not where it belongs", full, task);
            good = 0;
        }
    }
    tweed__topology_free(t);
    return good;
}

/* ---- binding ---- */

struct start {
    tweed_pool_options options;
    tweed_pool *pool;
    int unchanged;
};

/* A thread that its owner has bound to one CPU starts the pool: neither does
   that narrow the workers, nor does the pool change the thread. */
static void *start_bound(void *arg)
{
    struct start *s = arg;
    int *mask = NULL, n;
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET((size_t)cpus[0], &one);
    sched_setaffinity(0, sizeof one, &one);
    if (tweed_pool_create(&s->pool, &s->options) != TWEED_OK)
        return NULL;
    s->unchanged = once_loops(s->pool, 12);
    n = tweed__topology_mask(0, &mask);
    s->unchanged &= n == 1 && mask[0] == cpus[0];
    if (n > 0)
        free(mask);
    return NULL;
}

static void test_bind(const char *what, int nodes, int bind, int workers,
                      enum where where)
{
    struct start s = { { .size = sizeof s.options,
                         .num_workers = workers,
                         .bind = bind,
                         .name = "bound" },
                       NULL, 0 };
    pthread_t thread;
    int good;

    as_nodes = nodes;
    pthread_create(&thread, NULL, start_bound, &s);
    pthread_join(thread, NULL);
    good = s.pool && threads_are(s.pool, "bound", where);
    ok(good, "%s", what);
    ok(s.pool && s.unchanged, "... and the thread that started it stays put");
    if (s.pool)
        tweed_pool_destroy(s.pool);
    as_nodes = 0;
}

static void test_binds(void)
{
    int n = num_cpus;

    if (n < 2) {
        skip(16, "one CPU: everything is the same place");
        return;
    }
    if (n > 64)
        n = 64;
    test_bind("bind cpu: each on a CPU of its own", 0, TWEED_BIND_CPU, n,
              OWN_CPU);
    /* on two CPUs the first tells it from none, the second from cpu */
    test_bind("by default, a worker for each CPU: as bind cpu", 0,
              TWEED_BIND_DEFAULT, num_cpus, OWN_CPU);
    test_bind("... more workers: on all CPUs of the node", 1,
              TWEED_BIND_DEFAULT, num_cpus + 1, ALL);
    test_bind("bind node: on all CPUs of the node", 1, TWEED_BIND_NODE, n, ALL);
    test_bind("bind node: on no CPU of another node", 2, TWEED_BIND_NODE, n,
              OWN_NODE);
    test_bind("bind none: anywhere in the mask", 2, TWEED_BIND_NONE, n, ALL);
    test_bind("bind cpu, more workers than CPUs: on the node", 2,
              TWEED_BIND_CPU, num_cpus + 3, OWN_NODE);
    test_bind("bind none, more workers than CPUs", 0, TWEED_BIND_NONE,
              num_cpus + 3, ALL);
}

/* ---- names ---- */

static void test_names(void)
{
    static const struct {
        const char *given, *shown;
    } names[] = { { NULL, "tweed" },
                  { "a", "a" },
                  { "12345678", "12345678" },
                  { "123456789abcdef", "12345678" } };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        tweed_pool_options o = { .size = sizeof o,
                                 .num_workers = 4,
                                 .bind = TWEED_BIND_NONE,
                                 .name = names[i].given };
        tweed_pool *pool = NULL;

        ok(tweed_pool_create(&pool, &o) == TWEED_OK &&
               threads_are(pool, names[i].shown, ALL),
           "a pool named %s: threads %s-1, ...",
           names[i].given ? names[i].given : "nothing", names[i].shown);
        tweed_pool_destroy(pool);
    }
}

/* ---- a narrow mask ---- */

/* As taskset would: the last k CPUs of the mask. */
static int narrow(void *arg)
{
    int k = *(int *)arg;
    cpu_set_t set;

    CPU_ZERO(&set);
    for (int i = num_cpus - k; i < num_cpus; i++)
        CPU_SET((size_t)cpus[i], &set);
    return sched_setaffinity(0, sizeof set, &set);
}

static int role(void)
{
    const char *bind = getenv("TWEED_BIND");
    int workers = tweed_pool_num_workers(NULL), *now, n, good;
    int cpu = bind ? strcmp(bind, "cpu") == 0 : workers == num_cpus;

    printf("workers %d\n", workers);
    printf("%s\n", once_loops(NULL, 24) ? "loops right" : "loops wrong");
    good = threads_are(tweed__pool_or_default(NULL), "tweed",
                       cpu ? OWN_CPU : OWN_NODE);
    printf("%s\n", good ? "inside" : "outside");
    n = tweed__topology_mask(0, &now);
    good = n == num_cpus && memcmp(now, cpus, (size_t)n * sizeof *now) == 0;
    printf("%s\n", good ? "unchanged" : "changed");
    free(now);
    return 0;
}

static void test_narrow(int k, const char *variable, int workers)
{
    const char *env[] = { variable, NULL };
    char expected[32];
    struct rerun c;

    snprintf(expected, sizeof expected, "workers %d", workers);
    rerun(&c, "narrow", env, narrow, &k);
    if (rerun_exited(&c, RERUN_CANNOT))
        skip(1, "may not set the affinity");
    else if (!ok(rerun_was_quiet(&c) && rerun_said(&c, expected) &&
                     rerun_said(&c, "loops right") && rerun_said(&c, "inside") &&
                     rerun_said(&c, "unchanged"),
                 "a mask of %d of %d CPUs, %s: %s", k, num_cpus,
                 variable ? variable : "no variable", expected))
        rerun_show(&c);
}

int main(int argc, char **argv)
{
    struct tweed__topology *t;
    int quota, k;

    (void)argv;
    alarm(240);
    num_cpus = tweed__topology_mask(0, &cpus);
    if (num_cpus < 1 || num_cpus > CPU_SETSIZE)
        skip_all("the affinity mask cannot be read");
    if (argc > 1)
        return role();
    plan(16 + 4 + 4);
    test_binds();
    test_names();
    t = __real_tweed__topology_get();
    quota = t->quota && t->quota < num_cpus * 1000;
    tweed__topology_free(t);
    if (quota) {
        skip(3, "a CPU quota decides on the number of workers");
    } else {
        test_narrow(1, NULL, 1);
        test_narrow(num_cpus, NULL, num_cpus);
        /* two at least: one worker has no thread that is bound */
        k = num_cpus > 2 ? num_cpus - 1 : num_cpus;
        test_narrow(k, "TWEED_BIND=cpu", k);
    }
    test_narrow(1, "TWEED_NUM_WORKERS=3", 3);
    return done_testing();
}

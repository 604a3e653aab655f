/*
 * no-memory.c - the k-th allocation fails, for every k.
 *
 * SPDX-License-Identifier: MIT
 *
 * Shims before all that tweed allocates by: the four of the heap, mappings, CPU
 * sets, streams, lines, thread attributes.  In mode "once" the k-th call fails
 * and the next succeeds again; in mode "from then on" there is nothing more to be
 * had.  Each k is tried, until one is reached that nothing asked for.  What came
 * of it must be a right answer or a clean error; everything must be given back,
 * which is counted here (and by the address sanitizer, where there is one).
 */
#include "config.h"

#include "by-name.h"
#include "tap.h"

#include "once.h"
#include "pool.h"
#include "topology.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST_CALLS 100000 /* a start that takes more is a loop */

/* Of all threads: a worker that goes back to its CPU asks for memory, too. */
static atomic_int armed; /* count, and fail */
static atomic_int calls, fail_at, for_good, failed;
static atomic_int blocks, mapped; /* had and not given back */

static int fails(void)
{
    int call;

    if (!armed)
        return 0;
    call = ++calls;
    if (call != fail_at && !(for_good && call > fail_at))
        return 0;
    failed++;
    errno = ENOMEM;
    return 1;
}

void *__real_malloc(size_t);
void *__wrap_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__wrap_calloc(size_t, size_t);
void *__real_aligned_alloc(size_t, size_t);
void *__wrap_aligned_alloc(size_t, size_t);
void __real_free(void *);
void __wrap_free(void *);
void *__real_mmap(void *, size_t, int, int, int, off_t);
void *__wrap_mmap(void *, size_t, int, int, int, off_t);
int __real_munmap(void *, size_t);
int __wrap_munmap(void *, size_t);
cpu_set_t *__real___sched_cpualloc(size_t);
cpu_set_t *__wrap___sched_cpualloc(size_t);
void __real___sched_cpufree(cpu_set_t *);
void __wrap___sched_cpufree(cpu_set_t *);
FILE *__real_fopen(const char *, const char *);
FILE *__wrap_fopen(const char *, const char *);
int __real_fclose(FILE *);
int __wrap_fclose(FILE *);
ssize_t __real_getline(char **, size_t *, FILE *);
ssize_t __wrap_getline(char **, size_t *, FILE *);
ssize_t __real___getdelim(char **, size_t *, int, FILE *);
ssize_t __wrap___getdelim(char **, size_t *, int, FILE *);
int __real_pthread_attr_init(pthread_attr_t *);
int __wrap_pthread_attr_init(pthread_attr_t *);
int __real_pthread_create(pthread_t *, const pthread_attr_t *,
                          void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *,
                          void *(*)(void *), void *);

static void *had(void *p)
{
    blocks += p != NULL;
    return p;
}

void *__wrap_malloc(size_t n)
{
    return fails() ? NULL : had(__real_malloc(n));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : had(__real_calloc(n, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t n)
{
    return fails() ? NULL : had(__real_aligned_alloc(alignment, n));
}

void __wrap_free(void *p)
{
    blocks -= p != NULL;
    __real_free(p);
}

void *__wrap_mmap(void *address, size_t bytes, int protection, int flags,
                  int fd, off_t offset)
{
    void *p = fails() ? MAP_FAILED
                      : __real_mmap(address, bytes, protection, flags, fd,
                                    offset);

    mapped += p != MAP_FAILED;
    return p;
}

int __wrap_munmap(void *address, size_t bytes)
{
    mapped--;
    return __real_munmap(address, bytes);
}

cpu_set_t *__wrap___sched_cpualloc(size_t n)
{
    return fails() ? NULL : had(__real___sched_cpualloc(n));
}

void __wrap___sched_cpufree(cpu_set_t *set)
{
    blocks -= set != NULL;
    __real___sched_cpufree(set);
}

FILE *__wrap_fopen(const char *name, const char *how)
{
    return fails() ? NULL : had(__real_fopen(name, how));
}

int __wrap_fclose(FILE *f)
{
    blocks--;
    return __real_fclose(f);
}

/* The line, too, comes from the heap: the library's free() is counted above. */
ssize_t __wrap_getline(char **line, size_t *size, FILE *f)
{
    char *before = *line;
    ssize_t n = fails() ? -1 : __real_getline(line, size, f);

    blocks += !before && *line;
    return n;
}

/* What the C library's headers make of getline() when they inline it. */
ssize_t __wrap___getdelim(char **line, size_t *size, int end, FILE *f)
{
    char *before = *line;
    ssize_t n = fails() ? -1 : __real___getdelim(line, size, end, f);

    blocks += !before && *line;
    return n;
}

int __wrap_pthread_attr_init(pthread_attr_t *attr)
{
    return fails() ? ENOMEM : __real_pthread_attr_init(attr);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                          void *(*fn)(void *), void *arg)
{
    return fails() ? EAGAIN : __real_pthread_create(thread, attr, fn, arg);
}

static void arm(int k, int mode)
{
    calls = failed = 0;
    fail_at = k;
    for_good = mode;
    armed = 1;
}

/* ---- an own pool ---- */

static char some_cpu[16]; /* as a list: one that the process may use */

static void find_some_cpu(void)
{
    cpu_set_t set;
    int cpu = 0;

    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET((size_t)cpu, &set))
        cpu++;
    snprintf(some_cpu, sizeof some_cpu, "%d", cpu);
}

/* The handles of the first 256 pools need no memory, and those of later ones that of an
   earlier one: but one is allocated, for good. */
static void use_handles_up(void)
{
    tweed_pool_options o = { .size = sizeof o, .num_workers = 1 };

    for (int i = 0; i < 300; i++) {
        tweed_pool *pool;

        if (tweed_pool_create(&pool, &o) == TWEED_OK)
            (void)tweed_pool_destroy(pool);
    }
    blocks = 0;
}

/* 1 right, 0 wrong. */
static int try_pool(int k, int mode)
{
    tweed_pool_options o = { .size = sizeof o, .num_workers = 4, .cpus = some_cpu };
    tweed_pool *untouched = (tweed_pool *)&o, *pool = untouched;
    int code, workers = 0, good = 1;

    arm(k, mode);
    code = tweed_pool_create(&pool, &o);
    if (code == TWEED_OK) {
        workers = tweed_pool_num_workers(pool);
        good = workers >= 1 && workers <= 4;
        good &= once_loops(pool, 6); /* still without memory */
        armed = 0;
        good &= once_loops(pool, 6); /* and with it again */
        good &= tweed_pool_num_workers(pool) == workers;
        good &= tweed_pool_destroy(pool) == TWEED_OK;
    } else {
        /* without memory for the mask there is a CPU 0 only */
        good = (code == TWEED_ENOMEM || code == TWEED_ENOCPU) &&
               pool == untouched && failed > 0;
    }
    armed = 0;
    if (!failed)
        good &= code == TWEED_OK && workers == 4;
    good &= blocks == 0 && mapped == 0;
    good &= load_relaxed(&tweed__awake) == 0;
    if (!good)
        diag("own pool, allocation %d: %s, %d workers, %d blocks and %d "
             "mappings left",
             k, tweed_strerror(code), workers, blocks, mapped);
    return good;
}

/* ---- the default pool ---- */

/* Takes the team of the default pool away, as fork() would: the next loop starts
   another. */
static void forget_default(void)
{
    tweed_pool *pool = tweed__pool_or_default(NULL);
    struct tweed__team *team = load_relaxed(&pool->team);

    atomic_store(&pool->team, NULL);
    if (team)
        tweed__team_end(team);
}

static int try_default(int k, int mode)
{
    tweed_stats s = { .size = sizeof s };
    tweed_loop_stats l = TWEED_LOOP_STATS_INIT;
    int good, code;

    count_by_name();
    arm(k, mode);
    good = once_loops(NULL, 6); /* on what there is, serially if need be */
    code = tweed_stats_get(NULL, -1, &s);
    good &= code == TWEED_OK || (code == TWEED_ENOMEM && failed > 0);
    code = tweed_loop_stats_get(&l, 1);
    good &= code == 1 || (code == TWEED_ENOMEM && failed > 0);
    armed = 0;
    good &= once_loops(NULL, 6);
    good &= tweed_loop_stats_get(&l, 1) == 1 && l.loops == 12;
    good &= tweed_stats_get(NULL, -1, &s) == TWEED_OK;
    forget_default();
    good &= blocks == 0 && mapped == 0;
    if (!good)
        diag("default pool, allocation %d: %d blocks and %d mappings left", k,
             blocks, mapped);
    return good;
}

static void test(const char *what, int (*attempt)(int, int), int mode)
{
    int good = 1, k = 1;

    do
        good &= attempt(k, mode);
    while (failed && k++ < MOST_CALLS);
    ok(good && !failed, "%s: allocation k fails %s: right or a clean error",
       what, mode ? "and all after it" : "alone");
    /* the team, its workers, the topology at least */
    ok(k > 15, "... for every k up to %d", k - 1);
}

int main(int argc, char **argv)
{
    int forms = 0;

    (void)argv;
    (void)argc;
    alarm(240);
    setenv("TWEED_NUM_WORKERS", "2", 1); /* where there are two CPUs, one each: */
    setenv("TWEED_BIND", "cpu", 1);
    unsetenv("TWEED_TOPOLOGY");
    plan(10);
    find_some_cpu();
    use_handles_up();
    test("own pool", try_pool, 0);
    test("own pool", try_pool, 1);
    test("default pool", try_default, 0);
    test("default pool", try_default, 1);

    /* a made-up machine is allocated apart */
    for (int k = 1; k < 20; k++) {
        struct tweed__topology *t;
        const char *wrong = "";

        arm(k, 0);
        t = tweed__topology_parse("nodes:2,cpus:2", &wrong);
        armed = 0;
        forms += !wrong && !t == (failed > 0);
        tweed__topology_free(t);
    }
    ok(forms == 19 && blocks == 0,
       "a made-up machine: no memory is not mistaken for a bad form");

    tweed_pool *pool = NULL;

    ok(tweed_pool_create(&pool, NULL) == TWEED_OK && once_loops(pool, 12) &&
           tweed_pool_destroy(pool) == TWEED_OK && once_loops(NULL, 12),
       "afterwards all is as ever");
    forget_default();
    return done_testing();
}

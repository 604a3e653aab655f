/*
 * signal.c - signals from outside go to the program's own threads.
 *
 * SPDX-License-Identifier: MIT
 *
 * A timer sends 10,000 signals a second to the process while loops and tasks run.  The
 * handler may interrupt any system call (no SA_RESTART), and may run on any
 * thread that has not blocked the signal, which must be no thread of a pool.
 */
#include "child.h"
#include "pools.h"
#include "fib.h"
#include "self.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>

#define WORKERS 4
#define NAME "sigpool"

static _Atomic pid_t main_thread, sink_thread;
static atomic_int handled, on_main, on_sink, on_others;

static void handler(int signo)
{
    pid_t me = (pid_t)syscall(SYS_gettid);

    (void)signo;
    handled++;
    if (me == main_thread)
        on_main++;
    else if (me == sink_thread)
        on_sink++;
    else
        on_others++;
}

static void set_timer(long us)
{
    struct itimerval t = { { 0, us }, { 0, us } };

    setitimer(ITIMER_REAL, &t, NULL);
}

/* Some bodies sleep, so that callers and workers do. */
static void body(int64_t i, void *arg)
{
    unsigned char *count = arg;
    struct timespec ms = { 0, 200000 };

    if (i % 64 == 63)
        while (nanosleep(&ms, &ms) != 0 && errno == EINTR)
            continue;
    count[i]++;
}

/* The same, in tasks of a group, and submitted. */
struct job {
    unsigned char *count;
    int64_t i;
};

static int task(void *arg)
{
    const struct job *job = arg;

    body(job->i, job->count);
    return 0;
}

static int groups_are_right(tweed_pool *pool)
{
    unsigned char count[256] = { 0 };
    tweed_group g = TWEED_GROUP_INIT;
    struct job all[256];
    int good = 1;

    g.pool = pool;
    for (int i = 0; i < 256; i++) {
        all[i] = (struct job){ count, i };
        good &= (i % 2 ? tweed_group_spawn(&g, task, &all[i]) : tweed_pool_submit(pool, task, &all[i])) ==
                TWEED_OK;
    }
    good &= tweed_group_sync(&g) == TWEED_OK && tweed_pool_drain(pool) == TWEED_OK;
    for (int i = 0; i < 256; i++)
        good &= count[i] == 1;
    return good;
}

static int loops_run(tweed_pool *pool, int signals)
{
    unsigned char count[256];
    int good = 1;

    handled = 0;
    do {
        memset(count, 0, sizeof count);
        good &= tweed_parallel_for_with(pool, NULL, 0, 256, body, count) ==
                TWEED_OK;
        for (int i = 0; i < 256; i++)
            good &= count[i] == 1;
        good &= loops_are_right(pool, COUNT_MOST);
        for (int i = 0; i < 100; i++)
            good &= loops_are_right(pool, 2);
        good &= fib_is_right(pool, 16) && groups_are_right(pool);
    } while (handled < signals);
    return good;
}

/* ---- a thread that takes the signals while main blocks them ---- */

static atomic_int sink_stop;

static void *sink(void *arg)
{
    struct timespec ms = { 0, 1000000 };
    sigset_t none;

    (void)arg;
    sink_thread = (pid_t)syscall(SYS_gettid);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    while (!sink_stop)
        nanosleep(&ms, NULL);
    return NULL;
}

static int run_with_sink(tweed_pool *pool, int signals)
{
    sigset_t alarm_set, before;
    pthread_t thread;
    int good;

    sigemptyset(&alarm_set);
    sigaddset(&alarm_set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm_set, &before);
    if (pthread_create(&thread, NULL, sink, NULL) != 0)
        return 0;
    good = loops_run(pool, signals);
    sink_stop = 1;
    pthread_join(thread, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

/* ---- what the system says of the pool's threads ---- */

/* The signals that a thread of a pool takes; fault.c has them come. */
static uint64_t taken(void)
{
    static const int signals[] = { SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                                   SIGTRAP, SIGSYS, SIGPROF };
    uint64_t mask = 0;

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        mask |= UINT64_C(1) << (signals[i] - 1);
    return mask;
}

/* How many threads of this process have a name that begins so; *blocked: and
   block every signal that can be blocked, but for those taken. */
static int named_threads(const char *name, int *blocked)
{
    /* SIGKILL and SIGSTOP cannot be; 32 and 33 are the C library's own */
    uint64_t never = UINT64_C(1) << (SIGKILL - 1) |
                     UINT64_C(1) << (SIGSTOP - 1) | UINT64_C(3) << 31;
    DIR *dir = opendir("/proc/self/task");
    struct dirent *entry;
    int n = 0;

    *blocked = 0;
    while (dir && (entry = readdir(dir))) {
        char path[300], line[200];
        int ours = 0;
        FILE *file;

        snprintf(path, sizeof path, "/proc/self/task/%s/status",
                 entry->d_name);
        file = entry->d_name[0] != '.' ? fopen(path, "r") : NULL;
        while (file && fgets(line, sizeof line, file)) {
            if (strncmp(line, "Name:\t", 6) == 0)
                ours = strncmp(line + 6, name, strlen(name)) == 0;
            if (ours && strncmp(line, "SigBlk:\t", 8) == 0)
                *blocked += (strtoull(line + 8, NULL, 16) | never) ==
                            ~(taken() & ~never);
        }
        if (file)
            fclose(file);
        n += ours;
    }
    if (dir)
        closedir(dir);
    return n;
}

/* A thread that has just been created has no name of its own, and blocks everything, for a
   moment. */
static int blocked_everywhere(const char *name, int n)
{
    int blocked, found = named_threads(name, &blocked);

    for (int tries = 0; tries < 5000 && (found != n || blocked != n); tries++) {
        usleep(1000);
        found = named_threads(name, &blocked);
    }
    if (found != n || blocked != n)
        diag("%d threads '%s...', of which %d block what they should", found,
             name, blocked);
    return found == n && blocked == n;
}

/* ---- the calling thread's mask ---- */

static int same_mask(const sigset_t *set)
{
    sigset_t now;

    pthread_sigmask(SIG_BLOCK, NULL, &now);
    for (int s = 1; s < SIGRTMIN; s++)
        if (sigismember(&now, s) != sigismember(set, s))
            return 0;
    return 1;
}

static int mask_is_kept(void)
{
    sigset_t before, mine;
    tweed_pool *pool;
    int good;

    sigemptyset(&mine);
    sigaddset(&mine, SIGUSR1);
    sigaddset(&mine, SIGINT);
    pthread_sigmask(SIG_SETMASK, &mine, &before);
    good = loops_are_right(NULL, 100) && same_mask(&mine);
    pool = pool_of(3);
    good = good && pool && same_mask(&mine);
    good = good && loops_are_right(pool, 100) && same_mask(&mine);
    good = good && tweed_pool_destroy(pool) == TWEED_OK && same_mask(&mine);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

static int disposition_is_kept(void)
{
    static const int some[] = { SIGPIPE, SIGSEGV, SIGINT, SIGTERM, SIGABRT };
    struct sigaction now;
    int good = 1;

    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        signal(some[i], SIG_IGN);
        good &= loops_are_right(NULL, 100);
        good &= sigaction(some[i], NULL, &now) == 0 &&
                now.sa_handler == SIG_IGN;
        signal(some[i], SIG_DFL);
    }
    return good;
}

/* ---- a handler that calls tweed, which it must not ---- */

static int armed;

struct tweed__topology *__real_tweed__topology_get(void);
struct tweed__topology *__wrap_tweed__topology_get(void);

/* A pool is being started, under the lock of all pools. */
struct tweed__topology *__wrap_tweed__topology_get(void)
{
    if (armed)
        raise(SIGUSR1);
    return __real_tweed__topology_get();
}

static void misuse(int signo)
{
    (void)signo;
    (void)tweed_pool_num_workers(NULL);
}

static int interrupt_start(void *arg)
{
    (void)arg;
    signal(SIGUSR1, misuse);
    armed = 1;
    return tweed_pool_num_workers(NULL) > 0;
}

static int misuse_is_said(void)
{
    char text[200];
    int status = child_run_text(interrupt_start, NULL, text, sizeof text);

    diag("%s", text);
    return child_killed(status, SIGABRT) && strstr(text, "signal handler");
}

int main(void)
{
    struct sigaction action;
    tweed_pool *pool;
    int good, n = rounds(2000);

    plan(10);
    watchdog();
    main_thread = (pid_t)syscall(SYS_gettid);
    ok(misuse_is_said(), "a handler that would wait for ever for what it interrupted");
    ok(mask_is_kept(), "the calling thread's mask is as it was");
    ok(disposition_is_kept(), "no signal's disposition is changed");

    memset(&action, 0, sizeof action);
    action.sa_handler = handler; /* no SA_RESTART: EINTR everywhere */
    sigaction(SIGALRM, &action, NULL);
    set_timer(100);
    pool = pool_named(WORKERS, NAME); /* starts under fire */
    good = pool && tweed_pool_num_workers(pool) == WORKERS;
    if (under_memcheck())
        skip(1, "valgrind has masks of its own");
    else
        ok(good && blocked_everywhere(NAME "-", WORKERS - 1),
           "the workers block every signal but faults and SIGPROF");
    ok(loops_run(pool, n), "loops and tasks right, signals come to the caller");
    ok(on_main > 0 && on_others == 0, "%d handled there, %d elsewhere",
       (int)on_main, (int)on_others);
    on_main = 0;
    ok(run_with_sink(pool, n), "loops right, the caller blocks signals too");
    ok(on_sink > 0 && on_others == 0, "%d handled by a thread of ours, %d else",
       (int)on_sink, (int)on_others);
    good = 1;
    for (int i = 0; i < 50; i++) {
        tweed_pool *brief = pool_of(3);

        good &= brief && loops_are_right(brief, 100) &&
                tweed_pool_destroy(brief) == TWEED_OK;
    }
    set_timer(0);
    ok(good && on_others == 0, "50 pools start and end under fire");
    ok(tweed_pool_destroy(pool) == TWEED_OK && loops_are_right(NULL, 1000),
       "all well afterwards");
    return done_testing();
}

/*
 * starve.c - loops end though the CPU is elsewhere: more workers than CPUs, a
 * real-time thread that waits for an ordinary one, a process that is stopped.
 *
 * SPDX-License-Identifier: MIT
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "pool/pool.h"

#include "child.h"
#include "pools.h"
#include "base/tsan.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

/* How many CPUs this process may use; the first of them alone is put in *one. */
static int usable_cpus(cpu_set_t *one)
{
    cpu_set_t all;

    CPU_ZERO(one);
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return 0;
    for (size_t c = 0; c < CPU_SETSIZE && CPU_COUNT(one) == 0; c++)
        if (CPU_ISSET(c, &all))
            CPU_SET(c, one);
    return CPU_COUNT(&all);
}

/* ---- 16 times as many workers as CPUs ---- */

static void inner_loops(int64_t i, void *arg)
{
    atomic_int *good = arg;

    *good += loops_are_right(NULL, 20 + (int)i);
}

static void *call(void *arg)
{
    for (int i = 0; i < 50; i++)
        if (!loops_are_right(NULL, 1 + i * 19))
            return NULL;
    return arg;
}

static int oversubscribed(void *one_cpu)
{
    pthread_t threads[4];
    cpu_set_t one;
    atomic_int good = 0;
    char text[20];
    int cpus = usable_cpus(&one), n = TWEED_HAVE_TSAN ? 20 : 200;

    if (cpus == 0)
        return 2;
    if (cpus > 64)
        cpus = 64; /* a thousand workers are enough */
    if (one_cpu && sched_setaffinity(0, sizeof one, &one) != 0)
        return 2;
    snprintf(text, sizeof text, "%d", 16 * cpus);
    setenv("TWEED_NUM_WORKERS", text, 1);
    if (tweed_pool_num_workers(NULL) != 16 * cpus)
        return 3;
    for (int i = 0; i < n; i++)
        if (!loops_are_right(NULL, 1 + i * 4))
            return 4;
    if (tweed_parallel_for(0, 100, inner_loops, &good) != TWEED_OK ||
        good != 100)
        return 5;
    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, call, &good) != 0)
            return 6;
    for (int i = 0; i < 4; i++) {
        void *result = NULL;

        pthread_join(threads[i], &result);
        if (!result)
            return 7;
    }
    return 0;
}

/* ---- a SCHED_FIFO thread and an ordinary one on the same CPU ---- */

#define NOT_PERMITTED 77
#define LOOPS 20
#define BURN_NS 10000000  /* CPU time of the ordinary thread in each loop */
#define MOST_NS (LOOPS * (uint64_t)BURN_NS / 2) /* of the other in all loops */

static uint64_t cpu_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int set_fifo(int on)
{
    struct sched_param p = { .sched_priority = on ? 1 : 0 };

    return pthread_setschedparam(pthread_self(), on ? SCHED_FIFO : SCHED_OTHER,
                                 &p) == 0;
}

static void burn(void)
{
    uint64_t start = cpu_ns(CLOCK_THREAD_CPUTIME_ID);

    while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - start < BURN_NS)
        continue;
}

/* Sleeps, which gives the CPU to whomever, until *flag is set. */
static void sleep_until(atomic_int *flag)
{
    static const struct timespec us = { 0, 100000 };

    while (!*flag)
        nanosleep(&us, NULL);
}

struct fifo {
    int caller; /* the caller is the FIFO thread, else the worker is */
    atomic_int begun, ended, wrong;
};

/* Index 0 runs on the caller, index 1 meanwhile on the worker; the ordinary one
   of them has something to compute while the other has nothing left to do. */
static void fifo_body(int64_t i, void *arg)
{
    struct fifo *f = arg;

    if ((tweed_worker_index() > 0) != (i > 0))
        f->wrong++;
    if (i > 0) {
        f->begun = 1;
        if (f->caller)
            burn();
        f->ended = 1;
    } else {
        sleep_until(f->caller ? &f->begun : &f->ended);
        if (!f->caller)
            burn();
    }
}

static int fifo(void *arg)
{
    tweed_pool_options o = { .size = sizeof o,
                             .num_workers = 2,
                             .bind = TWEED_BIND_NONE,
                             .spin_ns = 1000000 };
    int caller = arg != NULL;
    clockid_t of_worker;
    cpu_set_t one;
    tweed_pool *pool;
    struct tweed__team *team;
    uint64_t start, spent;
    clockid_t clock = CLOCK_THREAD_CPUTIME_ID;

    if (!set_fifo(1))
        return NOT_PERMITTED;
    if (caller)
        set_fifo(0);
    if (tweed_pool_create(&pool, &o) != TWEED_OK) /* the worker inherits it */
        return 2;
    if (!set_fifo(caller))
        return 3;
    team = tweed__pool_team(pool);
    if (team->num_workers != 2 ||
        pthread_getcpuclockid(team->workers[1]->thread, &of_worker) != 0)
        return 4;
    if (!caller)
        clock = of_worker;
    /* now, so that the pool believes it has the CPUs to spin on */
    if (usable_cpus(&one) == 0)
        return 5;
    if (pthread_setaffinity_np(pthread_self(), sizeof one, &one) != 0 ||
        pthread_setaffinity_np(team->workers[1]->thread, sizeof one, &one) != 0)
        return 6;

    start = cpu_ns(clock);
    for (int i = 0; i < LOOPS; i++) {
        struct fifo f = { .caller = caller };

        if (tweed_parallel_for_with(pool, NULL, 0, 2, fifo_body, &f) !=
                TWEED_OK ||
            f.wrong)
            return 7;
    }
    spent = cpu_ns(clock) - start;
    /* and many small loops, where they meet at every step */
    for (int i = 0; i < 300; i++)
        if (!loops_are_right(pool, COUNT_MOST))
            return 8;
    if (tweed_pool_destroy(pool) != TWEED_OK)
        return 9;
    if (spent > MOST_NS) {
        diag("the waiting thread spent %lu us", (unsigned long)(spent / 1000));
        return 10;
    }
    return 0;
}

static void expect_fifo(int *caller, const char *what)
{
    int status = child_run(fifo, caller);

    if (child_exited(status, NOT_PERMITTED))
        skip(1, "may not use SCHED_FIFO");
    else if (!ok(child_exited(status, 0), "%s", what))
        diag("status %#x", (unsigned)status);
}

/* ---- a process that is stopped and continued ---- */

struct shared {
    atomic_int loops, wrong, stop;
};

static int run_until_told(void *arg)
{
    struct shared *s = arg;
    tweed_pool *pool = pool_of(4);

    while (!s->stop) {
        int n = s->loops % COUNT_MOST + 1;

        s->wrong += !loops_are_right(NULL, n) || !loops_are_right(pool, n);
        s->loops++;
        if (n % 100 == 0)
            usleep(100); /* so that it is stopped asleep, too */
    }
    return tweed_pool_destroy(pool) == TWEED_OK && !s->wrong ? 0 : 1;
}

static int stopped_and_continued(int n)
{
    struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0, good = 1;
    pid_t pid;

    if (s == MAP_FAILED || (pid = fork()) < 0)
        return 0;
    if (pid == 0) {
        killed_in(CHILD_SECONDS);
        _exit(run_until_told(s));
    }
    for (int i = 0; i < n && good; i++) {
        int before;

        usleep((useconds_t)(i * 37 % 1000));
        kill(pid, SIGSTOP);
        if (waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status)) {
            good = 0; /* it has ended */
            break;
        }
        before = s->loops;
        usleep((useconds_t)(i * 53 % 1000));
        if (s->loops != before)
            good = 0; /* not stopped at all */
        kill(pid, SIGCONT);
        while (s->loops <= before + 1 && good)
            if (waitpid(pid, &status, WNOHANG) == pid)
                good = 0;
            else
                usleep(100);
    }
    s->stop = 1;
    if (good)
        good = child_exited(child_wait(pid), 0) && s->wrong == 0;
    munmap(s, sizeof *s);
    return good;
}

int main(void)
{
    int yes = 1, status;

    plan(5);
    watchdog();
    status = child_run(oversubscribed, NULL);
    if (!ok(child_exited(status, 0), "16 times as many workers as CPUs"))
        diag("status %#x", (unsigned)status);
    status = child_run(oversubscribed, &yes);
    if (!ok(child_exited(status, 0), "the same on one CPU"))
        diag("status %#x", (unsigned)status);
    expect_fifo(&yes, "a SCHED_FIFO caller waits for an ordinary worker");
    expect_fifo(NULL, "a SCHED_FIFO worker waits beside an ordinary caller");
    ok(stopped_and_continued(TWEED_HAVE_TSAN ? 20 : 200),
       "stopped and continued again and again");
    return done_testing();
}

/*
 * fork.c - a child of fork() runs loops, wherever its parent was.
 *
 * SPDX-License-Identifier: MIT
 *
 * The child has one thread and a copy of whatever its parent's pools were doing.
 * It must get fresh teams, with the heavy fence registered anew, for the default
 * pool and for the pools that its parent made.
 */
/* Each loop is published: what is called through the library remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "system/system.h"
#include "pool/pool.h"
#include "pool/sleep.h"

#include "at-work.h"
#include "child.h"
#include "meet.h"
#include "base/tsan.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* Asked for by each team that starts; the count says whether a child did. */
int __real_tweed__fence_register(void);
int __wrap_tweed__fence_register(void);

static atomic_int registrations;

int __wrap_tweed__fence_register(void)
{
    registrations++;
    return __real_tweed__fence_register();
}

/* The first pool of a process starts in another thread, which is held up at one
   of three places until main has forked, or is on the way to. */
int __real_pthread_atfork(void (*)(void), void (*)(void), void (*)(void));
int __wrap_pthread_atfork(void (*)(void), void (*)(void), void (*)(void));
struct tweed__topology *__real_tweed__topology_get(void);
struct tweed__topology *__wrap_tweed__topology_get(void);

enum { NOWHERE, BEFORE_HANDLERS, AFTER_HANDLERS, UNDER_LOCK };
static atomic_int hold_at, is_there, forking, forked;

static void hold(int place)
{
    if (place != hold_at)
        return;
    is_there = 1;
    if (place == UNDER_LOCK) { /* fork() waits for it, if it is right */
        while (!forking)
            sched_yield();
        usleep(20000);
    } else {
        while (!forked)
            sched_yield();
    }
}

int __wrap_pthread_atfork(void (*prepare)(void), void (*parent)(void),
                          void (*child)(void))
{
    int result;

    hold(BEFORE_HANDLERS);
    result = __real_pthread_atfork(prepare, parent, child);
    hold(AFTER_HANDLERS);
    return result;
}

struct tweed__topology *__wrap_tweed__topology_get(void)
{
    hold(UNDER_LOCK);
    return __real_tweed__topology_get();
}

/* A pool's thread forks where it goes to sleep: neither in a body, nor ending. */
void __real_tweed__counts_sleep(struct tweed__worker *w);
void __wrap_tweed__counts_sleep(struct tweed__worker *w);
static void (*_Atomic in_enter)(void);

void __wrap_tweed__counts_sleep(struct tweed__worker *w)
{
    void (*hook)(void) = in_enter;

    if (hook)
        hook();
    __real_tweed__counts_sleep(w);
}

static tweed_pool *mine; /* made before the forks */
static struct tweed__team *team_of_mine, *team_of_default;
static int workers_of_mine;
static pid_t first_process;

static int gathered(tweed_pool *pool)
{
    return gather(pool, tweed_pool_num_workers(pool));
}

/* What each of these does is for a child: 0 if all is well, else the number of
   what is not. */
static int begin(void)
{
    int before = registrations;

    if (!loops_are_right(NULL, 100) || !loops_are_right(mine, 100))
        return 1;
    if (tweed__pool_team(mine)->num_workers != workers_of_mine)
        return 2;
    if (registrations != before + 2) /* two teams */
        return 3;
    return gathered(NULL) && gathered(mine) ? 0 : 11;
}

static int end(void)
{
    if (!loops_are_right(NULL, 100) || !loops_are_right(mine, 100))
        return 4;
    if (tweed_pool_destroy(mine) != TWEED_OK ||
        tweed_pool_destroy(mine) != TWEED_ENOPOOL)
        return 6;
    if (!loops_are_right(NULL, 100))
        return 7;
    /* all fall asleep: the parent's that were awake must not be counted */
    while (awake_all())
        sched_yield();
    return 0;
}

static int live(void)
{
    int wrong = begin();

    return wrong ? wrong : end();
}

static int fork_and_live(void *also)
{
    pid_t pid = child_fork();

    if (pid == 0) {
        int (*more)(void) = NULL;

        if (also)
            more = *(int (**)(void))also;
        _exit(more ? more() : live());
    }

    int status = child_wait(pid);

    if (!child_exited(status, 0))
        diag("a child ended with status %#x", (unsigned)status);
    return child_exited(status, 0);
}

static int often(int n, int (*fork_once)(void *), void *arg)
{
    int good = 0;

    for (int i = 0; i < n; i++)
        good += fork_once(arg);
    return good == n;
}

/* ---- another thread is in a loop ---- */

static int run_loops(tweed_pool *pool)
{
    return loops_are_right(pool, COUNT_MOST);
}

static int while_loops_run(int n)
{
    struct at_work two[2];
    int good;

    if (!at_work_begin(two, run_loops, mine))
        return 0;
    good = often(n, fork_and_live, NULL);
    return at_work_end(two) && good;
}

/* ---- from a body ---- */

struct from_body {
    int worker; /* fork there */
    int (*more)(void);
    atomic_int arrived, forked, good;
};

static void fork_here(int64_t i, void *arg)
{
    struct from_body *f = arg;

    (void)i;
    for (f->arrived++; f->arrived < 2;)
        sched_yield();
    if ((tweed_worker_index() > 0) == f->worker) {
        f->forked++;
        f->good += fork_and_live(f->more ? &f->more : NULL);
    }
}

static int from_body(int worker, int (*more)(void))
{
    struct from_body f = { .worker = worker, .more = more };
    tweed_loop_options two = { .size = sizeof two, .max_workers = 2 };

    return tweed_parallel_for_with(mine, &two, 0, 2, fork_here, &f) ==
               TWEED_OK &&
           f.forked == 1 && f.good == 1;
}

static int from_caller(void *arg)
{
    (void)arg;
    return from_body(0, NULL);
}

static int from_worker(void *arg)
{
    (void)arg;
    return from_body(1, NULL);
}

/* ---- grandchildren ---- */

/* A child that runs loops, then forks: idle, and from bodies. */
static int live_and_fork(void)
{
    int wrong = begin();
    tweed_pool *fresh = pool_of(2);

    if (wrong)
        return wrong;
    if (!fresh || !loops_are_right(fresh, 100) ||
        tweed_pool_destroy(fresh) != TWEED_OK)
        return 5;
    if (!often(2, fork_and_live, NULL))
        return 8;
    if (!from_body(0, NULL) || !from_body(1, NULL))
        return 9;
    return end();
}

/* A child that forks before it has run anything. */
static int fork_at_once(void)
{
    return often(2, fork_and_live, NULL) ? live() : 10;
}

static int grandchildren(int n)
{
    int (*first)(void) = live_and_fork, (*second)(void) = fork_at_once;
    int good = 1;

    for (int i = 0; i < n && good; i++) {
        good &= fork_and_live(&first) && fork_and_live(&second);
        good &= from_body(0, live_and_fork) && from_body(1, live_and_fork);
        good &= from_body(0, fork_at_once) && from_body(1, fork_at_once);
    }
    return good;
}

/* ---- from the end of a pool's thread, where no body runs ---- */

static pthread_key_t key;
static atomic_int ends, good_ends;

static void fork_at_end(void *value)
{
    (void)value;
    ends++;
    good_ends += fork_and_live(NULL);
}

static void arm(int64_t i, void *arg)
{
    atomic_int *arrived = arg;

    (void)i;
    for ((*arrived)++; *arrived < 2;)
        sched_yield();
    if (tweed_worker_index() > 0)
        pthread_setspecific(key, arg);
}

static int from_thread_end(int n)
{
    if (pthread_key_create(&key, fork_at_end) != 0)
        return 0;
    for (int i = 0; i < n; i++) {
        tweed_pool *pool = pool_of(2);
        atomic_int arrived = 0;

        if (!pool || tweed_parallel_for_with(pool, NULL, 0, 2, arm, &arrived))
            return 0;
        if (tweed_pool_destroy(pool) != TWEED_OK)
            return 0;
    }
    pthread_key_delete(key);
    return ends == n && good_ends == n;
}

/* ---- from a pool's thread between bodies ---- */

static atomic_int between, good_between;

static void fork_between(void)
{
    if (between++ == 0)
        good_between = 1 + fork_and_live(NULL);
}

static int from_between(void)
{
    int good;

    between = good_between = 0;
    in_enter = fork_between;
    good = loops_are_right(mine, 100); /* wakes them, and they sleep again */
    while (!good_between)
        sched_yield();
    in_enter = NULL;
    return good && good_between == 2;
}

/* ---- while the first pool ever starts ---- */

static int quiet(void *arg)
{
    (void)arg;
    return loops_are_right(NULL, 100) ? 0 : 1;
}

static int loops_and_fork(void)
{
    hold_at = NOWHERE;
    if (!loops_are_right(NULL, 100))
        return 1;
    return child_exited(child_run(quiet, NULL), 0) ? 0 : 2;
}

static void *first_loop(void *arg)
{
    atomic_int *good = arg;

    *good = loops_are_right(NULL, 100) ? 1 : -1;
    is_there = 1; /* it is over, nobody was held up */
    return NULL;
}

/* In a process that has not used tweed. */
static int fork_at_start(void *place)
{
    atomic_int good = 0;
    pthread_t thread;
    pid_t pid;

    hold_at = *(int *)place;
    if (pthread_create(&thread, NULL, first_loop, &good) != 0)
        return 1;
    while (!is_there)
        sched_yield();
    forking = 1;
    pid = fork();
    if (pid == 0) {
        killed_in(CHILD_SECONDS / 2);
        _exit(loops_and_fork());
    }
    forked = 1;
    pthread_join(thread, NULL);
    return child_exited(child_wait(pid), 0) && good == 1 &&
                   child_exited(child_run(quiet, NULL), 0)
               ? 0
               : 2;
}

/* The child's pools have no teams yet. */
static int destroy_unused(void)
{
    return tweed_pool_destroy(mine) == TWEED_OK &&
                   tweed_pool_destroy(mine) == TWEED_ENOPOOL
               ? 0
               : 1;
}

static int while_first_starts(int place)
{
    return child_exited(child_run(fork_at_start, &place), 0);
}

int main(void)
{
#if TWEED_HAVE_TSAN
    skip_all("ThreadSanitizer forbids threads in the child of a process that "
             "has some");
#endif
    int (*unused)(void) = destroy_unused;
    int n = rounds(60); /* some 250 forks; 240 rounds are a thousand */

    plan(15);
    watchdog();
    first_process = getpid();
    /* first, while this process has not used tweed */
    ok(while_first_starts(BEFORE_HANDLERS),
       "another thread's first loop is about to handle forks");
    ok(while_first_starts(AFTER_HANDLERS),
       "another thread's first loop has just begun to handle forks");
    ok(while_first_starts(UNDER_LOCK), "another thread's first loop starts");
    mine = pool_of(3);
    if (!mine || tweed_pool_num_workers(mine) != 3) {
        skip(12, "no three workers to be had");
        return done_testing();
    }
    workers_of_mine = 3;
    gathered(mine);
    ok(often(n / 10 + 1, fork_and_live, NULL),
       "the default pool was not started yet");
    ok(loops_are_right(NULL, 100) && loops_are_right(mine, 100) &&
           gathered(NULL) && gathered(mine),
       "the parent runs loops");
    team_of_default = tweed__pool_team(tweed__pool_or_default(NULL));
    team_of_mine = tweed__pool_team(mine);
    ok(often(n, fork_and_live, NULL), "idle, %d times", n);
    ok(often(1, fork_and_live, &unused),
       "the child destroys a pool that it has not used");
    ok(while_loops_run(n), "two other threads are in loops, %d times", n);
    ok(often(n, from_caller, NULL), "from a body on the caller, %d times", n);
    ok(often(n, from_worker, NULL), "from a body on a worker, %d times", n);
    ok(grandchildren(n / 40 + 1), "grandchildren, from anywhere");
    ok(from_thread_end(n / 10 + 1), "from a pool thread that is ending");
    ok(from_between(), "from a pool thread that runs no body");
    ok(tweed__pool_team(mine) == team_of_mine &&
           tweed__pool_team(tweed__pool_or_default(NULL)) == team_of_default &&
           loops_are_right(NULL, 100) && loops_are_right(mine, 100),
       "the parent's pools are as they were");
    ok(getpid() == first_process && tweed_pool_destroy(mine) == TWEED_OK,
       "and end as ever");
    return done_testing();
}

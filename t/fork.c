/*
 * fork.c - a child of fork() runs loops, wherever its parent was.
 *
 * SPDX-License-Identifier: MIT
 *
 * The child has one thread and a copy of whatever its parent's pools were doing.
 * It must get fresh teams, with the heavy fence registered anew, for the default
 * pool and for the pools that its parent made.
 */
#include "config.h"

#include "fence.h"
#include "pool.h"
#include "sleep.h"

#include "child.h"
#include "count.h"
#include "tap.h"
#include "tsan.h"

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

static tweed_pool *mine; /* made before the forks */
static struct tweed__team *team_of_mine, *team_of_default;
static int workers_of_mine;
static pid_t first_process;

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
    return 0;
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
    while (load_relaxed(&tweed__awake))
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
    pid_t pid = fork();

    if (pid == 0) {
        int (*more)(void) = NULL;

        if (also)
            more = *(int (**)(void))also;
        watchdog(CHILD_SECONDS);
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

static atomic_int stop;

static void *run_loops(void *pool)
{
    int *good = malloc(sizeof *good);

    if (!good)
        return NULL;
    *good = 1;
    while (!stop)
        *good &= loops_are_right(pool, COUNT_MOST);
    return good;
}

static int while_loops_run(int n)
{
    tweed_pool *pools[2] = { NULL, mine };
    pthread_t threads[2];
    int good = 1;

    stop = 0;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, run_loops, pools[i]) != 0)
            return 0;
    good = often(n, fork_and_live, NULL);
    stop = 1;
    for (int i = 0; i < 2; i++) {
        void *result = NULL;

        pthread_join(threads[i], &result);
        good &= result && *(int *)result;
        free(result);
    }
    return good;
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
    tweed_pool *fresh = pool_of(2, "fresh");

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
        tweed_pool *pool = pool_of(2, "ending");
        atomic_int arrived = 0;

        if (!pool || tweed_parallel_for_with(pool, NULL, 0, 2, arm, &arrived))
            return 0;
        if (tweed_pool_destroy(pool) != TWEED_OK)
            return 0;
    }
    pthread_key_delete(key);
    return ends == n && good_ends == n;
}

int main(void)
{
#if TWEED_HAVE_TSAN
    skip_all("ThreadSanitizer forbids threads in the child of a process that "
             "has some");
#endif
    int n = rounds(60); /* some 250 forks; 240 rounds are a thousand */

    plan(10);
    watchdog(200);
    first_process = getpid();
    mine = pool_of(3, "mine");
    if (!mine || tweed_pool_num_workers(mine) != 3) {
        skip(10, "no three workers to be had");
        return done_testing();
    }
    workers_of_mine = 3;
    ok(often(n / 10 + 1, fork_and_live, NULL),
       "the default pool was not started yet, own pool unused");
    ok(loops_are_right(NULL, 100) && loops_are_right(mine, 100),
       "the parent runs loops");
    team_of_default = tweed__pool_team(tweed__pool_or_default(NULL));
    team_of_mine = tweed__pool_team(mine);
    ok(often(n, fork_and_live, NULL), "idle, %d times", n);
    ok(while_loops_run(n), "two other threads are in loops, %d times", n);
    ok(often(n, from_caller, NULL), "from a body on the caller, %d times", n);
    ok(often(n, from_worker, NULL), "from a body on a worker, %d times", n);
    ok(grandchildren(n / 40 + 1), "grandchildren, from anywhere");
    ok(from_thread_end(n / 10 + 1), "from a pool thread that is ending");
    ok(tweed__pool_team(mine) == team_of_mine &&
           tweed__pool_team(tweed__pool_or_default(NULL)) == team_of_default &&
           loops_are_right(NULL, 100) && loops_are_right(mine, 100),
       "the parent's pools are as they were");
    ok(getpid() == first_process && tweed_pool_destroy(mine) == TWEED_OK,
       "and end as ever");
    return done_testing();
}

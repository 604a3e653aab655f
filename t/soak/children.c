/*
 * children.c - fork(), while others' loops run, idle and out of a body or a task of any kind.
 *
 * SPDX-License-Identifier: MIT
 *
 * The child has a watch of its own, runs some loops on its parent's pools and
 * on new ones, and its exit status is the verdict.  Not under a sanitizer:
 * their allocators and threads do not survive a fork() beside other threads.
 */
#include "config.h"

#include "soak.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOPS 20
#define PAUSE_US 20000

static _Noreturn void live(uint64_t seed)
{
    uint64_t state = seed;

    watch_start();
    for (int k = 0; k < LOOPS; k++) {
        loop_run(draw(&state));
        if (k % 8 == 3)
            place_renew((int)below(&state, PLACES - 1));
    }
    _exit(atomic_load(&failures) ? 1 : 0);
}

static void wait_for(pid_t pid, uint64_t seed)
{
    struct watched *w = watch_begin("waits for a child", NULL);
    int status = 0, got;

    for (int ms = 0; (got = waitpid(pid, &status, WNOHANG)) == 0 ||
                     (got < 0 && errno == EINTR);
         ms++) {
        nap(1000);
        if (ms % 1000 == 999 && ms < 2000 * HANG_SECONDS) {
            watch_end(w); /* its own watch will be first */
            w = watch_begin("waits for a child", NULL);
        }
    }
    watch_end(w);
    if (got != pid || status != 0)
        fail(NULL, "a child, its seed %016" PRIx64 ", ended with status %#x",
             seed, (unsigned)status);
    add(&totals.forks, 1);
}

void children_fork(uint64_t seed)
{
    pid_t pid = places_fork();

    if (pid == 0)
        live(seed);
    if (pid < 0)
        fail(NULL, "no fork: errno %d", errno);
    else
        wait_for(pid, seed);
}

struct fork_body {
    uint64_t seed;
    int64_t where;
};

static void fork_there(int64_t i, void *arg)
{
    const struct fork_body *f = arg;

    if (i == f->where)
        children_fork(f->seed);
}

TWEED_TASK(int, fork_in_one, struct fork_body *, f, int, i)
{
    fork_there(i, f);
    return 1;
}

TWEED_TASK(int, fork_in_some, struct fork_body *, f)
{
    int sum = 0;

    for (int i = 0; i < 4; i++)
        TWEED_SPAWN(fork_in_one, f, i);
    for (int i = 0; i < 4; i++)
        sum += TWEED_SYNC(fork_in_one);
    return sum;
}

struct fork_task {
    struct fork_body *f;
    int i;
};

static int fork_task(void *arg)
{
    const struct fork_task *t = arg;

    fork_there(t->i, t->f);
    return 0;
}

static int fork_in_group(tweed_pool *pool, struct fork_body *f)
{
    tweed_group g = TWEED_GROUP_INIT;
    struct fork_task tasks[4];

    g.pool = pool;
    for (int i = 0; i < 4; i++) {
        tasks[i] = (struct fork_task){ f, i };
        if (tweed_group_spawn(&g, fork_task, &tasks[i]) != TWEED_OK)
            fail(NULL, "no task to fork in");
    }
    return tweed_group_sync(&g);
}

/* Of four bodies, or of four tasks, one. */
static void fork_in(enum kind kind, uint64_t *state)
{
    struct fork_body f = { .seed = draw(state), .where = below(state, 4) };
    int place = (int)below(state, PLACES - 1);
    tweed_pool *pool = place_enter(place);

    if (kind == KIND_TREE     ? TWEED_RUN_ON(pool, fork_in_some, &f) != 4
        : kind == KIND_GROUPS ? fork_in_group(pool, &f)
                              : tweed_parallel_for_with(pool, NULL, 0, 4, fork_there, &f))
        fail(NULL, "a loop or a task to fork in");
    place_leave(place);
    add(&totals.loops, 1);
    add(&totals.kinds[kind], 1);
    if (kind != KIND_GROUPS)
        add(kind == KIND_TREE ? &totals.roots : &totals.passes, 1);
    add(kind == KIND_TREE     ? &totals.tasks
        : kind == KIND_GROUPS ? &totals.spawned
                              : &totals.all, 4);
    add(&totals.by_index, 4);
}

void *children_main(void *arg)
{
    static const enum kind where[] = { KIND_INDEX, KIND_TREE, KIND_GROUPS };
    uint64_t state = *(uint64_t *)arg;
    sigset_t alarms;

    /* a timer that fires while fork() runs would let that start over */
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarms, NULL);
    while (goes_on() && !HAVE_RUNTIME_SANITIZER) {
        if (below(&state, 2))
            fork_in(where[below(&state, 3)], &state);
        else
            children_fork(draw(&state));
        nap(PAUSE_US);
    }
    return NULL;
}

/*
 * cancel.c - pthread_cancel() of a thread in a call waits until the call ended.
 *
 * SPDX-License-Identifier: MIT
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "child.h"
#include "pools.h"
#include "state.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define INDICES 1000

struct victim {
    tweed_pool *pool;
    int type;   /* PTHREAD_CANCEL_DEFERRED or ..._ASYNCHRONOUS */
    int nested; /* the bodies run loops */
    int limit;  /* 1: a serial loop */
    int group;  /* tasks of a group, no loop */
    atomic_int running, cancelled;
    atomic_int returned; /* the loop's call came back */
    atomic_int unwound;  /* the thread was cancelled */
    unsigned char count[INDICES];
};

static struct victim the_victim;

/* The first bodies stay until the cancellation has been sent; then there are
   cancellation points, which must not act. */
static void body(int64_t i, void *arg)
{
    struct victim *v = arg;

    v->running = 1;
    while (!v->cancelled)
        sched_yield();
    pthread_testcancel();
    if (i % 100 == 0)
        usleep(10);
    if (v->nested && i % 100 == 1 && !loops_are_right(v->pool, 50))
        return;
    v->count[i]++;
}

/* In a task of the victim's own: it has come to tweed_group_sync(). */
static int task(void *arg)
{
    struct victim *v = &the_victim;

    if (tweed_worker_index() != 0)
        while (!v->running)
            sched_yield();
    body((unsigned char *)arg - v->count, v);
    return 0;
}

static __attribute__((noinline)) void run_group(struct victim *v)
{
    tweed_group g = TWEED_GROUP_INIT;

    g.pool = v->pool;
    for (int i = 0; i < INDICES; i++)
        must(tweed_group_spawn(&g, task, &v->count[i]));
    pthread_setcanceltype(v->type, NULL);
    if (tweed_group_sync(&g) == TWEED_OK)
        v->returned = 1; /* as in run_loop() */
}

static void note(void *arg)
{
    struct victim *v = arg;

    v->unwound = 1;
}

static __attribute__((noinline)) void run_loop(struct victim *v)
{
    tweed_loop_options o = { .size = sizeof o };

    o.max_workers = v->limit;
    if (tweed_parallel_for_with(v->pool, &o, 0, INDICES, body, v) == TWEED_OK)
        v->returned = 1; /* asynchronously cancelled it does not come here */
}

static void *run(void *arg)
{
    struct victim *v = arg;

    pthread_cleanup_push(note, v);
    if (v->group) {
        run_group(v);
    } else {
        pthread_setcanceltype(v->type, NULL);
        run_loop(v);
    }
    for (;;)
        pthread_testcancel();
    pthread_cleanup_pop(0);
    return NULL;
}

/* All indices once, and the thread cancelled, not before. */
static int cancelled_after(struct victim what)
{
    struct victim *v = &the_victim;
    pthread_t thread;
    void *result = NULL;

    *v = what;
    if (pthread_create(&thread, NULL, run, v) != 0)
        return 0;
    while (!v->running)
        sched_yield();
    pthread_cancel(thread);
    v->cancelled = 1;
    pthread_join(thread, &result);
    for (int i = 0; i < INDICES; i++)
        if (v->count[i] != 1)
            return 0;
    return result == PTHREAD_CANCELED && v->unwound &&
           (v->returned || v->type == PTHREAD_CANCEL_ASYNCHRONOUS) &&
           loops_are_right(v->pool, 100);
}

static int often(struct victim what)
{
    for (int i = 0; i < rounds(50); i++)
        if (!cancelled_after(what))
            return 0;
    return 1;
}

/* ---- the caller's state ---- */

static void see_state(int64_t i, void *arg)
{
    atomic_int *enabled = arg;

    (void)i;
    if (tweed_worker_index() == 0 && state_now() == PTHREAD_CANCEL_ENABLE)
        ++*enabled;
}

static int see_state_in_task(void *enabled)
{
    see_state(0, enabled);
    return 0;
}

/* Of tasks that the caller executes while it waits. */
static int state_is_kept_by_sync(tweed_pool *pool, int state)
{
    tweed_group g = TWEED_GROUP_INIT;
    atomic_int enabled = 0;

    g.pool = pool;
    for (int i = 0; i < 100; i++)
        must(tweed_group_spawn(&g, see_state_in_task, &enabled));
    return tweed_group_sync(&g) == TWEED_OK && enabled == 0 && state_now() == state;
}

static int state_is_kept(tweed_pool *pool, int state)
{
    atomic_int enabled = 0;
    int before, good;

    pthread_setcancelstate(state, &before);
    good = tweed_parallel_for_with(pool, NULL, 0, 100, see_state, &enabled) ==
               TWEED_OK &&
           enabled == 0 && state_now() == state;
    good = good && tweed_parallel_for_with(pool, NULL, 0, 1, see_state,
                                           &enabled) == TWEED_OK &&
           enabled == 0 && state_now() == state;
    good = good && state_is_kept_by_sync(pool, state);
    /* an empty loop and a wrong call restore what they have not changed */
    good = good && tweed_parallel_for_with(pool, NULL, 1, 0, see_state,
                                           &enabled) == TWEED_OK &&
           tweed_parallel_for_with(pool, NULL, 0, 1, NULL, NULL) ==
               TWEED_EINVAL &&
           state_now() == state && type_now() == PTHREAD_CANCEL_DEFERRED;
    pthread_setcancelstate(before, NULL);
    return good;
}

/* ---- calls that start or end pools ---- */

enum { CREATE, COUNT_WORKERS, DESTROY, FIRST_LOOP, DUMP };

struct pools {
    int step;
    tweed_pool *made;
    int file;   /* to dump to */
    int passed; /* the call came back */
};

/* Apart from the frame that is cancelled, which shall have nothing in it that
   AddressSanitizer would have to clear away. */
static __attribute__((noinline)) void call_step(struct pools *p)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
    if (p->step == DESTROY || p->step == DUMP)
        p->made = pool_of(3);
    pthread_cancel(pthread_self());
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL); /* no point to act */
    if (p->step == CREATE)
        p->made = pool_of(3);
    else if (p->step == COUNT_WORKERS)
        p->passed = tweed_pool_num_workers(NULL) >= 1;
    else if (p->step == DESTROY)
        p->passed = tweed_pool_destroy(p->made) == TWEED_OK;
    else if (p->step == FIRST_LOOP)
        p->passed = loops_are_right(NULL, 100);
    else
        p->passed = tweed_pool_dump(p->made, p->file) == TWEED_OK;
    p->passed |= p->step == CREATE && p->made;
}

static void *cancelled_call(void *arg)
{
    call_step(arg);
    pthread_testcancel();
    return NULL;
}

static int nothing(void *arg)
{
    (void)arg;
    return 0;
}

/* Runs in a child, since what is to be shown is that nothing hangs later, and
   the default pool has not been started there. */
static int call_in_child(void *arg)
{
    struct pools p = { .step = *(int *)arg };
    pthread_t thread;
    void *result = NULL;

    p.file = open("/dev/null", O_WRONLY);
    if (pthread_create(&thread, NULL, cancelled_call, &p) != 0)
        return 1;
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED || !p.passed)
        return 2;
    if ((p.step == CREATE || p.step == DUMP) &&
        (!loops_are_right(p.made, 100) ||
         tweed_pool_destroy(p.made) != TWEED_OK))
        return 3;
    p.made = pool_of(2);
    if (!loops_are_right(NULL, 100) || !loops_are_right(p.made, 100) ||
        tweed_pool_destroy(p.made) != TWEED_OK)
        return 4;
    return child_exited(child_run(nothing, NULL), 0) ? 0 : 5;
}

static int call_completes(int step)
{
    return child_exited(child_run(call_in_child, &step), 0);
}

int main(void)
{
    static const char *const types[] = { "deferred", "asynchronous" };
    static const int values[] = { PTHREAD_CANCEL_DEFERRED,
                                  PTHREAD_CANCEL_ASYNCHRONOUS };
    tweed_pool *pool;

    plan(16);
    watchdog();
    /* first, while this process has one thread */
    ok(call_completes(CREATE),
       "tweed_pool_create() completes, then cancelled");
    ok(call_completes(COUNT_WORKERS),
       "the default pool starts, then cancelled");
    ok(call_completes(DESTROY),
       "tweed_pool_destroy() completes, then cancelled");
    ok(call_completes(FIRST_LOOP), "the first loop completes, then cancelled");
    ok(call_completes(DUMP), "tweed_pool_dump() completes, then cancelled");
    pool = pool_of(3);
    ok(state_is_kept(pool, PTHREAD_CANCEL_ENABLE) &&
           state_is_kept(NULL, PTHREAD_CANCEL_ENABLE),
       "enabled: disabled in bodies, enabled afterwards");
    ok(state_is_kept(pool, PTHREAD_CANCEL_DISABLE) &&
           state_is_kept(NULL, PTHREAD_CANCEL_DISABLE),
       "disabled: disabled afterwards");
    for (int t = 0; t < 2; t++) {
        struct victim what = { .pool = pool };

        if (CHILD_HAVE_ASAN && values[t] == PTHREAD_CANCEL_ASYNCHRONOUS) {
            skip(4, "AddressSanitizer takes frames that were cancelled for "
                    "live ones");
            continue;
        }
        what.type = values[t];
        ok(often(what), "%s: all indices done, then cancelled", types[t]);
        what.group = 1;
        ok(often(what), "%s, in tweed_group_sync()", types[t]);
        what.group = 0;
        what.nested = 1;
        ok(often(what), "%s, with inner loops", types[t]);
        what.nested = 0;
        what.limit = 1;
        ok(often(what), "%s, in a serial loop", types[t]);
    }
    ok(tweed_pool_destroy(pool) == TWEED_OK, "nothing is left behind");
    return done_testing();
}

/*
 * cancel.c - pthread_cancel() of a thread in TWEED_RUN waits until that is over.
 *
 * SPDX-License-Identifier: MIT
 */
#include "child.h"
#include "pools.h"
#include "fib.h"
#include "state.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define DEPTH 8

struct victim {
    tweed_pool *pool;
    int type; /* PTHREAD_CANCEL_DEFERRED or ..._ASYNCHRONOUS */
    atomic_int running, cancelled, leaves;
    atomic_int returned; /* the call came back */
    atomic_int unwound;  /* the thread was cancelled */
};

/* The first leaves stay until the cancellation has been sent; then there are
   cancellation points, which must not act.  The thread sleeps in some joins. */
TWEED_TASK(int, tree, struct victim *, v, int, depth)
{
    int sum;

    if (depth == 0) {
        v->running = 1;
        while (!v->cancelled)
            sched_yield();
        pthread_testcancel();
        if (v->leaves++ % 50 == 0)
            usleep(1000);
        return TWEED_RUN_ON(v->pool, fib, 5) == fib_of(5);
    }
    TWEED_SPAWN(tree, v, depth - 1);
    sum = TWEED_CALL(tree, v, depth - 1);
    pthread_testcancel();
    return TWEED_SYNC(tree) + sum;
}

static void note(void *arg)
{
    struct victim *v = arg;

    v->unwound = 1;
}

static __attribute__((noinline)) void run_tree(struct victim *v)
{
    if (TWEED_RUN_ON(v->pool, tree, v, DEPTH) == 1 << DEPTH)
        v->returned = 1; /* asynchronously cancelled it does not come here */
}

static void *run(void *arg)
{
    struct victim *v = arg;

    pthread_setcanceltype(v->type, NULL);
    pthread_cleanup_push(note, v);
    run_tree(v);
    for (;;)
        pthread_testcancel();
    pthread_cleanup_pop(0);
    return NULL;
}

/* All tasks, and the thread cancelled, not before. */
static int cancelled_after(tweed_pool *pool, int type)
{
    static struct victim v;
    pthread_t thread;
    void *result = NULL;

    memset(&v, 0, sizeof v);
    v.pool = pool;
    v.type = type;
    if (pthread_create(&thread, NULL, run, &v) != 0)
        return 0;
    while (!v.running)
        sched_yield();
    pthread_cancel(thread);
    v.cancelled = 1;
    pthread_join(thread, &result);
    return result == PTHREAD_CANCELED && v.unwound && v.leaves == 1 << DEPTH &&
           (v.returned || type == PTHREAD_CANCEL_ASYNCHRONOUS) && fib_is_right(pool, 12);
}

static int often(tweed_pool *pool, int type)
{
    for (int i = 0; i < rounds(30); i++)
        if (!cancelled_after(pool, type))
            return 0;
    return 1;
}

/* ---- the caller's state ---- */

TWEED_TASK(int, disabled)
{
    return tweed_worker_index() > 0 || state_now() == PTHREAD_CANCEL_DISABLE;
}

static int is_kept(tweed_pool *pool, int state)
{
    int before, good;

    pthread_setcancelstate(state, &before);
    good = TWEED_RUN_ON(pool, disabled) && state_now() == state;
    pthread_setcancelstate(before, NULL);
    return good;
}

int main(void)
{
    static const char *const types[] = { "deferred", "asynchronous" };
    static const int values[] = { PTHREAD_CANCEL_DEFERRED, PTHREAD_CANCEL_ASYNCHRONOUS };
    static const char not_a_pool[256];
    tweed_pool *pools[3];

    plan(2 + 2 * 3 + 1);
    watchdog();
    pools[0] = pool_of(3);
    pools[1] = pool_of(1);
    pools[2] = (tweed_pool *)(void *)(size_t)not_a_pool;
    ok(is_kept(pools[0], PTHREAD_CANCEL_ENABLE) &&
           is_kept(pools[1], PTHREAD_CANCEL_ENABLE) &&
           is_kept(pools[2], PTHREAD_CANCEL_ENABLE),
       "enabled: disabled in tasks, enabled afterwards");
    ok(is_kept(pools[0], PTHREAD_CANCEL_DISABLE) &&
           is_kept(pools[1], PTHREAD_CANCEL_DISABLE) &&
           is_kept(pools[2], PTHREAD_CANCEL_DISABLE),
       "disabled: disabled afterwards");
    for (int t = 0; t < 2; t++) {
        if (CHILD_HAVE_ASAN && values[t] == PTHREAD_CANCEL_ASYNCHRONOUS) {
            skip(3, "AddressSanitizer takes frames that were cancelled for live ones");
            continue;
        }
        ok(often(pools[0], values[t]), "%s: all tasks done, then cancelled", types[t]);
        ok(often(pools[1], values[t]), "%s, in a pool of one worker", types[t]);
        ok(often(pools[2], values[t]), "%s, in none", types[t]);
    }
    ok(tweed_pool_destroy(pools[0]) == TWEED_OK &&
           tweed_pool_destroy(pools[1]) == TWEED_OK,
       "nothing is left behind");
    return done_testing();
}

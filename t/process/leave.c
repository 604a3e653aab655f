/*
 * leave.c - a body that does not return is noticed, wherever it runs.
 *
 * SPDX-License-Identifier: MIT
 *
 * pthread_exit() out of a body would leave the loop waiting for ever for the
 * indices that the thread had taken; the library stops the process instead and
 * says why.  longjmp() runs no code of the library: the next call notices it,
 * with --enable-debug.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "base/check.h"
#include "child.h"
#include "pools.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdatomic.h>

enum where { CALLER, WORKER, SERIAL };

struct leaving {
    enum where where;
    int by_range;
    int fence;
    int jump;
};

static atomic_int arrived;
static jmp_buf back;

static void leave_if_here(const struct leaving *l)
{
    /* two indices, two workers: each waits until the other has one */
    if (l->where != SERIAL)
        for (arrived++; arrived < 2;)
            sched_yield();
    if ((tweed_worker_index() > 0) != (l->where == WORKER))
        return;
    if (l->jump)
        longjmp(back, 1);
    pthread_exit(NULL);
}

static void each(int64_t i, void *arg)
{
    (void)i;
    leave_if_here(arg);
}

static void range(int64_t begin, int64_t end, void *arg)
{
    (void)begin;
    (void)end;
    leave_if_here(arg);
}

/* Runs the loop whose body does not return. */
static void loop(tweed_pool *pool, struct leaving *l)
{
    tweed_loop_options o = { .size = sizeof o };

    o.max_workers = l->where == SERIAL ? 1 : 0;
    if (l->by_range)
        must(tweed_parallel_for_range_with(pool, &o, 0, 2, range, l));
    else
        must(tweed_parallel_for_with(pool, &o, 0, 2, each, l));
}

/* So that what longjmp() leaves behind lies deeper than the next call. */
static __attribute__((noinline)) void loop_deeper(tweed_pool *pool,
                                                  struct leaving *l)
{
    volatile char room[4096];

    room[0] = 0;
    loop(pool, l);
    room[sizeof room - 1] = room[0];
}

static int leave(void *arg)
{
    tweed_pool_options o = { .size = sizeof o, .num_workers = 2 };
    struct leaving *l = arg;
    tweed_pool *volatile pool = NULL; /* lives through longjmp() */
    tweed_pool *made = NULL;

    o.fence = l->fence;
    if (tweed_pool_create(&made, &o) != TWEED_OK ||
        tweed_pool_num_workers(made) != 2)
        return 2;
    pool = made;
    if (l->jump && setjmp(back)) {
        loops_are_right(pool, 2);
        return 3; /* nobody noticed */
    }
    loop_deeper(pool, l);
    return 4;
}

static void expect_noticed(struct leaving l)
{
    static const char *const places[] = { "the caller", "a worker",
                                          "the caller of a serial loop" };
    char text[500];
    int status = child_run_text(leave, &l, text, sizeof text);

    if (!ok(child_killed(status, SIGABRT) && strstr(text, "a body has to return"),
            "%s out of %s body on %s, %s: noticed",
            l.jump ? "longjmp()" : "pthread_exit()",
            l.by_range ? "a range" : "an index", places[l.where],
            l.fence == TWEED_FENCE_EXCHANGE ? "exchange" : "any fence"))
        diag("status %#x, stderr: %s", (unsigned)status, text);
}

/* What check() comes to where what it asks for does not hold. */
static int assertion(void *arg)
{
    tweed__check_failed(arg, "file.c", 123);
}

static void expect_words(void)
{
    char text[500], what[] = "low <= high";
    int status = child_run_text(assertion, what, text, sizeof text);

    ok(child_killed(status, SIGABRT) &&
           strcmp(text, "tweed: file.c:123: violated: low <= high\n") == 0,
       "a failed assertion says where, and what");
}

int main(void)
{
    plan(3 * 2 * 2 + 1 + 2);
    for (int where = CALLER; where <= SERIAL; where++)
        for (int by_range = 0; by_range <= 1; by_range++)
            for (int x = 0; x <= 1; x++) {
                struct leaving l = { (enum where)where, by_range,
                                     x ? TWEED_FENCE_EXCHANGE
                                       : TWEED_FENCE_DEFAULT,
                                     0 };

                expect_noticed(l);
            }
#if TWEED_DEBUG
    expect_noticed((struct leaving){ CALLER, 0, TWEED_FENCE_DEFAULT, 1 });
    expect_noticed((struct leaving){ SERIAL, 0, TWEED_FENCE_DEFAULT, 1 });
#else
    skip(2, "longjmp() is noticed with --enable-debug only");
#endif
    expect_words();
    return done_testing();
}

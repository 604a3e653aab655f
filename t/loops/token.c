/*
 * token.c - loops that are stopped from without: by another thread, by a signal
 * handler, by their time.
 *
 * SPDX-License-Identifier: MIT
 *
 * The loops would take a minute each: that they are not executed to their end shows
 * that they were stopped.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "forms.h"
#include "meet.h"

#include <sched.h>
#include <signal.h>
#include <string.h>

#define N 60000000

static tweed_token token = TWEED_TOKEN_INIT;
static atomic_int calls;

static void each(int64_t i, void *arg)
{
    (void)i, (void)arg;
    calls++;
    sched_yield();
}

static tweed_loop_options options(tweed_outcome *all, int most_workers)
{
    return (tweed_loop_options){ .size = sizeof(tweed_loop_options),
                                 .max_workers = most_workers,
                                 .outcome = all };
}

/* ---- by another thread, by a handler ---- */

static void *set_soon(void *arg)
{
    (void)arg;
    while (calls == 0)
        sched_yield();
    nap_us(300);
    tweed_token_set(&token);
    return NULL;
}

static void by_thread(tweed_pool *pool, int most_workers, const char *how)
{
    tweed_outcome all = TWEED_OUTCOME_INIT;
    tweed_loop_options o = options(&all, most_workers);

    o.token = &token;
    for (int k = 0; k < FORMS; k++) {
        pthread_t thread;
        int code;

        tweed_token_clear(&token);
        calls = 0;
        if (pthread_create(&thread, NULL, set_soon, NULL) != 0)
            bail_out("no thread");
        code = run_form(k, pool, &o, INT64_MIN, INT64_MIN + N, each, NULL);
        pthread_join(thread, NULL);
        ok(code == TWEED_ESTOPPED && all.ran == (uint64_t)calls && calls < N,
           "%s, %s: stopped by another thread", how, forms[k].name);
        calls = 0;
        ok(run_form(k, pool, &o, INT64_MIN, INT64_MIN + N, each, NULL) == TWEED_ESTOPPED && calls == 0 && all.ran == 0,
           "%s, %s: and does not begin", how, forms[k].name);
    }
}

static void handler(int signal)
{
    (void)signal;
    tweed_token_set(&token);
}

/* Raised in the body of one index: those after it are soon not begun any more. */
static void raise_at_5(int64_t i, void *arg)
{
    each(i, arg);
    if (i == 5)
        (void)raise(SIGUSR1);
}

static void by_handler(tweed_pool *pool)
{
    tweed_outcome all = TWEED_OUTCOME_INIT;
    tweed_loop_options o = options(&all, 0);
    struct sigaction action = { .sa_handler = handler };

    o.token = &token;
    tweed_token_clear(&token);
    calls = 0;
    if (sigaction(SIGUSR1, &action, NULL) != 0)
        bail_out("no handler");
    ok(tweed_parallel_for_with(pool, &o, 0, N, raise_at_5, NULL) == TWEED_ESTOPPED &&
           all.ran == (uint64_t)calls && calls < N && tweed_token_is_set(&token),
       "stopped by a signal handler");
}

/* ---- by time ---- */

static void by_time(tweed_pool *pool, int most_workers, const char *how)
{
    tweed_outcome all = TWEED_OUTCOME_INIT;
    tweed_loop_options o = options(&all, most_workers);

    o.timeout_ns = 1000000;
    for (int k = 0; k < FORMS; k++) {
        uint64_t began = now_ns();
        int code;

        calls = 0;
        code = run_form(k, pool, &o, INT64_MIN, INT64_MIN + N, each, NULL);
        ok(code == TWEED_ETIMEOUT && all.ran == (uint64_t)calls && calls < N &&
               now_ns() - began >= 1000000,
           "%s, %s: stopped when its time is over, and not before", how,
           forms[k].name);
    }
    o.timeout_ns = INT64_MAX;
    calls = 0;
    ok(tweed_parallel_for_with(pool, &o, 0, 100, each, NULL) == TWEED_OK &&
           calls == 100 && all.ran == 100,
       "%s: a loop that has time enough", how);
}

/* ---- others ---- */

static void inner(int64_t i, void *arg)
{
    tweed_loop_options o = options(NULL, 0);

    o.token = &token;
    if (tweed_parallel_for_with(NULL, &o, 0, N, raise_at_5, NULL) != TWEED_ESTOPPED)
        *(atomic_int *)arg = -1000;
    ++*(atomic_int *)arg;
    (void)i;
}

/* The caller waits for a body of the other worker, and nobody claims anything. */
static void late_setter(int64_t i, void *arg)
{
    atomic_int *begun = arg;

    (void)i;
    ++*begun;
    while (*begun < 2)
        sched_yield();
    if (tweed_worker_index() == 0)
        return;
    nap_us(1000);
    tweed_token_set(&token);
}

static void others(tweed_pool *pool)
{
    tweed_outcome all = TWEED_OUTCOME_INIT;
    tweed_loop_options o = options(&all, 0);
    atomic_int n = 0;
    int code;

    tweed_token_clear(&token);
    ok(tweed_parallel_for_with(pool, &o, 0, 8, inner, &n) == TWEED_OK && n == 8,
       "a token stops the loops that have it, and not those around them");
    tweed_token_clear(&token);
    o.token = &token;
    n = 0;
    code = tweed_parallel_for_with(pool, &o, 0, 2, late_setter, &n);
    ok(code == TWEED_OK && n == 2 && all.ran == 2,
       "set in the last body: the loop is complete");
    tweed_token_clear(&token);
    ok(!tweed_token_is_set(&token) &&
           tweed_parallel_for_with(pool, &o, 0, 2, late_setter, &n) != TWEED_EINVAL,
       "a token may be used again");
}

/* Index 0 fails while the others sleep beyond the loop's time. */
static int fails_first(int64_t i, void *arg)
{
    const struct timespec beyond = { 1, 200000000 };

    (void)arg;
    if (i == 0)
        nap_us(50000);
    else
        nanosleep(&beyond, NULL);
    return i == 0 ? 7 : 0;
}

static void time_after_all(tweed_pool *pool)
{
    tweed_outcome o = TWEED_OUTCOME_INIT;
    tweed_loop_options p = TWEED_LOOP_OPTIONS_INIT;

    p.timeout_ns = 1000000000;
    p.outcome = &o;
    ok(tweed_parallel_try_with(pool, &p, 0, 4, fails_first, NULL) ==
               TWEED_ESTOPPED &&
           o.code == 7 && o.index == 0,
       "a loop that has failed before its time was over is not late");
}

/* ---- loops that are complete when they are stopped ---- */

/* Each worker looks at the time once more after its only index. */
static void too_long(int64_t i, void *arg)
{
    atomic_int *begun = arg;

    (void)i;
    ++*begun;
    until(begun, 2);
    nap_us(30000);
}

/* Index `hit` is found; the others are executed until the loop's time is over. */
static struct search {
    int64_t hit;
    atomic_int found, others; /* bodies: of this index, and of others */
} search;

static int seek(int64_t i, void *arg)
{
    (void)arg;
    if (i == search.hit) {
        until(&search.others, 1);
        return ++search.found;
    }
    search.others++;
    until(&search.found, 1);
    nap_us(30000);
    return 0;
}

static int find_slowly(tweed_pool *pool, int n, int64_t hit, int64_t *found)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    o.timeout_ns = 20000000;
    search.hit = hit;
    search.found = search.others = 0;
    return tweed_parallel_find_with(pool, &o, 0, n, seek, NULL, found);
}

static void complete(tweed_pool *two)
{
    tweed_outcome all = TWEED_OUTCOME_INIT;
    tweed_loop_options o = options(&all, 0);
    atomic_int begun = 0;
    int64_t found;

    o.timeout_ns = 20000000;
    ok(tweed_parallel_for_with(two, &o, 0, 2, too_long, &begun) == TWEED_OK &&
           all.ran == 2,
       "its time is over in its last bodies: the loop is complete");
    ok(find_slowly(two, 2, 0, &found) == TWEED_OK && found == 0,
       "a search whose answer is known is, whatever it still executes");
    ok(find_slowly(two, 64, 32, &found) == TWEED_ETIMEOUT && found == 32,
       "one of which lower indices are left is not");
}

int main(void)
{
    tweed_pool *one = pool_of(1), *two = pool_of(2), *four = pool_of(4);
    tweed_pool *other = pool_fenced(4, TWEED_FENCE_EXCHANGE);

    plan(3 * 2 * FORMS + 1 + 3 * (FORMS + 1) + 4 + 3);
    watchdog();
    by_thread(one, 0, "one worker");
    by_thread(four, 0, "four workers");
    by_thread(four, 1, "a loop for one");
    by_handler(four);
    by_time(one, 0, "one worker");
    by_time(four, 0, "four workers");
    by_time(other, 2, "a loop for two");
    others(four);
    time_after_all(four);
    complete(two);
    tweed_pool_destroy(one);
    tweed_pool_destroy(two);
    tweed_pool_destroy(four);
    tweed_pool_destroy(other);
    return done_testing();
}

/*
 * ctor.c - loops before main, after main, and at the end of threads.
 *
 * SPDX-License-Identifier: MIT
 *
 * Constructors and destructors: this program runs itself as a child, whose
 * status says how far it came.  Thread-local destructors: on threads of the
 * program's, and on threads of a pool that is being destroyed.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "child.h"
#include "pools.h"
#include "self.h"
#include "base/tsan.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <threads.h>

#define CODE 42

static int early, is_child, late;

__attribute__((constructor(101))) static void very_first(void)
{
    early += loops_are_right(NULL, COUNT_MOST);
}

__attribute__((constructor)) static void first(void)
{
    tweed_pool *pool = pool_of(2);

    early += pool && loops_are_right(pool, COUNT_MOST) &&
             tweed_pool_destroy(pool) == TWEED_OK;
}

static void handler(void)
{
    late += loops_are_right(NULL, COUNT_MOST);
}

__attribute__((destructor)) static void last(void)
{
    late += loops_are_right(NULL, COUNT_MOST);
}

/* After the above; a process that is a child tells how it went. */
__attribute__((destructor(101))) static void very_last(void)
{
    tweed_pool *pool = pool_of(2);

    late += pool && loops_are_right(pool, COUNT_MOST) &&
            loops_are_right(NULL, COUNT_MOST) &&
            tweed_pool_destroy(pool) == TWEED_OK;
    if (is_child)
        _exit(early == 2 && late == 3 ? CODE : 1);
}

static int run_self(void *arg)
{
    char *self = arg, child[] = "child";
    char *argv[3];

    argv[0] = self;
    argv[1] = child;
    argv[2] = NULL;
    execv(self_path(), argv);
    return 127;
}

/* ---- thread-local destructors ---- */

struct end {
    tweed_pool *pool; /* run a loop there */
    int code;         /* that ends so */
    atomic_int ends, good, arrived;
};

static pthread_key_t key;
static tss_t c11_key;

static void at_end(void *value)
{
    struct end *e = value;
    unsigned char count[COUNT_MOST + 2] = { 0 };
    int good = tweed_worker_index() == -1 && tweed_worker_node() == -1;

    good &= tweed_parallel_for_with(e->pool, NULL, 1, COUNT_MOST + 1,
                                    count_each, count) == e->code;
    for (int i = 1; i <= COUNT_MOST; i++)
        good &= count[i] == (e->code == TWEED_OK);
    e->good += good;
    e->ends++;
}

static void *posix_thread(void *arg)
{
    pthread_setspecific(key, arg);
    return loops_are_right(NULL, 100) ? arg : NULL;
}

/* The threads start no loop before the destructor does. */
static void *quiet_thread(void *arg)
{
    pthread_setspecific(key, arg);
    return arg;
}

static int on_posix_threads(void *(*fn)(void *), tweed_pool *pool, int n)
{
    struct end e = { .pool = pool, .code = TWEED_OK };

    for (int i = 0; i < n; i++) {
        pthread_t thread;
        void *result = NULL;

        if (pthread_create(&thread, NULL, fn, &e) != 0)
            return 0;
        pthread_join(thread, &result);
        if (!result)
            return 0;
    }
    return e.ends == n && e.good == n;
}

static void arm(int64_t i, void *arg)
{
    struct end *e = arg;

    (void)i;
    for (e->arrived++; e->arrived < 2;)
        sched_yield();
    if (tweed_worker_index() > 0) {
        pthread_setspecific(key, arg);
        tss_set(c11_key, arg);
    }
}

/* Destructors on a pool's thread run loops: on `where`, or on the ending pool
   itself, which refuses. */
static int on_pool_threads(tweed_pool *where, int itself, int n)
{
    for (int i = 0; i < n; i++) {
        struct end e = { .pool = where, .code = TWEED_OK };
        tweed_pool *pool = pool_of(2);

        if (!pool || tweed_pool_num_workers(pool) != 2)
            return 0;
        if (itself) {
            e.pool = pool;
            e.code = TWEED_ECLOSED;
        }
        if (tweed_parallel_for_with(pool, NULL, 0, 2, arm, &e) != TWEED_OK ||
            e.ends != 0 || tweed_pool_destroy(pool) != TWEED_OK ||
            e.ends != 2 || e.good != 2)
            return 0;
    }
    return 1;
}

#if !TWEED_HAVE_TSAN
static int c11_thread(void *arg)
{
    tss_set(c11_key, arg);
    return loops_are_right(NULL, 100);
}

static int on_c11_threads(tweed_pool *pool, int n)
{
    struct end e = { .pool = pool, .code = TWEED_OK };

    for (int i = 0; i < n; i++) {
        thrd_t thread;
        int result = 0;

        if (thrd_create(&thread, c11_thread, &e) != thrd_success)
            return 0;
        thrd_join(thread, &result);
        if (!result)
            return 0;
    }
    return e.ends == n && e.good == n;
}

/* In a child the default pool is not running: a destructor starts it. */
static int starts_default_pool(void *arg)
{
    (void)arg;
    return on_pool_threads(NULL, 0, 1) ? 0 : 1;
}
#endif

int main(int argc, char **argv)
{
    tweed_pool *pool;
    int status = 0, good = 0, n = rounds(30);

    if (argc > 1 && strcmp(argv[1], "child") == 0) {
        is_child = 1;
        atexit(handler);
        return loops_are_right(NULL, COUNT_MOST) ? 0 : 1;
    }
    plan(10);
    watchdog();
    ok(early == 2, "constructors: every index once");
    ok(loops_are_right(NULL, COUNT_MOST), "main: every index once");
    for (int i = 0; i < n; i++) {
        status = child_run(run_self, argv[0]);
        good += child_exited(status, CODE);
    }
    if (!ok(good == n, "constructors, main, atexit, destructors, %d times", n))
        diag("%d were right; the last ended with %#x", good, (unsigned)status);
    if (pthread_key_create(&key, at_end) != 0 ||
        tss_create(&c11_key, at_end) != thrd_success) {
        skip(7, "no key for thread-local storage to be had");
        return done_testing();
    }
    pool = pool_of(2);
    ok(on_posix_threads(posix_thread, NULL, 50) &&
           on_posix_threads(posix_thread, pool, 50),
       "pthread key's destructors");
    ok(on_posix_threads(quiet_thread, NULL, 50) &&
           on_posix_threads(quiet_thread, pool, 50),
       "the same, their threads' first loops");
#if TWEED_HAVE_TSAN
    skip(1, "ThreadSanitizer does not know thrd_create()");
#else
    ok(on_c11_threads(NULL, 50) && on_c11_threads(pool, 50),
       "tss destructors");
#endif
    ok(on_pool_threads(NULL, 0, 50),
       "on ending pool threads, loops on the default pool");
    ok(on_pool_threads(pool, 0, 50),
       "on ending pool threads, loops on another pool");
    ok(on_pool_threads(NULL, 1, 50),
       "on ending pool threads, loops on the ending pool: TWEED_ECLOSED");
#if TWEED_HAVE_TSAN
    skip(1, "ThreadSanitizer forbids threads in the child of a process that "
            "has some");
#else
    ok(child_exited(child_run(starts_default_pool, NULL), 0),
       "on an ending pool thread, the default pool starts");
#endif
    tweed_pool_destroy(pool);
    return done_testing();
}

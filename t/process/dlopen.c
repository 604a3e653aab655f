/*
 * dlopen.c - the shared library comes and goes, its threads or not.
 *
 * SPDX-License-Identifier: MIT
 *
 * After dlclose() the threads of the default pool may still be about: the
 * library's code must not be taken away from under them.
 */
#include "child.h"
#include "pools.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

/* At -O0 a compiler keeps what tweed.h has of the core loop, which nothing here calls. */
int tweed_next_slow_(tweed_cursor *c)
{
    (void)c;
    abort();
}

void tweed_cursor_fail(tweed_cursor *c, int64_t i, int code)
{
    (void)c, (void)i, (void)code;
    abort();
}

void tweed_cursor_found(tweed_cursor *c, int64_t i)
{
    (void)c, (void)i;
    abort();
}

typedef int loop_fn(int64_t lo, int64_t hi, tweed_index_fn *fn, void *arg);
typedef int create_fn(tweed_pool **pool, const tweed_pool_options *options);
typedef int destroy_fn(tweed_pool *pool);
typedef int with_fn(tweed_pool *pool, const tweed_loop_options *options,
                    int64_t lo, int64_t hi, tweed_index_fn *fn, void *arg);

static char path[4096];

/* Object pointers are no function pointers; POSIX says that these are. */
static void find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof symbol);
}

static int once_each(const unsigned char *count)
{
    for (int i = 0; i < COUNT_MOST; i++)
        if (count[i] != 1)
            return 0;
    return 1;
}

/* Opens, runs on the default pool, closes. */
static int use(void)
{
    unsigned char count[COUNT_MOST] = { 0 };
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    loop_fn *loop = NULL;

    if (!library)
        return 0;
    find(library, "tweed_parallel_for", &loop);
    return loop && loop(0, COUNT_MOST, count_each, count) == TWEED_OK &&
           once_each(count) && dlclose(library) == 0;
}

/* The same with a pool that is destroyed before the library is closed. */
static int use_own_pool(void)
{
    static const tweed_pool_options three = { .size = sizeof three,
                                              .num_workers = 3 };
    unsigned char count[COUNT_MOST] = { 0 };
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    tweed_pool *pool;
    create_fn *create = NULL;
    destroy_fn *destroy = NULL;
    with_fn *loop = NULL;

    if (!library)
        return 0;
    find(library, "tweed_pool_create", &create);
    find(library, "tweed_pool_destroy", &destroy);
    find(library, "tweed_parallel_for_with", &loop);
    return create && destroy && loop && create(&pool, &three) == TWEED_OK &&
           loop(pool, NULL, 0, COUNT_MOST, count_each, count) == TWEED_OK &&
           once_each(count) && destroy(pool) == TWEED_OK &&
           dlclose(library) == 0;
}

static void *use_in_thread(void *bad)
{
    for (int i = 0; i < rounds(100); i++)
        if (!use())
            ++*(atomic_int *)bad;
    return NULL;
}

static int in_threads(int n)
{
    pthread_t threads[4];
    atomic_int bad = 0;
    int started = 0;

    for (int i = 0; i < n && i < 4; i++)
        started += pthread_create(&threads[i], NULL, use_in_thread, &bad) == 0;
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return started == n && bad == 0;
}

/* A process that closes the library while its threads are on their way to
   sleep, lives on for a moment, and ends. */
static int close_and_go(void *arg)
{
    int good = use();

    usleep(*(useconds_t *)arg);
    return good ? 0 : 1;
}

static int close_and_fork(void *arg)
{
    (void)arg;
    if (!use())
        return 1;
    if (CHILD_HAVE_ASAN) /* whose allocator does not survive it while a thread starts */
        usleep(50000);

    pid_t pid = child_fork();

    if (pid == 0)
        _exit(use() && use_own_pool() ? 0 : 1);
    return child_exited(child_wait(pid), 0) && use() ? 0 : 1;
}

static int processes(int n, int (*fn)(void *))
{
    int good = 0;

    for (int i = 0; i < n; i++) {
        useconds_t doze = (useconds_t)(i % 10 * 100);

        good += child_exited(child_run(fn, &doze), 0);
    }
    return good == n;
}

int main(void)
{
    const char *top = getenv("top_builddir");
    const char *flags = getenv("SANITIZER_FLAGS");
    int good = 1, threads, n = rounds(1000), few = n < 50 ? n : 50;

    if (flags && *flags)
        skip_all("a sanitizer's run time cannot be opened late");
    snprintf(path, sizeof path, "%s/lib/.libs/libtweed.so", top ? top : ".");
    if (access(path, R_OK) != 0)
        skip_all("no shared library was built");

    plan(6);
    watchdog();
    ok(processes(few, close_and_go), "%d processes open, run, close and end",
       few);
    ok(processes(few, close_and_fork), "%d that fork after closing", few);
    ok(use(), "opened, run, closed");
    threads = count_threads();
    for (int i = 0; i < n; i++)
        good &= use();
    ok(good && count_threads() == threads, "%d times; no more threads", n);
    good = 1;
    for (int i = 0; i < n / 4; i++)
        good &= use_own_pool();
    ok(good, "%d times with a pool", n / 4);
    ok(in_threads(4), "in four threads at once");
    return done_testing();
}

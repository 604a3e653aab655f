/*
 * shown.c - TWEED_PROGRESS=1: which loops a process shows on stderr, here a pipe.
 *
 * SPDX-License-Identifier: MIT
 *
 * Bodies wait until the line is there, so no test depends on how long anything takes.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "child.h"
#include "pools.h"
#include "base/tsan.h"
#include "system/system.h"

#include <pthread.h>
#include <stdatomic.h>

#define INDICES 100

/* ---- one loop ---- */

static int ends_of_release[2];

static void wait_for_byte(int64_t i, void *arg)
{
    char byte;

    (void)arg;
    if (i == 0 && read(ends_of_release[0], &byte, 1) != 1)
        abort();
}

static int shows(void *arg)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    int before = count_threads();

    setenv("TWEED_PROGRESS", "1", 1);
    setenv("TWEED_NUM_WORKERS", "2", 1);
    o.name = arg;
    if (tweed_parallel_for_with(NULL, &o, 0, INDICES, wait_for_byte, NULL) != TWEED_OK ||
        tweed_default_pool_shutdown() != TWEED_OK)
        return 1;
    /* the reporting one, too; ThreadSanitizer may start a thread of its own */
    while (count_threads() > before + TWEED_HAVE_TSAN)
        nap_us(1000);
    return 0;
}

/* Reads until a line begins so. */
static int says(FILE *from, const char *beginning)
{
    char line[256];

    while (from && fgets(line, sizeof line, from))
        if (strncmp(line, beginning, strlen(beginning)) == 0)
            return 1;
    return 0;
}

static void test_shows(void)
{
    FILE *from;
    int ends[2];
    pid_t pid;
    int status, good;

    must(pipe(ends) || pipe(ends_of_release));
    pid = fork();
    if (pid == 0) {
        char name[] = "shown";

        killed_in(CHILD_SECONDS);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        _exit(shows(name));
    }
    close(ends[1]);
    from = fdopen(ends[0], "r");
    /* on a busy machine it may be long until the other worker has done the rest */
    ok(says(from, "tweed: shown  99%, "), "TWEED_PROGRESS=1: a line that names the loop");
    must(write(ends_of_release[1], "x", 1) != 1);
    good = says(from, "tweed: shown ended after");
    (void)says(from, "the end of all");
    status = child_wait(pid);
    ok(child_exited(status, 0) && good, "... and one at the end; the thread ends with the "
                                        "pool");
    if (from)
        fclose(from);
}

/* ---- two loops at a time, of which the second is begun when the first one is shown ---- */

static int ends_of_begin[2];
static atomic_uint times = 1; /* as fast as it is, tweed's clock goes */

uint64_t __real_tweed__clock(void);
uint64_t __wrap_tweed__clock(void);
uint64_t __wrap_tweed__clock(void)
{
    return __real_tweed__clock() * times;
}

static int run_shown(tweed_pool *pool, const char *name)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    o.name = name;
    return tweed_parallel_for_with(pool, &o, 0, 2, wait_for_byte, NULL);
}

static void *run_first(void *pool)
{
    return run_shown(pool, "first") == TWEED_OK ? pool : NULL;
}

static int shows_two(void)
{
    tweed_pool *a = pool_named(2, "a"), *b = pool_named(2, "b");
    pthread_t thread;
    void *result = NULL;
    char byte;

    must(pthread_create(&thread, NULL, run_first, a));
    must(read(ends_of_begin[0], &byte, 1) != 1 || run_shown(b, "second"));
    pthread_join(thread, &result);
    return result != a || tweed_pool_destroy(a) != TWEED_OK ||
           tweed_pool_destroy(b) != TWEED_OK;
}

static int is_line_of(const char *line, const char *name)
{
    return strncmp(line, "tweed: ", 7) == 0 && strncmp(line + 7, name, strlen(name)) == 0;
}

/* Fails if draw() shows the younger one, or does not count the other. */
static void test_shows_two(void)
{
    char line[256];
    FILE *from;
    int ends[2], good, both = 0;
    pid_t pid;

    must(pipe(ends) || pipe(ends_of_release) || pipe(ends_of_begin));
    pid = fork();
    if (pid == 0) {
        killed_in(CHILD_SECONDS);
        setenv("TWEED_PROGRESS", "1", 1);
        times = 20; /* what takes seconds */
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        _exit(shows_two());
    }
    close(ends[1]);
    from = fdopen(ends[0], "r");
    good = says(from, "tweed: first ");
    must(write(ends_of_begin[1], "x", 1) != 1);
    while (good && both < 3 && fgets(line, sizeof line, from)) {
        good = is_line_of(line, "first ") && (strstr(line, ", 1 more\n") || !both);
        both += strstr(line, ", 1 more\n") != NULL;
    }
    if (!ok(good && both == 3, "of two loops the older one is shown, and that there is one more"))
        diag("%s", line);
    must(write(ends_of_release[1], "xx", 2) != 2);
    good = says(from, "the end of all");
    ok(child_exited(child_wait(pid), 0) && !good, "... and both end");
    if (from)
        fclose(from);
}

/* The children are to have no threads, so this process starts none before. */
int main(void)
{
    unsetenv("TWEED_PROGRESS");
    setenv("TWEED_NUM_WORKERS", "3", 1);
    plan(5);
    watchdog();
    test_shows();
    test_shows_two();
    ok(loops_are_right(NULL, COUNT_MOST), "and loops are right");
    return done_testing();
}

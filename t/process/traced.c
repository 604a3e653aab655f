/*
 * traced.c - TWEED_TRACE: a program is traced to its end, however it ends, and says so
 * where that fails.
 *
 * SPDX-License-Identifier: MIT
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "child.h"
#include "meet.h"
#include "trace-file.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/stat.h>

#define CODE 42
#define WORKERS 2
#define AS_TEXT(n) #n
#define TEXT(n) AS_TEXT(n)

#if TWEED_HAVE_TSAN
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "atexit_sleep_ms=0";
}
#endif

static char folder[] = "/tmp/tweed-traced.XXXXXX";
static char text[4096]; /* what a child has said on stderr */
static struct trace_file t;

static const char *in_folder(const char *name)
{
    static char path[512];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* The child that runs fn is to trace to this file.  -1: it has not ended as it should. */
static int trace_child(int (*fn)(void *), const char *file, const char *events)
{
    setenv("TWEED_TRACE", file, 1);
    setenv("TWEED_TRACE_EVENTS", events ? events : "65536", 1);
    return child_exited(child_run_text(fn, NULL, text, sizeof text), CODE) ? 0 : -1;
}

static bool is_there(const char *name)
{
    struct stat s;

    return stat(in_folder(name), &s) == 0;
}

/* The file is complete, and in order. */
static bool is_whole(const char *name)
{
    trace_forget(&t);
    return trace_read(in_folder(name), &t) && t.kept != NONE && trace_nests(&t);
}

static int open_spans(const char *cat)
{
    int n = 0;

    for (size_t i = 0; i < t.count; i++)
        n += trace_is(&t.events[i], 'X', cat) && t.events[i].open;
    return n;
}

/* ---- what the children do ---- */

static int ends(void *arg)
{
    (void)arg;
    if (!loops_are_right(NULL, COUNT_MOST))
        return 1;
    exit(CODE);
}

static int loops_not(void *arg)
{
    (void)arg;
    exit(CODE);
}

static atomic_int arrived;

/* All workers are in bodies; one of them calls exit(). */
static void exit_here(int64_t i, void *arg)
{
    (void)arg;
    for (arrived++; arrived < 3;)
        sched_yield();
    if (i == 1)
        exit(CODE);
    for (;;)
        pause();
}

static int ends_in_body(void *arg)
{
    tweed_pool *pool = pool_of(3);

    if (!pool || tweed_parallel_for_with(pool, NULL, 0, 3, exit_here, arg))
        return 1;
    return 1; /* it does not come here */
}

/* The workers' threads, as under AddressSanitizer they must have before a fork(). */
static bool have_started(void)
{
    return gather(NULL, WORKERS);
}

static int has_child(void *arg)
{
    pid_t pid;

    if (!loops_are_right(NULL, 100) || !have_started())
        return 1;
    fflush(NULL);
    pid = child_fork();
    if (pid == 0)
        return ends(arg);
    if (!child_exited(child_wait(pid), CODE) || access(getenv("TWEED_TRACE"), F_OK) == 0 ||
        !loops_are_right(NULL, 200))
        return 1;
    exit(CODE);
}

static void fork_here(int64_t i, void *arg)
{
    int *status = arg;

    if (i == 5) {
        pid_t pid = child_fork();

        if (pid == 0) {
            if (!loops_are_right(NULL, 50))
                _exit(1);
            exit(CODE);
        }
        *status = child_wait(pid);
    }
}

static int has_child_of_body(void *arg)
{
    int status = -1;

    (void)arg;
    if (!have_started())
        return 1;
    tweed_parallel_for(0, 100, fork_here, &status);
    if (!child_exited(status, CODE))
        return 1;
    exit(CODE);
}

/* A trace of the program's own: TWEED_TRACE gets what was recorded last. */
static int starts_anew(void *arg)
{
    if (!loops_are_right(NULL, 100) || tweed_trace_start(NULL) != TWEED_OK ||
        !loops_are_right(NULL, 200))
        return 1;
    tweed_trace_stop();
    return ends(arg);
}

static int makes_many(void *arg)
{
    for (int k = 0; k < 2000; k++)
        if (!loops_are_right(NULL, 10))
            return 1;
    return ends(arg);
}

/* ---- tests ---- */

static void count_files(const char *begin, int *files, int *whole)
{
    DIR *d = opendir(folder);
    struct dirent *e;

    *files = *whole = 0;
    while (d && (e = readdir(d)))
        if (strncmp(e->d_name, begin, strlen(begin)) == 0) {
            ++*files;
            *whole += is_whole(e->d_name) && trace_count(&t, 'X', "loop") > 0;
            unlink(in_folder(e->d_name));
        }
    if (d)
        closedir(d);
}

static int64_t indices(void)
{
    int64_t sum = 0;

    for (size_t i = 0; i < t.count; i++)
        if (trace_is(&t.events[i], 'X', "loop"))
            sum += t.events[i].ran;
    return sum;
}

static void ending(void)
{
    ok(trace_child(ends, in_folder("end"), NULL) == 0 && is_whole("end") &&
           indices() == 2 * COUNT_MOST && t.dropped == 0 && !*text,
       "exit(): the trace is there, and nothing is said of it");
    ok(trace_child(loops_not, in_folder("no-loop"), NULL) == 0 &&
           !is_there("no-loop"),
       "without a loop there is none");
    ok(trace_child(ends, "", NULL) == 0 && !*text, "nor with an empty name");
    ok(trace_child(ends_in_body, in_folder("body"), NULL) == 0 &&
           is_whole("body") && open_spans("run") == 3 && open_spans("loop") == 1,
       "exit() in a body: three spans and the loop are open");
    ok(trace_child(starts_anew, in_folder("anew"), NULL) == 0 && is_whole("anew") &&
           indices() == 2 * 200,
       "the program's own trace comes in its place");
}

static void forking(void)
{
    int files, whole;

    ok(trace_child(has_child, in_folder("parent"), NULL) == 0 &&
           is_whole("parent") && indices() == 2 * 100 + 2 * 200 + WORKERS,
       "a child does not write its parent's file");
    ok(trace_child(has_child, in_folder("p-%p-x"), NULL) == 0, "with %%p");
    count_files("p-", &files, &whole);
    ok(files == 2 && whole == 2, "each process has a file of its own");
    ok(trace_child(has_child_of_body, in_folder("b-%p"), NULL) == 0,
       "a child that was forked in a body, with %%p");
    count_files("b-", &files, &whole);
    ok(files == 2 && whole == 2, "the same");
}

static bool one_line(const char *what)
{
    const char *end = strchr(text, '\n');

    if (end && end[1] == '\0' && strstr(text, what))
        return true;
    diag("'%s' is not one line with '%s'", text, what);
    return false;
}

static void failing(void)
{
    char name[600];
    struct stat s;

    ok(trace_child(ends, "/nowhere/at/all", NULL) == 0 &&
           one_line("tweed: cannot write the trace to '/nowhere/at/all': No such"),
       "no such folder: loops run, and one line says so");
    if (stat("/dev/full", &s) == 0)
        ok(trace_child(ends, "/dev/full", NULL) == 0 &&
               one_line("tweed: cannot write the trace to '/dev/full': No space"),
           "no room on the disk");
    else
        skip(1, "no /dev/full");
    ok(trace_child(makes_many, in_folder("many"), "256") == 0 &&
           is_whole("many") && t.dropped > 0 && one_line(" were dropped "),
       "full rings: one line, and the file says so");
    if (mkfifo(in_folder("fifo"), 0600) != 0)
        skip(1, "no FIFO");
    else
        ok(trace_child(ends, in_folder("fifo"), NULL) == 0 &&
               one_line("fifo': No such device or address"),
           "a FIFO that nobody reads is not waited for");
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    ok(trace_child(ends, name, NULL) == 0 && one_line("TWEED_TRACE='xxx"),
       "a name that is too long");
}

int main(void)
{
    static const char *const files[] = { "end", "body", "anew", "parent", "many",
                                         "fifo" };

    plan(15);
    watchdog();
    setenv("TWEED_NUM_WORKERS", TEXT(WORKERS), 1);
    if (!mkdtemp(folder)) {
        printf("Bail out! no folder\n");
        return 99;
    }
    ending();
    if (TWEED_HAVE_TSAN)
        skip(5, "ThreadSanitizer: no threads after a fork()");
    else
        forking();
    failing();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(in_folder(files[i]));
    rmdir(folder);
    return done_testing();
}

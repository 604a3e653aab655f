/*
 * stderr.c - messages and statistics where stderr is closed, full, or another file's.
 *
 * SPDX-License-Identifier: MIT
 *
 * A program that is started without stderr gets its number for the first file that it
 * opens.  What the library has to say must not end up in there.  Nor may it hang,
 * change errno, or change the status that the program ends with.
 */
#include "child.h"
#include "pools.h"
#include "self.h"

#include <errno.h>

#define CODE 42
#define MARK 4321
#define DATA "data of the program's own\n"

static char path[] = "/tmp/tweed-stderr.XXXXXX";

/* ---- the program: opens a file, runs loops on two pools, ends ---- */

static int program(const char *file, int is_second)
{
    int fd = open(file, O_WRONLY | O_APPEND);
    tweed_pool *pool;
    int good;

    if ((fd == STDERR_FILENO) != is_second ||
        write(fd, DATA, strlen(DATA)) != (ssize_t)strlen(DATA))
        return 1;
    errno = MARK;
    pool = pool_named(2, "own");
    good = pool && loops_are_right(pool, 100) &&
           tweed_pool_destroy(pool) == TWEED_OK && loops_are_right(NULL, 100);
    return good && errno == MARK ? CODE : 2;
}

static int program_as(const char *role, const char *file)
{
    if (strcmp(role, "fclose") == 0)
        fclose(stderr);
    return program(file, strcmp(role, "other") != 0);
}

/* ---- how it is started ---- */

static int start(const char *role)
{
    char *argv[4];

    alarm(CHILD_SECONDS);
    setenv("TWEED_STATS", "1", 1);
    setenv("TWEED_DISPLAY_ENV", "1", 1);
    setenv("TWEED_BIND", "garbage", 1);
    setenv("TWEED_NUM_WORKERS", "3", 1);
    argv[0] = (char *)(uintptr_t)self_path();
    argv[1] = (char *)(uintptr_t)role;
    argv[2] = path;
    argv[3] = NULL;
    execv(self_path(), argv);
    return 127;
}

static int as_it_is(void *arg)
{
    (void)arg;
    return start("other");
}

static int closed(void *arg)
{
    (void)arg;
    close(STDERR_FILENO);
    return start("closed");
}

static int closed_by_program(void *arg)
{
    (void)arg;
    return start("fclose");
}

static int full_disk(void *arg)
{
    int fd = open("/dev/full", O_WRONLY);

    (void)arg;
    return fd >= 0 && dup2(fd, STDERR_FILENO) >= 0 ? start("other") : 77;
}

static int read_only(void *arg)
{
    int fd = open("/dev/null", O_RDONLY);

    (void)arg;
    return fd >= 0 && dup2(fd, STDERR_FILENO) >= 0 ? start("other") : 77;
}

/* That nobody reads, and that says so instead of waiting. */
static int full_pipe(void *arg)
{
    char block[4096] = "";
    int ends[2];

    (void)arg;
    if (pipe(ends) != 0 || fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0)
        return 77;
    while (write(ends[1], block, sizeof block) > 0)
        continue;
    return dup2(ends[1], STDERR_FILENO) >= 0 ? start("other") : 77;
}

typedef void (*disposition)(int);

/* *arg: what SIGPIPE does. */
static int broken_pipe(void *arg)
{
    int ends[2];

    signal(SIGPIPE, *(disposition *)arg);
    if (pipe(ends) != 0 || dup2(ends[1], STDERR_FILENO) < 0)
        return 77;
    close(ends[0]);
    return start("other");
}

/* Ended as it wanted to, and the file has nothing but its own. */
static int unharmed_by(int (*how)(void *), void *arg)
{
    char text[1000];
    int file = open(path, O_RDWR | O_TRUNC), status = child_run(how, arg);
    ssize_t n = read(file, text, sizeof text - 1);

    close(file);
    text[n > 0 ? n : 0] = '\0';
    if (child_exited(status, CODE) && strcmp(text, DATA) == 0)
        return 1;
    diag("status %#x, the file has: %s", (unsigned)status, text);
    return 0;
}

static int unharmed(int (*how)(void *))
{
    return unharmed_by(how, NULL);
}

static int says_all(void)
{
    char text[20000];
    int status = child_run_text(as_it_is, NULL, text, sizeof text);

    return child_exited(status, CODE) && strstr(text, "'garbage' ignored") &&
           strstr(text, "options in force") && strstr(text, "tweed: pool own") &&
           strstr(text, "tweed: pool tweed");
}

int main(int argc, char **argv)
{
    disposition ignored = SIG_IGN, deadly = SIG_DFL;
    int file;

    if (argc > 2)
        return program_as(argv[1], argv[2]);
    file = mkstemp(path);
    if (file < 0 || !self_path()[0])
        skip_all("no file, or no /proc");
    close(file);
    plan(8);
    ok(says_all(), "stderr as it is: options, complaints and two tables");
    if (under_memcheck())
        skip(1, "valgrind opens what is closed");
    else
        ok(unharmed(closed), "closed from the start: the file that got its number "
                             "is unharmed");
    ok(unharmed(closed_by_program), "closed by fclose(): the same");
    if (access("/dev/full", W_OK) == 0)
        ok(unharmed(full_disk), "a full disk");
    else
        skip(1, "no /dev/full");
    ok(unharmed(read_only), "open for reading only");
    ok(unharmed(full_pipe), "a full pipe that does not block");
    ok(unharmed_by(broken_pipe, &ignored), "a pipe that nobody reads, SIGPIPE ignored");
    ok(unharmed_by(broken_pipe, &deadly), "... SIGPIPE not ignored");
    unlink(path);
    return done_testing();
}

/*
 * nproc.c - the user may have no more threads: a real RLIMIT_NPROC.
 *
 * SPDX-License-Identifier: MIT
 *
 * The limit counts all processes of a user and does not hold for root, so a
 * child takes a user number that nobody has.
 */
#include "tap.h"

#include "rerun.h"
#include "once.h"

#include <grp.h>
#include <sys/resource.h>
#include <tweed.h>

#define WORKERS 8

static uid_t nobody_else; /* another one in each run: runs may be concurrent */

/* Allowed to have this many threads, main's included. */
static int limit_threads(int threads)
{
    struct rlimit limit = { (rlim_t)threads, (rlim_t)threads };

    return setgroups(0, NULL) || setgid(nobody_else) || setuid(nobody_else) ||
           setrlimit(RLIMIT_NPROC, &limit);
}

/* In a fork() without exec, which would need the program to be readable for
   that user.  Exit status: 0 right, 1 wrong, RERUN_CANNOT. */
static int child(int threads)
{
    tweed_pool_options o = { .size = sizeof o, .num_workers = WORKERS };
    tweed_pool *pool = NULL;
    int expected = threads < WORKERS ? threads : WORKERS;

    alarm(60);
    if (limit_threads(threads) != 0)
        return RERUN_CANNOT;
    for (int round = 0; round < 5; round++) {
        int workers = 0;

        /* threads of the round before count until the kernel has buried them,
           a moment after the join */
        for (int n = 0; workers < expected && n < 1000; n++) {
            if (pool) {
                tweed_pool_destroy(pool);
                usleep(1000);
            }
            if (tweed_pool_create(&pool, &o) != TWEED_OK)
                return 1;
            workers = tweed_pool_num_workers(pool);
        }
        if (workers != expected || !once_loops(pool, 12) ||
            tweed_pool_destroy(pool) != TWEED_OK)
            return 1;
        pool = NULL;
    }
    return 0;
}

int main(void)
{
    static const int limits[] = { 1, 2, 5, WORKERS, WORKERS + 5 };

    if (HAVE_RUNTIME_SANITIZER)
        skip_all("the sanitizer's own threads count too");
    if (geteuid() != 0)
        skip_all("not root: cannot become a user without processes");
    nobody_else = 1000000 + (uid_t)getpid();
    plan(sizeof limits / sizeof *limits);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        int status = 0;
        pid_t pid;

        fflush(stdout);
        pid = fork();
        if (pid == 0) {
            alarm(100);
            _exit(child(limits[i]));
        }
        waitpid(pid, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == RERUN_CANNOT)
            skip(1, "may not change the user, or the limit");
        else
            ok(status == 0, "%d threads allowed, %d workers asked for",
               limits[i], WORKERS);
    }
    return done_testing();
}

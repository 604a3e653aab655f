/*
 * fault.c - a fault in a body calls the program's handler, on every thread.
 *
 * SPDX-License-Identifier: MIT
 *
 * The system sends a fault to the thread that has made it, and kills a thread that
 * blocks it.  So the threads of a pool must not block the signals of faults, however
 * the thread that starts the pool blocks them; nor SIGPROF, unless that one does.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "child.h"
#include "pools.h"
#include "self.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

#define WORKERS 3
#define ROUNDS 50

/* One index a worker: each waits until all have come, so that each has one. */
struct meeting {
    atomic_int arrived, bad;
    int signo;
    volatile char *pages[WORKERS];
};

static void meet(struct meeting *m)
{
    for (m->arrived++; m->arrived < WORKERS;)
        sched_yield();
}

static tweed_pool *pool_of_all(void)
{
    tweed_pool *pool = pool_of(WORKERS);

    return pool && tweed_pool_num_workers(pool) == WORKERS ? pool : NULL;
}

static int loop(tweed_pool *pool, tweed_index_fn *fn, struct meeting *m)
{
    m->arrived = 0;
    return tweed_parallel_for_with(pool, NULL, 0, WORKERS, fn, m) == TWEED_OK;
}

/* ---- guard pages ---- */

static long page_size;
static atomic_int opened;

/* As a garbage collector does: makes the page that was touched usable. */
static void open_page(int signo, siginfo_t *info, void *context)
{
    uintptr_t page = (uintptr_t)info->si_addr & ~((uintptr_t)page_size - 1);

    (void)signo;
    (void)context;
    opened++;
    if (mprotect((void *)page, (size_t)page_size, PROT_READ | PROT_WRITE) != 0)
        _exit(3);
}

static void touch(int64_t i, void *arg)
{
    struct meeting *m = arg;

    meet(m);
    *m->pages[tweed_worker_index()] = (char)(i + 1);
}

/* In a child: where the handler is not called the process is killed. */
static int guard_pages(void *arg)
{
    tweed_pool *pool = pool_of_all();
    struct sigaction action;
    struct meeting m;

    (void)arg;
    memset(&m, 0, sizeof m);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = open_page;
    action.sa_flags = SA_SIGINFO;
    page_size = sysconf(_SC_PAGESIZE);
    if (!pool || sigaction(SIGSEGV, &action, NULL) != 0)
        return 2;
    for (int round = 1; round <= ROUNDS; round++) {
        int sum = 0;

        for (int w = 0; w < WORKERS; w++) {
            void *page = mmap(NULL, (size_t)page_size, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

            if (page == MAP_FAILED)
                return 2;
            m.pages[w] = page;
        }
        if (!loop(pool, touch, &m) || opened != WORKERS * round)
            return 1;
        for (int w = 0; w < WORKERS; w++) {
            sum += *m.pages[w];
            munmap((void *)(uintptr_t)m.pages[w], (size_t)page_size);
        }
        if (sum != WORKERS * (WORKERS + 1) / 2)
            return 1;
    }
    return 0;
}

/* ---- each signal, sent by a thread to itself ---- */

static _Thread_local volatile sig_atomic_t came;

static void handler(int signo)
{
    came = signo;
}

/* A signal that is not blocked is handled before raise() returns. */
static void send(int64_t i, void *arg)
{
    struct meeting *m = arg;

    (void)i;
    meet(m);
    came = 0;
    if (raise(m->signo) != 0 || came != m->signo)
        m->bad++;
}

static int handled(void *arg)
{
    tweed_pool *pool = pool_of_all();
    struct meeting m;

    memset(&m, 0, sizeof m);
    m.signo = *(const int *)arg;
    if (!pool || signal(m.signo, handler) == SIG_ERR)
        return 2;
    return loop(pool, send, &m) && m.bad == 0 ? 0 : 1;
}

/* ---- what the thread that starts the pool blocks ---- */

static void look(int64_t i, void *arg)
{
    struct meeting *m = arg;
    sigset_t now;

    (void)i;
    meet(m);
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    if (tweed_worker_index() > 0 &&
        (!sigismember(&now, SIGPROF) || sigismember(&now, SIGSEGV)))
        m->bad++;
}

static int started_by_one_that_blocks(void *arg)
{
    struct meeting m;
    tweed_pool *pool;
    sigset_t set;

    (void)arg;
    memset(&m, 0, sizeof m);
    sigemptyset(&set);
    sigaddset(&set, SIGPROF);
    sigaddset(&set, SIGSEGV);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pool = pool_of_all();
    return pool && loop(pool, look, &m) && m.bad == 0 ? 0 : 1;
}

int main(void)
{
    static const struct {
        int signo;
        const char *name;
    } signals[] = {
        { SIGSEGV, "SIGSEGV" }, { SIGBUS, "SIGBUS" },   { SIGFPE, "SIGFPE" },
        { SIGILL, "SIGILL" },   { SIGTRAP, "SIGTRAP" }, { SIGSYS, "SIGSYS" },
        { SIGPROF, "SIGPROF" },
    };

    plan(9);
    watchdog();
    if (under_memcheck())
        skip(1, "valgrind reports each access to a guard page");
    else
        ok(child_exited(child_run(guard_pages, NULL), 0),
           "guard pages are opened by the handler, on all workers");
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        int signo = signals[i].signo;

        ok(child_exited(child_run(handled, &signo), 0),
           "%s in a body comes to its handler, on all workers",
           signals[i].name);
    }
    if (under_memcheck())
        skip(1, "valgrind has masks of its own");
    else
        ok(child_exited(child_run(started_by_one_that_blocks, NULL), 0),
           "started by a thread that blocks them: SIGPROF stays blocked, "
           "SIGSEGV does not");
    return done_testing();
}

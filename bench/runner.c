/*
 * runner.c - a process for each runtime, stopped while another is measured.
 *
 * SPDX-License-Identifier: MIT
 *
 * The harness and a runner talk by a pair of sockets: an order, a result.  A
 * runner that is not measuring is stopped by SIGSTOP, so that whatever an idle
 * runtime does, spinning for 200 ms or polling now and then, it does in nobody
 * else's time.
 */
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

#define PATIENCE_MS 120000 /* for one order */
#define ENDING_MS 5000
#define WARMING_NS 20000   /* an index of the loop that wakes a runtime */
#define WARMING_INDICES 32 /* ... for each worker */

enum { READY = 1, NO_MODULE, NO_START, NO_BEGIN };

/* Of the whole of it, or false. */
static bool send_all(int fd, const void *data, size_t size)
{
    return send(fd, data, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static bool receive_all(int fd, void *data, size_t size)
{
    ssize_t got;

    do
        got = recv(fd, data, size, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)size;
}

/* ---- in the runner ---- */

static void warming_body(int64_t i, void *arg)
{
    (void)i;
    bench_spin(*(uint32_t *)arg);
}

/* Adds what has been counted so far, times factor. */
static void add_counts(struct bench_counts *sum, const struct bench_loop *loop,
                       double factor)
{
    struct bench_counts c;

    if (!loop->runtime->counts)
        return;
    loop->runtime->counts(loop->schedule, &c);
    sum->loops += factor * c.loops;
    sum->steals += factor * c.steals;
    sum->fences += factor * c.fences;
    sum->proposals += factor * c.proposals;
    sum->returns += factor * c.returns;
}

bool answers_agree(double answer, double reference, double tolerance)
{
    return fabs(answer - reference) <= tolerance * fabs(reference);
}

/* A run and its answer, which is to be the first one's. */
static double run_once(const struct bench_kernel *k, void *input,
                       const struct bench_loop *loop, struct result *result,
                       bool first)
{
    double seconds = k->run(input, loop), answer = k->answer(input);

    if (first)
        result->answer = answer;
    result->steady &= answers_agree(answer, result->answer, k->tolerance);
    return seconds;
}

static struct result carry_out(const struct order *order,
                               const struct bench_kernel *k, void *input,
                               const struct bench_loop *loop)
{
    uint32_t turns = bench_turns(WARMING_NS);
    double share = 1.0 / order->times, start;
    struct result result = { .steady = true };

    bench_for(loop, 0, (int64_t)WARMING_INDICES * loop->workers, warming_body,
              &turns);
    if (order->rehearse)
        k->run(input, loop);
    add_counts(&result.counts, loop, -share);
    start = bench_now();
    for (int i = 0; i < order->times; i++)
        result.seconds += share * run_once(k, input, loop, &result, i == 0);
    result.whole = share * (bench_now() - start);
    add_counts(&result.counts, loop, share);
    return result;
}

static const struct bench_runtime *load(const struct module *m)
{
    void *handle = dlopen(m->path, RTLD_NOW | RTLD_LOCAL);

    return handle ? dlsym(handle, "bench_runtime") : NULL;
}

_Noreturn static void run_orders(int fd, const struct module *m,
                                 const struct bench_kernel *k, void *input,
                                 int workers)
{
    struct bench_loop loop = {
        .runtime = load(m),
        .workers = m->serial ? 1 : workers,
        .shares = workers,
    };
    struct order order;
    int state = READY;

    if (!loop.runtime)
        state = NO_MODULE;
    else if (loop.runtime->start(loop.workers) != 0)
        state = NO_START;
    else if (k->begin && k->begin(input, &loop) != 0)
        state = NO_BEGIN;
    if (send_all(fd, &state, sizeof state) && state == READY)
        while (receive_all(fd, &order, sizeof order)) {
            struct result result;

            loop.schedule = order.schedule;
            result = carry_out(&order, k, input, &loop);
            if (!send_all(fd, &result, sizeof result))
                break;
        }
    exit(0); /* not _exit(): libomp leaves a file behind then */
}

_Noreturn static void describe(int fd, struct module *m, int workers)
{
    const struct bench_runtime *r = load(m);
    int state = !r ? NO_MODULE : r->start(workers) != 0 ? NO_START : READY;

    if (!send_all(fd, &state, sizeof state) || state != READY)
        exit(0);
    snprintf(m->name, sizeof m->name, "%s", r->name);
    r->version(m->version, sizeof m->version);
    for (; r->schedules[m->num_schedules]; m->num_schedules++)
        snprintf(m->schedules[m->num_schedules], sizeof m->schedules[0], "%s",
                 r->schedules[m->num_schedules]);
    m->offers = (r->inlined ? BENCH_NEED_INLINED : 0) |
                (r->nests ? BENCH_NEED_NESTING : 0) |
                (r->callers ? BENCH_NEED_CALLERS : 0);
    m->serial = strcmp(m->name, "serial") == 0;
    m->counts = r->counts;
    send_all(fd, m, sizeof *m);
    exit(0);
}

/* ---- in the harness ---- */

/* Forks; true in both.  The child has no use for what stdio holds. */
static bool start_process(struct runner *r, char *why, size_t size)
{
    int fds[2];

    r->module = NULL;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) {
        snprintf(why, size, "socketpair: %s", strerror(errno));
        return false;
    }
    fflush(NULL);
    r->pid = fork();
    if (r->pid < 0) {
        snprintf(why, size, "fork: %s", strerror(errno));
        close(fds[0]);
        close(fds[1]);
        return false;
    }
    r->fd = fds[r->pid == 0];
    close(fds[r->pid != 0]);
    if (r->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setpgid(0, 0); /* a terminal's ^Z and fg are not for the stopped ones */
    }
    return true;
}

static void say_end(const struct runner *r, char *why, size_t size)
{
    int status = 0;

    waitpid(r->pid, &status, 0);
    if (WIFSIGNALED(status))
        snprintf(why, size, "killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(why, size, "ended with status %d", WEXITSTATUS(status));
}

/* Waits for so many bytes from a runner; a runner that has none is ended. */
static bool hear(struct runner *r, void *data, size_t size, char *why,
                 size_t why_size)
{
    struct pollfd p = { .fd = r->fd, .events = POLLIN };
    int ready;

    do
        ready = poll(&p, 1, PATIENCE_MS);
    while (ready < 0 && errno == EINTR);
    if (ready > 0 && receive_all(r->fd, data, size))
        return true;
    if (ready == 0) {
        snprintf(why, why_size, "no answer within %d s", PATIENCE_MS / 1000);
        kill(r->pid, SIGKILL);
        waitpid(r->pid, NULL, 0);
    } else {
        say_end(r, why, why_size);
    }
    close(r->fd);
    r->module = NULL;
    return false;
}

/* The first word of a runner. */
static bool hear_ready(struct runner *r, char *why, size_t size)
{
    static const char *const reasons[] = {
        [NO_MODULE] = "cannot be loaded",
        [NO_START] = "cannot start as many workers",
        [NO_BEGIN] = "no memory for the kernel",
    };
    int state;

    if (!hear(r, &state, sizeof state, why, size))
        return false;
    if (state == READY)
        return true;
    snprintf(why, size, "%s", reasons[state]);
    runner_end(r);
    return false;
}

bool module_describe(struct module *m, int workers, char *why, size_t size)
{
    struct runner r;

    if (!start_process(&r, why, size))
        return false;
    if (r.pid == 0)
        describe(r.fd, m, workers);
    r.module = m;
    if (!hear_ready(&r, why, size) || !hear(&r, m, sizeof *m, why, size))
        return false;
    runner_end(&r);
    return true;
}

/* False if it has ended instead. */
static bool stop(struct runner *r, char *why, size_t size)
{
    int status = 0;

    kill(r->pid, SIGSTOP);
    waitpid(r->pid, &status, WUNTRACED);
    if (WIFSTOPPED(status))
        return true;
    snprintf(why, size, "ended after its answer");
    close(r->fd);
    r->module = NULL;
    return false;
}

bool runner_start(struct runner *r, const struct module *m,
                  const struct bench_kernel *k, void *input, int workers,
                  char *why, size_t size)
{
    if (!start_process(r, why, size))
        return false;
    if (r->pid == 0)
        run_orders(r->fd, m, k, input, workers);
    r->module = m;
    if (!hear_ready(r, why, size))
        return false;
    return stop(r, why, size);
}

bool runner_measure(struct runner *r, const struct order *order,
                    struct result *result, char *why, size_t size)
{
    kill(r->pid, SIGCONT);
    if (!send_all(r->fd, order, sizeof *order)) {
        say_end(r, why, size);
        close(r->fd);
        r->module = NULL;
        return false;
    }
    if (!hear(r, result, sizeof *result, why, size))
        return false;
    return stop(r, why, size);
}

/* It ends by itself when there are no more orders, as a program that uses the
   runtime would; if it cannot, it is killed. */
void runner_end(struct runner *r)
{
    struct timespec moment = { 0, 1000000 };

    if (!r->module)
        return;
    shutdown(r->fd, SHUT_RDWR); /* runners that were forked later have it, too */
    close(r->fd);
    kill(r->pid, SIGCONT);
    r->module = NULL;
    for (int k = 0; k < ENDING_MS; k++) {
        if (waitpid(r->pid, NULL, WNOHANG) == r->pid)
            return;
        nanosleep(&moment, NULL);
    }
    kill(r->pid, SIGKILL);
    waitpid(r->pid, NULL, 0);
}

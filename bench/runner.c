/*
 * runner.c - a process for each runtime: the kernel in it, the runtime a module.
 *
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

#define WARMING_NS 20000   /* an index of the loop that wakes a runtime */
#define WARMING_INDICES 32 /* ... for each worker */

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
    if (process_send(fd, &state, sizeof state) && state == READY)
        while (process_receive(fd, &order, sizeof order)) {
            struct result result;

            loop.schedule = order.schedule;
            result = carry_out(&order, k, input, &loop);
            if (!process_send(fd, &result, sizeof result))
                break;
        }
    exit(0); /* not _exit(): libomp leaves a file behind then */
}

_Noreturn static void describe(int fd, struct module *m, int workers)
{
    const struct bench_runtime *r = load(m);
    int state = !r ? NO_MODULE : r->start(workers) != 0 ? NO_START : READY;

    if (!process_send(fd, &state, sizeof state) || state != READY)
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
    m->counts = m->ours = r->counts;
    process_send(fd, m, sizeof *m);
    exit(0);
}

/* ---- in the harness ---- */

bool module_describe(struct module *m, int workers, char *why, size_t size)
{
    struct runner r;

    if (!process_start(&r, why, size))
        return false;
    if (r.pid == 0)
        describe(r.fd, m, workers);
    r.module = m;
    if (!process_ready(&r, why, size) ||
        !process_hear(&r, m, sizeof *m, why, size))
        return false;
    runner_end(&r);
    return true;
}

bool runner_start(struct runner *r, const struct module *m,
                  const struct bench_kernel *k, void *input, int workers,
                  char *why, size_t size)
{
    if (!process_start(r, why, size))
        return false;
    if (r->pid == 0)
        run_orders(r->fd, m, k, input, workers);
    r->module = m;
    if (!process_ready(r, why, size))
        return false;
    return process_stop(r, why, size);
}

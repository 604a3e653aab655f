/*
 * program.c - the main program of each runtime's: takes orders from the driver.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static struct user_data data[USER_MOST_CALLERS];

/* ---- what it is ---- */

static uint64_t offers_of(const struct user_way *way)
{
    uint64_t offers = 0;

    for (int k = 0; k < USER_NUM_BODIES; k++)
        offers |= way->loops[k] ? UINT64_C(1) << k : 0;
    return offers | (way->timed ? USER_HAS_TIMED : 0) |
           (way->nest ? USER_HAS_NEST : 0) | (way->sort ? USER_HAS_SORT : 0);
}

static bool describe(void)
{
    const struct user_runtime *r = &user_runtime;
    struct user_description d = { 0 };
    struct module *m = &d.module;

    snprintf(m->name, sizeof m->name, "%s", r->name);
    r->version(m->version, sizeof m->version);
    m->serial = r->serial;
    m->ours = r->ours;
    for (const struct user_way *w = r->ways; w->name; w++) {
        d.offers[m->num_ways] = offers_of(w);
        snprintf(m->ways[m->num_ways++], sizeof m->ways[0], "%s",
                 w->name);
    }
    return process_send(USER_FD, &d, sizeof d);
}

/* ---- the first loop of a process ---- */

/* A caller's data; those of USER_GUESS are two in any case. */
static void make_data(const struct user_task *task)
{
    int n = task->what == USER_GUESS ? 2 : task->callers;

    for (int k = 0; k < n; k++)
        user_data_make(&data[k], task);
}

static void start(const struct user_task *task)
{
    if (user_runtime.start)
        user_runtime.start(task->workers);
}

/* In a process that has done nothing yet. */
static struct user_figures first_loop(const struct user_task *task, int way)
{
    user_loop_fn *loop = user_runtime.ways[way].loops[task->body];
    struct user_figures f = { 0 };
    double before;

    make_data(task);
    user_data_reset(data, task->body, task->n);
    before = bench_now();
    start(task);
    if (task->what == USER_CALL)
        before = bench_now();
    loop(data, task->n);
    f.seconds = bench_now() - before;
    f.answer = user_data_check(data, task->body, task->n, 1);
    return f;
}

/* This program once more, for one loop. */
static struct user_figures ask_another(const struct user_task *task, int way)
{
    struct user_figures f = { 0 };
    struct runner r;
    char why[96], number[16];

    snprintf(number, sizeof number, "%d", way);
    if (!process_start(&r, why, sizeof why))
        return f;
    if (r.pid == 0) {
        user_hand_over(r.fd);
        execl("/proc/self/exe", user_runtime.name, number, (char *)NULL);
        _exit(127);
    }
    if (process_send(r.fd, task, sizeof *task))
        process_receive(r.fd, &f, sizeof f);
    close(r.fd);
    waitpid(r.pid, NULL, 0);
    return f;
}

/* ---- orders ---- */

static bool is_first(const struct user_task *task)
{
    return task->what == USER_FIRST || task->what == USER_CALL;
}

static struct result carry_out(const struct user_task *task,
                               const struct order *order)
{
    const struct user_way *way = &user_runtime.ways[order->way];
    struct user_figures f =
        is_first(task) ? ask_another(task, order->way)
                       : user_measure(task, way, data, order->times,
                                      order->rehearse);

    return (struct result){ f.seconds, f.extra, f.answer };
}

static void serve(const struct user_task *task)
{
    struct order order;
    bool ready = true;

    if (task->what != USER_DESCRIBE && !is_first(task)) {
        make_data(task);
        start(task);
    }
    if (!process_send(USER_FD, &ready, sizeof ready))
        return;
    if (task->what == USER_DESCRIBE && !describe())
        return;
    while (process_receive(USER_FD, &order, sizeof order)) {
        struct result result = carry_out(task, &order);

        if (!process_send(USER_FD, &result, sizeof result))
            return;
    }
}

int main(int argc, char **argv)
{
    struct user_task task;

    if (!process_receive(USER_FD, &task, sizeof task)) {
        fprintf(stderr, "%s: is started by bench/users/driver\n", argv[0]);
        return 2;
    }
    if (argc > 1) {
        struct user_figures f = first_loop(&task, atoi(argv[1]));

        process_send(USER_FD, &f, sizeof f);
    } else {
        serve(&task);
    }
    return 0;
}

/*
 * cases.c - runs the loops of a row and reads the clock.
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "users.h"

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void be_silent(double seconds)
{
    struct timespec t = { (time_t)seconds,
                          (long)((seconds - (double)(time_t)seconds) * 1e9) };

    if (seconds > 0)
        nanosleep(&t, NULL);
}

/* Bodies end at the same time on several threads.  The longest claim is rarely
   written, so a lock does. */
void user_claimed(struct user_data *s, double started)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    double seconds = bench_now() - started;

    pthread_mutex_lock(&lock);
    if (seconds > s->longest)
        s->longest = seconds;
    pthread_mutex_unlock(&lock);
}

/* ---- callers ---- */

/* A thread that runs loops while others do. */
struct caller {
    const struct user_task *task;
    const struct user_way *way;
    struct user_data *data;
    int64_t n;
    int64_t loops;   /* that count */
    bool rehearse;   /* one more before these */
    atomic_int *met; /* how many callers are ready */
    double cpu;      /* before the silence */
    double start, end;
    pthread_t thread;
};

/* A barrier would have them sleep, and wake one after another. */
static void meet(struct caller *c)
{
    atomic_fetch_add_explicit(c->met, 1, memory_order_acq_rel);
    while (atomic_load_explicit(c->met, memory_order_acquire) < c->task->callers)
        sched_yield();
}

static void *call(void *arg)
{
    struct caller *c = arg;
    user_loop_fn *loop = c->task->what == USER_CLAIMS
                             ? c->way->timed
                             : c->way->loops[c->task->body];

    if (c->rehearse)
        loop(c->data, c->n);
    c->cpu = cpu_seconds();
    be_silent(c->task->silence);
    if (c->task->callers > 1)
        meet(c);
    c->data->longest = 0; /* of the loops that count */
    c->start = bench_now();
    for (int64_t k = 0; k < c->loops; k++)
        loop(c->data, c->n);
    c->end = bench_now();
    return NULL;
}

/* All callers' loops; seconds from the first one's start to the last one's end. */
static double call_all(struct caller *callers, int n)
{
    atomic_int met = 0;
    double start, end;

    for (int k = 0; k < n; k++) {
        callers[k].met = &met;
        if (k > 0)
            pthread_create(&callers[k].thread, NULL, call, &callers[k]);
    }
    call(&callers[0]);
    start = callers[0].start;
    end = callers[0].end;
    for (int k = 1; k < n; k++) {
        pthread_join(callers[k].thread, NULL);
        start = callers[k].start < start ? callers[k].start : start;
        end = callers[k].end > end ? callers[k].end : end;
    }
    return end - start;
}

static double check(struct caller *c)
{
    enum user_body body = c->task->body;

    if (body == USER_empty) { /* leaves no trace: another body shows that all run */
        c->way->loops[USER_count](c->data, c->n);
        return user_data_check(c->data, USER_count, c->n, 1);
    }
    return user_data_check(c->data, body, c->n, c->loops + c->rehearse);
}

static struct user_figures measure_callers(struct caller *callers, int n,
                                           int times)
{
    struct user_figures f = { .answer = 1 };

    for (int k = 0; k < n; k++)
        user_data_reset(callers[k].data, callers[k].task->body, callers[k].n);
    f.seconds = call_all(callers, n) / times;
    f.extra = callers[0].task->what == USER_CLAIMS
                  ? callers[0].data->longest
                  : cpu_seconds() - callers[0].cpu;
    for (int k = 0; k < n; k++) {
        double answer = check(&callers[k]);

        f.answer = answer < f.answer ? answer : f.answer;
    }
    return f;
}

/* After a silence there is one loop that counts. */
static struct user_figures measure_loops(const struct user_task *task,
                                         const struct user_way *way,
                                         struct user_data *data, int times,
                                         bool rehearse)
{
    struct caller callers[USER_MOST_CALLERS];
    bool single = task->what != USER_LOOPS;

    for (int k = 0; k < task->callers; k++)
        callers[k] = (struct caller){
            .task = task, .way = way, .data = &data[k], .n = task->n,
            .loops = single ? 1 : (int64_t)times * task->repeat,
            .rehearse = rehearse,
        };
    return measure_callers(callers, task->callers, single ? 1 : times);
}

/* ---- what nests ---- */

static struct user_figures measure_nest(const struct user_task *task,
                                        const struct user_way *way,
                                        struct user_data *data, int times,
                                        bool rehearse)
{
    struct user_figures f = { 0 };
    double start = 0;

    user_data_reset(data, USER_spin, task->n);
    for (int k = -rehearse; k < times; k++) {
        if (k == 0)
            start = bench_now();
        if (task->variant == USER_FLAT)
            way->loops[USER_spin](data, task->n);
        else
            way->nest(data, task->n, task->variant);
    }
    f.seconds = (bench_now() - start) / times;
    f.answer = user_data_check(data, USER_spin, task->n, times + rehearse);
    return f;
}

static struct user_figures measure_sort(const struct user_task *task,
                                        const struct user_way *way,
                                        struct user_data *data, int times,
                                        bool rehearse)
{
    struct user_figures f = { .answer = 1 };

    for (int k = -rehearse; k < times; k++) {
        double start;

        user_data_unsort(data, task->n);
        start = bench_now();
        if (task->body == USER_cilksort)
            way->loops[USER_cilksort](data, task->n);
        else
            way->sort(data->sorted, task->n);
        f.seconds += k >= 0 ? (bench_now() - start) / times : 0;
        f.answer *= user_data_sorted(data, task->n);
    }
    return f;
}

/* ---- a breadth-first search ---- */

static struct user_figures measure_search(const struct user_task *task,
                                          const struct user_way *way,
                                          struct user_data *data, int times,
                                          bool rehearse)
{
    const int64_t blocks = (task->n + USER_BLOCK - 1) / USER_BLOCK;
    struct user_search *s = data->search;
    struct user_figures f = { .answer = 1 };

    for (int k = -rehearse; k < times; k++) {
        int64_t n = user_search_begin(s);
        double start = bench_now(), right;

        while (n > 0) {
            if (n < task->n / USER_LARGE)
                way->loops[USER_down](data, n);
            else
                way->loops[USER_up](data, blocks);
            n = user_search_next(s);
        }
        f.seconds += k >= 0 ? (bench_now() - start) / times : 0;
        right = user_search_check(s);
        f.answer = right < f.answer ? right : f.answer;
    }
    return f;
}

/* ---- wrong guesses ---- */

/*
 * A loop, and the same one again with other data: `repeat` times short, then once
 * long, and so on; or both at the same time, by two callers.  Short is fewer
 * indices, or cheaper ones.
 */
static struct user_figures measure_guess(const struct user_task *task,
                                         const struct user_way *way,
                                         struct user_data *data, int times,
                                         bool rehearse)
{
    struct caller callers[2] = {
        { .task = task, .way = way, .data = &data[0], .n = task->n },
        { .task = task, .way = way, .data = &data[1], .n = task->short_n },
    };
    struct caller *both = callers;
    struct user_figures f = { .answer = 1 };
    bool at_once = task->variant == USER_GUESS_CALLERS;
    int runs = times + rehearse, rehearsals = at_once ? runs : 0;

    if (task->variant == USER_GUESS_COST)
        data[1].turns = 0;
    for (int k = 0; k < 2; k++) {
        both[k].rehearse = at_once; /* they are new threads each time */
        user_data_reset(both[k].data, task->body, both[k].n);
    }
    for (int k = -rehearse; k < times; k++) {
        double seconds = 0;

        both[0].loops = 1;
        both[1].loops = task->repeat;
        if (at_once)
            seconds = call_all(both, 2);
        else
            for (int m = 1; m >= 0; m--)
                seconds += call_all(&both[m], 1);
        f.seconds += k >= 0 ? seconds / times : 0;
    }
    both[0].loops = runs + rehearsals;
    both[1].loops = (int64_t)runs * task->repeat + rehearsals;
    both[0].rehearse = both[1].rehearse = false;
    f.answer = check(&both[0]) * check(&both[1]);
    return f;
}

struct user_figures user_measure(const struct user_task *task,
                                 const struct user_way *way,
                                 struct user_data *data, int times,
                                 bool rehearse)
{
    switch (task->what) {
    case USER_NEST:
        return measure_nest(task, way, data, times, rehearse);
    case USER_SORT:
        return measure_sort(task, way, data, times, rehearse);
    case USER_SEARCH:
        return measure_search(task, way, data, times, rehearse);
    case USER_GUESS:
        return measure_guess(task, way, data, times, rehearse);
    default:
        return measure_loops(task, way, data, times, rehearse);
    }
}

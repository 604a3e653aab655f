/*
 * tree.h - a program of tasks, and what must hold of it.
 *
 * SPDX-License-Identifier: MIT
 *
 *   tree=0       the program, see trees[]
 *   runs=1       so often, one after the other
 *   workers=2    who executes it: thread 0, which starts it, and its helpers
 *   looks=0      a helper looks so often for a task; 0: helpers live as in lib/pool/thread.c,
 *                and sleep.  Else no task waits for others
 *   doze=0       1: before each look they have said that they sleep; not with looks
 *   keen=0       1: they look when a task lies somewhere, again and again; not with looks
 *   exchange=0   1: the exchange mode instead of the asymmetric one
 *   records=4    so many of a thread fit into memory; there is no more
 *   touch=0      1: the records, and what each deque is, are checked for races
 *
 * Each task is executed once; a join returns when its task is over; what a worker begins
 * in a join was spawned by the task that it waits for, or on its behalf; tasks that wait
 * for each other to begin all do, as long as there are workers, awake or not; no two threads
 * have a deque in the same memory.
 *
 * Included by a driver that has lib/task/fork.c and lib/pool/thread.c.
 */
#ifndef TWEED_T_TREE_H
#define TWEED_T_TREE_H

#define WORKERS 3
#define RECORDS 5 /* of a thread */
#define TASKS 8

/* What each task does, from the root, a, on: b spawns the task b, - joins the last, B
   waits until b has begun, which others have to see to, @ starts a run inside of the task
   (run_inside()). */
static const char *const trees[][TASKS] = {
    /* 0: may be stolen, and has to be */ { "b-", "" },
    { "bB-", "" },
    /* 2: several lie there; of these one is private, or more */ { "bc--", "", "" },
    { "bBc-d--", "", "", "" },
    /* 4: who joins may, and then has to, help the thief */ { "bB-", "c-", "" },
    { "bB-", "cC-", "" },
    /* 6: again and again */ { "bB-", "cC-", "dD-", "" },
    /* 7: all at the same time; for three workers */ { "bcBC--", "C", "B" },
    /* 8: a thief that is done steals elsewhere */ { "bBcC--", "dD-", "", "e-", "" },
    /* 9: after it was stolen, its place is used once more */ { "bB-cC-", "", "" },
    /* 10: one that waits for nobody's work, beside one who has some */
    { "bcBC--", "", "dD-", "" },
    /* 11: who sleeps has to be told of the second */ { "b-cC-", "", "" },
    /* 12: who joins may sleep before its thief is known */ { "b-", "cC-", "" },
    /* 13: a joiner has to be told of a run inside of the task */ { "bB-", "@" },
};

static struct tweed__team team;
static struct tweed__worker worker[WORKERS], *workers[WORKERS];
static struct tweed__group group;
static int nearness[1], workers_asked, looks, runs;
static uint32_t room_for;
static bool touches, waits, dozes, keen;

static const char *const *tree;
static void (*run_inside)(struct tweed__part *p); /* the driver's, if it has one */
/* The last are those of a caller that is alone. */
/* All within what two GiB have between them. */
_Alignas(4096) static struct tweed_task_ records[WORKERS + 1][RECORDS];
static char record[WORKERS + 1][RECORDS], described[WORKERS + 1]; /* only touched */
static int parent[TASKS]; /* of each task */

enum { NONE = TASKS };

static struct {
    MODEL_MARK(unsigned char) spawned[TASKS], begun[TASKS], done[TASKS];
    /* A task that this worker begins is inside that one. */
    MODEL_MARK(unsigned char) inside[WORKERS];
    /* Threads that have a deque in this memory. */
    MODEL_MARK(unsigned char) owners[WORKERS];
    MODEL_MARK(bool) over;
    MODEL_MARK(unsigned char) left; /* workers */
} now;

/* ---- who touches what ---- */

static void touch(const struct tweed_task_ *t, bool writes)
{
    size_t at = (size_t)(t - records[0]);

    if (touches && at < (WORKERS + 1) * RECORDS)
        model_touch(&record[at / RECORDS][at % RECORDS], writes);
}

/* A thief is about to read where the records of a deque are. */
static void stolen_from(const volatile void *object)
{
    for (int i = 0; touches && i < WORKERS; i++)
        if (object == &worker[i].seats[0].deque.top)
            model_touch(&described[i], false);
}

/* ---- memory, of which there is so much ---- */

bool tweed__arena_begin(struct tweed__arena *r)
{
    size_t whose = (size_t)(r->base - records[0]) / RECORDS;
    unsigned char others = mark_one_more(now.owners[whose]);

    model_assert(others == 0);
    /* a deque is about to be made there */
    if (touches)
        model_touch(&described[whose], true);
    return true;
}

bool tweed__arena_grow(struct tweed__arena *r)
{
    (void)r;
    return false;
}

void tweed__arena_trim(struct tweed__arena *r)
{
    size_t whose = (size_t)(r->base - records[0]) / RECORDS;

    mark(now.owners[whose], (unsigned char)(mark_of(now.owners[whose]) - 1));
}

/* ---- last words, before it aborts ---- */

int tweed__stderr(void)
{
    return -1;
}

bool tweed__print(int fd, const char *format, ...)
{
    bool nothing_is_wrong = false;

    (void)fd, (void)format;
    model_assert(nothing_is_wrong);
    return false;
}

/* ---- tasks, as TWEED_TASK() makes them ---- */

static void execute_task(struct tweed_deque_ *d, struct tweed_task_ *top, int task);

static int index_of(const struct tweed_deque_ *d)
{
    return ((const struct tweed__deque *)(const void *)d)->part->index;
}

static bool is_within(int task, int other)
{
    while (task != other && task > 0)
        task = parent[task];
    return task == other || other == NONE;
}

static void run_task(struct tweed_deque_ *d, struct tweed_task_ *top, struct tweed_task_ *t)
{
    int task = t->data[0];

    touch(t, false);
    execute_task(d, top, task);
    touch(t, true);
    t->data[1] = (char)(task + 1); /* the result */
}

static void fill(struct tweed_task_ *t, int task)
{
    t->data[0] = (char)task;
    t->data[1] = 0;
    t->run = run_task;
}

static void spawn_task(struct tweed_deque_ *d, struct tweed_task_ *top, int task)
{
    touch(top, true);
    fill(top, task);
    mark(now.spawned[task], 1);
    tweed_spawned_(d, top);
}

static void join_task(struct tweed_deque_ *d, struct tweed_task_ *t)
{
    int me = index_of(d), task = t->data[0], outer = mark_of(now.inside[me]);

    mark(now.inside[me], (unsigned char)task);
    if (!tweed_is_private_(d, t) && !tweed_task_sync_slow_(d, t)) {
        touch(t, false);
        model_assert(t->data[1] == task + 1);
    } else {
        execute_task(d, t, task);
    }
    mark(now.inside[me], (unsigned char)outer);
    model_assert(mark_of(now.done[task]) == 1);
}

static bool has_begun(void *arg)
{
    return mark_of(now.begun[(intptr_t)arg]) > 0;
}

/* Lies one somewhere that nobody has begun? */
static bool is_task_left(void)
{
    for (int i = 0; i < TASKS; i++)
        if (mark_of(now.spawned[i]) > mark_of(now.begun[i]))
            return true;
    return false;
}

static void execute_task(struct tweed_deque_ *d, struct tweed_task_ *top, int task)
{
    int me = index_of(d), outer = mark_of(now.inside[me]);
    unsigned char before = mark_one_more(now.begun[task]);

    model_assert(before == 0);
    model_assert(is_within(task, outer));
    mark(now.inside[me], (unsigned char)task);
    for (const char *step = tree[task]; *step; step++)
        if (*step == '-')
            join_task(d, --top);
        else if (*step == '@')
            run_inside(((struct tweed__deque *)(void *)d)->part);
        else if (*step >= 'a')
            spawn_task(d, top++, *step - 'a');
        else if (waits)
            model_await(has_begun, (void *)(intptr_t)(*step - 'A'));
    mark(now.inside[me], (unsigned char)outer);
    mark_one_more(now.done[task]);
}

/* ---- all of it ---- */

static void begin_program(void)
{
    for (int i = 0; i < TASKS; i++) {
        mark(now.spawned[i], 0);
        mark(now.begun[i], 0);
        mark(now.done[i], 0);
    }
}

static void run_root(struct tweed__deque *d)
{
    struct tweed_task_ root;

    memset(&root, 0, sizeof root);
    fill(&root, 0);
    tweed__fork_root(d, &root);
}

/* ---- threads ---- */

/* A heavy fence is to reach all threads as long as there is one that may need it. */
static bool is_over(void *arg)
{
    (void)arg;
    return mark_of(now.over);
}

static bool is_news(void *arg)
{
    return is_over(arg) || is_task_left();
}

static bool helpers_have_left(void *arg)
{
    (void)arg;
    return mark_of(now.left) == workers_asked - 1;
}

static void end_program(void)
{
    mark(now.over, true);
    if (!looks && !keen) {
        store_release(&team.stop, 1); /* as tweed__team_end() */
        tweed__sleep_announce(&team.sleep, INT_MAX, UINT32_MAX, &worker[0].tally);
    }
    model_await(helpers_have_left, NULL);
}

/* As tweed__thread_main(), without the looks after which it would not sleep. */
static void doze(struct tweed__worker *w)
{
    struct tweed__wait wait = { .kind = &worker_kind, .team = &team, .worker = w,
                                .tally = &w->tally };

    tweed__self.worker = w;
    for (;;) {
        wait.ticket = tweed__sleep_ticket(&team.sleep);
        if (has_to_end(&wait))
            break;
        (void)lie_down_as_worker(&wait);
        doze_off(&wait);
    }
}

static void look_keenly(struct tweed__worker *w)
{
    for (;;) {
        model_await(is_news, NULL);
        if (mark_of(now.over))
            break;
        (void)tweed__work_look(w);
    }
}

static void help_out(void *arg)
{
    struct tweed__worker *w = arg;

    if (dozes)
        doze(w);
    else if (keen)
        look_keenly(w);
    else if (looks == 0)
        (void)tweed__thread_main(w);
    for (int n = 0; n < looks && !model_knows(mark_of(now.over)); n++)
        (void)tweed__work_look(w);
    mark_one_more(now.left);
    model_await(is_over, NULL);
}

/* Is the deque as it began? */
static bool is_empty(struct tweed__deque *d)
{
    uint64_t first = record_place(tweed_low_(d->records));

    return deque_top(d) == first && load_relaxed(&d->word) == (first << 40 | first << 16);
}

static void verify_program(void)
{
    model_assert(mark_of(now.over));
    for (int i = 0; i < TASKS && tree[i]; i++)
        model_assert(mark_of(now.begun[i]) == 1 && mark_of(now.done[i]) == 1);
    model_assert(looks || load_relaxed(&team.sleep.waiters) == 0);
    for (int i = 0; i < workers_asked; i++) {
        model_assert(is_empty(&worker[i].seats[0].deque));
        model_assert(worker[i].deque == NULL);
    }
}

static void name_records(int i, struct tweed__arena *r)
{
    model_assert(room_for <= RECORDS);
    r->base = records[i];
    r->open = r->most = room_for;
    r->reserve = 1;
    for (uint32_t k = 0; k < room_for; k++) {
        model_place((_Atomic uint32_t *)&records[i][k].state, 4, "state");
        if (touches)
            model_plain(&record[i][k], 1, "record");
    }
    if (touches)
        model_plain(&described[i], 1, "deque");
}

static void name_worker(int i)
{
    static const char *const names[WORKERS][3] = { { "top 0", "ceiling 0", "word 0" },
                                                   { "top 1", "ceiling 1", "word 1" },
                                                   { "top 2", "ceiling 2", "word 2" } };
    struct tweed__worker *w = &worker[i];
    struct tweed__deque *d = &w->seats[0].deque;

    workers[i] = w;
    w->team = &team;
    w->index = i;
    model_memory(&w->deque, sizeof w->deque);
    model_place(&d->top, sizeof d->top, names[i][0]);
    model_place(&d->ceiling, sizeof d->ceiling, names[i][1]);
    model_place(&d->word, sizeof d->word, names[i][2]);
    model_figure(&d->copied); /* nothing is */
    model_figure(&d->first);
    model_figure(&d->join);   /* no dumps */
    model_memory(&d->records,
                 (size_t)((char *)(&d->thefts + 1) - (char *)&d->records));
    name_records(i, i ? &w->arena : &team.slots[0].arena);
}

static void name_program(void)
{
    for (int i = 0; i < workers_asked; i++)
        name_worker(i);
    for (int i = 0; i < WORKERS; i++)
        mark(now.inside[i], NONE);
    model_place(&team.sleep.event, sizeof team.sleep.event, "event");
    model_place(&team.sleep.waiters, sizeof team.sleep.waiters, "waiters");
    if (looks || keen)
        model_figure(&team.stop);
    else
        model_place(&team.stop, sizeof team.stop, "stop");
    model_place(&team.sleep.waiting, sizeof team.sleep.waiting, "waiting");
    model_place(&team.slots[0].joins, sizeof team.slots[0].joins, "joins");
    model_place(&tweed__fences.wanted, sizeof tweed__fences.wanted, "wanted");
    model_place(&tweed__fences.done, sizeof tweed__fences.done, "fenced");
    model_place(&tweed__fences.fencing, sizeof tweed__fences.fencing, "fencing");
    model_figure(&tweed__awake[0].threads);
    model_figure(&tweed__awake_parts);
    model_self(&tweed__self, sizeof tweed__self);
    model_memory(&now, sizeof now);
    model_memory(records, sizeof records);
}

static void set_up_program(void)
{
    int number = MODEL_NUMBER(tree, 0);

    model_assert(number < (int)(sizeof trees / sizeof *trees));
    tree = trees[number];
    for (int i = 0; i < TASKS && tree[i]; i++)
        for (const char *step = tree[i]; *step; step++)
            if (*step >= 'a')
                parent[*step - 'a'] = i;
    workers_asked = MODEL_NUMBER(workers, 2);
    model_assert(workers_asked <= WORKERS);
    looks = MODEL_NUMBER(looks, 0);
    runs = MODEL_NUMBER(runs, 1);
    dozes = MODEL_NUMBER(doze, 0);
    keen = MODEL_NUMBER(keen, 0);
    waits = looks == 0;
    touches = MODEL_NUMBER(touch, 0);
    room_for = (uint32_t)MODEL_NUMBER(records, 4);
    team.asymmetric = !MODEL_NUMBER(exchange, 0);
    team.num_workers = workers_asked;
    team.workers = workers;
    team.num_groups = 1;
    team.groups = &group;
    team.nearness = nearness;
    team.slots[0].parent = -1;
    group.end = workers_asked;
    name_program();
}

#endif

/*
 * tree.h - a program of tasks, and what must hold of it.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by a driver that has lib/fork.c.  It says how many workers there are at most
 * (WORKERS), for how many records a thread has room, one of them in reserve (room_for),
 * whether they are touched (touches), and whether tasks wait for others (waits).
 */
#ifndef TWEED_T_TREE_H
#define TWEED_T_TREE_H

#define RECORDS 5 /* of a thread */
#define TASKS 8

/* What each task does, from the root, a, on: b spawns the task b, - joins the last, B
   waits until b has begun, which others have to see to. */
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
};

static const char *const *tree;
static struct tweed_task records[WORKERS][RECORDS];
static char record[WORKERS][RECORDS], described[WORKERS]; /* only touched */
static int parent[TASKS]; /* of each task */

enum { NONE = TASKS };

static struct {
    MODEL_MARK(unsigned char) spawned[TASKS], begun[TASKS], done[TASKS];
    /* A task that this worker begins is inside that one. */
    MODEL_MARK(unsigned char) inside[WORKERS];
    MODEL_MARK(bool) over;
    MODEL_MARK(unsigned char) left; /* workers */
} now;

/* ---- who touches what ---- */

static void touch(const struct tweed_task *t, bool writes)
{
    size_t at = (size_t)(t - records[0]);

    if (touches && at < WORKERS * RECORDS)
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

bool tweed__records_begin(struct tweed__records *r)
{
    /* a deque is about to be made there */
    if (touches)
        model_touch(&described[(r->base - records[0]) / RECORDS], true);
    return true;
}

bool tweed__records_grow(struct tweed__records *r)
{
    (void)r;
    return false;
}

void tweed__records_trim(struct tweed__records *r)
{
    (void)r;
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

static void execute_task(struct tweed_deque *d, size_t top, int task);

static int index_of(const struct tweed_deque *d)
{
    return ((const struct tweed__deque *)(const void *)d)->part->index;
}

static bool is_within(int task, int other)
{
    while (task != other && task > 0)
        task = parent[task];
    return task == other || other == NONE;
}

static void run_task(struct tweed_deque *d, size_t top, struct tweed_task *t)
{
    int task = t->data[0];

    touch(t, false);
    execute_task(d, top, task);
    touch(t, true);
    t->data[1] = (char)(task + 1); /* the result */
}

static void fill(struct tweed_task *t, int task)
{
    t->data[0] = (char)task;
    t->data[1] = 0;
    t->run = run_task;
}

static void spawn(struct tweed_deque *d, size_t top, int task)
{
    touch(&d->records[top], true);
    fill(&d->records[top], task);
    mark(now.spawned[task], 1);
    tweed_spawned_(d, top);
}

static void join(struct tweed_deque *d, size_t top)
{
    struct tweed_task *t = &d->records[top];
    int me = index_of(d), task = t->data[0], outer = mark_of(now.inside[me]);

    mark(now.inside[me], (unsigned char)task);
    if (!tweed_is_private_(d, top) && !tweed_sync_slow(d, top)) {
        touch(t, false);
        model_assert(t->data[1] == task + 1);
    } else {
        execute_task(d, top, task);
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

static void execute_task(struct tweed_deque *d, size_t top, int task)
{
    int me = index_of(d), outer = mark_of(now.inside[me]);
    unsigned char before = mark_one_more(now.begun[task]);

    model_assert(before == 0);
    model_assert(is_within(task, outer));
    mark(now.inside[me], (unsigned char)task);
    for (const char *step = tree[task]; *step; step++)
        if (*step == '-')
            join(d, --top);
        else if (*step >= 'a')
            spawn(d, top++, *step - 'a');
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
    struct tweed_task root;

    memset(&root, 0, sizeof root);
    fill(&root, 0);
    tweed__fork_root(d, &root);
}

static void verify_program(void)
{
    model_assert(mark_of(now.over));
    for (int i = 0; i < TASKS && tree[i]; i++)
        model_assert(mark_of(now.begun[i]) == 1 && mark_of(now.done[i]) == 1);
}

static void name_records(int i, struct tweed__records *r)
{
    model_assert(room_for <= RECORDS);
    *r = (struct tweed__records){ records[i], room_for, room_for, 1 };
    for (uint32_t k = 0; k < room_for; k++) {
        model_place((_Atomic uint32_t *)&records[i][k].state, 4, "state");
        if (touches)
            model_plain(&record[i][k], 1, "record");
    }
    if (touches)
        model_plain(&described[i], 1, "deque");
}

static void name_program(int number)
{
    model_assert(number < (int)(sizeof trees / sizeof *trees));
    tree = trees[number];
    for (int i = 0; i < TASKS && tree[i]; i++)
        for (const char *step = tree[i]; *step; step++)
            if (*step >= 'a')
                parent[*step - 'a'] = i;
    for (int i = 0; i < WORKERS; i++)
        mark(now.inside[i], NONE);
    model_memory(&now, sizeof now);
    model_memory(records, sizeof records);
}

#endif

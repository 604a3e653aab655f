/*
 * jobs.c - tasks of groups, and submitted ones: spawned, executed, waited for.
 *
 * SPDX-License-Identifier: MIT
 *
 *   program=0    what the tasks do, see programs[]
 *   helpers=1    workers besides the outside caller, that live as in lib/pool/thread.c
 *   caller=0     the task that another outside caller begins, as one of the root's group;
 *                0: there is none
 *   room=2       records of each deque; there is no more memory
 *   order=0      1: who looks goes for the queue first, and for the others' deques in the
 *                order of their numbers; 0: in every order
 *   guess=0      1: of what group a record is is a place that others see late; 0: at once
 *   wakes=1      how many workers are woken for a task
 *   touch=0      1: what a task is given, and what it leaves, is checked for races; 2: so
 *                is the memory of groups, which thieves read before they have a task
 *
 * Each task is executed once; a sync returns when all tasks of its group are over, and so
 * does what drains a pool; tasks that wait for each other to begin all do, as long as there
 * are workers, awake or not; what is submitted to a pool that is closed is refused, or
 * executed before the pool is drained.
 *
 * These are jobs.c, session.c, waking.c, queue.c, sync.c, group.c and submit.c of lib/task/,
 * with deque.c, sleep.c and thread.c.  The lock of the queue is played, and so is memory.
 * Loops are played, too, one at a time: two bodies, of which the caller executes one, and
 * perhaps the other one.  The bodies wait for a task.
 */
#include "model.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/pool/team.h"
#include "no-text.h"
_Atomic uint64_t tweed__fence_ns;
static int me;
#ifdef GENMC
static struct tweed__self selves[MODEL_THREADS];
#define tweed__self selves[model_me]
#define set_me(n) ((void)(n))
#else
static struct tweed__self selves[6];
#define tweed__self selves[me]
#define set_me(n) ((void)(me = (n)))
static void lock(void);
static void unlock(void);
#define pthread_mutex_lock(mutex) ((void)(mutex), lock())
#define pthread_mutex_unlock(mutex) ((void)(mutex), unlock())
static void *new_entry(void);
static int try_lock(void);
#define pthread_mutex_trylock(mutex) ((void)(mutex), try_lock())
#define TWEED__LOOKS 0
#define malloc(bytes) ((void)(bytes), new_entry())
#endif

#include "../../lib/base/random.h"
static uint32_t drawn(uint32_t n);
#define random_below(seed, n) ((void)(seed), drawn(n))
/* Figures; those of a guest would lie on its stack. */
#undef tally_add
#define tally_add(tally, field, n) ((void)(tally), (void)(n))

#define take_first take_first_record
#include "../../lib/range/deque.c"
#undef take_first
#include "../../lib/pool/sleep.c"
#include "../../lib/task/state.c"
#include "../../lib/task/within.c"
#include "../../lib/task/queue.c"
/* Nobody is bound to a CPU here. */
void tweed__affinity_caller(struct tweed__team *team, bool among_others)
{
    (void)team, (void)among_others;
}
static struct tweed__group_state *is_read(struct tweed__group_state *f);
#define where_of_group(f) where_of_group(is_read(f))
static int job_wakes;
#define JOB_WAKES job_wakes
#include "../../lib/task/waking.c"
#include "../../lib/task/session.c"
#include "../../lib/task/jobs.c"
#define is_within is_loop_within
#include "../../lib/task/sync.c"
#undef is_within
#undef where_of_group
static struct tweed__group_state *new_and_written(struct tweed__team *team, unsigned flags);
#define tweed__state_new new_and_written
#define tweed__jobs_spawn(team, job)                                           \
    (is_read(load_relaxed(&(job)->of_group)), tweed__jobs_spawn(team, job))
#define spawn spawn_job
#define sync sync_group
#include "../../lib/task/group.c"
#undef tweed__state_new
#undef tweed__jobs_spawn
#undef spawn
#undef sync
#undef MOST
#define leave leave_submitted
#define fill fill_entries
#include "../../lib/task/submit.c"
#undef leave
#undef fill
/* What is over makes no states different. */
static uint32_t ticket_afresh(struct tweed__sleep *z)
{
    model_forget();
    return tweed__sleep_ticket(z);
}
#define tweed__sleep_ticket ticket_afresh
#include "../../lib/loop/counts.c"
#include "../../lib/pool/wait.c"
#include "../../lib/pool/thread.c"
#undef tweed__sleep_ticket

#define WORKERS 4
#define RECORDS 4
#define TASKS 6

/* What each task does, from the root, a, on: b spawns the task b into a group of its own,
   ^b into the one that it is in itself; - syncs its own group; B waits until b has begun,
   which others have to see to, =b until it is over; !b submits it, # closes the pool,
   . drains it; @b is a loop whose bodies wait until b is over. */
static const char *const programs[][TASKS] = {
    /* 0 */ { "b-", "" },
    /* 1 */ { "bB-", "" },
    /* 2 */ { "bc-", "", "" },
    /* 3: all at the same time */ { "bcBC-", "C", "B" },
    /* 4: who syncs is to be told */ { "b-", "^cC", "" },
    /* 5: inside */ { "b-", "cC-", "" },
    /* 6: a group again */ { "b-c-", "", "" },
    /* 7: an executor */ { "!b.", "" },
    /* 8: another caller submits */ { "#.", "!c", "" },
    /* 9 */ { "!b#.", "", "!d", "" },
    /* 10: another caller's group, in the same deque */ { "b-", "", "d-", "" },
    /* 11: who waits executes tasks of two groups */ { "bc-", "dD-", "", "" },
    /* 12: what is left in the queue */ { "!b!c.", "C", "" },
    /* 13: another caller spawns into the same group */ { "b=c-", "", "^d", "" },
    /* 14: what is submitted has to be seen */ { "!bB.", "" },
    /* 15: who waits has executed d, and has a part in the loop of c, another caller's */
    { "bB-", "dD-", "D@b", "" },
};

static tweed_pool pool;
static struct tweed__team team;
static struct tweed__worker worker[WORKERS], *workers[WORKERS];
static struct tweed__group group;
static int nearness[1], helpers, other;
static bool ordered;
static struct tweed_task_ records[WORKERS][RECORDS];
static struct tweed__entry entries[TASKS];
static struct tweed__group_state group_states[TWEED__CHUNK];
static tweed_group groups[TASKS];
static char given[TASKS], left_by[TASKS], made[TASKS]; /* only touched */
static _Atomic uint32_t locked;
static const char *const *program;
static int in[TASKS], from[TASKS]; /* in whose group each task is, or who submits it; -1 */
static int touches;

static struct {
    MODEL_MARK(unsigned char) spawned[TASKS], begun[TASKS], done[TASKS];
    MODEL_MARK(unsigned char) used; /* entries */
    MODEL_MARK(bool) locked, drained;
    MODEL_MARK(unsigned char) helpers_left, callers_left;
    /* Of the loop: bodies that are begun, and over; what they wait for. */
    MODEL_MARK(unsigned char) bodies, bodies_over, awaited;
} now;

/* ---- what is played ---- */

#ifndef GENMC
static bool is_free(void *arg)
{
    (void)arg;
    return !now.locked;
}

static void lock(void)
{
    model_await(is_free, NULL);
    now.locked = true;
    fetch_and_acq_rel(&locked, 1); /* with unlock() */
}

static int try_lock(void)
{
    if (now.locked)
        return 1;
    lock();
    return 0;
}

static void unlock(void)
{
    fetch_add_release(&locked, 0);
    now.locked = false;
}

static void *new_entry(void)
{
    model_assert(now.used < TASKS);
    return &entries[now.used++];
}
#endif

/* Where a thief begins; or whether it goes for the queue first, or for others' deques. */
static uint32_t drawn(uint32_t n)
{
    if (ordered)
        return 0;
    return n > WORKERS ? (n - 1) * (uint32_t)model_choose(2) : (uint32_t)model_choose((int)n);
}

bool tweed__arena_begin(struct tweed__arena *r)
{
    return r->base; /* there it is */
}

bool tweed__arena_grow(struct tweed__arena *r)
{
    (void)r;
    return false;
}

void tweed__arena_clean(struct tweed__arena *r)
{
    (void)r;
}

/* What is not set here is not used. */
void tweed__part_init(struct tweed__part *p, struct tweed__worker *w,
                      const struct tweed__body *body)
{
    memset(p, 0, sizeof *p);
    p->team = &team;
    p->worker = w;
    p->index = w->index;
    p->slot = -1;
    p->body = body;
    p->outer = tweed__self.here;
}

tweed_pool *tweed__pool_or_default(tweed_pool *p)
{
    return p;
}

struct tweed__team *tweed__pool_start_late(tweed_pool *p)
{
    (void)p;
    return &team;
}

bool tweed__pool_is_closing(tweed_pool *p)
{
    (void)p;
    return false;
}

void tweed__pool_serve(tweed_pool *p, struct tweed__team *t)
{
    (void)p, (void)t;
}

bool tweed__loop_enter_slotless(tweed_pool *p, struct tweed__team *t)
{
    (void)p, (void)t;
    return true;
}

void tweed__loop_leave(struct tweed__team *t, int slot)
{
    (void)t, (void)slot;
}

/* ---- the loop ---- */

static bool is_done(void *arg)
{
    return mark_of(now.done[(intptr_t)arg]) > 0;
}

/* One of the two bodies, if it is left. */
static bool run_body(void)
{
    if (mark_of(now.bodies) == 2)
        return false;
    mark_one_more(now.bodies);
    model_await(is_done, (void *)(intptr_t)mark_of(now.awaited));
    mark_one_more(now.bodies_over);
    return true;
}

/* As lib/loop/slot.c: a slot that is pinned, and live, is looked at. */
bool tweed__work_help_if(struct tweed__worker *w, unsigned k, int ancestor,
                         bool (*may)(const void *), const void *arg)
{
    (void)w, (void)k, (void)ancestor;
    return load_seq_cst(&team.active) && (!may || may(arg)) && run_body();
}

bool tweed__work_look(struct tweed__worker *w)
{
    return tweed__work_help_if(w, 0, -1, NULL, NULL);
}

static bool bodies_are_over(void *arg)
{
    (void)arg;
    return mark_of(now.bodies_over) == 2;
}

static void run_loop(int in_task, int awaited)
{
    struct tweed__group_state *f = group_state_of(&groups[in[in_task]], &team);

    mark(now.bodies, 0);
    mark(now.bodies_over, 0);
    mark(now.awaited, (unsigned char)awaited);
    /* as describe(); 0: the group was synced, and is no more */
    store_relaxed(&team.slots[0].of_group, f ? where_of_group(f) : 0);
    fetch_or_seq_cst(&team.active, 1); /* as announce() */
    tweed__sleep_announce(&team.sleep, 1, UINT32_MAX, &worker[0].tally);
    while (run_body())
        ;
    model_await(bodies_are_over, NULL);
    fetch_and_seq_cst(&team.active, 0);
}

void tweed__range_show(struct tweed__range *r)
{
    (void)r;
    model_assert(false);
}

static void touch(char *what, bool writes)
{
    if (touches == 1)
        model_touch(what, writes);
}

static void touch_family(const struct tweed__group_state *f, bool writes)
{
    if (touches == 2 && f->index)
        model_touch(&made[f->index], writes);
}

/* It is written once. */
static struct tweed__group_state *new_and_written(struct tweed__team *t, unsigned flags)
{
    struct tweed__group_state *f = tweed__state_new(t, flags);

    model_assert(f && f->index < TASKS);
    if (load_relaxed(&f->uses) == 1)
        touch_family(f, true);
    return f;
}

static struct tweed__group_state *is_read(struct tweed__group_state *f)
{
    touch_family(f, false);
    return f;
}

/* ---- tasks ---- */

static void run_task(int task);

static int call(void *arg)
{
    run_task((int)(intptr_t)arg);
    return 0;
}

static void spawn(int task, int whose)
{
    int code;

    touch(&given[task], true);
    mark(now.spawned[task], 1);
    code = tweed_group_spawn(&groups[whose], call, (void *)(intptr_t)task);
    model_assert(code == TWEED_OK);
}

static void sync_own(int task)
{
    int code = tweed_group_sync(&groups[task]);

    model_assert(code == TWEED_OK);
    for (int i = 1; i < TASKS && program[i]; i++)
        if (in[i] == task && mark_of(now.spawned[i])) {
            model_assert(mark_of(now.done[i]));
            touch(&left_by[i], false);
        }
}

static void submit_task(int task)
{
    int code;

    touch(&given[task], true);
    code = tweed_pool_submit(&pool, call, (void *)(intptr_t)task);
    model_assert(code == TWEED_OK || code == TWEED_ECLOSED);
    if (code == TWEED_OK)
        mark(now.spawned[task], 1);
}

/* Whoever has submitted some, or has closed the pool, finds these over. */
static void drain(int task, bool closed)
{
    bool accepted[TASKS];
    int code;

    for (int i = 0; i < TASKS; i++)
        accepted[i] = from[i] >= 0 && mark_of(now.spawned[i]);
    code = tweed_pool_drain(&pool);
    model_assert(code == TWEED_OK);
    for (int i = 0; i < TASKS; i++)
        if (accepted[i] && (from[i] == task || closed)) {
            model_assert(mark_of(now.done[i]));
            touch(&left_by[i], false);
        }
    if (closed)
        mark(now.drained, true);
}

static bool has_begun(void *arg)
{
    return mark_of(now.begun[(intptr_t)arg]) > 0;
}

static void run_task(int task)
{
    unsigned char before = mark_one_more(now.begun[task]);
    bool closed = false;

    model_assert(before == 0);
    model_assert(from[task] < 0 || !mark_of(now.drained));
    touch(&given[task], false);
    for (const char *step = program[task]; *step; step++)
        switch (*step) {
        case '-': sync_own(task); break;
        case '^': spawn(*++step - 'a', in[task]); break;
        case '!': submit_task(*++step - 'a'); break;
        case '#':
            (void)tweed_pool_close(&pool);
            closed = true;
            break;
        case '.': drain(task, closed); break;
        case '@': run_loop(task, *++step - 'a'); break;
        case '=': model_await(is_done, (void *)(intptr_t)(*++step - 'a')); break;
        default:
            if (*step >= 'a')
                spawn(*step - 'a', task);
            else
                model_await(has_begun, (void *)(intptr_t)(*step - 'A'));
        }
    touch(&left_by[task], true);
    mark_one_more(now.done[task]);
}

/* ---- threads ---- */

static bool callers_have_left(void *arg)
{
    (void)arg;
    return mark_of(now.callers_left) == (other > 0);
}

static bool helpers_have_left(void *arg)
{
    (void)arg;
    return mark_of(now.helpers_left) == helpers;
}

static void start(void *arg)
{
    (void)arg;
    set_me(0);
    run_task(0);
    model_await(callers_have_left, NULL);
    store_release(&team.stop, 1); /* as tweed__team_end() */
    tweed__sleep_announce(&team.sleep, INT_MAX, UINT32_MAX, &worker[0].tally);
    model_await(helpers_have_left, NULL);
}

static void start_other(void *arg)
{
    (void)arg;
    set_me(WORKERS);
    run_task(other);
    mark_one_more(now.callers_left);
}

static void help_out(void *arg)
{
    struct tweed__worker *w = arg;

    set_me(w->index);
    (void)tweed__thread_main(w);
    mark_one_more(now.helpers_left);
}

static void verify(void)
{
    for (int i = 0; i < TASKS && program[i]; i++) {
        bool begins = i == 0 || i == other || mark_of(now.spawned[i]);

        model_assert(mark_of(now.begun[i]) == begins && mark_of(now.done[i]) == begins);
        model_assert(load_relaxed(word_of(&groups[i])) == 0);
    }
    model_assert(load_relaxed(&team.sleep.waiters) == 0);
    model_assert(load_relaxed(&team.queue.count) == 0);
    model_assert(load_relaxed(&team.guest) == 0);
    model_assert(!tweed__state_any(&team));
}

/* ---- the setup ---- */

static void name_worker(int i, int room, bool guess)
{
    static const char *const names[WORKERS][3] = { { "top 0", "word 0", "copied 0" },
                                                   { "top 1", "word 1", "copied 1" },
                                                   { "top 2", "word 2", "copied 2" },
                                                   { "top 3", "word 3", "copied 3" } };
    struct tweed__worker *w = workers[i] = &worker[i];
    struct tweed__deque *d = &w->jobs;

    w->team = &team;
    w->index = i;
    w->job_memory = (struct tweed__arena){ records[i], (uint32_t)room, (uint32_t)room, 1 };
    d->records = records[i];
    if (i == 0 && other)
        model_place(&d->top, sizeof d->top, names[i][0]);
    else
        model_own(&d->top, sizeof d->top);
    model_place(&d->word, sizeof d->word, names[i][1]);
    model_place(&d->copied, sizeof d->copied, names[i][2]);
    model_memory(&w->spare, sizeof w->spare);
    model_memory(&w->first, sizeof w->first);
    store_relaxed(&w->split, TWEED__WHOLE);
    model_place(&w->split, sizeof w->split, "split");
    model_memory(&w->num_spare, sizeof w->num_spare);
    model_figure(&w->tally.tasks_spawned);
    for (int k = 0; k < room; k++) {
        struct tweed__job *job = job_in(&records[i][k]);

        if (guess)
            model_place(&job->of_group, sizeof job->of_group, "group");
        else
            model_own(&job->of_group, sizeof job->of_group);
    }
}

static void name_family(struct tweed__group_state *f)
{
    model_place(&f->flight, sizeof f->flight, "flight");
    model_place(&f->queued, sizeof f->queued, "queued");
    model_figure(&f->code);
    model_figure(&f->skips);
    model_memory(f, sizeof *f);
}

static void name_families(int n)
{
    struct tweed__group_states *fs = &team.group_states;

    fs->chunks[0] = group_states;
    model_figure(&fs->chunks[0]);
    model_own(&fs->used, sizeof fs->used);
    model_memory(&fs->spare, sizeof fs->spare);
    name_family(&fs->submitted);
    model_figure(&fs->submitted.uses);
    model_figure(&fs->submitted.inside);
    fs->submitted.slot = -1;
    for (int i = 1; i <= n; i++) {
        group_states[i].index = (uint32_t)i;
        if (touches == 2)
            model_plain(&made[i], 1, "group");
        name_family(&group_states[i]);
        model_place(&group_states[i].uses, sizeof group_states[i].uses, "uses");
        model_place(&group_states[i].inside, sizeof group_states[i].inside, "inside");
    }
}

static void name_team(void)
{
    struct tweed__queue *c = &team.queue;

    model_place(&team.sleep.event, sizeof team.sleep.event, "event");
    model_place(&team.sleep.waiters, sizeof team.sleep.waiters, "waiters");
    model_place(&team.sleep.waiting, sizeof team.sleep.waiting, "waiting");
    model_place(&team.waking, sizeof team.waking, "waking");
    model_place(&team.has_jobs, sizeof team.has_jobs, "has_jobs");
    model_place(&team.stop, sizeof team.stop, "stop");
    model_place(&c->count, sizeof c->count, "count");
    model_place(&locked, sizeof locked, "lock");
    if (other)
        model_place(&team.guest, sizeof team.guest, "guest");
    else
        model_own(&team.guest, sizeof team.guest);
    model_memory(&c->first, (size_t)((char *)&c->lock - (char *)&c->first));
    model_place(&team.active, sizeof team.active, "active");
    model_place(&team.slots[0].of_group, sizeof team.slots[0].of_group, "group of the loop");
    model_figure(&team.slots[0].uses);
    model_figure(&team.slots[0].parent);
    model_figure(&team.slots[0].publisher);
    team.slots[0].parent = -1;
    model_figure(&team.watched);
    model_figure(&team.leaving);
    model_figure(&tweed__awake[0].threads);
    model_figure(&tweed__awake_parts);
    model_figure(&pool.mark);
    model_figure(&pool.closing);
    model_figure(&pool.team);
}

static void name_tasks(void)
{
    for (int i = 0; i < TASKS; i++)
        in[i] = from[i] = -1;
    in[other] = other ? 0 : -1;
    for (int i = 0; i < TASKS && program[i]; i++) {
        for (const char *step = program[i]; *step; step++)
            if (*step == '=' || *step == '@')
                step++;
            else if (*step == '^')
                in[*++step - 'a'] = in[i];
            else if (*step == '!')
                from[*++step - 'a'] = i;
            else if (*step >= 'a')
                in[*step - 'a'] = i;
        groups[i].pool = &pool;
        model_place(word_of(&groups[i]), sizeof groups[i].family_, "group");
        model_figure(code_of(&groups[i]));
        model_own(&entries[i].job.of_group, sizeof entries[i].job.of_group);
        if (touches == 1) {
            model_plain(&given[i], 1, "given");
            model_plain(&left_by[i], 1, "left by");
        }
    }
}

static void set_up_team(void)
{
    helpers = MODEL_NUMBER(helpers, 1);
    model_assert(helpers < WORKERS);
    team.num_workers = helpers + 1;
    team.number = 1;
    team.workers = workers;
    team.num_groups = 1;
    team.groups = &group;
    team.nearness = nearness;
    group.end = helpers + 1;
    pool.mark = TWEED__POOL_MARK;
    pool.team = &team;
    tweed__queue_begin(&team);
}

void model_setup(void)
{
    int number = MODEL_NUMBER(program, 0), room = MODEL_NUMBER(room, 2);
    bool guess = MODEL_NUMBER(guess, 0);

    model_assert(number < (int)(sizeof programs / sizeof *programs) && room <= RECORDS);
    program = programs[number];
    other = MODEL_NUMBER(caller, 0);
    ordered = MODEL_NUMBER(order, 0);
    job_wakes = MODEL_NUMBER(wakes, 1);
    touches = MODEL_NUMBER(touch, 0);
    set_up_team();
    name_team();
    name_tasks();
    name_families(2);
    for (int i = 0; i <= helpers; i++)
        name_worker(i, room, guess);
    model_memory(records, sizeof records);
    model_memory(entries, sizeof entries);
    model_memory(selves, sizeof selves);
    model_memory(&now, sizeof now);
    model_self(&me, sizeof me);
    model_thread(start, NULL, false);
    for (int i = 1; i <= helpers; i++)
        model_thread(help_out, &worker[i], false);
    if (other)
        model_thread(start_other, NULL, false);
    model_verify(verify);
}

/*
 * deque.c - one deque of tasks: its owner, and thieves.
 *
 * SPDX-License-Identifier: MIT
 *
 *   script=0     what the owner does, see scripts[]: + spawns a task, - joins the last,
 *                m moves the deque, which is empty, to higher places or back
 *   thieves=1
 *   looks=0      how often each looks; 0: until the owner is done
 *   exchange=0   1: the exchange mode instead of the asymmetric one: the owner publishes
 *                all that it spawns
 *   publish=0    1: so it does in the asymmetric mode, half of what it has
 *   ask=0        1: the same, but only when a thief asks
 *   sleep=0      1: the thief is about to sleep: it looks once more, and if it finds
 *                nothing it has to be woken
 *   touch=0      1: the records are checked for races
 *
 * Each task is executed once, and by a thief as its owner has written it; at the end the
 * deque is as it was at first.
 */
#include "model.h"

_Atomic uint64_t tweed__fence_ns;
#include "../../lib/range/deque.c"

#define RECORDS 4
#define TASKS 8
#define THIEVES 4

static const char *const scripts[] = {
    /* 0 */ "+-",
    /* 1 */ "++--",
    /* 2 */ "+-+-",
    /* 3 */ "+++---",
    /* 4 */ "++-+--",
    /* 5 */ "+-++--",
    /* 6 */ "+++--+--",
    /* 7 */ "++--++--",
    /* 8 */ "+++---+++---",
    /* 9 */ "+-m+-m",
    /* 10 */ "m++--m+-",
};

static struct tweed__deque deque;
static struct tweed__tally tally;
static char record[RECORDS];
static _Atomic uint32_t state[RECORDS]; /* 1: a thief is done with it */
static _Atomic uint32_t waits;
static const char *script;
static int thieves, looks, exchange, asks, sleeps;
static bool touches;

/* What has happened, and by whom is of no importance. */
static struct {
    MODEL_MARK(unsigned char) task[RECORDS]; /* which one lies there */
    MODEL_MARK(unsigned char) times[TASKS];
    MODEL_MARK(bool) woken, over;
    MODEL_MARK(unsigned char) left; /* thieves */
} now;

/* The first record has the place 0 or RECORDS. */
static uint32_t index_of(uint32_t place)
{
    model_assert(place < 2 * RECORDS);
    return place % RECORDS;
}

static void touch(uint32_t at, bool writes)
{
    if (touches)
        model_touch(&record[index_of(at)], writes);
}

static void execute(uint32_t at)
{
    unsigned char before;

    touch(at, false); /* arguments */
    before = mark_one_more(now.times[mark_of(now.task[index_of(at)])]);
    model_assert(before == 0);
}

/* ---- the owner, as lib/task/fork.c ---- */

#define GIB ((uintptr_t)1 << 30) /* above all places */

/* The record with that place; it is only named. */
static struct tweed_task_ *record_at(uint32_t place)
{
    return (struct tweed_task_ *)(((uintptr_t)place << TWEED_PLACE_SHIFT_) | GIB);
}

static struct tweed_deque_ *its(void)
{
    return (struct tweed_deque_ *)(void *)&deque;
}

void tweed_task_spawn_slow_(struct tweed_deque_ *d)
{
    (void)d;
    if (asks)
        (void)exchange_seq_cst(&deque.ceiling, UINT32_MAX);
    (void)tweed__deque_publish(&deque, exchange);
    if (sleeps && load_seq_cst(&waits))
        mark(now.woken, true);
}

static void spawn(uint32_t at, unsigned char task)
{
    touch(at, true);
    mark(now.task[index_of(at)], task);
    tweed_spawned_(its(), record_at(at));
}

static bool is_executed(void *arg)
{
    return mark_of(now.woken) || mark_of(now.times[(uintptr_t)arg]);
}

static void wait_for_thief(uint32_t at)
{
    store_release(&deque.top, tweed_low_(record_at(at + 1)));
    /* acquire: with what the thief did */
    MODEL_SPIN_UNTIL(load_acquire(&state[index_of(at)]));
    store_relaxed(&deque.top, tweed_low_(record_at(at)));
    tweed__deque_joined(&deque, at);
    touch(at, false); /* its result */
    store_relaxed(&state[index_of(at)], 0);
}

static void join(uint32_t at)
{
    if (tweed_is_private_(its(), record_at(at)) ||
        tweed__deque_pop(&deque, at, exchange))
        execute(at);
    else
        wait_for_thief(at);
}

static bool thieves_have_left(void *arg)
{
    (void)arg;
    return mark_of(now.left) == thieves;
}

static void owner(void *arg)
{
    uint32_t top = deque_top(&deque);
    unsigned char task = 0;

    (void)arg;
    for (int i = 0; script[i]; i++)
        if (script[i] == '+') {
            spawn(top++, task++);
            if (sleeps)
                model_await(is_executed, (void *)(uintptr_t)(task - 1));
        } else if (script[i] == '-') {
            join(--top);
        } else {
            top = top ? 0 : RECORDS;
            tweed__deque_begin(&deque, tweed_low_(record_at(top)));
        }
    mark(now.over, true);
    /* a heavy fence is to reach it, too */
    model_await(thieves_have_left, NULL);
}

/* ---- the thieves ---- */

static bool is_woken(void *arg)
{
    (void)arg;
    return mark_of(now.woken);
}

static enum tweed__loot look(int me)
{
    enum tweed__loot loot;
    uint32_t at = 0;

    if (asks) /* as ask() in fork.c */
        (void)exchange_seq_cst(&deque.ceiling, 0);
    if (asks && sleeps) /* as ask_all() */
        (void)tweed__fence_heavy();
    loot = tweed__deque_steal(&deque, me, exchange ? -1 : 0, &tally, &at);
    if (loot == TWEED__LOOT) {
        execute(at);
        touch(at, true); /* its result */
        store_release(&state[index_of(at)], 1);
    }
    return loot;
}

static void sleep_unless_found(int me)
{
    enum tweed__loot loot;

    fetch_or_seq_cst(&waits, 1);
    do
        loot = look(me);
    while (loot == TWEED__RETRY);
    if (loot != TWEED__LOOT)
        model_await(is_woken, NULL);
}

static void look_often(int me)
{
    for (int n = 0; looks ? n < looks && !model_knows(mark_of(now.over))
                          : !mark_of(now.over);
         n += looks > 0)
        (void)look(me);
}

static void thief(void *arg)
{
    int me = (int)(intptr_t)arg;

    if (sleeps)
        sleep_unless_found(me);
    else
        look_often(me);
    mark_one_more(now.left);
}

static void verify(void)
{
    int tasks = 0;

    for (int i = 0; script[i]; i++)
        tasks += script[i] == '+';
    for (int i = 0; i < tasks; i++)
        model_assert(mark_of(now.times[i]) == 1);
    model_assert(load_relaxed(&deque.top) == tweed_low_(record_at(0)));
    model_assert(load_relaxed(&deque.word) == 0);
}

void model_setup(void)
{
    int number = MODEL_NUMBER(script, 0);

    thieves = MODEL_NUMBER(thieves, 1);
    model_assert(number < (int)(sizeof scripts / sizeof *scripts));
    script = scripts[number];
    looks = MODEL_NUMBER(looks, 0);
    exchange = MODEL_NUMBER(exchange, 0);
    asks = MODEL_NUMBER(ask, 0);
    sleeps = MODEL_NUMBER(sleep, 0);
    touches = MODEL_NUMBER(touch, 0);
    tweed__deque_begin(&deque, tweed_low_(record_at(0)));
    store_relaxed(&deque.ceiling, exchange || MODEL_NUMBER(publish, 0) ? 0 : UINT32_MAX);
    model_figure(&deque.first);
    model_place(&deque.top, sizeof deque.top, "top");
    model_figure(&tweed__fence_ns);
    model_place(&deque.word, sizeof deque.word, "word");
    if (asks)
        model_place(&deque.ceiling, sizeof deque.ceiling, "ceiling");
    else
        model_figure(&deque.ceiling);
    if (sleeps)
        model_place(&waits, sizeof waits, "waits");
    for (int i = 0; i < RECORDS; i++) {
        model_place(&state[i], sizeof state[i], "state");
        if (touches)
            model_plain(&record[i], sizeof record[i], "record");
    }
    model_memory(&now, sizeof now);
    model_thread(owner, NULL, false);
    for (int i = 1; i <= thieves; i++)
        model_thread(thief, (void *)(intptr_t)i, false);
    model_verify(verify);
}

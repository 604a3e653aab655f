/*
 * copies.c - one deque whose thieves copy records out: its owner, and thieves.
 *
 * SPDX-License-Identifier: MIT
 *
 *   script=0     what the owner does, see scripts[]: + pushes a job, - takes the last one,
 *                s takes the first, as thieves do; r rewinds; at the end it takes all
 *   room=2       records; where they are used up the owner rewinds
 *   owners=1     2: two, in turn, each with the script
 *   thieves=1
 *   looks=1      how often each looks; 0: until the owner is done
 *   most=1       so many records a thief takes at once, at most
 *   share=1      and one of so many that are public
 *   peek=0       1: a thief looks what the first one is before it takes it
 *   sleep=0      1: thieves are about to sleep: each looks once more, and if it finds
 *                nothing it has to be woken; for as many jobs as there are thieves
 *
 * Each job is executed once, as its owner has written it.  Records are checked for races.
 * What an owner and a thief do is that of push(), pop(), make_room(), tidy() and
 * steal_from() in lib/task/jobs.c.
 */
#include "model.h"

#include "../../lib/range/deque.h"

static void move(const struct tweed__job *to, const struct tweed__job *from);
#define job_copy(to, from) move(to, from)
_Atomic uint64_t tweed__fence_ns;
#include "../../lib/range/deque.c"

#define RECORDS 4
#define JOBS 8
#define THIEVES 4

static const char *const scripts[] = {
    /* 0 */ "++",
    /* 1 */ "+++",
    /* 2 */ "++-+",
    /* 3 */ "+-+-",
    /* 4 */ "++++",
    /* 5 */ "+r+",
    /* 6 */ "++r-+",
    /* 7 */ "++s+",
    /* 8 */ "+++r+-+",
    /* 9 */ "++++++",
};

static struct tweed_task_ records[RECORDS];
static struct tweed__deque deque = { .records = records };
static char record[RECORDS], array; /* in the place of the records, and of their address */
static _Atomic uint32_t waits, guest;
static const char *script;
static int room, owners, thieves, looks, most, share, peeks, sleeps;

static struct {
    MODEL_MARK(unsigned char) job[RECORDS]; /* which one lies there */
    MODEL_MARK(unsigned char) times[JOBS];
    MODEL_MARK(unsigned char) pushed, over, left; /* owners, thieves */
    MODEL_MARK(bool) woken;
} now;

static void execute(unsigned char job)
{
    unsigned char before = mark_one_more(now.times[job]);

    model_assert(before == 0);
}

static void move(const struct tweed__job *to, const struct tweed__job *from)
{
    ptrdiff_t t = (const struct tweed_task_ *)(const void *)to - records;
    ptrdiff_t f = (const struct tweed_task_ *)(const void *)from - records;

    model_touch(&record[f], false);
    model_touch(&record[t], true);
    mark(now.job[t], mark_of(now.job[f]));
}

/* ---- the owner ---- */

/* Rewinds; what is not in use is given back to the system if that is worth it. */
static bool rewind_and(bool tidy)
{
    if (!tweed__deque_rewind(&deque))
        return false;
    for (uint32_t i = deque_top(&deque); tidy && i < (uint32_t)room; i++)
        model_touch(&record[i], true);
    return true;
}

/* As tweed__jobs_tell(). */
static void tell(void)
{
    if (sleeps && load_seq_cst(&waits))
        mark(now.woken, true);
}

static void push(unsigned char job)
{
    uint32_t top = deque_top(&deque);

    if (top >= (uint32_t)room) {
        (void)rewind_and(false);
        top = deque_top(&deque);
    }
    if (top >= (uint32_t)room) { /* no memory: it is executed elsewhere */
        execute(job);
    } else {
        model_touch(&record[top], true);
        mark(now.job[top], job);
        deque_set_top(&deque, top + 1);
        (void)tweed__deque_publish(&deque, true);
    }
    tell();
}

static bool pop(void)
{
    uint32_t top = deque_top(&deque);

    if (!tweed__deque_has_any(&deque)) {
        if (top > 0)
            (void)rewind_and(true);
        return false;
    }
    deque_set_top(&deque, top - 1);
    if (!tweed__deque_pop(&deque, top - 1, true)) {
        deque_set_top(&deque, top);
        return false;
    }
    model_assert(top <= (uint32_t)room);
    model_touch(&record[top - 1], false);
    execute(mark_of(now.job[top - 1]));
    return true;
}

static bool steal(int n)
{
    unsigned char job[RECORDS];
    uint32_t at, some = tweed__deque_steal_some(&deque, (uint32_t)share, (uint32_t)n, &at);

    if (some == 0)
        return false;
    model_touch(&array, false);
    model_assert(some <= (uint32_t)n && at + some <= (uint32_t)room);
    for (uint32_t i = 0; i < some; i++) {
        model_touch(&record[at + i], false);
        job[i] = mark_of(now.job[at + i]);
    }
    tweed__deque_copied(&deque, some);
    for (uint32_t i = 0; i < some; i++)
        execute(job[i]);
    return true;
}

/* Nobody sleeps who has not been told. */
static bool is_seen_to(void *arg)
{
    (void)arg;
    return mark_of(now.woken) || mark_of(now.left) == thieves;
}

static void follow_script(void)
{
    for (int i = 0; script[i]; i++)
        switch (script[i]) {
        case '+': push(mark_one_more(now.pushed)); break;
        case '-': (void)pop(); break;
        case 's': (void)steal(1); break;
        case 'r': (void)rewind_and(false); break;
        }
    if (sleeps)
        model_await(is_seen_to, NULL);
    while (pop())
        ;
}

static void owner(void *arg)
{
    (void)arg;
    /* as become_guest() and leave_guest() in lib/task/session.c */
    if (owners > 1)
        MODEL_SPIN_UNTIL(!load_relaxed(&guest) && !exchange_seq_cst(&guest, 1));
    if (mark_of(now.over) == 0)
        model_touch(&array, true);
    follow_script();
    mark_one_more(now.over);
    if (owners > 1)
        store_release(&guest, 0);
}

/* ---- the thieves ---- */

static bool is_woken(void *arg)
{
    (void)arg;
    return mark_of(now.woken);
}

static bool look(void)
{
    if (peeks) {
        int64_t at = tweed__deque_peek(&deque);

        if (at < 0)
            return false;
        model_touch(&array, false);
        model_assert(at < room);
    }
    return steal(most);
}

static void thief(void *arg)
{
    (void)arg;
    if (sleeps) {
        fetch_or_seq_cst(&waits, 1);
        if (!look())
            model_await(is_woken, NULL);
        mark_one_more(now.left);
        return;
    }
    for (int n = 0; looks ? n < looks && !model_knows(mark_of(now.over) == owners)
                          : mark_of(now.over) < owners;
         n += looks > 0)
        (void)look();
}

static void verify(void)
{
    uint32_t top = deque_top(&deque);

    for (int i = 0; i < mark_of(now.pushed); i++)
        model_assert(mark_of(now.times[i]) == 1);
    model_assert(top <= (uint32_t)room);
    model_assert(load_relaxed(&deque.word) == pack(top, top, 0));
    model_assert(load_relaxed(&deque.copied) == top);
}

void model_setup(void)
{
    int number = MODEL_NUMBER(script, 0);

    model_assert(number < (int)(sizeof scripts / sizeof *scripts));
    script = scripts[number];
    room = MODEL_NUMBER(room, 2);
    owners = MODEL_NUMBER(owners, 1);
    thieves = MODEL_NUMBER(thieves, 1);
    looks = MODEL_NUMBER(looks, 1);
    most = MODEL_NUMBER(most, 1);
    share = MODEL_NUMBER(share, 1);
    peeks = MODEL_NUMBER(peek, 0);
    sleeps = MODEL_NUMBER(sleep, 0);
    model_assert(room <= RECORDS && most <= RECORDS && thieves <= THIEVES);
    tweed__deque_begin(&deque, 0);
    model_place(&deque.top, sizeof deque.top, "top");
    model_figure(&tweed__fence_ns);
    model_place(&deque.word, sizeof deque.word, "word");
    model_place(&deque.copied, sizeof deque.copied, "copied");
    if (sleeps)
        model_place(&waits, sizeof waits, "waits");
    if (owners > 1)
        model_place(&guest, sizeof guest, "guest");
    model_plain(&array, sizeof array, "array");
    for (int i = 0; i < room; i++)
        model_plain(&record[i], sizeof record[i], "record");
    model_memory(&now, sizeof now);
    for (int i = 0; i < owners; i++)
        model_thread(owner, NULL, false);
    for (int i = 0; i < thieves; i++)
        model_thread(thief, NULL, false);
    model_verify(verify);
}

/*
 * progress.c - how far loops are: a thread that looks at them and reports.
 *
 * SPDX-License-Identifier: MIT
 *
 * Loops and workers do nothing for a report.  While TWEED_PROGRESS=1 is set, or a pool has
 * a function to call, a thread of the library's own, the REPORTER, looks at the slots of
 * all pools ten times a second, as a dump does: the reporter pins a slot by `readers`
 * (slot.c), and sums up the ranges of the seats.  The reporter keeps a short table of the
 * loops that it has seen.
 *
 * WHICH LOOP.  A slot has one loop soon after another.  A loop is known by the publisher's
 * count of loops in the slot, which grows by one with each, and changes only while no
 * thread has the slot pinned.
 *
 * HOW FAR.  Blocks that are in no seat are taken.  A range on its way from one seat to
 * another is in neither for a moment, or in both, so the least of several glances counts.
 * A worker on its seat may have a claim that is not executed yet: one block less for each
 * worker.  A figure that was reported before is never taken back.
 *
 * WHAT IS NOT SEEN: loops inside other loops (of the pool), and the loop of a caller that
 * has got no slot.  A loop that no worker can help is published, too, while there is a
 * reporter (patience() in loop.c).
 *
 * LOCKS.  The reporter looks at the slots under the registry's lock, so no team goes away
 * meanwhile.  No function is called and nothing printed under that lock: a terminal may
 * take its time, and a program's function may run loops or create pools.  The table and
 * the bar have a lock of their own, which is taken second.
 */
#include "config.h"

#include "base/options.h"
#include "base/print.h"
#include "base/shield.h"
#include "loop/slot.h"
#include "pool/above.h"
#include "pool/here.h"
#include "pool/pool.h"
#include "range/glance.h"
#include "system/mask.h"
#include "system/system.h"
#include "view/bar.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 100000000 /* between two looks */
#define MOST 16           /* loops at a time; others are not reported */
#define GLANCES 3

/* A loop that has been seen. */
struct entry {
    bool used, live;
    struct tweed__team *team; /* to be compared only, but under the lock */
    unsigned slot;
    uint64_t number;     /* of the loop in its slot */
    tweed_pool *pool;
    tweed_progress_fn *fn; /* to be called now; NULL: none */
    void *arg;
    uint32_t told;       /* the pool's progress_id when fn was called last; 0: never */
    char name[32];
    int looks;
    uint64_t first_ns;   /* when the loop was first seen */
    tweed_progress now;
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry table[MOST]; /* under table_lock, as the next two */
static struct tweed__bar bar;
static bool shows; /* TWEED_PROGRESS=1 */

/* All under the registry's lock. */
static pthread_t reporter;
static pid_t reporter_of;    /* the process that has the reporter; 0: none */
static uint32_t reporter_id; /* each reporter has another number */
static tweed_pool *calling;  /* whose function is being called */

static bool is_there(void)
{
    return reporter_of == getpid(); /* the child of a fork() has none */
}

/* ---- looking ---- */

/* Blocks that no seat holds, of the first `blocks`, at most; *hands: how many seats may
   have a claim in hand. */
static uint32_t glance(struct tweed__team *team, unsigned k, uint32_t blocks,
                       uint32_t *hands)
{
    int publisher = load_relaxed(&team->slots[k].publisher); /* as dump.c: glances */
    uint64_t held = 0;

    *hands = 0;
    for (int w = 0; w < team->num_workers; w++) {
        struct tweed__range *r = &team->workers[w]->seats[k].range;
        struct tweed__look look = tweed__range_look(r);
        uint32_t first = look.unclaimed ? look.mid : look.low;

        *hands += w == publisher || load_relaxed(&r->inside);
        if (!look.drained && first < look.high)
            held += look.high - first;
    }
    return held < blocks ? blocks - (uint32_t)held : 0;
}

/* How many blocks have been executed, of *blocks; a loop that is cancelled has fewer. */
static uint32_t look_at(struct tweed__team *team, unsigned k, uint32_t *blocks)
{
    struct tweed__slot *slot = &team->slots[k];
    uint32_t left = tweed__end_left(&slot->remaining), done = UINT32_MAX, hands;
    uint32_t cancelled = load_relaxed(&slot->cancelled); /* a glance */

    for (int i = 0; i < GLANCES; i++) {
        uint32_t taken = glance(team, k, cancelled < *blocks ? cancelled : *blocks, &hands);

        taken = taken > hands ? taken - hands : 0;
        done = taken < done ? taken : done;
    }
    if (cancelled < *blocks)
        *blocks = cancelled; /* blocks that were given up are disposed of, too */
    else if (done < *blocks - left)
        done = *blocks - left;
    return done;
}

static struct entry *find(struct tweed__team *team, unsigned k, uint64_t number)
{
    struct entry *unused = NULL;

    for (struct entry *e = table; e < table + MOST; e++) {
        if (!e->used)
            unused = e;
        else if (e->team == team && e->slot == k && e->number == number)
            return e;
    }
    if (unused) {
        memset(unused, 0, sizeof *unused);
        unused->used = true;
        unused->team = team;
        unused->slot = k;
        unused->number = number;
        unused->first_ns = tweed__clock();
        unused->now.size = sizeof unused->now;
    }
    return unused;
}

/* A loop that is live, and pinned. */
static void see(tweed_pool *pool, struct tweed__team *team, unsigned k)
{
    struct tweed__slot *slot = &team->slots[k];
    struct tweed__worker *publisher = team->workers[load_relaxed(&slot->publisher)];
    uint32_t blocks = slot->body.blocks;
    struct entry *e = NULL;
    uint64_t n;

    if (load_relaxed(&slot->parent) == -1)
        e = find(team, k, load_relaxed(&publisher->seats[k].tally.loops));
    if (!e)
        return;
    n = body_offset(&slot->body, look_at(team, k, &blocks));
    memcpy(e->name, slot->name, sizeof e->name);
    e->live = true;
    e->looks++;
    e->pool = pool;
    e->now.total = body_offset(&slot->body, blocks);
    if (n > e->now.done)
        e->now.done = n;
    if (e->now.done > e->now.total)
        e->now.done = e->now.total;
    e->now.elapsed_ns = tweed__clock() - e->first_ns;
}

static void see_pool(tweed_pool *pool)
{
    struct tweed__team *team = load_relaxed(&pool->team); /* the mutex orders it */

    for (unsigned k = 0; team && k < TWEED__SLOTS; k++) {
        struct tweed__slot *slot = &team->slots[k];

        if (!(load_relaxed(&team->active) >> k & 1)) /* looked at again */
            continue;
        /* seq_cst, both: see PINNING in slot.c */
        fetch_add_seq_cst(&slot->readers, 1);
        if (load_seq_cst(&team->active) >> k & 1)
            see(pool, team, k);
        fetch_sub_acq_rel(&slot->readers, 1); /* release: with somebody_inside() */
    }
}

/* Which function is to be called for a loop: that of its pool, if the pool still runs. */
static void choose_call(struct entry *e)
{
    e->fn = NULL;
    if (e->looks < 2 || !tweed__registry_has(e->pool) ||
        load_relaxed(&e->pool->team) != e->team) /* the mutex orders it */
        return;
    /* a function that was not called for the loop is not called for its end alone */
    if (!e->live && e->told != e->pool->progress_id)
        return;
    e->fn = e->pool->progress;
    e->arg = e->pool->progress_arg;
    e->told = e->pool->progress_id;
}

/* Under both locks. */
static void look(void)
{
    for (struct entry *e = table; e < table + MOST; e++)
        e->live = false;
    for (tweed_pool *p = NULL; (p = tweed__registry_next(p));)
        see_pool(p);
}

static void forget_ended(void)
{
    for (struct entry *e = table; e < table + MOST; e++)
        e->used &= e->live;
}

/* ---- reporting ---- */

/* Under the registry's lock, which is given up meanwhile. */
static void call(const struct entry *seen)
{
    struct entry e = *seen;
    bool running BODY_GUARD = true;

    calling = e.pool;
    tweed__registry_unlock();
    e.now.name = e.name;
    e.now.ended = !e.live;
    call_begin();
    e.fn(&e.now, e.arg);
    call_end();
    running = false;
    tweed__registry_lock();
    calling = NULL;
}

/* Under the same lock.  A pool that is forgotten meanwhile is not called. */
static void call_all(uint32_t id)
{
    for (struct entry *e = table; e < table + MOST && id == reporter_id; e++) {
        if (!e->used)
            continue;
        choose_call(e);
        if (e->fn)
            call(e);
    }
}

/* Under the table's lock. */
static void draw_all(void)
{
    struct entry *oldest = NULL;
    int others = -1;

    for (struct entry *e = table; e < table + MOST; e++) {
        if (!e->used || e->now.elapsed_ns < TWEED__BAR_AFTER_NS)
            continue;
        if (!e->live) {
            tweed__bar_end(&bar, e->name, e->now.elapsed_ns);
            continue;
        }
        others++;
        if (!oldest || e->first_ns < oldest->first_ns)
            oldest = e;
    }
    if (oldest)
        tweed__bar_draw(&bar, oldest->name, &oldest->now, others);
}

/* Is the calling thread, which began as reporter `id`, the reporter still?  Not in the
   child of a fork() by the function that it has called. */
static bool is_it(uint32_t id)
{
    return id == reporter_id && is_there();
}

/* False: the reporter is to end, or has been replaced. */
static bool look_and_call(uint32_t id)
{
    bool goes_on;

    tweed__registry_lock();
    goes_on = is_it(id);
    if (goes_on) {
        pthread_mutex_lock(&table_lock);
        look();
        pthread_mutex_unlock(&table_lock);
        call_all(id);
        goes_on = is_it(id);
    }
    tweed__registry_unlock();
    return goes_on;
}

static void *report(void *arg)
{
    static const struct timespec pause = { 0, LOOK_NS };

    tweed__self.reports = true;
    while (look_and_call((uint32_t)(uintptr_t)arg)) {
        pthread_mutex_lock(&table_lock);
        if (shows)
            draw_all();
        forget_ended();
        pthread_mutex_unlock(&table_lock);
        if (nanosleep(&pause, NULL) != 0) /* refused by a filter: no reports */
            break;
    }
    return NULL;
}

/* Under the registry's lock: what the reporter would have said next. */
static void say_last(void)
{
    reporter_id++;
    pthread_mutex_lock(&table_lock);
    look();
    for (struct entry *e = table; e < table + MOST; e++)
        e->used &= !e->live; /* a loop that is live may go on */
    if (shows)
        draw_all();
    tweed__bar_clear(&bar);
    memset(table, 0, sizeof table);
    pthread_mutex_unlock(&table_lock);
}

/* The terminal's last line is left as it was found. */
__attribute__((destructor)) static void at_exit(void)
{
    struct shield shield = shield_up();

    tweed__registry_lock();
    if (is_there() && shows)
        say_last();
    tweed__registry_unlock();
    shield_down(shield);
}

/* ---- the reporter's life ---- */

/* For a reporter that is going to be started. */
static void make_ready(void)
{
    static pid_t lock_of;

    if (lock_of != getpid()) /* after a fork() the lock's thread may be no more */
        table_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    lock_of = getpid();
    pthread_mutex_lock(&table_lock);
    memset(table, 0, sizeof table);
    tweed__bar_init(&bar, tweed__stderr());
    shows = tweed__option(TWEED__PROGRESS)->number;
    pthread_mutex_unlock(&table_lock);
    calling = NULL; /* it may be the parent's */
    reporter_id++;
}

void tweed__progress_begin(tweed_pool *pool)
{
    sigset_t mask, before;

    if (is_there() || !load_relaxed(&pool->team) || /* the mutex orders it */
        !(pool->progress || tweed__option(TWEED__PROGRESS)->number))
        return;
    make_ready();
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    tweed__team_mask(&before, &mask);
    pthread_sigmask(SIG_SETMASK, &mask, NULL); /* inherited */
    if (pthread_create(&reporter, NULL, report, (void *)(uintptr_t)reporter_id) == 0) {
        reporter_of = getpid();
        store_relaxed(&tweed__slot_watched, 1); /* a wish: patience() in loop.c */
        (void)pthread_setname_np(reporter, "tweed-progress");
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool tweed__progress_calls(const tweed_pool *pool)
{
    return calling == pool && is_there() && !pthread_equal(pthread_self(), reporter);
}

void tweed__progress_wait(const tweed_pool *pool)
{
    static const struct timespec pause = { 0, 1000000 };

    while (tweed__progress_calls(pool)) {
        tweed__registry_unlock();
        (void)nanosleep(&pause, NULL);
        tweed__registry_lock();
    }
}

void tweed__progress_forget(tweed_pool *pool)
{
    pool->progress = NULL;
    pool->progress_id++;
    tweed__progress_wait(pool);
}

bool tweed__progress_end(pthread_t *thread)
{
    for (tweed_pool *p = NULL; (p = tweed__registry_next(p));)
        if (load_relaxed(&p->team)) /* the mutex orders it */
            return false;
    if (!is_there() || pthread_equal(pthread_self(), reporter))
        return false;
    *thread = reporter;
    reporter_of = 0;
    store_relaxed(&tweed__slot_watched, 0); /* the same */
    say_last();
    return true;
}

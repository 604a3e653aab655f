/*
 * trace.c - the events of each thread, in a ring of its own.
 *
 * SPDX-License-Identifier: MIT
 *
 * A thread gets a LANE with its first event in a trace: which thread it is, and a ring
 * that is mapped then, and filled by this thread alone.  Later events take no lock.  A
 * worker has a lane for itself.  An outside thread has the lane of its number (number.c),
 * so the next thread with that number goes on in the same lane.
 *
 * A RING keeps the newest events.  `begun` counts the events that the thread has begun to
 * write, and `done` the events that it has written:
 *
 *     thread                              reader
 *       begun <- n + 1                      done?            events before are whole
 *       words of event n                    words of event n
 *       done <- n + 1                       begun?           more than n + capacity:
 *                                                            event n is overwritten
 *
 * The stores release and the loads acquire.  A reader that reads a word of a later event
 * sees the `begun` that was stored before it.  So the reader never waits, and no thread
 * stops for the reader.
 *
 * THE END of a trace is a word that all threads look at.  A thread that has just looked
 * may write one event more, to its own ring.  That event belongs to no later trace: a
 * thread's events of a trace begin where the thread takes the lane for that trace.  A ring
 * is unmapped only by the thread that writes it, or when that thread has ended.
 */
#include "config.h"

#include "log/trace.h"
#include "base/tsan.h"
#include "system/system.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define WORDS 6
#define MOST_LANES 65535 /* a mark has 16 bits for one */

_Atomic uint32_t tweed__tracing;

struct tweed__ring {
    _Atomic uint64_t begun, done;
    uint64_t unused[6]; /* of the line */
    _Atomic uint64_t words[][WORDS];
};

/* Each is held for a moment only, but `held` while a file is written. */
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tweed__trace trace;
static struct tweed__lane **last = &trace.lanes;
static unsigned lanes_made;
static _Atomic uint32_t loops; /* marked so far */

/* The calling thread's. */
static _Thread_local struct {
    const struct tweed__who *worker; /* NULL: the thread is no pool's */
    bool calls;  /* the thread is no pool's, and in a loop */
    int number;  /* then; of number.h */
    int jobs;    /* the same, of tasks that it executes: so many in one another */
    uint32_t trace;           /* in which the thread has this lane; 0: none */
    struct tweed__lane *lane; /* NULL: there is none to be had */
} me;

void tweed__trace_worker(const struct tweed__who *who)
{
    me.worker = who;
}

void tweed__trace_hold(void)
{
    pthread_mutex_lock(&held);
}

void tweed__trace_let_go(void)
{
    pthread_mutex_unlock(&held);
}

struct tweed__trace *tweed__trace_lock(void)
{
    pthread_mutex_lock(&lock);
    return &trace;
}

void tweed__trace_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

/* ---- lanes; under the lock ---- */

const struct tweed__lane *tweed__trace_last(void)
{
    struct tweed__lane *lane = trace.lanes;

    while (lane && lane->next)
        lane = lane->next;
    return lane;
}

static size_t bytes_of(uint64_t capacity)
{
    return sizeof(struct tweed__ring) +
           (size_t)capacity * sizeof(_Atomic uint64_t[WORDS]);
}

static void unmap(struct tweed__lane *lane)
{
    if (lane->ring)
        munmap(lane->ring, bytes_of(lane->capacity));
    lane->ring = NULL;
}

/* Maps the lane's ring, in the thread that is going to write it. */
static bool map(struct tweed__lane *lane, uint64_t capacity)
{
    void *ring = mmap(NULL, bytes_of(capacity), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (ring == MAP_FAILED)
        return false;
    tweed__tsan_hide(ring, bytes_of(capacity));
    lane->ring = ring;
    lane->capacity = capacity;
    return true;
}

static struct tweed__lane *find_lane(const struct tweed__who *who)
{
    struct tweed__lane *lane = trace.lanes;

    while (lane && (lane->ended || lane->who.team != who->team ||
                    lane->who.index != who->index))
        lane = lane->next;
    return lane;
}

/* A number that no lane has, from 1 on: a new one, or that of a lane that was dropped.
   0: all are in use. */
static unsigned free_id(void)
{
    static uint64_t used[MOST_LANES / 64 + 1];
    unsigned id = 1;

    if (lanes_made < MOST_LANES)
        return ++lanes_made;
    memset(used, 0, sizeof used);
    for (const struct tweed__lane *lane = trace.lanes; lane; lane = lane->next)
        used[lane->id / 64] |= UINT64_C(1) << lane->id % 64;
    while (id <= MOST_LANES && used[id / 64] >> id % 64 & 1)
        id++;
    return id <= MOST_LANES ? id : 0;
}

static struct tweed__lane *make_lane(const struct tweed__who *who)
{
    unsigned id = free_id();
    struct tweed__lane *lane = id ? calloc(1, sizeof *lane) : NULL;

    if (lane) {
        lane->who = *who;
        lane->id = id;
        *last = lane;
        last = &lane->next;
    }
    return lane;
}

bool tweed__trace_add(const struct tweed__who *who)
{
    return find_lane(who) || make_lane(who);
}

/* Drops the lanes whose threads have ended: these belong to no trace any more. */
static void drop_ended(void)
{
    struct tweed__lane **at = &trace.lanes, *lane;

    while ((lane = *at)) {
        if (!lane->ended) {
            at = &lane->next;
            continue;
        }
        *at = lane->next;
        unmap(lane);
        free(lane);
    }
    last = at;
}

/* The lane for the calling thread's events in this trace; NULL: there is none. */
static struct tweed__lane *take_lane(uint32_t number)
{
    const struct tweed__who caller = { .index = me.number };
    const struct tweed__who *who = me.worker ? me.worker : &caller;
    struct tweed__lane *lane = find_lane(who);

    if (!lane)
        lane = make_lane(who);
    if (!lane)
        return NULL;
    if (lane->ring && lane->capacity != trace.capacity)
        unmap(lane);
    if (!lane->ring && !map(lane, trace.capacity))
        return NULL;
    if (lane->trace != number)
        lane->first = load_relaxed(&lane->ring->done); /* the lock orders it */
    lane->trace = number;
    return lane;
}

static void find_my_lane(void)
{
    int saved = errno, cancel;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_mutex_lock(&lock);
    me.lane = take_lane(trace.number);
    me.trace = trace.number;
    pthread_mutex_unlock(&lock);
    pthread_setcancelstate(cancel, NULL);
    errno = saved;
}

/* NULL: the event is not kept. */
static struct tweed__lane *my_lane(void)
{
    uint32_t number = load_relaxed(&tweed__tracing); /* see trace.h */

    /* the trace has just ended; or a thread that is in no loop ends a pool */
    if (!number || !(me.worker || me.calls || me.jobs))
        return NULL;
    if (me.trace != number)
        find_my_lane();
    if (!me.lane)
        fetch_add_relaxed(&trace.lost, 1); /* a figure */
    return me.lane;
}

/* ---- writing an event, and reading it ---- */

static void record(struct tweed__event e)
{
    struct tweed__lane *lane = my_lane();
    struct tweed__ring *r;
    _Atomic uint64_t *w;
    uint64_t n;

    if (!lane)
        return;
    r = lane->ring;
    n = load_relaxed(&r->begun); /* our own */
    w = r->words[n & (lane->capacity - 1)];
    store_relaxed(&r->begun, n + 1); /* released by each of the next */
    /* release, all: begun; pairs with tweed__lane_event() */
    store_release(&w[0], tweed__clock());
    store_release(&w[1], (uint64_t)e.kind | (uint64_t)e.phase << 8 |
                             (uint64_t)e.far << 16 | (uint64_t)e.task << 17 |
                             (uint64_t)e.domain << 18 |
                             (uint64_t)(e.worker & 0xffff) << 32 |
                             (uint64_t)(e.victim & 0xffff) << 48);
    store_release(&w[2], e.mark.loop | (uint64_t)e.mark.label << 32 |
                             (uint64_t)e.mark.caller << 48);
    store_release(&w[3], e.mark.team | (uint64_t)e.c << 32);
    store_release(&w[4], e.a);
    store_release(&w[5], e.b);
    store_release(&r->done, n + 1); /* the words; pairs with tweed__lane_span() */
}

void tweed__lane_span(const struct tweed__lane *lane, uint64_t *first,
                      uint64_t *end)
{
    *first = *end = 0;
    if (!lane->ring || lane->trace != trace.number)
        return;
    *end = load_acquire(&lane->ring->done); /* pairs with record() */
    *first = lane->first;
    if (*end - *first > lane->capacity)
        *first = *end - lane->capacity;
}

bool tweed__lane_event(const struct tweed__lane *lane, uint64_t n,
                       struct tweed__event *e)
{
    struct tweed__ring *r = lane->ring;
    uint64_t w[WORDS];

    for (int i = 0; i < WORDS; i++) /* acquire: before begun; see above */
        w[i] = load_acquire(&r->words[n & (lane->capacity - 1)][i]);
    if (load_relaxed(&r->begun) > n + lane->capacity)
        return false;
    *e = (struct tweed__event){
        .ns = w[0],
        .kind = (enum tweed__event_kind)(w[1] & 0xff),
        .phase = (enum tweed__event_phase)(w[1] >> 8 & 0xff),
        .far = w[1] >> 16 & 1,
        .task = w[1] >> 17 & 1,
        .domain = w[1] >> 18 & 1,
        .worker = (int)(w[1] >> 32 & 0xffff),
        .victim = (int16_t)(w[1] >> 48),
        .mark = { .loop = (uint32_t)w[2],
                  .label = (uint16_t)(w[2] >> 32),
                  .caller = (uint16_t)(w[2] >> 48),
                  .team = (uint32_t)w[3] },
        .c = (uint32_t)(w[3] >> 32),
        .a = w[4],
        .b = w[5],
    };
    return true;
}

/* ---- what happens ---- */

static bool is_task(const struct tweed__body *body)
{
    return body->manner & TWEED__TASKS;
}

/* A thread that is no pool's has this number.  False: it is a pool's, or has no number. */
static bool take_number(int number)
{
    if (me.worker || number < 0)
        return false;
    if (me.number != number) {
        me.number = number;
        me.trace = 0;
    }
    return true;
}

void tweed__trace_loop_begin(struct tweed__body *body, uint32_t team, int index,
                             int number, const struct tweed__body *outer)
{
    struct tweed__lane *lane;

    me.calls = take_number(number);
    lane = my_lane();
    body->mark.loop = fetch_add_relaxed(&loops, 1) + 1; /* no other loop has it */
    body->mark.team = team;
    /* worker 0 is the outside caller of the outermost loop */
    if (index == 0 && lane && !(outer && outer->mark.team == team))
        body->mark.caller = (uint16_t)lane->id;
    else if (outer && outer->mark.team == team)
        body->mark.caller = outer->mark.caller;
    record((struct tweed__event){ .kind = TRACE_LOOP,
                                  .phase = TRACE_BEGIN,
                                  .worker = index,
                                  .task = is_task(body),
                                  .mark = body->mark,
                                  .a = body->lo,
                                  .b = body->count,
                                  .c = outer ? outer->mark.loop : 0 });
}

void tweed__trace_loop_end(const struct tweed__body *body, int index,
                           uint64_t executed, bool outermost)
{
    record((struct tweed__event){ .kind = TRACE_LOOP,
                                  .phase = TRACE_END,
                                  .worker = index,
                                  .task = is_task(body),
                                  .mark = body->mark,
                                  .a = body->lo,
                                  .b = executed });
    if (outermost) /* from now on its number may become another thread's */
        me.calls = false;
}

static void record_run(const struct tweed__body *body, int worker,
                       enum tweed__event_phase phase, uint32_t first,
                       uint64_t executed)
{
    record((struct tweed__event){ .kind = TRACE_RUN,
                                  .phase = phase,
                                  .worker = worker,
                                  .task = is_task(body),
                                  .mark = body->mark,
                                  .a = body->lo + body_offset(body, first),
                                  .b = executed });
}

void tweed__trace_run_begin(const struct tweed__body *body, int worker, uint32_t first,
                            uint64_t *ns)
{
    record_run(body, worker, TRACE_BEGIN, first, 0);
    tweed__profile_run_begin(body, ns);
}

void tweed__trace_run_end(const struct tweed__body *body, int worker, uint32_t first,
                          uint64_t executed, const uint64_t *began)
{
    tweed__profile_run_end(body, worker, began, executed);
    record_run(body, worker, TRACE_END, first, executed);
}

void tweed__trace_steal(const struct tweed__body *body, int thief, int victim,
                        enum tweed__reach reach, uint32_t begin, uint32_t end)
{
    bool far = reach == TWEED__FAR;

    tweed__profile_steal(body, thief, far, body_indices(body, begin, end));
    record((struct tweed__event){ .kind = TRACE_STEAL,
                                  .phase = TRACE_AT,
                                  .worker = thief,
                                  .victim = victim,
                                  .far = far,
                                  .domain = reach <= TWEED__IN_DOMAIN,
                                  .task = is_task(body),
                                  .mark = body->mark,
                                  .a = body->lo + body_offset(body, begin),
                                  .b = body_indices(body, begin, end),
                                  .c = end - begin });
}

void tweed__trace_propose(const struct tweed__body *body, int thief, int victim)
{
    record((struct tweed__event){ .kind = TRACE_PROPOSE,
                                  .phase = TRACE_AT,
                                  .worker = thief,
                                  .victim = victim,
                                  .mark = body->mark });
}

void tweed__trace_join(const struct tweed__body *body, int worker,
                       enum tweed__event_phase phase, int thief)
{
    record((struct tweed__event){ .kind = TRACE_JOIN,
                                  .phase = phase,
                                  .worker = worker,
                                  .victim = thief,
                                  .task = true,
                                  .mark = body->mark });
}

void tweed__trace_job(uint32_t team, int worker, int number, uint32_t group,
                      enum tweed__event_phase phase)
{
    if (phase == TRACE_BEGIN)
        me.jobs += take_number(number);
    record((struct tweed__event){ .kind = TRACE_JOB,
                                  .phase = phase,
                                  .worker = worker,
                                  .task = true,
                                  .mark.team = team,
                                  .a = group });
    if (phase == TRACE_END && me.jobs) /* 0: the task began before the trace */
        me.jobs--;
}

void tweed__trace_job_steal(uint32_t team, int thief, int number, int victim, bool far,
                            uint32_t n)
{
    bool calls = take_number(number);

    me.jobs += calls;
    record((struct tweed__event){ .kind = TRACE_STEAL,
                                  .phase = TRACE_AT,
                                  .worker = thief,
                                  .victim = victim,
                                  .far = far,
                                  .task = true,
                                  .mark.team = team,
                                  .c = n });
    me.jobs -= calls;
}

void tweed__trace_submit(uint32_t team, int worker, int number, uint64_t n, uint64_t queued)
{
    bool calls = take_number(number);

    me.jobs += calls;
    record((struct tweed__event){ .kind = TRACE_SUBMIT,
                                  .phase = TRACE_AT,
                                  .worker = worker,
                                  .task = true,
                                  .mark.team = team,
                                  .a = n,
                                  .b = queued });
    me.jobs -= calls;
}

void tweed__trace_idle(enum tweed__event_kind kind, enum tweed__event_phase phase)
{
    record((struct tweed__event){ .kind = kind, .phase = phase });
}

void tweed__trace_wake(int most, int woken)
{
    record((struct tweed__event){ .kind = TRACE_WAKE,
                                  .phase = TRACE_AT,
                                  .a = (uint64_t)most,
                                  .b = (uint64_t)woken });
}

/* ---- the recording ---- */

void tweed__trace_begin(uint64_t capacity)
{
    drop_ended();
    trace.number++;
    trace.number += trace.number == 0;
    trace.capacity = capacity;
    trace.began = tweed__clock();
    trace.ended = 0;
    store_relaxed(&trace.lost, 0); /* a figure */
    store_relaxed(&tweed__tracing, trace.number); /* see trace.h */
    /* any order would do, here and below: see profile.h */
    fetch_or_seq_cst(&tweed__watched, TWEED__WATCH_TRACE);
}

void tweed__trace_end(void)
{
    store_relaxed(&tweed__tracing, 0); /* as above */
    fetch_and_seq_cst(&tweed__watched, ~(uint32_t)TWEED__WATCH_TRACE);
    if (trace.number && !trace.ended)
        trace.ended = tweed__clock();
}

void tweed__trace_team_ended(uint32_t team)
{
    pthread_mutex_lock(&lock);
    for (struct tweed__lane *lane = trace.lanes; lane; lane = lane->next)
        lane->ended |= lane->who.team == team;
    pthread_mutex_unlock(&lock);
}

void tweed__trace_before_fork(void)
{
    tweed__trace_hold();
    pthread_mutex_lock(&lock);
}

void tweed__trace_after_fork(bool is_child)
{
    if (is_child) {
        tweed__trace_end();
        trace.number = 0;
    }
    pthread_mutex_unlock(&lock);
    tweed__trace_let_go();
    if (is_child)
        tweed__trace_free();
}

void tweed__trace_free(void)
{
    tweed__trace_hold();
    pthread_mutex_lock(&lock);
    for (struct tweed__lane *lane = trace.lanes; lane; lane = lane->next)
        lane->ended = true;
    drop_ended();
    pthread_mutex_unlock(&lock);
    tweed__trace_let_go();
    me.trace = 0;
}

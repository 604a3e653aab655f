/*
 * trace.h - what happened when, on which thread: probes, and events that are kept.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each place in lib/ at which something happens that a trace shows has one of the
 * TRACE_...() below.  Each is a probe for the system's tracers, where <sys/sdt.h> is
 * there, and an event of a trace, where a trace is being made.  The profile (profile.h)
 * learns of loops there, too.  None of these is on the fast path.  While there is neither
 * a trace nor a profile an event is one test of one word, and a probe is a nop.
 *
 * The events of a thread go into a ring of its own: trace.c.  tracefile.c writes them
 * as JSON; tracing.c has the public calls.
 */
#ifndef TWEED_LIB_TRACE_H
#define TWEED_LIB_TRACE_H

#include "base/atomic.h"
#include "log/profile.h"
#include "range/body.h"

#include <stdbool.h>
#include <stdint.h>

/* Is a trace being made?  0: no; else the number of the trace, which no other trace has.
   relaxed: a thread that sees it late keeps an event too few, or too many. */
extern _Atomic uint32_t tweed__tracing;

#ifdef TWEED_UNTRACED /* a checker of lib/, for which each access would be a step */
#define TRACES 0
#else
#define TRACES unlikely(load_relaxed(&tweed__watched)) /* relaxed: see profile.h */
#endif

/* ---- which thread ---- */

struct tweed__who {
    uint32_t team; /* the number of its team, from 1 on; 0: the thread is no pool's */
    int index;     /* of the worker; of other threads the number of number.h */
    int node;      /* of the worker; the system's number */
    char pool[9];
};

/* The calling thread is a worker's.  *who stays until the thread has ended. */
void tweed__trace_worker(const struct tweed__who *who);

/* ---- events ---- */

enum tweed__event_kind {
    TRACE_LOOP,  /* a call, to its return.  begin: a is lo, b how many indices, c the
                    loop that it is started in; end: b how many were executed */
    TRACE_RUN,   /* bodies.  a is the first index; end: b how many were executed */
    TRACE_SPIN,  /* the thread looks for work, or for the end of its loop */
    TRACE_SLEEP, /* the thread sleeps */
    TRACE_STEAL, /* a is the first index, b how many, c how many blocks */
    TRACE_PROPOSE,
    TRACE_WAKE,  /* a is how many may be woken, b how many were */
    TRACE_JOIN,  /* waits for a task that was stolen, or helps its thief.  begin: victim
                    is the thief, or -1 */
    TRACE_SUBMIT, /* a tasks are submitted, behind or in front of b that wait */
    TRACE_JOB    /* a task of a group, or a submitted one, is executed.  a is the number of
                    the group, 0: submitted */
};

/* How far away a victim is.  NEAREST and IN_DOMAIN: the victim shares the thief's
   last-level cache; NEAREST on a machine of one node, where no node is far. */
enum tweed__reach { TWEED__NEAREST, TWEED__IN_DOMAIN, TWEED__IN_NODE, TWEED__FAR };

enum tweed__event_phase { TRACE_BEGIN, TRACE_END, TRACE_AT };

/* What is not said is 0. */
struct tweed__event {
    uint64_t ns; /* by tweed__clock() */
    enum tweed__event_kind kind;
    enum tweed__event_phase phase;
    int worker;  /* the worker that runs bodies, or steals */
    int victim;  /* the worker that is stolen from */
    bool far;    /* the victim is of another node */
    bool domain; /* the victim is of the thief's domain */
    bool task;   /* not of a loop, but of tasks.  There are no indices */
    struct tweed__mark mark;
    uint64_t a, b;
    uint32_t c;
};

/* The body of a loop that the calling thread starts as worker `index` of a team (its
   number) gets a mark; the body has its label.  number: of number.h, for a thread that is
   no pool's. */
void tweed__trace_loop_begin(struct tweed__body *body, uint32_t team, int index,
                             int number, const struct tweed__body *outer);
void tweed__trace_loop_end(const struct tweed__body *body, int index,
                           uint64_t executed, bool outermost);

/* A run begins, from block `first` on; a run ends, of so many indices.  *ns is for the
   profile: the time of the beginning. */
void tweed__trace_run_begin(const struct tweed__body *body, int worker, uint32_t first,
                            uint64_t *ns);
void tweed__trace_run_end(const struct tweed__body *body, int worker, uint32_t first,
                          uint64_t executed, const uint64_t *began);

/* The blocks [begin, end) are the thief's. */
void tweed__trace_steal(const struct tweed__body *body, int thief, int victim,
                        enum tweed__reach reach, uint32_t begin, uint32_t end);
void tweed__trace_propose(const struct tweed__body *body, int thief, int victim);
void tweed__trace_join(const struct tweed__body *body, int worker,
                       enum tweed__event_phase phase, int thief);
/* Worker `worker` of this team executes a task of that group.  number: of number.h, for a
   thread that is no pool's; -1: the thread is a pool's. */
void tweed__trace_job(uint32_t team, int worker, int number, uint32_t group,
                      enum tweed__event_phase phase);
/* n such tasks are the thief's. */
void tweed__trace_job_steal(uint32_t team, int thief, int number, int victim, bool far,
                            uint32_t n);
/* n tasks are submitted, while `queued` lie in the queue.  worker: the thread's, 0: it is
   no pool's. */
void tweed__trace_submit(uint32_t team, int worker, int number, uint64_t n, uint64_t queued);
void tweed__trace_idle(enum tweed__event_kind kind, enum tweed__event_phase phase);
void tweed__trace_wake(int most, int woken);

/* A figure with one writer, which says what has happened (tally.h). */
#ifdef TWEED_UNTRACED
#define TRACE_FIGURE(figure) UINT64_C(0)
#else
#define TRACE_FIGURE(figure) load_relaxed(&(figure))
#endif

/* The calling thread is that worker's from now on. */
#ifdef TWEED_UNTRACED
#define TRACE_WORKER(who) ((void)(who))
#else
#define TRACE_WORKER(who) tweed__trace_worker(who)
#endif

/* ---- where it happens ---- */

/* A probe is a nop and a note, in the library's file, of where its arguments are:
   numbers that are there anyhow. */
#if defined(HAVE_SYS_SDT_H) && !defined(TWEED_UNTRACED)
#include <sys/sdt.h>
#define PROBE(name) DTRACE_PROBE(tweed, name)
#define PROBE1(name, a) DTRACE_PROBE1(tweed, name, a)
#define PROBE2(name, a, b) DTRACE_PROBE2(tweed, name, a, b)
#define PROBE3(name, a, b, c) DTRACE_PROBE3(tweed, name, a, b, c)
#define PROBE5(name, a, b, c, d, e) DTRACE_PROBE5(tweed, name, a, b, c, d, e)
#else
#define PROBE(name) ((void)0)
#define PROBE1(name, a) ((void)0)
#define PROBE2(name, a, b) ((void)0)
#define PROBE3(name, a, b, c) ((void)0)
#define PROBE5(name, a, b, c, d, e) ((void)0)
#endif

/* A probe, and an event while there is a trace or a profile.  p: a struct tweed__part. */
#define TRACE_IF(condition, probe, event)                                      \
    do {                                                                       \
        probe;                                                                 \
        if (condition)                                                         \
            event;                                                             \
    } while (0)

#define TRACE_LOOP_BEGIN(p, body)                                              \
    TRACE_IF(TRACES, PROBE3(loop_begin, (p)->name, (body)->lo, (body)->count), \
             tweed__loop_begin_trace((p), (body)))
#define TRACE_LOOP_END(p, executed, was_run)                                            \
    TRACE_IF(unlikely((p)->body->mark.label),                                  \
             PROBE3(loop_end, (p)->name, (p)->body->lo, (executed)),           \
             tweed__loop_end_trace((p), (executed), (was_run)))
#define TRACE_RUN_BEGIN(p, first)                                              \
    TRACE_IF(TRACES, (void)0,                                                  \
             tweed__trace_run_begin((p)->body, (p)->index, (first),            \
                                    &(p)->run_ns))
#define TRACE_RUN_END(p, first, executed)                                      \
    TRACE_IF(TRACES, (void)0,                                                  \
             tweed__trace_run_end((p)->body, (p)->index, (first), (executed),  \
                                  &(p)->run_ns))
#define TRACE_STEAL(p, victim, reach, begin, end)                              \
    TRACE_IF(TRACES, PROBE5(steal, (p)->index, (victim), (reach), (begin), (end)), \
             tweed__trace_steal((p)->body, (p)->index, (victim), (reach),      \
                                (begin), (end)))
#define TRACE_PROPOSE(p, victim)                                               \
    TRACE_IF(TRACES, PROBE2(propose, (p)->index, (victim)),                    \
             tweed__trace_propose((p)->body, (p)->index, (victim)))
#define TRACE_TASK_STEAL(p, victim, far)                                       \
    TRACE_IF(TRACES, PROBE3(task_steal, (p)->index, (victim), (far)),          \
             tweed__trace_steal((p)->body, (p)->index, (victim),               \
                                (far) ? TWEED__FAR : TWEED__IN_NODE, 0, 0))
/* A run ends where a join begins, and another run begins where the join ends: so tasks
   that the join helps with are in runs of their own. */
#define TRACE_JOIN_BEGIN(p, thief)                                             \
    do {                                                                       \
        TRACE_RUN_END(p, 0, 0);                                                \
        TRACE_IF(TRACES, PROBE2(join, (p)->index, (thief)),                    \
                 tweed__trace_join((p)->body, (p)->index, TRACE_BEGIN, (thief))); \
    } while (0)
#define TRACE_JOIN_END(p)                                                      \
    do {                                                                       \
        TRACE_IF(TRACES, PROBE1(joined, (p)->index),                           \
                 tweed__trace_join((p)->body, (p)->index, TRACE_END, -1));     \
        TRACE_RUN_BEGIN(p, 0);                                                 \
    } while (0)
#define TRACE_SPIN_BEGIN()                                                     \
    TRACE_IF(TRACES, (void)0, tweed__trace_idle(TRACE_SPIN, TRACE_BEGIN))
#define TRACE_SPIN_END()                                                       \
    TRACE_IF(TRACES, (void)0, tweed__trace_idle(TRACE_SPIN, TRACE_END))
#define TRACE_SLEEP_BEGIN()                                                    \
    TRACE_IF(TRACES, PROBE(sleep), tweed__trace_idle(TRACE_SLEEP, TRACE_BEGIN))
#define TRACE_SLEEP_END()                                                      \
    TRACE_IF(TRACES, PROBE(awake), tweed__trace_idle(TRACE_SLEEP, TRACE_END))
#define TRACE_WAKE(most, woken)                                                \
    TRACE_IF(TRACES, PROBE2(wake, (most), (woken)),                            \
             tweed__trace_wake((most), (woken)))

/* ---- the recording, for tracing.c and tracefile.c ---- */

/* A thread's ring, and which thread it is. */
struct tweed__lane {
    struct tweed__who who;
    unsigned id;        /* no other lane has it; from 1 on */
    bool ended;         /* its thread has ended, and no other shall get the lane */
    struct tweed__lane *next; /* in the order in which lanes were made */
    /* Below: written by the thread alone, under the lock when it takes the lane. */
    uint32_t trace;     /* of which the events are */
    uint64_t first;     /* the event at which that trace begins */
    uint64_t capacity;  /* a power of two */
    struct tweed__ring *ring;
};

struct tweed__trace {
    uint32_t number;    /* of the trace; 0: there was none yet */
    uint64_t began, ended; /* ns; ended 0: the trace is being made */
    uint64_t capacity;  /* events of each ring */
    struct tweed__lane *lanes;
    _Atomic uint64_t lost; /* events for which there was no ring */
};

/* Holds the trace: until it is let go no trace begins, and no lane or ring goes away.  A
   file may be written meanwhile.  Comes before the lock, and after the registry's. */
void tweed__trace_hold(void);
void tweed__trace_let_go(void);

/* The recording; under the lock, and so is all that follows. */
struct tweed__trace *tweed__trace_lock(void);
void tweed__trace_unlock(void);

/* The last lane; later lanes are put behind it. */
const struct tweed__lane *tweed__trace_last(void);

/* How many events a ring has of which so many are asked for. */
static inline uint64_t trace_capacity(uint64_t events)
{
    uint64_t capacity = 256;

    while (capacity < events)
        capacity *= 2;
    return capacity;
}

/* Begins a trace, which is held: what was recorded is gone.  Ends it: nothing is recorded
   any more. */
void tweed__trace_begin(uint64_t capacity);
void tweed__trace_end(void);

/* Gives the worker a lane, though the worker may never do anything.  False: no memory. */
bool tweed__trace_add(const struct tweed__who *who);

/* A lane's events of this trace: those from *first to before *end are there. */
void tweed__lane_span(const struct tweed__lane *lane, uint64_t *first,
                      uint64_t *end);

/* Reads event n of the lane; held, but not under the lock.  False: it was overwritten
   meanwhile. */
bool tweed__lane_event(const struct tweed__lane *lane, uint64_t n,
                       struct tweed__event *event);

/* Not under the lock: the threads of this team have ended. */
void tweed__trace_team_ended(uint32_t team);

/* Around a fork(), outside of the lock; the child has nothing of what was recorded. */
void tweed__trace_before_fork(void);
void tweed__trace_after_fork(bool is_child);

/* Frees all that was recorded: no thread is in a loop, and no team is there. */
void tweed__trace_free(void);

#endif

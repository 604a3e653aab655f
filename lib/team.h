/*
 * team.h - the running part of a pool: its workers, their seats, its slots.
 *
 * SPDX-License-Identifier: MIT
 *
 * A pool (pool.c) is a handle; its team is what runs.  A team belongs to one
 * process: the child of a fork() starts a team of its own.
 *
 *     team ---- slots[0..63]             one loop each: descriptor, remaining
 *       |
 *       +------ workers[0..n-1]          one mapping each, on the worker's node
 *                 +-- seats[0..63]       its place in the loop of each slot
 *
 * Worker 0 is any caller from outside; it has no thread of the team's.
 */
#ifndef TWEED_LIB_TEAM_H
#define TWEED_LIB_TEAM_H

#include "cursor.h"
#include "deal.h"
#include "deque.h"
#include "place.h"
#include "plan.h"
#include "records.h"
#include "sleep.h"
#include "tally.h"
#include "trace.h"

#include <pthread.h>
#include <stdbool.h>

#define TWEED__SLOTS 64
#define TWEED__ELSEWHERE (-2) /* of slots: in another pool */
#define TWEED__ENDING (UINT32_C(1) << 31) /* of leaving */

/* What a team is started with: tweed_pool_options with every default filled in. */
struct tweed__settings {
    int num_workers; /* 0: as many as suit the machine */
    int most_workers; /* no more than that; 0: any number */
    int bind, fence;
    uint64_t spin_ns, seed;
    size_t stack_bytes; /* 0: the system's default */
    char name[9];
    char *cpus; /* a list (cpus.h), the pool's own; NULL: all */
    tweed_worker_fn *on_start, *on_end; /* NULL: none */
    void *hook_arg;
};

struct tweed__team;

struct tweed__seat {
    struct tweed__range range;                      /* two lines of its own */
    alignas(TWEED__LINE) struct tweed__tally tally; /* of the thread that sits here */
    struct tweed__early early; /* of the thread that has left: what it knew of an early end */
    struct tweed__deque deque; /* tasks of the thread, in a slot that is open for tasks */
};

struct tweed__slot {
    /* Written by the publisher before the slot is live, constant while it is;
       read by those inside. */
    alignas(TWEED__LINE) struct tweed__body body;
    char name[32];
    struct tweed__window window;
    bool crowded; /* its blocks are counted by crowds: crowd.c */
    _Atomic int publisher; /* the seat of the caller; 0: from outside */
    /* The slot of the loop in one of whose bodies this loop was started, in this
       pool; TWEED__ELSEWHERE: in a body of another pool's loop; -1: in no body. */
    _Atomic int parent;
    /* The family in one of whose tasks this loop was started, if that is nearer than
       parent, which is then negative; 0: none: family.h. */
    _Atomic uint64_t family;
    _Atomic uint32_t uses; /* loops that have had the slot */
    _Atomic uint32_t cut; /* no block from this one on is to be begun any more */
    /* Groups of workers: one of the group may have been inside since a publisher last
       found the slot empty: slot.c. */
    _Atomic uint64_t visited;
    _Atomic uint32_t joins; /* masks of workers that sleep in joins of its tasks: fork.c */

    /* 1: some caller has it; from before publishing until after the end. */
    alignas(TWEED__LINE) _Atomic uint32_t taken;
    _Atomic uint32_t readers; /* dumps that look at the slot: they pin it, too */
    /* Wakes still to be passed on to workers that sleep. */
    _Atomic int wakes_owed;

    /* Blocks not yet disposed of (sleep.h); the futex of its caller. */
    alignas(TWEED__LINE) _Atomic uint32_t remaining;

    /* Of the tasks of an outside caller, which sits on seat 0. */
    struct tweed__records records;
};

/* What the tasks of a group have in common: family.c.  Its memory remains a family's while
   the team lives. */
struct tweed__family {
    /* Changed all the time. */
    alignas(TWEED__LINE) _Atomic uint64_t flight; /* how many tasks; masks of the threads
                                                     that wait for their end: family.h */
    _Atomic uint32_t queued; /* how many of its tasks are in the common queue: a glance */
    /* In the common queue, under its lock. */
    struct tweed__entry *first, *last;  /* its tasks there */
    struct tweed__family *before, *next; /* other families that have tasks there; next: the
                                            next spare family, of one that is spare */
    /* Read with each task, and seldom changed: a line of its own. */
    alignas(TWEED__LINE / 2) _Atomic uint64_t inside;  /* of what: a tweed__where */
    _Atomic uint32_t uses;    /* groups that have had the family */
    uint32_t index;           /* its number; constant */
    _Atomic int code;         /* that of the first task that failed; 0: none has */
    int16_t slot;             /* of the nearest loop that the family is inside of; -1: none */
    uint8_t flags;            /* TWEED_GROUP_... */
    _Atomic uint8_t skips;    /* 1: tasks that have not begun are not executed */
};

/* Tasks that no worker has spawned, and some that their spawner may not execute now:
   common.c. */
struct tweed__common {
    alignas(TWEED__LINE) _Atomic uint64_t count; /* of the tasks there */
    struct tweed__family *first, *last;
    struct tweed__entry *spare; /* entries that may be used again */
    uint32_t num_spare;
    pthread_mutex_t lock;
};

#define TWEED__CHUNK 256 /* families that are allocated together */

struct tweed__families {
    _Atomic(struct tweed__family *) chunks[512];
    _Atomic uint32_t used; /* families that were ever given out; under the queue's lock */
    struct tweed__family *spare; /* families of groups that are over; under the same lock */
    struct tweed__family submitted; /* that of submitted tasks: number 0 */
    _Atomic uint64_t dropped;
};

/* What the workers of a node have together, on lines that no other workers write, in
   memory of that node: crowd.h. */
struct tweed__crowd {
    alignas(TWEED__LINE) _Atomic uint32_t looking; /* workers that spin: sleep.c */
    _Atomic uint32_t asleep; /* threads that are counted as asleep: crowd.c */
    struct {
        alignas(TWEED__LINE) _Atomic uint64_t held; /* crowd.c */
    } counts[TWEED__SLOTS];
};

struct tweed__worker {
    struct tweed__team *team;
    struct tweed__crowd *crowd; /* of its node; NULL: all workers are on one */
    struct tweed__who who; /* to a trace */
    int index;     /* 0 .. team->num_workers - 1 */
    int group;     /* its node's place in team->groups */
    int node;      /* its node, the system's number */
    struct tweed__span domain; /* the workers that share its last-level cache */
    _Atomic int cpu; /* where the worker is planned, or was moved to */
    pthread_t thread;
    uint64_t seed; /* its thread's random state, to begin with */
    unsigned turn; /* the slot whose static loop is next */
    unsigned helped; /* how many loops, static ones apart */
    /* Its own, up to `first`: no other worker looks at these. */
    struct tweed__records records; /* memory of its tasks */
    struct tweed__deque *deque; /* the innermost deque that lies there; NULL: none */
    struct tweed__records job_memory; /* memory of its jobs */
    struct tweed__family *spare; /* families that the worker has freed */
    int num_spare;
    uint64_t took; /* when the worker last took jobs from elsewhere */
    struct tweed__family *first; /* the family of the first jobs in its deque */
    _Atomic uint32_t split; /* from there on jobs of other families may lie in its deque;
                               WHOLE: there are none */
    struct tweed__deque jobs; /* tasks of groups, and submitted ones: jobs.c */
    alignas(TWEED__LINE) struct tweed__tally tally; /* of what the worker does outside
                                                       of slots */
    struct tweed__seat seats[TWEED__SLOTS];
};

struct tweed__team {
    /* Constant while loops run. */
    int num_workers; /* worker 0 and the threads */
    uint32_t number; /* no other team has it; from 1 on */
    bool asymmetric;
    int fence_error; /* why not asymmetric: an errno; 0: it was not wanted */
    uint64_t spin_ns;
    int64_t capacity; /* thousandths of a CPU that the process may use */
    bool synthetic;   /* the machine is made up */
    int bind;         /* TWEED_BIND_...: how the threads are bound */
    tweed_worker_fn *on_start, *on_end; /* what its threads call; NULL: nothing */
    void *hook_arg;
    struct tweed__places *places; /* NULL: not to be moved */
    int num_groups;
    enum tweed__reach nearest; /* how far away the workers of a domain are */
    struct tweed__group *groups;
    struct tweed__crowd **crowds; /* of each group; NULL: one node, or no memory */
    int num_crowds;
    int *nearness; /* row g: all groups, g itself first, then the nearest ones */
    bool is_uneven;   /* there is `before`, or there are crowds: shares are dealt with care */
    uint32_t *before; /* [w]: what the workers before w can do; [num_workers]: what all can
                         do; NULL: all workers can do the same */
    struct tweed__worker **workers;

    _Atomic uint32_t stop; /* 1: threads shall end */
    /* All written under the registry's lock. */
    _Atomic uint32_t served; /* 1: of one worker, with a runner (runner.c), if one can be had */
    _Atomic uint32_t has_runner; /* 1: the runner is there */
    pthread_t runner;
    /* Callers that run a loop without a slot. */
    alignas(TWEED__LINE) _Atomic uint32_t slotless;
    struct tweed__sleep sleep;
    /* A bit for each slot that is live, that is, has a loop to join. */
    alignas(TWEED__LINE) _Atomic uint64_t active;
    _Atomic uint64_t fixed; /* of these, static ones: slot.c */
    /* Of jobs: tasks of groups, and submitted ones. */
    alignas(TWEED__LINE) _Atomic uint32_t has_jobs; /* 1: there were some, at any time */
    _Atomic uint32_t waking;  /* 1: workers were woken for jobs, and none has looked yet */
    _Atomic uint32_t watched; /* callers that wait for a condition of theirs */
    /* Written by each call from outside. */
    /* How many outside callers are in a call about tasks (spawn, sync, submit, ...): so
       long the team does not end.  And ENDING: a thread that ends the team waits for
       them, on this futex. */
    alignas(TWEED__LINE) _Atomic uint32_t leaving;
    _Atomic uintptr_t guest; /* the outside caller that has the jobs' deque of worker 0: its
                                TWEED__THREAD_ID; 0: none has */
    struct tweed__common common;
    struct tweed__families families;
    struct tweed__slot slots[TWEED__SLOTS];
    /* Heavy fences of threads that are about to sleep: fence.c. */
    alignas(TWEED__LINE) _Atomic uint32_t fence_wanted; /* how many were asked for */
    _Atomic uint32_t fence_done; /* of these, how many are over */
    _Atomic uint32_t fencing;    /* 1: a thread is in one */
};

/* A thread's part in a loop: where it is and what it walks with.  One chain a
   thread, innermost first. */
struct tweed__part {
    struct tweed__walker walker; /* first: the body's cursor is its address */
    struct tweed__team *team;    /* NULL: of none, the loop runs serially */
    struct tweed__worker *worker;
    int index, node;
    int slot;                    /* -1: in none */
    const struct tweed__body *body;
    const char *name;            /* the caller's: what it was given */
    int limit;
    const uint32_t *ends; /* the caller's, by weight: the block at which each share
                             ends, the loop's from its first on; NULL: all alike */
    uint64_t family; /* that of the task which the thread executes: a tweed__where; 0: none */
    struct tweed__part *outer;
    uint64_t loop_ns, run_ns; /* the ledger's: when the call and the run began */
};

static inline _Atomic uint32_t *looking_of(const struct tweed__worker *w)
{
    return w->crowd ? &w->crowd->looking : NULL;
}

static inline struct tweed__slot *slot_of(const struct tweed__part *p)
{
    return &p->team->slots[p->slot];
}

/* A thread's own things.  Reached once a loop, not once an index. */
struct tweed__self {
    struct tweed__part *here;     /* the loop whose body runs; NULL: none */
    struct tweed__worker *worker; /* of a pool's thread; NULL: an outside thread */
    uint64_t seed;
    unsigned slot;                /* the slot that the thread used last */
    int number;                   /* 1 + that of number.h; 0: it has none */
    int calls;                    /* how many functions of the program, which are no bodies,
                                     the thread is in: called.h */
    bool reports;                 /* the thread calls programs' functions to tell them of
                                     progress: other threads wait for such a call */
    bool locks;                   /* the thread has the lock of all pools */
    void (*woken)(struct tweed__team *team); /* set: the thread was woken for a job, and has
                                                not looked yet; if it does something else it
                                                calls this, which wakes another thread */
    unsigned quiet;               /* spawns that have left the waking to others: jobs.c */
    struct tweed__wait *dozes;    /* the wait in which the thread has said that it sleeps;
                                     NULL: it has not */
};
/* glibc keeps room in each thread's first block for libraries that are loaded later: then no
   call is needed for the address. */
#ifdef TWEED__TLS /* the explorer's */
#elif defined __GLIBC__
#define TWEED__TLS __attribute__((tls_model("initial-exec"))) _Thread_local
#else
#define TWEED__TLS _Thread_local
#endif
extern TWEED__TLS struct tweed__self tweed__self;

/* What tells the calling thread from all others.  (t/sim has one tweed__self for many.) */
#ifndef TWEED__THREAD_ID
#define TWEED__THREAD_ID ((uintptr_t)&tweed__self)
#endif

/* A part in the loop of this body, in no slot yet; w is NULL if there is no team. */
void tweed__part_init(struct tweed__part *p, struct tweed__worker *w,
                      const struct tweed__body *body);

/* Starts a team: finds the machine, binds, names and starts the threads.  Fewer
   threads or less memory than asked for gives fewer workers.  NULL: not even
   memory for one.  One thread at a time. */
struct tweed__team *tweed__team_start(const struct tweed__settings *settings);

/* Gives a team of one worker a thread that executes tasks (runner.c), if the system has
   one.  One thread at a time, as above. */
void tweed__team_serve(struct tweed__team *team, const struct tweed__settings *settings);

/* Ends the threads and frees everything.  No loop may be running. */
void tweed__team_end(struct tweed__team *team);

/* Frees what a fork() has left of a team in the child: there are no threads. */
void tweed__team_free(struct tweed__team *team);

/* Threads that sleep on the event are woken by 32 bits.  Workers that look for work have
   16 of these, threads that wait for something of their own 15, and threads that wait for
   a condition one: wait.c.  Workers 16 apart share a bit: to wake some of many workers
   takes more wakes, see wakes(). */
#define TWEED__WAKE_BITS 16
#define TWEED__WAKE_WORKERS ((UINT32_C(1) << TWEED__WAKE_BITS) - 1)
#define TWEED__WAKE_UNTIL (UINT32_C(1) << 31)

static inline uint32_t wake_mask(int index)
{
    return UINT32_C(1) << index % TWEED__WAKE_BITS;
}

static inline uint32_t wait_mask(int index)
{
    return UINT32_C(1) << (TWEED__WAKE_BITS + index % 15);
}

/* The mask of all workers of a window but the worker `but`, which is in it. */
static inline uint32_t wake_mask_of(const struct tweed__team *t,
                                    struct tweed__window w, int but)
{
    uint32_t mask = 0;

    if (w.open || w.count >= TWEED__WAKE_BITS)
        return TWEED__WAKE_WORKERS;
    for (int p = 0; p < w.count; p++)
        mask |= wake_mask(window_seat(w, t->num_workers, p));
    /* workers that share the bit of `but` are left out, too: else `but` might be woken */
    return mask & ~wake_mask(but);
}

/* How many to wake so that n of the window should wake: workers that share their
   bits may wake in their place (and if all of those do, the loop has fewer helpers). */
static inline int wakes(const struct tweed__team *t, struct tweed__window w,
                        int n)
{
    return !w.open && t->num_workers > w.count + 1
               ? n * ((t->num_workers + TWEED__WAKE_BITS - 1) / TWEED__WAKE_BITS)
               : n;
}

/* How many outside callers have loops that are live.  A worker that is the caller of an
   inner loop does not count, and an outside caller counts with its outermost loop. */
static inline int64_t team_callers(struct tweed__team *t)
{
    int64_t callers = 0;

    /* relaxed, all: a judgement, not an agreement */
    for (uint64_t live = load_relaxed(&t->active); live; live &= live - 1) {
        struct tweed__slot *slot = &t->slots[__builtin_ctzll(live)];

        callers += load_relaxed(&slot->publisher) == 0 &&
                   load_relaxed(&slot->parent) < 0;
    }
    return callers;
}

/* Is there a CPU for each thread that runs? */
static inline bool team_has_cpus(struct tweed__team *t)
{
    int64_t running = team_callers(t);

    running = (running ? running : 1) + load_relaxed(&tweed__awake); /* the same */
    return running * 1000 <= t->capacity;
}

/* How long to spin now. */
static inline uint64_t team_spin_ns(struct tweed__team *t)
{
    return team_has_cpus(t) ? t->spin_ns : 0;
}

#endif

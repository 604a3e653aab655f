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

#include "base/self.h"
#include "log/trace.h"
#include "pool/affinity.h"
#include "pool/sleep.h"
#include "pool/worker.h"
#include "range/arena.h"
#include "range/cursor.h"
#include "range/deal.h"
#include "range/deque.h"
#include "range/tally.h"
#include "system/plan.h"

#include <pthread.h>
#include <stdbool.h>
#include <tweed.h>

#define TWEED__ENDING (UINT32_C(1) << 31) /* of leaving */
/* Before these have been measured. */
#define TWEED__SHARE_NS 1000
#define TWEED__SHARE_ASLEEP_NS 3000

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

struct tweed__team {
    /* Constant while loops run. */
    int num_workers; /* worker 0 and the threads */
    uint32_t number; /* no other team has it; from 1 on */
    bool asymmetric;       /* the fence mode of tasks: thieves pay */
    bool asymmetric_loops; /* the same, of ranges */
    int fence_error; /* why not asymmetric: an errno; 0: it was not wanted */
    uint64_t spin_ns;
    int64_t capacity; /* thousandths of a CPU that the process may use */
    bool synthetic;   /* the machine is made up */
    int bind;         /* TWEED_BIND_...: how the threads are bound */
    tweed_worker_fn *on_start, *on_end; /* what its threads call; NULL: nothing */
    void *hook_arg;
    struct tweed__affinity *affinity; /* NULL: not to be moved */
    int num_groups;
    enum tweed__reach nearest; /* how far away the workers of a domain are */
    struct tweed__group *groups;
    struct tweed__node_counts **node_counts; /* of each group; NULL: one node; no memory */
    int num_node_counts;
    int *nearness; /* row g: all groups, g itself first, then the nearest ones */
    bool is_uneven;   /* there is `before`, or node_counts: deal_arranged() deals */
    uint32_t *before; /* [w]: what the workers before w can do; [num_workers]: what all can
                         do; NULL: all workers can do the same */
    struct tweed__worker **workers;

    _Atomic uint32_t stop; /* 1: threads shall end */
    /* All written under the registry's lock. */
    _Atomic uint32_t served; /* 1: a runner (runner.c) was started, if one could be had */
    _Atomic uint32_t has_runner; /* 1: the runner is there */
    pthread_t runner;
    /* Callers that run a loop without a slot. */
    alignas(TWEED__LINE) _Atomic uint32_t slotless;
    struct tweed__sleep sleep;
    /* What it costs to share a short loop, where other workers look for work, and where
       they are asleep; the time of loops that were walked alone; the times of loops that
       were shared, in units of their time alone: loop/gain.h. */
    alignas(TWEED__LINE) _Atomic uint32_t share_ns;
    _Atomic uint32_t share_asleep_ns;
    _Atomic uint64_t alone_ns, gained;
    _Atomic uint32_t trial_loops; /* of a trial, still to come */
    _Atomic uint32_t check_loops; /* of a check */
    _Atomic uint32_t doublings;   /* of the time until the next trial */
    /* A bit for each slot that is live, that is, has a loop to join. */
    alignas(TWEED__LINE) _Atomic uint64_t active;
    _Atomic uint64_t fixed; /* of these, static ones: work.c */
    /* Of jobs: tasks of groups, and submitted ones. */
    alignas(TWEED__LINE) _Atomic uint32_t has_jobs; /* 1: there were some, at any time */
    _Atomic uint32_t waking;  /* 1: workers were woken for jobs, and none has looked yet */
    _Atomic uint32_t watched; /* callers that wait for a condition of theirs */
    /* Written by each call from outside. */
    /* How many outside callers are in a call about tasks (spawn, sync, submit, ...): so
       long the team does not end.  And ENDING: a thread that ends the team waits for
       them, on this futex. */
    alignas(TWEED__LINE) _Atomic uint32_t leaving;
    _Atomic uintptr_t guest; /* the outside caller that has the jobs' deque of worker 0:
                                its TWEED__THREAD_ID; 0: none has */
    struct tweed__queue queue;
    struct tweed__group_states group_states;
    struct tweed__slot slots[TWEED__SLOTS];
};

static inline struct tweed__slot *slot_of(const struct tweed__part *p)
{
    return &p->team->slots[p->slot];
}

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

/* How many workers to wake so that n of the window should wake.  Workers that share a bit
   with these may wake in their place; if all do, the loop has fewer helpers. */
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

    running = (running ? running : 1) + awake_all();
    return running * 1000 <= t->capacity;
}

/* How long to spin now. */
static inline uint64_t team_spin_ns(struct tweed__team *t)
{
    return t->spin_ns && team_has_cpus(t) ? t->spin_ns : 0;
}

static inline tweed__where where_of_slot(struct tweed__team *team, int k)
{
    /* relaxed: constant while the loop lives; else a guess */
    return (uint64_t)load_relaxed(&team->slots[k].uses) << 32 | UINT32_C(1) << 31 |
           (uint32_t)k;
}

static inline bool where_is_slot(tweed__where it)
{
    return it >> 31 & 1;
}

/* The number of the slot. */
static inline uint32_t where_number(tweed__where it)
{
    return (uint32_t)it & ((UINT32_C(1) << 31) - 1);
}

static inline tweed__where where_of_group(struct tweed__group_state *f)
{
    /* relaxed: constant while the group lives; else a guess */
    return (uint64_t)load_relaxed(&f->uses) << 32 | (f->index + 1);
}

/* ---- what a worker's thread does ---- */

/* The life of a thread; arg is its struct tweed__worker.  Returns when the team
   stops. */
void *tweed__thread_main(void *arg);

/* Calls a hook of the program's, or NULL, for that worker. */
void tweed__thread_hook(const struct tweed__team *team, int index, tweed_worker_fn *hook);

#endif

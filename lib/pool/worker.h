/*
 * worker.h - a worker, what those of a node have together, and its part in a loop.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_WORKER_H
#define TWEED_LIB_WORKER_H

#include "log/trace.h"
#include "pool/sleep.h"
#include "pool/slots.h"
#include "pool/tasks.h"
#include "system/plan.h"

/* A value of split in struct tweed__worker. */
#define TWEED__WHOLE UINT32_MAX

struct tweed__team;

/* What the workers of a node have together, on lines that no other workers write, in
   memory of that node: counts.h. */
struct tweed__node_counts {
    alignas(TWEED__LINE) _Atomic uint32_t looking; /* workers that spin or yield: sleep.c */
    _Atomic uint32_t asleep; /* threads that are counted as asleep: counts.c */
    struct {
        alignas(TWEED__LINE) _Atomic uint64_t held; /* counts.c */
    } slots[TWEED__SLOTS];
};

struct tweed__worker {
    struct tweed__team *team;
    struct tweed__node_counts *counts; /* of its node; NULL: all workers are on one */
    struct tweed__who who; /* its name in a trace */
    int index;     /* 0 .. team->num_workers - 1 */
    int group;     /* its node's place in team->groups */
    int node;      /* its node, the system's number */
    struct tweed__span domain; /* the workers that share its last-level cache */
    _Atomic int cpu; /* where the worker is planned, or was moved to */
    pthread_t thread;
    uint64_t seed; /* its thread's random state, to begin with */
    unsigned turn; /* the slot whose static loop is next */
    unsigned helped; /* how many loops, static ones apart */
    unsigned last;   /* the slot whose loop the worker has helped last */
    /* Up to `first` no other worker looks at these. */
    struct tweed__arena arena; /* memory of its tasks */
    struct tweed__deque *deque; /* the innermost deque that lies there; NULL: none */
    struct tweed__arena job_memory; /* memory of its jobs */
    struct tweed__group_state *spare; /* groups that the worker has freed */
    int num_spare;
    uint64_t took; /* when the worker last took jobs from elsewhere */
    struct tweed__group_state *first; /* the group of the first jobs in its deque */
    _Atomic uint32_t split; /* from there on jobs of other groups may lie in its deque;
                               WHOLE: there are none */
    struct tweed__deque jobs; /* tasks of groups, and submitted ones: jobs.c */
    alignas(TWEED__LINE) struct tweed__tally tally; /* of what the worker does outside
                                                       of slots */
    struct tweed__seat seats[TWEED__SLOTS];
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
    uint64_t of_group; /* a tweed__where: whose task the thread executes; 0: of none */
    struct tweed__part *outer;
    /* The caller's, of a sample (gain.h): of what, whether in a trial, what the loop would take
       alone, and when the loop began; NULL: it is none. */
    _Atomic uint32_t *sampled;
    bool is_trial;
    uint64_t expected_ns, shared_ns;
    uint64_t loop_ns, run_ns; /* the profile's: when the call and the run began */
};

/* Its part of tweed__awake (sleep.h); NULL: a thread that is no worker. */
static inline int awake_part(const struct tweed__worker *w)
{
    return w ? (w->index >> TWEED__AWAKE_SHIFT) % TWEED__AWAKE_PARTS : 0;
}

static inline _Atomic uint32_t *looking_of(const struct tweed__worker *w)
{
    return w->counts ? &w->counts->looking : NULL;
}

static inline struct tweed__tally *tally_of(const struct tweed__part *p)
{
    return p->walker.owner.tally;
}

/* A part in the loop of this body, in no slot yet; w is NULL if there is no team. */
void tweed__part_init(struct tweed__part *p, struct tweed__worker *w,
                      const struct tweed__body *body);

#endif

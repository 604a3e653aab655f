/*
 * fork.h - spawned tasks: how they become public, and which workers execute them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_FORK_H
#define TWEED_LIB_FORK_H

#include "pool/team.h"
#include "range/arena.h"

/* The memory for the tasks of the part's thread, in a slot. */
struct tweed__arena *tweed__fork_memory(struct tweed__part *p);

/* d becomes the deque of the part's thread, in this memory, until tweed__fork_end().
   False: there is no memory. */
bool tweed__fork_begin(struct tweed__part *p, struct tweed__deque *d,
                       struct tweed__arena *memory);
void tweed__fork_end(struct tweed__deque *d);

/* Executes the task in t, and all that it spawns. */
void tweed__fork_root(struct tweed__deque *d, struct tweed_task_ *t);

/* The kind of a slot that is open for tasks. */
extern tweed_kind tweed__fork_kind;

/* ---- for join.c ---- */

/* The state of a record. */
#define THIEF ((UINT32_C(1) << 16) - 1) /* the thief's number + 1 */
#define DONE (UINT32_C(1) << 16)
#define RETURNED (UINT32_C(1) << 17)
#define WAITING (UINT32_C(1) << 18)
#define KEPT (UINT32_C(1) << 19) /* executed by its owner: at_once() */
#define SLEEPER_SHIFT 20         /* with WAITING: the joiner's number, above this bit */

static inline _Atomic uint32_t *state_of(struct tweed_task_ *t)
{
    return (_Atomic uint32_t *)&t->state;
}

static inline struct tweed__deque *deque_of(const struct tweed__part *p, int worker)
{
    return &p->team->workers[worker]->seats[p->slot].deque;
}

static inline bool is_asymmetric(const struct tweed__part *p)
{
    return !p->team || p->team->asymmetric;
}

/* The first record of the victim's deque; NULL: it has none. */
struct tweed_task_ *tweed__fork_steal(struct tweed__part *p, struct tweed__worker *victim);

/* Executes the stolen record t; d is the thief's own deque. */
void tweed__fork_execute(struct tweed__deque *d, struct tweed_task_ *t);

/* A stolen task is over (DONE), or given back (RETURNED): says so, and wakes its joiner if
   the joiner sleeps. */
void tweed__fork_give(struct tweed__deque *d, struct tweed_task_ *t, uint32_t how);

/* Asks the worker to publish records, before the last look at its deque: see SLEEPING in
   fork.c. */
void tweed__fork_ask(struct tweed__part *p, int owner);

#endif

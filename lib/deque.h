/*
 * deque.h - the deque of one worker: see deque.c for the protocol and its proof.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_DEQUE_H
#define TWEED_LIB_DEQUE_H

#include "check.h"
#include "range.h"

#include <stddef.h>
#include <string.h>
#include <tweed.h>

/* Records are counted from 0; so many may lie in one deque: 64 MiB of addresses.  Where
   there are 4 GiB of these in all it is 16 MiB, or the deques of many callers would leave
   none for stacks. */
#define TWEED__MAX_RECORDS (UINT32_C(1) << (sizeof(void *) < 8 ? 18 : 20))

#define TWEED__IN_JOIN (UINT32_C(1) << 16)

struct tweed__part;
struct tweed__records;

/* A stolen record that is executed, the innermost first; on its thief's stack. */
struct tweed__theft {
    struct tweed_task *task;
    struct tweed__theft *outer;
};

/* Its beginning is tweed_deque, which stands in programs: tweed/task.h. */
struct tweed__deque {
    /* Of the owner's line.  top: the owner's alone.  ceiling: fork.c */
    alignas(TWEED__LINE) _Atomic uint32_t top;
    _Atomic uint32_t ceiling;
    struct tweed_task *records;
    struct tweed__part *part; /* where the owner is; these are its own, too */
    struct tweed__records *memory;
    uint32_t kept; /* from here on records may have been executed by their owner already,
                      and stay public: fork.c.  UINT32_MAX: none */
    _Atomic uint32_t join; /* in which the owner is, for a dump; 0: none.  Else IN_JOIN,
                              and the thief's number + 1 if it is known */
    struct tweed__deque *outer; /* of the same thread, below in the same memory */
    struct tweed__theft *thefts; /* the stolen records that the owner executes: fork.c */
    /* limit:24 tail:24 tid:16, changed by compare-and-swap. */
    alignas(TWEED__LINE) _Atomic uint64_t word;
    _Atomic uint32_t copied; /* records below tail that their thieves have copied out */
};

#define TWEED__AS_IN_TASK_H(ours, its)                                         \
    _Static_assert(offsetof(struct tweed__deque, ours) ==                      \
                       offsetof(struct tweed_deque, its),                      \
                   "tweed/task.h has it elsewhere")
TWEED__AS_IN_TASK_H(top, top);
TWEED__AS_IN_TASK_H(ceiling, ceiling);
TWEED__AS_IN_TASK_H(records, records);
TWEED__AS_IN_TASK_H(word, word);

/* Empty.  Only while no other thread can reach the deque. */
void tweed__deque_clear(struct tweed__deque *d);

/* The owner makes records public: all, or half of those that are private.  False: all
   are. */
bool tweed__deque_publish(struct tweed__deque *d, bool all);

/* The owner takes off the last record, at top, which it has lowered to that, and leaves
   all that are below public, or half.  True: it has it.  False: a thief has it, and with
   that all records. */
bool tweed__deque_pop(struct tweed__deque *d, uint32_t top, bool all);

/* The owner takes off the last record, that a thief had and is done with. */
void tweed__deque_joined(struct tweed__deque *d, uint32_t top);

/* Is there a record that a thief might get? */
bool tweed__deque_has_any(struct tweed__deque *d);
bool tweed__deque_has_public(struct tweed__deque *d);

/* Worker `thief` takes the first record.
   TWEED__LOOT     it is the record *at
   TWEED__RETRY    somebody else was faster
   TWEED__PENDING  all are private, and another thief is about to change that
   TWEED__NOTHING  there is none (or the system has refused the heavy fence) */
enum tweed__loot tweed__deque_steal(struct tweed__deque *d, int thief, bool asymmetric,
                                    struct tweed__tally *tally, uint32_t *at);

/* A glance, for a dump: how many records lie there.  stolen: and not yet joined. */
struct tweed__deque_look {
    uint32_t stolen, shared, own;
};
struct tweed__deque_look tweed__deque_look(struct tweed__deque *d);

/* ---- records that are copied out: jobs.c ---- */

struct tweed__family;

/* A task of a group, in the place of a tweed_task. */
struct __attribute__((__may_alias__)) tweed__job {
    /* Read by thieves that do not have the record yet. */
    _Atomic(struct tweed__family *) family;
    tweed_closure_fn_ *fn;
    alignas(16) char closure[TWEED_CLOSURE_BYTES_];
};
_Static_assert(sizeof(struct tweed__job) == sizeof(struct tweed_task),
               "a job lies in the place of a task");

static inline struct tweed__job *job_in(struct tweed_task *t)
{
    return (struct tweed__job *)(void *)t;
}

static inline void job_copy(struct tweed__job *to, const struct tweed__job *from)
{
    /* release: what the family is, to a thief's guess.  relaxed: the caller's own */
    store_release(&to->family, load_relaxed(&from->family));
    to->fn = from->fn;
    memcpy(to->closure, from->closure, sizeof to->closure);
}

/* The place of the first record, if it is public; -1: none is.  It may be stolen, and
   something else there, before the caller has looked at it. */
int64_t tweed__deque_peek(struct tweed__deque *d);

/* A thief takes the first records, one of `share` that are public, but n at most, and one at
   least; how many, from *at on.  0: there is none. */
uint32_t tweed__deque_steal_some(struct tweed__deque *d, uint32_t share, uint32_t n,
                                 uint32_t *at);

/* It has copied so many. */
void tweed__deque_copied(struct tweed__deque *d, uint32_t n);

/* So many of the first places are free when that is done. */
uint32_t tweed__deque_taken(struct tweed__deque *d);

/* The owner moves what is left to the beginning, if all that was stolen was copied; all
   records are public, and stay so.  False: nothing has changed. */
bool tweed__deque_rewind(struct tweed__deque *d);

#endif

/*
 * deque.h - the deque of one worker: see deque.c for the protocol and its proof.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_DEQUE_H
#define TWEED_LIB_DEQUE_H

#include "base/check.h"
#include "range/range.h"

#include <stddef.h>
#include <string.h>
#include <tweed.h>

/* So many records may lie in one deque: 64 MiB of addresses.  It is 16 MiB where pointers
   have 32 bits: else the deques of many callers would leave no addresses for stacks. */
#define TWEED__MAX_RECORDS (UINT32_C(1) << (sizeof(void *) < 8 ? 18 : 20))

/* A record is known by its place.  The place of a task is bits of the record's address
   (tweed/task.h): the places of a deque are one more each, and begin anywhere.  Of jobs,
   which no program's code takes off, the first record has place 0. */
#define TWEED__PLACE_MASK ((UINT32_C(1) << 24) - 1)
_Static_assert(sizeof(struct tweed_task_) == 1 << TWEED_PLACE_SHIFT_, "a place is a record");

/* Of tasks in memory of an arena, the places are below this one.  So a word's tail and tid are
   less than what the address of a record's last byte has below the place, shifted as
   tweed_is_private_() does.  Where a stack has the records the places may be above: then a
   private record may look like a public one, and the library takes the record off. */
#define TWEED__MAX_PLACE (TWEED__PLACE_MASK - (TWEED__PLACE_MASK >> TWEED_PLACE_SHIFT_))
_Static_assert(TWEED__MAX_RECORDS < TWEED__MAX_PLACE, "places fit");

#define TWEED__IN_JOIN (UINT32_C(1) << 16)

struct tweed__part;
struct tweed__arena;

/* A stolen record that is executed, the innermost first; on its thief's stack. */
struct tweed__theft {
    struct tweed_task_ *task;
    struct tweed__theft *outer;
};

/* It begins as tweed_deque_ does, which stands in programs: tweed/task.h. */
struct tweed__deque {
    /* On the owner's line.  top: the owner's alone; a place, but for its shift and what is
       above.  ceiling: fork.c */
    alignas(TWEED__LINE) _Atomic uint32_t top;
    _Atomic uint32_t ceiling;
    struct tweed_task_ *records;
    /* The owner's alone, but for join. */
    struct tweed__part *part; /* the owner's part in the slot */
    struct tweed__arena *memory;
    uint32_t kept; /* records from here on may be public though their owner has executed
                      them: fork.c.  UINT32_MAX: none */
    _Atomic uint32_t join; /* for a dump: 0: the owner is in no join.  Else IN_JOIN, and
                              the thief's number + 1 if it is known */
    struct tweed__deque *outer; /* the same thread's next deque below in the same memory */
    struct tweed__theft *thefts; /* the stolen records that the owner executes: fork.c */
    /* limit:24 tail:24 tid:16 */
    alignas(TWEED__LINE) _Atomic uint64_t word;
    _Atomic uint32_t copied; /* records below tail that their thieves have copied out */
    _Atomic uint32_t first;  /* the place of the first record; for a dump */
};

#define TWEED__AS_IN_TASK_H(ours, its)                                         \
    _Static_assert(offsetof(struct tweed__deque, ours) ==                      \
                       offsetof(struct tweed_deque_, its),                     \
                   "tweed/task.h has it elsewhere")
TWEED__AS_IN_TASK_H(top, top);
TWEED__AS_IN_TASK_H(ceiling, ceiling);
TWEED__AS_IN_TASK_H(records, records);
TWEED__AS_IN_TASK_H(word, word);

static inline uint32_t record_place(uint32_t top)
{
    return top >> TWEED_PLACE_SHIFT_ & TWEED__PLACE_MASK;
}

/* The place of the first record above the top. */
static inline uint32_t deque_top(const struct tweed__deque *d)
{
    return record_place(load_relaxed(&d->top)); /* the owner's own; or a guess */
}

/* Of jobs alone. */
static inline void deque_set_top(struct tweed__deque *d, uint32_t place)
{
    store_relaxed(&d->top, place << TWEED_PLACE_SHIFT_); /* released with word */
}

/* Of tasks alone. */
static inline struct tweed_task_ *deque_record(const struct tweed__deque *d, uint32_t place)
{
    return d->records + ((place - record_place(tweed_low_(d->records))) & TWEED__PLACE_MASK);
}

/* Do n records from there on, and what lies behind them, have places that grow, and are small
   enough? */
static inline bool has_places(const struct tweed_task_ *first, uint32_t n)
{
    return record_place(tweed_low_(first)) + n < TWEED__MAX_PLACE;
}

/* The deque, which is empty, goes on with that top.  In a new one all is 0. */
void tweed__deque_begin(struct tweed__deque *d, uint32_t top);

/* The owner makes private records public: all, or half of them.  False: there are none. */
bool tweed__deque_publish(struct tweed__deque *d, bool all);

/* The owner takes off the last record, at top, and leaves the records below it public:
   all, or half of them.  The owner has lowered top before.  True: the owner has the
   record.  False: a thief has it, so all records are stolen. */
bool tweed__deque_pop(struct tweed__deque *d, uint32_t top, bool all);

/* The owner takes off the last record, which a thief had and is done with. */
void tweed__deque_joined(struct tweed__deque *d, uint32_t top);

/* Is there a record that a thief might get? */
bool tweed__deque_has_any(struct tweed__deque *d);
bool tweed__deque_has_public(struct tweed__deque *d);

/* Worker `thief` takes the first record.
   TWEED__LOOT     the thief has the record *at
   TWEED__RETRY    another thread was faster
   TWEED__PENDING  all records are private, and another thief is about to change that
   TWEED__NOTHING  there is no record (or the system has refused the heavy fence)
   fence_ns: how long to wait for another thread's heavy fence; -1: exchange mode */
enum tweed__loot tweed__deque_steal(struct tweed__deque *d, int thief, int64_t fence_ns,
                                    struct tweed__tally *tally, uint32_t *at);

/* A glance, for a dump: how many records lie there.  stolen: those not yet joined. */
struct tweed__deque_look {
    uint32_t stolen, shared, own;
};
struct tweed__deque_look tweed__deque_look(struct tweed__deque *d);

/* ---- records that are copied out: jobs.c ---- */

struct tweed__group_state;

/* A task of a group, in the place of a tweed_task_. */
struct __attribute__((__may_alias__)) tweed__job {
    /* Thieves read this before they have the record. */
    _Atomic(struct tweed__group_state *) of_group;
    tweed_closure_fn_ *fn;
    alignas(16) char closure[TWEED_CLOSURE_BYTES_];
};
_Static_assert(sizeof(struct tweed__job) == sizeof(struct tweed_task_),
               "a job lies in the place of a task");

static inline struct tweed__job *job_in(struct tweed_task_ *t)
{
    return (struct tweed__job *)(void *)t;
}

static inline void job_copy(struct tweed__job *to, const struct tweed__job *from)
{
    /* release: the group's members, to a thief's guess.  relaxed: the caller's own */
    store_release(&to->of_group, load_relaxed(&from->of_group));
    to->fn = from->fn;
    memcpy(to->closure, from->closure, sizeof to->closure);
}

/* The place of the first public record; -1: there is none.  The record may be stolen, and
   another one lie there, before the caller has looked at it. */
int64_t tweed__deque_peek(struct tweed__deque *d);

/* A thief takes the first public records, one of each `share`, but n at most, and one at
   least.  Returns how many, from *at on; 0: there was none. */
uint32_t tweed__deque_steal_some(struct tweed__deque *d, uint32_t share, uint32_t n,
                                 uint32_t *at);

/* The thief has copied n of the records that it took. */
void tweed__deque_copied(struct tweed__deque *d, uint32_t n);

/* How many records were stolen: their places are free when all are copied. */
uint32_t tweed__deque_taken(struct tweed__deque *d);

/* The owner moves the records that are left to the beginning, if all that were stolen are
   copied.  All records are public before and after.  False: nothing has moved. */
bool tweed__deque_rewind(struct tweed__deque *d);

#endif

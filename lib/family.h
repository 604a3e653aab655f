/*
 * family.h - what the tasks of one group have in common, and what is inside of what.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_FAMILY_H
#define TWEED_LIB_FAMILY_H

#include "team.h"

/* In flight: tasks that were spawned and are not over. */
#define TWEED__IN_FLIGHT ((UINT64_C(1) << 31) - 1)
#define TWEED__MASK_SHIFT 31 /* masks of threads that sleep until none is: wait_mask() */
#define TWEED__MASKS (UINT64_C(0xffffffff) << TWEED__MASK_SHIFT)
#define TWEED__CLOSED (UINT64_C(1) << 63) /* of submitted tasks: no more from outside */

/* A number that names one use of a loop's slot, or of a family; 0: of none.  When that
   use is over the number leads nowhere. */
typedef uint64_t tweed__where;

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

static inline tweed__where where_of_family(struct tweed__family *f)
{
    /* relaxed: constant while the family lives; else a guess */
    return (uint64_t)load_relaxed(&f->uses) << 32 | (f->index + 1);
}

/* A family for a new group, inside of the task or body that the calling thread is in.
   NULL: there is no memory. */
struct tweed__family *tweed__family_new(struct tweed__team *team, unsigned flags);

/* Gives back a family of which no task is in flight. */
void tweed__family_free(struct tweed__team *team, struct tweed__family *f);

/* The family of that number, in use or not; NULL: this thread does not know of it yet. */
struct tweed__family *tweed__family_at(struct tweed__team *team, uint32_t index);

/* The family or slot in whose task or body the calling thread is. */
tweed__where tweed__family_here(struct tweed__team *team);

/* Is `it` the same as `outer`, or inside of `outer`, at whatever distance?  A guess,
   unless both are in use. */
bool tweed__is_within(struct tweed__team *team, tweed__where it, tweed__where outer);

/* A job or a loop is public inside of `it`: wakes the threads that sleep until `it` is
   over, or anything that `it` is inside of. */
void tweed__family_tell(struct tweed__team *team, tweed__where it, struct tweed__tally *tally);

/* The same for what slot k, in which the calling thread is, is inside of. */
void tweed__family_tell_outer(struct tweed__team *team, int k, struct tweed__tally *tally);

/* A task of the family has returned this code. */
void tweed__family_fail(struct tweed__family *f, int code);

/* n tasks of the family are over.  If none is in flight any more, wakes the threads that
   wait for that. */
void tweed__family_return(struct tweed__team *team, struct tweed__family *f, uint64_t n,
                          struct tweed__tally *tally);

/* Is any task in flight, of any group, or submitted? */
bool tweed__family_any(struct tweed__team *team);

/* Frees the memory of all families, when the team ends. */
void tweed__family_end_all(struct tweed__team *team);

#endif

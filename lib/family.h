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
#define TWEED__MASK_SHIFT 31 /* of those who sleep until there is none: wait_mask() */
#define TWEED__MASKS (UINT64_C(0xffffffff) << TWEED__MASK_SHIFT)
#define TWEED__CLOSED (UINT64_C(1) << 63) /* of submitted tasks: none comes from outside */

/* A number for a loop's slot, or a family, that others may keep: 0 stands for none.  Of a
   family that has ended it leads nowhere. */
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

/* The slot's. */
static inline uint32_t where_number(tweed__where it)
{
    return (uint32_t)it & ((UINT32_C(1) << 31) - 1);
}

static inline tweed__where where_of_family(struct tweed__family *f)
{
    /* relaxed: constant while the family lives; else a guess */
    return (uint64_t)load_relaxed(&f->uses) << 32 | (f->index + 1);
}

/* A family for a new group, inside of what the calling thread is in.  NULL: no memory. */
struct tweed__family *tweed__family_new(struct tweed__team *team, unsigned flags);

/* No task is in flight: the family is free for another group. */
void tweed__family_free(struct tweed__team *team, struct tweed__family *f);

/* The family of that number, in use or not; NULL: one that is new to this thread. */
struct tweed__family *tweed__family_at(struct tweed__team *team, uint32_t index);

/* Where the calling thread is. */
tweed__where tweed__family_here(struct tweed__team *team);

/* Is it that, or was it begun inside of it, at whatever distance?  A guess, unless both
   are in use. */
bool tweed__is_within(struct tweed__team *team, tweed__where it, tweed__where outer);

/* Something that can be helped with is public, inside of that: those who sleep until this is
   over, or what it is inside of, shall look. */
void tweed__family_tell(struct tweed__team *team, tweed__where it, struct tweed__tally *tally);

/* The same of something in the slot that the calling thread is in, or inside of that. */
void tweed__family_tell_outer(struct tweed__team *team, int k, struct tweed__tally *tally);

/* A task has failed. */
void tweed__family_fail(struct tweed__family *f, int code);

/* n tasks of the family are over; the last one wakes those who wait for that. */
void tweed__family_return(struct tweed__team *team, struct tweed__family *f, uint64_t n,
                          struct tweed__tally *tally);

/* Is any task of any group, or submitted, in flight? */
bool tweed__family_any(struct tweed__team *team);

/* The team ends. */
void tweed__family_end_all(struct tweed__team *team);

#endif

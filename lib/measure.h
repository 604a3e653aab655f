/*
 * measure.h - what one run of a loop shows of its workers.
 *
 * SPDX-License-Identifier: MIT
 *
 * Of loops with the option shares, which have TWEED__MEASURED in their manner.  How it is
 * measured: measure.c; what is made of it: history.c.
 */
#ifndef TWEED_LIB_MEASURE_H
#define TWEED_LIB_MEASURE_H

#include "history.h"
#include "team.h"

struct tweed__measured {
    uint64_t dealt; /* indices of the worker's share */
    uint64_t mark;  /* of its tally, when they were dealt */
    _Atomic uint64_t took; /* of a static loop: ns, until its share was done; 0: at the end */
};

struct tweed__measure {
    struct tweed__past loop;
    bool learns; /* something is to be learnt from this run */
    bool timed;  /* by time; else by who has executed how much */
    int workers;
    uint64_t began; /* if it is timed: when the first share was dealt */
    uint32_t *before; /* the shares, as team->before */
    struct tweed__measured each[];
};

/* The shares of a loop of this body and name, by what is known, into before, which has
   room for one more than the team has workers.  True: they are not settled. */
bool tweed__measure_recall(struct tweed__team *team, const struct tweed__body *body,
                           const char *name, struct tweed__past *loop,
                           uint32_t *before);

/* Does a loop go by measured shares if it asks for them?  If all workers have one, and
   not all have the same. */
static inline bool measure_fits(const struct tweed__team *team,
                                const struct tweed__body *body, int limit)
{
    return team->num_workers > 1 && body->blocks > (uint32_t)team->num_workers &&
           (limit == 0 || limit >= team->num_workers);
}

/* The part is about to publish its loop; learns: it may be learnt from.  NULL: out of
   memory.  To be freed when the loop is over. */
struct tweed__measure *tweed__measure_begin(struct tweed__part *p, bool learns);

/* It deals these blocks to a seat. */
void tweed__measure_deal(struct tweed__part *p, int seat, uint32_t begin, uint32_t end);

/* A worker has executed its share of a static loop, and is not the last one.  Before it
   returns the blocks. */
void tweed__measure_time(const struct tweed__part *p);

/* All blocks of the publisher's loop have been returned, and it is live still. */
void tweed__measure_end(struct tweed__part *p);

/* What workers count in a live loop: team->before, or measured. */
static inline const uint32_t *measure_before(const struct tweed__team *team,
                                             const struct tweed__slot *slot)
{
    return unlikely(slot->body.manner & TWEED__MEASURED) ? slot->measure->before
                                                         : team->before;
}

#endif

/*
 * common.h - the common queue: tasks that lie in no worker's deque.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_COMMON_H
#define TWEED_LIB_COMMON_H

#include "family.h"

struct tweed__entry {
    struct tweed__entry *next;
    struct tweed__job job;
};

/* n > 0 entries, in a list that ends with *last.  NULL: there is no memory. */
struct tweed__entry *tweed__common_entries(struct tweed__team *team, size_t n,
                                           struct tweed__entry **last);

/* n tasks of one family, in a list that ends with `last`, behind all its tasks that are
   there, or in front of them.  From then on the entries are the queue's. */
void tweed__common_put(struct tweed__team *team, struct tweed__entry *first,
                       struct tweed__entry *last, uint32_t n, bool front);

/* A copy of the task becomes the family's last.  False: there is no memory. */
bool tweed__common_put_copy(struct tweed__team *team, const struct tweed__job *job,
                            bool front);

/* The same of n > 0 tasks of one family: they stay in their order.  front: before all that are
   there. */
bool tweed__common_put_copies(struct tweed__team *team, const struct tweed__job *jobs,
                              uint32_t n, bool front);

/* The first tasks of this family, or, NULL, of some family, n at most; how many.  Which
   family comes first is another one the next time.  waits: also while another thread is
   at it; else there may be some, and 0 is returned. */
uint32_t tweed__common_take(struct tweed__team *team, struct tweed__family *f, uint32_t n,
                            bool waits, struct tweed__job *jobs);

/* A family that has some, and is inside of that; NULL: none is. */
struct tweed__family *tweed__common_find(struct tweed__team *team, tweed__where outer);

/* How many are there, at a glance that comes after what the caller did before. */
uint64_t tweed__common_count(struct tweed__team *team);

void tweed__common_begin(struct tweed__team *team);
void tweed__common_end(struct tweed__team *team);

#endif

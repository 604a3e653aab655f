/*
 * queue.h - the submission queue: tasks that lie in no worker's deque.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_QUEUE_H
#define TWEED_LIB_QUEUE_H

#include "task/state.h"

struct tweed__entry {
    struct tweed__entry *next;
    struct tweed__job job;
};

/* n > 0 entries, in a list that ends with *last.  NULL: there is no memory. */
struct tweed__entry *tweed__queue_entries(struct tweed__team *team, size_t n,
                                           struct tweed__entry **last);

/* Puts n tasks of one group, in a list that ends with `last`, behind all tasks of the
   group that are there, or in front of them.  From then on the entries are the queue's.
   */
void tweed__queue_put(struct tweed__team *team, struct tweed__entry *first,
                       struct tweed__entry *last, uint32_t n, bool front);

/* Puts a copy of the task behind those of its group, or in front.  False: there is no
   memory. */
bool tweed__queue_put_copy(struct tweed__team *team, const struct tweed__job *job,
                            bool front);

/* The same of n > 0 tasks of one group, which stay in their order. */
bool tweed__queue_put_copies(struct tweed__team *team, const struct tweed__job *jobs,
                              uint32_t n, bool front);

/* Takes the first tasks of this group, n at most; how many.  NULL: of the group whose
   turn it is.  waits: waits for the lock; else 0 is returned while another thread has it.
   */
uint32_t tweed__queue_take(struct tweed__team *team, struct tweed__group_state *f, uint32_t n,
                            bool waits, struct tweed__job *jobs);

/* A group that has tasks in the queue, and is inside of `outer`; NULL: there is none. */
struct tweed__group_state *tweed__queue_find(struct tweed__team *team, tweed__where outer);

/* How many tasks are in the queue: a look that comes after what the caller did before. */
uint64_t tweed__queue_count(struct tweed__team *team);

#endif

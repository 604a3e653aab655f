/*
 * history.h - what earlier runs of a loop have shown of its workers, and the shares that
 * follow from it.
 *
 * SPDX-License-Identifier: MIT
 *
 * A team has one history.  So it is gone with the team: when the pool ends, and in the
 * child of a fork().
 */
#ifndef TWEED_LIB_HISTORY_H
#define TWEED_LIB_HISTORY_H

#include "atomic.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* How many loops a team remembers. */
#define TWEED__REMEMBERED 64

/* What a worker counts in the parts of a team whose workers can all do the same.  (Of
   others plan.c says what each counts.) */
#define TWEED__ALIKE UINT32_C(49152)

/* What a loop is known by. */
struct tweed__past {
    unsigned label;     /* of its name */
    uint32_t placement; /* of the workers, when it began */
    uint64_t lo, count; /* its bounds */
};

struct tweed__remembered;

struct tweed__history {
    pthread_mutex_t lock;
    uint64_t uses; /* under the lock, as the next */
    struct tweed__remembered *loops[TWEED__REMEMBERED]; /* NULL: of none */
    _Atomic uint32_t placement; /* how often workers were bound to other CPUs */
};

void tweed__history_begin(struct tweed__history *h);
void tweed__history_end(struct tweed__history *h);

/* The workers are elsewhere now, and what was known of them is not known any more. */
void tweed__history_forget(struct tweed__history *h);

/* The shares of a loop: for each worker, what all those before it count, and for all.
   plain: the same by what CPUs can do, or NULL: all workers can do the same.  before is
   equal to that if nothing else is known.  True: the shares are not settled, and what
   this run shows is to be learnt. */
bool tweed__history_recall(struct tweed__history *h, const struct tweed__past *loop,
                           const uint32_t *plain, int workers, uint32_t *before);

/* A run with the shares `before` has shown how much more, or less, than its share each
   worker could have done: speed[w] is 1 for one whose share was right.  block: which part
   of all one block is. */
void tweed__history_learn(struct tweed__history *h, const struct tweed__past *loop,
                          const uint32_t *plain, int workers, const uint32_t *before,
                          const double *speed, double block);

#endif

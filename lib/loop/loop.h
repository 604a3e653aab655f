/*
 * loop.h - a loop, and what came of it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_LOOP_H
#define TWEED_LIB_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <tweed.h>

struct tweed__end {
    uint64_t ran;  /* indices that were executed */
    int64_t index; /* the first one at which a body failed or found something; else hi */
    int code;      /* what the body returned; 0: none did */
};

/* tweed_loop_run().  place: the address of the call in the program, by which the cost of a
   body by pointer is remembered; null: the cost is not remembered.  *end is filled in if
   the loop was run, or was empty, or was not to begin any more: with TWEED_OK,
   TWEED_ESTOPPED, TWEED_ETIMEOUT. */
int tweed__loop_run(tweed_kind *kind, tweed_pool *pool,
                    const tweed_loop_options *options, int64_t lo, int64_t hi,
                    void (*fn)(void), void *arg, const void *place,
                    struct tweed__end *end);

/* The program's options, as this version has them; a code if they make no sense. */
int tweed__loop_read(tweed_loop_options *known, const tweed_loop_options *options);

struct tweed__team;
struct tweed__part;
struct tweed__body;

/* Takes a slot for the caller, or counts the caller as running without one (*slot = -1):
   in both cases the pool is busy.  False: the pool is being destroyed. */
bool tweed__loop_enter(tweed_pool *pool, struct tweed__team *team, int *slot);

/* Counts the caller as running something without a slot. */
bool tweed__loop_enter_slotless(tweed_pool *pool, struct tweed__team *team);

/* Gives back what these two have taken. */
void tweed__loop_leave(struct tweed__team *team, int slot);

/* The worker that the calling thread is in the team: its own, or worker 0. */
struct tweed__worker *tweed__loop_worker(struct tweed__team *team);

/* TRACE_LOOP_BEGIN(), before the body is copied: it gets a mark.  TRACE_LOOP_END(). */
void tweed__loop_begin_trace(struct tweed__part *p, struct tweed__body *body);
void tweed__loop_end_trace(const struct tweed__part *p, uint64_t executed, bool was_run);

/* Was the loop run, or not begun for a reason that is no mistake? */
static inline bool loop_has_end(int code)
{
    return code == TWEED_OK || code == TWEED_ESTOPPED || code == TWEED_ETIMEOUT;
}

/* Fills in the user's struct, whose size is known to be right. */
void tweed__loop_report(tweed_outcome *outcome, const struct tweed__end *end);

#endif

/*
 * wait.h - how a thread waits: the one place.
 *
 * SPDX-License-Identifier: MIT
 *
 * The order of looks, and why nobody sleeps through anything: wait.c.
 */
#ifndef TWEED_LIB_WAIT_H
#define TWEED_LIB_WAIT_H

#include "team.h"

struct tweed__wait_kind;

/* A thread that waits.  What it waits for stands behind, in a struct of the kind's own. */
struct tweed__wait {
    const struct tweed__wait_kind *kind;
    struct tweed__team *team;
    struct tweed__worker *worker; /* as this one it waits */
    struct tweed__tally *tally;
    uint32_t ticket; /* of the look that it is at */
    uint64_t since;  /* when it began to spin after what it has done last; 0: it has not */
    bool waited;     /* it has spun, or slept, since its last look */
};

/* What it waits for, and what it does meanwhile. */
struct tweed__wait_kind {
    /* Looked at between any two things that the thread does.  Acquires what ended it. */
    bool (*is_over)(struct tweed__wait *w);
    /* The same while it spins; NULL: then it only looks whether anything is announced. */
    bool (*is_over_soon)(struct tweed__wait *w);
    /* Looks for one thing to do, and does it.  It returns what the thread owes before it does
       something else, and calls wait_found() when it has found something, before it
       begins.  False: there is nothing, and the thread owes nothing. */
    bool (*help)(struct tweed__wait *w);
    /* Says that the thread sleeps, to whoever has to wake it.  False: it is over. */
    bool (*lie_down)(struct tweed__wait *w);
    /* Takes that back; NULL: that stands until it is taken back by others. */
    void (*get_up)(struct tweed__wait *w);
    /* Sleeps until it is woken by what came after the ticket. */
    void (*sleep)(struct tweed__wait *w);
    /* A worker with nothing to do: each announcement may be of work for it. */
    bool is_idle;
};

/* Returns when it is over.  All but kind and what the kind has is the caller's to set. */
void tweed__wait(struct tweed__wait *w, const struct tweed__wait_kind *kind);

/* The calling thread has found something to do, and is about to begin. */
void tweed__wait_found(struct tweed__team *team);
static inline void wait_found(struct tweed__team *team)
{
    if (unlikely(tweed__self.dozes || tweed__self.woken))
        tweed__wait_found(team);
}

/* lie_down() and get_up() of those who could execute any job, and are counted one by one. */
bool tweed__wait_lie_down(struct tweed__wait *w);
void tweed__wait_get_up(struct tweed__wait *w);

/* ---- those who sleep on the pool's event until something of their own is over ---- */

/* Counts the thread, before it says so in the word of what it waits for. */
void tweed__wait_enter(struct tweed__wait *w);
void tweed__wait_leave(struct tweed__wait *w);
void tweed__wait_on_event(struct tweed__wait *w);

/* Something became public that such threads may help with: shall the word of what they wait
   for be looked at? */
bool tweed__wait_are_some(struct tweed__team *team);

/* Wakes all of these; masks: out of such words, from which they were taken. */
void tweed__wait_call(struct tweed__team *team, uint32_t masks, struct tweed__tally *tally);

#endif

/*
 * wait.h - how a thread waits: the one place.
 *
 * SPDX-License-Identifier: MIT
 *
 * The order of looks, and why no thread sleeps through anything: wait.c.
 */
#ifndef TWEED_LIB_WAIT_H
#define TWEED_LIB_WAIT_H

#include "pool/team.h"

struct tweed__wait_kind;

/* A thread that waits.  What the thread waits for stands behind, in a struct of the kind's
   own. */
struct tweed__wait {
    const struct tweed__wait_kind *kind;
    struct tweed__team *team;
    struct tweed__worker *worker; /* the worker as which the thread waits */
    struct tweed__tally *tally;
    uint32_t ticket; /* of the thread's present look */
    uint64_t since;  /* when the thread began to spin after its last help; 0: not yet */
    bool waited;     /* the thread has spun, yielded or slept since its last look */
};

/* What a thread waits for, and what it does meanwhile. */
struct tweed__wait_kind {
    /* Has the end come?  Looked at between any two things that the thread does.  Acquires
       what made the end come. */
    bool (*is_over)(struct tweed__wait *w);
    /* The same while the thread spins; NULL: the thread then looks at the event alone. */
    bool (*is_over_soon)(struct tweed__wait *w);
    /* Looks for one thing to do, and does it.  Returns what the thread owes before the
       thread does something else; calls wait_found() between finding and beginning.
       False: there is nothing to do, and the thread owes nothing. */
    bool (*help)(struct tweed__wait *w);
    /* Says that the thread sleeps, in the word where its wakers look.  False: the end has
       come. */
    bool (*lie_down)(struct tweed__wait *w);
    /* Takes that word back; NULL: it stands until a waker takes it back. */
    void (*get_up)(struct tweed__wait *w);
    /* Sleeps until something that came after the ticket wakes the thread. */
    void (*sleep)(struct tweed__wait *w);
    /* The thread waits for any work: each announcement may be meant for it. */
    bool is_idle;
};

/* Returns when the end has come.  The caller sets team, worker and tally before. */
void tweed__wait(struct tweed__wait *w, const struct tweed__wait_kind *kind);

/* The same for so many ns at most, and without help or sleep: spins until something is
   announced; where threads do not spin, only looks.  True: the end has come. */
bool tweed__wait_briefly(struct tweed__wait *w, const struct tweed__wait_kind *kind,
                         uint64_t ns);

/* The calling thread has found something to do, and is about to begin. */
void tweed__wait_found(struct tweed__team *team);
static inline void wait_found(struct tweed__team *team)
{
    if (unlikely(tweed__self.dozes || tweed__self.woken))
        tweed__wait_found(team);
}

/* lie_down() and get_up() of threads that could execute any job, and are counted one by
   one. */
bool tweed__wait_lie_down(struct tweed__wait *w);
void tweed__wait_get_up(struct tweed__wait *w);

/* ---- threads that sleep on the pool's event until an end of their own ---- */

/* Counts the thread, before the thread says so in the word of its end. */
void tweed__wait_enter(struct tweed__wait *w);
void tweed__wait_leave(struct tweed__wait *w);
void tweed__wait_on_event(struct tweed__wait *w);

/* Do any such threads sleep?  Then a thread that has made work public looks at their
   words. */
bool tweed__wait_are_some(struct tweed__team *team);

/* Wakes all threads of these masks, which the caller has taken from their words. */
void tweed__wait_call(struct tweed__team *team, uint32_t masks, struct tweed__tally *tally);

#endif

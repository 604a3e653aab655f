/*
 * crew.h - the threads of a rank in a loop: what they take, and which fetches more.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_MPI_CREW_H
#define TWEED_MPI_CREW_H

#include "holding.h"

struct tweed__crew {
    struct tweed__ranks *ranks;
    bool direct;         /* all ranks are on one node: threads take from HELD */
    int most;            /* members at once, without the driver */
    _Atomic int members; /* members that were asked for, and have not left */
    _Atomic int turn;    /* 1: a thread of the rank is fetching */
    _Atomic int older;   /* of the two portions, on several nodes */
    bool (*ask)(void *arg); /* for one more member, which is counted already.  False: there
                               will be none */
    void *arg;
};

/* What a thread wants. */
struct tweed__demand {
    uint32_t (*wanted)(uint32_t left, const void *arg); /* how many of the blocks that are left */
    bool (*steal)(void *arg, struct tweed__blocks *b);  /* some of another rank's */
    void *arg;
};

/* The driver begins with the share of the rank. */
void tweed__crew_begin(struct tweed__crew *c, const struct tweed__blocks *share);

/* Some blocks for the calling thread.  If there are none on the rank, and threads take from
   HELD: stolen ones. */
bool tweed__crew_take(struct tweed__crew *c, const struct tweed__demand *d,
                      struct tweed__blocks *b);

/* Several nodes: the driver brings up a portion, of which threads take.  With d->steal NULL
   only of what the rank holds.  False: there is no place, or nothing to be had. */
bool tweed__crew_supply(struct tweed__crew *c, const struct tweed__demand *d);

/* Is there a place for a portion? */
bool tweed__crew_has_place(struct tweed__crew *c);

/* A member has found nothing to take.  True: it has left. */
bool tweed__crew_leave(struct tweed__crew *c);

/* Steals some blocks of one of these two ranks: of the rank that holds more, or of the
   other. */
bool tweed__crew_steal(struct tweed__crew *c, const int victim[2], struct tweed__blocks *b);

#endif

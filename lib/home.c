/*
 * home.c - which indices are executed away from the node that they were dealt to.
 *
 * SPDX-License-Identifier: MIT
 *
 * A range lies in one share, since it is one, or was cut out of one.  So a thief asks for
 * the home of its first block only, once a theft.  The answer follows from what the slot
 * says of the loop.  What the thief executes until its next theft has that home: its tally
 * tells how much that was.  Where all workers are of one group nobody asks.
 */
#include "config.h"

#include "home.h"

/* The home of a block of the part's loop. */
static int home_of(const struct tweed__part *p, uint32_t block)
{
    const struct tweed__team *team = p->team;
    const struct tweed__slot *slot = slot_of(p);
    struct tweed__deal deal = deal_of(team->before, slot->window, team->num_workers,
                                      slot->body.blocks - slot->from);
    const uint32_t *ends = slot->body.manner & TWEED__WEIGHTED ? slot->ends : NULL;
    int place;

    place = deal_place(&deal, ends, block - slot->from);
    return team->workers[window_seat(slot->window, team->num_workers, place)]->group;
}

void tweed__home_end(struct tweed__part *p)
{
    struct tweed__tally *tally = p->walker.owner.tally;
    uint64_t n = load_relaxed(&tally->indices) - p->home_mark; /* see tally.h */

    tally_add(tally, indices_away, n);
    /* relaxed: a figure.  Worker 0 is several threads */
    fetch_add_relaxed(&p->worker->brought[p->home - 1], n);
    p->home = 0;
}

void tweed__home_begin(struct tweed__part *p, uint32_t block)
{
    int home = home_of(p, block);

    if (p->home)
        tweed__home_end(p);
    if (home == p->worker->group)
        return;
    p->home = 1 + home;
    p->home_mark = load_relaxed(&p->walker.owner.tally->indices); /* see tally.h */
}

uint64_t tweed__home_taken(const struct tweed__team *team, int group)
{
    uint64_t sum = 0;

    for (int i = 0; i < team->num_workers; i++)
        sum += load_relaxed(&team->workers[i]->brought[group]); /* figures */
    return sum;
}

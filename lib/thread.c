/*
 * thread.c - what a worker's thread does: helps, or sleeps until it can.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "thread.h"
#include "slot.h"

/* Helps one live loop that has work.  False: there was none. */
static bool look_round(struct tweed__worker *w)
{
    /* where to begin differs, so that concurrent loops all get helpers.  acquire:
       a loop whose bit is seen has its slot filled in.  weaker: relaxed would do,
       since join() acquires it again */
    uint64_t live = load_acquire(&w->team->active);

    if (live & (live - 1)) { /* more than one */
        unsigned from = (unsigned)w->index * 7 % TWEED__SLOTS;
        uint64_t above = live & (UINT64_MAX << from);

        for (; above; above &= above - 1)
            if (tweed__slot_help(w, (unsigned)__builtin_ctzll(above)))
                return true;
        live &= ~(UINT64_MAX << from);
    }
    for (; live; live &= live - 1)
        if (tweed__slot_help(w, (unsigned)__builtin_ctzll(live)))
            return true;
    return false;
}

void *tweed__thread_main(void *arg)
{
    struct tweed__worker *w = arg;
    struct tweed__team *team = w->team;

    tweed__self.worker = w;
    tweed__self.seed = w->seed;
    for (;;) {
        uint32_t ticket = tweed__sleep_ticket(&team->sleep);

        /* pairs with tweed__team_end().  weaker: relaxed would do, for nothing is
           read after it */
        if (load_acquire(&team->stop))
            break;
        if (look_round(w) || tweed__sleep_spin(&team->sleep, ticket,
                                               team_spin_ns(team), &w->tally))
            continue;
        w->dozing = true; /* until it finds work: see tweed__worker_awakes() */
        tweed__sleep_enter(&team->sleep);
        if (!look_round(w))
            tweed__sleep_wait(&team->sleep, ticket, wake_mask(w->index),
                              &w->tally);
        tweed__worker_awakes(w);
    }
    fetch_sub_relaxed(&tweed__awake, 1); /* see sleep.c */
    return NULL;
}

/*
 * afresh.h - nothing that is over makes states of lib/loop/ different.
 *
 * SPDX-License-Identifier: MIT
 *
 * The explorer compares stacks byte by byte, and many bytes of them mean nothing
 * any more: what a range was that is drained, the loot before, what the clock has
 * shown, what earlier calls have left.  So lib/loop/work.c, victim.c and thread.c call
 * some functions of lib/ by way of these, which overwrite such bytes.  The library
 * writes each of them before it reads it again; should it not, it finds what does
 * harm.
 *
 * Included after what these functions are, and before those who call them.
 */
#ifndef TWEED_T_AFRESH_H
#define TWEED_T_AFRESH_H

#include "../../lib/pool/team.h"
#include "../../lib/loop/victim.h"

static enum tweed__loot steal_afresh(struct tweed__range *victim, int worker,
                                     bool asymmetric, bool insist,
                                     struct tweed__tally *tally, uint32_t *begin,
                                     uint32_t *end)
{
    enum tweed__loot loot;

    model_forget();
    loot = tweed__range_steal(victim, worker, asymmetric, insist, tally, begin,
                              end);
    if (loot < TWEED__LOOT)
        *begin = *end = 0;
    return loot;
}

static void forget_range(struct tweed__walker *w)
{
    tweed_cursor *c = &w->cursor;
    struct tweed__owner *o = &w->owner;

    c->words = NULL;
    c->seen = o->seen = UINT64_MAX;
    c->begin = c->end = o->first = 0;
    c->limit = o->limit = UINT32_MAX;
    w->walk = TWEED__RANGE;
    w->share = NULL;
    w->look_end = w->look_at = 0;
    w->look_ns = w->began_ns = w->timed_blocks = w->timed_ns = 0;
    w->own = (struct tweed_words){ 0 };
    w->body = NULL;
    if (!w->ends_early) {
        w->given_up = 0;
        w->early = (struct tweed__early){ 0 };
    }
}

static bool claim_afresh(struct tweed__owner *o)
{
    bool ready = tweed__range_claim(o);

    model_forget();
    return ready;
}

static bool look_for_loot(struct tweed__part *p, uint32_t *begin, uint32_t *end)
{
    bool found;

    *begin = *end = 0;
    forget_range(&p->walker);
    model_forget();
    found = tweed__victim_steal(p, begin, end);
    model_forget();
    return found;
}

static bool return_afresh(_Atomic uint32_t *remaining, uint32_t done,
                          struct tweed__tally *tally)
{
    forget_range(&tweed__self.here->walker);
    model_forget();
    return tweed__end_return(remaining, done, tally);
}

static uint32_t ticket_afresh(struct tweed__sleep *z)
{
    model_forget();
    return tweed__sleep_ticket(z);
}

static bool lie_down_afresh(_Atomic uint32_t *remaining)
{
    model_forget();
    return tweed__end_lie_down(remaining);
}

#define tweed__range_steal steal_afresh
#define tweed__range_claim claim_afresh
#define tweed__end_return return_afresh
#define tweed__end_lie_down lie_down_afresh
#define tweed__sleep_ticket ticket_afresh

#endif

/*
 * measure.c - what one run of a loop shows of its workers.
 *
 * SPDX-License-Identifier: MIT
 *
 * A SPEED is by how much larger than its share what a worker could have done in the same
 * time is; the mean of all, by their shares, is 1.
 *
 *  - Where ranges are stolen all workers are at work until the end.  So a worker's speed
 *    is what it has executed, of its own share and of others', to what it was dealt.  The
 *    seats' tallies have that already: the caller reads them when it deals and when all is
 *    done, and workers do nothing for it.  Nobody looks at a clock.
 *  - In a static loop each worker executes its share, and notes how long after the
 *    deal it was done; the last one need not, it is done when the loop is.  Its speed is
 *    the mean of these times to its own.
 *
 * Nothing is learnt from a run that was stopped, or beside which another loop of the team
 * was live when it began or when it ended: that one had workers, too.  So a loop inside
 * another one takes the shares that are known and adds nothing to what is.
 *
 * What is measured lies on the heap, so that it needs no stack of many workers'.
 */
#include "config.h"

#include "measure.h"
#include "label.h"
#include "seam.h"
#include "shield.h"

#include <stdlib.h>

bool tweed__measure_recall(struct tweed__team *team, const struct tweed__body *body,
                           const char *name, struct tweed__past *loop,
                           uint32_t *before)
{
    *loop = (struct tweed__past){
        .label = tweed__label_of(name),
        /* relaxed: see tweed__history_forget() */
        .placement = load_relaxed(&team->history.placement),
        .lo = body->lo,
        .count = body->count,
    };
    /* those for which there was no room share one label: nothing is ever learnt of it */
    return tweed__history_recall(&team->history, loop, team->before, team->num_workers,
                                 before) &&
           loop->label != TWEED__LABEL_OTHERS;
}

/* Does nobody else use the team?  relaxed: a guess. */
static bool is_alone_but(struct tweed__team *team, uint64_t own)
{
    return (load_relaxed(&team->active) & ~own) == 0;
}

struct tweed__measure *tweed__measure_begin(struct tweed__part *p, bool learns)
{
    struct tweed__team *team = p->team;
    struct shield shield = shield_up();
    size_t n = (size_t)team->num_workers, each = sizeof(struct tweed__measured);
    struct tweed__measure *m =
        malloc(sizeof *m + n * each + (n + 1) * sizeof *m->before);

    if (m) {
        m->workers = team->num_workers;
        m->before = (uint32_t *)(void *)&m->each[n];
        m->timed = p->body->manner & TWEED__FIXED;
        m->learns = tweed__measure_recall(team, p->body, p->name, &m->loop, m->before) &&
                    learns && is_alone_but(team, 0);
        m->began = 0;
    }
    shield_down(shield);
    return m;
}

void tweed__measure_deal(struct tweed__part *p, int seat, uint32_t begin, uint32_t end)
{
    struct tweed__measure *m = p->measure;
    const struct tweed__seat *s = &p->team->workers[seat]->seats[p->slot];

    if (!m->learns)
        return;
    if (m->timed && m->began == 0)
        m->began = tweed__clock();
    m->each[seat].dealt = body_indices(p->body, begin, end);
    /* relaxed: nobody sits there; released with the loop that was there before */
    m->each[seat].mark = load_relaxed(&s->tally.indices);
    store_relaxed(&m->each[seat].took, 0); /* released with the bit in active */
}

void tweed__measure_time(const struct tweed__part *p)
{
    struct tweed__measure *m = slot_of(p)->measure;
    uint64_t took;

    if (!m->learns)
        return;
    took = tweed__clock() - m->began;
    /* relaxed: the return of the blocks releases it */
    store_relaxed(&m->each[p->index].took, took ? took : 1);
}

/* ---- speeds ---- */

static void by_executed(const struct tweed__part *p, double *speed)
{
    const struct tweed__measure *m = p->measure;

    for (int w = 0; w < m->workers; w++) {
        const struct tweed__seat *seat = &p->team->workers[w]->seats[p->slot];
        /* relaxed: acquired with the last return */
        uint64_t executed = load_relaxed(&seat->tally.indices) - m->each[w].mark;
        uint64_t dealt = m->each[w].dealt;

        speed[w] = dealt ? (double)executed / (double)dealt : 1;
    }
}

/* The mean by shares. */
static void by_time(const struct tweed__measure *m, double *speed)
{
    uint64_t end = tweed__clock() - m->began;
    double all = 0, sum = 0;

    for (int w = 0; w < m->workers; w++) {
        uint64_t took = load_relaxed(&m->each[w].took); /* as above */
        double dealt = (double)m->each[w].dealt;

        speed[w] = 1 / (double)(took ? took : end + 1);
        all += dealt;
        sum += dealt * speed[w];
    }
    for (int w = 0; w < m->workers; w++)
        speed[w] = m->each[w].dealt ? speed[w] * all / sum : 1;
}

void tweed__measure_end(struct tweed__part *p)
{
    struct tweed__measure *m = p->measure;
    struct shield shield;
    double *speed;

    /* relaxed: acquired with the last return */
    if (!m->learns || load_relaxed(&slot_of(p)->cut) != TWEED__UNCUT ||
        !is_alone_but(p->team, UINT64_C(1) << p->slot))
        return;
    shield = shield_up();
    speed = malloc((size_t)m->workers * sizeof *speed);
    if (speed) {
        if (m->timed)
            by_time(m, speed);
        else
            by_executed(p, speed);
        tweed__history_learn(&p->team->history, &m->loop, p->team->before, m->workers,
                             m->before, speed, 1.0 / p->body->blocks);
        free(speed);
    }
    shield_down(shield);
}

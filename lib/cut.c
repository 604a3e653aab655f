/*
 * cut.c - a loop is cut short while it runs, and what is left for its caller to know.
 *
 * SPDX-License-Identifier: MIT
 *
 * A loop is cut at a block: none from that one on is to be begun any more.  A stop cuts
 * at 0, whether a body, a token or the deadline stops the loop; a search cuts behind
 * each hit.  The slot's `cut` only falls.  Who lowers it takes what lies above from all
 * ranges, and makes their owners look; why nothing is lost by that is (6) in range.c.
 * A loop that its caller walks alone is cut in the caller's part, where nobody else
 * looks.
 *
 * WHO KNOWS WHAT.  A worker keeps its lowest hit, and how many indices it has left out
 * or given up, in its part.  Before it returns its last blocks it leaves both in the
 * slot: the hit on its own seat, the indices in a sum of all.  The caller collects them
 * after the loop's end, by which the returns are ordered (sleep.c), and makes the slot
 * clean for the next loop.
 */
#include "config.h"

#include "cut.h"

/* ---- cutting ---- */

/* False: it is as low as that already. */
static bool lower(_Atomic uint32_t *cut, uint32_t at)
{
    uint32_t now = load_relaxed(cut); /* the compare-and-swap decides */

    while (at < now)
        if (cas_seq_cst(cut, &now, at)) /* before the looks at the ranges: (6) */
            return true;
    return false;
}

/* The part's next claim goes to the slow path. */
static void halt(struct tweed__walker *w)
{
    w->halted = true;
    w->cursor.limit = 0;
    if (w->walk == TWEED__ALONE)
        w->own.S = w->cursor.seen + 1; /* so that the fast path is left */
}

/* No block from `at` on, which the part's own range is above, is to be begun.  False:
   that was so before.  A stop goes over the ranges even then: another worker's stop
   may not have come to all of them yet, and a stop holds when its call returns. */
static bool cut(struct tweed__part *p, uint32_t at)
{
    struct tweed__walker *w = &p->walker;
    struct tweed__team *team = p->team;
    uint32_t begin, end;
    bool lowered;

    halt(w);
    if (w->walk == TWEED__ALONE) {
        lowered = at < p->cut;
        p->cut = lowered ? at : p->cut;
        return lowered;
    }
    lowered = lower(&slot_of(p)->cut, at);
    if (!lowered && at > 0)
        return false;
    for (int i = 0; i < team->num_workers; i++) { /* its own seat, too */
        struct tweed__range *r = &team->workers[i]->seats[p->slot].range;

        while (tweed__range_cut(r, p->index, at, &begin, &end))
            tweed__cursor_give_up(w, begin, end);
        /* relaxed: who has cut lower goes over all of them */
        if (load_relaxed(&slot_of(p)->cut) < at)
            break;
    }
    return lowered;
}

/* The loop is stopped because its time is over, and for no other reason. */
static void note_late(struct tweed__part *p)
{
    p->late = true;
    if (p->walker.walk != TWEED__ALONE)
        store_relaxed(&slot_of(p)->late, 1); /* a figure; as the cut, in the end */
}

bool tweed__cut_poll(struct tweed__walker *w, uint64_t now)
{
    struct tweed__part *p = (struct tweed__part *)w;
    const struct tweed__stops *s = w->stops;
    bool is_set = s->token && tweed_token_is_set(s->token);

    if (!is_set && (!s->deadline || now < s->deadline))
        return true;
    /* relaxed: a stop that is not seen yet is made once more */
    if (w->walk != TWEED__ALONE && load_relaxed(&slot_of(p)->cut) == 0)
        halt(w);
    else if (cut(p, 0) && !is_set)
        note_late(p);
    return false;
}

/* ---- by the body ---- */

/* The hit with the lower index. */
static void keep_first(struct tweed__hit *kept, const struct tweed__hit *other)
{
    if (other->code && (!kept->code || other->offset < kept->offset))
        *kept = *other;
}

/* Index i of the claim has given this code, and those after it are left out. */
static void hit(tweed_cursor *c, int64_t i, int code)
{
    struct tweed__part *p = (struct tweed__part *)c;
    struct tweed__hit hit = { (uint64_t)i - c->lo, code };

    keep_first(&p->hit, &hit);
    c->left_out += tweed_span_(i, tweed_past(c)) - 1;
}

void tweed_cursor_stop(tweed_cursor *c)
{
    c->past = INT64_MIN;
    cut((struct tweed__part *)c, 0);
}

void tweed_cursor_fail(tweed_cursor *c, int64_t i, int code)
{
    hit(c, i, code);
    cut((struct tweed__part *)c, 0);
}

void tweed_cursor_found(tweed_cursor *c, int64_t i)
{
    hit(c, i, 1);
    cut((struct tweed__part *)c, (uint32_t)(((uint64_t)i - c->lo) / c->grain) + 1);
}

/* ---- what the caller is told ---- */

void tweed__cut_leave(struct tweed__part *p)
{
    struct tweed__walker *w = &p->walker;

    if (w->unexecuted) /* relaxed: released by the return, as the hit is */
        fetch_add_relaxed(&slot_of(p)->unexecuted, w->unexecuted);
    w->unexecuted = 0;
    keep_first(&p->worker->seats[p->slot].hit, &p->hit);
    p->hit.code = 0;
}

void tweed__cut_collect(struct tweed__part *p)
{
    struct tweed__slot *slot = slot_of(p);

    /* relaxed, all: acquired with the last return */
    p->late = load_relaxed(&slot->late);
    p->walker.unexecuted = load_relaxed(&slot->unexecuted);
    store_relaxed(&slot->late, 0);
    store_relaxed(&slot->unexecuted, 0); /* released with the slot, as the hits */
    for (int i = 0; i < p->team->num_workers; i++) {
        struct tweed__hit *hit = &p->team->workers[i]->seats[p->slot].hit;

        keep_first(&p->hit, hit);
        hit->code = 0;
    }
}

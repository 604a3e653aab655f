/*
 * cancel.c - a loop is cancelled while it runs, and what is left for its caller to know.
 *
 * SPDX-License-Identifier: MIT
 *
 * A loop is cancelled at a block: no block from there on is to be begun any more.  A stop
 * is at 0, whether a body, a token or the deadline stops the loop; a search cancels behind
 * the claim of each hit.  The slot's `cancelled` only falls.  The thread that lowers it
 * takes the blocks above from all ranges, and makes their owners look; why nothing is lost
 * by that is (6) in range.c.  A loop that its caller walks alone is cancelled in the
 * caller's part, where no other thread looks.
 *
 * WHAT EACH KNOWS.  Each worker's part has what the worker knows of the early end: its
 * lowest hit, and how many indices it has given up.  Before the worker returns its last
 * blocks it leaves that on its seat.  After the loop's end, by which the returns are
 * ordered (sleep.c), the caller collects this from all seats, and clears the seats for the
 * next loop.
 *
 * COMPLETE.  A token or a deadline may stop a loop of which nothing was left to be done:
 * all was executed; or of a search, all below the lowest hit.  Then the loop counts as not
 * stopped.  A body's stop holds in any case.
 */
#include "config.h"

#include "loop/cancel.h"
#include "loop/counts.h"

/* ---- cancelling ---- */

/* Lowers *cancelled.  False: it is as low as that already. */
static bool lower(_Atomic uint32_t *cancelled, uint32_t at)
{
    uint32_t now = load_relaxed(cancelled); /* the compare-and-swap decides */

    while (at < now)
        if (cas_seq_cst(cancelled, &now, at)) /* before the looks at the ranges: (6) */
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

/* Cancels the loop: no block from `at` on is to be begun any more.  The part's own range
   is above `at`.  False: the loop was cancelled there before.  A stop goes over the ranges
   even then: another worker's stop may not have come to all of them yet, and a stop holds
   when its call returns. */
static bool cancel(struct tweed__part *p, uint32_t at)
{
    struct tweed__walker *w = &p->walker;
    struct tweed__team *team = p->team;
    enum tweed__loot loot;
    uint32_t begin, end;
    bool lowered;

    halt(w);
    if (w->walk == TWEED__ALONE) {
        struct tweed__early *e = early_of(w);

        lowered = at < e->cancelled;
        e->cancelled = lowered ? at : e->cancelled;
        return lowered;
    }
    lowered = lower(&slot_of(p)->cancelled, at);
    if (!lowered && at > 0)
        return false;
    for (int i = 0; i < team->num_workers; i++) { /* the canceller's own seat, too */
        struct tweed__range *r = &team->workers[i]->seats[p->slot].range;

        while ((loot = tweed__range_cancel(r, p->index, at, &begin, &end)) >= TWEED__LOOT) {
            tweed__cursor_give_up(w, begin, end);
            if (loot == TWEED__UNBEGUN && slot_of(p)->by_nodes)
                tweed__counts_drop(p, i);
        }
        /* relaxed: a thread that has cancelled lower goes over all of them */
        if (load_relaxed(&slot_of(p)->cancelled) < at)
            break;
    }
    return lowered;
}

bool tweed__cancel_poll(struct tweed__walker *w, uint64_t now)
{
    struct tweed__part *p = (struct tweed__part *)w;
    const struct tweed__stops *s = w->stops;
    bool is_set = s->token && tweed_token_is_set(s->token);

    if (!is_set && (!s->deadline || now < s->deadline))
        return true;
    /* relaxed: a stop that is not seen yet is made once more */
    if (w->walk != TWEED__ALONE && load_relaxed(&slot_of(p)->cancelled) == 0)
        halt(w);
    else if (cancel(p, 0) && !is_set) /* the deadline alone has stopped it */
        early_of(w)->late = true;
    return false;
}

/* ---- by the body ---- */

/* The hit with the lower index. */
static void keep_first(struct tweed__hit *kept, const struct tweed__hit *other)
{
    if (other->code && (!kept->code || other->offset < kept->offset))
        *kept = *other;
}

/* Index i of the claim has given this code, and the indices after i are left out. */
static void hit(tweed_cursor *c, int64_t i, int code)
{
    struct tweed__walker *w = (struct tweed__walker *)c;
    struct tweed__hit hit;

    tweed__cursor_show_claim(w);
    hit = (struct tweed__hit){ (uint64_t)i - c->lo, code };
    keep_first(&early_of(w)->hit, &hit);
    c->left_out += tweed_span_(i, tweed_past(c)) - 1;
}

static void break_loop(tweed_cursor *c)
{
    early_of((struct tweed__walker *)c)->broken = true;
    cancel((struct tweed__part *)c, 0);
}

void tweed_cursor_stop(tweed_cursor *c)
{
    c->past = INT64_MIN;
    break_loop(c);
}

void tweed_cursor_fail(tweed_cursor *c, int64_t i, int code)
{
    hit(c, i, code);
    break_loop(c);
}

void tweed_cursor_found(tweed_cursor *c, int64_t i)
{
    hit(c, i, 1);
    cancel((struct tweed__part *)c, c->end);
}

/* ---- what the caller learns ---- */

static void add(struct tweed__early *sum, const struct tweed__early *e)
{
    sum->unexecuted += e->unexecuted;
    keep_first(&sum->hit, &e->hit);
    sum->tail = e->tail > sum->tail ? e->tail : sum->tail;
    sum->late |= e->late;
    sum->broken |= e->broken;
}

void tweed__cancel_leave(struct tweed__part *p)
{
    add(&p->worker->seats[p->slot].early, &p->walker.early);
    p->walker.ends_early = false;
}

void tweed__cancel_collect(struct tweed__part *p)
{
    struct tweed__early *e = early_of(&p->walker);

    for (int i = 0; i < p->team->num_workers; i++) {
        struct tweed__seat *seat = &p->team->workers[i]->seats[p->slot];

        add(e, &seat->early);
        seat->early = (struct tweed__early){ 0 };
    }
    e->cancelled = load_relaxed(&slot_of(p)->cancelled); /* the last return was acquired */
}

/* Was nothing given up that the loop needs? */
static bool is_complete(const struct tweed__early *e, const struct tweed__body *b)
{
    uint32_t needed = b->blocks;

    if (e->hit.code)
        needed = (uint32_t)(e->hit.offset / b->grain) + 1;
    return needed <= b->blocks - e->tail;
}

int tweed__cancel_result(const struct tweed__part *p)
{
    const struct tweed__early *e = &p->walker.early;

    if (e->broken)
        return TWEED_ESTOPPED;
    if (e->cancelled > 0 || is_complete(e, p->body))
        return TWEED_OK;
    return e->late ? TWEED_ETIMEOUT : TWEED_ESTOPPED;
}

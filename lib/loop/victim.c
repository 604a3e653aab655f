/*
 * victim.c - where a thief steals: the richer of two random seats, near ones first.
 *
 * SPDX-License-Identifier: MIT
 *
 * A sweep in the order of the numbers sends all thieves to the same victim, one after the
 * other, and at a thousand workers takes twice as long as choosing at random; the richer
 * of two random victims is better still (Mitzenmacher, "The power of two choices in
 * randomized load balancing", 2001).  But chance may miss the last range that is left.
 * So a thief tries a few random pairs of each area, and only when all of these gave
 * nothing it goes over every seat once, from a random start in each area.  Of a small
 * area the thief looks at all seats at once: else it might go to a far node before a near
 * one.  (Of a large area it does not: where most nodes of a thousand workers are done,
 * half the time would go there.)
 *
 * The areas, near ones first: the workers of the thief's domain, which share a cache with
 * the thief, and have the data of their blocks there; the other workers of its node; and
 * the workers of the other nodes, node by node, by distance.  Where a node is one domain
 * the second area is empty.
 *
 * A seat where another thief waits for a busy owner has little to give: a thief passes
 * over it at first.  Only if there is nothing else at all the thief insists there, and
 * takes the proposal over if the other thief has stopped.  So a thread that leaves the
 * loop has seen every seat without anything to steal.
 */
#include "config.h"

#include "loop/victim.h"
#include "log/trace.h"
#include "loop/counts.h"
#include "range/glance.h"

#define PAIRS 2 /* random pairs of each area that are tried before all its seats */

struct thief {
    struct tweed__part *me;
    struct tweed__window window;
    enum tweed__reach reach; /* how far the thief is looking */
    struct tweed__span skipped; /* places of the area that the thief does not look at: its
                                   own, or all of its domain */
    bool insist;  /* where another thief waits, wait as well */
    bool pending; /* there was such a place */
    uint32_t *begin, *end;
};

/* The seat at a place of the window.  Where all seats have a share, seat and place are the
   same. */
static int seat_at(const struct thief *t, int place)
{
    return window_seat(t->window, t->me->team->num_workers, place);
}

static struct tweed__range *range_of(const struct thief *t, int seat)
{
    return &t->me->team->workers[seat]->seats[t->me->slot].range;
}

static struct tweed__range *range_at(const struct thief *t, int place)
{
    return range_of(t, seat_at(t, place));
}

/* Counts a steal on a machine of several nodes, or domains: only there are loops counted
   by nodes. */
__attribute__((noinline)) static void count_apart(struct thief *t, int seat,
                                                  enum tweed__loot loot)
{
    struct tweed__tally *tally = tally_of(t->me);

    if (loot == TWEED__UNBEGUN && slot_of(t->me)->by_nodes)
        tweed__counts_drop(t->me, seat);
    if (t->reach == TWEED__FAR)
        tally_add(tally, steals_far, 1);
    else
        tally_add(tally, steals_near, 1);
    if (t->reach == TWEED__IN_NODE)
        tally_add(tally, steals_node, 1);
}

/* Tries until there is loot, or nothing.  Each retry means that another thread has changed
   the range: it has taken some of it, or proposed to. */
static bool try_victim(struct thief *t, int place)
{
    struct tweed__tally *tally = tally_of(t->me);
    int seat = seat_at(t, place);
    struct tweed__range *victim = range_of(t, seat);
    uint64_t proposals = TRACE_FIGURE(tally->proposals);
    enum tweed__loot loot;

    do {
        tweed__range_leave(victim, t->me->walker.owner.unit);
        loot = tweed__range_steal(victim, t->me->index,
                                  t->me->team->asymmetric_loops, t->insist, tally,
                                  t->begin, t->end);
    } while (loot == TWEED__RETRY);
    for (; unlikely(proposals != TRACE_FIGURE(tally->proposals)); proposals++)
        TRACE_PROPOSE(t->me, seat);
    if (loot < TWEED__LOOT) {
        t->pending |= loot == TWEED__PENDING;
        tally_add(tally, failed_probes, 1);
        return false;
    }
    TRACE_STEAL(t->me, seat, t->reach, *t->begin, *t->end);
    if (likely(t->reach == TWEED__NEAREST))
        tally_add(tally, steals_near, 1);
    else
        count_apart(t, seat, loot);
    return true;
}

/* How many places of an area [first, last) are looked at. */
static uint32_t places_in(const struct thief *t, int first, int last)
{
    return (uint32_t)(last - first - (t->skipped.end - t->skipped.begin));
}

/* The k-th of these places. */
static int victim_at(const struct thief *t, int first, uint32_t k)
{
    int v = first + (int)k;

    return v >= t->skipped.begin ? v + (t->skipped.end - t->skipped.begin) : v;
}

/* Two ways to steal from the places of an area. */
typedef bool try_places(struct thief *t, int first, int last);

static bool try_each(struct thief *t, int first, int last)
{
    uint32_t n = places_in(t, first, last);

    for (uint32_t k = 0, start = n ? draw(t->me->team, n) : 0; k < n; k++)
        if (try_victim(t, victim_at(t, first, (start + k) % n)))
            return true;
    return false;
}

static bool try_pairs(struct thief *t, int first, int last)
{
    uint32_t n = places_in(t, first, last);

    if (n <= 2) /* no choice; and a small near node comes before a far one */
        return try_each(t, first, last);
    for (int k = 0; k < PAIRS; k++) {
        uint32_t x = draw(t->me->team, n);
        uint32_t y = draw(t->me->team, n - 1);
        int a = victim_at(t, first, x);
        int b = victim_at(t, first, y + (y >= x));

        if (tweed__range_wealth(range_at(t, b)) >
            tweed__range_wealth(range_at(t, a)))
            a = b;
        if (try_victim(t, a))
            return true;
    }
    return false;
}

/* The areas of the thief's node. */
TWEED_INLINE_ bool try_node(struct thief *t, try_places *try)
{
    int self = t->me->index;
    struct tweed__span domain = t->me->worker->domain;
    struct tweed__group node = t->me->team->groups[t->me->worker->group];

    t->reach = t->me->team->nearest;
    t->skipped = (struct tweed__span){ self, self + 1 };
    if (try(t, domain.begin, domain.end))
        return true;
    t->reach = TWEED__IN_NODE;
    t->skipped = domain;
    return try(t, node.begin, node.end);
}

/* Tries the areas of the other nodes, the nearest first; by_nodes: only those whose node
   has a holder. */
TWEED_INLINE_ bool try_far(struct thief *t, try_places *try, bool by_nodes)
{
    struct tweed__team *team = t->me->team;
    const int *nearest = team->nearness + t->me->worker->group * team->num_groups;

    t->reach = TWEED__FAR;
    t->skipped = (struct tweed__span){ 0, 0 };
    for (int k = 1; k < team->num_groups; k++) {
        struct tweed__group g = team->groups[nearest[k]];

        if ((!by_nodes || tweed__counts_has_some(t->me, nearest[k])) &&
            try(t, g.begin, g.end))
            return true;
    }
    return false;
}

/* Tries all areas. */
TWEED_INLINE_ bool try_areas(struct thief *t, try_places *try)
{
    return try_node(t, try) || try_far(t, try, false);
}

/* Tries the areas of all nodes that have a holder, the thief's own first. */
static bool try_node_counts(struct thief *t, try_places *try)
{
    return (tweed__counts_has_some(t->me, t->me->worker->group) && try_node(t, try)) ||
           try_far(t, try, true);
}

/* How far a seat is from the thief. */
static enum tweed__reach reach_of(const struct thief *t, int seat)
{
    const struct tweed__worker *w = t->me->worker;

    if (seat >= w->domain.begin && seat < w->domain.end)
        return t->me->team->nearest;
    return t->me->team->workers[seat]->group == w->group ? TWEED__IN_NODE : TWEED__FAR;
}

/* Tries the places so far away, of a window that is not all seats. */
static bool try_window(struct thief *t, enum tweed__reach reach)
{
    int n = t->window.count;

    t->reach = reach;
    for (int k = 0, start = (int)draw(t->me->team, (uint32_t)n); k < n; k++) {
        int place = (start + k) % n, seat = seat_at(t, place);

        if (seat != t->me->index && reach_of(t, seat) == reach && try_victim(t, place))
            return true;
    }
    return false;
}

static bool try_all(struct thief *t)
{
    if (t->window.count < t->me->team->num_workers)
        return try_window(t, t->me->team->nearest) || try_window(t, TWEED__IN_NODE) ||
               try_window(t, TWEED__FAR);
    return (!t->insist && try_areas(t, try_pairs)) || try_areas(t, try_each);
}

TWEED_INLINE_ struct thief make_thief(struct tweed__part *p, uint32_t *begin, uint32_t *end)
{
    return (struct thief){ .me = p,
                           .window = slot_of(p)->window,
                           .begin = begin,
                           .end = end };
}

bool tweed__victim_steal_near(struct tweed__part *p, uint32_t *begin, uint32_t *end)
{
    struct thief t = make_thief(p, begin, end);

    return try_node(&t, try_pairs);
}

bool tweed__victim_steal_on_node(struct tweed__part *p, uint32_t *begin, uint32_t *end)
{
    struct thief t = make_thief(p, begin, end);

    if (try_node_counts(&t, try_pairs) || try_node_counts(&t, try_each))
        return true;
    t.insist = true;
    return t.pending && try_node_counts(&t, try_each);
}

bool tweed__victim_steal(struct tweed__part *p, uint32_t *begin, uint32_t *end)
{
    struct thief t = make_thief(p, begin, end);

    if (try_all(&t))
        return true;
    t.insist = true;
    return t.pending && try_all(&t);
}

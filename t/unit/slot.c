/*
 * slot.c - who gets a slot, which one a loop is published in, who is inside which
 * loop, and who passes on the wakes owed.
 *
 * SPDX-License-Identifier: MIT
 *
 * lib/loop/slot.c and publish.c are compiled into this program, with a hook in front of
 * their exchanges and subtractions: what another thread does between the look and the
 * exchange is done there, in one thread.
 */
#include "config.h"

#include "base/atomic.h"

static void (*meanwhile)(void);

static __attribute__((nothrow)) void call_once(void)
{
    void (*f)(void) = meanwhile;

    meanwhile = (void (*)(void))0;
    if (f)
        f();
}

#undef exchange_seq_cst
#define exchange_seq_cst(p, v)                                                 \
    (call_once(), atomic_exchange_explicit((p), (v), memory_order_seq_cst))
#undef fetch_add_seq_cst
#define fetch_add_seq_cst(p, v)                                                \
    (call_once(), atomic_fetch_add_explicit((p), (v), memory_order_seq_cst))
#undef fetch_sub_relaxed
#define fetch_sub_relaxed(p, v)                                                \
    (call_once(), atomic_fetch_sub_explicit((p), (v), memory_order_relaxed))

#include "../../lib/loop/slot.c"
#include "../../lib/loop/publish.c"

#include "pool/pool.h"
#include "dozing.h"
#include "pools.h"

#define WORKERS 8

void __wrap_tweed__sleep_pass_on(struct tweed__sleep *z, int n, uint32_t mask,
                                 struct tweed__tally *tally);

static int passed_on;

void __wrap_tweed__sleep_pass_on(struct tweed__sleep *z, int n, uint32_t mask,
                                 struct tweed__tally *tally)
{
    (void)z, (void)mask, (void)tally;
    passed_on += n;
}

static struct tweed__team *team;
static int others;

/* A part of this worker's, in this slot. */
static struct tweed__part part_of(int worker, int slot)
{
    static tweed_kind kind;
    static struct tweed__body body = { .kind = &kind };
    struct tweed__part p;

    tweed__cursor_prepare(&body);
    tweed__part_init(&p, team->workers[worker], &body);
    sit_down(&p, slot);
    return p;
}

static void other_acquires(void)
{
    others = tweed__slot_acquire(team, 0);
}

static void acquire(void)
{
    int mine;

    meanwhile = other_acquires;
    mine = tweed__slot_acquire(team, 0);
    ok(others == 0 && mine == 1 && load_relaxed(&team->slots[0].taken) &&
           load_relaxed(&team->slots[1].taken),
       "another caller is faster: it has the slot, this one takes the next");
    tweed__slot_release(&team->slots[0]);
    tweed__slot_release(&team->slots[1]);
    mine = tweed__slot_acquire(team, TWEED__SLOTS + 1);
    ok(mine == 1, "given back, it is free again");
    tweed__slot_release(&team->slots[1]);
}

/* ---- publishing: not where somebody is inside ---- */

/* Was the part, which had this slot, moved to that one, and seated there? */
static bool moves(struct tweed__part *p, int from, int to)
{
    bool found = tweed__slot_find_room(p);

    return found && p->slot == to && load_relaxed(&team->slots[to].taken) &&
           (from == to || !load_relaxed(&team->slots[from].taken)) &&
           p->walker.owner.range == &p->worker->seats[to].range &&
           p->walker.owner.tally == &p->worker->seats[to].tally &&
           p->walker.owner.cancelled == &team->slots[to].cancelled;
}

static void room(void)
{
    int mine = tweed__slot_acquire(team, 2);
    struct tweed__part p = part_of(0, mine);
    _Atomic uint32_t *inside = &team->workers[WORKERS - 1]->seats[2].range.inside;

    ok(mine == 2 && moves(&p, 2, 2), "nobody is inside: the slot will do");
    fetch_add_seq_cst(&team->slots[2].readers, 1); /* as dump_slot() */
    ok(moves(&p, 2, 3), "a dump looks at it: the next slot, and this is free");
    fetch_sub_acq_rel(&team->slots[2].readers, 1);

    tweed__slot_release(&team->slots[3]);
    (void)tweed__slot_acquire(team, 2);
    p = part_of(0, 2);
    /* as tweed__slot_join(), twice: on seat 0 two outside callers may look at the same
       time */
    fetch_add_seq_cst(inside, 2);
    tweed__slot_leave(team->workers[WORKERS - 1], 2);
    fetch_or_seq_cst(&team->slots[2].visited, visitors(WORKERS - 1));
    fetch_add_seq_cst(&team->slots[3].readers, 1);
    ok(moves(&p, 2, 4) && !load_relaxed(&team->slots[3].taken),
       "a worker is inside, and in the next a dump: the one after that");
    fetch_sub_acq_rel(&team->slots[3].readers, 1);
    tweed__slot_release(&team->slots[4]);

    for (int k = 0; k < TWEED__SLOTS; k++)
        (void)tweed__slot_acquire(team, 0);
    p = part_of(0, 2);
    ok(!tweed__slot_find_room(&p) && p.slot == 2 && load_relaxed(&team->slots[2].taken),
       "all others are taken: there is no room, and the caller keeps its slot");
    tweed__slot_release(&team->slots[63]);
    ok(moves(&p, 2, 63), "one is given back: that one");
    store_release(inside, 0);
    for (int k = 0; k < TWEED__SLOTS; k++)
        tweed__slot_release(&team->slots[k]);
}

/* ---- who is inside which loop ---- */

static void parents(void)
{
    struct tweed__part outer = part_of(1, 5), alone = part_of(1, 6),
                       inner = part_of(1, 7), foreign = part_of(1, 8);
    tweed_pool *pool = pool_of(1);

    outer.walker.walk = TWEED__RANGE;
    outer.outer = NULL;
    alone.walker.walk = TWEED__ALONE;
    alone.outer = &outer;
    inner.outer = &outer;
    ok(parent_of(&outer, outer_of(&outer)) == -1 && parent_of(&inner, outer_of(&inner)) == 5,
       "a loop was started in the one that its caller is in");
    inner.outer = &alone;
    ok(parent_of(&inner, outer_of(&inner)) == 5, "... but for those that are walked alone");
    foreign.team = tweed__pool_team(pool);
    foreign.walker.walk = TWEED__RANGE;
    foreign.outer = &outer;
    inner.outer = &foreign;
    ok(parent_of(&inner, outer_of(&inner)) == TWEED__ELSEWHERE, "... and of no other pool");
    tweed_pool_destroy(pool);
}

static void chain(void)
{
    store_relaxed(&team->slots[5].parent, -1);
    store_relaxed(&team->slots[7].parent, 5);
    store_relaxed(&team->slots[9].parent, 7);
    ok(tweed__slot_is_inside(team, 7, 5) && tweed__slot_is_inside(team, 9, 5) &&
           tweed__slot_is_inside(team, 9, 7) && !tweed__slot_is_inside(team, 5, 5) &&
           !tweed__slot_is_inside(team, 5, 7) && !tweed__slot_is_inside(team, 7, 9) &&
           !tweed__slot_is_inside(team, 9, 6),
       "a loop is inside its parent, and inside what that is inside of");
    store_relaxed(&team->slots[5].parent, 9); /* as it may look meanwhile */
    ok(!tweed__slot_is_inside(team, 9, 6), "a chain that goes round is not followed for ever");
    store_relaxed(&team->slots[5].parent, -1);
}

/* ---- joining ---- */

/* Does worker 2 join slot 9, and with this ancestor?  Its flag says the same. */
static bool joins(int ancestor)
{
    struct tweed__worker *w = team->workers[2];
    _Atomic uint32_t *inside = &w->seats[9].range.inside;
    bool joined = tweed__slot_join(w, 9, ancestor);

    if (joined != (load_relaxed(inside) == 1))
        return !joined; /* wrong either way */
    if (joined)
        tweed__slot_leave(w, 9);
    return joined;
}

static void loop_ends(void)
{
    fetch_and_seq_cst(&team->active, ~(UINT64_C(1) << 9));
}

/* The chain is as chain() has left it: 9 inside 7 inside 5. */
static void joining(void)
{
    struct tweed__slot *slot = &team->slots[9];

    /* they would join, too; asleep they see nothing of this */
    while (threads_dozing(team) != WORKERS - 1)
        nap_us(100);
    nap_us(1000);
    slot->window = partition_window(WORKERS, 0, WORKERS, 0, 0);
    store_relaxed(&slot->remaining, 3);
    ok(!joins(-1), "there is no loop");
    fetch_or_seq_cst(&team->active, UINT64_C(1) << 9);
    ok(joins(-1), "there is one");
    ok(joins(7) && joins(5) && !joins(9) && !joins(6),
       "only inside of a certain one: looked at when nobody can reuse the slot");
    slot->window = partition_window(WORKERS, 0, 2, 0, 2);
    ok(!window_has(slot->window, WORKERS, 2) && joins(-1),
       "a worker without a share may help");
    slot->window = partition_window(WORKERS, 0, WORKERS, 2, 2);
    ok(!window_has(slot->window, WORKERS, 2) && !joins(-1),
       "but not where a limit was asked for");
    slot->window = partition_window(WORKERS, 0, WORKERS, 0, 0);
    store_relaxed(&slot->remaining, TWEED__CALLER_ASLEEP);
    ok(!joins(-1), "nothing is left to do");
    store_relaxed(&slot->remaining, 3);
    meanwhile = loop_ends;
    ok(!joins(-1), "the loop ends before the flag is up");
}

/* ---- wakes ---- */

static void other_passes_on(void)
{
    struct tweed__part p = part_of(2, 0);

    tweed__publish_pass_on(&p);
}

static void pass_on(void)
{
    struct tweed__slot *slot = &team->slots[0];
    struct tweed__part p = part_of(1, 0);

    slot->window = partition_window(WORKERS, 0, WORKERS, 0, 0);
    store_relaxed(&slot->wakes_owed, 5);
    meanwhile = other_passes_on;
    tweed__publish_pass_on(&p);
    ok(passed_on == 4 && load_relaxed(&slot->wakes_owed) == 1,
       "two workers pass on two wakes each of five");
    meanwhile = other_passes_on;
    tweed__publish_pass_on(&p);
    ok(passed_on == 5 && load_relaxed(&slot->wakes_owed) <= 0,
       "one of two passes on the last");
}

int main(void)
{
    tweed_pool *pool;

    plan(21);
    watchdog();
    pool = pool_of(WORKERS);
    team = tweed__pool_team(pool);
    acquire();
    room();
    parents();
    chain();
    joining();
    pass_on();
    tweed_pool_destroy(pool);
    return done_testing();
}

/*
 * slot.c - two callers go for one slot, two workers for the wakes owed.
 *
 * SPDX-License-Identifier: MIT
 *
 * lib/slot.c is compiled into this program, with a hook in front of its exchanges
 * and subtractions: what another thread does between the look and the
 * exchange is done there, in one thread.
 */
#include "config.h"

#include "atomic.h"

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
#undef fetch_sub_relaxed
#define fetch_sub_relaxed(p, v)                                                \
    (call_once(), atomic_fetch_sub_explicit((p), (v), memory_order_relaxed))

#include "../../lib/slot.c"

#include "pool.h"
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
static const struct tweed__window everybody = { 0, WORKERS };
static int others;

static void other_acquires(void)
{
    others = tweed__slot_acquire(team, 0, everybody);
}

static void other_passes_on(void)
{
    pass_on_wakes(team->workers[2], 0);
}

static void acquire(void)
{
    int mine;

    meanwhile = other_acquires;
    mine = tweed__slot_acquire(team, 0, everybody);
    ok(others == 0 && mine == 1 && load_relaxed(&team->slots[0].taken) &&
           load_relaxed(&team->slots[1].taken),
       "another caller is faster: it has the slot, this one takes the next");
    tweed__slot_release(&team->slots[0]);
    tweed__slot_release(&team->slots[1]);
    mine = tweed__slot_acquire(team, 1, everybody);
    ok(mine == 1, "given back, it is free again");
    tweed__slot_release(&team->slots[1]);
    fetch_add_seq_cst(&team->slots[2].readers, 1); /* as dump_slot() */
    mine = tweed__slot_acquire(team, 2, everybody);
    ok(mine == 3 && !load_relaxed(&team->slots[2].taken),
       "a dump looks at it: left alone");
    fetch_sub_acq_rel(&team->slots[2].readers, 1);
    tweed__slot_release(&team->slots[3]);
}

static void pass_on(void)
{
    struct tweed__slot *slot = &team->slots[0];

    slot->window = everybody;
    store_relaxed(&slot->wakes_owed, 5);
    meanwhile = other_passes_on;
    pass_on_wakes(team->workers[1], 0);
    ok(passed_on == 4 && load_relaxed(&slot->wakes_owed) == 1,
       "two workers pass on two wakes each of five");
    meanwhile = other_passes_on;
    pass_on_wakes(team->workers[1], 0);
    ok(passed_on == 5 && load_relaxed(&slot->wakes_owed) <= 0,
       "one of two passes on the last");
}

int main(void)
{
    tweed_pool *pool;

    plan(5);
    watchdog();
    pool = pool_of(WORKERS, 0);
    team = tweed__pool_team(pool);
    acquire();
    pass_on();
    tweed_pool_destroy(pool);
    return done_testing();
}

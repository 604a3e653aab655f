/*
 * asleep.c - whoever sleeps is woken when there is something for it to do.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each test brings the threads to one certain place, by wrapping what they call
 * there, and then has bodies that wait for the one who should be woken.  Such a
 * body gives up after a minute: that is a worker that slept through its work.
 */
#include "config.h"

/* Each loop is published: what is called through the library remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "pool/pool.h"
#include "dozing.h"
#include "pools.h"
#include "range/range.h"
#include "pool/sleep.h"

void __real_tweed__range_install(struct tweed__owner *o, uint32_t begin,
                                 uint32_t end);
void __wrap_tweed__range_install(struct tweed__owner *o, uint32_t begin,
                                 uint32_t end);
bool __real_tweed__range_claim(struct tweed__owner *o);
bool __wrap_tweed__range_claim(struct tweed__owner *o);
void __real_tweed__counts_sleep(struct tweed__worker *w);
void __wrap_tweed__counts_sleep(struct tweed__worker *w);

/* Atomic: threads of a pool that go to sleep may be anywhere. */
static void (*_Atomic in_install)(uint32_t begin, uint32_t end);
static bool (*_Atomic in_claim)(struct tweed__owner *o) =
    __real_tweed__range_claim;
static void (*_Atomic in_enter)(void);

void __wrap_tweed__range_install(struct tweed__owner *o, uint32_t begin,
                                 uint32_t end)
{
    void (*hook)(uint32_t begin, uint32_t end) = in_install;

    if (hook)
        hook(begin, end);
    __real_tweed__range_install(o, begin, end);
}

bool __wrap_tweed__range_claim(struct tweed__owner *o)
{
    bool (*hook)(struct tweed__owner *) = in_claim;

    return hook(o);
}

void __wrap_tweed__counts_sleep(struct tweed__worker *w)
{
    void (*hook)(void) = in_enter;

    if (hook)
        hook();
    __real_tweed__counts_sleep(w);
}

/* ---- what the tests have in common ---- */

#define MOST 100

static struct tweed__team *team;
static tweed_pool *pool;
static atomic_uchar count[MOST];
static atomic_int in_vain; /* waits that were given up */

static tweed_pool *pool_that_sleeps(int workers)
{
    pool = pool_with((tweed_pool_options){ .num_workers = workers,
                                           .spin_ns = -1 });
    team = tweed__pool_team(pool);
    atomic_store(&in_vain, 0);
    return pool;
}

/* Until *flag is at least n, for a minute; after that nobody waits any more, so
   that the loop ends and the test can fail. */
static void wait_for(atomic_int *flag, int n)
{
    for (int k = 0; k < 40000 && !atomic_load(&in_vain); k++) {
        if (atomic_load(flag) >= n)
            return;
        nap_us(k < 1000 ? 20 : 1000);
    }
    atomic_fetch_add(&in_vain, 1);
}

/* All threads of the pool are in futex_wait, or on the last steps into it. */
static void wait_until_asleep(void)
{
    uint32_t all = (uint32_t)team->num_workers - 1;

    while (threads_dozing(team) != all)
        nap_us(20);
    nap_us(1000);
}

/* n indices were executed, each once, and nobody waited in vain. */
static bool counted(int n)
{
    bool good = !atomic_load(&in_vain);

    for (int i = 0; i < MOST; i++)
        good &= atomic_exchange(&count[i], 0) == (i < n);
    return good;
}

/* The loop over n indices was right. */
static bool loop(int n, int limit, tweed_index_fn *body)
{
    tweed_loop_options o = { .size = sizeof o, .max_workers = limit };
    bool good = tweed_parallel_for_with(pool, &o, 0, n, body, NULL) == TWEED_OK;

    return counted(n) && good;
}

/* ---- of many workers, the right one ---- */

static atomic_int met;

static void meet(int64_t i, void *arg)
{
    (void)arg;
    atomic_fetch_add(&count[i], 1);
    atomic_fetch_add(&met, 1);
    wait_for(&met, 2);
}

/* Workers 32 apart share a bit by which they are woken, and who has slept longest
   is woken first: not always the one that has a place in the loop. */
static void right_one(int workers, int rounds)
{
    int good = 0;

    pool_that_sleeps(workers);
    for (int r = 0; r < rounds; r++) {
        wait_until_asleep();
        atomic_store(&met, 0);
        good += loop(2, 2, meet);
    }
    ok(good == rounds, "one of %d sleepers is needed, and woken, %d times",
       workers - 1, rounds);
    tweed_pool_destroy(pool);
}

/* The same for a loop inside: its caller is a worker whose neighbour has a bit
   beyond the last. */
static int inner_caller;
static atomic_int arrived;

static void meet_inside(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
    atomic_fetch_add(&met, 1);
    wait_for(&met, 2);
}

static void all_but_one_sleep(int64_t i, void *arg)
{
    tweed_loop_options two = { .size = sizeof two, .max_workers = 2 };

    (void)arg;
    atomic_fetch_add(&count[i], 1);
    atomic_fetch_add(&arrived, 1);
    wait_for(&arrived, team->num_workers);
    if (tweed_worker_index() != inner_caller)
        return;
    while (threads_dozing(team) !=
               (uint32_t)team->num_workers - 2 &&
           !atomic_load(&in_vain))
        nap_us(20);
    nap_us(1000);
    must(tweed_parallel_for_with(pool, &two, 0, 2, meet_inside, NULL));
}

static void right_one_inside(int workers, int caller, int rounds)
{
    int good = 0;

    pool_that_sleeps(workers);
    inner_caller = caller;
    for (int r = 0; r < rounds; r++) {
        atomic_store(&met, 0);
        atomic_store(&arrived, 0);
        good += loop(workers, 0, all_but_one_sleep);
    }
    ok(good == rounds, "worker %d of %d needs one sleeper, who is woken, %d times",
       caller, workers, rounds);
    tweed_pool_destroy(pool);
}

/* ---- loot that is out of sight while others look ---- */

#define SHARE 20

static atomic_int thief;    /* the worker with the loot: 0, the caller, or 1 */
static atomic_int first;    /* bodies begun by the thief's victim */
static atomic_int has_loot; /* the thief is between steal and install */
static atomic_int entering; /* the worker has found nothing, and will sleep */
static atomic_int exposed;  /* the loot is there, and who waited was told */
static atomic_int helped;   /* loot executed by the other worker */
static atomic_uint loot_begin, loot_end;

/* The first loot is held back until its victim has done all the rest, has found
   nothing and goes to sleep. */
static void hold_loot(uint32_t begin, uint32_t end)
{
    struct tweed__slot *slot = &team->slots[tweed__self.slot];
    int me = tweed__self.worker ? 1 : 0;

    if (me != thief || !atomic_load(&first) || atomic_load(&has_loot))
        return;
    if (me) /* the caller's own slot is the one that is live */
        slot = &team->slots[__builtin_ctzll(load_acquire(&team->active))];
    atomic_store(&loot_begin, begin);
    atomic_store(&loot_end, end);
    atomic_store(&has_loot, 1);
    if (thief == 0)
        wait_for(&entering, 1);
    else
        while (!(load_seq_cst(&slot->remaining) & TWEED__CALLER_ASLEEP) &&
               !atomic_load(&in_vain))
            nap_us(20);
}

/* The worker has looked, and is not counted among the sleepers yet. */
static void enter_late(void)
{
    if (thief == 0 && atomic_load(&has_loot) && !atomic_load(&exposed)) {
        atomic_store(&entering, 1);
        wait_for(&exposed, 1);
    }
}

static void body(int64_t i, void *arg)
{
    int me = tweed_worker_index();

    (void)arg;
    atomic_fetch_add(&count[i], 1);
    if (me != thief) {
        atomic_store(&first, 1);
        wait_for(&has_loot, 1);
        if (i >= atomic_load(&loot_begin) && i < atomic_load(&loot_end))
            atomic_store(&helped, 1);
        return;
    }
    wait_for(&first, 1);
    if (!atomic_load(&has_loot))
        return;
    atomic_store(&exposed, 1);
    wait_for(&helped, 1);
}

static void loot_in_hand(int who, int rounds)
{
    int good = 0, loot = 0;

    pool_that_sleeps(2);
    thief = who;
    in_install = hold_loot;
    in_enter = enter_late;
    for (int r = 0; r < rounds; r++) {
        wait_until_asleep();
        atomic_store(&first, 0);
        atomic_store(&has_loot, 0);
        atomic_store(&entering, 0);
        atomic_store(&exposed, 0);
        atomic_store(&helped, 0);
        good += loop(2 * SHARE, 0, body);
        loot += atomic_load(&has_loot) && atomic_load(&helped);
    }
    in_install = NULL;
    in_enter = NULL;
    if (!ok(good == rounds && loot == rounds,
            "%s has loot in hand while %s goes to sleep, and is helped, %d times",
            who ? "a worker" : "the caller", who ? "the caller" : "the worker",
            rounds))
        diag("%d loops were right, in %d somebody helped", good, loot);
    tweed_pool_destroy(pool);
}

/* The same one loop further in: the caller waits for the outer loop, in whose body the
   worker has started the inner one.  While the worker holds loot of that the caller
   does all the rest, finds nothing, and sleeps. */

static void hold_loot_inside(uint32_t begin, uint32_t end)
{
    struct tweed__slot *outer;

    if (!tweed__self.worker || !atomic_load(&first) || atomic_load(&has_loot))
        return;
    outer = &team->slots[tweed__self.here->outer->slot];
    atomic_store(&loot_begin, begin);
    atomic_store(&loot_end, end);
    atomic_store(&has_loot, 1);
    while (!(load_seq_cst(&outer->remaining) & TWEED__CALLER_ASLEEP) &&
           !atomic_load(&in_vain))
        nap_us(20);
    nap_us(1000); /* it looks once more */
}

static void inner_body(int64_t i, void *arg)
{
    (void)arg;
    atomic_fetch_add(&count[i], 1);
    if (tweed_worker_index() != 0) {
        atomic_store(&first, 1);
        if (atomic_load(&has_loot))
            wait_for(&helped, 1);
    } else if (i >= atomic_load(&loot_begin) && i < atomic_load(&loot_end)) {
        atomic_store(&helped, 1);
    }
}

static void outer_body(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
    atomic_fetch_add(&met, 1);
    wait_for(&met, 2);
    if (tweed_worker_index() == 0)
        wait_for(&has_loot, 1);
    else
        must(tweed_parallel_for_with(pool, NULL, 0, 2 * SHARE, inner_body, NULL));
}

static void loot_inside(int rounds)
{
    int good = 0, loot = 0;

    pool_that_sleeps(2);
    in_install = hold_loot_inside;
    for (int r = 0; r < rounds; r++) {
        wait_until_asleep();
        atomic_store(&met, 0);
        atomic_store(&first, 0);
        atomic_store(&has_loot, 0);
        atomic_store(&helped, 0);
        must(tweed_parallel_for_with(pool, NULL, 0, 2, outer_body, NULL));
        good += counted(2 * SHARE);
        loot += atomic_load(&has_loot) && atomic_load(&helped);
    }
    in_install = NULL;
    if (!ok(good == rounds && loot == rounds,
            "a worker has loot of an inner loop in hand while the caller of the outer "
            "one goes to sleep, and is helped, %d times",
            rounds))
        diag("%d loops were right, in %d the caller helped", good, loot);
    tweed_pool_destroy(pool);
}

/* ---- wakes are passed on, whatever is found first ---- */

static atomic_int round_now;
static _Thread_local int round_seen;

/* Its share is left for others, which may be faster, at the first try of each round. */
static bool comes_late(struct tweed__owner *o)
{
    if (round_seen == round_now)
        return __real_tweed__range_claim(o);
    round_seen = round_now;
    return false;
}

static void meet_all(int64_t i, void *arg)
{
    (void)arg;
    atomic_fetch_add(&count[i], 1);
    atomic_fetch_add(&met, 1);
    wait_for(&met, team->num_workers);
}

/* Shares of one block, which a thief gets: that is what each of the woken finds first, and no
   range.  The caller wakes two; the others are woken by those. */
static void passed_on(int workers, int rounds)
{
    int good = 0;

    pool_that_sleeps(workers);
    in_claim = comes_late;
    for (int r = 0; r < rounds; r++) {
        wait_until_asleep();
        atomic_store(&met, 0);
        atomic_fetch_add(&round_now, 1);
        good += loop(workers, 0, meet_all);
    }
    in_claim = __real_tweed__range_claim;
    ok(good == rounds,
       "%d workers whose first find is one block are all woken, %d times",
       workers - 1, rounds);
    tweed_pool_destroy(pool);
}

int main(void)
{
    plan(10);
    watchdog();
    loot_in_hand(1, 20);
    loot_in_hand(0, 20);
    loot_inside(20);
    passed_on(6, 20);
    passed_on(17, 20);
    right_one(33, 20);
    right_one(64, 20);
    right_one_inside(40, 31, 10);
    right_one_inside(40, 30, 10);
    right_one_inside(70, 63, 10);
    return done_testing();
}

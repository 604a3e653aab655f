/*
 * insist.c - a thief that stops in the middle of a steal holds nobody up: another
 * one takes its proposal over.
 *
 * SPDX-License-Identifier: MIT
 *
 * A thief that has proposed pauses while it waits for the owner to answer.  The
 * pause is wrapped: one thief stops there until all that it proposed was done by
 * others.
 */
#include "config.h"

/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "pool/pool.h"
#include "pools.h"
#include "range/glance.h"

void __real_tweed__pause(void);
void __wrap_tweed__pause(void);

#define WORKERS 3
#define SHARE 1000
#define INDICES (WORKERS * SHARE)

static atomic_uchar count[INDICES];
static atomic_int done, done_elsewhere; /* of the caller's share, of others' */
static atomic_int stopped, goes_on, in_vain;

/* Until all but the first index are done, for a minute. */
static void wait_for_the_rest(void)
{
    for (int k = 0; atomic_load(&done) < SHARE - 1; k++) {
        if (k == 600000)
            atomic_store(&in_vain, 1);
        if (atomic_load(&in_vain))
            return;
        nap_us(100);
    }
}

/* Only what was the caller's is left: does this thread's proposal stand there?  A
   thief pauses before it proposes, too. */
static bool has_proposed(void)
{
    struct tweed__part *p = tweed__self.here;

    return p && p->worker->index > 0 &&
           atomic_load(&done_elsewhere) == INDICES - SHARE &&
           tweed__range_look(&p->team->workers[0]->seats[p->slot].range).thief ==
               p->worker->index;
}

void __wrap_tweed__pause(void)
{
    int nobody = 0;

    if (has_proposed() &&
        atomic_compare_exchange_strong(&stopped, &nobody, 1)) {
        wait_for_the_rest();
        atomic_store(&goes_on, 1);
    }
    __real_tweed__pause();
}

/* Of what is the caller's a thief does not do more than a first index before all
   else is done. */
static void body(int64_t i, void *arg)
{
    (void)arg;
    atomic_fetch_add(&count[i], 1);
    if (i == 0) {
        wait_for_the_rest();
        return;
    }
    while (i < SHARE && atomic_load(&done_elsewhere) < INDICES - SHARE)
        nap_us(20);
    atomic_fetch_add(i < SHARE ? &done : &done_elsewhere, 1);
}

static void stops(int fence, const char *mode)
{
    tweed_pool *pool = pool_with((tweed_pool_options){ .num_workers = WORKERS,
                                                       .fence = fence,
                                                       .spin_ns = -1 });
    int rounds = 50, good = 1, n = 0;

    for (int r = 0; r < rounds; r++) {
        atomic_store(&done, 0);
        atomic_store(&done_elsewhere, 0);
        atomic_store(&stopped, 0);
        atomic_store(&goes_on, 0);
        must(tweed_parallel_for_with(pool, NULL, 0, INDICES, body, NULL));
        for (int i = 0; i < INDICES; i++)
            good &= atomic_exchange(&count[i], 0) == 1;
        n += atomic_load(&stopped);
        while (atomic_load(&stopped) && !atomic_load(&goes_on))
            nap_us(100);
    }
    ok(good && !atomic_load(&in_vain),
       "%s: a thief stops, another takes over, each index once", mode);
    ok(n > 0, "%s: in %d of %d loops a thief did stop", mode, n, rounds);
    tweed_pool_destroy(pool);
}

int main(void)
{
    plan(4);
    watchdog();
    stops(TWEED_FENCE_MEMBARRIER, "membarrier");
    stops(TWEED_FENCE_EXCHANGE, "exchange");
    return done_testing();
}

/*
 * runs.c - how long the pieces are that a range body gets.
 *
 * SPDX-License-Identifier: MIT
 *
 * They grow while no thief is about, to an eighth of the owner's private part,
 * and fall to one block when there is one.  First by the range alone, where the
 * body itself plays the thief; then through a pool whose other workers are kept
 * busy elsewhere.
 */
#include "config.h"

#include "pools.h"
#include "range.h"

#include <string.h>

#define N 10000

static struct tweed__range range;
static struct tweed__tally tally;

static struct piece {
    int64_t begin, end;
    uint32_t private_part; /* up to mid, when the piece was handed out */
} piece[N];
static int pieces;
static int low_is_wrong; /* what thieves see of the owner is not its piece */
static int steal_at[4]; /* the pieces in which a thief comes; by number */
static int loot;

static void note(int64_t begin, int64_t end, void *arg)
{
    uint32_t b, e;
    uint32_t mid = (uint32_t)(atomic_load(&range.S) >> 38);

    (void)arg;
    if (pieces == N)
        return;
    low_is_wrong += atomic_load(&range.low) != (uint32_t)end;
    piece[pieces] = (struct piece){ begin, end, mid - (uint32_t)begin };
    for (int k = 0; k < 4; k++)
        if (steal_at[k] && steal_at[k] == pieces)
            if (tweed__range_steal(&range, 1, false, true, &tally, &b,
                                   &e) ==
                TWEED__LOOT)
                loot += (int)(e - b);
    pieces++;
}

static const struct tweed__body body = { .range = note, .lo = 0, .count = N,
                                         .grain = 1, .blocks = N };

/* One owner works through all of N blocks. */
static void work(bool asymmetric)
{
    struct tweed__owner o = { .range = &range, .body = &body, .tally = &tally,
                              .asymmetric = asymmetric };

    memset(&tally, 0, sizeof tally);
    pieces = loot = low_is_wrong = 0;
    tweed__range_clear(&range);
    tweed__range_install(&o, 0, N);
    (void)tweed__range_work(&o);
}

static int64_t length(int k)
{
    return piece[k].end - piece[k].begin;
}

/* Each piece begins where the one before it ended. */
static int contiguous(int64_t end)
{
    for (int k = 0; k < pieces; k++)
        if (piece[k].begin != (k ? piece[k - 1].end : 0) || length(k) < 1)
            return 0;
    return pieces > 0 && piece[pieces - 1].end == end;
}

static int at_most_an_eighth(void)
{
    for (int k = 0; k < pieces; k++)
        if (length(k) > 1 && length(k) > piece[k].private_part / 8)
            return 0;
    return 1;
}

static int64_t longest(void)
{
    int64_t most = 0;

    for (int k = 0; k < pieces; k++)
        most = length(k) > most ? length(k) : most;
    return most;
}

static void alone(bool asymmetric)
{
    const char *mode = asymmetric ? "membarrier" : "exchange";

    memset(steal_at, 0, sizeof steal_at);
    work(asymmetric);
    ok(contiguous(N), "%s, alone: the pieces join up", mode);
    ok(at_most_an_eighth(), "%s, alone: none is more than an eighth", mode);
    ok(length(0) == 1 && length(1) == 2 && length(2) == 4 && length(3) == 8 &&
           length(4) == 16, "%s, alone: they double at first", mode);
    ok(longest() > N / 20 && pieces < 150,
       "%s, alone: the longest has %lld blocks, and there are %d", mode,
       (long long)longest(), pieces);
}

static void with_thief(bool asymmetric)
{
    const char *mode = asymmetric ? "membarrier" : "exchange";

    steal_at[0] = 5; /* when runs are of 32 */
    steal_at[1] = 9;
    work(asymmetric);
    ok(loot > N / 4 && contiguous(N - loot),
       "%s, with a thief: the pieces join up", mode);
    ok(length(5) == 32 && length(6) == 1,
       "%s, with a thief: the next piece is one block", mode);
    ok(length(7) == 2 && length(8) == 4,
       "%s, with a thief: they grow again", mode);
    ok(low_is_wrong == 0,
       "%s, with a thief: who is told of a run's end only if it is run", mode);
    ok(length(9) == 8 && length(10) == 1,
       "%s, with a thief: and fall again", mode);
}

/* ---- through a pool; index 0 is in the share of worker 0 ---- */

static void append(int64_t begin, int64_t end, void *arg)
{
    (void)arg;
    if (pieces < N)
        piece[pieces++] = (struct piece){ begin, end, 0 };
}

static unsigned char counted[N];

static void count(int64_t begin, int64_t end, void *arg)
{
    (void)arg;
    for (int64_t i = begin; i < end; i++)
        counted[i]++;
}

static void through_a_pool(int fence, const char *mode)
{
    tweed_pool *pool = pool_of(3, fence);
    struct occupier o;
    int code, good = 1, k = 1;
    int64_t own = N / 3; /* worker 0's share; the rest it must steal */

    occupy(&o, pool);
    pieces = 0;
    code = tweed_parallel_for_range_with(pool, NULL, 0, N, append, NULL);
    occupier_end(&o);
    for (; k < pieces && piece[k - 1].end < own; k++)
        good &= piece[k].begin == piece[k - 1].end;
    ok(code == TWEED_OK && good && longest() > own / 20 && k < 200,
       "%s, a pool busy elsewhere: a share in %d pieces, the longest of %lld",
       mode, k, (long long)longest());
    ok(pieces < N / 4, "%s, a pool busy elsewhere: %d pieces in all", mode,
       pieces);
    good = 1;
    for (int again = 0; again < 20; again++) {
        memset(counted, 0, sizeof counted);
        code = tweed_parallel_for_range_with(pool, NULL, 0, N, count, NULL);
        for (int i = 0; i < N; i++)
            good &= counted[i] == 1;
    }
    ok(good && code == TWEED_OK, "%s, a pool: each index once", mode);
    tweed_pool_destroy(pool);
}

int main(void)
{
    plan(2 * 4 + 2 * 5 + 2 * 3);
    watchdog();
    alone(false);
    alone(true);
    with_thief(false);
    with_thief(true);
    through_a_pool(TWEED_FENCE_EXCHANGE, "exchange");
    through_a_pool(TWEED_FENCE_MEMBARRIER, "membarrier");
    return done_testing();
}

/*
 * sizes.c - loops of no index, of one, and of more than any word of the inside
 * can count.
 *
 * SPDX-License-Identifier: MIT
 *
 * A loop has at most 2^26 - 2 blocks.  The big ones below are checked by a bit a
 * block; a piece that does not begin and end with a block, or finds a bit set
 * already, is a mistake.  So is a first piece of more than a block: whoever takes
 * block 0 has just claimed or installed it, and takes nothing else with it.
 */
/* Each loop is published: what is called through the library remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "meet.h"
#include "base/tsan.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#define MOST_BLOCKS ((UINT64_C(1) << 26) - 2)
#define WORDS ((1 << 26) / 64 * 2)

static _Atomic uint64_t bits[WORDS];
static atomic_int bad;

static struct {
    int64_t lo, hi;
    uint64_t grain;
} loop;

static tweed_pool *pool;

/* Sets the bits [from, to), which must be clear. */
static void set(uint64_t from, uint64_t to)
{
    while (from < to) {
        uint64_t n = 64 - from % 64, mask = UINT64_MAX;

        if (n > to - from)
            n = to - from;
        if (n < 64)
            mask = ((UINT64_C(1) << n) - 1) << from % 64;
        if (atomic_fetch_or_explicit(&bits[from / 64], mask,
                                     memory_order_relaxed) & mask)
            atomic_fetch_add(&bad, 1);
        from += n;
    }
}

/* True if the bits [0, n), and no others, are set. */
static int full(uint64_t n)
{
    for (uint64_t w = 0; w < WORDS; w++) {
        uint64_t want = 0;

        if (n >= 64 * (w + 1))
            want = UINT64_MAX;
        else if (n > 64 * w)
            want = (UINT64_C(1) << (n - 64 * w)) - 1;
        if (atomic_load_explicit(&bits[w], memory_order_relaxed) != want)
            return 0;
    }
    return atomic_load(&bad) == 0;
}

static void clear(void)
{
    memset((void *)bits, 0, sizeof bits);
    atomic_store(&bad, 0);
}

static void one_bit(int64_t i, void *arg)
{
    (void)arg;
    set((uint64_t)i - (uint64_t)loop.lo, (uint64_t)i - (uint64_t)loop.lo + 1);
}

static void some_bits(int64_t begin, int64_t end, void *arg)
{
    (void)arg;
    if (begin >= end || begin < loop.lo || end > loop.hi)
        atomic_fetch_add(&bad, 1);
    else
        set((uint64_t)begin - (uint64_t)loop.lo,
            (uint64_t)end - (uint64_t)loop.lo);
}

static _Atomic uint64_t in_blocks; /* indices */
static _Atomic int alone; /* calls for one block that is not the last */

/* Whole blocks, or a piece of one, which is there when it has its last piece.  A range's
   first block is executed alone where nothing is known of the body yet. */
static void blocks(int64_t begin, int64_t end, void *arg)
{
    uint64_t from = (uint64_t)begin - (uint64_t)loop.lo;
    uint64_t to = (uint64_t)end - (uint64_t)loop.lo, block = from / loop.grain;
    bool ends = to % loop.grain == 0 || end == loop.hi;
    bool is_piece = begin < end && block == (to - 1) / loop.grain;

    (void)arg;
    atomic_fetch_add(&in_blocks, to - from);
    if (is_piece && end != loop.hi)
        atomic_fetch_add(&alone, 1);
    if (begin >= end || begin < loop.lo || end > loop.hi ||
        (!is_piece && (from % loop.grain || !ends)))
        atomic_fetch_add(&bad, 1);
    else if (ends)
        set(block, to / loop.grain + (to % loop.grain != 0));
}

/* A loop that is small enough for a bit an index, by both calls. */
static int by_index(int64_t lo, int64_t hi)
{
    uint64_t n = lo < hi ? (uint64_t)hi - (uint64_t)lo : 0;
    int good;

    loop.lo = lo;
    loop.hi = hi;
    clear();
    good = tweed_parallel_for_with(pool, NULL, lo, hi, one_bit, NULL) == 0;
    good &= full(n);
    clear();
    good &= tweed_parallel_for_range_with(pool, NULL, lo, hi, some_bits, NULL)
            == 0;
    return good & full(n);
}

/* A loop whose range body is to get blocks of `grain` by these options. */
static int by_block_with(tweed_loop_options o, int64_t lo, int64_t hi,
                         uint64_t grain)
{
    uint64_t n = (uint64_t)hi - (uint64_t)lo;

    o.size = sizeof o;
    loop.lo = lo;
    loop.hi = hi;
    loop.grain = grain;
    clear();
    in_blocks = 0;
    alone = 0;
    return tweed_parallel_for_range_with(pool, &o, lo, hi, blocks, NULL) ==
               TWEED_OK && in_blocks == n && alone > 0 &&
           full(n / loop.grain + (n % loop.grain != 0));
}

/* The least grain that there may be. */
static uint64_t least_grain(int64_t lo, int64_t hi)
{
    uint64_t n = (uint64_t)hi - (uint64_t)lo;

    return n / MOST_BLOCKS + (n % MOST_BLOCKS != 0);
}

/* With a grain of 1 asked for: blocks of the least grain. */
static int by_block(int64_t lo, int64_t hi)
{
    return by_block_with((tweed_loop_options){ .grain = 1 }, lo, hi,
                         least_grain(lo, hi));
}

/* A grain of 8 asked for, which is too small: groups of 8 stay together, and as few
   of them as will do. */
static int by_groups(int64_t lo, int64_t hi, uint64_t grain)
{
    return by_block_with((tweed_loop_options){ .grain = 8 }, lo, hi, grain);
}

/* With no grain asked for: the same, which is one index where that will do. */
static int unasked(int64_t lo, int64_t hi)
{
    return by_block_with((tweed_loop_options){ .grain = 0 }, lo, hi,
                         least_grain(lo, hi));
}

/* ... by so many workers at most. */
static int unasked_by(int workers, int64_t lo, int64_t hi)
{
    return by_block_with((tweed_loop_options){ .max_workers = workers }, lo, hi,
                         least_grain(lo, hi));
}

/* The same in a loop that worker 1 starts; until that is over the others are kept
   in bodies, so that worker 1 must come for one (see occupier). */
static void nest(int64_t i, void *arg)
{
    atomic_int *good = arg; /* -1: not known yet */

    (void)i;
    if (tweed_worker_index() == 1)
        atomic_store(good, unasked(-5, 3 * 1024 * 10 + 7));
    while (atomic_load(good) < 0)
        nap_us(200);
}

static int nested(void)
{
    atomic_int good = -1;

    return tweed_parallel_for_with(pool, NULL, 0, 3, nest, &good) == TWEED_OK &&
           atomic_load(&good) == 1;
}

/* Index bodies, of which a block is one, or two if there are more than there may
   be blocks. */
static void many(int64_t lo, int64_t hi, const char *what)
{
    if (TWEED_HAVE_TSAN) {
        skip(1, "2^26 atomic operations take too long under ThreadSanitizer");
        return;
    }
    loop.lo = lo;
    loop.hi = hi;
    clear();
    ok(tweed_parallel_for_with(pool, NULL, lo, hi, one_bit, NULL) == TWEED_OK &&
           full((uint64_t)hi - (uint64_t)lo), "%s, index body: each once", what);
}

/* What other languages call. */
static int by_default(int64_t lo, int64_t hi)
{
    int good;

    loop.lo = lo;
    loop.hi = hi;
    clear();
    good = tweed_parallel_for(lo, hi, one_bit, NULL) == TWEED_OK &&
           full((uint64_t)(hi - lo));
    clear();
    good &= tweed_parallel_for_range(lo, hi, some_bits, NULL) == TWEED_OK &&
            full((uint64_t)(hi - lo));
    return good && tweed_parallel_for(lo, hi, NULL, NULL) == TWEED_EINVAL &&
           tweed_parallel_for_range(lo, hi, NULL, NULL) == TWEED_EINVAL;
}

int main(void)
{
    static const int pools[] = { 1, 2, 8 };

    plan(3 * 5 + 8 + 9);
    watchdog();
    for (int p = 0; p < 3; p++) {
        int w = pools[p], good = 1;

        pool = pool_of(w);
        ok(by_index(5, 5) && by_index(INT64_MIN, INT64_MIN) &&
               by_index(INT64_MAX, INT64_MAX), "%d workers: empty", w);
        ok(by_index(6, 5) && by_index(0, -1) && by_index(INT64_MAX, INT64_MIN),
           "%d workers: reversed is empty", w);
        ok(by_index(5, 6) && by_index(INT64_MIN, INT64_MIN + 1) &&
               by_index(INT64_MAX - 1, INT64_MAX), "%d workers: one index", w);
        for (int n = 2; n <= 2 * w; n++)
            good &= by_index(-1, n - 1);
        ok(good, "%d workers: 2 to %d indices", w, 2 * w);
        ok(by_index(-5000, 5001), "%d workers: 10001 indices", w);
        tweed_pool_destroy(pool);
    }
    ok(by_default(-70, 5000), "the default pool");
    pool = pool_of(3);
    many(-17, (INT64_C(1) << 26) - 19, "2^26 - 2 indices");
    many(INT64_MAX - (INT64_C(1) << 26) + 1, INT64_MAX,
         "2^26 - 1 indices up to INT64_MAX");
    loop.lo = 3;
    loop.hi = 3 + (INT64_C(1) << 26) + 54321;
    clear();
    ok(tweed_parallel_for_range_with(pool, NULL, loop.lo, loop.hi, some_bits,
                                     NULL) == TWEED_OK &&
           full((UINT64_C(1) << 26) + 54321),
       "2^26 + 54321 indices, range body: each once");
    ok(by_block(-1, (INT64_C(1) << 26) - 3), "2^26 - 2 indices: a block each");
    ok(by_block(-7, (INT64_C(1) << 32) + 100),
       "more than 2^32 indices: each once, in blocks");
    ok(by_block(INT64_MIN, INT64_MAX),
       "INT64_MIN to INT64_MAX: each once, in blocks");
    ok(by_groups(-3, 600000000, 16),
       "a grain of 8 on 600 million indices: groups of 8 are not divided");
    ok(by_groups(INT64_MIN, INT64_MAX,
                 (UINT64_MAX / MOST_BLOCKS + 1 + 7) / 8 * 8),
       "... nor on INT64_MIN to INT64_MAX");
    ok(unasked(-5, 3 * 1024 * 10 + 7),
       "a range body without a grain gets blocks of one index");
    ok(unasked(-5, 3), "... where there are few");
    ok(unasked(-7, (INT64_C(1) << 32) + 100),
       "... of more than 2^32 indices, the least grain that will do");
    ok(unasked(INT64_MIN, INT64_MAX), "... of INT64_MIN to INT64_MAX");
    ok(nested(), "... in a nested loop");
    tweed_pool_destroy(pool);
    pool = pool_of(8);
    ok(unasked_by(2, -5, 2 * 1024 * 10 + 7),
       "... of a loop with two of eight workers");
    ok(unasked_by(9, -5, 8 * 1024 * 10 + 7), "... of one with nine of eight");
    tweed_pool_destroy(pool);
    pool = pool_of(40);
    ok(unasked_by(35, -5, 8 * 1024 * 10 + 7), "... of one with 35 of 40");
    tweed_pool_destroy(pool);
    return done_testing();
}

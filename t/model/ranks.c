/*
 * ranks.c - ranks that hold blocks of a loop, steal from each other, and come to its end.
 *
 * SPDX-License-Identifier: MIT
 *
 *   ranks=2
 *   blocks=4     of each loop, dealt out evenly; with lopsided=1 rank 0 holds them all
 *   lopsided=0
 *   piece=1      blocks that an owner takes at a time
 *   loops=1      one after the other; between two all ranks meet, as in MPI_Allreduce
 *   looks=0      how often a rank looks at another one, in a loop; 0: until it is over.
 *                (With looks > 0 a rank may leave a loop that is not over.)
 *
 * Below rank k of the tree is rank k + 1.  The operations of mpi/window.c are atomics, as
 * they are where all ranks are on one node; a delay is that others come in between.
 *
 * Each block is executed once; a rank leaves a loop when all its blocks were executed; at
 * the end nobody holds anything, all is counted, and each rank was told once a loop.
 */
#include "model.h"

#include "../../lib/atomic.h"

#define TWEED_MPI_WINDOW_H
#include "../../mpi/words.h"
struct tweed__ranks {
    int rank, size, failed;
    uint64_t loops;
};

#define FAN 1
#include "../../mpi/holding.c"
#include "../../mpi/end.c"

#define RANKS 4
#define BLOCKS 12
#define LOOPS 3

static _Atomic uint64_t word[RANKS][3]; /* HELD, DONE, OVER */
static struct tweed__ranks place[RANKS];
static int ranks, blocks, lopsided, piece, loops, looks;

static struct {
    MODEL_MARK(unsigned char) times[LOOPS][BLOCKS];
    MODEL_MARK(unsigned char) arrived[LOOPS]; /* ranks, at the beginning */
} got;

/* ---- the operations, as window.c's on one node ---- */

uint64_t tweed__window_read(struct tweed__ranks *r, int rank, int k)
{
    (void)r;
    return load_acquire(&word[rank][k]);
}

uint64_t tweed__window_cas(struct tweed__ranks *r, int rank, int k, uint64_t expected,
                           uint64_t desired)
{
    (void)r;
    (void)cas_acq_rel(&word[rank][k], &expected, desired);
    return expected;
}

uint64_t tweed__window_add(struct tweed__ranks *r, int rank, int k, uint64_t n)
{
    (void)r;
    return fetch_add_acq_rel(&word[rank][k], n);
}

/* ---- a rank ---- */

static bool have_arrived(void *arg)
{
    return mark_of(got.arrived[(intptr_t)arg]) == ranks;
}

static void meet(int loop)
{
    (void)mark_one_more(got.arrived[loop]);
    model_await(have_arrived, (void *)(intptr_t)loop);
}

static uint64_t execute(int loop, const struct tweed__blocks *b)
{
    model_assert(b->begin < b->end && b->end <= (uint32_t)blocks);
    for (uint32_t i = b->begin; i < b->end; i++) {
        unsigned char before = mark_one_more(got.times[loop][i]);

        model_assert(before == 0);
    }
    return b->end - b->begin;
}

static uint32_t wanted(uint32_t left, const void *arg)
{
    (void)left, (void)arg;
    return (uint32_t)piece;
}

/* As take() and keep_piece() in mpi/drive.c. */
static bool take(struct tweed__ranks *r, struct tweed__blocks *b)
{
    uint32_t end;
    int victim;

    if (tweed__holding_claim(r, wanted, NULL, b))
        return true;
    victim = (r->rank + 1 + (ranks > 2 ? model_choose(ranks - 1) : 0)) % ranks;
    if (!tweed__holding_steal(r, victim, load_relaxed(&word[victim][TWEED__HELD]), b))
        return false;
    end = b->end;
    if (b->begin + (uint32_t)piece < end) {
        b->end = b->begin + (uint32_t)piece;
        tweed__holding_put(r, b->end, end);
    }
    return true;
}

static bool all_is_done(int loop)
{
    for (int i = 0; i < blocks; i++)
        if (mark_of(got.times[loop][i]) != 1)
            return false;
    return true;
}

/* Where its share begins; the one of the next rank is its end. */
static uint32_t share_begin(int rank)
{
    return (uint32_t)(lopsided ? (rank > 0) * blocks : blocks * rank / ranks);
}

/* Nothing that is over makes states differ. */
static void forget(struct tweed__blocks *b)
{
    b->begin = 0;
    b->end = 0;
}

/* As drive() in mpi/drive.c. */
static void drive(struct tweed__ranks *r, int loop)
{
    uint32_t begin = share_begin(r->rank), end = share_begin(r->rank + 1);
    struct tweed__blocks b;
    uint64_t done = 0, total = 0;

    r->loops++;
    forget(&b);
    if (begin < end)
        tweed__holding_put(r, begin, end);
    for (int n = 0; !looks || n < looks;) {
        if (take(r, &b)) {
            done += execute(loop, &b);
            forget(&b);
            continue;
        }
        forget(&b);
        tweed__end_count(r, done, &total);
        done = 0;
        if (tweed__end_is_over(r, total, (uint64_t)blocks)) {
            model_assert(all_is_done(loop));
            tweed__end_tell(r);
            return;
        }
        n += looks > 0;
    }
}

static void rank_of(void *arg)
{
    struct tweed__ranks *r = &place[(intptr_t)arg];

    for (int loop = 0; loop < loops; loop++) {
        meet(loop);
        drive(r, loop);
    }
}

static void verify(void)
{
    for (int loop = 0; loop < loops && !looks; loop++)
        model_assert(all_is_done(loop));
    for (int k = 0; k < ranks && !looks; k++) {
        model_assert(!tweed__holding_size(load_relaxed(&word[k][TWEED__HELD])));
        model_assert(load_relaxed(&word[k][TWEED__DONE]) == 0);
        model_assert(load_relaxed(&word[k][TWEED__OVER]) == (k ? (uint64_t)loops : 0));
    }
}

void model_setup(void)
{
    ranks = MODEL_NUMBER(ranks, 2);
    blocks = MODEL_NUMBER(blocks, 4);
    lopsided = MODEL_NUMBER(lopsided, 0);
    piece = MODEL_NUMBER(piece, 1);
    loops = MODEL_NUMBER(loops, 1);
    looks = MODEL_NUMBER(looks, 0);
    model_assert(ranks <= RANKS && blocks <= BLOCKS && loops <= LOOPS);
    for (int k = 0; k < ranks; k++) {
        place[k].rank = k;
        place[k].size = ranks;
        model_place(&word[k][TWEED__HELD], sizeof word[k][0], "held");
        model_place(&word[k][TWEED__DONE], sizeof word[k][0], "done");
        model_place(&word[k][TWEED__OVER], sizeof word[k][0], "over");
    }
    model_memory(place, sizeof place);
    model_memory(&got, sizeof got);
    for (int k = 0; k < ranks; k++)
        model_thread(rank_of, (void *)(intptr_t)k, false);
    model_verify(verify);
}

/*
 * kinds.c - bodies of one, two and three dimensions, by pointer and in place; with
 * scratch.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "soak.h"

#include <stdlib.h>

/* ---- one dimension ---- */

static void index_body(int64_t i, void *arg)
{
    loop_index(arg, offset_of(arg, i));
}

int run_index(tweed_pool *pool, struct loop *l)
{
    return tweed_parallel_for_with(pool, &l->options, l->lo, l->hi, index_body, l);
}

static void range_body(int64_t begin, int64_t end, void *arg)
{
    loop_range(arg, offset_of(arg, begin), offset_of(arg, end));
}

int run_range(tweed_pool *pool, struct loop *l)
{
    return tweed_parallel_for_range_with(pool, &l->options, l->lo, l->hi, range_body,
                                         l);
}

TWEED_LOOP(soak_loop, i, struct loop *, l)
{
    loop_index(l, offset_of(l, i));
}

int run_in_place(tweed_pool *pool, struct loop *l)
{
    return soak_loop_with(pool, &l->options, l->lo, l->hi, l);
}

/* ---- two and three ---- */

/* The offset of an index, which may not be in the loop. */
static uint64_t offset_in(const struct loop *l, int dimensions, const int64_t *at)
{
    uint64_t k = 0;

    for (int d = 0; d < dimensions; d++) {
        uint64_t count = (uint64_t)l->past[d] - (uint64_t)l->base[d];
        uint64_t here = (uint64_t)at[d] - (uint64_t)l->base[d];

        if (here >= count)
            return l->n;
        k = k * count + here;
    }
    return k;
}

static void pair(struct loop *l, int64_t i, int64_t j)
{
    const int64_t at[] = { i, j };

    loop_index(l, offset_in(l, 2, at));
}

static void triple(struct loop *l, int64_t i, int64_t j, int64_t k)
{
    const int64_t at[] = { i, j, k };

    loop_index(l, offset_in(l, 3, at));
}

TWEED_LOOP_2D(soak_plane, i, j, struct loop *, l)
{
    pair(l, i, j);
}

int run_plane(tweed_pool *pool, struct loop *l)
{
    return soak_plane_with(pool, &l->options, l->base[0], l->past[0], l->base[1],
                           l->past[1], l);
}

static void pair_body(int64_t i, int64_t j, int64_t k, void *arg)
{
    pair(arg, i, j + k);
}

int run_pairs(tweed_pool *pool, struct loop *l)
{
    tweed_space space = tweed_space_2d(l->base[0], l->past[0], l->base[1], l->past[1]);

    return tweed_parallel_for_space(pool, &l->options, &space, pair_body, l);
}

TWEED_LOOP_3D(soak_space, i, j, k, struct loop *, l)
{
    triple(l, i, j, k);
}

int run_space(tweed_pool *pool, struct loop *l)
{
    return soak_space_with(pool, &l->options, l->base[0], l->past[0], l->base[1],
                           l->past[1], l->base[2], l->past[2], l);
}

static void box_body(const tweed_tile *t, void *arg)
{
    struct loop *l = arg;

    add(&l->boxes, 1);
    for (int64_t i = t->lo[0]; i < t->hi[0]; i++)
        for (int64_t j = t->lo[1]; j < t->hi[1]; j++)
            for (int64_t k = t->lo[2]; k < t->hi[2]; k++)
                triple(l, i, j, k);
}

int run_boxes(tweed_pool *pool, struct loop *l)
{
    tweed_space space = tweed_space_3d(l->base[0], l->past[0], l->base[1], l->past[1],
                                       l->base[2], l->past[2]);

    return tweed_parallel_for_tiles(pool, &l->options, &space, box_body, l);
}

/* ---- scratch ---- */

#define BINS 16

/* Counted in by a loop, and by the loops of this kind inside it. */
struct histogram {
    tweed_scratch *scratch;
    _Atomic uint64_t counted;
};

struct block {
    const struct loop *inside; /* whose body has the block; NULL: none */
    uint64_t bins[BINS];
};

static void count_body(int64_t i, void *arg)
{
    struct loop *l = arg;
    uint64_t k = offset_of(l, i);
    struct block *b = tweed_scratch_get(l->histogram->scratch);

    if (!b) {
        fail(l, "no block of scratch");
        return;
    }
    if (b->inside)
        fail(l, "another body has the block");
    b->inside = l;
    loop_index(l, k); /* loops inside, too */
    if (b->inside != l)
        fail(l, "another body had the block");
    b->inside = NULL;
    b->bins[k % BINS]++;
    add(&l->histogram->counted, 1);
}

static void merge(const struct loop *l, const struct histogram *h)
{
    uint64_t sum = 0;

    for (struct block *b = tweed_scratch_next(h->scratch, NULL); b;
         b = tweed_scratch_next(h->scratch, b)) {
        if (b->inside)
            fail(l, "a body still has its block");
        for (int k = 0; k < BINS; k++)
            sum += b->bins[k];
    }
    if (sum != h->counted)
        fail(l, "the blocks have %" PRIu64 " counts, not %" PRIu64, sum, h->counted);
}

int run_histogram(tweed_pool *pool, struct loop *l)
{
    struct histogram own = { .scratch = NULL };
    int code;

    if (!l->histogram) {
        if (tweed_scratch_create(&own.scratch, sizeof(struct block), NULL) != TWEED_OK) {
            say("soak: no scratch\n");
            exit(99);
        }
        l->histogram = &own;
    }
    code = tweed_parallel_for_with(pool, &l->options, l->lo, l->hi, count_body, l);
    if (l->histogram == &own) {
        merge(l, &own);
        tweed_scratch_destroy(own.scratch);
        l->histogram = NULL;
    }
    return code;
}

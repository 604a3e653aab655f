/*
 * folds.c - bodies of sums, reductions and scans: what comes out is compared, bit by
 * bit, with what one thread makes in the order that tweed/reduce.h promises.
 *
 * SPDX-License-Identifier: MIT
 *
 * An element knows which indices it is made of, so that each addition sees whether it
 * is of neighbours.
 */
#include "config.h"

#include "soak.h"

#include "loop/partials.h"

#include <stdlib.h>

struct extent {
    double sum;
    uint64_t first, past; /* offsets; the same: none */
    struct loop *loop;
};

static const struct extent nothing = { 0, 0, 0, NULL };

static uint64_t bits_at(const struct loop *l, uint64_t k)
{
    uint64_t state = l->seed ^ k;

    return draw(&state);
}

/* Numbers of very different size: the order of additions shows. */
static double value_at(const struct loop *l, uint64_t k)
{
    return (double)(bits_at(l, k) >> bits_at(l, k) % 60);
}

static void extend(struct extent *e, struct loop *l, uint64_t k)
{
    if (e->first == e->past)
        *e = (struct extent){ 0, k, k, l };
    if (e->past != k)
        fail(l, "offset %" PRIu64 " is added behind %" PRIu64, k, e->past);
    e->sum += value_at(l, k);
    e->past = k + 1;
}

static void combine(struct extent *into, const struct extent *from)
{
    if (from->first == from->past)
        return;
    if (into->first == into->past) {
        *into = *from;
        return;
    }
    if (into->past != from->first)
        fail(from->loop, "a part from offset %" PRIu64 " is added behind %" PRIu64,
             from->first, into->past);
    into->sum += from->sum;
    into->past = from->past;
}

/* ---- reductions ---- */

/* Blocks [from, past) in the tree: what is left of the middle is a power of two. */
static struct extent tree(struct loop *l, uint64_t grain, uint64_t from, uint64_t past)
{
    struct extent e = nothing, right;
    uint64_t half = 1;

    if (past - from == 1) {
        uint64_t end = l->n - from * grain > grain ? (from + 1) * grain : l->n;

        for (uint64_t k = from * grain; k < end; k++)
            extend(&e, l, k);
        return e;
    }
    while (2 * half < past - from)
        half *= 2;
    e = tree(l, grain, from, from + half);
    right = tree(l, grain, from + half, past);
    combine(&e, &right);
    return e;
}

static struct extent expected(struct loop *l)
{
    uint64_t grain;

    if (l->n == 0)
        return nothing;
    grain = tweed_reduction_grain_(l->n, (uint64_t)l->options.grain, sizeof(struct extent));
    return tree(l, grain, 0, partials_blocks(l->n, grain));
}

static int reduced(struct loop *l, const struct extent *result, int code)
{
    struct extent e = code == TWEED_OK ? expected(l) : nothing;

    if (result->first != e.first || result->past != e.past ||
        memcmp(&result->sum, &e.sum, sizeof e.sum) != 0)
        fail(l, "offsets %" PRIu64 " to %" PRIu64 " give %a, not %a", result->first,
             result->past, result->sum, e.sum);
    return code;
}

TWEED_REDUCE(struct extent, soak_reduce, nothing, combine, e, i, struct loop *, l)
{
    uint64_t k = offset_of(l, i);

    loop_index(l, k);
    extend(e, l, k);
}

int run_reduce(tweed_pool *pool, struct loop *l)
{
    struct extent result = nothing;
    int code = soak_reduce_with(pool, &l->options, l->lo, l->hi, l, &result);

    return reduced(l, &result, code);
}

static void fold_body(int64_t begin, int64_t end, void *element, void *arg)
{
    struct loop *l = arg;

    for (; begin < end; begin++) {
        uint64_t k = offset_of(l, begin);

        loop_index(l, k);
        extend(element, l, k);
    }
}

static void combine_by_pointer(void *into, const void *from, void *arg)
{
    (void)arg;
    combine(into, from);
}

int run_fold(tweed_pool *pool, struct loop *l)
{
    const tweed_reduction r = { sizeof r, sizeof nothing, _Alignof(struct extent),
                                &nothing, fold_body, combine_by_pointer };
    struct extent result = nothing;
    int code = tweed_parallel_reduce_with(pool, &l->options, l->lo, l->hi, &r, l,
                                          &result);

    return reduced(l, &result, code);
}

/* Of whole numbers: in any order the same. */
TWEED_SUM(uint64_t, soak_sum, i, struct loop *, l)
{
    uint64_t k = offset_of(l, i);

    loop_index(l, k);
    return bits_at(l, k);
}

int run_sum(tweed_pool *pool, struct loop *l)
{
    uint64_t result = 0, sum = 0;
    int code = soak_sum_with(pool, &l->options, l->lo, l->hi, l, &result);

    for (uint64_t k = 0; code == TWEED_OK && k < l->n; k++)
        sum += bits_at(l, k);
    if (result != sum)
        fail(l, "the sum is %" PRIu64 ", not %" PRIu64, result, sum);
    return code;
}

/* ---- scans ---- */

struct scan {
    struct loop *loop;
    uint64_t *written; /* what each index has written */
};

/* A scan's element has whole numbers in its sum, so that it is what one thread gets. */
static void scan_index(const struct scan *s, int64_t i, struct extent *e, int writes)
{
    struct loop *l = s->loop;
    uint64_t k = offset_of(l, i);

    if (e->first == e->past)
        *e = (struct extent){ 0, k, k, l };
    if (e->past != k || (writes && e->first != 0))
        fail(l, "offset %" PRIu64 " is added to %" PRIu64 " to %" PRIu64, k, e->first,
             e->past);
    e->sum += (double)(bits_at(l, k) >> 40);
    e->past = k + 1;
    if (!writes)
        return;
    loop_index(l, k);
    s->written[k] = (uint64_t)e->sum;
}

TWEED_SCAN(struct extent, soak_scan, nothing, combine, e, writes, i, const struct scan *, s)
{
    scan_index(s, i, e, writes);
}

static void sweep_body(int64_t begin, int64_t end, void *element, int writes, void *arg)
{
    for (; begin < end; begin++)
        scan_index(arg, begin, element, writes);
}

/* Elements are so small that there is one part: the outcome is that of the last pass,
   and the second pass never has all indices. */
static void scanned(const struct scan *s, const struct extent *result, int code)
{
    struct loop *l = s->loop;
    uint64_t sum = 0;

    for (uint64_t k = 0; code == TWEED_OK && k < l->n; k++) {
        sum += bits_at(l, k) >> 40;
        if (s->written[k] != sum) {
            fail(l, "offset %" PRIu64 " has written %" PRIu64 ", not %" PRIu64, k,
                 s->written[k], sum);
            return;
        }
    }
    if (code != TWEED_OK) { /* it was refused */
        if (result->past != nothing.past)
            fail(l, "a scan of no index ends with %" PRIu64, (uint64_t)result->sum);
        l->counted = 0;
        return;
    }
    if ((uint64_t)result->sum != sum || result->past != l->n)
        fail(l, "the scan ends with %" PRIu64 ", not %" PRIu64, (uint64_t)result->sum,
             sum);
    l->counted = l->n;
    if (l->outcome.ran < l->n) {
        l->passes++;
        l->counted += l->outcome.ran;
    }
}

static struct scan begin_scan(struct loop *l)
{
    struct scan s = { l, calloc((size_t)l->n + 1, sizeof *s.written) };

    if (!s.written) {
        say("soak: out of memory\n");
        exit(99);
    }
    return s;
}

int run_scan(tweed_pool *pool, struct loop *l)
{
    struct scan s = begin_scan(l);
    struct extent result = nothing;
    int code = soak_scan_with(pool, &l->options, l->lo, l->hi, &s, &result);

    scanned(&s, &result, code);
    free(s.written);
    return code;
}

int run_sweep(tweed_pool *pool, struct loop *l)
{
    struct scan s = begin_scan(l);
    const tweed_scan_spec how = { sizeof how, sizeof nothing, _Alignof(struct extent),
                             &nothing, sweep_body, combine_by_pointer };
    struct extent result = nothing;
    int code = tweed_parallel_scan_with(pool, &l->options, l->lo, l->hi, &how, &s,
                                        &result);

    scanned(&s, &result, code);
    free(s.written);
    return code;
}

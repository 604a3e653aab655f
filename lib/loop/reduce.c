/*
 * reduce.c - reductions: where partial results lie, and how they become one.
 *
 * SPDX-License-Identifier: MIT
 *
 * The part that is compiled into programs (tweed/partials.h) executes blocks and puts their
 * elements into an array, in the order of the blocks.  This file divides the loop into
 * blocks, makes the array, and combines the elements at the end.
 *
 * THE TREE.  Elements are combined with a partner 1, 2, 4, ... places away.  So 64
 * consecutive elements, from a multiple of 64 on, combined are a part of the tree (as are
 * those of any other power of two).  A worker that has executed a whole group of 64
 * combines the group while it is in its cache.  At the end the caller finds one element
 * for each such group, next to each other.  The caller itself combines a group of which
 * several walks have executed blocks; such groups are at the ends of ranges.  No worker
 * waits for a partner, and the caller has a 64th of the work.
 *
 * WHICH THREAD WRITES WHAT.  The element of a block, and of a group, is written by the
 * worker that has claimed the block, or all blocks of the group.  The caller reads the
 * elements after the loop's end, which orders that (sleep.c).
 *
 * WITHOUT MEMORY the loop is divided into parts of a power of two of blocks, which are run
 * one after the other, as loops of their own.  The tree is the same.
 */
#include "config.h"

#include "base/shield.h"
#include "loop/loop.h"
#include "loop/partials.h"

#include <stdlib.h>
#include <string.h>
#include <tweed/sized.h>

/* A loop that was asked for, and how it is divided; or a part of it. */
struct loop {
    tweed_kind *kind;
    tweed_pool *pool;
    const tweed_loop_options *options; /* with the grain */
    void (*fn)(void);
    uint64_t lo, count, grain; /* indices: the first; how many, of all and of a block */
    uint32_t blocks;
    bool begun; /* a part before it has been run */
};

static uint32_t groups_of(uint32_t blocks)
{
    return (blocks + TWEED_GROUP_ - 1) / TWEED_GROUP_;
}

/* The memory for so many blocks; SIZE_MAX: more than there is. */
static size_t bytes_of(uint32_t blocks, const struct tweed_partials_ *p)
{
    size_t groups = groups_of(blocks);
    size_t bytes = partials_bytes(blocks + groups, p->stride, p->alignment);

    return bytes < SIZE_MAX - groups ? bytes + groups : SIZE_MAX;
}

static void lay_out(struct tweed_partials_ *p, void *memory, uint32_t blocks)
{
    size_t groups = groups_of(blocks);

    p->blocks = partials_align(memory, p->alignment);
    p->groups = (char *)p->blocks + blocks * p->stride;
    p->folded = (unsigned char *)p->groups + groups * p->stride;
    p->executed = 0;
    if (p->zeroed)
        memset(p->blocks, 0, (blocks + groups) * p->stride);
    memset(p->folded, 0, groups);
}

static void *element_of(const struct tweed_partials_ *p, void *array, uint32_t k)
{
    return (char *)array + k * p->stride;
}

/* Makes the element of a group of n blocks, all of which are done. */
static void fold_group(struct tweed_partials_ *p, uint32_t group, uint32_t n)
{
    void *first = element_of(p, p->blocks, group * TWEED_GROUP_);

    p->fold(p, first, n);
    memcpy(element_of(p, p->groups, group), first, p->element);
    p->folded[group] = 1;
}

/* Combines all elements into one, and copies it to `to`. */
static void fold(struct tweed_partials_ *p, uint32_t blocks, void *to)
{
    uint32_t groups = groups_of(blocks);

    for (uint32_t g = 0; g < groups; g++) {
        uint32_t n = blocks - g * TWEED_GROUP_;

        if (!p->folded[g])
            fold_group(p, g, n < TWEED_GROUP_ ? n : TWEED_GROUP_);
    }
    p->fold(p, p->groups, groups);
    memcpy(to, p->groups, p->element);
}

/* Runs the loop with its elements in `memory`.  *done: all of it was executed, and
   the result is in `to`. */
static int run_in(void *memory, const struct loop *l, struct tweed_partials_ *p,
                  void *to, bool *done)
{
    int code;

    lay_out(p, memory, l->blocks);
    code = partials_run(l->kind, l->pool, l->options, l->begun, l->lo, l->lo + l->count, l->fn,
                        p);
    *done = code == TWEED_OK && p->executed == l->blocks;
    p->stopped |= !*done;
    if (*done || p->zeroed)
        fold(p, l->blocks, to);
    return code;
}

/* ---- without memory ---- */

/* How many blocks make a part: a power of two, so that a part has about as many blocks as
   there are parts. */
static uint32_t blocks_of_part(uint32_t blocks)
{
    uint32_t n = 1;

    while ((uint64_t)n * n < blocks)
        n *= 2;
    return n;
}

static struct loop part_of(const struct loop *all, uint32_t first, uint32_t most)
{
    struct loop part = *all;
    uint64_t before = first * all->grain, left = all->count - before;

    part.lo += before;
    part.begun = first > 0;
    part.blocks = all->blocks - first < most ? all->blocks - first : most;
    part.count = left < most * all->grain ? left : most * all->grain;
    return part;
}

/* The parts have one time limit, and one outcome. */
struct limits {
    uint64_t deadline; /* 0: none */
    uint64_t ran;      /* indices of the parts so far */
};

/* After a part: adds its outcome to that of the whole loop. */
static void sum_up(struct limits *l, const struct loop *all, int code)
{
    tweed_outcome *o = all->options->outcome;

    if (!o || !loop_has_end(code))
        return;
    l->ran += o->ran;
    tweed__loop_report(o, &(struct tweed__end){
                              .ran = l->ran, .index = (int64_t)(all->lo + all->count) });
}

static int run_parts(const struct loop *l, struct tweed_partials_ *p)
{
    tweed_loop_options options = *l->options;
    struct limits limits = { .deadline = partials_deadline(&options) };
    uint32_t size = blocks_of_part(l->blocks), parts = 0;
    size_t bytes = bytes_of(size, p);
    size_t more = partials_bytes(l->blocks / size + 1, p->stride, p->alignment);
    bool done = true;
    int code = TWEED_OK;
    char *memory, *results;

    options.weights = NULL; /* which are those of all indices */
    if (bytes > TWEED__SPARE_BYTES || more > TWEED__SPARE_BYTES - bytes)
        return tweed_fail_(TWEED_ENOMEM, "for elements of %zu bytes", p->element);
    memory = __builtin_alloca(bytes);
    results = partials_align(__builtin_alloca(more), p->alignment);
    for (uint32_t k = 0; done && k < l->blocks; k += size) {
        struct loop part = part_of(l, k, size);

        partials_limit(&options, limits.deadline);
        part.options = &options;
        code = run_in(memory, &part, p, results + parts++ * p->stride, &done);
        sum_up(&limits, l, code);
    }
    if (done || p->zeroed) {
        p->fold(p, results, parts);
        memcpy(p->result, results, p->element);
    }
    return code;
}

/* ---- with memory ---- */

static int run_on_stack(const struct loop *l, struct tweed_partials_ *p)
{
    bool done;

    return run_in(__builtin_alloca(bytes_of(l->blocks, p)), l, p, p->result, &done);
}

static int run_allocated(const struct loop *l, struct tweed_partials_ *p, size_t bytes)
{
    struct shield shield = shield_up();
    void *memory = bytes < SIZE_MAX ? malloc(bytes) : NULL;
    bool done;
    int code = memory ? run_in(memory, l, p, p->result, &done) : run_parts(l, p);

    free(memory);
    shield_down(shield);
    return code;
}

/* ---- the calls ---- */

/* The least multiple of the asked-for grain that has TWEED_PIECE_ indices or more. */
static uint64_t piece_of(uint64_t asked)
{
    return asked ? asked * ((TWEED_PIECE_ - 1) / asked + 1) : TWEED_PIECE_;
}

int tweed_loop_run_reduce_(tweed_pool *pool, const tweed_loop_options *options,
                           int64_t lo, int64_t hi, tweed_kind *kind, void (*fn)(void),
                           struct tweed_partials_ *p)
{
    tweed_loop_options known = TWEED_LOOP_OPTIONS_INIT;
    struct loop l = { .kind = kind, .pool = pool, .options = &known, .fn = fn };
    size_t bytes;
    int code = partials_options(&known, options);

    if (code != TWEED_OK)
        return code;
    if (lo >= hi)
        return partials_of_none(kind, pool, &known, lo, hi, fn, p->identity, p->element,
                                p->result);
    l.lo = (uint64_t)lo;
    l.count = (uint64_t)hi - (uint64_t)lo;
    l.grain = tweed_reduction_grain_(l.count, (uint64_t)known.grain, p->stride);
    l.blocks = partials_blocks(l.count, l.grain);
    p->piece = piece_of((uint64_t)known.grain);
    known.grain = (int64_t)l.grain;
    bytes = bytes_of(l.blocks, p);
    return bytes <= TWEED__STACK_BYTES ? run_on_stack(&l, p)
                                       : run_allocated(&l, p, bytes);
}

/* ---- by pointer ---- */

/* Elements up to this size are accumulated on the worker's stack, away from other workers'
   elements. */
#define APART_BYTES 4096

struct by_pointer {
    const tweed_reduction *reduction;
    void *arg;
};

static void fold_by_pointer(const struct tweed_partials_ *p, void *first, uint32_t n)
{
    const struct by_pointer *b = p->arg;

    for (uint32_t step = 1; step < n; step *= 2)
        for (uint32_t k = 0; k + step < n; k += 2 * step)
            b->reduction->combine(element_of(p, first, k),
                                  element_of(p, first, k + step), b->arg);
}

/* The indices [first, past) of a block. */
static void run_block(tweed_cursor *c, const struct tweed_partials_ *p, int64_t first,
                      int64_t past, void *element)
{
    const struct by_pointer *b = p->arg;
    const uint64_t n = tweed_span_(first, past);

    TWEED_EQUAL_PIECES_(c, i, stop, n, p->piece)
        b->reduction->body(first + (int64_t)i, first + (int64_t)stop, element, b->arg);
}

/* The next blocks of a walk, up to `stop`; own: an element of the worker's, or null. */
static void run_blocks(tweed_cursor *c, struct tweed_walk_ *w, struct tweed_partials_ *p,
                       uint32_t stop, void *own)
{
    for (; w->next < stop; tweed_walk_on_(w)) {
        void *place = element_of(p, p->blocks, w->next);
        void *element = own ? own : place;

        memcpy(element, p->identity, p->element);
        run_block(c, p, tweed_walk_first_(w), tweed_walk_past_(w), element);
        if (own)
            memcpy(place, own, p->element);
    }
}

static void work_by_pointer(tweed_cursor *c)
{
    struct tweed_partials_ *p = c->arg;
    struct tweed_walk_ w = tweed_walk_begin_(c);
    size_t apart = partials_bytes(1, p->stride, p->alignment);
    void *own = NULL;
    uint32_t group, n;

    if (apart <= APART_BYTES)
        own = partials_align(__builtin_alloca(apart), p->alignment);
    do {
        tweed_walk_claim_(&w, c);
        do {
            run_blocks(c, &w, p, tweed_walk_stop_(&w), own);
            n = tweed_walk_group_(&w, &group);
            if (n)
                fold_group(p, group, n);
        } while (w.next < w.end);
    } while (tweed_next(c));
    tweed_walk_end_(&w, &p->executed);
}

static tweed_kind pointer_kind =
    TWEED_KIND_INIT_(TWEED_CLAIM_NS_, work_by_pointer, "reduction");

int tweed_parallel_reduce_with(tweed_pool *pool, const tweed_loop_options *options,
                               int64_t lo, int64_t hi,
                               const tweed_reduction *reduction, void *arg,
                               void *result)
{
    tweed_reduction r;
    struct by_pointer b = { &r, arg };
    struct tweed_partials_ p = { .size = sizeof p,
                                .result = result,
                                .arg = &b,
                                .fold = fold_by_pointer };

    if (!reduction || !result)
        return reduction ? TWEED_LACKS_("result") : TWEED_LACKS_("reduction");
    if (!tweed_sized_read_(&r, sizeof r, reduction))
        return tweed_sized_fail_("tweed_reduction", reduction, sizeof r);
    if (!r.identity || !r.body || !r.combine)
        return partials_lack("tweed_reduction", r.identity, r.body != NULL);
    p.stride = tweed_element_stride_(r.element_size, r.alignment);
    if (!p.stride)
        return partials_no_element("tweed_reduction", r.element_size, r.alignment);
    p.element = r.element_size;
    p.alignment = r.alignment;
    p.identity = r.identity;
    return tweed_loop_run_reduce_(pool, options, lo, hi, &pointer_kind,
                                  TWEED_BODY_(r.body), &p);
}

int tweed_parallel_reduce(int64_t lo, int64_t hi, const tweed_reduction *reduction,
                          void *arg, void *result)
{
    return tweed_parallel_reduce_with(NULL, NULL, lo, hi, reduction, arg, result);
}

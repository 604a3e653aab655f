/*
 * scan.c - scans: how a loop is divided into parts, and what a block begins with.
 *
 * SPDX-License-Identifier: MIT
 *
 * The part that is compiled into programs (tweed/scan.h) executes blocks.  This file
 * divides the loop into parts.  A part is run twice.  The first loop adds up the blocks.
 * Then the caller makes of the sums the element that each block begins with, its prefix.
 * The second loop runs the blocks that are not written yet once more, and writes.  The
 * element that the last block ends with is the next part's first prefix.
 *
 * WHICH THREAD WRITES WHAT.  The worker that has claimed a block writes the block's
 * element; between the two loops the caller does.  The worker that has claimed the first
 * block writes how many blocks are written.  The worker that has claimed the last block
 * writes the element that the block ends with.  The end of a loop, and the beginning of
 * one, order that (sleep.c, publish.c).
 *
 * THE SAME BITS.  A block's sum begins with the identity.  The prefix of a block is the
 * prefix of its left neighbour, combined with the neighbour's sum: in make_prefixes(), and
 * in a walk that leads, which adds up each block from the identity for this sum alone.
 */
#include "config.h"

#include "loop/loop.h"
#include "loop/partials.h"

#include <string.h>
#include <tweed/sized.h>

#define MOST_BLOCKS 256 /* of a part */
#define LEAST_BLOCKS 24 /* of a part, however large its elements are */
#define FEW_BLOCKS 64   /* of a short scan */
#define MOST_INDICES 1024 /* of a block, unless more are to stay together */
#define MOST_BYTES 1024 /* of an element, and of its alignment */
#define ROOM ((size_t)(LEAST_BLOCKS + 3) * MOST_BYTES) /* for all elements of a part */

/* A scan that was asked for, and how it is divided. */
struct scan {
    tweed_kind *sum, *write;
    tweed_pool *pool;
    tweed_loop_options *options; /* with the grain, and the time that is left */
    uint64_t deadline; /* 0: none */
    uint64_t lo;       /* the first index */
    void (*fn)(void);
    struct tweed_prefixes_ *p;
    uint64_t grain; /* the indices of a block */
    uint32_t blocks; /* of a part, at most */
};

/* Blocks of a part, when an element takes so many bytes. */
static uint32_t most_blocks(size_t stride)
{
    size_t most = TWEED__STACK_BYTES / stride;

    return most < LEAST_BLOCKS  ? LEAST_BLOCKS
           : most > MOST_BLOCKS ? MOST_BLOCKS
                                : (uint32_t)most;
}

/* The indices of a block of a scan of count > 0 indices: a multiple of the asked-for
   grain. */
static uint64_t scan_grain(uint64_t count, uint64_t asked)
{
    uint64_t wanted = (count - 1) / FEW_BLOCKS + 1;
    uint64_t most = wanted < MOST_INDICES ? wanted : MOST_INDICES;

    return asked ? ((most - 1) / asked + 1) * asked : most;
}

static void *element_of(const struct tweed_prefixes_ *p, uint32_t k)
{
    return (char *)p->blocks + k * p->stride;
}

/* Runs the blocks from `first` on, one at least, of the part of count indices at lo. */
static int run_pass(const struct scan *s, tweed_kind *kind, uint64_t lo,
                    uint64_t count, uint32_t first, bool *done)
{
    struct tweed_prefixes_ *p = s->p;
    uint32_t n = partials_blocks(count, s->grain) - first;
    void *blocks = p->blocks;
    bool begun = kind == s->write || lo != s->lo;
    int code;

    p->executed = 0;
    partials_limit(s->options, s->deadline);
    p->blocks = element_of(p, first);
    code = partials_run(kind, s->pool, s->options, begun, lo + first * s->grain, lo + count,
                        s->fn, p);
    p->blocks = blocks;
    *done = code == TWEED_OK && p->executed == n;
    return code;
}

/* The elements of blocks from `first` on become their prefixes; *before is the prefix of
   the part.  spare: room for an element. */
static void make_prefixes(struct tweed_prefixes_ *p, uint32_t first, uint32_t blocks,
                          void *before, void *spare)
{
    for (uint32_t k = 0; k < blocks; k++) {
        memcpy(spare, element_of(p, k), p->element);
        if (k >= first)
            memcpy(element_of(p, k), before, p->element);
        if (k + 1 < blocks)
            p->combine(p, before, spare);
    }
}

/* One part.  Behind the blocks' elements: the prefix of the part, and then of the next
   part; and room for an element. */
static int run_part(const struct scan *s, uint64_t lo, uint64_t count, bool *done)
{
    struct tweed_prefixes_ *p = s->p;
    uint32_t blocks = partials_blocks(count, s->grain);
    int code;

    p->written = 0;
    code = run_pass(s, s->sum, lo, count, 0, done);
    if (!*done || p->written == blocks)
        return code;
    make_prefixes(p, p->written, blocks, element_of(p, blocks),
                  element_of(p, blocks + 1));
    return run_pass(s, s->write, lo, count, p->written, done);
}

/* All parts.  memory: room for the elements of a part, and for two more. */
static int run_parts(const struct scan *s, uint64_t lo, uint64_t count, void *memory)
{
    struct tweed_prefixes_ *p = s->p;
    uint64_t part = s->grain < UINT64_MAX / s->blocks ? s->grain * s->blocks
                                                      : UINT64_MAX;
    const void *before = p->identity;
    bool done = true;
    int code = TWEED_OK;

    p->blocks = partials_align(memory, p->alignment);
    while (done && count > 0) {
        uint64_t n = count < part ? count : part;
        void *behind = element_of(p, partials_blocks(n, s->grain));

        if (behind != before) /* as with parts of the same length */
            memcpy(behind, before, p->element);
        before = behind;
        code = run_part(s, lo, n, &done);
        lo += n;
        count -= n;
    }
    if (done)
        memcpy(p->result, before, p->element);
    return code;
}

/* ---- the calls ---- */

int tweed_loop_run_scan_(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                         int64_t hi, tweed_kind *sum, tweed_kind *write, void (*fn)(void),
                         struct tweed_prefixes_ *p)
{
    tweed_loop_options known = TWEED_LOOP_OPTIONS_INIT;
    struct scan s = { .sum = sum, .write = write, .pool = pool, .options = &known,
                      .lo = (uint64_t)lo, .fn = fn, .p = p };
    uint64_t count = (uint64_t)hi - (uint64_t)lo;
    size_t bytes;
    int code = partials_options(&known, options);

    if (code != TWEED_OK)
        return code;
    if (known.weights)
        return tweed_fail_(TWEED_EINVAL,
                           "tweed_loop_options.weights are set: expected NULL in a scan");
    if (lo >= hi)
        return partials_of_none(write, pool, &known, lo, hi, fn, p->identity, p->element,
                                p->result);
    s.grain = scan_grain(count, (uint64_t)known.grain);
    s.blocks = most_blocks(p->stride);
    known.grain = (int64_t)s.grain;
    s.deadline = partials_deadline(&known);
    bytes = partials_bytes(s.blocks + 2, p->stride, p->alignment);
    if (bytes > ROOM)
        return partials_no_element("tweed_scan_spec", p->element, p->alignment);
    return run_parts(&s, s.lo, count, __builtin_alloca(bytes));
}

/* ---- by pointer ---- */

struct by_pointer {
    const tweed_scan_spec *scan;
    void *arg;
};

static void combine_by_pointer(const struct tweed_prefixes_ *p, void *into,
                               const void *from)
{
    const struct by_pointer *b = p->arg;

    b->scan->combine(into, from, b->arg);
}

/* What a worker's walk needs: elements of its own, away from other workers' elements. */
struct own {
    void *before, *sum, *carried;
};

#define OWN_BYTES(p) partials_bytes(3, (p)->stride, (p)->alignment)

static struct own own_in(const struct tweed_prefixes_ *p, void *memory)
{
    char *first = partials_align(memory, p->alignment);

    return (struct own){ first, first + p->stride, first + 2 * p->stride };
}

/* Runs the body on the walk's next block, on a copy in *to of the element *from. */
static void run_block(const struct tweed_walk_ *w, const struct tweed_prefixes_ *p,
                      void *to, const void *from, int writes)
{
    const struct by_pointer *b = p->arg;

    memcpy(to, from, p->element);
    b->scan->body(tweed_walk_first_(w), tweed_walk_past_(w), to, writes, b->arg);
}

/* Writes the next block, of a pass over `blocks` blocks. */
static void write_block(const struct tweed_walk_ *w, const struct tweed_prefixes_ *p,
                        void *own, const void *before)
{
    run_block(w, p, own, before, 1);
    if (w->next + 1 == w->blocks)
        memcpy(element_of(p, w->blocks), own, p->element);
}

static void sum_by_pointer(tweed_cursor *c)
{
    struct tweed_prefixes_ *p = c->arg;
    struct tweed_walk_ w = tweed_walk_begin_(c);
    struct own own = own_in(p, __builtin_alloca(OWN_BYTES(p)));
    uint32_t written = 0;

    memcpy(own.before, element_of(p, w.blocks), p->element);
    do {
        tweed_walk_claim_(&w, c);
        for (; w.next < w.end; tweed_walk_on_(&w)) {
            run_block(&w, p, own.sum, p->identity, 0);
            memcpy(element_of(p, w.next), own.sum, p->element);
            if (tweed_walk_leads_(&w)) {
                write_block(&w, p, own.carried, own.before);
                p->combine(p, own.before, own.sum);
                written = w.next + 1;
            }
        }
    } while (tweed_next(c));
    if (written)
        p->written = written;
    tweed_walk_end_(&w, &p->executed);
}

static void write_by_pointer(tweed_cursor *c)
{
    struct tweed_prefixes_ *p = c->arg;
    struct tweed_walk_ w = tweed_walk_begin_(c);
    struct own own = own_in(p, __builtin_alloca(OWN_BYTES(p)));

    do {
        tweed_walk_claim_(&w, c);
        for (; w.next < w.end; tweed_walk_on_(&w))
            write_block(&w, p, own.carried, element_of(p, w.next));
    } while (tweed_next(c));
    tweed_walk_end_(&w, &p->executed);
}

static tweed_kind sum_kind = TWEED_KIND_INIT_(TWEED_CLAIM_NS_, sum_by_pointer, "scan");
static tweed_kind write_kind =
    TWEED_KIND_INIT_(TWEED_CLAIM_NS_, write_by_pointer, "scan");

int tweed_parallel_scan_with(tweed_pool *pool, const tweed_loop_options *options,
                             int64_t lo, int64_t hi, const tweed_scan_spec *scan, void *arg,
                             void *result)
{
    tweed_scan_spec s;
    struct by_pointer b = { &s, arg };
    struct tweed_prefixes_ p = { .size = sizeof p,
                                .result = result,
                                .arg = &b,
                                .combine = combine_by_pointer };

    if (!scan || !result)
        return scan ? TWEED_LACKS_("result") : TWEED_LACKS_("scan");
    if (!tweed_sized_read_(&s, sizeof s, scan))
        return tweed_sized_fail_("tweed_scan_spec", scan, sizeof s);
    if (!s.identity || !s.body || !s.combine)
        return partials_lack("tweed_scan_spec", s.identity, s.body != NULL);
    if (s.element_size <= MOST_BYTES && s.alignment <= MOST_BYTES)
        p.stride = tweed_element_stride_(s.element_size, s.alignment);
    if (!p.stride)
        return partials_no_element("tweed_scan_spec", s.element_size, s.alignment);
    p.element = s.element_size;
    p.alignment = s.alignment;
    p.identity = s.identity;
    return tweed_loop_run_scan_(pool, options, lo, hi, &sum_kind, &write_kind,
                                TWEED_BODY_(s.body), &p);
}

int tweed_parallel_scan(int64_t lo, int64_t hi, const tweed_scan_spec *scan, void *arg,
                        void *result)
{
    return tweed_parallel_scan_with(NULL, NULL, lo, hi, scan, arg, result);
}

/*
 * reduce.c - one element of a loop over ranks: the same bits always.
 *
 * SPDX-License-Identifier: MIT
 *
 * The indices are cut into blocks as libtweed cuts them (tweed_reduction_grain_()): by their number,
 * and the grain and the element's size, alone.  Any rank may execute any block.  It keeps
 * the block's element at its place in an array, and notes that it has it.  After the loop
 * each rank gets the elements of all others, and combines all in the tree of
 * tweed/reduce.h: 0 with 1, 2 with 3, and so on.  (That lib/loop/reduce.c combines groups of 64
 * blocks first makes no other tree, since 64 is a power of two.)
 */
#include "config.h"

#include "loop.h"

#include <stdlib.h>
#include <string.h>
#include <tweed/sized.h>

struct reduction {
    tweed_reduction r;
    void *arg;
    struct tweed__loop *loop;
    size_t stride;       /* from one element to the next */
    char *elements;      /* of all blocks */
    unsigned char *here; /* of each block: has it been executed on this rank? */
    void *memory;
};

static void *element_of(const struct reduction *d, void *array, uint64_t k)
{
    return (char *)array + k * d->stride;
}

/* ---- the loop over blocks ---- */

static void run_block(const struct reduction *d, uint64_t k)
{
    const struct tweed__loop *l = d->loop;
    uint64_t first = l->lo + k * l->grain;
    uint64_t past = k + 1 < l->blocks ? first + l->grain : l->lo + l->count;
    void *element = element_of(d, d->elements, k);

    memcpy(element, d->r.identity, d->r.element_size);
    d->r.body((int64_t)first, (int64_t)past, element, d->arg);
    d->here[k] = 1;
}

static void work(tweed_cursor *c)
{
    const struct reduction *d = c->arg;

    do
        for (int64_t k = tweed_first(c); k < tweed_past(c); k++)
            run_block(d, (uint64_t)k);
    while (tweed_next(c));
}

static tweed_kind kind = TWEED_KIND_INIT_(TWEED_CLAIM_NS_, work, "ranks' reduction");

static int run_blocks(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                      int64_t hi, void *arg)
{
    struct reduction *d = arg;

    return tweed_loop_run(pool, options, lo, hi, &kind, TWEED_BODY_(d->r.body), d);
}

/* ---- the exchange ---- */

/* What is sent of each block: which one it is, and its element. */
struct exchange {
    char *mine, *all;
    size_t bytes;  /* of both, of a block */
    int *counts, *places;
    int blocks;    /* of this rank */
    MPI_Datatype type;
};

static void pack(const struct reduction *d, struct exchange *x)
{
    char *to = x->mine;

    for (uint32_t k = 0; k < d->loop->blocks; k++)
        if (d->here[k]) {
            memcpy(to, &k, sizeof k);
            memcpy(to + sizeof k, element_of(d, d->elements, k), d->r.element_size);
            to += x->bytes;
            x->blocks++;
        }
}

static void unpack(const struct reduction *d, const struct exchange *x)
{
    for (uint32_t n = 0; n < d->loop->blocks; n++) {
        const char *from = x->all + n * x->bytes;
        uint32_t k;

        memcpy(&k, from, sizeof k);
        if (k < d->loop->blocks)
            memcpy(element_of(d, d->elements, k), from + sizeof k, d->r.element_size);
    }
}

static int all_gather(const struct tweed__ranks *r, struct exchange *x)
{
    int error = MPI_Type_contiguous((int)x->bytes, MPI_BYTE, &x->type);

    if (error == MPI_SUCCESS)
        error = MPI_Type_commit(&x->type);
    if (error == MPI_SUCCESS)
        error = MPI_Allgather(&x->blocks, 1, MPI_INT, x->counts, 1, MPI_INT, r->comm);
    for (int k = 1; error == MPI_SUCCESS && k < r->size; k++)
        x->places[k] = x->places[k - 1] + x->counts[k - 1];
    if (error == MPI_SUCCESS)
        error = MPI_Allgatherv(x->mine, x->blocks, x->type, x->all, x->counts, x->places,
                               x->type, r->comm);
    if (x->type != MPI_DATATYPE_NULL)
        MPI_Type_free(&x->type);
    return error;
}

/* In the tree of tweed/reduce.h. */
static void fold(const struct reduction *d, void *result)
{
    uint64_t n = d->loop->blocks;

    for (uint64_t step = 1; step < n; step *= 2)
        for (uint64_t k = 0; k + step < n; k += 2 * step)
            d->r.combine(element_of(d, d->elements, k),
                         element_of(d, d->elements, k + step), d->arg);
    memcpy(result, d->elements, d->r.element_size);
}

/* ---- memory, all of it before the ranks agree that the loop begins ---- */

static bool get_memory(struct reduction *d, struct exchange *x)
{
    size_t blocks = d->loop->blocks, ranks = (size_t)d->loop->ranks->size;
    size_t array;

    x->bytes = sizeof(uint32_t) + d->r.element_size;
    if (__builtin_mul_overflow(blocks, d->stride, &array) ||
        __builtin_add_overflow(array, d->r.alignment, &array) || x->bytes > INT32_MAX)
        return false;
    d->memory = malloc(array);
    d->here = calloc(blocks, 1);
    x->mine = malloc(blocks * x->bytes);
    x->all = malloc(blocks * x->bytes);
    x->counts = calloc(ranks, sizeof *x->counts);
    x->places = calloc(ranks, sizeof *x->places);
    if (d->memory)
        d->elements = (char *)d->memory + (-(uintptr_t)d->memory & (d->r.alignment - 1));
    return d->memory && d->here && x->mine && x->all && x->counts && x->places;
}

static void free_memory(struct reduction *d, struct exchange *x)
{
    free(d->memory);
    free(d->here);
    free(x->mine);
    free(x->all);
    free(x->counts);
    free(x->places);
}

static int read_reduction(struct reduction *d, const tweed_reduction *reduction,
                          const void *result)
{
    tweed_reduction *r = &d->r;

    if (!reduction || !result)
        return tweed_fail_(TWEED_EINVAL, "tweed_mpi_parallel_reduce: %s is NULL",
                           reduction ? "result" : "reduction");
    if (!tweed_sized_read_(r, sizeof *r, reduction))
        return tweed_sized_fail_("tweed_reduction", reduction, sizeof *r);
    if (!r->identity || !r->body || !r->combine)
        return tweed_fail_(TWEED_EINVAL, "tweed_reduction: identity, body or combine is NULL");
    d->stride = tweed_element_stride_(r->element_size, r->alignment);
    if (!d->stride)
        return tweed_fail_(TWEED_EINVAL, "tweed_reduction.element_size is %zu and alignment %zu",
                           r->element_size, r->alignment);
    return TWEED_OK;
}

/* ---- the call ---- */

static int finish(struct reduction *d, struct exchange *x, void *result)
{
    struct tweed__ranks *r = d->loop->ranks;
    int error;

    pack(d, x);
    error = all_gather(r, x);
    if (!tweed__ranks_went_well(r, error))
        return tweed__loop_failed(d->loop, error);
    unpack(d, x);
    fold(d, result);
    return TWEED_OK;
}

static int execute(struct reduction *d, struct exchange *x, void *result)
{
    int code;

    if (d->loop->wrong == TWEED_OK && d->loop->count > 0 && !get_memory(d, x))
        d->loop->wrong = tweed_fail_(TWEED_ENOMEM, "for the partial results");
    code = tweed__loop_agree(d->loop);
    if (code != TWEED_OK)
        return code;
    if (d->loop->count > 0)
        code = tweed__loop_drive(d->loop);
    else
        memcpy(result, d->r.identity, d->r.element_size);
    return code == TWEED_OK && d->loop->count > 0 ? finish(d, x, result) : code;
}

int tweed_mpi_parallel_reduce(MPI_Comm comm, const tweed_mpi_options *options, int64_t lo,
                              int64_t hi, const tweed_reduction *reduction, void *arg,
                              void *result)
{
    struct reduction d = { .arg = arg };
    struct exchange x = { .type = MPI_DATATYPE_NULL };
    struct tweed__loop l = { .call = TWEED__REDUCTION, .run = run_blocks, .arg = &d };
    int code;

    d.loop = &l;
    l.wrong = read_reduction(&d, reduction, result);
    l.element = d.r.element_size;
    l.stride = d.stride;
    code = tweed__loop_given(&l, comm, options, lo, hi);
    if (code == TWEED_OK)
        code = execute(&d, &x, result);
    free_memory(&d, &x);
    return code;
}

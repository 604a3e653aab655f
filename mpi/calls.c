/*
 * calls.c - the public calls with a body, or a loop, of the rank's own.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "loop.h"

struct body {
    tweed_index_fn *index; /* one of the two */
    tweed_range_fn *range;
    void *arg;
    struct tweed__loop *loop;
};

static void work(tweed_cursor *c)
{
    const struct body *b = c->arg;

    do {
        int64_t i = tweed_first(c), past = tweed_past(c);

        if (b->range)
            b->range(i, past, b->arg);
        else
            for (; i < past; i++)
                b->index(i, b->arg);
        tweed__loop_tend(b->loop);
    } while (tweed_next(c));
}

static tweed_kind kind = TWEED_KIND_INIT_(TWEED_CLAIM_NS, work, "ranks");

/* A piece; what an index costs is remembered by the body. */
static int run_body(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                    int64_t hi, void *arg)
{
    struct body *b = arg;

    return tweed_run(&kind, pool, options, lo, hi,
                     b->range ? TWEED_BODY_(b->range) : TWEED_BODY_(b->index), b);
}

static int execute(struct tweed__loop *l, MPI_Comm comm, const tweed_mpi_options *options,
                   int64_t lo, int64_t hi, bool given)
{
    int code;

    l->wrong = given ? TWEED_OK : TWEED_EINVAL;
    code = tweed__loop_given(l, comm, options, lo, hi);
    if (code == TWEED_OK)
        code = tweed__loop_agree(l);
    return code == TWEED_OK ? tweed__loop_drive(l) : code;
}

int tweed_mpi_parallel_for(MPI_Comm comm, const tweed_mpi_options *options, int64_t lo,
                           int64_t hi, tweed_index_fn *fn, void *arg)
{
    struct tweed__loop l = { .call = TWEED__INDICES, .run = run_body };
    struct body b = { .index = fn, .arg = arg, .loop = &l };

    l.arg = &b;
    return execute(&l, comm, options, lo, hi, fn);
}

int tweed_mpi_parallel_for_range(MPI_Comm comm, const tweed_mpi_options *options, int64_t lo,
                                 int64_t hi, tweed_range_fn *fn, void *arg)
{
    struct tweed__loop l = { .call = TWEED__RANGES, .run = run_body };
    struct body b = { .range = fn, .arg = arg, .loop = &l };

    l.arg = &b;
    return execute(&l, comm, options, lo, hi, fn);
}

int tweed_mpi_run(MPI_Comm comm, const tweed_mpi_options *options, int64_t lo, int64_t hi,
                  tweed_mpi_run_fn *run, void *arg)
{
    struct tweed__loop l = { .call = TWEED__PIECES, .run = run, .arg = arg };

    return execute(&l, comm, options, lo, hi, run);
}

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
};

static int run_body(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                    int64_t hi, void *arg)
{
    const struct body *b = arg;

    return b->range ? tweed_parallel_for_range_with(pool, options, lo, hi, b->range, b->arg)
                    : tweed_parallel_for_with(pool, options, lo, hi, b->index, b->arg);
}

static int execute(struct tweed__loop *l, MPI_Comm comm, const tweed_mpi_options *options,
                   int64_t lo, int64_t hi, bool given)
{
    int code;

    l->wrong = given ? TWEED_OK : tweed_fail_(TWEED_EINVAL, "the function is NULL");
    code = tweed__loop_given(l, comm, options, lo, hi);
    if (code == TWEED_OK)
        code = tweed__loop_agree(l);
    return code == TWEED_OK ? tweed__loop_drive(l) : code;
}

int tweed_mpi_parallel_for(MPI_Comm comm, const tweed_mpi_options *options, int64_t lo,
                           int64_t hi, tweed_index_fn *fn, void *arg)
{
    struct tweed__loop l = { .call = TWEED__INDICES, .run = run_body };
    struct body b = { .index = fn, .arg = arg };

    l.arg = &b;
    return execute(&l, comm, options, lo, hi, fn);
}

int tweed_mpi_parallel_for_range(MPI_Comm comm, const tweed_mpi_options *options, int64_t lo,
                                 int64_t hi, tweed_range_fn *fn, void *arg)
{
    struct tweed__loop l = { .call = TWEED__RANGES, .run = run_body };
    struct body b = { .range = fn, .arg = arg };

    l.arg = &b;
    return execute(&l, comm, options, lo, hi, fn);
}

int tweed_mpi_run(MPI_Comm comm, const tweed_mpi_options *options, int64_t lo, int64_t hi,
                  tweed_mpi_run_fn *run, void *arg)
{
    struct tweed__loop l = { .call = TWEED__PIECES, .run = run, .arg = arg };

    return execute(&l, comm, options, lo, hi, run);
}

/*
 * reduce.c - reductions over ranks: the bits of tweed_parallel_reduce().
 *
 * SPDX-License-Identifier: MIT
 */
#include "ranks.h"

#include <string.h>

static tweed_mpi_options options = TWEED_MPI_OPTIONS_INIT;

/* A sum that rounds. */
static void add_up(int64_t begin, int64_t end, void *element, void *arg)
{
    double *e = element;

    (void)arg;
    for (int64_t i = begin; i < end; i++)
        *e += 1.0 / (double)(2 * (i % 100003) + 1) - 1e3;
}

static void add(void *into, const void *from, void *arg)
{
    (void)arg;
    *(double *)into += *(const double *)from;
}

/* x -> a x + b modulo 2^64, composed: not commutative. */
struct map {
    uint64_t a, b;
    char more[40];
};

static void compose(void *into, const void *from, void *arg)
{
    struct map *f = into;
    const struct map *g = from;

    (void)arg;
    f->b = f->b * g->a + g->b;
    f->a *= g->a;
}

static void compose_up(int64_t begin, int64_t end, void *element, void *arg)
{
    for (int64_t i = begin; i < end; i++) {
        struct map g = { (uint64_t)i * 2 + 3, (uint64_t)i ^ 77, { 0 } };

        compose(element, &g, arg);
    }
    if (begin % 5 == 0)
        sleep_us(100); /* so that ranks differ */
}

static const double zero;
static const struct map identity = { 1, 0, { 0 } };
static const tweed_reduction sums = { sizeof sums, sizeof(double), _Alignof(double), &zero,
                                      add_up, add };
static const tweed_reduction maps = { sizeof maps, sizeof(struct map), _Alignof(struct map),
                                      &identity, compose_up, compose };

static void compare(const tweed_reduction *r, int64_t lo, int64_t n, int64_t grain)
{
    tweed_mpi_options o = options;
    tweed_loop_options p = TWEED_LOOP_OPTIONS_INIT;
    struct map got, expected;

    memset(&got, 1, sizeof got);
    memset(&expected, 2, sizeof expected);
    o.grain = p.grain = grain;
    check(tweed_parallel_reduce_with(NULL, &p, lo, lo + n, r, NULL, &expected) == 0 &&
              tweed_mpi_parallel_reduce(MPI_COMM_WORLD, &o, lo, lo + n, r, NULL, &got) == 0 &&
              memcmp(&got, &expected, r->element_size) == 0,
          "elements of %d bytes, %lld indices, grain %lld", (int)r->element_size, (long long)n,
          (long long)grain);
}

static void stop_up(int64_t begin, int64_t end, void *element, void *arg)
{
    add_up(begin, end, element, arg);
    if (begin <= 77 && 77 < end)
        (void)tweed_parallel_stop();
}

static void refusals(void)
{
    tweed_reduction r = sums;
    tweed_mpi_options *bad_size = malloc(sizeof bad_size->size); /* no more is there */
    struct map m;
    double x = 5;
    int last = rank == ranks - 1;

    check(tweed_mpi_parallel_reduce(MPI_COMM_WORLD, &options, 0, 9, &r, NULL,
                                    last ? NULL : &x) == TWEED_EINVAL, "no result");
    bad_size->size = sizeof bad_size->size;
    r.combine = last ? NULL : add;
    check(tweed_mpi_parallel_reduce(MPI_COMM_WORLD, &options, 0, 9, &r, NULL, &x) ==
              TWEED_EINVAL, "no combine");
    check(ranks == 1 || tweed_mpi_parallel_reduce(MPI_COMM_WORLD, &options, 0, 9 + last,
                                                  &sums, NULL, &x) == TWEED_EDIFFER,
          "other bounds");
    check(ranks == 1 || tweed_mpi_parallel_reduce(MPI_COMM_WORLD, &options, 0, 9,
                                                  last ? &sums : &maps, NULL, &x) ==
                            TWEED_EDIFFER, "other elements");
    r = maps;
    if (last)
        r.element_size -= 3; /* as far from one to the next */
    check(ranks == 1 || tweed_mpi_parallel_reduce(MPI_COMM_WORLD, &options, 0, 9, &r, NULL,
                                                  &m) == TWEED_EDIFFER,
          "elements of another size in the same place");
    r = maps;
    if (last)
        r.alignment = 64;
    check(ranks == 1 || tweed_mpi_parallel_reduce(MPI_COMM_WORLD, &options, 0, 9, &r, NULL,
                                                  &m) == TWEED_EDIFFER,
          "elements that lie farther apart");
    check(tweed_mpi_parallel_reduce(MPI_COMM_WORLD, last ? NULL : bad_size, 0, 9, &sums, NULL,
                                    &x) == (ranks > 1 ? TWEED_EINVAL : TWEED_OK),
          "options of no size");
    free(bad_size);
    x = 5;
    check(tweed_mpi_parallel_reduce(MPI_COMM_NULL, &options, 0, 9, &sums, NULL, &x) ==
              TWEED_EINVAL, "no communicator");
    r = sums;
    r.body = stop_up;
    check(tweed_mpi_parallel_reduce(MPI_COMM_WORLD, &options, 0, 1000, &r, NULL, &x) ==
              TWEED_ESTOPPED, "a body stops its piece: all ranks return that");
    check(x == 5, "the result is left alone");
    check(tweed_mpi_parallel_reduce(MPI_COMM_WORLD, &options, 9, 9, &sums, NULL, &x) == 0 &&
              x == 0, "no index: the identity");
}

int main(int argc, char **argv)
{
    static const int64_t sizes[] = { 1, 3, 255, 257, 1000, 100001, 3000000 };
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;

    ranks_begin(&argc, &argv);
    o.num_workers = 1 + rank % 2;
    if (tweed_pool_create(&options.pool, &o) != TWEED_OK)
        return 99;
    for (int k = 0; k < 7; k++) {
        compare(&sums, k - 3, sizes[k], 0);
        if (sizes[k] < 2000)
            compare(&maps, -sizes[k] / 2, sizes[k], 0);
    }
    compare(&sums, INT64_MIN, 50000, 7);
    compare(&maps, INT64_MAX - 1000, 1000, 3);
    refusals();
    tweed_pool_destroy(options.pool);
    return ranks_end();
}

/*
 * memory.c - one rank has no memory: all ranks say so, and none waits for another.
 *
 * SPDX-License-Identifier: MIT
 *
 * Linked with malloc and calloc wrapped.  The last rank's first allocation in a call fails,
 * then in another call the second one, until no allocation of a call is left to fail.
 */
#include "ranks.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);

static int countdown; /* allocations up to the one that fails; 0: none does */

static int fails(void)
{
    return countdown > 0 && --countdown == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

static void count(int64_t i, void *arg)
{
    (void)i;
    __atomic_fetch_add((uint64_t *)arg, 1, __ATOMIC_RELAXED);
}

static int run_loop(MPI_Comm comm, uint64_t *n)
{
    return tweed_mpi_parallel_for(comm, NULL, 0, 100, count, n);
}

static void count_up(int64_t begin, int64_t end, void *element, void *arg)
{
    (void)arg;
    *(uint64_t *)element += (uint64_t)(end - begin);
}

static void add(void *into, const void *from, void *arg)
{
    (void)arg;
    *(uint64_t *)into += *(const uint64_t *)from;
}

/* The result of rank 0 is as good as that of the others. */
static int run_reduction(MPI_Comm comm, uint64_t *n)
{
    static const uint64_t zero;
    const tweed_reduction r = { sizeof r, sizeof zero, _Alignof(uint64_t), &zero, count_up,
                                add };
    uint64_t result = 0;
    int code = tweed_mpi_parallel_reduce(comm, NULL, 0, 100, &r, NULL, &result);

    *n += rank == 0 ? result : 0;
    return code;
}

/* How often a call on a communicator, which is new or has been used, lacked memory. */
static int lacks(const char *words, int (*call)(MPI_Comm, uint64_t *), int is_new)
{
    int times = 0, code, left;

    do {
        MPI_Comm comm;
        uint64_t n = 0;

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        if (!is_new)
            check(run_loop(comm, &n) == 0, "%s: the first one", words);
        n = 0;
        countdown = rank == ranks - 1 ? times + 1 : 0;
        code = call(comm, &n);
        left = countdown; /* of one rank: was there no such allocation? */
        countdown = 0;
        times += code == TWEED_ENOMEM;
        left = sum((uint64_t)left) > 0;
        check(code == (left ? 0 : TWEED_ENOMEM), "%s, allocation %d: code %d", words,
              times + 1, code);
        check(sum(n) == (left ? 100 : 0), "%s, allocation %d: no index", words, times + 1);
        n = 0;
        check(call(comm, &n) == 0 && sum(n) == 100, "%s: the same again", words);
        MPI_Comm_free(&comm);
    } while (!left && times < 50);
    return times;
}

int main(int argc, char **argv)
{
    ranks_begin(&argc, &argv);
    check(lacks("a first loop", run_loop, 1) >= 2, "memory of the ranks of a communicator");
    check(lacks("another loop", run_loop, 0) == 0, "no memory for later loops");
    check(lacks("a reduction", run_reduction, 0) >= 6, "memory of a reduction");
    check(lacks("a first reduction", run_reduction, 1) >= 8, "memory of both");
    return ranks_end();
}

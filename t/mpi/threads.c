/*
 * threads.c - threads of a rank, each on communicators of its own, with their first calls and
 * with freeing them; and what MPI_Finalize() finds.
 *
 * SPDX-License-Identifier: MIT
 *
 *   threads               MPI_THREAD_MULTIPLE: two at once
 *   threads serialized    MPI_THREAD_SERIALIZED: one, which is not the main thread
 *
 * MPI_Comm_set_attr() is that of this file, which calls PMPI's.  With it the ranks end their
 * first calls on two communicators in different orders.
 */
#include "ranks.h"

#include <pthread.h>

#define THREADS 2
#define COMMS 4
#define N 200

static _Thread_local int me;

int MPI_Comm_set_attr(MPI_Comm comm, int key, void *value)
{
    if (comm != MPI_COMM_SELF && (rank + me) % 2)
        sleep_us(20000);
    return PMPI_Comm_set_attr(comm, key, value);
}

struct thread {
    int index, bad;
    MPI_Comm comm[COMMS];
};

static void count(int64_t i, void *arg)
{
    (void)i;
    __atomic_fetch_add((uint64_t *)arg, 1, __ATOMIC_RELAXED);
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

static int loop_is_right(MPI_Comm comm)
{
    uint64_t n = 0, all = 0;
    int code = tweed_mpi_parallel_for(comm, NULL, 0, N, count, &n);

    MPI_Allreduce(&n, &all, 1, MPI_UINT64_T, MPI_SUM, comm);
    return code == TWEED_OK && all == N;
}

static int reduction_is_right(MPI_Comm comm)
{
    static const uint64_t zero;
    const tweed_reduction r = { sizeof r, sizeof zero, _Alignof(uint64_t), &zero, count_up,
                                add };
    uint64_t result = 0;

    return tweed_mpi_parallel_reduce(comm, NULL, 0, N, &r, NULL, &result) == TWEED_OK &&
           result == N;
}

/* Every other communicator is left to MPI_Finalize(). */
static void *run(void *arg)
{
    struct thread *t = arg;

    me = t->index;
    for (int c = 0; c < COMMS; c++) {
        for (int k = 0; k < 3; k++)
            t->bad += !loop_is_right(t->comm[c]) + !reduction_is_right(t->comm[c]);
        if (c % 2)
            MPI_Comm_free(&t->comm[c]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int wanted = argc > 1 ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE;
    int threads = argc > 1 ? 1 : THREADS, level;
    struct thread thread[THREADS];
    pthread_t id[THREADS];

    MPI_Init_thread(&argc, &argv, wanted, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (level < wanted) {
        printf("MPI has no such thread level here\n");
        return ranks_end();
    }
    for (int t = 0; t < threads; t++) {
        thread[t].index = t;
        thread[t].bad = 0;
        for (int c = 0; c < COMMS; c++)
            MPI_Comm_dup(MPI_COMM_WORLD, &thread[t].comm[c]);
    }
    for (int t = 0; t < threads; t++)
        pthread_create(&id[t], NULL, run, &thread[t]);
    for (int t = 0; t < threads; t++) {
        pthread_join(id[t], NULL);
        check(thread[t].bad == 0, "thread %d: %d calls are wrong", t, thread[t].bad);
    }
    return ranks_end();
}

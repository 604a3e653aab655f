/* Which thread has which indices: static loops, collapsed or not, and chunks. */
#include <tweed.h>
#include <stdio.h>
#include <omp.h>

/* Where the share of a thread of a static loop begins. */
static inline int64_t port_share(int64_t count, int64_t thread, int64_t threads)
{
    if (count <= 0)
        return 0;
    return count / threads * thread +
           (thread < count % threads ? thread : count % threads);
}

enum { N = 7, M = 103 };
static int a[N * M], b[N * M];

static long flat(void)
{
    long bad = 0;

#pragma omp parallel
    {
        int me = omp_get_thread_num();
#pragma omp for collapse(2) schedule(static) nowait
        for (int i = 0; i < N; i++)
            for (int j = 0; j < M; j++)
                a[i * M + j] = me + 1;
#pragma omp for schedule(static)
        for (int k = 0; k < N * M; k++)
            b[k] = a[k] == me + 1;
    }
    for (int k = 0; k < N * M; k++)
        bad += !b[k];
    return bad;
}

static long turned(void)
{
    long bad = 0;

#pragma omp parallel
    {
        int me = omp_get_thread_num();
#pragma omp for schedule(static) nowait collapse(2)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < M; j++)
                a[i * M + j] = me + 1;
#pragma omp for schedule(static) collapse(2)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++)
                b[i * N + j] = a[i * N + j] == me + 1;
    }
    for (int k = 0; k < N * M; k++)
        bad += !b[k];
    return bad;
}

static long chunks(void)
{
    long bad = 0;

#pragma omp parallel
    {
        int me = omp_get_thread_num(), all = omp_get_num_threads();
#pragma omp for schedule(static, 5) collapse(2)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < M; j++)
                a[i * M + j] = (i * M + j) / 5 % all != me;
    }
    for (int k = 0; k < N * M; k++)
        bad += a[k];
    return bad;
}

TWEED_LOOP(alike_loop, port_thread, int, port_threads)
{
    int me = (int)port_thread;
    const int64_t i_count = (int64_t)N;

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        int i = (int)i_index;
        for (int j = 0; j < M; j++)
            a[i * M + j] = me + 1;
    }
    const int64_t i_count_2 = (int64_t)N;

    for (int64_t i_index_2 = port_share(i_count_2, port_thread, port_threads),
                 i_end_2 = port_share(i_count_2, port_thread + 1, port_threads);
         i_index_2 < i_end_2; i_index_2++) {
        int i = (int)i_index_2;
        for (int j = 0; j < M; j++)
            b[i * M + j] = a[i * M + j] == me + 1;
    }
}

/* The same rows. */
static long alike(void)
{
    long bad = 0;

    {
        const int port_threads = tweed_pool_num_workers(NULL);

        alike_loop(0, port_threads, port_threads);
    }
    for (int k = 0; k < N * M; k++)
        bad += !b[k];
    return bad;
}

TWEED_LOOP(by_variable_loop, port_thread, int, port_threads, int, other)
{
    int me = (int)port_thread, all = port_threads;
    const int64_t i_count = (int64_t)(N * M);
    const int64_t i_chunk = other;

    for (int64_t i_begin = port_thread * i_chunk; i_begin < i_count; i_begin += port_threads * i_chunk)
    for (int64_t i_index = i_begin; i_index < i_begin + i_chunk && i_index < i_count; i_index++) {
        int i = (int)i_index;
        b[i] = i / other % all != me;
    }
}

/* The number of a chunk's indices is a variable. */
static long by_variable(int chunk, int other)
{
    long bad = 0;

#pragma omp parallel
    {
        int me = omp_get_thread_num(), all = omp_get_num_threads();
#pragma omp for schedule(static, chunk)
        for (int i = 0; i < N * M; i++)
            a[i] = i / 5 % all != me;
    }
    {
        const int port_threads = tweed_pool_num_workers(NULL);

        by_variable_loop(0, port_threads, port_threads, other);
    }
    for (int k = 0; k < N * M; k++)
        bad += a[k] + b[k];
    return bad;
}

int main(void)
{
    printf("%ld %ld %ld %ld\n", flat(), turned(), chunks(), alike());
    printf("%ld\n", by_variable(5, 7));
    return 0;
}

/* Which thread has which indices: static loops, collapsed or not, and chunks. */
#include <stdio.h>
#include <omp.h>
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

/* The same rows. */
static long alike(void)
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
        for (int i = 0; i < N; i++)
            for (int j = 0; j < M; j++)
                b[i * M + j] = a[i * M + j] == me + 1;
    }
    for (int k = 0; k < N * M; k++)
        bad += !b[k];
    return bad;
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
#pragma omp parallel
    {
        int me = omp_get_thread_num(), all = omp_get_num_threads();
#pragma omp for schedule(static, other)
        for (int i = 0; i < N * M; i++)
            b[i] = i / other % all != me;
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

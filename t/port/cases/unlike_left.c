/* Static loops of as many indices give each thread the same numbers, collapsed or not. */
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

int main(void)
{
    printf("%ld %ld %ld %ld\n", flat(), turned(), chunks(), alike());
    return 0;
}

/*
 * A loop calls functions with a region that is left alone: its threads have OpenMP's numbers.
 */
#include <omp.h>
#include <stdio.h>

enum { ROWS = 24, N = 97 };

static int x[ROWS][N];

static void inner(int *row)
{
#pragma omp parallel
    {
        int me = omp_get_thread_num(), all = omp_get_num_threads();

        for (int round = 0; round < 3; round++) {
            for (int i = me; i < N; i += all)
                row[i]++;
#pragma omp barrier
        }
    }
}

static void row_of(int k)
{
    if (k >= 0)
        inner(x[k]);
}

int main(void)
{
    int bad = 0;

#pragma omp parallel for
    for (int k = 0; k < ROWS; k++)
        row_of(k);
    for (int k = 0; k < ROWS; k++)
        for (int i = 0; i < N; i++)
            bad += x[k][i] != 3;
    printf("%d\n", bad);
    return 0;
}

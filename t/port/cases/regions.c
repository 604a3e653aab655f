#include <math.h>
#include <stdio.h>
#include <omp.h>
#define N 500
static double u[N][N], v[N][N];
static int counter;
static double total;
int main(void)
{
    int i, j, threads = 0, hist[8] = { 0 }, got = 0;
    double h, norm = 0, best = -1, q = 3, buffer[4];

    #pragma omp parallel private(i, j, h) firstprivate(q) num_threads(3)
    {
        int k = 2;
        double w[3];

        #pragma omp single
        printf("start\n");
        h = 1.0 / N;
        #pragma omp for
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                u[i][j] = i * h + j * k + q;
        #pragma omp for schedule(static) nowait
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < N - 1; j++) {
                w[0] = u[i - 1][j];
                w[1] = u[i + 1][j];
                v[i][j] = (w[0] + w[1]) / 2;
            }
        #pragma omp barrier
        #pragma omp master
        {
            counter++;
        }
        for (k = 0; k < 2; k++) {
            #pragma omp for reduction(+: norm)
            for (i = 0; i < N; i++)
                norm += v[i][k];
        }
    }
    printf("%.12g %d\n", norm, counter);
    #pragma omp parallel for
    for (i = 0; i < N; i++) {
        #pragma omp atomic
        hist[i % 8]++;
        #pragma omp atomic
        total += i * 0.5; /* halves */
        #pragma omp critical (best_one)
        {
            if (v[i][3] > best)
                best = v[i][3];
        }
        if (i % 100 == 0) {
            #pragma omp critical
            got += i;
        }
    }
    printf("%d %d %g %g %d\n", hist[0], hist[7], total, best, got);
    #pragma omp parallel for private(buffer, j)
    for (i = 0; i < N; i++) {
        for (j = 0; j < 4; j++)
            buffer[j] = i + j;
        u[i][0] = buffer[3];
    }
    #pragma omp parallel
    {
        #pragma omp master
        threads = omp_get_num_threads() > 0;
        #pragma omp for
        for (i = 0; i < 10; i++)
            #pragma omp critical
            got++;
    }
    printf("%g %d %d\n", u[7][0], threads, got);
    #pragma omp parallel
    {
        double mine = 0;
        #pragma omp for
        for (i = 0; i < N; i++)
            mine += i;
        #pragma omp critical
        total += mine;
    }
    printf("%g\n", total);
    return 0;
}

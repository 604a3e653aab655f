/* Reductions of arrays, and of sections of them. */
#include <stdio.h>
#include <stdlib.h>

static void hist(const int *x, int n, long *h, int m)
{
    #pragma omp parallel for reduction(+: h[:m])
    for (int i = 0; i < n; i++) {
        if (x[i] % 5 == 0)
            continue;
        h[x[i] % m]++;
    }
}

static double sums(const double *x, size_t n, double low[8])
{
    double d[4] = { 1, 2, 3, 4 }, all = 0;
    float f[3] = { 0 };

    #pragma omp parallel for reduction(+: d, all, f) reduction(min: low[2:3]) schedule(dynamic)
    for (size_t i = 0; i < n; i++) {
        d[i % 4] += x[i];
        all += x[i];
        f[i % 3] += (float)(i & 1);
        if (x[i] < low[2 + i % 3])
            low[2 + i % 3] = x[i];
    }
    return d[0] + 2 * d[1] + 3 * d[2] + 4 * d[3] + all + f[0] - f[2];
}

static unsigned bits[16];

int main(void)
{
    enum { N = 20000 };
    int *x = malloc(N * sizeof *x), none[3] = { 1, 1, 1 };
    double *y = malloc(N * sizeof *y), low[8] = { 5, 5, 500, 500, 500, 5, 5, 5 };
    long h[10] = { 7 }, a = 0;
    int nothing = (int)a - 50;

    for (int i = 0; i < N; i++) {
        x[i] = (int)(i * 7919L % 1013);
        y[i] = x[i] * 0.5 - 3;
    }
    hist(x, N, h, 10);
    #pragma omp parallel for reduction(|: bits[:16]) num_threads(2)
    for (int i = N - 1; i >= 0; i -= 3)
        bits[i % 16] |= 1u << x[i] % 20;
    #pragma omp parallel for reduction(+: none)
    for (int i = 0; i < nothing; i++)
        none[0] += x[i];
    for (int i = 0; i < 10; i++)
        a = a * 7 + h[i];
    for (int i = 0; i < 16; i++)
        a = a * 7 + bits[i];
    printf("%ld %.3f %g %g %g %d\n", a, sums(y, N, low), low[2], low[3], low[4], none[0]);
    free(x);
    free(y);
    return 0;
}

/* What is left alone, each for one reason. */
#include <alloca.h>
#include <stdio.h>
#include <string.h>

static int own;
#pragma omp threadprivate(own)

static double sum_up(int n, double a[n][n])
{
    double sum = 0;

    #pragma omp parallel for reduction(+: sum)
    for (int i = 0; i < n; i++)
        sum += a[i][i];
    return sum;
}

static int find(const int *x, int n, int what)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if (x[i] == what)
            own = i;
    }
    return own;
}

int main(void)
{
    enum { N = 40 };
    struct pair { int a, b; } p[N];
    double m[N][N], order = 0;
    int x[N], register_like = 0, i;
    register int r = 0;

    for (i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            m[i][j] = x[i] = i;
    #pragma omp parallel for
    for (i = 0; i < N; i++)
        p[i].a = p[i].b = x[i];
    #pragma omp parallel for ordered
    for (i = 0; i < N; i++) {
        #pragma omp ordered
        order = order / 2 + x[i];
    }
    #pragma omp parallel for
    for (i = 0; i < N; i++) {
        char *s = alloca(8);

        strcpy(s, __func__);
        x[i] += s[0] == 'm';
    }
    #pragma omp parallel for
    for (i = 0; i < N; i++)
        if (x[i] == 7)
            r = 1;
    #pragma omp parallel num_threads(1)
    register_like++;
    #pragma omp parallel sections
    {
        #pragma omp section
        x[0]++;
        #pragma omp section
        x[1]++;
    }
    printf("%g %d %d %g %d %d %d %d\n", sum_up(N, m), find(x, N, 8), p[3].b, order, x[5], r,
           register_like, x[0] + x[1]);
    return 0;
}

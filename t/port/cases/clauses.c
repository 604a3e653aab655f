/* A file. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000
#define AT(a, i) a[i]
static double global[N];
struct point { double x, y; };

/* Scales. */
static void scale(double *y, const double *x, double a, int n)
{
    int i, k = 3;
    double t;

    /* before */
    #pragma omp parallel for private(t) schedule(static) // why
    for (i = 0; i < n; i++) {
        if (x[i] < 0)
            continue;
        t = x[i] * k;
        y[i] += a * t + global[i];
    }
}

static double dot(const double *x, const double *y, unsigned long n)
{
    double s = 1;
#pragma omp parallel for reduction(+: s)
    for (unsigned long i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

int main(void)
{
    double x[N], y[N], most = -1, least = 5, p = 1, m[10][20];
    int n = N, count = 0, last = -1, flag = 0, i, j;
    long odd = 0;
    struct point here = { 1, 2 };

#pragma omp parallel for
    for (int i = 0; i <= n - 1; i++)
        x[i] = sin(i), y[i] = here.x + cos(i) + 0 * printf("%s", i == 3 ? "three\n" : "");
    scale(y, x, 2, n);
    printf("%.10g\n", dot(x, y, N));
#pragma omp parallel for reduction(max: most) reduction(min: least) reduction(+: count)
    for (i = n - 1; i >= 0; i--) {
        if (y[i] < 0) continue;
        if (y[i] > most) most = y[i];
        if (y[i] < least) least = y[i];
        count++;
    }
    printf("%g %g %d\n", most, least, count);
#pragma omp parallel for lastprivate(last) if(n > 10) num_threads(2)
    for (i = 0; i < n; i += 3) { last = i; if (i == 999) flag = 1; }
    printf("%d %d\n", last, flag);
#pragma omp parallel for reduction(max: most)
    for (i = 0; i < n; i++)
        if (AT(x, i) > most)
            most = AT(x, i);
#pragma omp parallel for collapse(2) private(j)
    for (i = 0; i < 10; i++)
        for (j = 0; j < 20; j++)
            m[i][j] = i * j + i / 2;
#pragma omp parallel for reduction(*: p) reduction(|| : flag)
    for (i = 1; i < 10; ++i) { p *= i; flag = flag || m[i][3] > 20; }
    printf("%g %g %g %d\n", most, m[3][4], p, flag);
#pragma omp parallel for reduction(+: odd) schedule(dynamic, 4)
    for (double *q = x; q < x + n; q++)
        if (*q > 0.5) { odd += 1; continue; } else odd += 2;
    printf("%ld\n", odd);
#pragma omp parallel for
    for (i = 0; i < n; i++)
        if (x[i] > 5) exit(1);
    return 0;
}

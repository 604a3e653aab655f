/* Reductions of arrays that are left alone. */
#include <stdio.h>

struct pair { int a, b; };

#pragma omp declare reduction(both : struct pair : omp_out.a += omp_in.a) \
        initializer(omp_priv = { 0, 0 })

static int seven(void)
{
    return 7;
}

static void scale(double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] *= 2;
}

int main(void)
{
    struct pair p[4] = { { 1, 2 } };
    double d[8] = { 0 }, m[2][2] = { { 0 } }, *q = d;
    int h[8] = { 0 };

    #pragma omp parallel for reduction(both : p)
    for (int i = 0; i < 100; i++)
        p[i % 4].a += i;
    #pragma omp parallel for reduction(+ : h[:seven()])
    for (int i = 0; i < 100; i++)
        h[i % 7] += i;
    #pragma omp parallel for reduction(+ : m)
    for (int i = 0; i < 100; i++)
        m[i % 2][i / 2 % 2] += i;
    #pragma omp parallel for collapse(2) reduction(+ : h)
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 10; k++)
            h[k % 8] += i;
    #pragma omp parallel for reduction(+ : q[:4])
    for (int i = 0; i < 100; i++) {
        q[i % 4] += i;
        if (q + 3 < q)
            q = NULL;
    }
    #pragma omp parallel for reduction(+ : d)
    for (int i = 0; i < 100; i++)
        if (sizeof d == 64)
            d[i % 8] += i;
    scale(d, 8);
    printf("%d %d %d %g %g %g\n", p[3].a, h[3], h[7], m[1][0], q[1], d[2]);
    return 0;
}

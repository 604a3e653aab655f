/* What a body sees of a variable that something else changes, too; names that are taken;
   atomic operations on what is no integer. */
#include <stdio.h>
#include <string.h>

#define SHOW(x) ((int)strlen(#x) + 0 * (int)(x))

struct both {
    int n, total;
};
#pragma omp declare reduction(join : struct both : \
        omp_out.n += omp_in.n, omp_out.total += omp_in.total) initializer(omp_priv = { 0, 0 })
#pragma omp declare reduction(widest : double : \
        omp_out = omp_in > omp_out ? omp_in : omp_out) initializer(omp_priv = -1e9)

static int a[64], b[64];

static void add_up(int k)
{
    #pragma omp parallel for
    for (int i = 0; i < 64; i++)
        a[i] += k;
}

int main(void)
{
    int x = 1, *p = &x, half = 100, n = 0, i = 42, total = 0, *next = b;
    struct both all = { 1, 1 }, *q = &all;
    double port_old = 1.5, sum = 0, wide = 3;

    #pragma omp parallel for
    for (int j = 0; j < 64; j++)
        if (j == 5) {
            *p = 7;
            a[j] = x;
        }
    #pragma omp parallel for
    for (int j = 0; j < 64; j++) {
        #pragma omp atomic
        q->total += 1;
        b[j] = all.total > 1;
    }
    #pragma omp parallel for
    for (int j = 0; j < 64; j++) {
        #pragma omp atomic
        sum += port_old;
    }
    #pragma omp parallel for
    for (int j = 0; j < 10; j++) {
        int v;

        #pragma omp atomic capture
        v = half -= 0.5;
        if (v < 0)
            a[j] = 0;
    }
    #pragma omp parallel for
    for (int j = 0; j < 64; j++) {
        int *v;

        #pragma omp atomic capture
        v = next++;
        *v += 1;
    }
    #pragma omp parallel for
    for (int j = 0; j < 20; j++)
        a[j] += SHOW(j);
    #pragma omp parallel for simd
    for (i = 0; i < 64; i++)
        a[i] += 1;
    #pragma omp parallel for
    for (int j = 0; j < 8; j++) {
        #pragma omp critical
        {
            add_up(j);
            n++;
        }
    }
    #pragma omp parallel for reduction(join : all)
    for (int j = 0; j < 64; j++) {
        all.n += b[j];
        all.total++;
    }
    #pragma omp parallel for reduction(widest : wide)
    for (int j = 0; j < 64; j++)
        if (a[j] > wide)
            wide = a[j];
    for (int j = 0; j < 64; j++)
        total += a[j] + b[j];
    printf("%d %d %g %d %d %d %d %d %g %d\n", x, total, sum, half, i, n, all.n, all.total, wide,
           (int)(next - b));
    return 0;
}

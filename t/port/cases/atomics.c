/* atomic: capture in both forms, of a double, too; read and write; steps with a sign. */
#include <stdio.h>

#define BACK -2
#define N 1000

static double heat[4] = { 0.5, 0.5, 0.5, 0.5 };
static short few;

int main(void)
{
    static int seen[2 * N + 1], order[N], down[N], i;
    int next = 0, last = 0, count = 0, *at = seen, bad = 0, step = -3;
    double sum = 0, most = 0, got = 0;
    long double large = 0;
    unsigned bits = 0;

    #pragma omp parallel for
    for (i = 0; i < N; i++) {
        int k, m, *p;
        double before, after, now;

        #pragma omp atomic capture
        { k = next; next += 2; }
        seen[k] = 1;
        #pragma omp atomic capture
        {
            count++;
            m = count;
        }
        order[m - 1] = 1;
        #pragma omp atomic capture
        { before = sum; sum = sum + 0.25; }
        #pragma omp atomic capture
        { sum = 0.25 + sum; after = sum; }
        #pragma omp atomic capture
        after = sum -= 0.5;
        if (before > N || after > 3 * N)
            seen[1] = -1;
        #pragma omp atomic write
        heat[i % 4] = i % 4;
        #pragma omp atomic read
        now = heat[i % 4];
        if (now != i % 4)
            seen[3] = -1;
        #pragma omp atomic capture
        { m = last; last = i; }
        #pragma omp atomic capture seq_cst
        { got = most; most = i * 0.5; }
        if (m < 0 || got < 0)
            seen[5] = -1;
        #pragma omp atomic capture
        p = at++;
        if (p < seen)
            seen[7] = -1;
        #pragma omp atomic
        few++;
        #pragma omp atomic capture
        { k = few; few += 1; }
        #pragma omp atomic capture
        { bits |= 1u << i % 32; k = bits; }
    }
    #pragma omp parallel for
    for (i = N - 1; i >= 0; i += -1)
        down[i] = i;
    #pragma omp parallel for
    for (i = N - 2; i > 0; i += BACK)
        down[i]++;
    #pragma omp parallel for
    for (i = 0; i < N; i -= BACK)
        down[i] *= 2;
    #pragma omp parallel for
    for (i = 0; i < N; i++) {
        #pragma omp atomic
        large += i;
    }
    #pragma omp parallel for
    for (i = N - 1; i > 5; i += step)
        down[i] += 1;
    for (int j = 0; j < N; j++)
        bad += seen[2 * j] != 1 || order[j] != 1;
    printf("%d %d %d %g %d %d %d %g %d %x\n", bad, next, count, sum, down[0], down[998], down[999],
           heat[3], few, bits + (large > 499000));
    return seen[1] + seen[3] + seen[5] + seen[7] + (int)(at - seen) - N;
}

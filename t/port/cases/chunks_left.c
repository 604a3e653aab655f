/* A chunk's size is said, and its indices count on being one thread's: what a private variable
   holds is left alone. */
#include <stdio.h>
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
enum { N = 4096 };
static double a[N], y[N], image[64][64];
static int counts[16], sums[64];
static unsigned long long bits[64];
static void begin(int i, double *base)
{
    if (i % 4 == 0)
        *base = i * 0.5;
}
static void half(int i, double *to)
{
    *to = i * 0.5;
}
static void set_bit(int i)
{
    bits[i >> 6] |= (unsigned long long)(i % 3 == 1) << (i & 63);
}
static void carried(void)
{
    double *row, base, last, w[8];
#pragma omp parallel for schedule(static, 8) private(row)
    for (int i = 0; i < N; i++) {
        if (i % 8 == 0)
            row = &a[i];
        y[i] = row[i % 8] * 2;
    }
#pragma omp parallel for schedule(static, 4) lastprivate(last)
    for (int i = 0; i < N; i++) {
        if (i % 4 == 0)
            last = i * 0.5;
        y[i] += last + i;
    }
#pragma omp parallel for schedule(dynamic, 4) private(base)
    for (int i = 0; i < N; i++) {
        begin(i, &base);
        y[i] += base + i;
    }
#pragma omp parallel for schedule(static, 8) private(w)
    for (int i = 0; i < N; i++) {
        if (i % 8 == 0)
            for (int k = 0; k < 8; k++)
                w[k] = i + k * k;
        y[i] += w[i % 8];
    }
    y[0] += last;
}
static void shared(int size)
{
#pragma omp parallel for schedule(static, 64)
    for (int i = 0; i < N; i++)
        bits[i / 64] ^= (unsigned long long)((i * 7) % 3 == 1) << (i % 64);
#pragma omp parallel for schedule(dynamic, size)
    for (int i = 0; i < N; i++) {
        const int at = i / size;
        int *sum = &sums[at];
        *sum += i;
    }
#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < N; i++)
        set_bit(i);
}
/* in blocks of two dimensions, or upwards, they are none */
static void turned(void)
{
#pragma omp parallel for collapse(2) schedule(static, 64)
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++)
            image[i][0] += y[i * 64 + j];
#pragma omp parallel for collapse(2) schedule(dynamic, 64)
    for (int i = 0; i < 64; i++)
        for (int j = 1; j < 64; j++)
            image[i][j] += image[i][j - 1] / 2;
#pragma omp parallel for schedule(static, 8)
    for (int i = N - 2; i >= 0; i--)
        a[i] += (i + 2) % 8 ? a[i + 1] / 2 : 0;
}
/* what does not */
static void independent(void)
{
    double *row = a, base = 2, t, w[8] = { 1 };
#pragma omp parallel for schedule(dynamic, 16) private(row, base, t, w)
    for (int i = 0; i < N; i++) {
        const int line = i / 64, column = i % 64;
        if (i % 3)
            t = 1;
        else
            t = 2;
        for (int k = 0; k < 8; k++)
            w[k] = i + k;
        half(i, &base);
        row = image[line];
        row[column] = a[i] + base + t + w[i % 8];
        image[i / 64][column] += 1;
    }
#pragma omp parallel for schedule(static, 16)
    for (int i = 0; i < N; i++) {
#pragma omp atomic
        counts[i / 256]++;
    }
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 64; i++)
        sums[i / 1] += i;
    y[1] += *row + base + w[0];
}
int main(void)
{
    double c = 0;
    unsigned long long b = 0;
    for (int i = 0; i < N; i++)
        a[i] = i % 77;
    carried();
    shared(64);
    turned();
    independent();
    for (int i = 0; i < N; i++)
        c += y[i] * (i % 5) + image[i / 64][i % 64];
    for (int i = 0; i < 64; i++)
        b = b * 31 + bits[i] + (unsigned)sums[i] + (unsigned)counts[i / 4];
    printf("%.1f %llu\n", c, b);
    return 0;
}

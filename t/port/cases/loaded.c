/* The indices of a chunk write to one place, which memory says: they stay together. */
#include <stdio.h>

enum { ROWS = 200, EACH = 4, N = ROWS * EACH };

static int row[N], column[N];
static double value[N], x[ROWS], y[ROWS];
static struct { double *to; } entry[N];

static double checked(void)
{
    double sum = 0;

    for (int i = 0; i < ROWS; i++) {
        sum += (i % 7 + 1) * y[i];
        y[i] = 0;
    }
    return sum;
}

int main(void)
{
    double sums[4];

    for (int k = 0; k < N; k++) {
        row[k] = k / EACH;
        column[k] = k * 7 % ROWS;
        value[k] = k % 5;
        entry[k].to = &y[k / EACH];
    }
    for (int i = 0; i < ROWS; i++)
        x[i] = i % 9;
    #pragma omp parallel for schedule(static, 4)
    for (int k = 0; k < N; k++)
        y[row[k]] += value[k] * x[column[k]];
    sums[0] = checked();
    #pragma omp parallel for schedule(dynamic, EACH)
    for (int k = 0; k < N; k++) {
        int at = row[k], to;

        to = at;
        y[to] += value[k] * x[column[k]];
    }
    sums[1] = checked();
    #pragma omp parallel for schedule(static, 4)
    for (int k = 0; k < N; k++)
        *entry[k].to += value[k];
    sums[2] = checked();
    #pragma omp parallel for schedule(static, 16)
    for (int k = 0; k < ROWS; k++)
        y[k] = x[k] + value[row[k]];
    sums[3] = checked();
    printf("%g %g %g %g\n", sums[0], sums[1], sums[2], sums[3]);
    return 0;
}

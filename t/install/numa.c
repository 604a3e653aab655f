/*
 * numa.c - what is expected of the code in doc/numa.md, which is included before this.
 *
 * SPDX-License-Identifier: MIT
 */
int main(void)
{
    int64_t n = 300000, rows = 100;
    double *x = calloc((size_t)n, sizeof *x), weights[100], *a;
    int64_t left = take_over(x, n), wrong = misplaced(x, n);
    int good = five_lines(n) == 2.0 * (double)(n - 1) && left >= 0 && wrong >= 0;

    for (int i = 0; i < rows; i++)
        weights[i] = i;
    a = rows_of(weights, rows, 50);
    good &= a && a[0] == 0 && a[rows * 50 - 1] == 0;
    tweed_free(a);
    weights[5] = -1;
    good &= !rows_of(weights, rows, 50);
    free(x);
    return !good;
}

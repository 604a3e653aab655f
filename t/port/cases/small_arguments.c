/* What a task is given is counted as a struct's members: 48 bytes are 12 numbers. */
#include <stdio.h>

static int queens(int n, int row, unsigned columns, unsigned left, unsigned right, int depth,
                  int most)
{
    unsigned free = ((1u << n) - 1) & ~(columns | left | right);
    int counts[16] = { 0 }, k = 0, sum = 0;

    if (row == n)
        return depth <= most;
    for (; free; free &= free - 1) {
        const unsigned one = free & -free;
        const int slot = k++;
#pragma omp task shared(counts)
        counts[slot] = queens(n, row + 1, columns | one, (left | one) << 1, (right | one) >> 1,
                              depth + 1, most);
    }
#pragma omp taskwait
    for (int i = 0; i < k; i++)
        sum += counts[i];
    return sum;
}

int main(void)
{
    int all = 0;

#pragma omp parallel
#pragma omp single
    all = queens(8, 0, 0, 0, 0, 0, 8);
    printf("%d\n", all);
    return 0;
}

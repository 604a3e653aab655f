/* finals.c - final tasks that have no tasks. */
#include <stdio.h>

static long sums[40];

static long sum_of(int n)
{
    long s = 0;

    for (int i = 0; i < n; i++)
        s += i % 3;
    return s;
}

static void sum_all(int n)
{
    for (int i = 0; i < n; i++) {
        #pragma omp task final(i < 10)
        sums[i] = sum_of(i * 10);
    }
    #pragma omp taskwait
}

int main(void)
{
    long all = 0;

    #pragma omp parallel
    #pragma omp single
    sum_all(40);
    for (int i = 0; i < 40; i++)
        all += sums[i] * i;
    printf("%ld\n", all);
    return 0;
}

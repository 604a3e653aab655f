/* Tasks of a file are ported together, or none is: what one of them returns is lost here. */
#include <stdio.h>

static int sum[64];

static int count(int n)
{
    int low = 1;

    if (n < 2)
        return n;
    #pragma omp task
    low = count(n - 1);
    #pragma omp taskwait
    return low + 1;
}

static void fill(int n)
{
    if (n == 0)
        return;
    #pragma omp task
    sum[n] = n;
    #pragma omp task
    fill(n - 1);
}

static void join(int n)
{
    fill(n);
    #pragma omp taskwait
}

int main(void)
{
    int n = 0, all = 0;

    #pragma omp parallel
    #pragma omp single
    {
        n = count(5);
        join(63);
    }
    for (int i = 0; i < 64; i++)
        all += sum[i];
    printf("%d %d\n", n, all);
    return 0;
}

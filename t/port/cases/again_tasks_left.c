/* A region that runs tasks twice, which are ported, stays when the file is ported again. */
#include <stdio.h>

static long reached[40];

static void descend(int n)
{
    if (n < 1)
        return;
#pragma omp task
    descend(n - 1);
    reached[n] = n;
#pragma omp taskwait
}

int main(void)
{
#pragma omp parallel
    {
#pragma omp single
        descend(10);
#pragma omp single
        descend(30);
    }
    printf("%ld %ld\n", reached[10], reached[30]);
    return 0;
}

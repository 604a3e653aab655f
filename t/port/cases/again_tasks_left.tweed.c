/* A region that runs tasks twice, which are ported, stays when the file is ported again. */
#include <tweed.h>
#include <stdio.h>

static long reached[40];

TWEED_TASK(void, descend_task, int, n)
{
    if (n < 1)
        return;
    TWEED_SPAWN(descend_task, n - 1);
    reached[n] = n;
    TWEED_SYNC(descend_task);
}

static void descend(int n)
{
    TWEED_RUN(descend_task, n);
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

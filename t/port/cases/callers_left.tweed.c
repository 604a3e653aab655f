/* A function waits for the tasks of the one that calls it, too: that is left alone in C. */
#include <stdio.h>

static int box[2];

static int late(void)
{
    int mine = 0;

    #pragma omp task shared(mine)
    mine = 3;
    #pragma omp taskwait
    return box[0] + mine; /* the caller's */
}

static int outer(void)
{
    int r;

    #pragma omp task
    {
        for (volatile int i = 0; i < 3000000; i++)
            ;
        box[0] = 10;
    }
    r = late();
    #pragma omp taskwait
    return r;
}

int main(void)
{
    int r = 0;

    #pragma omp parallel
    #pragma omp single
    r = outer();
    printf("%d\n", r);
    return 0;
}

/* A macro that uses its argument twice; a variable with the name of an operation. */
#include <omp.h>
#include <stdio.h>

#define FILL(t, i) t[i] = ((i) * 2654435761u) >> 20

static unsigned long t[4096];

static unsigned long filled(void)
{
    unsigned long s = 0;

#pragma omp parallel for
    for (int i = 0; i < 4096; i++)
        FILL(t, i);
    for (int i = 0; i < 4096; i++)
        s += t[i];
    return s;
}

static int below(int max)
{
    int x[1000], peak = -1, n = 0;

    for (int i = 0; i < 1000; i++)
        x[i] = i * 37 % 1000;
#pragma omp parallel
    {
        int me = omp_get_thread_num();
#pragma omp for reduction(max : peak)
        for (int i = 0; i < 1000; i++)
            if (x[i] < max && x[i] > peak)
                peak = x[i];
        if (me == 0)
            n = omp_get_num_threads() > 0;
    }
    return peak + n;
}

int main(void)
{
    printf("%lu %d\n", filled(), below(700));
    return 0;
}

/* What a team's thread, or loop, has a copy of. */
#include <stdio.h>
#include <omp.h>
static int out[300];

/* Of an array a loop of the region has one for each thread. */
static int of_array(void)
{
    int part[4] = { 1, 2, 3, 4 }, bad = 0;

#pragma omp parallel
    {
        int me = omp_get_thread_num();
#pragma omp for firstprivate(part)
        for (int i = 0; i < 300; i++) {
            part[i % 4] = i + me;
            out[i] = part[i % 4] - me;
        }
    }
    for (int i = 0; i < 300; i++)
        bad += out[i] != i;
    return bad + part[0];
}

/* A parameter is a pointer, however it is written. */
static int of_parameter(int w[300], int n)
{
    int sum = 0, late = n & 1;

#pragma omp parallel firstprivate(w)
    {
#pragma omp for
        for (int i = 0; i < n; i++)
            w[i] += i + late;
#pragma omp for
        for (int i = 0; i < n; i++)
            w[i] *= 2;
    }
    for (int i = 0; i < n; i++)
        sum += w[i];
    return sum;
}

int main(void)
{
    printf("%d\n", of_array());
    printf("%d\n", of_parameter(out, 300));
    return 0;
}

/*
 * A task starts where a lock is held, which it could take: tweed's function would wait for it
 * before it returns.  OpenMP may execute it at once, so it takes none here.
 */
#include <stdio.h>

static int log_of[100], logged, sum_of;

static void later(int i)
{
#pragma omp task firstprivate(i)
    {
#pragma omp atomic
        sum_of += i;
    }
}

static void submit(int n)
{
    for (int i = 0; i < n; i++) {
#pragma omp critical(log)
        {
            log_of[logged++] = -i;
            later(i);
        }
    }
}

static void all(void)
{
#pragma omp parallel
#pragma omp single
    submit(5);
}

int main(void)
{
    long sum = 0;

    all();
    for (int i = 0; i < logged; i++)
        sum += log_of[i] * log_of[i];
    printf("%ld %d %d\n", sum, logged, sum_of);
    return 0;
}
